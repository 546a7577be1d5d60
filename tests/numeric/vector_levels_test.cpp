// The plain and the AVX2 form of every inner loop give the same bits; exp, log and the others stay within 1 ulp and are
// correctly rounded almost always; the scalar conversions of isa/fp.h agree with the references.
#include <gtest/gtest.h>

#include <random>

#include "isa/fp.h"
#include "isa/simd/arith.h"
#include "isa/simd/reduce.h"
#include "vector_reference.h"

namespace {

using ascsan::gate::DataType;
using ascsan::gate::Op;
namespace simd = ascsan::isa::simd;
namespace fp = ascsan::isa::fp;

constexpr size_t kMost = 1027;

class Levels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simd::level() != simd::Level::kAvx2) GTEST_SKIP() << "the host has no AVX2: one form only";
    random_.seed(7);
  }
  uint64_t word() { return random_(); }

  /// Bytes with many special values for the type.
  void fill(std::vector<uint64_t>& bytes, uint32_t element) {
    constexpr uint32_t kFloats[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
                                    0x7F812345, 0x7F7FFFFF, 0x00800000, 1,          0x3F800000, 0x42B17218};
    constexpr uint16_t kHalfs[] = {0,      0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE55,
                                   0x7D01, 0x7BFF, 0x0400, 1,      0x3C00, 0x4980};
    for (uint64_t& w : bytes) w = word();
    auto* raw = reinterpret_cast<unsigned char*>(bytes.data());
    for (size_t i = 0; i < kMost; ++i) {
      const uint64_t kind = word() % 4;
      if (element == 4 && kind < 2) {
        const uint32_t bits = kind == 0
                                  ? kFloats[word() % 12]
                                  : ref::u32(static_cast<float>(static_cast<int>(word() % 20001) - 10000) / 77.0f);
        std::memcpy(raw + 4 * i, &bits, 4);
      } else if (element == 2 && kind == 0) {
        std::memcpy(raw + 2 * i, &kHalfs[word() % 12], 2);
      }
    }
  }

  void same(simd::KernelPair pair, uint32_t src_bytes, const std::string& what, uint8_t mode = 0, bool saturate = false,
            bool scalar = false) {
    ASSERT_TRUE(static_cast<bool>(pair)) << what;
    for (int round = 0; round < 20; ++round) {
      std::vector<uint64_t> a(kMost + 8), b(kMost + 8), dst(kMost + 8), other;
      fill(a, src_bytes), fill(b, src_bytes), fill(dst, src_bytes);
      other = dst;
      simd::KernelArgs args;
      args.src0 = a.data(), args.src1 = scalar ? nullptr : b.data(), args.n = word() % kMost;
      if (what.find("Compare") == 0) args.n = args.n / 8 * 8;
      args.scalar = word(), args.mode = mode, args.saturate = saturate, args.deq_scale = word();
      args.dst = dst.data();
      pair.base(args);
      args.dst = other.data();
      pair.avx2(args);
      ASSERT_EQ(std::memcmp(dst.data(), other.data(), dst.size() * 8), 0)
          << what << " n " << args.n << " mode " << int{mode};
    }
  }
  std::mt19937_64 random_;
};

TEST_F(Levels, FloatLoops) {
  constexpr Op kOps[] = {Op::kAdd,     Op::kSub,  Op::kMul,  Op::kDiv,   Op::kMax,        Op::kMin,       Op::kAddRelu,
                         Op::kSubRelu, Op::kAdds, Op::kMuls, Op::kMaxs,  Op::kMins,       Op::kLeakyRelu, Op::kExp,
                         Op::kLn,      Op::kAbs,  Op::kSqrt, Op::kRsqrt, Op::kReciprocal, Op::kRelu};
  for (Op op : kOps) {
    same(simd::float_kernel(op, DataType::kFloat, DataType::kFloat), 4,
         "float " + std::to_string(static_cast<int>(op)));
    same(simd::float_kernel(op, DataType::kHalf, DataType::kHalf), 2, "half " + std::to_string(static_cast<int>(op)));
    same(simd::float_kernel(op, DataType::kHalf, DataType::kHalf), 2,
         "half saturating " + std::to_string(static_cast<int>(op)), 0, true);
  }
}

