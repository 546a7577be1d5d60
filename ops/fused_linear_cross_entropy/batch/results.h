// Results of a batch as plain data: per case and output, over all runs. Reports read these and decide nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fused_linear_cross_entropy/batch/case_spec.h"
#include "fused_linear_cross_entropy/batch/options.h"
#include "fused_linear_cross_entropy/reference/tolerance.h"

namespace flce::batch {

/// Outputs in the order of the operator, with the names of the local (per shard) results.
inline constexpr int kOutputs = 6;
inline constexpr const char* kOutputNames[kOutputs] = {"logits_max_local",       "sum_exp_logits_local",
                                                       "predicted_logits_local", "target_mask",
                                                       "masked_target",          "vocab_parallel_logits"};

enum class Verdict : uint8_t { kPass, kFlaky, kFail };
const char* name_of(Verdict verdict);

struct OutputResult {
  bool present = false;  ///< the case has this output
  Verdict verdict = Verdict::kPass;
  uint32_t runs_outside = 0;                       ///< runs with an element outside the tolerance
  uint32_t runs_different = 0;                     ///< runs whose bytes differ from those of the first
  reference::ErrorStatistics errors;               ///< of all runs together
  Run worst_run;                                   ///< first run with an element outside, if any
  uint64_t peer_elements = 0, peer_different = 0;  ///< kernel against native operator, bit by bit (engine cpu)
};

struct CaseResult {
  CaseSpec spec;
  Verdict verdict = Verdict::kPass;
  uint32_t runs = 0;
  int code = 0;         ///< code of the host checks, 0 if they passed
  std::string message;  ///< of the host checks
  std::array<OutputResult, kOutputs> outputs;
  double seconds_reference = 0.0, seconds_launch = 0.0;
};

struct BatchResult {
  std::vector<CaseResult> cases;
  uint32_t count(Verdict verdict) const;
  double seconds = 0.0;
};

}  // namespace flce::batch
