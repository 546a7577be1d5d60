// GlobalTensor and LocalTensor: typed windows of a memory. No memory is touched here except by GetValue / SetValue,
// which go through the gate. Semantics: spec/api-semantics.md 7. Left out: layouts and shape info beyond what kernels
// read back.
#pragma once

#include <cstring>
#include <type_traits>

#include "ascendc/gate.h"
#include "ascendc/qualifiers.h"
#include "ascendc/tensor_operators.h"
#include "ascendc/types.h"

namespace AscendC {

using ascsan::gate::Site;

template <typename T>
constexpr ascsan::gate::DataType data_type_of() {
  using ascsan::gate::DataType;
  if constexpr (std::is_same_v<T, half>)
    return DataType::kHalf;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return DataType::kBfloat16;
  else if constexpr (std::is_same_v<T, int4b_t>)
    return DataType::kInt4;
  else if constexpr (std::is_same_v<T, bool>)
    return DataType::kBool;
  else if constexpr (std::is_same_v<T, float>)
    return DataType::kFloat;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
    return std::is_signed_v<T> ? DataType::kInt8 : DataType::kUint8;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 2)
    return std::is_signed_v<T> ? DataType::kInt16 : DataType::kUint16;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? DataType::kInt32 : DataType::kUint32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? DataType::kInt64 : DataType::kUint64;
  else
    return DataType::kNone;
}