TEST_F(Levels, IntegerLoops) {
  constexpr Op kOps[] = {Op::kAdd,  Op::kSub,  Op::kMul,  Op::kMax,       Op::kMin,       Op::kAdds,
                         Op::kMuls, Op::kMaxs, Op::kMins, Op::kShiftLeft, Op::kShiftRight};
  for (Op op : kOps) {
    for (bool saturate : {false, true}) {
      same(simd::integer_kernel(op, DataType::kInt32, DataType::kInt32, saturate), 4,
           "int32 " + std::to_string(static_cast<int>(op)));
      same(simd::integer_kernel(op, DataType::kInt16, DataType::kInt16, saturate), 2,
           "int16 " + std::to_string(static_cast<int>(op)));
    }
  }
}

TEST_F(Levels, FusedLoops) {
  for (Op op : {Op::kAxpy, Op::kMulAddDst, Op::kFusedMulAdd, Op::kFusedMulAddRelu}) {
    for (bool saturate : {false, true}) {
      same(simd::fused_kernel(op, DataType::kFloat, DataType::kFloat), 4, "float", 0, saturate);
      same(simd::fused_kernel(op, DataType::kHalf, DataType::kHalf), 2, "half", 0, saturate);
    }
  }
  same(simd::fused_kernel(Op::kMulAddDst, DataType::kHalf, DataType::kFloat), 2, "half float");
  same(simd::fused_kernel(Op::kAddReluCast, DataType::kFloat, DataType::kHalf), 4, "AddReluCast");
  same(simd::fused_kernel(Op::kMulCast, DataType::kHalf, DataType::kInt8), 2, "MulCast");
  same(simd::fused_kernel(Op::kAddDeqRelu, DataType::kInt32, DataType::kHalf), 4, "AddDeqRelu");
}

TEST_F(Levels, Casts) {
  using enum DataType;
  const DataType all[] = {kInt8, kUint8, kInt16, kHalf, kBfloat16, kInt32, kFloat, kInt64};
  for (DataType src : all)
    for (DataType dst : all) {
      const simd::KernelPair pair = simd::cast_kernel(src, dst);
      if (!pair) continue;
      const uint32_t bytes = src == kFloat ? 4 : src == kHalf || src == kBfloat16 ? 2 : 8;
      for (uint8_t mode = 0; mode < 7; ++mode) {
        same(pair, bytes, std::to_string(static_cast<int>(src)) + " to " + std::to_string(static_cast<int>(dst)), mode);
        same(pair, bytes, "saturating", mode, true);
      }
    }
}

TEST_F(Levels, CompareAndSelect) {
  for (uint8_t mode = 0; mode < 6; ++mode) {
    for (bool scalar : {false, true}) {
      same(simd::compare_kernel(DataType::kFloat), 4, "Compare float", mode, false, scalar);
      same(simd::compare_kernel(DataType::kHalf), 2, "Compare half", mode, false, scalar);
      same(simd::compare_kernel(DataType::kInt32), 4, "Compare int32", mode, false, scalar);
    }
  }
}

TEST_F(Levels, Reductions) {
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint64_t> data(kMost + 8);
    fill(data, round % 2 == 0 ? 4 : 2);
    const auto* f = reinterpret_cast<const float*>(data.data());
    const auto* h = reinterpret_cast<const uint16_t*>(data.data());
    const uint32_t width = 1u << (word() % 8), n = 1 + word() % 128;
    uint32_t got[2][4];
    for (int level = 0; level < 2; ++level) {
      simd::set_level(level == 0 ? simd::Level::kBase : simd::Level::kAvx2);
      got[level][0] = ref::u32(simd::tree_sum(f, width));
      got[level][1] = simd::tree_sum_half(h, width, round % 4 == 1);
      got[level][2] = simd::first_extreme(f, n, true);
      got[level][3] = simd::first_extreme(f, n, false);
    }
    for (int k = 0; k < 4; ++k) ASSERT_EQ(got[0][k], got[1][k]) << k << " width " << width << " n " << n;
  }
}

