// Arithmetic lane instructions: every operation and type in every call shape against scalar references, on random
// layouts with NaN, infinities, subnormals, signed zeros and overflow among the values.
#include "vector_lane_driver.h"

namespace vec {
namespace {

using namespace AscendC;

class Elementwise : public LaneTest {
 protected:
  static constexpr int kRounds = 1008;  // a multiple of the six call shapes

  uint64_t float_value() {
    constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                     0xFFC12345, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 1,
                                     0x80000001, 0x3F800000, 0xBF800000, 0x42B17218, 0xC2CE8ED0};
    const uint32_t kind = pick(0, 99);
    if (kind < 15) return kSpecial[pick(0, 14)];
    if (kind < 25) return word() & 0xFFFFFFFFu;
    return ref::u32(
        static_cast<float>((static_cast<double>(pick(0, 2000000)) - 1000000) / (chance(50) ? 7919.0 : 100003.0)));
  }
  uint64_t half_value() {
    constexpr uint16_t kSpecial[] = {0,      0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7BFF,
                                     0xFBFF, 0x0400, 1,      0x8001, 0x3C00, 0xBC00};
    if (chance(15)) return kSpecial[pick(0, 12)];
    return chance(30) ? word() & 0xFFFF : ref::half_bits((static_cast<double>(pick(0, 20000)) - 10000) / 331.0);
  }
  template <typename T>
  Fill values() {
    if constexpr (std::is_same_v<T, float>)
      return [this] { return float_value(); };
    else if constexpr (std::is_same_v<T, half>)
      return [this] { return half_value(); };
    else
      return [this] {
        return chance(10)   ? static_cast<uint64_t>(std::numeric_limits<T>::min())
               : chance(10) ? static_cast<uint64_t>(std::numeric_limits<T>::max())
               : chance(50) ? word()
                            : static_cast<uint64_t>(static_cast<T>(static_cast<int>(pick(0, 200)) - 100));
      };
  }

  template <typename D, typename S>
  LaneCase make(const char* name, int sources, bool reads_dst, std::function<void(const Form&, const Place&)> call,
                Value value) {
    LaneCase test{name,        sizeof(D),   sizeof(S),  sources, reads_dst, std::move(call), std::move(value),
                  values<S>(), values<D>(), values<S>()};
    return test;
  }

