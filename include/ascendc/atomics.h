// Atomic mode of stores to GM: sticky, per core, captured at issue (spec/execution-model.md 6.2).
#pragma once

#include "ascendc/frame_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {

/// Numbers of Op::kSetAtomic, in params.frame.mode.
enum class AtomicMode : uint8_t { kNone, kAdd, kMax, kMin };

inline void set_atomic(AtomicMode mode, ascsan::gate::DataType type, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kSetAtomic, site);
  request.params.frame.mode = static_cast<uint8_t>(mode);
  request.params.frame.value[0] = static_cast<uint64_t>(type);
  ascsan_gate(&request);
}

}  // namespace detail

/// Later moves to GM add (keep the larger, the smaller value of) each element of type T.
template <typename T>
void SetAtomicAdd(Site site = ASCSAN_HERE) {
  detail::set_atomic(detail::AtomicMode::kAdd, data_type_of<T>(), site);
}
template <typename T>
void SetAtomicMax(Site site = ASCSAN_HERE) {
  detail::set_atomic(detail::AtomicMode::kMax, data_type_of<T>(), site);
}
template <typename T>
void SetAtomicMin(Site site = ASCSAN_HERE) {
  detail::set_atomic(detail::AtomicMode::kMin, data_type_of<T>(), site);
}
/// Changes the element type and keeps the operation.
template <typename T>
void SetAtomicType(Site site = ASCSAN_HERE) {
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kSetCubeRegister;
  request.params.cube_register.which = static_cast<uint8_t>(ascsan::gate::CubeRegister::kAtomicType);
  request.params.cube_register.value[0] = static_cast<uint64_t>(data_type_of<T>());
  request.site = site;
  ascsan_gate(&request);
}
inline void SetAtomicNone(Site site = ASCSAN_HERE) {
  detail::set_atomic(detail::AtomicMode::kNone, ascsan::gate::DataType::kNone, site);
}
inline void DisableDmaAtomic(Site site = ASCSAN_HERE) {
  detail::set_atomic(detail::AtomicMode::kNone, ascsan::gate::DataType::kNone, site);
}

}  // namespace AscendC