TEST(Accuracy, ExpAndLogOfFloats) {
  std::mt19937_64 random(11);
  std::vector<float> x(1024), y(1024);
  uint64_t wrong[2] = {0, 0}, total = 0;
  for (int round = 0; round < 400; ++round) {
    for (float& v : x) {
      const auto bits = static_cast<uint32_t>(random());
      v = round % 2 == 0 ? ref::f32(bits) : static_cast<float>(static_cast<double>(bits) / 4294967296.0 * 200 - 105);
    }
    for (int op = 0; op < 2; ++op) {
      simd::KernelArgs args;
      args.dst = y.data(), args.src0 = x.data(), args.n = x.size();
      simd::float_kernel(op == 0 ? Op::kExp : Op::kLn, DataType::kFloat, DataType::kFloat).get()(args);
      for (size_t i = 0; i < x.size(); ++i) {
        const long double exact = op == 0    ? std::exp(static_cast<long double>(x[i]))
                                  : x[i] < 0 ? NAN
                                             : std::log(static_cast<long double>(x[i]));
        const uint32_t want = ref::float_bits(static_cast<double>(exact)), got = ref::u32(y[i]);
        if (want == got) continue;
        ASSERT_LE(std::abs(static_cast<int64_t>(want) - static_cast<int64_t>(got)), 1)
            << (op == 0 ? "exp " : "log ") << x[i];
        ++wrong[op];
      }
      total += x.size();
    }
  }
  EXPECT_LE(wrong[0] + wrong[1], total / 100000)
      << "not correctly rounded: exp " << wrong[0] << " log " << wrong[1] << " of " << total;
}

TEST(Accuracy, EveryHalfOfEveryUnaryFunction) {
  const std::pair<Op, long double (*)(long double)> functions[] = {
      {Op::kExp, [](long double x) { return std::exp(x); }},
      {Op::kLn, [](long double x) { return x < 0 ? static_cast<long double>(NAN) : std::log(x); }},
      {Op::kSqrt, [](long double x) { return std::sqrt(x); }},
      {Op::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }},
      {Op::kReciprocal, [](long double x) { return 1 / x; }}};
  std::vector<uint16_t> x(65536), y(65536);
  for (uint32_t i = 0; i < 65536; ++i) x[i] = static_cast<uint16_t>(i);
  for (const auto& [op, exact] : functions) {
    simd::KernelArgs args;
    args.dst = y.data(), args.src0 = x.data(), args.n = x.size();
    simd::float_kernel(op, DataType::kHalf, DataType::kHalf).get()(args);
    for (uint32_t i = 0; i < 65536; ++i) {
      const auto want = ref::half_bits(static_cast<double>(exact(static_cast<long double>(ref::half_value(x[i])))));
      ASSERT_EQ(y[i], want) << "op " << static_cast<int>(op) << " half " << i;
    }
  }
}

