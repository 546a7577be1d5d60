// Exact integers throughout; the device goes through float32 and is exact only up to 2^24.
#include "targets.h"

#include <algorithm>
#include <limits>

#include "checks.h"

namespace flce {
namespace cpu {

int64_t checked_end(int64_t start, int64_t end, int64_t n, const MaxSumOptions& options) {
  if (start < 0) refuse("vocab_start_index", start, ">= 0");
  const bool inclusive = options.vocab_range == VocabRange::kInclusive;
  if (inclusive && end == std::numeric_limits<int64_t>::max()) refuse("vocab_end_index", end, "less than 2^63 - 1");
  const int64_t stop = inclusive ? end + 1 : end;
  if (stop < start)
    refuse("vocab_end_index", end,
           text(inclusive ? ">= vocab_start_index - 1 = " : ">= vocab_start_index = ", inclusive ? start - 1 : start));
  if (n >= 0 && stop - start > n && options.validate != Validate::kOff) {
    refuse("vocab_end_index", text(end, " with vocab_start_index ", start, ", a range of ", stop - start, " classes"),
           text("at most ", n, " classes, the rows of weight"));
  }
  return stop;
}

void check_target_values(const Vector& target, int64_t start, int64_t end, int64_t n, const MaxSumOptions& options) {
  if (options.validate != Validate::kValues) return;
  for (int64_t i = 0; i < target.size; ++i) {
    const int64_t t = index_at(target, i);
    if (t == options.ignore_index) continue;
    const bool outside = t < 0 || (options.vocab_size >= 0 && t >= options.vocab_size);
    if (outside) {
      const std::string limit = options.vocab_size >= 0 ? text("[0, ", options.vocab_size, ")") : ">= 0";
      refuse("target", text("value ", t, " at position ", i, ", which no shard owns"),
             text(limit, " or ignore_index ", options.ignore_index));
    }
    if (n >= 0 && end - start == n - 1 && t == end) {
      refuse("vocab_end_index",
             text(end, " while weight has ", n, " rows from ", start, " and target ", t, " at position ", i,
                  " is the class that this end leaves out"),
             text("the exclusive end ", start + n, ", or vocab_range = inclusive with ", end));
    }
  }
}

std::vector<int64_t> local_targets(const Vector& target, int64_t start, int64_t end) {
  std::vector<int64_t> local(target.size);
  for (int64_t i = 0; i < target.size; ++i) {
    const int64_t t = index_at(target, i);
    local[i] = t < start || t >= end ? -1 : t - start;
  }
  return local;
}

std::vector<int64_t> unmask_targets(const Vector& mask, const Vector& masked_target, int64_t m) {
  std::vector<int64_t> local(m);
  const auto* bytes = static_cast<const uint8_t*>(mask.data);
  for (int64_t i = 0; i < m; ++i) {
    const bool masked =
        mask.dtype == DType::kBool ? bytes[i * mask.stride] != 0 : ((bytes[(i / 8) * mask.stride] >> (i % 8)) & 1) != 0;
    const int64_t t = masked ? -1 : index_at(masked_target, i);
    local[i] = !masked && t < 0 ? kBadTarget : t;
  }
  return local;
}

}  // namespace cpu

void mask_targets(const Vector& target, int64_t start, int64_t end, const MutableVector& target_mask,
                  const MutableVector& masked_target, const MaxSumOptions& options) {
  using namespace cpu;
  const int64_t m = target.size;
  check_dtype("target", target.dtype, {DType::kInt32, DType::kInt64});
  check_input("target", target, m);
  check_dtype("target_mask", target_mask.dtype, {DType::kUInt8});
  check_output("target_mask", target_mask, (m + 7) / 8);
  check_dtype("masked_target", masked_target.dtype, {target.dtype});
  check_output("masked_target", masked_target, m);
  const int64_t stop = checked_end(start, end, -1, options);
  auto* bytes = static_cast<uint8_t*>(target_mask.data);
  const bool pad_bit = options.mask_pad == MaskPad::kOnes || !(start <= 0 && 0 < stop);
  for (int64_t byte = 0; byte < (m + 7) / 8; ++byte) {
    uint8_t value = 0;
    for (int64_t b = 0; b < 8; ++b) {
      const int64_t i = byte * 8 + b;
      bool masked = pad_bit;
      if (i < m) {
        const int64_t t = index_at(target, i);
        masked = t < start || t >= stop;
        set_index(masked_target, i, masked ? 0 : t - start);
      }
      value |= static_cast<uint8_t>(masked ? 1u << b : 0u);
    }
    bytes[byte * target_mask.stride] = value;
  }
}

}  // namespace flce
