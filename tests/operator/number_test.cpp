// Conversions of the reference: bit patterns of spec/fp.md 9, every 16-bit pattern there and back, and the nearest
// value found by search over all values of the format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fused_linear_cross_entropy/reference/number.h"

namespace flce::reference {
namespace {

TEST(Number, PatternsOfTheSpecification) {
  EXPECT_EQ(widen(narrow(65519.99, Storage::kHalf), Storage::kHalf), 65504.0);
  EXPECT_TRUE(std::isinf(widen(narrow(65520.0, Storage::kHalf), Storage::kHalf)));
  EXPECT_EQ(narrow(0x1p-25, Storage::kHalf), 0);  // tie to even
  EXPECT_EQ(widen(narrow(0x1.8p-25, Storage::kHalf), Storage::kHalf), 0x1p-24);
  EXPECT_EQ(round_to(2049.0, Storage::kHalf), 2048.0);
  EXPECT_EQ(round_to(2051.0, Storage::kHalf), 2052.0);
  EXPECT_EQ(round_to(1.00390625, Storage::kBfloat16), 1.0);
  EXPECT_EQ(narrow(1.0, Storage::kBfloat16), 0x3F80);
  EXPECT_EQ(narrow(-2.0, Storage::kHalf), 0xC000);
  EXPECT_EQ(narrow(-0.0, Storage::kHalf), 0x8000);
  EXPECT_EQ(largest(Storage::kBfloat16), 0x1.FEp127);
  EXPECT_EQ(narrow(-INFINITY, Storage::kHalf), 0xFC00);
  EXPECT_EQ(narrow(-INFINITY, Storage::kBfloat16), 0xFF80);
}

TEST(Number, EveryPatternThereAndBack) {
  for (Storage storage : {Storage::kHalf, Storage::kBfloat16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = widen(static_cast<uint16_t>(bits), storage);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(widen(narrow(value, storage), storage)));
      else
        EXPECT_EQ(narrow(value, storage), bits) << name_of(storage);
    }
}

/// All finite values of the format in ascending order.
std::vector<double> all_values(Storage storage) {
  std::vector<double> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    if (const double value = widen(static_cast<uint16_t>(bits), storage); std::isfinite(value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  return values;
}

TEST(Number, RoundsToTheNearestOfAllValues) {
  std::mt19937_64 rng(20240611);
  std::uniform_real_distribution<double> exponent(-30.0, 15.9), mantissa(-2.0, 2.0);
  for (Storage storage : {Storage::kHalf, Storage::kBfloat16}) {
    const std::vector<double> values = all_values(storage);
    for (int i = 0; i < 20000; ++i) {
      const double value = mantissa(rng) * std::exp2(exponent(rng));
      if (std::abs(value) > largest(storage)) continue;
      const double got = round_to(value, storage);
      const auto above = std::lower_bound(values.begin(), values.end(), value);
      const double high = *above, low = above == values.begin() ? high : *(above - 1);
      ASSERT_TRUE(got == high || got == low) << value << " " << name_of(storage);
      ASSERT_LE(std::abs(got - value), std::min(std::abs(high - value), std::abs(low - value))) << value;
    }
  }
}

TEST(Number, TiesGoToTheEvenPattern) {
  for (Storage storage : {Storage::kHalf, Storage::kBfloat16})
    for (uint32_t bits = 0; bits < 0x7000; bits += 7) {
      const double low = widen(static_cast<uint16_t>(bits), storage),
                   high = widen(static_cast<uint16_t>(bits + 1), storage);
      EXPECT_EQ(narrow((low + high) / 2, storage), bits + (bits & 1)) << name_of(storage);
    }
}

}  // namespace
}  // namespace flce::reference
