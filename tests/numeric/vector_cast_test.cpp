// Cast: every pair of types and rounding mode in every call shape, the bit patterns of spec/fp.md 9, all 65536 half
// values both ways, saturation and truncation; CastDequant.
#include "vector_lane_driver.h"

namespace vec {
namespace {

using namespace AscendC;

class Cast : public LaneTest {
 protected:
  template <typename T>
  static double number(uint64_t bits) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_value(static_cast<uint16_t>(bits));
    else if constexpr (std::is_same_v<T, bfloat16_t>)
      return ref::f32(static_cast<uint32_t>(bits) << 16);
    else if constexpr (std::is_same_v<T, float>)
      return ref::f32(static_cast<uint32_t>(bits));
    else
      return static_cast<double>(static_cast<T>(bits));
  }
  template <typename T>
  static uint64_t encode(double x, int mode) {
    if constexpr (std::is_same_v<T, half>)
      return ref::half_bits(x, mode);
    else if constexpr (std::is_same_v<T, bfloat16_t>)
      return ref::bfloat16_bits(x, mode);
    else if constexpr (std::is_same_v<T, float>)
      return ref::float_bits(x, mode);
    else
      return static_cast<uint64_t>(ref::clamp_int<T>(std::isfinite(x) ? ref::round_mode(x, mode) : x));
  }
  template <typename T>
  Fill numbers() {
    return [this]() -> uint64_t {
      if (chance(20)) return word();
      if constexpr (std::is_integral_v<T>) {
        if (chance(20))
          return static_cast<uint64_t>(chance(50) ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
        return static_cast<uint64_t>(static_cast<T>(word() >> pick(0, 62)));
      } else {
        constexpr double kSpecial[] = {0.0,   -0.0,         INFINITY,      -INFINITY, 0.5,     -0.5,
                                       1.5,   2.5,          -2.5,          65519.99,  65520,   1e10,
                                       -1e10, 2147483648.0, -2147483648.0, 9.3e18,    32767.5, -32768.5,
                                       127.5, 255.5,        -128.5,        1e-7,      6e-8,    3e-8};
        const double x = chance(20)  ? kSpecial[pick(0, 23)]
                         : chance(5) ? std::nan("")
                                     : (static_cast<double>(pick(0, 4000000)) - 2000000) / (chance(50) ? 64.0 : 7777.0);
        return encode<T>(x, 1);
      }
    };
  }

  template <typename D, typename S>
  void sweep(const char* name, std::initializer_list<int> modes, int rounds = 1002) {
    for (int mode : modes) {
      LaneCase test;
      test.name = std::string(name) + " mode " + std::to_string(mode);
      test.dst_bytes = sizeof(D), test.src_bytes = sizeof(S), test.sources = 1, test.reads_dst = false;
      test.call = [mode](const Form& f, const Place& p) {
        const auto d = tensor<D>(p.dst, 4000);
        const auto a = tensor<S>(p.src0, 4000);
        const auto m = static_cast<RoundMode>(mode);
        using Wide = detail::WiderOf<D, S>;
        dispatch<Wide>(
            f, [&](int32_t n) { AscendC::Cast(d, a, m, static_cast<uint32_t>(n)); },
            [&](auto mask) { AscendC::Cast(d, a, m, mask, f.repeat, f.unary()); },
            [&] { AscendC::Cast<D, S, false>(d, a, m, MASK_PLACEHOLDER, f.repeat, f.unary()); });
      };
      const int effective = mode == 0 ? 1 : mode;
      test.value = [effective](uint64_t a, uint64_t, uint64_t, uint64_t) -> uint64_t {
        if constexpr (sizeof(S) == 8 && std::is_same_v<D, float>)
          return wide_to_float(static_cast<int64_t>(a), effective);
        else if constexpr (sizeof(S) == 8)
          return static_cast<uint64_t>(std::clamp<int64_t>(static_cast<int64_t>(a), INT32_MIN, INT32_MAX));
        else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
          const double x = number<float>(a);
          return ref::float_bits((std::isfinite(x) ? ref::round_mode(x, effective) : x) + 0.0);
        } else
          return encode<D>(number<S>(a), effective);
      };
      test.fill_src = numbers<S>();
      test.fill_dst = [this] { return word(); };
      test.fill_scalar = [] { return uint64_t{0}; };
      run(test, rounds / static_cast<int>(modes.size()) / 6 * 6);
      if (HasFailure()) return;
    }
  }

