// Mmad against naive products on fractals written from the layout definitions: all types and shapes, accumulation,
// bias, GEMV, HF32, special values, wrap-around; footprints and limits.
#include "ascendc/mmad.h"

#include <cmath>
#include <limits>

#include "local_gate.h"

namespace {

using namespace AscendC;
using ascsan::gate::Space;
using local::core;

class CubeMmad : public local::Test {};

constexpr uint32_t up(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Operands as logical matrices, and their places in L0.
template <typename T>
struct Operands {
  uint32_t m, n, k;
  bool k_align = false;
  std::vector<double> a, b;  // [m][k], [k][n]

  size_t place_a(uint32_t i, uint32_t x) const {  // Zz, or a plain vector for m == 1
    if (m == 1) return x * sizeof(T);
    const uint32_t k0 = 32 / sizeof(T), across = up(k, k_align ? 16 : k0) / k0;
    return (size_t{i / 16} * across + x / k0) * 512 + i % 16 * 32 + x % k0 * sizeof(T);
  }
  size_t place_b(uint32_t x, uint32_t j) const {  // Zn
    const uint32_t k0 = 32 / sizeof(T);
    return (size_t{x / k0} * (up(n, 16) / 16) + j / 16) * 512 + j % 16 * 32 + x % k0 * sizeof(T);
  }
  template <typename Value>
  Operands(uint32_t m_in, uint32_t n_in, uint32_t k_in, bool align, const Value& value)
      : m(m_in), n(n_in), k(k_in), k_align(align), a(m * k), b(k * n) {
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t x = 0; x < k; ++x) a[i * k + x] = put(Space::kL0a, place_a(i, x), value());
    for (uint32_t x = 0; x < k; ++x)
      for (uint32_t j = 0; j < n; ++j) b[x * n + j] = put(Space::kL0b, place_b(x, j), value());
  }
  static double put(Space space, size_t at, double v) {
    const T element = static_cast<T>(static_cast<float>(v));
    std::memcpy(core().base(space) + at, &element, sizeof(T));
    return static_cast<double>(static_cast<float>(element));
  }
  double product(uint32_t i, uint32_t j, double* magnitude = nullptr) const {
    double sum = 0;
    for (uint32_t x = 0; x < k; ++x) {
      sum += a[i * k + x] * b[x * n + j];
      if (magnitude != nullptr) *magnitude += std::fabs(a[i * k + x] * b[x * n + j]);
    }
    return sum;
  }
};

template <typename C>
C result(uint32_t m, uint32_t i, uint32_t j, size_t address = 0) {
  return core().at<C>(Space::kL0c, address)[(size_t{j / 16} * up(m, 16) + i) * 16 + j % 16];
}
template <typename C>
LocalTensor<C> l0c(uint32_t address = 0) {
  return LocalTensor<C>(TPosition::CO1, address, (131072 - address) / 4);
}
template <typename T>
LocalTensor<T> l0a() {
  return LocalTensor<T>(TPosition::A2, 0, 65536 / sizeof(T));
}
template <typename T>
LocalTensor<T> l0b() {
  return LocalTensor<T>(TPosition::B2, 0, 65536 / sizeof(T));
}

MmadParams params_of(uint32_t m, uint32_t n, uint32_t k, bool init = true, bool k_align = false) {
  return {static_cast<uint16_t>(m), static_cast<uint16_t>(n), static_cast<uint16_t>(k), 0, k_align, false, init};
}

struct Shape {
  uint32_t m, n, k;
};
const Shape kShapes[] = {{1, 1, 1},    {2, 1, 1},   {16, 16, 16},  {1, 16, 200},   {1, 37, 71}, {3, 5, 7},
                         {17, 33, 49}, {31, 64, 8}, {128, 64, 96}, {47, 100, 130}, {30, 40, 70}};

/// Integers small enough that every sum is exact: results compare bit for bit.
template <typename T, typename C>
void exact() {
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(::testing::Message() << s.m << " x " << s.n << " x " << s.k << " size " << sizeof(T));
    const auto value = [] { return static_cast<double>(core().random() % 17) - 8; };
    const Operands<T> first(s.m, s.n, s.k, false, value);
    Mmad(l0c<C>(2048), l0a<T>(), l0b<T>(), params_of(s.m, s.n, s.k));
    std::vector<double> expected(s.m * s.n);
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < s.n; ++j) {
        expected[i * s.n + j] = first.product(i, j);
        ASSERT_EQ(static_cast<double>(result<C>(s.m, i, j, 2048)), expected[i * s.n + j]) << i << " " << j;
      }
    const Operands<T> second(s.m, s.n, s.k, false, value);
    Mmad(l0c<C>(2048), l0a<T>(), l0b<T>(), params_of(s.m, s.n, s.k, false));
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < s.n; ++j)
        ASSERT_EQ(static_cast<double>(result<C>(s.m, i, j, 2048)), expected[i * s.n + j] + second.product(i, j))
            << i << " " << j;
  }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeMmad, ExactHalf) {
  exact<half, float>();
}
TEST_F(CubeMmad, ExactBfloat16) {
  exact<bfloat16_t, float>();
}
TEST_F(CubeMmad, ExactFloat) {
  exact<float, float>();
}
TEST_F(CubeMmad, ExactInt8) {
  exact<int8_t, int32_t>();
}

