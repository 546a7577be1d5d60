// Stores to global memory by DMA: plain, or element-wise atomic when the atomic mode was on at issue
// (spec/execution-model.md 6.2, arithmetic fp.md 8). Integers wrap; half and bfloat16_t add in float with one rounding.
#pragma once

#include <cstring>

#include "isa/violation.h"

namespace ascsan::isa {

class GmStore {
 public:
  explicit GmStore(const gate::Request& request);
  /// Stores `bytes` bytes at `dst`; in atomic mode a multiple of the atomic type's size.
  void operator()(std::byte* dst, const std::byte* src, size_t bytes) const {
    if (combine_ == nullptr) {
      std::memcpy(dst, src, bytes);
    } else {
      combine_(dst, src, bytes, saturate_);
    }
  }
  bool plain() const { return combine_ == nullptr; }

 private:
  using Combine = void (*)(std::byte* dst, const std::byte* src, size_t bytes, bool saturate);
  static Combine choose(uint8_t op, gate::DataType type);
  Combine combine_ = nullptr;
  bool saturate_ = false;
};

/// Role of a store to operand[0]: kAtomic for GM with the atomic mode on, else kWrite.
event::Role store_role(const gate::Request& request);

/// Atomic mode: type supported, equal to the tensor's, `bytes` per run a multiple of it.
void check_atomic(Limits& limits, const gate::Request& request, uint64_t bytes);

}  // namespace ascsan::isa
