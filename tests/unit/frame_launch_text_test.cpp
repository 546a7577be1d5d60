// ICPU_RUN_KF: every kind of callable and argument arrives, and the text is cut into kernel name and expressions.
// Also the text of device printf, against the host's snprintf.
// links: ascsan_flags
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ascendc/print_format.h"
#include "tikicpulib.h"

namespace {
struct Launch {
  std::string kernel, text;
  uint32_t block_dim = 0;
  std::vector<const void*> arguments;
};
Launch g_launch;
std::vector<int64_t> g_calls;
}  // namespace

extern "C" {
void ascsan_launch(const char* kernel, uint32_t block_dim, void (*entry)(void*), void* closure, const char* text,
                   const void* const* arguments, uint32_t count) {
  g_launch = {kernel, text, block_dim, std::vector<const void*>(arguments, arguments + count)};
  for (uint32_t block = 0; block < block_dim; ++block) entry(closure);
}
uint64_t ascsan_gate(ascsan::gate::Request*) {
  return 0;
}
}

namespace {

struct Tiling {
  int32_t a = 5, b = 6;
};

extern "C" void plain(uint8_t* x, uint8_t* y, uint8_t*) {
  g_calls.push_back(x != nullptr ? *x + (y == nullptr ? 0 : 100) : -1);
}
template <int a, int b>
void instance(uint8_t*, int32_t c) {
  g_calls.push_back(a * 100 + b * 10 + c);
}
void by_value(uint8_t*, Tiling tiling, double factor) {
  g_calls.push_back(static_cast<int64_t>(tiling.a * factor));
  tiling.a = 0;  // its own copy on every core
}
namespace inner {
void nested(uint8_t*) {}
}  // namespace inner

class LaunchText : public ::testing::Test {
 protected:
  void SetUp() override { g_calls.clear(); }
  uint8_t x[16] = {7}, y[4] = {};
};

TEST_F(LaunchText, PlainFunction) {
  ICPU_RUN_KF(plain, 3, x, (uint8_t*)y, nullptr);
  EXPECT_EQ(g_launch.kernel, "plain");
  EXPECT_EQ(g_launch.block_dim, 3u);
  EXPECT_EQ(g_launch.text, " x, (uint8_t*)y, nullptr");
  EXPECT_EQ(g_launch.arguments, (std::vector<const void*>{x, y, nullptr}));
  EXPECT_EQ(g_calls, (std::vector<int64_t>{107, 107, 107}));
}

TEST_F(LaunchText, NullPointersInEverySpelling) {
  ICPU_RUN_KF(plain, 1, x, NULL, 0);
  ICPU_RUN_KF(plain, 1, x, nullptr, nullptr);
  EXPECT_EQ(g_calls, (std::vector<int64_t>{7, 7}));
}

TEST_F(LaunchText, TemplateInstanceWithAndWithoutParentheses) {
  const uint32_t cores = 2;
  ICPU_RUN_KF(instance<1, 2>, cores, x, 3);
  EXPECT_EQ(g_launch.kernel, "instance<1, 2>");
  EXPECT_EQ(g_launch.text, " x, 3");
  ICPU_RUN_KF((instance<4, 5>), 1, x, 6);
  EXPECT_EQ(g_launch.kernel, "instance<4, 5>");
  EXPECT_EQ(g_calls, (std::vector<int64_t>{123, 123, 456}));
}

TEST_F(LaunchText, StructsByValueStayAsGiven) {
  Tiling tiling;
  ICPU_RUN_KF(by_value, 2, x, tiling, 2.5);
  EXPECT_EQ(g_calls, (std::vector<int64_t>{12, 12}));
  EXPECT_EQ(g_launch.arguments, (std::vector<const void*>{x, nullptr, nullptr}));
}

TEST_F(LaunchText, LambdasAndPointers) {
  int captured = 4;
  auto kernel = [&](uint8_t* p, int n) { g_calls.push_back(*p + n + captured); };
  ICPU_RUN_KF(kernel, 1, x, 1);
  EXPECT_EQ(g_launch.kernel, "kernel");
  ICPU_RUN_KF([](uint8_t* p, int n) { g_calls.push_back(*p * n); }, 1, x, 2);
  EXPECT_EQ(g_launch.kernel, "lambda");
  EXPECT_EQ(g_launch.text, " x, 2");
  void (*pointer)(uint8_t*, int32_t) = &instance<7, 8>;
  ICPU_RUN_KF(pointer, 1, x, 9);
  ICPU_RUN_KF(&inner::nested, 1, x);
  EXPECT_EQ(g_launch.kernel, "inner::nested");
  EXPECT_EQ(g_calls, (std::vector<int64_t>{12, 14, 789}));
}

TEST_F(LaunchText, CommasInsideArgumentsDoNotCount) {
  const auto pick = [](uint8_t* a, uint8_t*) { return a; };
  ICPU_RUN_KF(plain, 1, pick(x, y), (static_cast<void>(0), y), x + std::string("a,b)(").size());
  EXPECT_EQ(g_launch.text, " pick(x, y), (static_cast<void>(0), y), x + std::string(\"a,b)(\").size()");
  EXPECT_EQ(g_launch.kernel, "plain");
}

TEST_F(LaunchText, NoArguments) {
  const auto kernel = [] { g_calls.push_back(1); };
  ICPU_RUN_KF(kernel, 2);
  EXPECT_EQ(g_launch.kernel, "kernel");
  EXPECT_EQ(g_launch.text, "");
  EXPECT_EQ(g_calls.size(), 2u);
}

template <typename... Args>
std::string device(const char* format, const Args&... args) {
  const AscendC::detail::PrintArgument list[sizeof...(Args) + 1] = {AscendC::detail::print_argument(args)...};
  return AscendC::detail::format_text(format, list, sizeof...(Args));
}

TEST(PrintFormat, AgreesWithSnprintfWhereThatIsDefined) {
#define EXPECT_LIKE_HOST(...)                              \
  do {                                                     \
    char expected[256];                                    \
    std::snprintf(expected, sizeof expected, __VA_ARGS__); \
    EXPECT_EQ(device(__VA_ARGS__), expected);              \
  } while (0)
  EXPECT_LIKE_HOST("plain, 100%%");
  EXPECT_LIKE_HOST("%d|%i|%u", -5, 7, 8u);
  EXPECT_LIKE_HOST("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
  EXPECT_LIKE_HOST("%x|%X|%#x|%o", 255u, 255u, 255u, 8u);
  EXPECT_LIKE_HOST("%x %x", -1, static_cast<unsigned>(-2));
  EXPECT_LIKE_HOST("%lld %llu", std::numeric_limits<long long>::min(), std::numeric_limits<unsigned long long>::max());
  EXPECT_LIKE_HOST("%ld %zu %hd", -3L, sizeof(int), static_cast<short>(7));
  EXPECT_LIKE_HOST("%f|%.2f|%10.3f|%e|%g", 1.5, 2.345, -3.0, 12345.678, 0.0001);
  EXPECT_LIKE_HOST("%s|%10s|%-4s|%.2s", "abc", "def", "g", "hijk");
  EXPECT_LIKE_HOST("%c%c", 'o', 'k');
  EXPECT_LIKE_HOST("%*d|%.*f", 6, 42, 2, 3.14159);
#undef EXPECT_LIKE_HOST
}

TEST(PrintFormat, WrongLettersAndCountsStayReadable) {
  EXPECT_EQ(device("%d", 1.25f), "1.250000");
  EXPECT_EQ(device("%f %f", static_cast<half>(0.5f), 3), "0.500000 3");
  EXPECT_EQ(device("%s", 17), "17");
  EXPECT_EQ(device("%d", "text"), "text");
  EXPECT_EQ(device("%d %d", 1), "1 <missing>");
  EXPECT_EQ(device("%u", static_cast<int8_t>(-1)), "255");
  EXPECT_EQ(device("%d", true), "1");
  EXPECT_EQ(device("%p", reinterpret_cast<const int*>(0x10)), "0x10");
  EXPECT_EQ(device("%s", static_cast<const char*>(nullptr)), "(null)");
  EXPECT_EQ(device("end %"), "end %");
  EXPECT_EQ(device("%200d", 1).size(), 200u) << "longer than the first buffer";
}

}  // namespace
