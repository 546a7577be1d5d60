// Results for machines: JSON (schema 1) and JUnit XML. Equal runs give equal bytes, except for "timing" in the JSON.
#pragma once

#include <string>

#include "fused_linear_cross_entropy/batch/results.h"

namespace flce::batch {

std::string json_report(const BatchResult& batch, const Options& options);
std::string junit_report(const BatchResult& batch, const Options& options);

}  // namespace flce::batch
