// The arguments of fused_linear_online_max_sum as the host sees them: shapes, types, attributes, options. No data.
// Signatures and limits: spec/operators.md 1 and 5; options: its section 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flce::ascendc {

/// Element types a caller may name. Which of them an argument accepts is decided by the checks.
enum class DType : uint8_t { kFloat16, kBfloat16, kFloat32, kFloat64, kInt8, kUint8, kBool, kInt16, kInt32, kInt64 };

const char* name_of(DType type);
/// The type of that name ("float16", "int32" ...), nothing if there is none.
std::optional<DType> dtype_from(const std::string& name);
/// Every name, separated by commas, for messages.
std::string dtype_names();
int64_t bytes_of(DType type);

/// An argument: absent (null pointer), or a type and a shape, row-major.
struct TensorDesc {
  bool present = false;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;
};

enum class VocabRange : uint8_t { kExclusive, kInclusive };  ///< vocab_end_index: one past the shard, or its last class
enum class MaskPad : uint8_t { kDevice, kOnes };             ///< bits of target_mask beyond m
enum class Validate : uint8_t { kOff, kShape, kValues };     ///< what the host refuses (spec/operators.md 0 point 5)

struct OpDesc {
  TensorDesc input, weight, target;
  TensorDesc logits_max, sum_exp_logits, predicted_logits, target_mask, masked_target;
  TensorDesc vocab_parallel_logits;  ///< optional
  int64_t vocab_start_index = 0, vocab_end_index = 0;
  VocabRange vocab_range = VocabRange::kExclusive;
  MaskPad mask_pad = MaskPad::kDevice;
  Validate validate = Validate::kShape;
};

/// A well-formed call: shapes and types of every argument from the sizes.
OpDesc make_op_desc(int64_t m, int64_t k, int64_t n, DType dtype, DType target_dtype, int64_t vocab_start_index,
                    int64_t vocab_end_index, bool return_logits);

/// One past the last class of the shard, whatever the range option. Never overflows.
int64_t exclusive_end(const OpDesc& op);

/// 0, or the code of the host interface with one line that names the argument, what was given and what is allowed.
struct Status {
  int code = 0;
  std::string message;
  bool ok() const { return code == 0; }
};
inline constexpr int kNullArgument = 161001;
inline constexpr int kInvalidArgument = 161002;

}  // namespace flce::ascendc
