// Mmad and the modes of the matrix unit. Semantics: spec/api-semantics.md 6, arithmetic fp.md 5.
#pragma once

#include "ascendc/cube_params.h"
#include "ascendc/data_copy.h"

namespace AscendC {

namespace detail {

inline void mmad(const ascsan::gate::Operand& c, const ascsan::gate::Operand& a, const ascsan::gate::Operand& b,
                 const ascsan::gate::Operand* bias, const MmadParams& p, const Site& site) {
  ascsan::gate::Request request;
  request.op = ascsan::gate::Op::kMmad;
  request.operand_count = bias != nullptr ? 4 : 3;
  request.operand[0] = c;
  request.operand[1] = a;
  request.operand[2] = b;
  if (bias != nullptr) request.operand[3] = *bias;
  const bool init = p.cmatrixInitVal && !p.isBias;
  request.params.mmad = {p.m, p.n, p.k, init, bias != nullptr || p.cmatrixSource, p.kDirectionAlign, p.unitFlag};
  request.site = site;
  ascsan_gate(&request);
}

inline void set_hf32(uint8_t what, bool on, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kSetHf32, site);
  request.params.frame.mode = what;
  request.params.frame.value[0] = on;
  ascsan_gate(&request);
}

}  // namespace detail

/// C = A * B, or C += A * B when cmatrixInitVal is false.
template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& params,
          Site site = ASCSAN_HERE) {
  detail::mmad(dst.operand(), fm.operand(), filter.operand(), nullptr, params, site);
}
/// C = A * B + bias, one bias value a column.
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const LocalTensor<V>& bias,
          const MmadParams& params, Site site = ASCSAN_HERE) {
  detail::mmad(dst.operand(), fm.operand(), filter.operand(), &bias.operand(), params, site);
}
template <typename T, typename U, typename S>
void MmadWithSparse(const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<S>&, const MmadParams&,
                    Site site = ASCSAN_HERE) {
  detail::unsupported("MmadWithSparse", site);
}

/// float operands are rounded to hf32 before the multiplication.
inline void SetHF32Mode(bool enable, Site site = ASCSAN_HERE) {
  detail::set_hf32(0, enable, site);
}
inline void SetHF32Mode(HF32Mode mode, Site site = ASCSAN_HERE) {
  detail::set_hf32(0, mode == HF32Mode::ENABLE, site);
}
/// Ties of that rounding: false to even, true away from zero (spec/fp.md 5).
inline void SetHF32TransMode(bool away, Site site = ASCSAN_HERE) {
  detail::set_hf32(1, away, site);
}
inline void SetHF32TransMode(HF32TransMode mode, Site site = ASCSAN_HERE) {
  detail::set_hf32(1, mode == HF32TransMode::NEAREST_ZERO, site);
}
/// Order in which the cube walks over C: no effect on values.
inline void SetMMLayoutTransform(bool) {}
inline void SetMMRowMajor() {}
inline void SetMMColumnMajor() {}

}  // namespace AscendC
