// Memory and growth of checking, each measured in a fresh process, so that a peak belongs to one job alone.
#pragma once

#include <string>

#include "ratio.h"

namespace ascsan::bench {

/// Runs one job of this program's own (`bench_check --job NAME SIZE CHECK`): exit status for main.
int run_job(const std::string& name, const std::string& size, const std::string& check);

/// Shadow bytes per byte of GM, and how time and memory grow when a loop runs 100 times longer.
void measure_growth(Table& table, const std::string& program);

}  // namespace ascsan::bench
