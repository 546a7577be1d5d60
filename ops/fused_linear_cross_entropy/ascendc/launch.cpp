// Buffers and launch (see launch.h). The kernel's arguments are named as in its signature: reports show these names.
#include "fused_linear_cross_entropy/ascendc/launch.h"

#include <cstring>

#include "fused_linear_cross_entropy/ascendc/entry.h"
#include "tikicpulib.h"

namespace flce::ascendc {
namespace {

/// Pattern of memory nobody has written: a NaN in float, a negative number in int32 and int64.
constexpr int kPoison = 0xFF;

uint64_t bytes_of(const TensorDesc& tensor) {
  if (!tensor.present) return 0;
  int64_t elements = 1;
  for (int64_t size : tensor.shape) elements *= size;
  return static_cast<uint64_t>(elements * bytes_of(tensor.dtype));
}

template <typename T>
std::vector<T> copy_out(const uint8_t* data, uint64_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data, bytes);
  return values;
}

}  // namespace

Device::Buffer Device::allocate(uint64_t bytes) {
  return {static_cast<uint8_t*>(AscendC::GmAlloc(bytes)), bytes};
}

Device::Device(const OpDesc& op, const TilingData& tiling, std::span<const uint16_t> input,
               std::span<const uint16_t> weight, std::span<const int64_t> target)
    : op_(op), tiling_(tiling) {
  input_ = allocate(bytes_of(op.input));
  weight_ = allocate(bytes_of(op.weight));
  target_ = allocate(bytes_of(op.target));
  if (!input.empty()) std::memcpy(input_.data, input.data(), input.size_bytes());
  if (!weight.empty()) std::memcpy(weight_.data, weight.data(), weight.size_bytes());
  for (size_t row = 0; row < target.size(); ++row) {
    if (op.target.dtype == DType::kInt64) {
      std::memcpy(target_.data + row * sizeof(int64_t), &target[row], sizeof(int64_t));
    } else {
      const int32_t narrow = static_cast<int32_t>(target[row]);
      std::memcpy(target_.data + row * sizeof(int32_t), &narrow, sizeof(int32_t));
    }
  }
  logits_max_ = allocate(bytes_of(op.logits_max));
  sum_exp_logits_ = allocate(bytes_of(op.sum_exp_logits));
  predicted_logits_ = allocate(bytes_of(op.predicted_logits));
  target_mask_ = allocate(bytes_of(op.target_mask));
  masked_target_ = allocate(bytes_of(op.masked_target));
  if (op.vocab_parallel_logits.present) vocab_parallel_logits_ = allocate(bytes_of(op.vocab_parallel_logits));
  workspace_ = allocate(tiling.user_workspace_bytes);
}

Device::~Device() {
  for (const Buffer& buffer : {input_, weight_, target_, logits_max_, sum_exp_logits_, predicted_logits_, target_mask_,
                               masked_target_, vocab_parallel_logits_, workspace_})
    if (buffer.data != nullptr) AscendC::GmFree(buffer.data);
}

Outputs Device::run(Variant variant) {
  for (const Buffer& buffer : {logits_max_, sum_exp_logits_, predicted_logits_, target_mask_, masked_target_,
                               vocab_parallel_logits_, workspace_})
    if (buffer.bytes != 0) std::memset(buffer.data, kPoison, buffer.bytes);
  if (tiling_.block_dim != 0) {
    GM_ADDR input = input_.data;
    GM_ADDR weight = weight_.data;
    GM_ADDR target = target_.data;
    GM_ADDR logits_max = logits_max_.data;
    GM_ADDR sum_exp_logits = sum_exp_logits_.data;
    GM_ADDR predicted_logits = predicted_logits_.data;
    GM_ADDR target_mask = target_mask_.data;
    GM_ADDR masked_target = masked_target_.data;
    GM_ADDR vocab_parallel_logits = vocab_parallel_logits_.data;
    GM_ADDR workspace = workspace_.data;
    GM_ADDR tiling = reinterpret_cast<uint8_t*>(&tiling_.kernel);
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    ICPU_SET_TILING_KEY(tiling_.tiling_key);
    if (variant == Variant::kShipped)
      ICPU_RUN_KF(fused_linear_online_max_sum, tiling_.block_dim, input, weight, target, logits_max, sum_exp_logits,
                  predicted_logits, target_mask, masked_target, vocab_parallel_logits, workspace, tiling);
    else
      ICPU_RUN_KF(fused_linear_online_max_sum_missing_sync, tiling_.block_dim, input, weight, target, logits_max,
                  sum_exp_logits, predicted_logits, target_mask, masked_target, vocab_parallel_logits, workspace,
                  tiling);
  }
  return read();
}

Outputs Device::read() const {
  Outputs outputs;
  outputs.logits_max = copy_out<float>(logits_max_.data, logits_max_.bytes);
  outputs.sum_exp_logits = copy_out<float>(sum_exp_logits_.data, sum_exp_logits_.bytes);
  outputs.predicted_logits = copy_out<float>(predicted_logits_.data, predicted_logits_.bytes);
  outputs.target_mask = copy_out<uint8_t>(target_mask_.data, target_mask_.bytes);
  outputs.vocab_parallel_logits = copy_out<uint16_t>(vocab_parallel_logits_.data, vocab_parallel_logits_.bytes);
  if (op_.masked_target.dtype == DType::kInt64) {
    outputs.masked_target = copy_out<int64_t>(masked_target_.data, masked_target_.bytes);
  } else {
    const std::vector<int32_t> narrow = copy_out<int32_t>(masked_target_.data, masked_target_.bytes);
    outputs.masked_target.assign(narrow.begin(), narrow.end());
  }
  return outputs;
}

}  // namespace flce::ascendc