template <typename T>
void close_to_real() {
  std::normal_distribution<double> normal;
  for (const Shape& s : kShapes) {
    const Operands<T> operands(s.m, s.n, s.k, false, [&] { return normal(core().random); });
    Mmad(l0c<float>(), l0a<T>(), l0b<T>(), params_of(s.m, s.n, s.k));
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < s.n; ++j) {
        double magnitude = 0;
        const double expected = operands.product(i, j, &magnitude);
        ASSERT_NEAR(result<float>(s.m, i, j), expected, magnitude * 1e-6) << s.m << " " << s.n << " " << s.k;
      }
  }
}

TEST_F(CubeMmad, CloseToRealHalf) {
  close_to_real<half>();
}
TEST_F(CubeMmad, CloseToRealBfloat16) {
  close_to_real<bfloat16_t>();
}
TEST_F(CubeMmad, CloseToRealFloat) {
  close_to_real<float>();
}

TEST_F(CubeMmad, FloatPadsKTo16OnRequest) {
  const Operands<float> operands(33, 20, 21, true, [] { return static_cast<double>(core().random() % 9) - 4; });
  Mmad(l0c<float>(), l0a<float>(), l0b<float>(), params_of(33, 20, 21, true, true));
  for (uint32_t i = 0; i < 33; ++i)
    for (uint32_t j = 0; j < 20; ++j) ASSERT_EQ(result<float>(33, i, j), operands.product(i, j));
}