  /// `f` on the numbers of the elements in double; result rounded once to D.
  template <typename D, typename S>
  static Value real(std::function<double(double a, double b, double old, double scalar)> f) {
    return [f](uint64_t a, uint64_t b, uint64_t old, uint64_t scalar) -> uint64_t {
      const auto number = [](uint64_t bits, uint32_t bytes) {
        return bytes == 2 ? ref::half_value(static_cast<uint16_t>(bits))
                          : static_cast<double>(ref::f32(static_cast<uint32_t>(bits)));
      };
      const double result =
          f(number(a, sizeof(S)), number(b, sizeof(S)), number(old, sizeof(D)), number(scalar, sizeof(S)));
      if (sizeof(D) == 2) return ref::half_bits(result);
      return ref::float_bits(result);
    };
  }
  template <typename T>
  static Value whole(std::function<int64_t(int64_t a, int64_t b, int64_t scalar)> f) {
    return [f](uint64_t a, uint64_t b, uint64_t, uint64_t scalar) {
      const int64_t wide = f(static_cast<T>(a), static_cast<T>(b), static_cast<T>(scalar));
      return static_cast<uint64_t>(wide);
    };
  }
};

#define BINARY(api, T)                                                                                      \
  [](const Form& f, const Place& p) {                                                                       \
    const auto d = tensor<T>(p.dst, 4000), a = tensor<T>(p.src0, 4000), b = tensor<T>(p.src1, 4000);        \
    dispatch<T>(                                                                                            \
        f, [&](int32_t n) { api(d, a, b, n); }, [&](auto mask) { api(d, a, b, mask, f.repeat, f.binary); }, \
        [&] { api<T, false>(d, a, b, MASK_PLACEHOLDER, f.repeat, f.binary); });                             \
  }
#define MIXED(api, D, S)                                                           \
  [](const Form& f, const Place& p) {                                              \
    const auto d = tensor<D>(p.dst, 4000);                                         \
    const auto a = tensor<S>(p.src0, 4000), b = tensor<S>(p.src1, 4000);           \
    dispatch<S>(                                                                   \
        f, [&](int32_t n) { api(d, a, b, static_cast<uint32_t>(n)); },             \
        [&](auto mask) { api(d, a, b, mask, f.repeat, f.binary); },                \
        [&] { api<D, S, false>(d, a, b, MASK_PLACEHOLDER, f.repeat, f.binary); }); \
  }
#define UNARY(api, T)                                                                                  \
  [](const Form& f, const Place& p) {                                                                  \
    const auto d = tensor<T>(p.dst, 4000), a = tensor<T>(p.src0, 4000);                                \
    dispatch<T>(                                                                                       \
        f, [&](int32_t n) { api(d, a, n); }, [&](auto mask) { api(d, a, mask, f.repeat, f.unary()); }, \
        [&] { api<T, false>(d, a, MASK_PLACEHOLDER, f.repeat, f.unary()); });                          \
  }
#define SCALAR(api, T)                                                                                       \
  [](const Form& f, const Place& p) {                                                                        \
    const auto d = tensor<T>(p.dst, 4000), a = tensor<T>(p.src0, 4000);                                      \
    const T s = from_raw_bits<T>(p.scalar);                                                                  \
    dispatch<T>(                                                                                             \
        f, [&](int32_t n) { api(d, a, s, n); }, [&](auto mask) { api(d, a, s, mask, f.repeat, f.unary()); }, \
        [&] { api<T, false>(d, a, s, MASK_PLACEHOLDER, f.repeat, f.unary()); });                             \
  }

#define REAL_BINARY(api, expression)                                                                      \
  TEST_F(Elementwise, api) {                                                                              \
    const auto f = [](double a, double b, double, double) -> double {                                     \
      (void)a, (void)b;                                                                                   \
      return expression;                                                                                  \
    };                                                                                                    \
    run(make<float, float>(#api " float", 2, false, BINARY(api, float), real<float, float>(f)), kRounds); \
    run(make<half, half>(#api " half", 2, false, BINARY(api, half), real<half, half>(f)), kRounds);       \
  }

double relu(double x) {
  return std::isnan(x) ? x : x > 0 ? x : 0.0;
}

REAL_BINARY(Add, a + b)
REAL_BINARY(Sub, a - b)
REAL_BINARY(Mul, a* b)
REAL_BINARY(Div, a / b)
REAL_BINARY(Max, ref::max_value(a, b))
REAL_BINARY(Min, ref::min_value(a, b))
REAL_BINARY(AddRelu, relu(a + b))
REAL_BINARY(SubRelu, relu(a - b))

#define WHOLE_BINARY(api, expression)                                                                       \
  TEST_F(Elementwise, api##Integers) {                                                                      \
    const auto f = [](int64_t a, int64_t b, int64_t) -> int64_t { return expression; };                     \
    run(make<int32_t, int32_t>(#api " int32", 2, false, BINARY(api, int32_t), whole<int32_t>(f)), kRounds); \
    run(make<int16_t, int16_t>(#api " int16", 2, false, BINARY(api, int16_t), whole<int16_t>(f)), kRounds); \
  }
WHOLE_BINARY(Add, a + b)
WHOLE_BINARY(Sub, a - b)
WHOLE_BINARY(Mul, a* b)
WHOLE_BINARY(Max, std::max(a, b))
WHOLE_BINARY(Min, std::min(a, b))

#define REAL_SCALAR(api, expression)                                                                      \
  TEST_F(Elementwise, api) {                                                                              \
    const auto f = [](double a, double, double, double s) -> double { return expression; };               \
    run(make<float, float>(#api " float", 1, false, SCALAR(api, float), real<float, float>(f)), kRounds); \
    run(make<half, half>(#api " half", 1, false, SCALAR(api, half), real<half, half>(f)), kRounds);       \
  }
#define WHOLE_SCALAR(api, expression)                                                                       \
  TEST_F(Elementwise, api##Integers) {                                                                      \
    const auto f = [](int64_t a, int64_t, int64_t s) -> int64_t { return expression; };                     \
    run(make<int32_t, int32_t>(#api " int32", 1, false, SCALAR(api, int32_t), whole<int32_t>(f)), kRounds); \
    run(make<int16_t, int16_t>(#api " int16", 1, false, SCALAR(api, int16_t), whole<int16_t>(f)), kRounds); \
  }
REAL_SCALAR(Adds, a + s)
REAL_SCALAR(Muls, a* s)
REAL_SCALAR(Maxs, ref::max_value(a, s))
REAL_SCALAR(Mins, ref::min_value(a, s))
REAL_SCALAR(LeakyRelu, !std::isnan(a) && !std::signbit(a) ? a : a * s)
WHOLE_SCALAR(Adds, a + s)
WHOLE_SCALAR(Muls, a* s)
WHOLE_SCALAR(Maxs, std::max(a, s))
WHOLE_SCALAR(Mins, std::min(a, s))

#define REAL_UNARY(api, expression)                                                                      \
  TEST_F(Elementwise, api) {                                                                             \
    const auto f = [](double a, double, double, double) -> double { return expression; };                \
    run(make<float, float>(#api " float", 1, false, UNARY(api, float), real<float, float>(f)), kRounds); \
    run(make<half, half>(#api " half", 1, false, UNARY(api, half), real<half, half>(f)), kRounds);       \
  }
REAL_UNARY(Abs, std::fabs(a))
REAL_UNARY(Relu, relu(a))
REAL_UNARY(Sqrt, std::sqrt(a))
REAL_UNARY(Reciprocal, 1.0 / a)
// exp and log of long double, so that the reference rounds once; the accuracy over all inputs is vector_levels_test's
// job.
REAL_UNARY(Exp, static_cast<double>(std::exp(static_cast<long double>(a))))
REAL_UNARY(Ln, a < 0 ? std::nan("") : static_cast<double>(std::log(static_cast<long double>(a))))
REAL_UNARY(Rsqrt, 1.0 / std::sqrt(a))

TEST_F(Elementwise, ReluInt32) {
  run(make<int32_t, int32_t>("Relu int32", 1, false, UNARY(Relu, int32_t),
                             whole<int32_t>([](int64_t a, int64_t, int64_t) { return std::max<int64_t>(a, 0); })),
      kRounds);
}

TEST_F(Elementwise, Bitwise) {
  const auto bits = [](std::function<uint64_t(uint64_t, uint64_t)> f) -> Value {
    return [f](uint64_t a, uint64_t b, uint64_t, uint64_t) { return f(a, b); };
  };
  run(make<uint16_t, uint16_t>("And u16", 2, false, BINARY(And, uint16_t),
                               bits([](uint64_t a, uint64_t b) { return a & b; })),
      kRounds);
  run(make<int16_t, int16_t>("Or i16", 2, false, BINARY(Or, int16_t),
                             bits([](uint64_t a, uint64_t b) { return a | b; })),
      kRounds);
  run(make<uint16_t, uint16_t>("Not u16", 1, false, UNARY(Not, uint16_t),
                               bits([](uint64_t a, uint64_t) { return ~a; })),
      kRounds);
}

TEST_F(Elementwise, BitwiseCountOn32BitTypesCoversAllBytes) {
  fill_random(0, kWindow);
  const std::vector<std::byte> before = core().ub;
  And(tensor<int32_t>(0, 64), tensor<int32_t>(1024, 64), tensor<int32_t>(2048, 64), 37);
  for (uint32_t i = 0; i < 37; ++i)
    EXPECT_EQ(load<uint32_t>(4 * i), load<uint32_t>(1024 + 4 * i) & load<uint32_t>(2048 + 4 * i));
  EXPECT_EQ(std::memcmp(core().ub.data() + 148, before.data() + 148, 100), 0);
  Not(tensor<int32_t>(0, 64), tensor<int32_t>(1024, 64), 5);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(load<uint32_t>(4 * i), ~load<uint32_t>(1024 + 4 * i));
}

template <typename T>
uint64_t shift_left(uint64_t a, uint64_t s) {
  const auto by = static_cast<T>(s);
  constexpr int kWidth = sizeof(T) * 8;
  uint64_t moved = by < 0 || by >= kWidth ? 0 : a << by;
  if (std::is_signed_v<T>) {
    moved &= (1ull << (kWidth - 1)) - 1;
    moved |= a & (1ull << (kWidth - 1));
  }
  return moved;
}
template <typename T>
uint64_t shift_right(uint64_t a, uint64_t s) {
  const auto value = static_cast<int64_t>(static_cast<T>(a));
  const auto by = static_cast<T>(s);
  if (by < 0 || static_cast<uint64_t>(by) >= sizeof(T) * 8) return value < 0 ? ~0ull : 0;
  return static_cast<uint64_t>(value >> by);
}

TEST_F(Elementwise, Shifts) {
  const auto small = [this]() -> uint64_t { return chance(90) ? pick(0, 33) : word(); };
  const auto go = [&](LaneCase test) {
    test.fill_scalar = small;
    run(test, 504);
  };
#define SHIFT(T)                                                                                  \
  go(make<T, T>("ShiftLeft " #T, 1, false, SCALAR(ShiftLeft, T),                                  \
                [](uint64_t a, uint64_t, uint64_t, uint64_t s) { return shift_left<T>(a, s); })); \
  go(make<T, T>("ShiftRight " #T, 1, false, SCALAR(ShiftRight, T),                                \
                [](uint64_t a, uint64_t, uint64_t, uint64_t s) { return shift_right<T>(a, s); }));
  SHIFT(int16_t)
  SHIFT(uint16_t)
  SHIFT(int32_t)
  SHIFT(uint32_t)
}

TEST_F(Elementwise, ShiftRightRounds) {
  for (int round = 0; round < 2000; ++round) {
    const auto by = static_cast<int32_t>(pick(0, 32));
    const auto x = static_cast<int32_t>(word());
    store<int32_t>(1024, x);
    ShiftRight(tensor<int32_t>(0, 64), tensor<int32_t>(1024, 64), by, 1, 1, {1, 1, 8, 8}, true);
    const int64_t last = by == 0 ? 0 : (static_cast<int64_t>(x) >> (by - 1)) & 1;
    EXPECT_EQ(load<int32_t>(0), static_cast<int32_t>((static_cast<int64_t>(x) >> by) + last)) << x << " by " << by;
  }
}

/// x * y + z with the product rounded to the type of the destination first.
template <typename D>
double two_steps(double x, double y, double z) {
  const double product = x * y;
  if constexpr (std::is_same_v<D, half>)
    return ref::half_value(ref::half_bits(product)) + z;
  else
    return static_cast<double>(ref::f32(ref::float_bits(product))) + z;
}

TEST_F(Elementwise, MultiplyAccumulate) {
#define AXPY(D, S)                                                                                                     \
  run(make<D, S>(                                                                                                      \
          "Axpy " #D " " #S, 1, true,                                                                                  \
          [](const Form& f, const Place& p) {                                                                          \
            const auto d = tensor<D>(p.dst, 4000);                                                                     \
            const auto a = tensor<S>(p.src0, 4000);                                                                    \
            const S s = from_raw_bits<S>(p.scalar);                                                                    \
            dispatch<S>(                                                                                               \
                f, [&](int32_t n) { Axpy(d, a, s, n); }, [&](auto mask) { Axpy(d, a, s, mask, f.repeat, f.unary()); }, \
                [&] { Axpy<D, S, false>(d, a, s, MASK_PLACEHOLDER, f.repeat, f.unary()); });                           \
          },                                                                                                           \
          real<D, S>([](double a, double, double old, double s) { return two_steps<D>(a, s, old); })),                 \
      kRounds);
  AXPY(half, half)
  AXPY(float, float)
  AXPY(float, half)
  const auto accumulate = [](auto type) {
    using D = decltype(type);
    return [](double a, double b, double old, double) { return two_steps<D>(a, b, old); };
  };
  run(make<half, half>("MulAddDst half", 2, true, MIXED(MulAddDst, half, half), real<half, half>(accumulate(half{}))),
      kRounds);
  run(make<float, float>("MulAddDst float", 2, true, MIXED(MulAddDst, float, float),
                         real<float, float>(accumulate(0.0f))),
      kRounds);
  run(make<float, half>("MulAddDst half float", 2, true, MIXED(MulAddDst, float, half),
                        real<float, half>(accumulate(0.0f))),
      kRounds);
  run(make<float, float>(
          "FusedMulAdd float", 2, true, BINARY(FusedMulAdd, float),
          real<float, float>([](double a, double b, double old, double) { return two_steps<float>(a, old, b); })),
      kRounds);
  run(make<half, half>(
          "FusedMulAdd half", 2, true, BINARY(FusedMulAdd, half),
          real<half, half>([](double a, double b, double old, double) { return two_steps<half>(a, old, b); })),
      kRounds);
  run(make<float, float>(
          "FusedMulAddRelu float", 2, true, BINARY(FusedMulAddRelu, float),
          real<float, float>([](double a, double b, double old, double) { return relu(two_steps<float>(a, old, b)); })),
      kRounds);
  run(make<half, half>(
          "FusedMulAddRelu half", 2, true, BINARY(FusedMulAddRelu, half),
          real<half, half>([](double a, double b, double old, double) { return relu(two_steps<half>(a, old, b)); })),
      kRounds);
}

TEST_F(Elementwise, NarrowingArithmetic) {
  const auto no_nan = [](double x) { return std::isnan(x) ? 0.0 : x; };
  run(make<half, float>("AddReluCast float half", 2, false, MIXED(AddReluCast, half, float),
                        [=](uint64_t a, uint64_t b, uint64_t, uint64_t) -> uint64_t {
                          const float sum = ref::f32(static_cast<uint32_t>(a)) + ref::f32(static_cast<uint32_t>(b));
                          return ref::half_bits(no_nan(relu(sum)));
                        }),
      kRounds);
  run(make<half, float>("SubReluCast float half", 2, false, MIXED(SubReluCast, half, float),
                        [=](uint64_t a, uint64_t b, uint64_t, uint64_t) -> uint64_t {
                          const float sum = ref::f32(static_cast<uint32_t>(a)) - ref::f32(static_cast<uint32_t>(b));
                          return ref::half_bits(no_nan(relu(sum)));
                        }),
      kRounds);
  const auto narrow = [](auto type, auto f) -> Value {
    using T = decltype(type);
    return [f](uint64_t a, uint64_t b, uint64_t, uint64_t) -> uint64_t {
      const double x = f(ref::half_value(static_cast<uint16_t>(a)), ref::half_value(static_cast<uint16_t>(b)));
      const double stage = ref::half_value(ref::half_bits(x));
      return static_cast<uint64_t>(
          ref::clamp_int<T>(std::isnan(stage) || std::isinf(stage) ? stage : ref::round_mode(stage, 1)));
    };
  };
  run(make<int8_t, half>("AddReluCast half int8", 2, false, MIXED(AddReluCast, int8_t, half),
                         narrow(int8_t{}, [](double a, double b) { return relu(a + b); })),
      kRounds);
  run(make<int8_t, half>("SubReluCast half int8", 2, false, MIXED(SubReluCast, int8_t, half),
                         narrow(int8_t{}, [](double a, double b) { return relu(a - b); })),
      kRounds);
  run(make<int8_t, half>("MulCast half int8", 2, false, MIXED(MulCast, int8_t, half),
                         narrow(int8_t{}, [](double a, double b) { return a * b; })),
      kRounds);
  run(make<uint8_t, half>("MulCast half uint8", 2, false, MIXED(MulCast, uint8_t, half),
                          narrow(uint8_t{}, [](double a, double b) { return a * b; })),
      kRounds);
  run(make<int8_t, int16_t>("AddReluCast int16 int8", 2, false, MIXED(AddReluCast, int8_t, int16_t),
                            [](uint64_t a, uint64_t b, uint64_t, uint64_t) {
                              return static_cast<uint64_t>(std::clamp<int64_t>(
                                  int64_t{static_cast<int16_t>(a)} + static_cast<int16_t>(b), 0, 127));
                            }),
      kRounds);
}

TEST_F(Elementwise, AddDeqRelu) {
  const float scale = 0.0372314453125f;  // exact in half
  auto test = make<half, int32_t>(
      "AddDeqRelu", 2, false,
      [scale](const Form& f, const Place& p) {
        const auto d = tensor<half>(p.dst, 4000);
        const auto a = tensor<int32_t>(p.src0, 4000), b = tensor<int32_t>(p.src1, 4000);
        SetDeqScale(half(scale));
        dispatch<int32_t>(
            f, [&](int32_t n) { AddDeqRelu(d, a, b, n); },
            [&](auto mask) { AddDeqRelu(d, a, b, mask, f.repeat, f.binary); },
            [&] { AddDeqRelu<false>(d, a, b, MASK_PLACEHOLDER, f.repeat, f.binary); });
      },
      [scale](uint64_t a, uint64_t b, uint64_t, uint64_t) -> uint64_t {
        const auto sum = static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
        return ref::half_bits(relu(static_cast<float>(sum) * scale));
      });
  run(test, kRounds);
}

TEST_F(Elementwise, CopyAndDuplicate) {
  const auto same = [](uint64_t a, uint64_t, uint64_t, uint64_t) { return a; };
  const auto copy16 = [](const Form& f, const Place& p) {
    const auto d = tensor<half>(p.dst, 4000), a = tensor<half>(p.src0, 4000);
    const CopyRepeatParams strides{f.binary.dstBlkStride, f.binary.src0BlkStride, f.binary.dstRepStride,
                                   f.binary.src0RepStride};
    dispatch<half>(
        f, [&](int32_t n) { Copy(d, a, static_cast<uint32_t>(n)); },
        [&](auto mask) { Copy(d, a, mask, f.repeat, strides); },
        [&] { Copy<half, false>(d, a, MASK_PLACEHOLDER, f.repeat, strides); });
  };
  auto copies = make<half, half>("Copy half", 1, false, copy16, same);
  run_shapes(copies, 1000, 4);  // counter mode counts per repeat here: CopyCounterModeCountsPerRepeat
  const auto fill = [](const Form& f, const Place& p) {
    const auto d = tensor<float>(p.dst, 4000);
    const float s = from_raw_bits<float>(p.scalar);
    dispatch<float>(
        f, [&](int32_t n) { Duplicate(d, s, n); },
        [&](auto mask) { Duplicate(d, s, mask, f.repeat, f.binary.dstBlkStride, f.binary.dstRepStride); },
        [&] {
          Duplicate<float, false>(d, s, MASK_PLACEHOLDER, f.repeat, f.binary.dstBlkStride, f.binary.dstRepStride);
        });
  };
  run(make<float, float>("Duplicate float", 0, false, fill,
                         [](uint64_t, uint64_t, uint64_t, uint64_t s) { return s & 0xFFFFFFFFu; }),
      kRounds);
  const auto fill16 = [](const Form& f, const Place& p) {
    const auto d = tensor<bfloat16_t>(p.dst, 4000);
    const auto s = bfloat16_t::from_bits(static_cast<uint16_t>(p.scalar));
    dispatch<bfloat16_t>(
        f, [&](int32_t n) { Duplicate(d, s, n); },
        [&](auto mask) { Duplicate(d, s, mask, f.repeat, f.binary.dstBlkStride, f.binary.dstRepStride); },
        [&] {
          Duplicate<bfloat16_t, false>(d, s, MASK_PLACEHOLDER, f.repeat, f.binary.dstBlkStride, f.binary.dstRepStride);
        });
  };
  run(make<half, half>("Duplicate bfloat16", 0, false, fill16,
                       [](uint64_t, uint64_t, uint64_t, uint64_t s) { return s & 0xFFFFu; }),
      kRounds);
}

TEST_F(Elementwise, CopyCounterModeCountsPerRepeat) {
  fill_random(0, kWindow);
  const std::vector<std::byte> before = core().ub;
  SetMaskCount();
  SetVectorMask<float, MaskMode::COUNTER>(21);
  Copy<float, false>(tensor<float>(0, 1000), tensor<float>(8192, 1000), MASK_PLACEHOLDER, 3, {1, 1, 8, 4});
  for (uint32_t r = 0; r < 3; ++r) {
    for (uint32_t i = 0; i < 64; ++i) {
      uint32_t want = 0;
      std::memcpy(&want, before.data() + (i < 21 ? 8192 + r * 128 + i * 4 : r * 256 + i * 4), 4);
      EXPECT_EQ(load<uint32_t>(r * 256 + i * 4), want) << r << " " << i;
    }
  }
  EXPECT_TRUE(core().registers.counter_mode);
}

}  // namespace
}  // namespace vec
