// DataCopy: every legal path, random blocks and gaps, atomic stores, slices, limits. References move single bytes.
#include <algorithm>
#include <cmath>

#include "ascendc/atomics.h"
#include "ascendc/data_copy.h"
#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::DataType;
using ascsan::gate::Op;
using ascsan::gate::Space;
using local::core;

class CopyBlocks : public local::Test {
 protected:
  std::vector<std::byte> snapshot(const std::byte* at, size_t bytes) { return {at, at + bytes}; }
};

struct Shape {
  uint16_t count, len, src_gap, dst_gap;
};

/// Expected destination image: blocks copied one byte at a time.
void reference(std::vector<std::byte>& dst, const std::byte* src, const Shape& s, size_t unit, size_t src_unit_gap,
               size_t dst_unit_gap) {
  for (size_t b = 0; b < s.count; ++b)
    for (size_t i = 0; i < s.len * unit; ++i)
      dst[b * (s.len * unit + s.dst_gap * dst_unit_gap) + i] = src[b * (s.len * unit + s.src_gap * src_unit_gap) + i];
}

template <typename T>
void gm_to_ub_to_gm(CopyBlocks&, const Shape& s, TPosition position, uint32_t address) {
  constexpr size_t kSpan = 60000;
  T* in = core().gm<T>(kSpan / sizeof(T), sizeof(T) == 1 ? 0 : sizeof(T));
  T* out = core().gm<T>(kSpan / sizeof(T));
  GlobalTensor<T> src, dst;
  src.SetGlobalBuffer(in), dst.SetGlobalBuffer(out);
  const LocalTensor<T> local(position, address, kSpan / sizeof(T));
  std::byte* const memory = core().base(space_of(position)) + address;
  std::vector<std::byte> expected(memory, memory + kSpan);
  reference(expected, reinterpret_cast<std::byte*>(in), s, 32, 32, 32);
  DataCopy(local, src, DataCopyParams(s.count, s.len, s.src_gap, s.dst_gap));
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory));
  auto* const bytes = reinterpret_cast<std::byte*>(out);
  std::vector<std::byte> back(bytes, bytes + kSpan);
  reference(back, memory, s, 32, 32, 32);
  DataCopy(dst, local, DataCopyParams(s.count, s.len, s.src_gap, s.dst_gap));
  ASSERT_TRUE(std::equal(back.begin(), back.end(), bytes));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyBlocks, GlobalAndLocalMemory) {
  core().prove_footprints = true;
  const Shape shapes[] = {{1, 1, 0, 0},  {1, 61, 9, 7}, {7, 3, 0, 0}, {13, 5, 2, 0},
                          {5, 11, 0, 3}, {3, 17, 4, 5}, {0, 3, 0, 0}, {4, 0, 1, 1}};
  for (const Shape& s : shapes) {
    core().gm_used = 0;
    gm_to_ub_to_gm<half>(*this, s, TPosition::VECIN, 64);
    core().gm_used = 0;
    gm_to_ub_to_gm<float>(*this, s, TPosition::A1, 4096);
    core().gm_used = 0;
    gm_to_ub_to_gm<int8_t>(*this, s, TPosition::VECOUT, 0);
  }
}

TEST_F(CopyBlocks, CountIsRoundedDown) {
  core().prove_footprints = true;
  half* in = core().gm<half>(4096);
  GlobalTensor<half> src;
  src.SetGlobalBuffer(in);
  const LocalTensor<half> ub(TPosition::VECIN, 32, 2048);
  for (uint32_t count : {0u, 1u, 15u, 16u, 17u, 31u, 48u, 1000u, 1024u}) {
    core().violations.clear();
    core().randomize(core().base(Space::kUb), 8192);
    std::vector<half> expected(core().at<half>(Space::kUb, 32), core().at<half>(Space::kUb, 32) + 2048);
    for (uint32_t i = 0; i < count / 16 * 16; ++i) expected[i] = in[i];
    DataCopy(ub, src, count);
    EXPECT_EQ(0, std::memcmp(expected.data(), core().at<half>(Space::kUb, 32), 4096)) << count;
    EXPECT_EQ(count % 16 != 0, core().has_violation("length")) << count;
  }
}

TEST_F(CopyBlocks, UnifiedBufferToItself) {
  core().prove_footprints = true;
  const LocalTensor<int32_t> from(TPosition::VECCALC, 1024, 2000), to(TPosition::VECCALC, 32768, 2000);
  const Shape s{6, 4, 3, 1};
  std::vector<std::byte> expected = snapshot(core().base(Space::kUb) + 32768, 8000);
  reference(expected, core().base(Space::kUb) + 1024, s, 32, 32, 32);
  DataCopy(to, from, DataCopyParams(s.count, s.len, s.src_gap, s.dst_gap));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), core().base(Space::kUb) + 32768));
  EXPECT_TRUE(core().violations.empty());
  DataCopy(from[8], from, 64u);  // one block further on: overlaps in part
  EXPECT_TRUE(core().has_violation("overlap"));
}