TEST_F(CubeMmad, NibblesMultiply) {
  constexpr uint32_t kM = 20, kN = 33, kK = 100;
  std::vector<int> a(kM * kK), b(kK * kN);
  const auto put = [](Space space, size_t nibble, int v) {
    std::byte& byte = core().base(space)[nibble / 2];
    const auto bits = static_cast<uint8_t>(v & 15);
    byte = nibble % 2 == 0 ? (byte & std::byte{0xF0}) | std::byte{bits}
                           : (byte & std::byte{0x0F}) | std::byte{static_cast<uint8_t>(bits << 4)};
  };
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t x = 0; x < kK; ++x) {
      a[i * kK + x] = static_cast<int>(core().random() % 16) - 8;
      put(Space::kL0a, (size_t{i / 16} * 2 + x / 64) * 1024 + i % 16 * 64 + x % 64, a[i * kK + x]);
    }
  for (uint32_t x = 0; x < kK; ++x)
    for (uint32_t j = 0; j < kN; ++j) {
      b[x * kN + j] = static_cast<int>(core().random() % 16) - 8;
      put(Space::kL0b, (size_t{x / 64} * 3 + j / 16) * 1024 + j % 16 * 64 + x % 64, b[x * kN + j]);
    }
  Mmad(l0c<int32_t>(), LocalTensor<int4b_t>(TPosition::A2, 0, 8192), LocalTensor<int4b_t>(TPosition::B2, 0, 8192),
       params_of(kM, kN, kK));
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t j = 0; j < kN; ++j) {
      int sum = 0;
      for (uint32_t x = 0; x < kK; ++x) sum += a[i * kK + x] * b[x * kN + j];
      ASSERT_EQ(result<int32_t>(kM, i, j), sum);
    }
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeMmad, BiasIsTheStartValue) {
  const auto small = [] { return static_cast<double>(core().random() % 9) - 4; };
  const Operands<half> operands(19, 50, 40, false, small);
  auto* bias = core().at<float>(Space::kBt, 128);
  for (int j = 0; j < 50; ++j) bias[j] = static_cast<float>(j) * 1.5f;
  const LocalTensor<float> table(TPosition::C2, 128, 200);
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), table, params_of(19, 50, 40));
  for (uint32_t i = 0; i < 19; ++i)
    for (uint32_t j = 0; j < 50; ++j) ASSERT_EQ(result<float>(19, i, j), operands.product(i, j) + 1.5 * j);
  // Without a bias tensor the table starts at 0 of BT.
  auto* first = core().at<float>(Space::kBt, 0);
  for (int j = 0; j < 50; ++j) first[j] = static_cast<float>(-j);
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), MmadParams(19, 50, 40, 0, true, false));
  for (uint32_t i = 0; i < 19; ++i)
    for (uint32_t j = 0; j < 50; ++j) ASSERT_EQ(result<float>(19, i, j), operands.product(i, j) - j);
  // A bias tensor that is C itself means accumulation.
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), l0c<float>(), params_of(19, 50, 40));
  for (uint32_t i = 0; i < 19; ++i)
    for (uint32_t j = 0; j < 50; ++j) ASSERT_EQ(result<float>(19, i, j), 2 * operands.product(i, j) - j);
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeMmad, IntegersWrap) {
  constexpr uint32_t kK = 4095;
  // 4095 * 127 * 127 * 33 products exceed int32: accumulate over several calls.
  const Operands<int8_t> operands(16, 16, kK / 2, false, [] { return 127.0; });
  uint32_t expected = 0;
  for (int call = 0; call < 80; ++call) {
    Mmad(l0c<int32_t>(), l0a<int8_t>(), l0b<int8_t>(), params_of(16, 16, kK / 2, call == 0));
    expected += 127u * 127u * (kK / 2);
  }
  EXPECT_GT(80.0 * 127 * 127 * (kK / 2), 2147483647.0);
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < 16; ++j) ASSERT_EQ(static_cast<uint32_t>(result<int32_t>(16, i, j)), expected);
}

TEST_F(CubeMmad, SpecialValues) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Operands<half> operands(32, 32, 32, false, [] { return 1.0; });
  const auto set_a = [&](uint32_t i, uint32_t x, float v) {
    Operands<half>::put(Space::kL0a, operands.place_a(i, x), v);
  };
  const auto set_b = [&](uint32_t x, uint32_t j, float v) {
    Operands<half>::put(Space::kL0b, operands.place_b(x, j), v);
  };
  set_a(3, 5, inf);
  set_a(4, 6, nan);
  set_a(5, 7, inf), set_a(5, 8, -inf);
  set_b(9, 11, -inf);
  set_a(6, 9, 0.0f);
  set_a(7, 1, 0x1p-24f);  // a subnormal half counts
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), params_of(32, 32, 32));
  EXPECT_EQ(result<float>(32, 3, 0), inf);
  EXPECT_TRUE(std::isnan(result<float>(32, 3, 11)));  // inf - inf
  EXPECT_TRUE(std::isnan(result<float>(32, 4, 2)));
  EXPECT_TRUE(std::isnan(result<float>(32, 5, 2)));
  EXPECT_EQ(result<float>(32, 0, 11), -inf);
  EXPECT_TRUE(std::isnan(result<float>(32, 6, 11)));  // 0 * inf
  EXPECT_EQ(result<float>(32, 0, 0), 32.0f);
  EXPECT_EQ(result<float>(32, 7, 0), 31.0f + 0x1p-24f);
}

