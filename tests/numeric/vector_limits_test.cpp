// Limits of spec/execution-model.md 7 for vector instructions: what is reported, under which rule, and whether the
// instruction still runs; and that legal calls report nothing.
#include "vector_gate.h"
#include "vector_reference.h"

namespace vec {
namespace {

using namespace AscendC;

class Limits : public Test {
 protected:
  void SetUp() override {
    Test::SetUp();
    fill_random(0, kWindow);
    before_ = core().ub;
  }
  /// Exactly one finding of this rule; `ran` says whether memory may have changed.
  void expect(const char* rule, bool error = true, bool executable = true) {
    ASSERT_EQ(core().violations.size(), 1u) << core().texts();
    EXPECT_EQ(core().violations[0].rule, rule) << core().texts();
    EXPECT_EQ(core().violations[0].error, error) << core().texts();
    EXPECT_EQ(core().violations[0].executable, executable) << core().texts();
    EXPECT_TRUE(executable || std::memcmp(core().ub.data(), before_.data(), kWindow) == 0) << "it was executed";
    before_ = core().ub;
    core().violations.clear();
  }
  void expect_clean() {
    EXPECT_TRUE(core().violations.empty()) << core().texts();
    core().violations.clear();
    before_ = core().ub;
  }
  LocalTensor<float> f(uint32_t address) { return tensor<float>(address, 2048); }
  LocalTensor<half> h(uint32_t address) { return tensor<half>(address, 4096); }
  LocalTensor<int32_t> i(uint32_t address) { return tensor<int32_t>(address, 2048); }
  const BinaryRepeatParams plain_{1, 1, 1, 8, 8, 8};
  std::vector<std::byte> before_;
};

TEST_F(Limits, AlignmentOf32Bytes) {
  Add(f(16), f(8192), f(16384), 64);
  expect("alignment");
  Add(f(0), f(8196), f(16384), 64);
  expect("alignment");
  Cast(h(0), f(8200), RoundMode::CAST_NONE, 64);
  expect("alignment");
  Duplicate(h(2), half(1), 16);
  expect("alignment");
}

TEST_F(Limits, MemoriesOtherThanUb) {
  LocalTensor<float> l1(TPosition::A1, 0, 1024);
  Add(f(0), l1, f(16384), 64);
  expect("path", true, false);
  ReduceSum(f(0), l1, f(4096), 64);
  EXPECT_TRUE(core().violated("path"));
}

TEST_F(Limits, RepeatRange) {
  Add(f(0), f(8192), f(16384), 64, 256, BinaryRepeatParams(1, 1, 1, 0, 0, 0));
  EXPECT_TRUE(core().violated("repeat"));
  core().violations.clear();
  Add(f(0), f(8192), f(16384), 64, -1, BinaryRepeatParams(1, 1, 1, 0, 0, 0));
  EXPECT_TRUE(core().violated("repeat"));
  core().violations.clear();
  Add(f(0), f(8192), f(16384), 64, 255, BinaryRepeatParams(1, 1, 1, 0, 0, 0));
  expect_clean();
  Add(f(0), f(8192), f(16384), 64, 0, plain_);
  expect_clean();
  SetMaskCount();
  Add(f(0), f(8192), f(16384), 64, 300, plain_);  // ignored in counter mode
  expect_clean();
}

TEST_F(Limits, MaskRange) {
  Add(f(0), f(8192), f(16384), 65, 1, plain_);
  expect("mask", false);
  const uint64_t bits[2] = {1, 1};
  Add(h(0), h(8192), h(16384), bits, 1, plain_);
  expect_clean();
  Add(h(0), h(8192), h(16384), 129, 1, plain_);
  expect("mask", false);
  Cast(tensor<int64_t>(0, 512), i(8192), RoundMode::CAST_NONE, 33, 1, {1, 1, 8, 4});
  expect("mask", false);
}

TEST_F(Limits, DestinationBlockStride) {
  Add(f(0), f(8192), f(16384), 64, 1, BinaryRepeatParams(0, 1, 1, 8, 8, 8));
  expect("stride");
  Add(f(0), f(8192), f(16384), 64, 1, BinaryRepeatParams(1, 0, 0, 8, 8, 8));
  expect_clean();
  Brcb(f(0), f(8192), 1, {0, 8});
  expect("stride", false);
  Gatherb(tensor<uint32_t>(0, 64), tensor<uint32_t>(8192, 64), tensor<uint32_t>(16384, 64), 1, {0, 8});
  expect_clean();
}

TEST_F(Limits, CopyAndReduceStrides) {
  Copy(f(0), f(8192), 64, 1, {1, 1, 4096, 8});
  expect("stride");
  WholeReduceSum(f(0), f(8192), 64, 1, 1, 1, 65536);
  expect("stride");
  WholeReduceSum(f(0), f(8192), 64, 1, -1, 1, 8);
  EXPECT_TRUE(core().violated("stride"));
}

TEST_F(Limits, ImpossibleCounts) {
  Add(f(0), f(8192), f(16384), -1);
  expect("length", true, false);
  Muls(h(0), h(8192), half(2), 200000);
  expect("length", true, false);
  ReduceMax(f(0), f(8192), f(4096), 1 << 30);
  EXPECT_TRUE(core().violated("length"));
}

TEST_F(Limits, OverlapInsideARepeat) {
  Add(f(0), f(32), f(16384), 64);
  expect("overlap");
  Add(f(0), f(0), f(0), 2000);
  expect_clean();
  Add(f(0), f(0), f(16384), 64, 4, plain_);
  expect_clean();
  Add(f(0), f(128), f(16384), 64, 2, plain_);
  expect("overlap");
  Adds(f(0), f(256), 1.0f, 64, 1, {1, 1, 8, 8});  // disjoint neighbours
  expect_clean();
  Exp(f(0), f(0), 64, 2, {2, 1, 16, 8});  // same base, other strides
  EXPECT_TRUE(core().violated("overlap"));
}

TEST_F(Limits, OverlapAcrossRepeats) {
  Add(f(0), f(8192), f(0), 64, 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0));  // accumulation: allowed
  expect_clean();
  Max(i(0), i(8192), i(0), 64, 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0));
  expect_clean();
  Div(f(0), f(8192), f(0), 64, 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0));  // not among the accumulating ones
  expect("overlap");
  Add(f(0), f(0), f(8192), 64, 4, BinaryRepeatParams(1, 1, 1, 0, 0, 8));  // into src0
  expect("overlap");
  Add(tensor<int16_t>(0, 256), tensor<int16_t>(8192, 2048), tensor<int16_t>(0, 256), 128, 4,
      BinaryRepeatParams(1, 1, 1, 0, 8, 0));  // int16
  expect("overlap");
  Muls(f(256), f(0), 2.0f, 64, 3, {1, 1, 8, 8});  // writes what the next repeat reads
  expect("overlap");
  Muls(f(0), f(256), 2.0f, 64, 3, {1, 1, 8, 8});  // runs behind the reads
  expect_clean();
}

