// See native.h. Outputs start as a byte pattern, as on the modelled NPU, so that an element nobody writes is seen.
// The element types of the host checks and of the native operators are two lists; this file is where they meet.
#include "fused_linear_cross_entropy/batch/native.h"

#include <cstring>

#include "flce/operators.h"

namespace flce::batch {
namespace {

constexpr int kUnwritten = 0xA5;

template <typename T>
std::vector<T> unwritten(int64_t count) {
  std::vector<T> v(static_cast<size_t>(count));
  if (count > 0) std::memset(v.data(), kUnwritten, v.size() * sizeof(T));
  return v;
}

flce::MaxSumOptions options_of(const CaseSpec& spec) {
  flce::MaxSumOptions o;
  o.vocab_range =
      spec.vocab_range == ascendc::VocabRange::kInclusive ? flce::VocabRange::kInclusive : flce::VocabRange::kExclusive;
  o.mask_pad = spec.mask_pad == ascendc::MaskPad::kOnes ? flce::MaskPad::kOnes : flce::MaskPad::kDevice;
  o.logits_type = flce::LogitsType::kInput;
  o.validate = spec.validate == ascendc::Validate::kOff ? flce::Validate::kOff : flce::Validate::kShape;
  o.device_limits = true;
  return o;
}

}  // namespace

ascendc::Outputs run_native(const CaseSpec& spec, const CaseData& data) {
  const flce::DType type = spec.dtype == ascendc::DType::kFloat16 ? flce::DType::kFloat16 : flce::DType::kBFloat16;
  const bool narrow = spec.target_dtype == ascendc::DType::kInt32;
  const flce::DType index = narrow ? flce::DType::kInt32 : flce::DType::kInt64;
  const std::vector<int32_t> target32(data.target.begin(), data.target.end());
  std::vector<int32_t> local32 = unwritten<int32_t>(spec.m);
  ascendc::Outputs out;
  out.logits_max = unwritten<float>(spec.m);
  out.sum_exp_logits = unwritten<float>(spec.m);
  out.predicted_logits = unwritten<float>(spec.m);
  out.target_mask = unwritten<uint8_t>((spec.m + 7) / 8);
  out.masked_target = unwritten<int64_t>(spec.m);
  if (spec.logits) out.vocab_parallel_logits = unwritten<uint16_t>(spec.m * spec.n);
  const auto floats = [&](std::vector<float>& v) { return MutableVector(v.data(), flce::DType::kFloat32, spec.m); };
  const void* target = narrow ? static_cast<const void*>(target32.data()) : data.target.data();
  void* local = narrow ? static_cast<void*>(local32.data()) : out.masked_target.data();
  flce::fused_linear_online_max_sum(
      Matrix(data.input.data(), type, spec.m, spec.k), Matrix(data.weight.data(), type, spec.n, spec.k),
      Vector(target, index, spec.m), spec.vocab_start, spec.vocab_end, floats(out.logits_max),
      floats(out.sum_exp_logits), floats(out.predicted_logits),
      MutableVector(out.target_mask.data(), flce::DType::kUInt8, (spec.m + 7) / 8), MutableVector(local, index, spec.m),
      spec.logits ? MutableMatrix(out.vocab_parallel_logits.data(), type, spec.m, spec.n) : MutableMatrix(),
      options_of(spec));
  if (narrow) out.masked_target.assign(local32.begin(), local32.end());
  return out;
}

}  // namespace flce::batch
