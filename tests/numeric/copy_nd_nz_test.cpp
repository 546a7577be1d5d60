// Nd2Nz and Nz2Nd against element-wise references: all element sizes, strides, several matrices, tails, footprints,
// limits.
#include "ascendc/atomics.h"
#include "ascendc/data_copy.h"
#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::Space;
using local::core;

class CopyNdNz : public local::Test {};

template <typename T>
void to_nz(const Nd2NzParams& p, TPosition position, bool expect_clean = true) {
  SCOPED_TRACE(::testing::Message() << p.ndNum << " x " << p.nValue << " x " << p.dValue << " src "
                                    << p.srcNdMatrixStride << " " << p.srcDValue << " dst " << p.dstNzC0Stride << " "
                                    << p.dstNzNStride << " " << p.dstNzMatrixStride << " size " << sizeof(T));
  core().gm_used = 0;
  core().violations.clear();
  constexpr uint32_t kC0 = 32 / sizeof(T);
  constexpr size_t kSpan = 120000;
  T* in = core().gm<T>(kSpan / sizeof(T), sizeof(T));
  GlobalTensor<T> src;
  src.SetGlobalBuffer(in);
  constexpr uint32_t kAddress = 320;
  T* const memory = core().at<T>(space_of(position), kAddress);
  std::vector<T> expected(memory, memory + kSpan / sizeof(T));
  for (uint32_t m = 0; m < p.ndNum; ++m)
    for (uint32_t n = 0; n < p.nValue; ++n)
      for (uint32_t d = 0; d < (p.dValue + kC0 - 1) / kC0 * kC0; ++d) {
        const size_t to = size_t{m} * p.dstNzMatrixStride +
                          (size_t{d / kC0} * p.dstNzC0Stride + size_t{n} * p.dstNzNStride) * kC0 + d % kC0;
        T zero;
        std::memset(static_cast<void*>(&zero), 0, sizeof(T));
        expected[to] = d < p.dValue ? in[size_t{m} * p.srcNdMatrixStride + size_t{n} * p.srcDValue + d] : zero;
      }
  DataCopy(LocalTensor<T>(position, kAddress, kSpan / sizeof(T)), src, p);
  ASSERT_EQ(0, std::memcmp(expected.data(), memory, expected.size() * sizeof(T)));
  EXPECT_EQ(expect_clean, core().violations.empty());
}

template <typename T>
void all_to_nz() {
  const auto c0 = static_cast<uint16_t>(32 / sizeof(T));
  const auto d = [&](int blocks, int more) { return static_cast<uint16_t>(blocks * c0 + more); };
  const Nd2NzParams all[] = {
      {1, 1, 1, 0, 1, 1, 1, 0},
      {1, 16, d(2, 0), 0, d(2, 0), 16, 1, 0},  // rows contiguous
      {1, 13, d(3, 1), 0, d(4, 3), 16, 1, 0},  // tail column, pitch
      {1, 31, d(1, 0), 0, d(5, 0), 32, 1, 0},
      {3, 5, d(2, 3), 300, d(3, 0), 16, 1, static_cast<uint16_t>(3 * 16 * c0)},
      {2, 4, d(2, 0), 100, d(2, 0), 20, 3, static_cast<uint16_t>(60 * c0)},  // rows apart
      {1, 6, d(3, 2), 0, d(4, 0), 1, 5, 0},                                  // columns inside rows
      {2, 1, d(2, 0), 0, d(2, 0), 16, 1, c0},                                // one row written to rows 0 and 1
      {0, 4, d(1, 0), 0, d(1, 0), 16, 1, 0},
      {1, 0, d(1, 0), 0, d(1, 0), 16, 1, 0},
      {1, 4, 0, 0, d(1, 0), 16, 1, 0},
  };
  for (const Nd2NzParams& p : all) {
    to_nz<T>(p, TPosition::A1);
    to_nz<T>(p, TPosition::VECIN);
  }
}

TEST_F(CopyNdNz, ToColumnBlocks) {
  core().prove_footprints = true;
  all_to_nz<int8_t>();
  all_to_nz<half>();
  all_to_nz<float>();
}

