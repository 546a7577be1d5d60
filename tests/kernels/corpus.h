// What the kernel tests share: GM buffers, the list of schedules, fresh random data, and the rules for right, racy and
// hanging kernels. A test program whose kernels are right leaves checking on: any finding makes its exit status fail.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ascsan/run.h"
#include "tikicpulib.h"

namespace corpus {

struct Schedule {
  std::string name;
  uint64_t seed;
  std::string text() const { return "schedule " + name + ", seed " + std::to_string(seed); }
};

inline std::vector<Schedule> all_schedules() {
  std::vector<Schedule> list = {{"in_order", 1}, {"deferred", 1}};
  for (uint64_t seed = 1; seed <= 10; ++seed) list.push_back({"random", seed});
  for (uint64_t seed = 1; seed <= 3; ++seed) list.push_back({"pct", seed});
  return list;
}

inline void use(const Schedule& schedule) {
  ASSERT_TRUE(ascsan::set_option("schedule", schedule.name));
  ASSERT_TRUE(ascsan::set_option("seed", std::to_string(schedule.seed)));
}

/// A GM buffer of `size` elements, zero filled.
template <typename T>
class Gm {
 public:
  Gm(size_t size, const char* name) : size_(size), data_(static_cast<T*>(AscendC::GmAlloc(size * sizeof(T)))) {
    ascsan::name_tensor(data_, name);
  }
  Gm(const std::vector<T>& values, const char* name) : Gm(values.size(), name) {
    if (!values.empty()) std::memcpy(static_cast<void*>(data_), values.data(), values.size() * sizeof(T));
  }
  ~Gm() { AscendC::GmFree(data_); }
  Gm(const Gm&) = delete;
  Gm& operator=(const Gm&) = delete;
  void clear() { std::memset(static_cast<void*>(data_), 0, size_ * sizeof(T)); }
  operator uint8_t*() const { return reinterpret_cast<uint8_t*>(data_); }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }
  std::vector<T> values() const { return std::vector<T>(data_, data_ + size_); }

 private:
  size_t size_;
  T* data_;
};

/// Fresh random numbers; the seed is part of every failure message.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int integer(int low, int high) { return low + static_cast<int>(engine_() % static_cast<uint64_t>(high - low + 1)); }
  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <typename T>
  std::vector<T> integers(size_t size, int low, int high) {
    std::vector<T> values(size);
    for (T& value : values) value = static_cast<T>(integer(low, high));
    return values;
  }
  template <typename T>
  std::vector<T> reals(size_t size, double low, double high) {
    std::vector<T> values(size);
    for (T& value : values) value = static_cast<T>(real(low, high));
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

/// Index of the first element that differs, -1 if none.
template <typename T, typename U>
long first_difference(const Gm<T>& actual, const std::vector<U>& expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(static_cast<U>(actual[i]) == expected[i])) return static_cast<long>(i);
  return -1;
}

template <typename T, typename U>
void expect_equal(const Gm<T>& actual, const std::vector<U>& expected, const std::string& what) {
  ASSERT_GE(actual.size(), expected.size());
  const long i = first_difference(actual, expected);
  if (i < 0) return;
  const auto at = static_cast<size_t>(i);
  ADD_FAILURE() << what << ": element " << i << " is " << static_cast<double>(static_cast<U>(actual[at]))
                << ", expected " << static_cast<double>(expected[at]);
}

/// A kernel with a missing wait: right under in_order, wrong under at least one other schedule. `right` launches the
/// kernel and says whether its output is right.
inline void expect_racy(const std::function<bool()>& right) {
  use({"in_order", 1});
  EXPECT_TRUE(right()) << "the fault must not show under in_order";
  int wrong = 0;
  std::string shown;
  for (const Schedule& schedule : all_schedules()) {
    if (schedule.name == "in_order") continue;
    use(schedule);
    if (right()) continue;
    ++wrong;
    shown += shown.empty() ? schedule.text() : "; " + schedule.text();
  }
  EXPECT_GT(wrong, 0) << "no schedule shows the fault";
  ::testing::Test::RecordProperty("wrong_under", shown);
}

/// A kernel that hangs on the device: under every schedule the launch must end and say what waits for what.
inline void expect_hang(const char* kernel, const std::string& words, const std::function<void()>& launch) {
  for (const Schedule& schedule : all_schedules()) {
    use(schedule);
    ::testing::internal::CaptureStderr();
    launch();
    const std::string report = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(report.find(kernel), std::string::npos) << schedule.text() << "\n" << report;
    EXPECT_NE(report.find(" hangs"), std::string::npos) << schedule.text() << "\n" << report;
    EXPECT_NE(report.find(words), std::string::npos) << schedule.text() << "\n" << report;
  }
}

}  // namespace corpus
