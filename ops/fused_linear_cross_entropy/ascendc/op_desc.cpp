// Names of types and the description of a well-formed call (see op_desc.h).
#include "fused_linear_cross_entropy/ascendc/op_desc.h"

#include <limits>

namespace flce::ascendc {
namespace {

struct TypeRow {
  DType type;
  const char* name;
  int64_t bytes;
};
constexpr TypeRow kTypes[] = {
    {DType::kFloat16, "float16", 2}, {DType::kBfloat16, "bfloat16", 2}, {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8}, {DType::kInt8, "int8", 1},         {DType::kUint8, "uint8", 1},
    {DType::kBool, "bool", 1},       {DType::kInt16, "int16", 2},       {DType::kInt32, "int32", 4},
    {DType::kInt64, "int64", 8},
};

}  // namespace

const char* name_of(DType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.name;
  return "?";
}

int64_t bytes_of(DType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.bytes;
  return 0;
}

std::optional<DType> dtype_from(const std::string& name) {
  for (const TypeRow& row : kTypes)
    if (name == row.name) return row.type;
  return std::nullopt;
}

std::string dtype_names() {
  std::string names;
  for (const TypeRow& row : kTypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

OpDesc make_op_desc(int64_t m, int64_t k, int64_t n, DType dtype, DType target_dtype, int64_t vocab_start_index,
                    int64_t vocab_end_index, bool return_logits) {
  OpDesc op;
  op.input = {true, dtype, {m, k}};
  op.weight = {true, dtype, {n, k}};
  op.target = {true, target_dtype, {m}};
  op.logits_max = op.sum_exp_logits = op.predicted_logits = {true, DType::kFloat32, {m}};
  op.target_mask = {true, DType::kUint8, {m / 8 + (m % 8 != 0 ? 1 : 0)}};
  op.masked_target = {true, target_dtype, {m}};
  if (return_logits) op.vocab_parallel_logits = {true, dtype, {m, n}};
  op.vocab_start_index = vocab_start_index;
  op.vocab_end_index = vocab_end_index;
  return op;
}

int64_t exclusive_end(const OpDesc& op) {
  const bool can_grow = op.vocab_end_index < std::numeric_limits<int64_t>::max();  // the checks refuse the other case
  return op.vocab_range == VocabRange::kInclusive && can_grow ? op.vocab_end_index + 1 : op.vocab_end_index;
}

}  // namespace flce::ascendc
