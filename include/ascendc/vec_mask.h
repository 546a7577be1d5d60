// The vector mask register and its mode: sticky scalar-unit registers captured by every later vector instruction.
// Rules: spec/api-semantics.md 0. Left out: nothing of A2/A3.
#pragma once

#include "ascendc/vec_request.h"

namespace AscendC {
namespace detail {

inline void set_mask_register(uint64_t low, uint64_t high, const Site& site) {
  ascsan::gate::Request request = frame_request(Op::kSetVectorMask, site);
  request.params.frame.value[0] = low;
  request.params.frame.value[1] = high;
  ascsan_gate(&request);
}

/// The first `lanes` bits of a 128-bit mask.
inline void leading_lanes(uint64_t lanes, uint64_t& low, uint64_t& high) {
  low = lanes >= 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
  high = lanes <= 64 ? 0 : lanes >= 128 ? ~uint64_t{0} : (uint64_t{1} << (lanes - 64)) - 1;
}

}  // namespace detail

/// Writes the 128-bit mask register; in COUNTER mode `maskLow` is the number of elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t maskHigh, uint64_t maskLow, Site site = ASCSAN_HERE) {
  detail::set_mask_register(maskLow, maskHigh, site);
}
/// NORMAL: the first `len` lanes. COUNTER: `len` elements in total.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len, Site site = ASCSAN_HERE) {
  uint64_t low = static_cast<uint64_t>(static_cast<uint32_t>(len)), high = 0;
  if (mode == MaskMode::NORMAL) detail::leading_lanes(static_cast<uint32_t>(len), low, high);
  detail::set_mask_register(low, high, site);
}

inline void SetMaskCount(Site site = ASCSAN_HERE) {
  detail::frame_call(detail::Op::kSetMaskCount, site);
}
inline void SetMaskNorm(Site site = ASCSAN_HERE) {
  detail::frame_call(detail::Op::kSetMaskNorm, site);
}
inline void ResetMask(Site site = ASCSAN_HERE) {
  detail::frame_call(detail::Op::kResetMask, site);
}

/// Older spelling inside kernels.
struct AscendCUtils {
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow, Site site = ASCSAN_HERE) {
    if (isSetMask) detail::set_mask_register(maskLow, maskHigh, site);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t len, Site site = ASCSAN_HERE) {
    if (isSetMask) SetVectorMask<T>(len, site);
  }
  template <typename T, bool isSetMask = true>
  static void SetMaskCount(Site site = ASCSAN_HERE) {
    if (isSetMask) AscendC::SetMaskCount(site);
  }
  static void ResetMask(Site site = ASCSAN_HERE) { AscendC::ResetMask(site); }
};

}  // namespace AscendC
