// The scalar unit: data cache control, bypass accesses, the control register and bit helpers.
// Rules: spec/execution-model.md 6.1 (visibility of GM), api-semantics.md 7, fp.md 2 (saturation bits).
// Left out: plain pointer dereferences in kernel code; they are ordinary host accesses and cannot be seen.
#pragma once

#include <cstring>

#include "ascendc/frame_request.h"
#include "ascendc/tensor.h"

/// Names of the dcci intrinsic.
enum cache_line_t : uint8_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum dcci_dst_t : uint8_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 };

namespace AscendC {

enum class CacheLine : uint8_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum class DcciDst : uint8_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 };

namespace detail {

inline void clean_invalidate(const ascsan::gate::Operand& operand, uint8_t lines, uint8_t target, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kCacheCleanInvalid, site);
  request.params.frame.mode = lines;
  request.params.frame.flag = target;
  add_operand(request, operand);
  ascsan_gate(&request);
}

template <typename T>
ascsan::gate::Operand global_word(const void* address) {
  ascsan::gate::Operand operand;
  operand.space = ascsan::gate::Space::kGm;
  operand.address = reinterpret_cast<uint64_t>(address);
  operand.bytes = sizeof(T);
  operand.type = data_type_of<T>();
  return operand;
}

}  // namespace detail

/// Writes back and drops the 64-byte line that holds the start of `tensor`, or every line of this core's data cache.
template <typename T, CacheLine lines, DcciDst target = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, Site site = ASCSAN_HERE) {
  detail::clean_invalidate(tensor.operand(), static_cast<uint8_t>(lines), static_cast<uint8_t>(target), site);
}
template <typename T, CacheLine lines, DcciDst target>
void DataCacheCleanAndInvalid(const LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
  detail::clean_invalidate(tensor.operand(), static_cast<uint8_t>(lines), static_cast<uint8_t>(target), site);
}

/// Loads the line of a GM address into the data cache: a scalar load whose value is dropped (it may make the line
/// stale).
template <typename T>
void DataCachePreload(const GlobalTensor<T>& tensor, int64_t offset_bytes, Site site = ASCSAN_HERE) {
  const uint64_t address = tensor.operand().address + static_cast<uint64_t>(offset_bytes);
  detail::scalar_access(ascsan::gate::Op::kLoadScalar,
                        detail::global_word<uint8_t>(reinterpret_cast<const void*>(address)), 0, site);
}

/// Scalar load / store that goes past the data cache; naturally aligned T of 1, 2, 4 or 8 bytes.
template <typename T>
T ReadGmByPassDCache(__gm__ const T* address, Site site = ASCSAN_HERE) {
  return from_raw_bits<T>(
      detail::scalar_access(ascsan::gate::Op::kLoadBypass, detail::global_word<T>(address), 0, site));
}
template <typename T>
T ReadGmByPassDCache(__gm__ T* address, Site site = ASCSAN_HERE) {
  return from_raw_bits<T>(
      detail::scalar_access(ascsan::gate::Op::kLoadBypass, detail::global_word<T>(address), 0, site));
}
template <typename T>
void WriteGmByPassDCache(__gm__ T* address, T value, Site site = ASCSAN_HERE) {
  detail::scalar_access(ascsan::gate::Op::kStoreBypass, detail::global_word<T>(address), raw_bits(value), site);
}

