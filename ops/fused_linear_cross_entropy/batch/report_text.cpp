// Text report (see report_text.h). Nothing here depends on time, so equal runs print equal bytes.
#include "fused_linear_cross_entropy/batch/report_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace flce::batch {
namespace {

std::string error_text(double value) {
  return value == 0.0 ? "0" : fmt::format("{:.2e}", value);
}

std::string share_text(const reference::ErrorStatistics& errors) {
  return fmt::format("{} of {}", errors.outside, errors.elements);
}

void add_header(std::string& text, const BatchResult& batch, const Options& options) {
  std::string schedules;
  for (const Run& run : options.runs) {
    const std::string name = run.schedule.empty() ? "default" : run.schedule;
    if (schedules.find(name) == std::string::npos) schedules += (schedules.empty() ? "" : ",") + name;
  }
  text += fmt::format("flce_batch · variant {} · schedule {} · {}{} run{} per case · {} case{}\n\n",
                      name_of(options.variant), schedules, options.engine == Engine::kCpu ? "engine cpu · " : "",
                      options.runs.size(), options.runs.size() == 1 ? "" : "s", batch.cases.size(),
                      batch.cases.size() == 1 ? "" : "s");
}

std::string case_note(const CaseResult& result, const Options& options) {
  if (result.code != 0)
    return fmt::format("{}{}: {}", result.verdict == Verdict::kPass ? "refused as expected, " : "", result.code,
                       result.message);
  if (result.spec.expect != 0 && result.runs == 0)
    return fmt::format("accepted, but code {} was expected", result.spec.expect);
  std::string note;
  for (size_t i = 0; i < kOutputs; ++i) {
    const OutputResult& output = result.outputs[i];
    if (output.verdict == Verdict::kPass) continue;
    note += fmt::format("{}{} {}: {} of {} runs outside tolerance", note.empty() ? "" : "; ", kOutputNames[i],
                        name_of(output.verdict), output.runs_outside, result.runs);
    if (output.runs_outside > 0)
      note += fmt::format(", first [{}] {:.6g} instead of {:.6g} ({})", output.errors.first_outside,
                          output.errors.first_got, output.errors.first_expected, describe(output.worst_run, options));
  }
  return note;
}

void add_cases(std::string& text, const BatchResult& batch, const Options& options) {
  size_t id_width = 4, shape_width = 5;
  for (const CaseResult& result : batch.cases) {
    id_width = std::max(id_width, result.spec.id().size());
    shape_width = std::max(shape_width, describe(result.spec).size());
  }
  for (const CaseResult& result : batch.cases) {
    const std::string note = case_note(result, options);
    text += fmt::format("{:<5}  {:<{}}  {:<{}}{}{}\n", name_of(result.verdict), result.spec.id(), id_width,
                        describe(result.spec), note.empty() ? 0 : shape_width, note.empty() ? "" : "  ", note);
  }
  text += '\n';
}

/// Mask and local targets must be equal; floats may differ where the reference allows two values.
void add_agreement(std::string& text, const BatchResult& batch) {
  text += "\nkernel and native operator, elements with equal bits\n";
  for (size_t i = 0; i < kOutputs; ++i) {
    uint64_t elements = 0, different = 0;
    for (const CaseResult& result : batch.cases) {
      elements += result.outputs[i].peer_elements;
      different += result.outputs[i].peer_different;
    }
    text += fmt::format("{:<22}  {} of {}\n", kOutputNames[i], elements - different, elements);
  }
}

void add_outputs(std::string& text, const BatchResult& batch) {
  text += fmt::format("{:<22}  {:>5}  {:>5}  {:>5}  {:>9}  {:>9}  {}\n", "output", "pass", "flaky", "fail", "max abs",
                      "max rel", "elements outside tolerance");
  for (size_t i = 0; i < kOutputs; ++i) {
    uint32_t count[3] = {0, 0, 0};
    reference::ErrorStatistics errors;
    for (const CaseResult& result : batch.cases) {
      if (!result.outputs[i].present) continue;
      ++count[static_cast<size_t>(result.outputs[i].verdict)];
      errors.merge(result.outputs[i].errors);
    }
    text += fmt::format("{:<22}  {:>5}  {:>5}  {:>5}  {:>9}  {:>9}  {}\n", kOutputNames[i], count[0], count[1],
                        count[2], error_text(errors.max_absolute), error_text(errors.max_relative), share_text(errors));
  }
}

}  // namespace

std::string describe(const CaseSpec& spec) {
  return fmt::format("m={} k={} n={} {} {} [{}, {}{}{}", spec.m, spec.k, spec.n, ascendc::name_of(spec.dtype),
                     ascendc::name_of(spec.target_dtype), spec.vocab_start, spec.vocab_end,
                     spec.vocab_range == ascendc::VocabRange::kInclusive ? "]" : ")", spec.logits ? " logits" : "");
}

std::string describe(const Run& run, const Options& options) {
  if (run.schedule == kNativeRun) return "native operator";
  std::string text = run.schedule.empty() ? "default schedule" : run.schedule;
  if (options.seed_given || run.schedule == "random" || run.schedule == "pct")
    text += fmt::format(" seed {}", run.seed);
  return text;
}

std::string text_report(const BatchResult& batch, const Options& options) {
  std::string text;
  add_header(text, batch, options);
  add_cases(text, batch, options);
  add_outputs(text, batch);
  if (options.engine == Engine::kCpu) add_agreement(text, batch);
  text += fmt::format("\n{} cases: {} pass, {} flaky, {} fail\n", batch.cases.size(), batch.count(Verdict::kPass),
                      batch.count(Verdict::kFlaky), batch.count(Verdict::kFail));
  return text;
}

std::string case_list(const std::vector<CaseSpec>& cases) {
  std::string text;
  size_t width = 0;
  for (const CaseSpec& spec : cases) width = std::max(width, spec.id().size());
  for (const CaseSpec& spec : cases) text += fmt::format("{:<{}}  {}\n", spec.id(), width, describe(spec));
  return text;
}

}  // namespace flce::batch
