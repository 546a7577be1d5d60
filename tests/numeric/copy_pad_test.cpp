// DataCopyPad against a byte-by-byte reference: padding on both sides, every source of the fill value, strides of both
// sides, both parameter families, exact footprints (rule E-6), limits.
#include "ascendc/atomics.h"
#include "ascendc/data_copy.h"
#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::Space;
using local::core;

class CopyPad : public local::Test {};

struct Load {
  uint16_t count;
  uint32_t len;
  uint32_t src_stride, dst_stride;
  uint8_t left, right;
};

enum class Fill { kParameter, kRegister, kFirst, kNone };

/// What the local side must hold; bytes the documents leave open are marked in `open`.
template <typename T>
void reference(const Load& p, Fill fill, T value, const std::byte* src, std::vector<std::byte>& dst,
               std::vector<bool>& open) {
  open.assign(dst.size(), false);
  const size_t left = p.left * sizeof(T), right = p.right * sizeof(T);
  const size_t whole = (left + p.len + right + 31) / 32 * 32;
  for (size_t b = 0; b < p.count && p.len > 0; ++b) {
    const size_t base = b * (whole + size_t{p.dst_stride} * 32);
    for (size_t i = 0; i < whole; ++i) {
      const bool data = i >= left && i < left + p.len;
      if (data) {
        dst[base + i] = src[b * (p.len + p.src_stride) + i - left];
      } else if (fill == Fill::kParameter || fill == Fill::kRegister) {
        const size_t at = i < left ? i : i - left - p.len;
        dst[base + i] = reinterpret_cast<const std::byte*>(&value)[at % sizeof(T)];
      } else if (fill == Fill::kFirst) {
        dst[base + i] = src[b * (p.len + p.src_stride) + (i - p.len) % sizeof(T)];
      } else {
        open[base + i] = true;
      }
    }
  }
}

template <typename T>
void load(const Load& p, Fill fill, TPosition position, uint32_t address, size_t shift) {
  SCOPED_TRACE(::testing::Message() << "count " << p.count << " len " << p.len << " strides " << p.src_stride << " "
                                    << p.dst_stride << " pads " << int{p.left} << " " << int{p.right} << " fill "
                                    << static_cast<int>(fill) << " size " << sizeof(T));
  core().gm_used = 0;
  constexpr size_t kSpan = 20000;
  T* in = core().gm<T>(kSpan / sizeof(T), shift);
  GlobalTensor<T> src;
  src.SetGlobalBuffer(in);
  T value;
  const uint64_t bits = sizeof(T) == 8 ? 0 : 0x1122334455667788;
  std::memcpy(&value, &bits, sizeof(T));
  core().registers.pad_value_set = false;
  if (fill == Fill::kRegister) SetPadValue(value);
  std::byte* const memory = core().base(space_of(position)) + address;
  std::vector<std::byte> expected(memory, memory + kSpan);
  std::vector<bool> open;
  reference<T>(p, fill, value, reinterpret_cast<std::byte*>(in), expected, open);
  const LocalTensor<T> dst(position, address, kSpan / sizeof(T));
  DataCopyPad(dst, src, DataCopyExtParams(p.count, p.len, p.src_stride, p.dst_stride, 0),
              DataCopyPadExtParams<T>(fill == Fill::kParameter, p.left, p.right, value));
  // What the documents call random holds a NaN of 16-bit floats, so that its use shows.
  size_t filler = 0;
  for (size_t i = 0; i < kSpan; ++i) {
    filler = open[i] ? filler + 1 : 0;
    const std::byte undefined{static_cast<uint8_t>(filler % 2 == 1 ? 0xC1 : 0x7F)};
    ASSERT_EQ(memory[i], open[i] ? undefined : expected[i]) << "byte " << i;
  }
  EXPECT_TRUE(core().violations.empty());
}

