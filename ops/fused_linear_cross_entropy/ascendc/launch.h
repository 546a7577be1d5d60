// Runs fused_linear_online_max_sum on the modelled NPU: buffers in its global memory, one launch per call.
// Outputs are filled with a byte pattern before each launch, so that an element nobody writes is seen.
// Rules: spec/launch-styles.md A. Left out: checks of the arguments; compute_tiling made them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fused_linear_cross_entropy/ascendc/tiling.h"

namespace flce::ascendc {

enum class Variant : uint8_t { kShipped, kMissingSync };

/// What a launch left behind, as bytes of the argument types. logits is empty when they were not asked for.
struct Outputs {
  std::vector<float> logits_max, sum_exp_logits, predicted_logits;
  std::vector<uint8_t> target_mask;
  std::vector<int64_t> masked_target;  ///< widened
  std::vector<uint16_t> vocab_parallel_logits;
};

/// Global memory of one call, kept for any number of launches.
class Device {
 public:
  /// input [m, k], weight [n, k]: bit patterns; target [m]: values of the target type.
  Device(const OpDesc& op, const TilingData& tiling, std::span<const uint16_t> input, std::span<const uint16_t> weight,
         std::span<const int64_t> target);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// One launch under the options in force.
  Outputs run(Variant variant);

 private:
  struct Buffer {
    uint8_t* data = nullptr;
    uint64_t bytes = 0;
  };
  static Buffer allocate(uint64_t bytes);
  Outputs read() const;

  OpDesc op_;
  TilingData tiling_;
  Buffer input_, weight_, target_;
  Buffer logits_max_, sum_exp_logits_, predicted_logits_, target_mask_, masked_target_, vocab_parallel_logits_,
      workspace_;
};

}  // namespace flce::ascendc
