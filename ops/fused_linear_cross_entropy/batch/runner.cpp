// One case, all its runs (see runner.h). An output is flaky when its bytes differ between equal runs, failed when they
// do not and an element is outside its tolerance. With engine cpu the native operator runs as often as the kernel, and
// mask and local targets of both must have equal bytes.
#include "fused_linear_cross_entropy/batch/runner.h"

#include <chrono>
#include <cstring>

#include "ascsan/run.h"
#include "fused_linear_cross_entropy/ascendc/checks.h"
#include "fused_linear_cross_entropy/ascendc/launch.h"
#include "fused_linear_cross_entropy/batch/native.h"
#include "fused_linear_cross_entropy/batch/values.h"
#include "fused_linear_cross_entropy/reference/row_check.h"

namespace flce::batch {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

reference::OnlineMaxSum make_reference(const CaseSpec& spec, const CaseData& data) {
  const reference::Storage storage = storage_of(spec);
  reference::OnlineMaxSumOptions options;
  options.vocab_range = spec.vocab_range == ascendc::VocabRange::kInclusive ? reference::VocabRange::kInclusive
                                                                            : reference::VocabRange::kExclusive;
  options.mask_pad = spec.mask_pad == ascendc::MaskPad::kOnes ? reference::MaskPad::kOnes : reference::MaskPad::kDevice;
  return reference::fused_linear_online_max_sum({data.input.data(), spec.m, spec.k, storage},
                                                {data.weight.data(), spec.n, spec.k, storage}, data.target,
                                                spec.vocab_start, spec.vocab_end, options);
}

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::array<bool, kOutputs> same_as(const ascendc::Outputs& a, const ascendc::Outputs& b) {
  return {same_bytes(a.logits_max, b.logits_max),
          same_bytes(a.sum_exp_logits, b.sum_exp_logits),
          same_bytes(a.predicted_logits, b.predicted_logits),
          same_bytes(a.target_mask, b.target_mask),
          same_bytes(a.masked_target, b.masked_target),
          same_bytes(a.vocab_parallel_logits, b.vocab_parallel_logits)};
}

template <typename T, typename U>
reference::ErrorStatistics compare_exact(const std::vector<T>& got, const std::vector<U>& expected) {
  reference::ErrorStatistics errors;
  for (size_t i = 0; i < expected.size(); ++i)
    errors.add_exact(static_cast<int64_t>(got[i]), static_cast<int64_t>(expected[i]));
  return errors;
}

std::array<reference::ErrorStatistics, kOutputs> compare(const CaseSpec& spec, const reference::OnlineMaxSum& reference,
                                                         const reference::StatisticsCheck& check,
                                                         const ascendc::Outputs& got) {
  const reference::StatisticsErrors statistics =
      check.compare(got.logits_max.data(), got.sum_exp_logits.data(), got.predicted_logits.data());
  return {statistics.logits_max,
          statistics.sum_exp_logits,
          statistics.predicted_logits,
          compare_exact(got.target_mask, reference.target_mask),
          compare_exact(got.masked_target, reference.masked_target),
          spec.logits ? reference::check_logits(reference, storage_of(spec), got.vocab_parallel_logits.data())
                      : reference::ErrorStatistics{}};
}

template <typename T>
void compare_peer(const std::vector<T>& a, const std::vector<T>& b, OutputResult& output) {
  for (size_t i = 0; i < a.size(); ++i) {
    ++output.peer_elements;
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) ++output.peer_different;
  }
}

void compare_peers(const ascendc::Outputs& kernel, const ascendc::Outputs& native, CaseResult& result) {
  compare_peer(kernel.logits_max, native.logits_max, result.outputs[0]);
  compare_peer(kernel.sum_exp_logits, native.sum_exp_logits, result.outputs[1]);
  compare_peer(kernel.predicted_logits, native.predicted_logits, result.outputs[2]);
  compare_peer(kernel.target_mask, native.target_mask, result.outputs[3]);
  compare_peer(kernel.masked_target, native.masked_target, result.outputs[4]);
  compare_peer(kernel.vocab_parallel_logits, native.vocab_parallel_logits, result.outputs[5]);
}