template <typename T>
void all_loads() {
  const uint32_t size = sizeof(T);
  const uint8_t most = static_cast<uint8_t>(32 / size);
  const Load loads[] = {{1, size, 0, 0, 0, 0},
                        {1, 5 * size, 0, 0, 0, 0},
                        {3, 7 * size, 3 * size, 1, 0, 0},
                        {5, 32, 0, 0, 0, 0},
                        {4, 64, size, 2, 0, 0},
                        {2, 9 * size, 0, 0, 1, 0},
                        {3, 3 * size, 5, 0, 0, 2},
                        {2, 11 * size, 1, 1, most, most},
                        {7, 13 * size, 64, 3, 2, 1},
                        {0, 32, 0, 0, 0, 0},
                        {3, 0, 4, 1, 0, 0},
                        {1, 1021 * size, 0, 0, 0, 0}};
  for (const Load& p : loads) {
    load<T>(p, Fill::kParameter, TPosition::VECIN, 96, 0);
    load<T>(p, Fill::kRegister, TPosition::VECIN, 0, size);
    load<T>(p, p.left + p.right == 0 ? Fill::kFirst : Fill::kNone, TPosition::VECIN, 64, 3 * size);
    load<T>(p, Fill::kParameter, TPosition::A1, 1024, 1);  // any byte address of GM
  }
}

TEST_F(CopyPad, LoadsOfBytes) {
  all_loads<int8_t>();
}
TEST_F(CopyPad, LoadsOfHalf) {
  all_loads<half>();
}
TEST_F(CopyPad, LoadsOfFloat) {
  all_loads<float>();
}
TEST_F(CopyPad, LoadsOfInt64) {
  all_loads<int64_t>();
}

TEST_F(CopyPad, FootprintsOfLoads) {
  core().prove_footprints = true;
  load<half>({3, 10, 6, 1, 0, 0}, Fill::kParameter, TPosition::VECIN, 64, 2);
  load<half>({3, 10, 0, 0, 2, 3}, Fill::kParameter, TPosition::VECIN, 64, 2);
  load<float>({4, 64, 0, 0, 0, 0}, Fill::kFirst, TPosition::VECIN, 64, 0);
  load<float>({2, 20, 8, 0, 0, 0}, Fill::kFirst, TPosition::A1, 64, 0);
  load<int8_t>({2, 33, 1, 2, 4, 0}, Fill::kNone, TPosition::VECIN, 0, 1);
}

template <typename T>
void store(uint16_t count, uint32_t len, uint32_t src_stride, uint32_t dst_stride, size_t shift, bool old_family) {
  SCOPED_TRACE(::testing::Message() << count << " x " << len << " strides " << src_stride << " " << dst_stride);
  core().gm_used = 0;
  constexpr size_t kSpan = 20000;
  T* out = core().gm<T>(kSpan / sizeof(T), shift);
  GlobalTensor<T> dst;
  dst.SetGlobalBuffer(out);
  auto* const bytes = reinterpret_cast<std::byte*>(out);
  std::vector<std::byte> expected(bytes, bytes + kSpan);
  const std::byte* ub = core().base(Space::kUb) + 160;
  for (size_t b = 0; b < count; ++b)
    for (size_t i = 0; i < len; ++i)
      expected[b * (len + dst_stride) + i] = ub[b * ((len + 31) / 32 * 32 + size_t{src_stride} * 32) + i];
  const LocalTensor<T> src(TPosition::VECOUT, 160, kSpan / sizeof(T));
  if (old_family) {
    DataCopyPad(dst, src,
                DataCopyParams(count, static_cast<uint16_t>(len), static_cast<uint16_t>(src_stride),
                               static_cast<uint16_t>(dst_stride)));
  } else {
    DataCopyPad(dst, src, DataCopyExtParams(count, len, src_stride, dst_stride, 0));
  }
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), bytes));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyPad, Stores) {
  for (bool prove : {false, true}) {
    core().prove_footprints = prove;
    for (bool old_family : {false, true}) {
      store<half>(1, 2, 0, 0, 0, old_family);
      store<half>(5, 14, 1, 6, 2, old_family);
      store<float>(3, 100, 0, 0, 4, old_family);
      store<float>(4, 64, 0, 0, 0, old_family);
      store<int8_t>(7, 33, 2, 1, 1, old_family);
      store<int64_t>(2, 40, 0, 24, 8, old_family);
      store<half>(0, 14, 1, 6, 2, old_family);
      store<half>(3, 0, 1, 6, 2, old_family);
    }
  }
}