TEST_F(CopyBlocks, BiasTable) {
  core().prove_footprints = true;
  const LocalTensor<float> l1(TPosition::C1, 8192, 1000);
  const LocalTensor<float> bt(TPosition::C2, 64, 240);
  std::vector<std::byte> expected = snapshot(core().base(Space::kBt) + 64, 960);
  // Blocks of 64 bytes, gaps of 32 bytes in L1 and 64 in BT.
  reference(expected, core().base(Space::kL1) + 8192, {3, 2, 3, 1}, 64, 32, 64);
  DataCopy(bt, l1, DataCopyParams(3, 2, 3, 1));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), core().base(Space::kBt) + 64));
  // half in L1 becomes float in BT.
  const LocalTensor<half> halves(TPosition::C1, 1024, 500);
  auto* values = core().at<uint16_t>(Space::kL1, 1024);
  for (int i = 0; i < 500; ++i) values[i] = half(static_cast<float>(i) * 0.37f - 60.0f).bits();
  DataCopy(bt, halves, DataCopyParams(1, 15, 0, 0));
  for (int i = 0; i < 240; ++i)
    EXPECT_EQ(core().at<float>(Space::kBt, 64)[i], static_cast<float>(half::from_bits(values[i])));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyBlocks, FixpipeBufferCountsHeadToHead) {
  core().prove_footprints = true;
  const LocalTensor<uint64_t> l1(TPosition::C1, 64, 1000);
  const LocalTensor<uint64_t> fb(TPosition::C2PIPE2GM, 128, 700);
  std::vector<std::byte> expected = snapshot(core().base(Space::kFb) + 128, 5600);
  const std::byte* src = core().base(Space::kL1) + 64;
  for (size_t b = 0; b < 4; ++b)
    for (size_t i = 0; i < 256; ++i) expected[b * 384 + i] = src[b * 288 + i];
  DataCopy(fb, l1, DataCopyParams(4, 2, 9, 3));  // source heads 9 * 32 bytes apart, destination heads 3 * 128
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), core().base(Space::kFb) + 128));
  EXPECT_TRUE(core().violations.empty());
}

// --- atomic stores ---

/// Sum of two 16-bit floats rounded once, by search over all results: independent of the library's rounding.
template <typename T>
T nearest(double value) {
  uint16_t best = 0;
  double distance = HUGE_VAL;
  const uint32_t infinity = std::is_same_v<T, half> ? 0x7C00 : 0x7F80;
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    const double candidate = static_cast<float>(T::from_bits(static_cast<uint16_t>(bits)));
    const double d = std::fabs(candidate - std::fabs(value));
    if (d < distance || (d == distance && bits % 2 == 0)) distance = d, best = static_cast<uint16_t>(bits);
  }
  return T::from_bits(static_cast<uint16_t>(best | (std::signbit(value) ? 0x8000 : 0)));
}

template <typename T>
T expected_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  } else if constexpr (std::is_same_v<T, float>) {
    return a + b;
  } else {
    return nearest<T>(static_cast<double>(static_cast<float>(a)) + static_cast<double>(static_cast<float>(b)));
  }
}

template <typename T>
void fill_values(T* at, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      at[i] = static_cast<T>(core().random());
    } else {
      at[i] = T(static_cast<float>(static_cast<int32_t>(core().random() % 4001) - 2000) * 0.0371f);
    }
  }
}

template <typename T>
void atomic_store(int mode) {
  constexpr uint32_t kCount = 160;
  T* out = core().gm<T>(kCount);
  T* ub = core().at<T>(Space::kUb, 256);
  fill_values(out, kCount);
  fill_values(ub, kCount);
  std::vector<T> expected(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    expected[i] = mode == 1   ? expected_sum(out[i], ub[i])
                  : mode == 2 ? std::max(out[i], ub[i])
                              : std::min(out[i], ub[i]);
  }
  GlobalTensor<T> dst;
  dst.SetGlobalBuffer(out, kCount);
  if (mode == 1) SetAtomicAdd<T>();
  if (mode == 2) SetAtomicMax<T>();
  if (mode == 3) SetAtomicMin<T>();
  DataCopy(dst, LocalTensor<T>(TPosition::VECOUT, 256, kCount), kCount);
  EXPECT_EQ(0, std::memcmp(expected.data(), out, kCount * sizeof(T)));
  SetAtomicNone();
  DataCopy(dst, LocalTensor<T>(TPosition::VECOUT, 256, kCount), kCount);
  EXPECT_EQ(0, std::memcmp(ub, out, kCount * sizeof(T)));
}

