// bench_flce: speed and memory of the native loss head against the bare matrix products of the best library here, its
// own unfused form and torch eager. Variants take turns, medians are quoted; a bar compares the median of the ratios
// within a round, the same for all variants, so that a machine that is slow for a while slows both sides. Those that
// are compared stand next to each other in a round. Three bare products are the first one plus the other two, timed one
// after the other. The summary with its bars comes last and the program ends with 1 when one is missed.
// bf16 shapes: input, weight and input_grad bf16, weight_grad fp32; the logits of the bare product are bf16.
//   bench_flce [--quick] [--repeats N] [--threads N] [--python PATH] [--only TEXT]
// Rounds: as many as --repeats; a bar that is undecided then is measured once more, its two variants alone. --quick:
// two small shapes, three repeats instead of seven. --only: the parts whose name contains TEXT; besides the shapes
// there are "memory" and "scaling". Ratios to bare products use the best library on the operands as the caller has
// them; what the same library reaches on a weight reordered beforehand (which costs a second weight) is shown next to
// it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bare.h"
#include "flce/runtime.h"
#include "head_data.h"
#include "torch_process.h"

#ifndef FLCE_BENCH_PYTHON
#define FLCE_BENCH_PYTHON "python3"
#endif

namespace flce_bench {
namespace {

// Heads of public models, tokens scaled to a small machine (operators-usage section 4).
const Shape kGrid[] = {{"qwen2.5-0.5b, TP 8", 512, 896, 18992},
                       {"qwen3-30b-a3b, TP 8", 512, 2048, 18992},
                       {"llama-3-8b, TP 8", 512, 4096, 16032},
                       {"mistral-7b", 256, 4096, 32000},
                       {"qwen3-0.6b", 256, 1024, 151936},
                       {"tails", 129, 64, 257},
                       {"gpt2, TP 2", 512, 768, 25129},
                       {"qwen2.5-0.5b, TP 8, bf16", 512, 896, 18992, DType::kBFloat16},
                       {"qwen3-30b-a3b, TP 8, bf16", 512, 2048, 18992, DType::kBFloat16},
                       {"llama-3-8b, TP 8, bf16", 512, 4096, 16032, DType::kBFloat16}};
const Shape kQuick[] = {{"qwen2.5-0.5b, TP 8", 512, 896, 18992}, {"tails", 129, 64, 257}};

struct Settings {
  bool quick = false;
  int repeats = 7, threads = 0;
  std::string python = FLCE_BENCH_PYTHON, only;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

struct Variant {
  std::string name;
  std::function<double()> run;  // seconds
  std::vector<double> seconds;
  std::function<double()> alone = nullptr;  // for a variant whose run counts on another one in the same round
  double time() const { return median(seconds); }
};

struct Bar {
  std::string what;
  double value, limit;
  bool at_most;
  double error = 0;                    // standard error of a value that is a median
  Variant *a = nullptr, *b = nullptr;  // value is the median of a / b
  bool met() const { return at_most ? value <= limit : value >= limit; }
  bool decided() const { return std::fabs(value - limit) > 2 * error; }
};

std::function<double()> timed(std::function<void()> f) {
  return [f] {
    const double begin = now();
    f();
    return now() - begin;
  };
}

// The pause lets the threads of the libraries, which spin for some 25 ms after their last product, go to sleep: they
// would be timed as a slow-down of whatever comes next. A sample of less than 10 ms is the mean of as many calls as
// fill them.
constexpr double kSample = 10e-3;
double sample(const std::function<double()>& run, int calls) {
  usleep(50000);
  double sum = 0;
  for (int c = 0; c < calls; ++c) sum += run();
  return sum / calls;
}
int calls_for(const std::function<double()>& run) {
  return 1 + static_cast<int>(kSample / run());
}

// Two warm-up calls each, then every variant once per round: `rounds` of them, more for shapes that are done quickly.
void interleave(std::vector<Variant>& all, int rounds) {
  constexpr double kTotal = 4;
  constexpr int kMostRounds = 41;
  std::vector<int> calls;
  for (Variant& v : all) {
    v.run();
    calls.push_back(calls_for(v.run));
  }
  const double begin = now();
  for (int r = 0; r < rounds || (r < kMostRounds && now() - begin < kTotal); ++r) {
    for (size_t i = 0; i < all.size(); ++i) all[i].seconds.push_back(sample(all[i].run, calls[i]));
  }
}

// The fastest variant whose name starts with `prefix`; a weight packed beforehand counts only when asked for.
Variant& best(std::vector<Variant>& all, const std::string& prefix, bool packed = false) {
  Variant* found = nullptr;
  for (Variant& v : all) {
    if (v.name.rfind(prefix, 0) != 0 || (!packed && v.name.find("packed") != std::string::npos)) continue;
    if (found == nullptr || v.time() < found->time()) found = &v;
  }
  return *found;
}
// Quotients within a round: a machine that slows down for a while slows both.
std::vector<double> quotients(const Variant& a, const Variant& b) {
  std::vector<double> q;
  for (size_t i = 0; i < a.seconds.size(); ++i) q.push_back(a.seconds[i] / b.seconds[i]);
  return q;
}
double ratio(Variant& a, Variant& b) {
  return median(quotients(a, b));
}
// Error of a median: 1.25 sigma / sqrt(n), sigma from the median deviation, which outliers leave alone.
void set_value(Bar* bar, const std::vector<double>& q) {
  bar->value = median(q);
  std::vector<double> away;
  for (const double x : q) away.push_back(std::fabs(x - bar->value));
  bar->error = 1.25 * 1.48 * median(away) / std::sqrt(static_cast<double>(q.size()));
}
// The bar on a / b.
Bar ratio_bar(const std::string& what, Variant& a, Variant& b, double limit, bool at_most) {
  Bar bar{what, 0, limit, at_most, 0, &a, &b};
  set_value(&bar, quotients(a, b));
  return bar;
}

// A bar within two standard errors of its value, on either side, is measured anew: its two variants alone, one right
// behind the other and in changing order, until it is decided.
void decide(std::vector<Bar>* bars) {
  constexpr int kLeast = 12, kMost = 60;
  for (Bar& bar : *bars) {
    if (bar.decided() || bar.a == nullptr) continue;
    const auto run_of = [](const Variant& v) { return v.alone ? v.alone : v.run; };
    const std::function<double()> a = run_of(*bar.a), b = run_of(*bar.b);
    const int calls_a = calls_for(a), calls_b = calls_for(b);
    std::vector<double> q;
    while (static_cast<int>(q.size()) < kMost && (static_cast<int>(q.size()) < kLeast || !bar.decided())) {
      const bool swap = q.size() % 2 == 1;
      const double first = swap ? sample(b, calls_b) : sample(a, calls_a);
      const double second = swap ? sample(a, calls_a) : sample(b, calls_b);
      q.push_back(swap ? second / first : first / second);
      set_value(&bar, q);
    }
    std::printf("  %s: undecided, measured alone in %zu pairs\n", bar.what.c_str(), q.size());
  }
  for (Bar& bar : *bars) bar.a = bar.b = nullptr;  // the variants end here
}

// Two variants: the first product, and all three as the first one of the same round plus the others.
std::pair<Variant, Variant> bare_variants(Bare* library) {
  auto first = std::make_shared<double>(0);
  return {{"bare forward, " + library->name(),
           [library, first] { return *first = timed([library] { library->forward(); })(); },
           {}},
          {"bare three products, " + library->name(),
           [library, first] { return *first + timed([library] { library->backward(); })(); },
           {},
           timed([library] {
             library->forward();
             library->backward();
           })}};
}

std::vector<Bar> bench_shape(const Shape& s, const Settings& set, TorchProcess* plain, TorchProcess* kept) {
  const int threads = set.threads;
  Data d(s);
  Numbers logits(s.m * s.n, s.dtype);  // and their gradient
  std::vector<float> softmax(s.m * s.n);
  Unfused unfused(d, logits, softmax);
  const Products products{d.x.data(), d.w.data(), logits.data(), d.dx.data(), d.dw.data(), s.m, s.k, s.n, s.bf16()};
  std::vector<std::unique_ptr<Bare>> libraries;
  libraries.push_back(make_onednn(products, false));
  if (auto blas = make_blas(products)) libraries.push_back(std::move(blas));
  libraries.push_back(make_onednn(products, true));
  // Forward with forward, gradients with gradients: what is compared runs within the same second.
  std::vector<std::pair<Variant, Variant>> bare;
  for (const auto& library : libraries) bare.push_back(bare_variants(library.get()));
  std::vector<Variant> all;
  for (size_t i = 0; i + 1 < bare.size(); ++i) all.push_back(bare[i].first);
  all.push_back({"forward", timed([&] { d.forward(0); }), {}});
  all.push_back({"unfused forward", timed([&] { unfused.forward(); }), {}});
  all.push_back(bare.back().first);
  for (size_t i = 0; i + 1 < bare.size(); ++i) all.push_back(bare[i].second);
  all.push_back({"gradients in forward", timed([&] { d.three(0); }), {}});
  all.push_back({"unfused both", timed([&] { unfused.both(); }), {}});
  all.push_back({"recompute", timed([&] { d.recompute(0); }), {}});
  all.push_back(bare.back().second);
  for (TorchProcess* p : {plain, kept}) {
    if (p == nullptr || !p->ok()) continue;
    all.push_back({p == plain ? "torch as it comes" : "torch heap kept",
                   [&, p] { return p->run(s.m, s.k, s.n, threads, s.bf16() ? "bfloat16" : "float32", true); },
                   {}});
  }
  interleave(all, set.repeats);
  std::printf("\n%s: m %lld, k %lld, n %lld, %d threads, %s, %zu rounds\n", s.name, static_cast<long long>(s.m),
              static_cast<long long>(s.k), static_cast<long long>(s.n), threads, flce::isa().c_str(),
              all.front().seconds.size());
  const double flops = 2e-9 * static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
  for (const Variant& v : all) {
    const double spread =
        *std::max_element(v.seconds.begin(), v.seconds.end()) / *std::min_element(v.seconds.begin(), v.seconds.end());
    std::printf("  %-34s %9.2f ms  (max/min %.2f)  %6.0f GFLOP/s of one product\n", v.name.c_str(), 1e3 * v.time(),
                spread, flops / v.time());
  }
  if (s.k >= 896) {
    std::printf(
        "  over products of a weight packed beforehand: forward %.3f, gradients in forward %.3f, recompute %.3f\n",
        ratio(best(all, "forward"), best(all, "bare forward", true)),
        ratio(best(all, "gradients in forward"), best(all, "bare three", true)),
        ratio(best(all, "recompute"), best(all, "bare three", true)));
  }
  std::vector<Bar> bars;
  Variant &forward = best(all, "forward"), &three = best(all, "gradients in forward"),
          &recompute = best(all, "recompute");
  const auto bar = [&](const char* what, Variant& a, Variant& b, double limit, bool at_most) {
    bars.push_back(ratio_bar(std::string(s.name) + ": " + what, a, b, limit, at_most));
  };
  if (s.k >= 896) {  // the bars on ratios to bare products are stated for these
    Variant &bare = best(all, "bare forward"), &bare_three = best(all, "bare three");
    bar("forward / bare product", forward, bare, s.k >= 2048 ? 1.05 : 1.10, true);
    bar("gradients in forward / three bare", three, bare_three, 1.10, true);
    bar("recompute / three bare", recompute, bare_three, 1.45, true);
  }
  bar("forward / unfused", forward, best(all, "unfused forward"), 1.0, true);
  bar("gradients in forward / unfused", three, best(all, "unfused both"), 1.0, true);
  if (plain && plain->ok())
    bar("torch as it comes / gradients in forward", best(all, "torch as it comes"), three, 1.15, false);
  if (kept && kept->ok())
    bar("torch heap kept / gradients in forward", best(all, "torch heap kept"), three, 1.0, false);
  decide(&bars);
  return bars;
}

// Peak memory of one call beyond inputs and gradients, in a child of its own.
double peak_kib(const Shape& s, int threads, void (*call)(Data&, int)) {
  int fd[2];
  if (pipe(fd) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    auto status = [](const char* key) {
      double kib = -1;
      FILE* f = std::fopen("/proc/self/status", "r");
      char line[256];
      while (f && std::fgets(line, sizeof line, f)) {
        if (std::strncmp(line, key, std::strlen(key)) == 0) kib = std::atof(line + std::strlen(key) + 1);
      }
      if (f) std::fclose(f);
      return kib;
    };
    Data small({"warm-up", 64, 256, 1024});
    call(small, threads);  // threads started, code paged in
    flce::set_scratch_limit(0);
    Data d(s);
    d.dx.fill([] { return 1.0f; });
    std::fill(d.dw.begin(), d.dw.end(), 1.0f);
    if (FILE* f = std::fopen("/proc/self/clear_refs", "w")) {
      std::fputs("5", f);
      std::fclose(f);
    }
    const double before = status("VmRSS");
    call(d, threads);
    const double extra = status("VmHWM") - before;
    if (write(fd[1], &extra, sizeof extra) != sizeof extra) _exit(1);
    _exit(0);
  }
  double kib = -1;
  close(fd[1]);
  if (read(fd[0], &kib, sizeof kib) != sizeof kib) kib = -1;
  close(fd[0]);
  waitpid(pid, nullptr, 0);
  return kib;
}

std::vector<Bar> bench_memory(const Settings& set) {
  std::vector<Bar> bars;
  std::printf("\npeak memory beyond inputs and gradients (fp32), share of the fp32 logits matrix\n");
  std::vector<Shape> shapes{{"32k classes, k 2048", 4096, 2048, 32768}, {"qwen3-0.6b", 512, 1024, 151936}};
  if (set.quick) shapes = {{"quick", 4096, 64, 32768}};
  for (const Shape& s : shapes) {
    const double logits = 4.0 * static_cast<double>(s.m) * static_cast<double>(s.n) / 1024;
    const double forward = peak_kib(s, set.threads, [](Data& d, int t) { d.forward(t); });
    const double recompute = peak_kib(s, set.threads, [](Data& d, int t) { d.recompute(t); });
    const double three = peak_kib(s, set.threads, [](Data& d, int t) { d.three(t); });
    const double chunk =
        logits * std::min<double>(1, static_cast<double>(flce::kDefaultChunkRows) / static_cast<double>(s.m));
    std::printf(
        "  %-26s forward %.1f MiB, recompute %.1f MiB, gradients in forward %.1f MiB (chunk of %lld rows: %.1f MiB), "
        "logits %.0f MiB\n",
        s.name, forward / 1024, recompute / 1024, three / 1024, static_cast<long long>(flce::kDefaultChunkRows),
        chunk / 1024, logits / 1024);
    const std::string at = std::string(s.name) + ": ";
    bars.push_back({at + "forward memory / logits", forward / logits, 0.02, true});
    bars.push_back({at + "recompute memory / logits", recompute / logits, 0.02, true});
    // Beyond the stated chunk the path needs what the recomputing one needs.
    bars.push_back(
        {at + "gradients in forward memory / (chunk + 2 % of logits)", three / (chunk + 0.02 * logits), 1.0, true});
  }
  return bars;
}

std::vector<Bar> bench_scaling(const Settings& set) {
  Data d({"scaling", 512, 1024, set.quick ? 8000 : 32000});
  std::vector<Variant> all;
  for (const int threads : {1, 2}) {
    const std::string with = std::to_string(threads) + " threads";
    all.push_back({"forward, " + with, timed([&, threads] { d.forward(threads); }), {}});
    all.push_back({"both, " + with, timed([&, threads] { d.three(threads); }), {}});
  }
  interleave(all, set.repeats);
  std::printf("\nstrong scaling, m 512, k 1024\n");
  for (const Variant& v : all) std::printf("  %-34s %9.2f ms\n", v.name.c_str(), 1e3 * v.time());
  std::vector<Bar> bars{ratio_bar("scaling 1 to 2 threads, forward", all[0], all[2], 1.8, false),
                        ratio_bar("scaling 1 to 2 threads, gradients in forward", all[1], all[3], 1.8, false)};
  decide(&bars);
  return bars;
}

int summary(const std::vector<Bar>& bars) {
  int missed = 0;
  std::printf("\nsummary\n");
  for (const Bar& b : bars) {
    char error[32] = "";
    if (b.error > 0) std::snprintf(error, sizeof error, "+- %.3f", b.error);
    std::printf("  %-72s %7.3f %-8s  bar %s %.2f  %s\n", b.what.c_str(), b.value, error,
                b.at_most ? "<=" : ">=", b.limit, b.met() ? "ok" : "MISSED");
    missed += !b.met();
  }
  std::printf("%zu bars, %d missed\n", bars.size(), missed);
  return missed ? 1 : 0;
}

// A torch without an optimised BLAS is no opponent: its rows would be met by anything, after hours.
bool fair(TorchProcess* torch, const Settings& set) {
  if (!torch->ok()) {
    std::printf("\ntorch: not importable by the given python, its rows are left out\n");
    return false;
  }
  constexpr double kFair = 8;
  Data d({"torch", 256, 896, 4096});
  std::vector<double> slower;
  for (int i = 0; i < 3; ++i) {
    const double theirs = torch->run(d.s.m, d.s.k, d.s.n, set.threads, "float32", false);
    slower.push_back(theirs / timed([&] { d.forward(set.threads); })());
  }
  const double times = median(slower);
  const char* verdict = "";
  if (times <= 0) verdict = ", but it fails on linear and cross_entropy: its rows are left out";
  if (times >= kFair)
    verdict =
        ", many times slower than one matrix product: its BLAS is the reference one (Debian: install libopenblas0), "
        "its "
        "rows are left out";
  std::printf("\ntorch: %s%s\n", torch->version().c_str(), verdict);
  return times > 0 && times < kFair;
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (a == "--quick")
      s.quick = true, s.repeats = 3;
    else if (a == "--repeats")
      s.repeats = std::atoi(value().c_str());
    else if (a == "--threads")
      s.threads = std::atoi(value().c_str());
    else if (a == "--python")
      s.python = value();
    else if (a == "--only")
      s.only = value();
    else {
      std::fprintf(stderr, "usage: bench_flce [--quick] [--repeats N] [--threads N] [--python PATH] [--only TEXT]\n");
      std::exit(2);
    }
  }
  if (s.repeats < 1) s.repeats = 1;
  if (s.threads < 1) s.threads = flce::threads();
  return s;
}

}  // namespace
}  // namespace flce_bench

