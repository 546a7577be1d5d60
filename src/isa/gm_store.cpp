#include "isa/gm_store.h"

#include <cmath>

#include "ascendc/float16.h"

namespace ascsan::isa {
namespace {

enum : uint8_t { kNone, kAdd, kMax, kMin };  // Registers::atomic

template <typename T>
struct Number {
  static T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
  }
  static T add(T a, T b, bool) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(static_cast<int64_t>(a)) +
                            static_cast<uint64_t>(static_cast<int64_t>(b)));
    } else {
      return a + b;
    }
  }
};

float saturated(float value, float limit) {
  if (std::isnan(value)) return 0;
  return value > limit ? limit : value < -limit ? -limit : value;
}

template <>
struct Number<half> {
  static half load(const std::byte* at) {
    uint16_t bits;
    std::memcpy(&bits, at, 2);
    return half::from_bits(bits);
  }
  static half add(half a, half b, bool saturate) {
    const float sum = static_cast<float>(a) + static_cast<float>(b);
    return half(saturate ? saturated(sum, 65504.0f) : sum);
  }
};

template <>
struct Number<bfloat16_t> {
  static bfloat16_t load(const std::byte* at) {
    uint16_t bits;
    std::memcpy(&bits, at, 2);
    return bfloat16_t::from_bits(bits);
  }
  static bfloat16_t add(bfloat16_t a, bfloat16_t b, bool saturate) {
    const float sum = static_cast<float>(a) + static_cast<float>(b);
    return bfloat16_t(saturate ? saturated(sum, 0x1.FEp127f) : sum);
  }
};

/// NaN wins, so that the result does not hang on the order of the stores.
template <typename T>
T larger(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? b : a;
}
template <typename T>
T smaller(T a, T b) {
  return a != a ? a : b != b ? b : b < a ? b : a;
}

template <typename T, uint8_t op>
void combine(std::byte* dst, const std::byte* src, size_t bytes, bool saturate) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    const T a = Number<T>::load(dst + i), b = Number<T>::load(src + i);
    const T result = op == kAdd ? Number<T>::add(a, b, saturate) : op == kMax ? larger(a, b) : smaller(a, b);
    std::memcpy(dst + i, &result, sizeof(T));
  }
}

}  // namespace

GmStore::Combine GmStore::choose(uint8_t op, gate::DataType type) {
#define ASCSAN_ATOMIC(Type) \
  return op == kAdd ? combine<Type, kAdd> : op == kMax ? combine<Type, kMax> : combine<Type, kMin>
  switch (type) {
    case gate::DataType::kInt8:
      ASCSAN_ATOMIC(int8_t);
    case gate::DataType::kInt16:
      ASCSAN_ATOMIC(int16_t);
    case gate::DataType::kInt32:
      ASCSAN_ATOMIC(int32_t);
    case gate::DataType::kHalf:
      ASCSAN_ATOMIC(half);
    case gate::DataType::kBfloat16:
      ASCSAN_ATOMIC(bfloat16_t);
    case gate::DataType::kFloat:
      ASCSAN_ATOMIC(float);
    default:
      return nullptr;
  }
#undef ASCSAN_ATOMIC
}

GmStore::GmStore(const gate::Request& request) : saturate_(request.registers.float_saturate) {
  if (request.registers.atomic == kNone || request.operand[0].space != gate::Space::kGm) return;
  combine_ = choose(request.registers.atomic, request.registers.atomic_type);
}

event::Role store_role(const gate::Request& request) {
  const bool atomic = request.registers.atomic != kNone && request.operand[0].space == gate::Space::kGm;
  return atomic ? event::Role::kAtomic : event::Role::kWrite;
}

void check_atomic(Limits& limits, const gate::Request& request, uint64_t bytes) {
  if (store_role(request) != event::Role::kAtomic) return;
  const gate::DataType type = request.registers.atomic_type, tensor = request.operand[0].type;
  switch (type) {
    case gate::DataType::kInt8:
    case gate::DataType::kInt16:
    case gate::DataType::kInt32:
    case gate::DataType::kHalf:
    case gate::DataType::kBfloat16:
    case gate::DataType::kFloat:
      break;
    default:
      limits.fatal("type", "atomic mode is on with type ", name_of(type),
                   "; allowed are int8_t, int16_t, int32_t, half, bfloat16_t, float");
      return;
  }
  const uint32_t size = gate::bytes_of(type);
  if (tensor != type) {
    limits.warning("type", "the destination is a tensor of ", name_of(tensor), " but the atomic mode was set for ",
                   name_of(type), "; call SetAtomicNone before, or SetAtomicAdd with the type of the tensor");
  }
  if (bytes % size != 0) {
    limits.error("length", "an atomic store of ", bytes, " bytes is not a whole number of ", name_of(type), " (", size,
                 " bytes); the rest is not stored");
  }
  if (request.operand[1].space == gate::Space::kL1 && request.registers.atomic != kAdd) {
    limits.error("type",
                 "moves from L1 to GM know the atomic addition only; maximum and minimum need UB or L0C as source");
  }
}

}  // namespace ascsan::isa