TEST(Accuracy, SpecialValuesOfTheBoundaryTables) {
  const auto one = [](Op op, float x, float s = 0) {
    float y = 0;
    simd::KernelArgs args;
    args.dst = &y, args.src0 = &x, args.src1 = &s, args.n = 1, args.scalar = ref::u32(s);
    simd::float_kernel(op, DataType::kFloat, DataType::kFloat).get()(args);
    return ref::u32(y);
  };
  constexpr uint32_t kInf = 0x7F800000, kMinusInf = 0xFF800000, kNan = 0x7FC00000, kMinusZero = 0x80000000;
  EXPECT_EQ(one(Op::kExp, -INFINITY), 0u);
  EXPECT_EQ(one(Op::kExp, 3.4e38f), kInf);
  EXPECT_EQ(one(Op::kLn, -0.0f), kMinusInf);
  EXPECT_EQ(one(Op::kLn, -INFINITY), kNan);
  EXPECT_EQ(one(Op::kLn, INFINITY), kInf);
  EXPECT_EQ(one(Op::kRsqrt, -0.0f), kMinusInf);
  EXPECT_EQ(one(Op::kRsqrt, 0.0f), kInf);
  EXPECT_EQ(one(Op::kSqrt, -0.0f), kMinusZero);
  EXPECT_EQ(one(Op::kSqrt, -1.0f), kNan);
  EXPECT_EQ(one(Op::kReciprocal, -INFINITY), kMinusZero);
  EXPECT_EQ(one(Op::kReciprocal, -0.0f), kMinusInf);
  EXPECT_EQ(one(Op::kReciprocal, 3.4028235e38f), ref::float_bits(1.0 / 3.4028234663852886e38));
  EXPECT_EQ(one(Op::kRelu, -0.0f), 0u);
  EXPECT_EQ(one(Op::kRelu, NAN), kNan);
  EXPECT_EQ(one(Op::kMax, 0.0f, -0.0f), 0u);
  EXPECT_EQ(one(Op::kMin, 0.0f, -0.0f), kMinusZero);
  EXPECT_EQ(one(Op::kMax, INFINITY, NAN), kNan);
  EXPECT_EQ(one(Op::kLeakyRelu, -0.0f, -3.0f), 0u);
  EXPECT_EQ(one(Op::kLeakyRelu, -0.0f, INFINITY), kNan);
  EXPECT_EQ(one(Op::kLeakyRelu, 5.0f, NAN), ref::u32(5.0f));
}

TEST(Conversions, ScalarRoundingAgreesWithTheReference) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 300000; ++round) {
    double x;
    const uint64_t bits = random();
    if (round % 3 == 0)
      std::memcpy(&x, &bits, 8);
    else
      x = std::ldexp(static_cast<double>(static_cast<int64_t>(bits)),
                     static_cast<int>(random() % 120) - 100 - static_cast<int>(random() % 40));
    for (int mode = 0; mode < 7; ++mode) {
      const auto m = static_cast<fp::Round>(mode);
      const int r = mode == 0 ? 1 : mode;
      ASSERT_EQ(fp::to_half_bits(x, m), ref::half_bits(x, r)) << x << " mode " << mode;
      ASSERT_EQ(fp::to_bfloat16_bits(x, m), ref::bfloat16_bits(x, r)) << x << " mode " << mode;
      ASSERT_EQ(ref::u32(fp::to_float(x, m)), ref::float_bits(x, r)) << x << " mode " << mode;
    }
  }
}

TEST(Conversions, HalfHeaderMatchesItsDefinition) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const half h = half::from_bits(static_cast<uint16_t>(i));
    const double value = ref::half_value(static_cast<uint16_t>(i));
    if (std::isnan(value))
      EXPECT_NE(static_cast<float>(h), static_cast<float>(h));
    else
      ASSERT_EQ(static_cast<double>(static_cast<float>(h)), value);
    ASSERT_EQ(ref::u32(ascsan::float16::half_to_float(static_cast<uint16_t>(i))),
              ref::u32(ascsan::float16::half_to_float_soft(static_cast<uint16_t>(i))));
  }
  std::mt19937_64 random(17);
  for (int round = 0; round < 500000; ++round) {
    const float x = ref::f32(static_cast<uint32_t>(random()));
    if (std::isnan(x)) continue;
    ASSERT_EQ(half(x).bits(), ref::half_bits(x)) << x;
    ASSERT_EQ(bfloat16_t(x).bits(), ref::bfloat16_bits(x)) << x;
    const double d = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 90) - 110);
    ASSERT_EQ(half(d).bits(), ref::half_bits(d)) << d;
    ASSERT_EQ(bfloat16_t(d).bits(), ref::bfloat16_bits(d)) << d;
  }
  EXPECT_EQ(half(65519.99).bits(), 0x7BFF);
  EXPECT_EQ((half(1) + half(2)).bits(), half(3).bits());
  EXPECT_TRUE(half(1) < 2 && half(2.5) == 2.5f && bfloat16_t(3) > half(2));
}

}  // namespace
