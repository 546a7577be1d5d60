// flce_batch: reads case files, refuses what is wrong before anything runs, runs the rest, reports.
// Exit code: 0 all pass; 1 something is flaky or fails; 2 wrong usage, unreadable input, or nothing but refused cases.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "fused_linear_cross_entropy/batch/case_file.h"
#include "fused_linear_cross_entropy/batch/options.h"
#include "fused_linear_cross_entropy/batch/progress.h"
#include "fused_linear_cross_entropy/batch/report_files.h"
#include "fused_linear_cross_entropy/batch/report_text.h"
#include "fused_linear_cross_entropy/batch/runner.h"

namespace {

using namespace flce::batch;

constexpr int kUsage = 2;

int usage_error(const std::string& text) {
  fmt::print(stderr, "flce_batch: {}\n", text);
  return kUsage;
}

/// Cases of all files that pass filter and shard; `error` is one line or empty.
std::vector<CaseSpec> select_cases(const Options& options, std::string& error) {
  std::vector<CaseSpec> all, chosen;
  for (const std::string& path : options.case_paths) {
    CaseFile file = read_case_file(path);
    if (!file.error.empty()) {
      error = file.error;
      return {};
    }
    for (CaseSpec& spec : file.cases)
      if (spec.id().find(options.filter) != std::string::npos) all.push_back(std::move(spec));
  }
  if (all.empty()) error = fmt::format("--filter: \"{}\" is in no case name; --list shows them", options.filter);
  for (size_t i = 0; i < all.size(); ++i)
    if (i % options.shards == options.shard - 1) chosen.push_back(std::move(all[i]));
  return chosen;
}

/// Sizes the runner would need more memory for than a test should take.
std::string check_memory(const CaseSpec& spec) {
  constexpr int64_t kMaxElements = int64_t{1} << 28;
  const struct {
    const char* name;
    int64_t rows, columns;
  } matrices[] = {{"m * k", spec.m, spec.k}, {"n * k", spec.n, spec.k}, {"m * n", spec.m, spec.n}};
  for (const auto& matrix : matrices)
    if (matrix.rows > 0 && matrix.columns > kMaxElements / matrix.rows)
      return fmt::format("{}:{}: {}: {} * {} elements, the batch runner takes at most {}", spec.path, spec.line,
                         matrix.name, matrix.rows, matrix.columns, kMaxElements);
  return {};
}

/// Host checks of every case, before anything runs. A result for each case that does not go on to a launch.
std::vector<CaseResult> check_cases(const std::vector<CaseSpec>& cases, std::string& error) {
  std::vector<CaseResult> results;
  for (const CaseSpec& spec : cases) {
    CaseResult result;
    result.spec = spec;
    flce::ascendc::Status status = check_case(spec);
    if (status.ok() && error.empty()) error = check_memory(spec);
    if (status.ok() && error.empty()) status = check_case_targets(spec);
    result.code = status.code;
    result.message = status.message;
    if (status.code != spec.expect) result.verdict = Verdict::kFail;
    results.push_back(std::move(result));
  }
  return results;
}

/// Cases that the operator refused although they should run, one line each. True if no case is left to run.
bool print_refusals(const std::vector<CaseResult>& checked) {
  bool all_refused = true;
  for (const CaseResult& result : checked)
    all_refused = all_refused && result.code != 0 && result.verdict == Verdict::kFail;
  if (!all_refused) return false;
  for (const CaseResult& result : checked)
    fmt::print(stderr, "flce_batch: {}:{}: {}: {}: {}\n", result.spec.path, result.spec.line, result.spec.name,
               result.code, result.message);
  return true;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

BatchResult run_batch(std::vector<CaseResult> checked, const Options& options) {
  BatchResult batch;
  const auto start = std::chrono::steady_clock::now();
  uint64_t launches = 0;
  for (const CaseResult& result : checked)
    launches += result.code == 0 && result.spec.expect == 0 ? options.runs.size() : 0;
  Progress progress(options.progress, launches);
  for (CaseResult& result : checked) {
    if (result.code == 0 && result.spec.expect == 0) {
      progress.begin_case(result.spec.id());
      result = run_case(result.spec, options, [&progress] { progress.launch_done(); });
    }
    batch.cases.push_back(std::move(result));
  }
  batch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return batch;
}

int report(const BatchResult& batch, const Options& options) {
  const std::string text = text_report(batch, options);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  if (!options.json_path.empty() && !write_file(options.json_path, json_report(batch, options)))
    return usage_error(fmt::format("--json: {} cannot be written", options.json_path));
  if (!options.junit_path.empty() && !write_file(options.junit_path, junit_report(batch, options)))
    return usage_error(fmt::format("--junit: {} cannot be written", options.junit_path));
  return batch.count(Verdict::kPass) == batch.cases.size() ? 0 : 1;
}

/// A path that cannot be written is found before the work, not after.
std::string check_output_paths(const Options& options) {
  for (const auto& [option, path] : {std::pair{"--json", options.json_path}, std::pair{"--junit", options.junit_path}})
    if (!path.empty() && !std::ofstream(path, std::ios::app))
      return fmt::format("{}: {} cannot be written", option, path);
  return {};
}

int run(int argc, const char* const* argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  if (parsed.stop) {
    fmt::print("{}", parsed.text);
    return 0;
  }
  if (!parsed.error.empty()) return usage_error(parsed.error);
  const Options& options = parsed.options;
  std::string error;
  const std::vector<CaseSpec> cases = select_cases(options, error);
  if (!error.empty()) return usage_error(error);
  if (options.list) {
    fmt::print("{}", case_list(cases));
    return 0;
  }
  if (error = check_output_paths(options); !error.empty()) return usage_error(error);
  std::vector<CaseResult> checked = check_cases(cases, error);
  if (!error.empty()) return usage_error(error);
  if (!checked.empty() && print_refusals(checked)) return kUsage;
  return report(run_batch(std::move(checked), options), options);
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