TEST_F(CopyBlocks, AtomicModes) {
  core().prove_footprints = true;
  core().every_byte_matters = false;  // a maximum hides bytes
  for (int mode = 1; mode <= 3; ++mode) {
    SCOPED_TRACE(mode);
    atomic_store<int8_t>(mode);
    atomic_store<int16_t>(mode);
    atomic_store<int32_t>(mode);
    atomic_store<half>(mode);
    atomic_store<bfloat16_t>(mode);
    atomic_store<float>(mode);
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyBlocks, AtomicRole) {
  float* out = core().gm<float>(64);
  GlobalTensor<float> dst;
  dst.SetGlobalBuffer(out);
  ascsan::gate::Request request;
  request.op = Op::kDataCopy;
  request.operand_count = 2;
  request.operand[0] = dst.operand();
  request.operand[1] = LocalTensor<float>(TPosition::VECOUT, 0, 64).operand();
  request.params.copy = {256, 0, 0, 0, 0, 1};
  for (int atomic : {0, 1}) {
    request.registers.atomic = static_cast<uint8_t>(atomic);
    request.registers.atomic_type = DataType::kFloat;
    local::machine::Footprint footprint;
    core().table[static_cast<size_t>(Op::kDataCopy)].footprint(request, footprint);
    ASSERT_EQ(footprint.accesses().size(), 2u);
    EXPECT_EQ(footprint.accesses()[0].role, atomic != 0 ? local::event::Role::kAtomic : local::event::Role::kWrite);
    EXPECT_EQ(footprint.accesses()[1].role, local::event::Role::kRead);
    ASSERT_EQ(footprint.spans().size(), 2u);
    EXPECT_EQ(footprint.spans()[0].end - footprint.spans()[0].begin, 256u);
  }
}

TEST_F(CopyBlocks, AtomicSaturation) {
  half* out = core().gm<half>(16);
  half* ub = core().at<half>(Space::kUb, 0);
  for (int i = 0; i < 16; ++i) out[i] = half(60000.0f), ub[i] = half(i % 2 == 0 ? 60000.0f : -60000.0f);
  GlobalTensor<half> dst;
  dst.SetGlobalBuffer(out);
  SetAtomicAdd<half>();
  DataCopy(dst, LocalTensor<half>(TPosition::VECOUT, 0, 16), 16u);
  EXPECT_EQ(out[0].bits(), 0x7C00);  // infinity in Inf/NaN mode
  EXPECT_EQ(static_cast<float>(out[1]), 0.0f);
  core().registers.float_saturate = true;
  out[0] = half(60000.0f);
  DataCopy(dst, LocalTensor<half>(TPosition::VECOUT, 0, 16), 16u);
  EXPECT_EQ(out[0].bits(), 0x7BFF);
}

TEST_F(CopyBlocks, AtomicTypeIsChecked) {
  int32_t* out = core().gm<int32_t>(8);
  GlobalTensor<int32_t> dst;
  dst.SetGlobalBuffer(out);
  SetAtomicAdd<float>();
  DataCopy(dst, LocalTensor<int32_t>(TPosition::VECOUT, 0, 8), 8u);
  EXPECT_TRUE(core().has_violation("type"));
  core().violations.clear();
  SetAtomicType<int32_t>();
  DataCopy(dst, LocalTensor<int32_t>(TPosition::VECOUT, 0, 8), 8u);
  EXPECT_TRUE(core().violations.empty());
  SetAtomicMax<int32_t>();
  DataCopy(dst, LocalTensor<int32_t>(TPosition::A1, 0, 8), 8u);  // L1 -> GM only adds
  EXPECT_TRUE(core().has_violation("type"));
}

// --- slices ---

TEST_F(CopyBlocks, SlicesOfTheDocument) {
  float* in = core().gm<float>(3 * 87);
  GlobalTensor<float> src;
  src.SetGlobalBuffer(in, 3 * 87);
  float* ub = core().at<float>(Space::kUb, 0);
  std::vector<float> expected(ub, ub + 96);
  for (int row = 0; row < 2; ++row)
    for (int piece = 0; piece < 2; ++piece)
      for (int i = 0; i < 24; ++i) expected[row * 48 + piece * 24 + i] = in[2 * row * 87 + 16 + piece * 31 + i];
  const SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}}, to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  DataCopy(LocalTensor<float>(TPosition::VECIN, 0, 96), src, to, from, 2);
  EXPECT_EQ(0, std::memcmp(expected.data(), ub, 96 * 4));
  EXPECT_EQ(core().executed[Op::kDataCopy], 4);
  // And back into a third place.
  float* out = core().gm<float>(3 * 87);
  GlobalTensor<float> dst;
  dst.SetGlobalBuffer(out, 3 * 87);
  DataCopy(dst, LocalTensor<float>(TPosition::VECIN, 0, 96), from, to, 2);
  for (int row = 0; row < 3; row += 2)
    for (int piece = 0; piece < 2; ++piece)
      EXPECT_EQ(0, std::memcmp(out + row * 87 + 16 + piece * 31, in + row * 87 + 16 + piece * 31, 96));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyBlocks, SlicesOfThreeDimensions) {
  constexpr uint32_t kX = 40, kY = 5, kZ = 4;
  half* in = core().gm<half>(kX * kY * kZ);
  GlobalTensor<half> src;
  src.SetGlobalBuffer(in, kX * kY * kZ);
  const SliceInfo from[] = {{4, 35, 0, 2, kX}, {1, 4, 0, 1, kY}, {1, 3, 1, 1, kZ}};
  const SliceInfo to[] = {{0, 31, 0, 2, 32}, {0, 3, 0, 1, 4}, {0, 1, 0, 1, 2}};
  DataCopy(LocalTensor<half>(TPosition::VECIN, 512, 1024), src, to, from, 3);
  const half* ub = core().at<half>(Space::kUb, 512);
  for (uint32_t z = 0; z < 2; ++z)
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 32; ++x)
        ASSERT_EQ(ub[(z * 4 + y) * 32 + x].bits(), in[((1 + 2 * z) * kY + 1 + y) * kX + 4 + x].bits())
            << z << " " << y << " " << x;
}

