// Host checks (see checks.h). Each step is a small function that returns the first failure of its group.
#include "fused_linear_cross_entropy/ascendc/checks.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

namespace flce::ascendc {
namespace {

struct Named {
  const char* name;
  const TensorDesc& tensor;
};

Status invalid(std::string message) {
  return {kInvalidArgument, std::move(message)};
}

std::string shape_text(const TensorDesc& tensor) {
  std::string text;
  for (int64_t size : tensor.shape) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text.empty() ? "[]" : text + "]";
}

Status check_present(const OpDesc& op) {
  for (const Named& argument : {Named{"input", op.input}, Named{"weight", op.weight}, Named{"target", op.target},
                                Named{"logits_max", op.logits_max}, Named{"sum_exp_logits", op.sum_exp_logits},
                                Named{"predicted_logits", op.predicted_logits}, Named{"target_mask", op.target_mask},
                                Named{"masked_target", op.masked_target}})
    if (!argument.tensor.present)
      return {kNullArgument, fmt::format("{}: null pointer given, the argument is required", argument.name)};
  return {};
}

Status check_dtype(const Named& argument, std::initializer_list<DType> allowed) {
  std::string names;
  for (DType type : allowed) {
    if (argument.tensor.dtype == type) return {};
    names += (names.empty() ? "" : " or ") + std::string(name_of(type));
  }
  return invalid(fmt::format("{}: dtype is {}, must be {}", argument.name, name_of(argument.tensor.dtype), names));
}

Status check_same_dtype(const Named& argument, const Named& other) {
  if (argument.tensor.dtype == other.tensor.dtype) return {};
  return invalid(fmt::format("{}: dtype is {}, must be that of {} ({})", argument.name, name_of(argument.tensor.dtype),
                             other.name, name_of(other.tensor.dtype)));
}

Status check_dtypes(const OpDesc& op) {
  const std::initializer_list<DType> inputs = {DType::kFloat16, DType::kBfloat16};
  const std::initializer_list<DType> targets = {DType::kInt32, DType::kInt64};
  Status status;
  const auto ok = [&status](Status next) {
    status = std::move(next);
    return status.ok();
  };
  ok(check_dtype({"input", op.input}, inputs)) && ok(check_dtype({"weight", op.weight}, inputs)) &&
      ok(check_dtype({"target", op.target}, targets)) &&
      ok(check_same_dtype({"weight", op.weight}, {"input", op.input})) &&
      ok(check_dtype({"logits_max", op.logits_max}, {DType::kFloat32})) &&
      ok(check_dtype({"sum_exp_logits", op.sum_exp_logits}, {DType::kFloat32})) &&
      ok(check_dtype({"predicted_logits", op.predicted_logits}, {DType::kFloat32})) &&
      ok(check_dtype({"target_mask", op.target_mask}, {DType::kUint8})) &&
      ok(check_dtype({"masked_target", op.masked_target}, targets)) &&
      ok(check_same_dtype({"masked_target", op.masked_target}, {"target", op.target}));
  return status;
}

Status check_rank(const Named& argument, size_t rank) {
  if (argument.tensor.shape.size() != rank)
    return invalid(fmt::format("{}: shape {} has {} dimensions, must have {}", argument.name,
                               shape_text(argument.tensor), argument.tensor.shape.size(), rank));
  for (int64_t size : argument.tensor.shape)
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      return invalid(fmt::format("{}: shape {} has a size of {}, must be 0 to 2147483647", argument.name,
                                 shape_text(argument.tensor), size));
  return {};
}

Status check_ranks(const OpDesc& op) {
  for (const Named& argument : {Named{"input", op.input}, Named{"weight", op.weight}})
    if (Status status = check_rank(argument, 2); !status.ok()) return status;
  for (const Named& argument :
       {Named{"target", op.target}, Named{"logits_max", op.logits_max}, Named{"sum_exp_logits", op.sum_exp_logits},
        Named{"predicted_logits", op.predicted_logits}, Named{"target_mask", op.target_mask},
        Named{"masked_target", op.masked_target}})
    if (Status status = check_rank(argument, 1); !status.ok()) return status;
  return {};
}

Status check_shapes(const OpDesc& op) {
  const int64_t m = op.input.shape[0], k = op.input.shape[1], n = op.weight.shape[0];
  if (n == 0) return invalid(fmt::format("weight: shape {} has no rows, n must be at least 1", shape_text(op.weight)));
  if (k > kMaxHidden) return invalid(fmt::format("input: k is {}, must be at most {}", k, kMaxHidden));
  if (m > kMaxRows) return invalid(fmt::format("input: m is {}, must be at most {}", m, kMaxRows));
  if (op.weight.shape[1] != k)
    return invalid(fmt::format("weight: k is {}, must be that of input ({})", op.weight.shape[1], k));
  for (const Named& argument :
       {Named{"target", op.target}, Named{"logits_max", op.logits_max}, Named{"sum_exp_logits", op.sum_exp_logits},
        Named{"predicted_logits", op.predicted_logits}, Named{"masked_target", op.masked_target}})
    if (argument.tensor.shape[0] != m)
      return invalid(
          fmt::format("{}: length is {}, must be the rows of input ({})", argument.name, argument.tensor.shape[0], m));
  const int64_t mask_bytes = (m + 7) / 8;
  if (op.target_mask.shape[0] != mask_bytes)
    return invalid(
        fmt::format("target_mask: length is {}, must be ceil(m / 8) = {}", op.target_mask.shape[0], mask_bytes));
  return {};
}

Status check_logits(const OpDesc& op) {
  const Named logits{"vocab_parallel_logits", op.vocab_parallel_logits};
  if (!logits.tensor.present) return {};
  if (Status status = check_rank(logits, 2); !status.ok()) return status;
  const std::vector<int64_t> wanted = {op.input.shape[0], op.weight.shape[0]};
  if (logits.tensor.shape != wanted)
    return invalid(fmt::format("vocab_parallel_logits: shape is {}, must be [m, n] = [{}, {}]",
                               shape_text(logits.tensor), wanted[0], wanted[1]));
  return check_same_dtype(logits, {"input", op.input});
}

Status check_range(const OpDesc& op) {
  const int64_t start = op.vocab_start_index, end = op.vocab_end_index;
  if (start < 0) return invalid(fmt::format("vocab_start_index: {} given, must be at least 0", start));
  if (end < start)
    return invalid(fmt::format("vocab_end_index: {} given, must be at least vocab_start_index ({})", end, start));
  if (op.vocab_range == VocabRange::kInclusive && end == std::numeric_limits<int64_t>::max())
    return invalid(fmt::format("vocab_end_index: {} given, must be less with vocab_range inclusive", end));
  // Both are non-negative here, so the width cannot overflow.
  const int64_t width = exclusive_end(op) - start, n = op.weight.shape[0];
  const char* option = op.vocab_range == VocabRange::kInclusive ? " (vocab_range inclusive: end + 1 - start)" : "";
  if (width > n && op.validate != Validate::kOff)
    return invalid(
        fmt::format("vocab_end_index: the range [{}, {}] covers {} classes{}, must be at most the rows of weight ({})",
                    start, end, width, option, n));
  if (width > std::numeric_limits<int32_t>::max())
    return invalid(
        fmt::format("vocab_end_index: the range covers {} classes{}, must be at most 2147483647", width, option));
  return {};
}

}  // namespace

Status check_arguments(const OpDesc& op) {
  for (Status (*check)(const OpDesc&) :
       {check_present, check_dtypes, check_ranks, check_shapes, check_logits, check_range})
    if (Status status = check(op); !status.ok()) return status;
  return {};
}

Status check_target_values(const OpDesc& op, std::span<const int64_t> target) {
  if (op.validate != Validate::kValues || op.vocab_range != VocabRange::kExclusive) return {};
  if (op.vocab_end_index - op.vocab_start_index != op.weight.shape[0] - 1) return {};
  for (size_t row = 0; row < target.size(); ++row)
    if (target[row] == op.vocab_end_index)
      return invalid(
          fmt::format("vocab_end_index: {} is the last class of the shard and row {} has it as target; the end is "
                      "exclusive, so it must be {}",
                      op.vocab_end_index, row, op.vocab_end_index + 1));
  return {};
}

}  // namespace flce::ascendc