TEST_F(CopyPad, OldParametersLoadTheSame) {
  half* in = core().gm<half>(100);
  GlobalTensor<half> src;
  src.SetGlobalBuffer(in);
  DataCopyPad(LocalTensor<half>(TPosition::VECIN, 0, 100), src, DataCopyParams(2, 10, 4, 1),
              DataCopyPadParams(true, 1, 2, 0x3C00));
  const uint16_t* ub = core().at<uint16_t>(Space::kUb, 0);
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 16; ++i) {
      const uint16_t expected = i >= 1 && i < 6 ? in[b * 7 + i - 1].bits() : 0x3C00;
      EXPECT_EQ(ub[b * 32 + i], expected) << b << " " << i;
    }
}

TEST_F(CopyPad, AtomicAddOfSingleElements) {
  core().prove_footprints = true;
  core().every_byte_matters = false;
  float* out = core().gm<float>(64);
  float* ub = core().at<float>(Space::kUb, 0);
  for (int i = 0; i < 64; ++i) out[i] = static_cast<float>(i), ub[i] = static_cast<float>(100 * i);
  GlobalTensor<float> dst;
  dst.SetGlobalBuffer(out);
  SetAtomicAdd<float>();
  DataCopyPad(dst[3], LocalTensor<float>(TPosition::VECOUT, 0, 64), DataCopyExtParams(4, 4, 0, 8, 0));
  DisableDmaAtomic();
  for (int i = 0; i < 64; ++i) {
    const bool touched = i >= 3 && i <= 12 && (i - 3) % 3 == 0;
    EXPECT_EQ(out[i], static_cast<float>(i) + (touched ? static_cast<float>(100 * 8 * ((i - 3) / 3)) : 0.0f)) << i;
  }
}

TEST_F(CopyPad, Limits) {
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer(core().gm<float>(1000));
  const LocalTensor<float> ub(TPosition::VECIN, 0, 1000);
  const auto load_with = [&](const DataCopyExtParams& p, const DataCopyPadExtParams<float>& pad) {
    core().violations.clear();
    DataCopyPad(ub, gm, p, pad);
  };
  load_with({1, 6, 0, 0, 0}, {});
  EXPECT_TRUE(core().has_violation("length"));  // 6 bytes are no whole number of floats
  load_with({1, 8, 0, 0, 0}, {true, 9, 0, 0.0f});
  EXPECT_TRUE(core().has_violation("length"));  // more than 32 bytes of padding
  load_with({4096, 4, 0, 0, 0}, {});
  EXPECT_TRUE(core().has_violation("repeat"));
  core().violations.clear();
  DataCopyPad(LocalTensor<float>(TPosition::VECIN, 16, 100), gm, DataCopyExtParams(1, 8, 0, 0, 0),
              DataCopyPadExtParams<float>());
  EXPECT_TRUE(core().has_violation("alignment"));
  core().violations.clear();
  DataCopyPad(gm, LocalTensor<float>(TPosition::A1, 0, 100), DataCopyExtParams(1, 8, 0, 0, 0));
  EXPECT_TRUE(core().has_violation("path"));
  core().violations.clear();
  GlobalTensor<int64_t> wide;
  wide.SetGlobalBuffer(core().gm<int64_t>(10));
  DataCopyPad(LocalTensor<int64_t>(TPosition::VECIN, 0, 10), wide, DataCopyExtParams(1, 8, 0, 0, 0),
              DataCopyPadExtParams<int64_t>(true, 0, 1, 5));
  EXPECT_TRUE(core().has_violation("type"));
}

}  // namespace