  /// int64 to float by long double, whose 64 bits hold every value.
  static uint64_t wide_to_float(int64_t x, int mode) {
    if (x == 0) return 0;
    const long double value = static_cast<long double>(x);
    int exponent;
    std::frexp(value, &exponent);
    const int unit = exponent - 24;
    if (unit <= 0) return ref::u32(static_cast<float>(x));
    // quotient and rest are exact in double: at most 24 bits and a fraction of at most 40
    const long double scaled = std::ldexp(value, -unit);
    const auto low = static_cast<double>(std::floor(scaled));
    const double rest = static_cast<double>(scaled - std::floor(scaled));
    double kept = low;
    const bool negative = x < 0;
    switch (mode) {
      case 2:
        break;
      case 3:
        kept += rest > 0 ? 1 : 0;
        break;
      case 4:
        kept += rest > 0.5 || (rest == 0.5 && !negative) ? 1 : 0;
        break;
      case 5:
        kept += negative && rest > 0 ? 1 : 0;
        break;
      default:
        kept += rest > 0.5 || (rest == 0.5 && std::fmod(low, 2) != 0) ? 1 : 0;
        break;
    }
    return ref::u32(static_cast<float>(std::ldexp(kept, unit)));
  }
};

TEST_F(Cast, ToHalf) {
  sweep<half, int8_t>("int8 half", {0});
  sweep<half, uint8_t>("uint8 half", {0});
  sweep<half, int16_t>("int16 half", {0, 1, 2, 3, 4, 5});
  sweep<half, float>("float half", {0, 1, 2, 3, 4, 5, 6});
}
TEST_F(Cast, ToFloat) {
  sweep<float, int16_t>("int16 float", {0});
  sweep<float, half>("half float", {0});
  sweep<float, bfloat16_t>("bfloat16 float", {0});
  sweep<float, int32_t>("int32 float", {0, 1, 2, 3, 4, 5});
  sweep<float, float>("float float", {1, 2, 3, 4, 5});
  sweep<float, int64_t>("int64 float", {1, 2, 3, 4, 5});
}
TEST_F(Cast, ToBfloat16) {
  sweep<bfloat16_t, float>("float bfloat16", {1, 2, 3, 4, 5});
}
TEST_F(Cast, ToIntegers) {
  sweep<int8_t, half>("half int8", {0, 1, 2, 3, 4, 5});
  sweep<uint8_t, half>("half uint8", {0, 1, 2, 3, 4, 5});
  sweep<int16_t, half>("half int16", {1, 2, 3, 4, 5});
  sweep<int32_t, half>("half int32", {1, 2, 3, 4, 5});
  sweep<int32_t, bfloat16_t>("bfloat16 int32", {1, 2, 3, 4, 5});
  sweep<int16_t, float>("float int16", {1, 2, 3, 4, 5});
  sweep<int32_t, float>("float int32", {1, 2, 3, 4, 5});
  sweep<int16_t, int32_t>("int32 int16", {0});
  sweep<int64_t, int32_t>("int32 int64", {0});
  sweep<int32_t, int64_t>("int64 int32", {0});
}

TEST_F(Cast, FloatToInt64) {
  for (int mode = 1; mode <= 5; ++mode) {
    for (int round = 0; round < 2000; ++round) {
      const auto x = ref::f32(static_cast<uint32_t>(numbers<float>()()));
      store<float>(1024, x);
      AscendC::Cast(tensor<int64_t>(0, 32), tensor<float>(1024, 32), static_cast<RoundMode>(mode), 1);
      int64_t want = 0;
      if (!std::isnan(x)) {
        const double r = std::isinf(x) ? x : ref::round_mode(x, mode);
        want = r >= 9223372036854775808.0   ? INT64_MAX
               : r < -9223372036854775808.0 ? INT64_MIN
                                            : static_cast<int64_t>(r);
      }
      ASSERT_EQ(load<int64_t>(0), want) << x << " mode " << mode;
    }
  }
}

TEST_F(Cast, AllHalfValuesBothWays) {
  for (uint32_t base = 0; base < 65536; base += 1024) {
    for (uint32_t i = 0; i < 1024; ++i) store<uint16_t>(8192 + 2 * i, static_cast<uint16_t>(base + i));
    AscendC::Cast(tensor<float>(0, 1024), tensor<half>(8192, 1024), RoundMode::CAST_NONE, 1024);
    AscendC::Cast(tensor<half>(16384, 1024), tensor<float>(0, 1024), RoundMode::CAST_NONE, 1024);
    for (uint32_t i = 0; i < 1024; ++i) {
      const auto bits = static_cast<uint16_t>(base + i);
      const double value = ref::half_value(bits);
      ASSERT_EQ(load<uint32_t>(4 * i), ref::float_bits(value)) << bits;
      ASSERT_EQ(load<uint16_t>(16384 + 2 * i), std::isnan(value) ? 0x7E00 : bits);
    }
  }
}

TEST_F(Cast, ChecklistOfBitPatterns) {
  const auto half_of = [](float x, RoundMode mode) {
    store<float>(1024, x);
    AscendC::Cast(tensor<half>(0, 64), tensor<float>(1024, 64), mode, 1);
    return load<uint16_t>(0);
  };
  const auto int_of = [](float x, RoundMode mode) {
    store<float>(1024, x);
    AscendC::Cast(tensor<int32_t>(0, 64), tensor<float>(1024, 64), mode, 1);
    return load<int32_t>(0);
  };
  using enum RoundMode;
  EXPECT_EQ(half_of(65519.99f, CAST_RINT), 0x7BFF);
  EXPECT_EQ(half_of(65520.0f, CAST_RINT), 0x7C00);
  core().registers.float_saturate = true;
  EXPECT_EQ(half_of(65520.0f, CAST_RINT), 0x7BFF);
  EXPECT_EQ(half_of(-INFINITY, CAST_RINT), 0xFBFF);
  EXPECT_EQ(half_of(NAN, CAST_NONE), 0);
  core().registers.float_saturate = false;
  EXPECT_EQ(half_of(0x1p-25f, CAST_RINT), 0);
  EXPECT_EQ(half_of(0x1.8p-25f, CAST_RINT), 1);
  EXPECT_EQ(half_of(2049.0f, CAST_RINT), 0x6800);
  EXPECT_EQ(half_of(2051.0f, CAST_RINT), 0x6802);
  EXPECT_EQ(half_of(1e6f, CAST_FLOOR), 0x7BFF);
  EXPECT_EQ(half_of(1e6f, CAST_CEIL), 0x7C00);
  EXPECT_EQ(half_of(1e6f, CAST_ODD), 0x7BFF);
  EXPECT_EQ(half_of(1.0f + 0x1p-12f, CAST_ODD), 0x3C01);
  const float x[] = {2.5f, -2.5f};
  const RoundMode modes[] = {CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC};
  const int32_t want[2][5] = {{2, 3, 2, 3, 2}, {-2, -3, -3, -2, -2}};
  for (int i = 0; i < 2; ++i)
    for (int m = 0; m < 5; ++m) EXPECT_EQ(int_of(x[i], modes[m]), want[i][m]);
  EXPECT_EQ(int_of(1e10f, CAST_RINT), INT32_MAX);
  EXPECT_EQ(int_of(NAN, CAST_RINT), 0);
  store<float>(1024, 1.00390625f);
  AscendC::Cast(tensor<bfloat16_t>(0, 64), tensor<float>(1024, 64), CAST_RINT, 1);
  EXPECT_EQ(load<uint16_t>(0), 0x3F80);
  store<float>(1024, -0.0f);
  AscendC::Cast(tensor<float>(0, 64), tensor<float>(1024, 64), CAST_RINT, 1);
  EXPECT_EQ(load<uint32_t>(0), 0u) << "float -> float turns -0 into +0";
}

TEST_F(Cast, TruncationKeepsLowBits) {
  core().registers.cast_truncate = true;
  store<float>(1024, 4294967296.0f + 512.0f);
  AscendC::Cast(tensor<int32_t>(0, 64), tensor<float>(1024, 64), RoundMode::CAST_RINT, 1);
  EXPECT_EQ(load<int32_t>(0), 512);
  store<int32_t>(1024, 0x12345678);
  AscendC::Cast(tensor<int16_t>(0, 64), tensor<int32_t>(1024, 64), RoundMode::CAST_NONE, 1);
  EXPECT_EQ(load<int16_t>(0), 0x5678);
  store<uint16_t>(1024, ref::half_bits(300));
  AscendC::Cast(tensor<int8_t>(0, 64), tensor<half>(1024, 64), RoundMode::CAST_RINT, 1);
  EXPECT_EQ(load<int8_t>(0), 44);
}

TEST_F(Cast, Int4TwoPerByteLowFirst) {
  for (int round = 0; round < 300; ++round) {
    fill_random(0, kWindow);
    const std::vector<std::byte> before = core().ub;
    const uint32_t n = pick(0, 600) / 2 * 2;
    const bool to_half = chance(50);
    const int mode = static_cast<int>(pick(1, 5));
    if (to_half) {
      AscendC::Cast(tensor<half>(0, 1024), tensor<int4b_t>(8192, 1024), RoundMode::CAST_NONE, n);
      for (uint32_t i = 0; i < n; ++i) {
        const auto byte = static_cast<uint8_t>(before[8192 + i / 2]);
        int value = i % 2 == 0 ? byte & 15 : byte >> 4;
        if (value > 7) value -= 16;
        ASSERT_EQ(load<uint16_t>(2 * i), ref::half_bits(value)) << i;
      }
      EXPECT_EQ(std::memcmp(core().ub.data() + 2 * n, before.data() + 2 * n, 64), 0);
    } else {
      for (uint32_t i = 0; i < n; ++i) store<uint16_t>(8192 + 2 * i, ref::half_bits((pick(0, 400) - 200.0) / 16));
      AscendC::Cast(tensor<int4b_t>(0, 1024), tensor<half>(8192, 1024), static_cast<RoundMode>(mode), n);
      for (uint32_t i = 0; i < n; ++i) {
        const double r = ref::round_mode(ref::half_value(load<uint16_t>(8192 + 2 * i)), mode);
        const int want = static_cast<int>(std::clamp(r, -8.0, 7.0)) & 15;
        const uint8_t byte = load<uint8_t>(i / 2);
        ASSERT_EQ(i % 2 == 0 ? byte & 15 : byte >> 4, want) << i;
      }
      EXPECT_EQ(std::memcmp(core().ub.data() + n / 2, before.data() + n / 2, 64), 0);
      for (uint32_t b = 0; b < 1024; ++b) ASSERT_EQ(core().last_writes[b], b < n / 2 ? 1 : 0) << b << " of " << n;
    }
    EXPECT_TRUE(core().violations.empty()) << core().texts();
  }
}

TEST_F(Cast, Int4MasksAndStrides) {
  fill_random(0, kWindow);
  const std::vector<std::byte> before = core().ub;
  const uint64_t mask[2] = {0x00FF00000000003Cull, 0xC000000000000000ull};
  AscendC::Cast(tensor<half>(0, 4096), tensor<int4b_t>(8192, 4096), RoundMode::CAST_NONE, mask, 2, {2, 2, 20, 5});
  for (uint32_t r = 0; r < 2; ++r) {
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t at = r * 640 + i / 16 * 64 + i % 16 * 2;
      uint16_t want = 0;
      std::memcpy(&want, before.data() + at, 2);
      if (((i < 64 ? mask[0] >> i : mask[1] >> (i - 64)) & 1) != 0) {
        const auto byte = static_cast<uint8_t>(before[8192 + r * 160 + i / 64 * 64 + i % 64 / 2]);
        const int value = i % 2 == 0 ? byte & 15 : byte >> 4;
        want = ref::half_bits(value > 7 ? value - 16 : value);
      }
      ASSERT_EQ(load<uint16_t>(at), want) << r << " " << i;
    }
  }
}