TEST_F(CopyNdNz, RandomToColumnBlocks) {
  for (uint32_t round = 0; round < 60; ++round) {
    seed(100 + round);
    const uint16_t n = static_cast<uint16_t>(pick(1, 40)), d = static_cast<uint16_t>(pick(1, 100)),
                   pitch = static_cast<uint16_t>(d + pick(0, 9));
    const uint16_t rows = static_cast<uint16_t>(n + pick(0, 8));
    to_nz<half>({1, n, d, 0, pitch, rows, 1, 0}, TPosition::B1);
    to_nz<float>({1, n, d, 0, pitch, rows, 1, 0}, TPosition::A1);
    to_nz<int8_t>({1, n, d, 0, pitch, rows, 1, 0}, TPosition::A1);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(CopyNdNz, GmRowsAreOneRunEach) {
  half* in = core().gm<half>(4096);
  GlobalTensor<half> src;
  src.SetGlobalBuffer(in);
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kNd2Nz;
  request.operand_count = 2;
  request.operand[0] = LocalTensor<half>(TPosition::A1, 0, 8192).operand();
  request.operand[1] = src.operand();
  const auto& info = core().table[static_cast<size_t>(request.op)];
  request.params.nd_nz = {1, 20, 40, 0, 64, 32, 1, 0};
  local::machine::Footprint footprint;
  info.footprint(request, footprint);
  EXPECT_EQ(footprint.accesses()[1].span_count, 20u);  // one run a row
  EXPECT_EQ(footprint.accesses()[0].span_count, 3u);   // one run a column block
  request.params.nd_nz = {1, 32, 64, 0, 64, 32, 1, 0};
  footprint.clear();
  info.footprint(request, footprint);
  EXPECT_EQ(footprint.accesses()[1].span_count, 1u);
  EXPECT_EQ(footprint.accesses()[0].span_count, 1u);
}

template <typename T>
void to_nd(const Nz2NdParamsFull& p, bool atomic = false) {
  SCOPED_TRACE(::testing::Message() << p.ndNum << " x " << p.nValue << " x " << p.dValue << " src "
                                    << p.srcNdMatrixStride << " " << p.srcNStride << " dst " << p.dstDStride << " "
                                    << p.dstNdMatrixStride << " size " << sizeof(T));
  core().gm_used = 0;
  core().violations.clear();
  constexpr size_t kSpan = 60000;
  T* out = core().gm<T>(kSpan / sizeof(T));
  T* ub = core().at<T>(Space::kUb, 64);
  if (atomic)
    for (size_t i = 0; i < kSpan / sizeof(T); ++i) out[i] = T(1), ub[i] = T(static_cast<int>(i % 50));
  GlobalTensor<T> dst;
  dst.SetGlobalBuffer(out);
  std::vector<T> expected(out, out + kSpan / sizeof(T));
  for (uint32_t m = 0; m < p.ndNum; ++m)
    for (uint32_t n = 0; n < p.nValue; ++n)
      for (uint32_t d = 0; d < p.dValue; ++d) {
        const T value =
            ub[size_t{m} * p.srcNdMatrixStride * 256 + size_t{d / 16} * p.srcNStride * 16 + size_t{n} * 16 + d % 16];
        T& to = expected[size_t{m} * p.dstNdMatrixStride + size_t{n} * p.dstDStride + d];
        to = atomic ? T(to + value) : value;
      }
  DataCopy(dst, LocalTensor<T>(TPosition::VECOUT, 64, kSpan / sizeof(T)), p);
  ASSERT_EQ(0, std::memcmp(expected.data(), out, expected.size() * sizeof(T)));
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CopyNdNz, ToRows) {
  core().prove_footprints = true;
  for (const Nz2NdParamsFull& p : {Nz2NdParamsFull{2, 4, 32, 1, 4, 160, 48}, Nz2NdParamsFull{1, 17, 48, 1, 20, 48, 1},
                                   Nz2NdParamsFull{3, 5, 16, 2, 5, 19, 200}, Nz2NdParamsFull{1, 1, 16, 1, 1, 16, 1}}) {
    to_nd<half>(p);
    to_nd<float>(p);
    to_nd<int8_t>(p);
  }
  core().every_byte_matters = false;
  SetAtomicAdd<float>();
  to_nd<float>({1, 9, 32, 1, 16, 50, 1}, true);
}

TEST_F(CopyNdNz, Limits) {
  half* in = core().gm<half>(100000);
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(in);
  const LocalTensor<half> l1(TPosition::A1, 0, 100000), ub(TPosition::VECOUT, 0, 90000);
  const auto nz = [&](const Nd2NzParams& p) {
    core().violations.clear();
    DataCopy(l1, gm, p);
  };
  nz({1, 16, 32, 0, 32, 8, 1, 0});  // second column block lands on rows of the first
  EXPECT_TRUE(core().has_violation("overlap"));
  nz({1, 16, 32, 0, 0, 16, 1, 0});
  EXPECT_TRUE(core().has_violation("stride"));
  nz({1, 16, 32, 0, 32, 16, 0, 0});
  EXPECT_TRUE(core().has_violation("stride"));
  nz({4096, 1, 16, 0, 16, 1, 1, 16});
  EXPECT_TRUE(core().has_violation("repeat"));
  nz({1, 16385, 1, 0, 1, 16384, 1, 0});
  EXPECT_TRUE(core().has_violation("length"));
  core().violations.clear();
  DataCopy(gm, ub, Nz2NdParamsFull(1, 4, 24, 1, 4, 32, 1));
  EXPECT_TRUE(core().has_violation("length"));
  core().violations.clear();
  DataCopy(gm, ub, Nz2NdParamsFull(1, 4, 32, 1, 4, 16, 1));
  EXPECT_TRUE(core().has_violation("overlap"));
  core().violations.clear();
  DataCopy(gm, l1, Nz2NdParamsFull(1, 4, 32, 1, 4, 32, 1));
  EXPECT_TRUE(core().has_violation("path"));
}

}  // namespace