/// One run of kernel or native operator: against the reference, and against the `first` run of its kind.
void judge(const ascendc::Outputs& got, const ascendc::Outputs& first, const Run& run,
           const std::array<reference::ErrorStatistics, kOutputs>& errors, CaseResult& result) {
  const std::array<bool, kOutputs> same = same_as(got, first);
  for (size_t i = 0; i < kOutputs; ++i) {
    OutputResult& output = result.outputs[i];
    output.present = i + 1 < kOutputs || result.spec.logits;
    if (errors[i].outside > 0 && output.runs_outside++ == 0) output.worst_run = run;
    if (!same[i]) ++output.runs_different;
    output.errors.merge(errors[i]);
  }
  ++result.runs;
}

void set_run(const Run& run, const Options& options) {
  if (!run.schedule.empty()) ascsan::set_option("schedule", run.schedule);
  if (options.seed_given) ascsan::set_option("seed", std::to_string(run.seed));
  if (!options.profile.empty()) ascsan::set_option("profile", options.profile);
  if (options.progress) ascsan::set_option("progress", "none");  // one progress line is enough
}

void conclude(CaseResult& result) {
  for (size_t i = 0; i < kOutputs; ++i) {
    OutputResult& output = result.outputs[i];
    const bool exact = i == 3 || i == 4;  // target_mask, masked_target
    if (output.runs_different > 0)
      output.verdict = Verdict::kFlaky;
    else if (output.runs_outside > 0 || (exact && output.peer_different > 0))
      output.verdict = Verdict::kFail;
    if (output.verdict == Verdict::kFail || result.verdict == Verdict::kPass) result.verdict = output.verdict;
  }
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFlaky:
      return "flaky";
    case Verdict::kFail:
      return "fail";
  }
  return "?";
}

uint32_t BatchResult::count(Verdict verdict) const {
  uint32_t number = 0;
  for (const CaseResult& result : cases) number += result.verdict == verdict ? 1 : 0;
  return number;
}

ascendc::Status check_case(const CaseSpec& spec) {
  ascendc::TilingData tiling;
  return ascendc::compute_tiling(op_desc_of(spec), {.cube_cores = spec.cores}, tiling);
}

ascendc::Status check_case_targets(const CaseSpec& spec) {
  if (spec.validate != ascendc::Validate::kValues) return {};
  return ascendc::check_target_values(op_desc_of(spec), make_targets(spec));
}

CaseResult run_case(const CaseSpec& spec, const Options& options, const std::function<void()>& tick) {
  CaseResult result;
  result.spec = spec;
  const ascendc::OpDesc op = op_desc_of(spec);
  ascendc::TilingData tiling;
  const ascendc::Status status = ascendc::compute_tiling(op, {.cube_cores = spec.cores}, tiling);
  const Clock::time_point start = Clock::now();
  const CaseData data = make_data(spec);
  const reference::OnlineMaxSum reference = make_reference(spec, data);
  const reference::StatisticsCheck check(reference, storage_of(spec));
  result.seconds_reference = seconds_since(start);

  ascendc::Device device(op, tiling, data.input, data.weight, data.target);
  ascendc::Outputs first, first_native;
  const auto take = [&](const ascendc::Outputs& got, const Run& run, bool is_first, ascendc::Outputs& kept) {
    if (is_first) kept = got;
    judge(got, kept, run, compare(spec, reference, check, got), result);
  };
  for (size_t i = 0; i < options.runs.size(); ++i) {
    set_run(options.runs[i], options);
    const Clock::time_point launch = Clock::now();
    const ascendc::Outputs got = device.run(options.variant);
    result.seconds_launch += seconds_since(launch);
    take(got, options.runs[i], i == 0, first);
    if (options.engine == Engine::kCpu) {
      take(run_native(spec, data), {kNativeRun, options.runs[i].seed}, i == 0, first_native);
      if (i == 0) compare_peers(first, first_native, result);
    }
    tick();
  }
  conclude(result);
  return result;
}

}  // namespace flce::batch