TEST_F(Cast, Int32ToHalfUsesTheDeqScale) {
  SetDeqScale(half(0.125));
  for (int round = 0; round < 2000; ++round) {
    const auto x = static_cast<int32_t>(static_cast<int64_t>(word()) >> pick(33, 60));
    store<int32_t>(1024, x);
    AscendC::Cast(tensor<half>(0, 64), tensor<int32_t>(1024, 64), RoundMode::CAST_NONE, 1);
    ASSERT_EQ(load<uint16_t>(0), ref::half_bits(static_cast<double>(static_cast<float>(x)) * 0.125)) << x;
  }
}

TEST_F(Cast, DequantTo8BitsFillsHalfBlocks) {
  for (int round = 0; round < 400; ++round) {
    fill_random(0, kWindow);
    const std::vector<std::byte> before = core().ub;
    const uint32_t n = pick(0, 500);
    VdeqInfo info;
    for (int i = 0; i < 16; ++i) {
      info.vdeqScale[i] = ref::f32(ref::u32(static_cast<float>(pick(1, 4000)) / 50000.0f) & 0xFFFFE000u);
      info.vdeqOffset[i] = static_cast<int16_t>(static_cast<int>(pick(0, 511)) - 256);
      info.vdeqSignMode[i] = true;
    }
    const bool vector = chance(50), upper = chance(50);
    if (vector)
      SetDeqScale(tensor<uint64_t>(30000 / 32 * 32, 16), info);
    else
      SetDeqScale(info.vdeqScale[0], info.vdeqOffset[0], true);
    const auto d = tensor<int8_t>(0, 4096);
    const auto a = tensor<int16_t>(8192, 4096);
    core().prove = round % 8 == 0;
    if (vector && upper)
      CastDequant<int8_t, int16_t, true, true>(d, a, n);
    else if (vector)
      CastDequant<int8_t, int16_t, true, false>(d, a, n);
    else if (upper)
      CastDequant<int8_t, int16_t, false, true>(d, a, n);
    else
      CastDequant<int8_t, int16_t, false, false>(d, a, n);
    core().prove = false;
    for (uint32_t i = 0; i < 1024; ++i) {
      auto want = static_cast<int8_t>(before[i]);
      const uint32_t lane = i / 32 * 16 + i % 16;
      if ((i % 32 >= 16) == upper && lane < n) {
        int16_t x;
        std::memcpy(&x, before.data() + 8192 + 2 * lane, 2);
        const int set = vector ? static_cast<int>(lane % 16) : 0;
        const float y = static_cast<float>(x) * info.vdeqScale[set] + static_cast<float>(info.vdeqOffset[set]);
        want = ref::clamp_int<int8_t>(ref::round_mode(y, 1));
      }
      ASSERT_EQ(load<int8_t>(i), want) << i << " n " << n << " vector " << vector << " upper " << upper;
    }
    EXPECT_TRUE(core().violations.empty()) << core().texts();
  }
}

}  // namespace
}  // namespace vec