/// Raw bits of a scalar, zero extended to 64 bits; the gate carries scalars this way.
template <typename T>
uint64_t raw_bits(const T& value) {
  static_assert(sizeof(T) <= 8, "scalar operands are at most 8 bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T>
T from_raw_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Logical positions; the physical memory follows spec/execution-model.md 1.2.
enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};
using QuePosition = TPosition;

constexpr ascsan::gate::Space space_of(TPosition position) {
  using ascsan::gate::Space;
  switch (position) {
    case TPosition::GM:
    case TPosition::CO2:
      return Space::kGm;
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
    case TPosition::SPM:
      return Space::kL1;
    case TPosition::A2:
      return Space::kL0a;
    case TPosition::B2:
      return Space::kL0b;
    case TPosition::C2:
      return Space::kBt;
    case TPosition::CO1:
      return Space::kL0c;
    case TPosition::C2PIPE2GM:
    case TPosition::C2PIPE2LOCAL:
      return Space::kFb;
    default:
      return Space::kUb;
  }
}

/// Common part of both tensors: what an API header passes to the gate.
template <typename T>
constexpr uint64_t elements_to_bytes(uint64_t elements) {
  return elements * ascsan::gate::bits_of(data_type_of<T>()) / 8;
}

namespace detail {
inline uint64_t scalar_access(ascsan::gate::Op op, const ascsan::gate::Operand& operand, uint64_t value,
                              const Site& site) {
  ascsan::gate::Request request;
  request.op = op;
  request.operand_count = 1;
  request.operand[0] = operand;
  request.params.frame.value[0] = value;
  request.site = site;
  return ascsan_gate(&request);
}
}  // namespace detail

template <typename T>
class LocalTensor : public detail::TensorOperators<T> {
 public:
  using PrimType = T;
  LocalTensor() = default;
  /// `dst = a + b`: the vector instruction of the expression, as many elements as dst holds (tensor_operators.h).
  template <typename Expression, typename = typename Expression::IsTensorExpression>
  void operator=(const Expression& expression) const {
    expression.assign_to(*this);
  }
  explicit LocalTensor(const ascsan::gate::Operand& operand, TPosition position)
      : operand_(operand), position_(position) {
    operand_.type = data_type_of<T>();
  }
  /// Static tensor programming: `address` is a byte offset in the memory of `position`, `size` in elements.
  LocalTensor(TPosition position, uint32_t address, uint32_t size) : position_(position) {
    operand_.space = space_of(position);
    operand_.address = address;
    operand_.bytes = elements_to_bytes<T>(size);
    operand_.type = data_type_of<T>();
  }

  /// Window that starts `offset` elements further on.
  LocalTensor operator[](uint64_t offset) const {
    LocalTensor result = *this;
    const uint64_t bytes = elements_to_bytes<T>(offset);
    result.operand_.address += bytes;
    result.operand_.bytes = bytes < operand_.bytes ? operand_.bytes - bytes : 0;
    return result;
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result(operand_, position_);
    result.SetUserTag(tag_);
    return result;
  }
  /// Scalar load of element `index` (pipe S).
  T GetValue(uint64_t index, Site site = ASCSAN_HERE) const {
    return from_raw_bits<T>(detail::scalar_access(ascsan::gate::Op::kLoadScalar, element(index), 0, site));
  }
  /// Scalar store of element `index` (pipe S).
  template <typename U>
  void SetValue(uint64_t index, U value, Site site = ASCSAN_HERE) const {
    detail::scalar_access(ascsan::gate::Op::kStoreScalar, element(index), raw_bits(static_cast<T>(value)), site);
  }
  T operator()(uint64_t index) const { return GetValue(index); }

  uint32_t GetSize() const {
    return static_cast<uint32_t>(operand_.bytes * 8 / ascsan::gate::bits_of(data_type_of<T>()));
  }
  uint32_t GetLength() const { return static_cast<uint32_t>(operand_.bytes); }
  void SetSize(uint32_t elements) { operand_.bytes = elements_to_bytes<T>(elements); }
  TPosition GetPosition() const { return position_; }
  void SetUserTag(int32_t tag) { tag_ = tag; }
  int32_t GetUserTag() const { return tag_; }
  /// Byte offset in its on-chip memory.
  uint64_t GetPhyAddr(uint64_t offset = 0) const { return operand_.address + elements_to_bytes<T>(offset); }
  void SetBufferLen(uint32_t bytes) { operand_.bytes = bytes; }

  const ascsan::gate::Operand& operand() const { return operand_; }
  ascsan::gate::Operand& operand() { return operand_; }

 private:
  ascsan::gate::Operand element(uint64_t index) const {
    ascsan::gate::Operand result = operand_;
    const uint64_t bytes = elements_to_bytes<T>(index);
    result.address += bytes;
    if (operand_.bytes != 0) result.bytes = bytes < operand_.bytes ? operand_.bytes - bytes : 1;
    return result;
  }
  ascsan::gate::Operand operand_;
  TPosition position_ = TPosition::VECCALC;
  int32_t tag_ = 0;
};

enum class CacheMode : uint8_t {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL = 1,
  CACHE_MODE_LAST = 2,
  CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };

template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;
  GlobalTensor() = default;

  /// Binds the tensor to `address`; `size` in elements is used for bound checks, 0 means unknown.
  void SetGlobalBuffer(const T* address, uint64_t size = 0) {
    operand_.space = ascsan::gate::Space::kGm;
    operand_.address = reinterpret_cast<uint64_t>(address);
    operand_.bytes = elements_to_bytes<T>(size);
    operand_.type = data_type_of<T>();
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor result = *this;
    const uint64_t bytes = elements_to_bytes<T>(offset);
    result.operand_.address += bytes;
    // A window that starts past the end keeps one byte of extent, so that any access through it is reported.
    if (operand_.bytes != 0) result.operand_.bytes = bytes < operand_.bytes ? operand_.bytes - bytes : 1;
    return result;
  }
  template <typename U>
  GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> result;
    result.operand() = operand_;
    result.operand().type = data_type_of<U>();
    return result;
  }
  /// Scalar load through the data cache (pipe S); may be stale (spec/execution-model.md 6.1).
  T GetValue(uint64_t index, Site site = ASCSAN_HERE) const {
    return from_raw_bits<T>(detail::scalar_access(ascsan::gate::Op::kLoadScalar, (*this)[index].operand_, 0, site));
  }
  T operator()(uint64_t index) const { return GetValue(index); }
  /// Scalar store into the data cache (pipe S); reaches GM at dcci or eviction.
  void SetValue(uint64_t index, T value, Site site = ASCSAN_HERE) const {
    detail::scalar_access(ascsan::gate::Op::kStoreScalar, (*this)[index].operand_, raw_bits(value), site);
  }
  T* GetPhyAddr(uint64_t offset = 0) const { return reinterpret_cast<T*>(operand_.address) + offset; }
  uint64_t GetSize() const { return operand_.bytes * 8 / ascsan::gate::bits_of(data_type_of<T>()); }
  template <CacheRwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode) {}  // performance only

  const ascsan::gate::Operand& operand() const { return operand_; }
  ascsan::gate::Operand& operand() { return operand_; }

 private:
  ascsan::gate::Operand operand_;
};

}  // namespace AscendC