/// Bits [first, last] of the control register. Only bit 48 is documented on A2/A3.
template <int8_t first, int8_t last>
void SetCtrlSpr(int64_t value, Site site = ASCSAN_HERE) {
  static_assert(first >= 0 && first <= last && last <= 63, "SetCtrlSpr<first, last>: 0 <= first <= last <= 63");
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSetCtrl, site);
  request.params.frame.id = first;
  request.params.frame.value[0] = static_cast<uint64_t>(value);
  request.params.frame.value[1] = static_cast<uint64_t>(last);
  ascsan_gate(&request);
}
template <int8_t first, int8_t last>
int64_t GetCtrlSpr(Site site = ASCSAN_HERE) {
  static_assert(first >= 0 && first <= last && last <= 63, "GetCtrlSpr<first, last>: 0 <= first <= last <= 63");
  constexpr uint64_t kMask = last - first == 63 ? ~uint64_t{0} : (uint64_t{1} << (last - first + 1)) - 1;
  return static_cast<int64_t>((detail::frame_call(ascsan::gate::Op::kGetCtrl, site) >> first) & kMask);
}
inline int64_t GetCtrlSpr(Site site = ASCSAN_HERE) {
  return static_cast<int64_t>(detail::frame_call(ascsan::gate::Op::kGetCtrl, site));
}

/// Which results clamp instead of giving Inf/NaN (FLOAT) or low bits (CAST) (spec/fp.md 2).
enum class SaturationMode : uint8_t { FLOAT, CAST };

/// FLOAT: CTRL[48], CAST: CTRL[59]; a cleared bit means saturation.
template <SaturationMode mode>
void SetSaturationFlag(bool saturate, Site site = ASCSAN_HERE) {
  if constexpr (mode == SaturationMode::FLOAT)
    SetCtrlSpr<48, 48>(saturate ? 0 : 1, site);
  else
    SetCtrlSpr<59, 59>(saturate ? 0 : 1, site);
}
template <SaturationMode mode>
bool GetSaturationFlag(Site site = ASCSAN_HERE) {
  if constexpr (mode == SaturationMode::FLOAT)
    return GetCtrlSpr<48, 48>(site) == 0;
  else
    return GetCtrlSpr<59, 59>(site) == 0;
}

/// Number of leading zero bits; 64 for 0.
inline int64_t ScalarCountLeadingZero(uint64_t value) {
  return value == 0 ? 64 : __builtin_clzll(value);
}
/// Number of bits equal to `bit` (0 or 1).
template <int bit>
int64_t ScalarGetCountOfValue(uint64_t value) {
  static_assert(bit == 0 || bit == 1, "ScalarGetCountOfValue<0 or 1>");
  return bit == 1 ? __builtin_popcountll(value) : 64 - __builtin_popcountll(value);
}
/// Position of the lowest bit equal to `bit`; -1 if there is none.
template <int bit>
int64_t ScalarGetSFFValue(uint64_t value) {
  static_assert(bit == 0 || bit == 1, "ScalarGetSFFValue<0 or 1>");
  const uint64_t wanted = bit == 1 ? value : ~value;
  return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
/// Leading bits equal to the sign bit, without the sign bit itself; -1 for 0 and for -1.
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value);
}

// The same under their newer names.
inline int64_t CountLeadingZero(uint64_t value) {
  return ScalarCountLeadingZero(value);
}
template <int bit>
int64_t GetBitCount(uint64_t value) {
  return ScalarGetCountOfValue<bit>(value);
}
template <int bit>
int64_t GetSFFValue(uint64_t value) {
  return ScalarGetSFFValue<bit>(value);
}

/// Reads the bits of a scalar as another type of the same size.
template <typename T, typename U>
U GetScalarBitcodeValue(T value) {
  static_assert(sizeof(T) == sizeof(U), "GetScalarBitcodeValue: both types need the same size");
  return from_raw_bits<U>(raw_bits(value));
}

inline float ToFloat(const bfloat16_t& value) {
  return static_cast<float>(value);
}
inline float ToFloat(const half& value) {
  return static_cast<float>(value);
}
inline float ToFloat(float value) {
  return value;
}
inline bfloat16_t ToBfloat16(float value) {
  return bfloat16_t(value);
}

}  // namespace AscendC

/// Intrinsic form of DataCacheCleanAndInvalid for raw GM pointers.
inline void dcci(const __gm__ void* address, uint64_t lines, dcci_dst_t target = CACHELINE_ALL,
                 ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::clean_invalidate(AscendC::detail::global_word<uint8_t>(address), static_cast<uint8_t>(lines),
                                    static_cast<uint8_t>(target), site);
}