TEST_F(CubeMmad, Hf32RoundsFloatOperands) {
  // One product a row: C = hf32(a) * 1.
  Operands<float> operands(16, 16, 8, false, [] { return 0.0; });
  const float inputs[16] = {1.0f + 0x1p-12f,
                            1.0f + 0x3p-12f,
                            1.0f + 0x1p-13f,
                            1.0f + 0x1p-11f,
                            -(1.0f + 0x1p-12f),
                            3.0f,
                            0.0f,
                            1.0f + 0x1.8p-12f,
                            1.0f + 0x7FFp-23f,
                            1.0f + 0x801p-23f,
                            0x1.FFFFFEp0f,
                            0x1p-126f,
                            65504.0f,
                            2.5f,
                            -0x1.FFFp3f,
                            7.0f};
  // 11 fraction bits: ulp of [1, 2) is 2^-11; ties at odd multiples of 2^-12.
  const float even[16] = {1.0f, 1.0f + 0x1p-10f, 1.0f, 1.0f + 0x1p-11f, -1.0f,    3.0f, 0.0f,   1.0f + 0x1p-11f,
                          1.0f, 1.0f + 0x1p-11f, 2.0f, 0x1p-126f,       65504.0f, 2.5f, -16.0f, 7.0f};
  const float away[16] = {1.0f + 0x1p-11f,
                          1.0f + 0x1p-10f,
                          1.0f,
                          1.0f + 0x1p-11f,
                          -(1.0f + 0x1p-11f),
                          3.0f,
                          0.0f,
                          1.0f + 0x1p-11f,
                          1.0f,
                          1.0f + 0x1p-11f,
                          2.0f,
                          0x1p-126f,
                          65504.0f,
                          2.5f,
                          -16.0f,
                          7.0f};
  for (uint32_t i = 0; i < 16; ++i) {
    Operands<float>::put(Space::kL0a, operands.place_a(i, 0), inputs[i]);
    Operands<float>::put(Space::kL0b, operands.place_b(0, i), 1.0f);
  }
  const auto run = [&](const float* expected) {
    Mmad(l0c<float>(), l0a<float>(), l0b<float>(), params_of(16, 16, 8));
    for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(result<float>(16, i, 3), expected[i]) << i;
  };
  run(inputs);
  SetHF32Mode(true);
  SetHF32TransMode(false);
  run(even);
  SetHF32TransMode(HF32TransMode::NEAREST_ZERO);
  run(away);
  SetHF32Mode(HF32Mode::DISABLE);
  run(inputs);
}

TEST_F(CubeMmad, NothingForEmptyExtents) {
  const auto before = core().memory;
  for (const Shape& s : {Shape{0, 16, 16}, {16, 0, 16}, {16, 16, 0}})
    Mmad(l0c<float>(), l0a<half>(), l0b<half>(), params_of(s.m, s.n, s.k));
  EXPECT_EQ(before, core().memory);
  EXPECT_TRUE(core().violations.empty());
}

TEST_F(CubeMmad, SameBitsInEveryRun) {
  std::normal_distribution<double> normal;
  const Operands<half> operands(128, 256, 64, false, [&] { return normal(core().random); });
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), params_of(128, 256, 64));
  const auto first = core().memory[static_cast<size_t>(Space::kL0c)];
  for (int run = 0; run < 5; ++run) {
    Mmad(l0c<float>(), l0a<half>(), l0b<half>(), params_of(128, 256, 64));
    ASSERT_EQ(first, core().memory[static_cast<size_t>(Space::kL0c)]);
  }
}

