// JSON and JUnit (see report_files.h). Keys are sorted (nlohmann::json); numbers JSON cannot hold become strings.
#include "fused_linear_cross_entropy/batch/report_files.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "fused_linear_cross_entropy/batch/report_text.h"

namespace flce::batch {
namespace {

using nlohmann::json;

json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json output_json(size_t index, const CaseResult& result, const Options& options) {
  const OutputResult& output = result.outputs[index];
  const reference::ErrorStatistics& errors = output.errors;
  json item = {{"name", kOutputNames[index]},
               {"verdict", name_of(output.verdict)},
               {"runs_outside", output.runs_outside},
               {"runs_different", output.runs_different},
               {"elements", errors.elements},
               {"outside", errors.outside},
               {"share_outside", errors.share_outside()},
               {"max_absolute_error", number(errors.max_absolute)},
               {"max_relative_error", number(errors.max_relative)},
               {"first_outside", nullptr}};
  if (errors.outside > 0)
    item["first_outside"] = {{"index", errors.first_outside},
                             {"got", number(errors.first_got)},
                             {"expected", number(errors.first_expected)},
                             {"run", describe(output.worst_run, options)}};
  return item;
}

json case_json(const CaseResult& result, const Options& options) {
  const CaseSpec& spec = result.spec;
  json item = {{"file", spec.file},
               {"name", spec.name},
               {"m", spec.m},
               {"k", spec.k},
               {"n", spec.n},
               {"dtype", ascendc::name_of(spec.dtype)},
               {"target_dtype", ascendc::name_of(spec.target_dtype)},
               {"vocab_start", spec.vocab_start},
               {"vocab_end", spec.vocab_end},
               {"vocab_range", spec.vocab_range == ascendc::VocabRange::kInclusive ? "inclusive" : "exclusive"},
               {"logits", spec.logits},
               {"cores", spec.cores},
               {"verdict", name_of(result.verdict)},
               {"runs", result.runs},
               {"code", result.code},
               {"message", result.message},
               {"outputs", json::array()}};
  for (size_t i = 0; i < kOutputs; ++i)
    if (result.outputs[i].present) item["outputs"].push_back(output_json(i, result, options));
  return item;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// What a reader of a failed test needs: each output that is not a pass, with its figures.
std::string failure_text(const CaseResult& result, const Options& options) {
  if (result.code != 0) return fmt::format("{}: {}", result.code, result.message);
  if (result.runs == 0) return fmt::format("accepted, but code {} was expected", result.spec.expect);
  std::string text = describe(result.spec);
  for (size_t i = 0; i < kOutputs; ++i) {
    const OutputResult& output = result.outputs[i];
    if (output.verdict == Verdict::kPass) continue;
    text += fmt::format(
        "\n{} {}: outside tolerance in {} of {} runs, different from the first in {}, max absolute error {:.6g}, "
        "max relative error {:.6g}",
        kOutputNames[i], name_of(output.verdict), output.runs_outside, result.runs, output.runs_different,
        output.errors.max_absolute, output.errors.max_relative);
    if (output.errors.outside > 0)
      text += fmt::format("; first: [{}] {:.9g} instead of {:.9g}, {}", output.errors.first_outside,
                          output.errors.first_got, output.errors.first_expected, describe(output.worst_run, options));
  }
  return text;
}

}  // namespace

std::string json_report(const BatchResult& batch, const Options& options) {
  json runs = json::array();
  for (const Run& run : options.runs)
    runs.push_back({{"schedule", run.schedule.empty() ? "default" : run.schedule}, {"seed", run.seed}});
  json cases = json::array(), timing = json::array();
  for (const CaseResult& result : batch.cases) {
    cases.push_back(case_json(result, options));
    timing.push_back({{"case", result.spec.id()},
                      {"reference_seconds", result.seconds_reference},
                      {"launch_seconds", result.seconds_launch}});
  }
  const json root = {{"schema", 1},
                     {"tool", "flce_batch"},
                     {"variant", name_of(options.variant)},
                     {"engine", options.engine == Engine::kCpu ? "cpu" : "emu"},
                     {"profile", options.profile.empty() ? "default" : options.profile},
                     {"shard", fmt::format("{}/{}", options.shard, options.shards)},
                     {"runs", runs},
                     {"cases", cases},
                     {"summary",
                      {{"cases", batch.cases.size()},
                       {"pass", batch.count(Verdict::kPass)},
                       {"flaky", batch.count(Verdict::kFlaky)},
                       {"fail", batch.count(Verdict::kFail)}}},
                     {"timing", {{"seconds", batch.seconds}, {"cases", timing}}}};
  return root.dump(1) + "\n";
}

std::string junit_report(const BatchResult& batch, const Options& options) {
  std::map<std::string, std::vector<const CaseResult*>> suites;
  for (const CaseResult& result : batch.cases) suites[result.spec.file].push_back(&result);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [file, results] : suites) {
    size_t failures = 0;
    for (const CaseResult* result : results) failures += result->verdict != Verdict::kPass ? 1 : 0;
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
                        escaped(file), results.size(), failures);
    for (const CaseResult* result : results) {
      text += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"", name_of(options.variant), escaped(file),
                          escaped(result->spec.name));
      if (result->verdict == Verdict::kPass) {
        text += "/>\n";
        continue;
      }
      text += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                          name_of(result->verdict), escaped(describe(result->spec)),
                          escaped(failure_text(*result, options)));
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace flce::batch