// --- limits ---

TEST_F(CopyBlocks, IllegalPathsAreRefused) {
  struct Case {
    TPosition dst, src;
  };
  for (const Case c : {Case{TPosition::VECIN, TPosition::CO1}, Case{TPosition::VECIN, TPosition::A1},
                       Case{TPosition::A1, TPosition::A1}, Case{TPosition::C2, TPosition::VECIN},
                       Case{TPosition::A2, TPosition::A1}, Case{TPosition::A1, TPosition::A2}}) {
    core().violations.clear();
    const auto before = core().memory;
    DataCopy(LocalTensor<float>(c.dst, 0, 64), LocalTensor<float>(c.src, 0, 64), 64u);
    EXPECT_TRUE(core().has_violation("path"));
    EXPECT_FALSE(core().violations.empty() || core().violations[0].executable);
    EXPECT_EQ(before, core().memory);
  }
  float* out = core().gm<float>(64);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer(out);
  core().violations.clear();
  DataCopy(LocalTensor<float>(TPosition::C2, 0, 64), gm, 64u);
  EXPECT_TRUE(core().has_violation("path"));
  core().violations.clear();
  DataCopy(gm, LocalTensor<float>(TPosition::B2, 0, 64), 64u);
  EXPECT_TRUE(core().has_violation("path"));
}

TEST_F(CopyBlocks, EmulatedPathIsReported) {
  DataCopy(LocalTensor<half>(TPosition::A1, 0, 64), LocalTensor<half>(TPosition::VECOUT, 0, 64), 64u);
  DataCopy(LocalTensor<half>(TPosition::TSCM, 0, 64), LocalTensor<half>(TPosition::VECOUT, 0, 64), Nd2NzParams());
  EXPECT_EQ(core().unsupported.size(), 2u);
}

TEST_F(CopyBlocks, AlignmentAndCounts) {
  half* in = core().gm<half>(4096, 1);
  GlobalTensor<half> odd;
  odd.SetGlobalBuffer(in);
  DataCopy(LocalTensor<half>(TPosition::VECIN, 0, 64), odd, 64u);
  EXPECT_TRUE(core().has_violation("alignment"));
  core().violations.clear();
  GlobalTensor<half> even;
  even.SetGlobalBuffer(core().gm<half>(4096));
  DataCopy(LocalTensor<half>(TPosition::VECIN, 16, 64), even, 64u);
  EXPECT_TRUE(core().has_violation("alignment"));
  core().violations.clear();
  DataCopy(LocalTensor<half>(TPosition::VECIN, 0, 64), even, DataCopyParams(4096, 1, 0, 0));
  EXPECT_TRUE(core().has_violation("repeat"));
  core().violations.clear();
  DataCopy(LocalTensor<float>(TPosition::C2, 32, 16), LocalTensor<float>(TPosition::C1, 0, 16), 16u);
  EXPECT_TRUE(core().has_violation("alignment"));
}

}  // namespace