TEST_F(CubeMmad, Footprints) {
  core().prove_footprints = true;
  const auto small = [] { return static_cast<double>(core().random() % 4) + 1; };  // no zero: it would hide a byte
  for (const Shape& s : {Shape{16, 16, 16}, {1, 20, 40}, {17, 33, 49}, {5, 3, 100}}) {
    for (bool init : {true, false}) {
      SCOPED_TRACE(::testing::Message() << s.m << " x " << s.n << " x " << s.k << " init " << init);
      const Operands<half> h(s.m, s.n, s.k, false, small);
      Mmad(l0c<float>(1024), l0a<half>(), l0b<half>(), params_of(s.m, s.n, s.k, init));
      const Operands<int8_t> i8(s.m, s.n, s.k, false, small);
      Mmad(l0c<int32_t>(1024), l0a<int8_t>(), l0b<int8_t>(), params_of(s.m, s.n, s.k, init));
      core().every_byte_matters = false;  // the last bits of a float vanish in the sum
      const Operands<float> f(s.m, s.n, s.k, true, small);
      Mmad(l0c<float>(1024), l0a<float>(), l0b<float>(), params_of(s.m, s.n, s.k, init, true));
      core().every_byte_matters = true;
    }
    core().every_byte_matters = false;
    const Operands<half> h(s.m, s.n, s.k, false, small);
    for (int j = 0; j < 64; ++j) core().at<float>(Space::kBt, 64)[j] = static_cast<float>(j);
    Mmad(l0c<float>(), l0a<half>(), l0b<half>(), LocalTensor<float>(TPosition::C2, 64, 64), params_of(s.m, s.n, s.k));
    core().every_byte_matters = true;
  }
}

TEST_F(CubeMmad, RolesAndRuns) {
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kMmad;
  request.operand_count = 3;
  request.operand[0] = l0c<float>().operand();
  request.operand[1] = l0a<half>().operand();
  request.operand[2] = l0b<half>().operand();
  const auto& info = core().table[static_cast<size_t>(request.op)];
  for (uint8_t init : {uint8_t{1}, uint8_t{0}}) {
    request.params.mmad = {128, 256, 64, init, 0, 0, 0};
    local::machine::Footprint footprint;
    info.footprint(request, footprint);
    ASSERT_EQ(footprint.accesses().size(), 3u);
    EXPECT_EQ(footprint.accesses()[0].role, init != 0 ? local::event::Role::kWrite : local::event::Role::kUpdate);
    ASSERT_EQ(footprint.spans().size(), 3u);  // whole tiles: one run each
    EXPECT_EQ(footprint.spans()[0].end, 131072u);
    EXPECT_EQ(footprint.spans()[1].end, 16384u);
    EXPECT_EQ(footprint.spans()[2].end, 32768u);
  }
}

TEST_F(CubeMmad, Limits) {
  const auto clear = [] { core().violations.clear(); };
  Mmad(l0c<int32_t>(), l0a<half>(), l0b<half>(), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Mmad(l0c<float>(), l0a<half>(), l0b<bfloat16_t>(), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Mmad(l0c<float>(), LocalTensor<half>(TPosition::A1, 0, 1000), l0b<half>(), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("path"));
  clear();
  Mmad(l0c<float>(512), l0a<half>(), l0b<half>(), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("alignment"));
  clear();
  Mmad(l0c<float>(), LocalTensor<half>(TPosition::A2, 32, 1000), l0b<half>(), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("alignment"));
  clear();
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), LocalTensor<int32_t>(TPosition::C2, 0, 16), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("type"));
  clear();
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), LocalTensor<float>(TPosition::VECIN, 0, 16), params_of(16, 16, 16));
  EXPECT_TRUE(core().has_violation("path"));
  clear();
  Mmad(l0c<float>(), l0a<half>(), l0b<half>(), params_of(4096, 16, 16));
  EXPECT_TRUE(core().has_violation("length"));
}

}  // namespace
