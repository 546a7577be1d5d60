// Loops of the compare and select instructions: lanes to bits and bits to lanes.
// NaN compares false in every mode, NE included: the boundary table of Compare documents this difference from IEEE.
#include <algorithm>
#include <cstring>

#include "isa/simd/arith.h"
#include "isa/simd/math.h"

namespace ascsan::isa::simd {
namespace {

constexpr size_t kChunk = 256;

/// Packs 8 bytes of 0 or 1 into the bits of one byte, first byte lowest.
ASCSAN_INLINE uint8_t pack8(const uint8_t* truth) {
  uint64_t word;
  std::memcpy(&word, truth, sizeof(word));
  return static_cast<uint8_t>((word * 0x0102040810204080u) >> 56);
}

// Numeric values of AscendC::CMPMODE.
enum class Mode : uint8_t { kLt, kGt, kEq, kLe, kGe, kNe };

template <Mode kMode, typename T>
ASCSAN_INLINE bool holds(T a, T b) {
  switch (kMode) {
    case Mode::kLt:
      return a < b;
    case Mode::kGt:
      return a > b;
    case Mode::kEq:
      return a == b;
    case Mode::kLe:
      return a <= b;
    case Mode::kGe:
      return a >= b;
    case Mode::kNe:
      return (a < b) | (a > b);
  }
  return false;
}

template <Mode kMode, typename T>
ASCSAN_INLINE void compare_chunk(uint8_t* dst, const T* a, const T* b, size_t n) {
  uint8_t truth[kChunk];
  for (size_t i = 0; i < n; ++i) truth[i] = holds<kMode>(a[i], b[i]) ? 1 : 0;
  for (size_t i = 0; i < n / 8; ++i) dst[i] = pack8(truth + 8 * i);
}

template <typename T>
ASCSAN_INLINE void compare_any(uint8_t* dst, const T* a, const T* b, size_t n, uint8_t mode) {
  switch (static_cast<Mode>(mode)) {
    case Mode::kLt:
      return compare_chunk<Mode::kLt>(dst, a, b, n);
    case Mode::kGt:
      return compare_chunk<Mode::kGt>(dst, a, b, n);
    case Mode::kEq:
      return compare_chunk<Mode::kEq>(dst, a, b, n);
    case Mode::kLe:
      return compare_chunk<Mode::kLe>(dst, a, b, n);
    case Mode::kGe:
      return compare_chunk<Mode::kGe>(dst, a, b, n);
    case Mode::kNe:
      return compare_chunk<Mode::kNe>(dst, a, b, n);
  }
}

/// T is the element in memory, V the type compared.
template <typename T, typename V>
struct Compare {
  template <typename Target>
  static ASCSAN_INLINE void load(V* out, const T* src, size_t n) {
    if constexpr (sizeof(T) == 2)
      Target::half_to_float(out, src, n);
    else
      std::memcpy(out, src, n * sizeof(T));
  }
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<uint8_t*>(args.dst);
    V a[kChunk], b[kChunk];
    if (args.src1 == nullptr) {
      T raw;
      std::memcpy(&raw, &args.scalar, sizeof(T));
      V value;
      load<Target>(&value, &raw, 1);
      std::fill_n(b, kChunk, value);
    }
    for (size_t done = 0; done < args.n; done += kChunk) {
      const size_t n = std::min(args.n - done, kChunk);
      load<Target>(a, static_cast<const T*>(args.src0) + done, n);
      if (args.src1 != nullptr) load<Target>(b, static_cast<const T*>(args.src1) + done, n);
      compare_any(dst + done / 8, a, b, n, args.mode);
    }
  }
};

template <typename T>
struct Select {
  template <typename Target>
  static ASCSAN_INLINE void run(const KernelArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* a = static_cast<const T*>(args.src0);
    const auto* b = static_cast<const T*>(args.src1);
    const auto* bits = reinterpret_cast<const uint8_t*>(args.scalar);
    const T constant = static_cast<T>(args.deq_scale);
    constexpr uint32_t kBit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (size_t i = 0; i < args.n; i += 8) {
      const uint32_t byte = bits[i / 8];
      const size_t n = std::min<size_t>(8, args.n - i);
      if (n == 8 && b != nullptr) {
        for (uint32_t j = 0; j < 8; ++j) dst[i + j] = (byte & kBit[j]) != 0 ? a[i + j] : b[i + j];
      } else {
        for (uint32_t j = 0; j < n; ++j)
          dst[i + j] = ((byte >> j) & 1) != 0 ? a[i + j] : b != nullptr ? b[i + j] : constant;
      }
    }
  }
};

}  // namespace

KernelPair compare_kernel(gate::DataType src) {
  switch (src) {
    case gate::DataType::kHalf:
      return pair_of<Compare<uint16_t, float>>();
    case gate::DataType::kFloat:
      return pair_of<Compare<float, float>>();
    case gate::DataType::kInt32:
      return pair_of<Compare<int32_t, int32_t>>();
    default:
      return {};
  }
}

KernelPair select_kernel(gate::DataType type) {
  switch (type) {
    case gate::DataType::kHalf:
      return pair_of<Select<uint16_t>>();
    case gate::DataType::kFloat:
      return pair_of<Select<uint32_t>>();
    default:
      return {};
  }
}

}  // namespace ascsan::isa::simd
