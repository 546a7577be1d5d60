// Results for people: one line per case, one row per output, a summary.
#pragma once

#include <string>

#include "fused_linear_cross_entropy/batch/results.h"

namespace flce::batch {

std::string text_report(const BatchResult& batch, const Options& options);
/// The cases of --list.
std::string case_list(const std::vector<CaseSpec>& cases);

/// "m=300 k=512 n=1187 bfloat16 int32 [0, 1187)".
std::string describe(const CaseSpec& spec);
/// "random seed 3", or "default schedule".
std::string describe(const Run& run, const Options& options);

}  // namespace flce::batch
