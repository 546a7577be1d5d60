// The price of checking: each kernel with all checkers against none, in turn in one run (issue bars: geometric
// mean 1.8x, worst 4x), the shadow's memory and the growth with a longer loop. `./dev bench check` prints the table,
// the summary last, and fails when a bar is missed.
#include <cmath>
#include <cstring>

#include "ascsan/run.h"
#include "growth.h"
#include "ratio.h"
#include "subjects.h"

namespace ascsan::bench {
namespace {
constexpr int kRounds = 7;
constexpr double kSecondsPerSample = 0.01;

/// Seconds of one launch with checking on or off. The first launch after the switch builds the machine anew: not timed.
double sample(const Subject& subject, bool checked, int launches) {
  set_option("check", checked ? "on" : "off");
  subject.launch();
  return seconds_of([&] {
           for (int i = 0; i < launches; ++i) subject.launch();
         }) /
         launches;
}

int launches_per_sample(const Subject& subject) {
  const double once = std::max(sample(subject, false, 1), 1e-7);
  return std::clamp(static_cast<int>(kSecondsPerSample / once), 1, 2000);
}

double cost(const Subject& subject, std::string& detail) {
  const int launches = launches_per_sample(subject);
  std::vector<double> on, off;
  for (int round = 0; round < kRounds; ++round) {
    on.push_back(sample(subject, true, launches));
    off.push_back(sample(subject, false, launches));
  }
  char text[80];
  std::snprintf(text, sizeof text, "%.1f us against %.1f us", median(on) * 1e6, median(off) * 1e6);
  detail = text;
  return median(on) / median(off);
}

void measure_cost(Table& table, const std::vector<Maker>& makers, const std::string& only) {
  double logs = 0;
  int measured = 0;
  for (const Maker& make : makers) {
    const Subject subject = make();
    if (subject.name.find(only) == std::string::npos) continue;
    std::string detail;
    const double ratio = cost(subject, detail);
    logs += std::log(ratio);
    ++measured;
    table.add({subject.name + ", checked / unchecked", detail, ratio, 4, "x"});
  }
  if (measured == 0) return;
  table.add({"geometric mean of " + std::to_string(measured) + " kernels", "", std::exp(logs / measured), 1.8, "x"});
}

int run(const char* program, const std::string& only) {
  Table table;
  set_option("progress", "none");
  std::vector<Maker> makers = corpus_kernels();
  for (Maker& make : operator_kernels()) makers.push_back(std::move(make));
  for (Maker& make : litmus_kernels()) makers.push_back(std::move(make));
  measure_cost(table, makers, only);
  if (only.empty()) measure_growth(table, program);
  return table.summary();
}

}  // namespace
}  // namespace ascsan::bench

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--job") == 0) return ascsan::bench::run_job(argv[2], argv[3], argv[4]);
  const bool filtered = argc == 3 && std::strcmp(argv[1], "--only") == 0;
  if (argc != 1 && !filtered) {
    std::fprintf(stderr, "usage: bench_check [--only TEXT]   (kernels whose name contains TEXT, no growth)\n");
    return 2;
  }
  const int status = ascsan::bench::run("/proc/self/exe", filtered ? argv[2] : "");
  std::fflush(stdout);
  _Exit(status);  // the verdict of the launches is clean and would follow the summary
}
