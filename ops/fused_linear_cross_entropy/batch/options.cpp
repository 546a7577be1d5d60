// Command line (see options.h). CLI11 splits and documents; values are judged here, so that each message says what was
// given and what is expected.
#include "fused_linear_cross_entropy/batch/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "fused_linear_cross_entropy/batch/text.h"

namespace flce::batch {
namespace {

struct Raw {
  std::vector<std::string> cases;
  std::string variant = "shipped", schedule, seeds, profile, filter, shard = "1/1", engine = "emu", junit, json;
  std::string seed, repeat = "1", progress = "auto";
  bool list = false;
};

template <typename T>
bool parse_number(std::string_view text, T low, T high, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

constexpr uint64_t kMaxSeed = ~uint64_t{0};
constexpr uint64_t kMaxRuns = 1000000;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces(1);
  for (char c : text) {
    if (c == separator)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

/// "3,5,10..20" as numbers.
std::string parse_seeds(const std::string& text, std::vector<uint64_t>& seeds) {
  for (const std::string& piece : split(text, ',')) {
    const size_t dots = piece.find("..");
    uint64_t first = 0, last = 0;
    const bool ok = dots == std::string::npos
                        ? parse_number<uint64_t>(piece, 0, kMaxSeed, first) && (last = first, true)
                        : parse_number<uint64_t>(piece.substr(0, dots), 0, kMaxSeed, first) &&
                              parse_number<uint64_t>(piece.substr(dots + 2), first, kMaxSeed, last);
    if (!ok || last - first >= kMaxRuns)
      return fmt::format("--seeds: \"{}\" given, a list like 1..20 or 3,5,8 of ascending numbers is expected", text);
    for (uint64_t seed = first;; ++seed) {
      seeds.push_back(seed);
      if (seed == last) break;
    }
  }
  return {};
}

std::string parse_runs(const Raw& raw, Options& options) {
  uint64_t seed = 1, repeat = 1;
  if (!raw.seed.empty() && !parse_number<uint64_t>(raw.seed, 0, kMaxSeed, seed))
    return fmt::format("--seed: \"{}\" given, a number from 0 to {} is expected", raw.seed, kMaxSeed);
  if (!parse_number<uint64_t>(raw.repeat, 1, kMaxRuns, repeat))
    return fmt::format("--repeat: \"{}\" given, a number from 1 to {} is expected", raw.repeat, kMaxRuns);
  std::vector<uint64_t> seeds;
  if (!raw.seeds.empty()) {
    if (!raw.seed.empty()) return "--seeds: cannot be given together with --seed";
    if (std::string error = parse_seeds(raw.seeds, seeds); !error.empty()) return error;
  } else {
    seeds.push_back(seed);
  }
  options.seed_given = !raw.seed.empty() || !raw.seeds.empty() || repeat > 1;
  for (const std::string& schedule : split(raw.schedule, ','))
    for (uint64_t first : seeds)
      for (uint64_t i = 0; i < repeat; ++i) options.runs.push_back({schedule, first + i});
  return {};
}

std::string parse_shard(const std::string& text, Options& options) {
  const size_t slash = text.find('/');
  const bool ok = slash != std::string::npos &&
                  parse_number<uint32_t>(text.substr(slash + 1), 1, 100000, options.shards) &&
                  parse_number<uint32_t>(text.substr(0, slash), 1, options.shards, options.shard);
  return ok ? std::string() : fmt::format("--shard: \"{}\" given, i/n with 1 <= i <= n is expected", text);
}

template <size_t count>
std::string one_of(std::string_view option, std::string_view given, const std::string_view (&choices)[count]) {
  for (std::string_view choice : choices)
    if (choice == given) return {};
  return fmt::format("{}: \"{}\" given{}", option, given, suggestion(given, choices));
}

/// First problem of the values, or nothing.
std::string judge(const Raw& raw, Options& options) {
  constexpr std::string_view kVariants[] = {"shipped", "missing_sync"}, kEngines[] = {"emu", "cpu"};
  constexpr std::string_view kProfiles[] = {"auto", "strict"}, kProgress[] = {"auto", "none"};
  constexpr std::string_view kSchedules[] = {"in_order", "deferred", "random", "pct"};
  if (std::string error = one_of("--variant", raw.variant, kVariants); !error.empty()) return error;
  if (std::string error = one_of("--engine", raw.engine, kEngines); !error.empty()) return error;
  if (std::string error = one_of("--progress", raw.progress, kProgress); !error.empty()) return error;
  if (!raw.profile.empty())
    if (std::string error = one_of("--profile", raw.profile, kProfiles); !error.empty()) return error;
  if (!raw.schedule.empty())
    for (const std::string& schedule : split(raw.schedule, ','))
      if (std::string error = one_of("--schedule", schedule, kSchedules); !error.empty()) return error;
  if (std::string error = parse_shard(raw.shard, options); !error.empty()) return error;
  return parse_runs(raw, options);
}

void declare(CLI::App& app, Raw& raw) {
  app.add_option("--cases", raw.cases, "case files (TOML); default: smoke.toml of the shipped cases")
      ->type_name("FILE...");
  app.add_option("--variant", raw.variant,
                 "shipped | missing_sync: without the barrier after TargetProcess (default shipped)");
  app.add_option("--schedule", raw.schedule,
                 "in_order | deferred | random | pct, or several with commas (default: as ascsan)");
  app.add_option("--seed", raw.seed, "seed of the first run of a case; run i has seed + i (default 1)");
  app.add_option("--seeds", raw.seeds, "list of seeds instead, e.g. 1..20 or 3,5,8");
  app.add_option("--repeat", raw.repeat, "runs of each case per schedule and seed (default 1)");
  app.add_option("--profile", raw.profile, "auto | strict: what the compiler is assumed to order (default: as ascsan)");
  app.add_option("--shard", raw.shard, "i/n: every n-th case, from the i-th on (default 1/1)");
  app.add_option("--filter", raw.filter, "only cases whose file/name contains this text");
  app.add_option("--engine", raw.engine,
                 "emu: the kernel on the modelled NPU | cpu: the native operator too, compared with it (default emu)");
  app.add_option("--junit", raw.junit, "write JUnit XML to this file")->type_name("FILE");
  app.add_option("--json", raw.json, "write results as JSON to this file")->type_name("FILE");
  app.add_option("--progress", raw.progress, "auto: a bar on terminals | none (default auto)");
  app.add_flag("--list", raw.list, "list the cases and stop");
}

std::string unknown_argument(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string bare = given.substr(0, given.find('='));
  if (bare.rfind("--", 0) != 0) return fmt::format("unknown argument \"{}\"; case files follow --cases", given);
  return fmt::format("unknown option {}{}", bare, suggestion(bare, views));
}

std::string first_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

const char* name_of(ascendc::Variant variant) {
  return variant == ascendc::Variant::kShipped ? "shipped" : "missing_sync";
}

ParsedOptions parse_options(int argc, const char* const* argv) {
  ParsedOptions result;
  Raw raw;
  CLI::App app(
      "Runs cases of fused_linear_online_max_sum on the modelled NPU and compares every output with the float64 "
      "reference and between repeats.\nExit code: 0 all pass, 1 something is flaky or fails, 2 wrong usage.",
      "flce_batch");
  declare(app, raw);
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    result.stop = true;
    result.text = app.help();
    return result;
  } catch (const CLI::ParseError& error) {
    result.error = first_line(error.what()) + "; see flce_batch --help";
    return result;
  }
  if (!app.remaining().empty()) {
    result.error = unknown_argument(app, app.remaining().front());
    return result;
  }
  Options& options = result.options;
  result.error = judge(raw, options);
  if (raw.cases.empty()) raw.cases.push_back(FLCE_CASES_DIR "/smoke.toml");
  options.case_paths = raw.cases;
  options.variant = raw.variant == "shipped" ? ascendc::Variant::kShipped : ascendc::Variant::kMissingSync;
  options.engine = raw.engine == "cpu" ? Engine::kCpu : Engine::kEmu;
  options.profile = raw.profile;
  options.filter = raw.filter;
  options.junit_path = raw.junit;
  options.json_path = raw.json;
  options.progress = raw.progress == "auto" && isatty(STDERR_FILENO) == 1;
  options.list = raw.list;
  return result;
}

}  // namespace flce::batch