TEST_F(Limits, OverlapOfConversions) {
  Cast(h(0), f(0), RoundMode::CAST_RINT, 640);  // narrowing in place stays behind its reads
  expect_clean();
  Cast(f(0), h(0), RoundMode::CAST_NONE, 64);  // one repeat on the same base
  expect_clean();
  Cast(f(0), h(0), RoundMode::CAST_NONE, 128);  // the second repeat reads what the first wrote
  expect("overlap");
  Axpy(f(0), h(64), half(1), 64);
  expect("overlap");
  Brcb(f(0), f(64), 1, {1, 8});
  expect("overlap");
  Gather(f(0), f(64), tensor<uint32_t>(16384, 64), 0u, 32u);
  expect("overlap");
}

TEST_F(Limits, Types) {
  Add(tensor<uint32_t>(0, 64), tensor<uint32_t>(8192, 64), tensor<uint32_t>(16384, 64), 64);
  expect("type", true, false);
  Exp(i(0), i(8192), 64);
  expect("type", true, false);
  Div(i(0), i(8192), i(16384), 64);
  expect("type", true, false);
  Cast(tensor<bfloat16_t>(0, 64), h(8192), RoundMode::CAST_NONE, 64);
  expect("type", true, false);
  Cast(i(0), f(8192), RoundMode::CAST_NONE, 64);  // int32 needs a mode
  expect("type");
  Cast(f(0), h(8192), RoundMode::CAST_RINT, 64);
  expect("type");
  Cast(h(0), f(8192), RoundMode::CAST_ODD, 64);
  expect_clean();
  Compare(tensor<uint8_t>(0, 64), i(8192), i(16384), CMPMODE::LT, 64);
  expect("type");
  Select(i(0), tensor<uint8_t>(4096, 64), i(8192), i(16384), SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  expect("type", true, false);
  WholeReduceSum(i(0), i(8192), 64, 1, 1, 1, 8);
  expect("type", true, false);
  ReduceMax(i(0), i(8192), i(4096), 64);
  EXPECT_TRUE(core().violated("type"));
}

TEST_F(Limits, AlignmentExceptions) {
  GetCmpMask(tensor<uint8_t>(16, 16));
  expect_clean();
  GetCmpMask(tensor<uint8_t>(8, 16));
  expect("alignment");
  WholeReduceSum(tensor<float>(4, 8), f(8192), 64, 1, 1, 1, 8);
  expect_clean();
  WholeReduceMax(tensor<float>(4, 8), f(8192), 64, 1, 1, 1, 8);
  expect("alignment");
  WholeReduceMax(tensor<half>(4, 8), h(8192), 128, 1, 1, 1, 8);
  expect_clean();
  BlockReduceSum(tensor<half>(16, 8), h(8192), 1, 128, 1, 1, 8);
  expect_clean();
  BlockReduceSum(tensor<float>(16, 8), f(8192), 1, 64, 1, 1, 8);
  expect("alignment");
  PairReduceSum(tensor<float>(16, 8), f(8192), 1, 64, 1, 1, 8);
  expect("alignment");
  Sort32(f(256), f(8192), tensor<uint32_t>(16384, 64), 1);
  expect_clean();
  Sort32(f(128), f(8192), tensor<uint32_t>(16384, 64), 1);
  expect("alignment");
  Sort32(h(0), h(8192 + 64), tensor<uint32_t>(16384, 64), 1);
  expect_clean();
}

TEST_F(Limits, MrgSortParameters) {
  const uint16_t lengths[4] = {10, 10, 10, 10};
  const MrgSortSrcList<float> apart(f(8192), f(9216), f(10240), f(11264));
  MrgSort(f(0), apart, MrgSort4Info(lengths, false, 15, 1));
  expect_clean();
  MrgSort(f(0), apart, MrgSort4Info(lengths, false, 15, 2));
  expect("repeat");
  MrgSort(f(0), apart, MrgSort4Info(lengths, false, 5, 1));
  expect("mode", true, false);
  const uint16_t longer[4] = {4096, 1, 0, 0};
  MrgSort(f(0), MrgSortSrcList<float>(tensor<float>(40960, 8192), tensor<float>(81920, 8), f(0), f(0)),
          MrgSort4Info(longer, false, 3, 1));
  EXPECT_TRUE(core().violated("length"));
  core().violations.clear();
  MrgSort(f(0), MrgSortSrcList<float>(f(8200), f(9224), f(0), f(0)), MrgSort4Info(lengths, false, 3, 1));
  expect_clean();  // 8-byte aligned sources
  MrgSort(f(8192), MrgSortSrcList<float>(f(8200), f(12288), f(0), f(0)), MrgSort4Info(lengths, false, 3, 1));
  expect("overlap");
}

TEST_F(Limits, TransDataTo5HDSingleRepeatStride) {
  uint64_t dst[16], src[16];
  for (uint32_t k = 0; k < 16; ++k) dst[k] = k * 32, src[k] = 8192 + k * 32;
  TransDataTo5HDParams params;
  TransDataTo5HD<half>(dst, src, params);
  expect_clean();
  params.dstRepStride = 16;
  TransDataTo5HD<half>(dst, src, params);
  expect("stride");
  params.dstRepStride = 0;
  src[3] += 16;
  TransDataTo5HD<half>(dst, src, params);
  expect("alignment");
}

TEST_F(Limits, SelectModesAndSources) {
  Select(f(0), tensor<uint8_t>(4096, 64), f(8192), 1.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  expect("mode");
  Select(f(0), tensor<uint8_t>(4096, 64), f(8192), f(16384), SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  expect("mode");
}

TEST_F(Limits, UnsupportedNamesTheApi) {
  Scatter(f(0), f(8192), tensor<uint32_t>(16384, 64), 0, 64);
  EXPECT_EQ(core().log, std::vector<Op>{Op::kUnsupported});
}

TEST_F(Limits, SaturatingModeClampsResults) {
  core().registers.float_saturate = true;
  store<uint16_t>(8192, 0x7BFF), store<uint16_t>(16384, 0x7BFF);
  store<uint16_t>(8194, 0x7C00), store<uint16_t>(16386, 0xFC00);
  Add(h(0), h(8192), h(16384), 2);
  EXPECT_EQ(load<uint16_t>(0), 0x7BFF);
  EXPECT_EQ(load<uint16_t>(2), 0);  // inf - inf = NaN -> 0
  store<int32_t>(8192, INT32_MAX), store<int32_t>(16384, 1);
  Add(i(0), i(8192), i(16384), 1);
  EXPECT_EQ(load<int32_t>(0), INT32_MAX);
  store<int16_t>(8192, -32768), store<int16_t>(16384, 32767);
  Sub(tensor<int16_t>(0, 16), tensor<int16_t>(8192, 16), tensor<int16_t>(16384, 16), 1);
  EXPECT_EQ(load<int16_t>(0), -32768);
  Mul(tensor<int16_t>(0, 16), tensor<int16_t>(8192, 16), tensor<int16_t>(8192, 16), 1);
  EXPECT_EQ(load<int16_t>(0), 32767);
  store<float>(8192, 3e38f);
  Adds(f(0), f(8192), 3e38f, 1);
  EXPECT_EQ(load<uint32_t>(0), 0x7F800000u) << "float results never clamp";
}

}  // namespace
}  // namespace vec