int main(int argc, char** argv) {
  using namespace flce_bench;
  const Settings set = parse(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto wanted = [&](const char* name) { return std::string(name).find(set.only) != std::string::npos; };
  std::vector<Bar> bars;
  const auto add = [&](const std::vector<Bar>& more) { bars.insert(bars.end(), more.begin(), more.end()); };
  flce::set_threads(set.threads);
  if (wanted("memory")) add(bench_memory(set));  // first: children are forked before any library starts threads
  flce::set_scratch_limit(1LL << 30);
  set_library_threads(set.threads);
  std::vector<Shape> grid(set.quick ? std::begin(kQuick) : std::begin(kGrid),
                          set.quick ? std::end(kQuick) : std::end(kGrid));
  grid.erase(std::remove_if(grid.begin(), grid.end(), [&](const Shape& s) { return !wanted(s.name); }), grid.end());
  if (!grid.empty()) {
    TorchProcess plain(set.python, FLCE_BENCH_DIR "/torch_eager.py", false),
        kept(set.python, FLCE_BENCH_DIR "/torch_eager.py", true);
    const bool torch = fair(&plain, set);
    for (const Shape& s : grid) add(bench_shape(s, set, torch ? &plain : nullptr, torch ? &kept : nullptr));
  }
  if (wanted("scaling")) add(bench_scaling(set));
  return summary(bars);
}
