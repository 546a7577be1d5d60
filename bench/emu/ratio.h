// Speed as a ratio within one run: two variants in turn, medians, a bar. The summary comes last; a missed bar is
// exit 1.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace ascsan::bench {

/// What keeps a benchmark from running is no missed bar: exit 2.
[[noreturn]] inline void give_up(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n", text.c_str());
  std::exit(2);
}

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Row {
  std::string name, detail;
  double value, bar;
  const char* unit;
};

class Table {
 public:
  /// Times `tested` and `base` in turn and adds the ratio of their medians. Each returns after a fixed amount of work;
  /// `scale` converts the ratio when the two do different amounts.
  void ratio(const std::string& name, double bar, int rounds, const std::function<void()>& tested,
             const std::function<void()>& base, double scale = 1) {
    std::vector<double> a, b;
    tested();
    base();
    for (int i = 0; i < rounds; ++i) {
      a.push_back(seconds_of(tested));
      b.push_back(seconds_of(base));
    }
    const double top = median(a), bottom = median(b);
    char detail[96];
    std::snprintf(detail, sizeof detail, "%.3f ms against %.3f ms", top * 1e3, bottom * 1e3);
    add({name, detail, top / bottom * scale, bar, "x"});
  }
  void absolute(const std::string& name, double bar, int rounds, const std::function<void()>& tested, const char* unit,
                double per_second) {
    std::vector<double> a;
    tested();
    for (int i = 0; i < rounds; ++i) a.push_back(seconds_of(tested));
    add({name, "", median(a) * per_second, bar, unit});
  }
  void add(Row row) {
    rows_.push_back(row);
    std::printf("%-58s %8.2f%-3s bar %6.1f%-3s %s\n", row.name.c_str(), row.value, row.unit, row.bar, row.unit,
                row.detail.c_str());
    std::fflush(stdout);
  }
  int summary() const {
    size_t missed = 0;
    for (const Row& row : rows_) missed += row.value > row.bar ? 1 : 0;
    for (const Row& row : rows_)
      if (row.value > row.bar) std::printf("missed: %s\n", row.name.c_str());
    std::printf("summary: %zu of %zu bars met\n", rows_.size() - missed, rows_.size());
    return missed == 0 ? 0 : 1;
  }

 private:
  std::vector<Row> rows_;
};

}  // namespace ascsan::bench
