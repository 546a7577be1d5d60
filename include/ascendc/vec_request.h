// Builds the requests of ops_vector.def. The templates of vec_*.h stay thin: they name the operands, the mask form and
// the strides, and issue; lanes, limits and values are decided behind the gate. Rules: spec/api-semantics.md 0 (three
// call shapes). Left out: any check.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/enums_vector.h"
#include "ascendc/frame_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

/// Parameter type that takes no part in template argument deduction: `Muls(dst, src, 2, n)` converts 2 to the tensor's
/// type.
template <typename T>
struct NotDeduced {
  using Type = T;
};
template <typename T>
using ScalarOf = typename NotDeduced<T>::Type;

namespace detail {

using ascsan::gate::MaskForm;
using ascsan::gate::Op;

class VectorCall {
 public:
  VectorCall(Op op, const Site& site) {
    request_.op = op;
    request_.site = site;
    parameters().dst_block = parameters().src0_block = parameters().src1_block = DEFAULT_BLK_STRIDE;
    parameters().dst_repeat = parameters().src0_repeat = parameters().src1_repeat = DEFAULT_REPEAT_STRIDE;
  }

  template <typename T>
  VectorCall& operand(const LocalTensor<T>& tensor) {
    request_.operand[request_.operand_count++] = tensor.operand();
    return *this;
  }
  VectorCall& operand(const ascsan::gate::Operand& operand) {
    request_.operand[request_.operand_count++] = operand;
    return *this;
  }
  template <typename T>
  VectorCall& scalar(const T& value) {
    parameters().scalar = raw_bits(value);
    parameters().scalar_type = data_type_of<T>();
    return *this;
  }

  /// Count form. A negative count becomes a huge one, which the length check reports.
  template <typename N>
  VectorCall& count(N elements) {
    request_.mask_form = MaskForm::kCount;
    parameters().count = static_cast<uint32_t>(elements);
    return *this;
  }
  template <bool is_set_mask>
  VectorCall& mask(const uint64_t bits[]) {
    request_.mask_form = is_set_mask ? MaskForm::kBits : MaskForm::kRegister;
    if (is_set_mask) request_.mask_low = bits[0], request_.mask_high = bits[1];
    return *this;
  }
  template <bool is_set_mask>
  VectorCall& mask(uint64_t lanes) {
    request_.mask_form = is_set_mask ? MaskForm::kContinuous : MaskForm::kRegister;
    if (is_set_mask) request_.mask_low = lanes;
    return *this;
  }
  /// Bits for a type of up to 64 lanes come from mask[0] alone; kernels pass arrays of one element then.
  template <bool is_set_mask, typename Widest>
  VectorCall& mask_for(const uint64_t bits[]) {
    if constexpr (sizeof(Widest) < 4) return mask<is_set_mask>(bits);
    request_.mask_form = is_set_mask ? MaskForm::kBits : MaskForm::kRegister;
    if (is_set_mask) request_.mask_low = bits[0];
    return *this;
  }
  template <bool is_set_mask, typename Widest>
  VectorCall& mask_for(uint64_t lanes) {
    return mask<is_set_mask>(lanes);
  }

  VectorCall& repeat(int32_t times) {
    parameters().repeat = times;
    return *this;
  }
  VectorCall& strides(const BinaryRepeatParams& given) {
    ascsan::gate::VectorParams& p = parameters();
    p.dst_block = given.dstBlkStride, p.src0_block = given.src0BlkStride, p.src1_block = given.src1BlkStride;
    p.dst_repeat = given.dstRepStride, p.src0_repeat = given.src0RepStride, p.src1_repeat = given.src1RepStride;
    return *this;
  }
  VectorCall& strides(const UnaryRepeatParams& given) {
    ascsan::gate::VectorParams& p = parameters();
    p.dst_block = given.dstBlkStride, p.src0_block = given.srcBlkStride;
    p.dst_repeat = given.dstRepStride, p.src0_repeat = given.srcRepStride;
    return *this;
  }
  /// Strides given as integers: a value that does not fit its field is kept for the check to report.
  VectorCall& dst_strides(int64_t block, int64_t repeat) {
    parameters().dst_block = narrow(block), parameters().dst_repeat = narrow(repeat);
    return *this;
  }
  VectorCall& src_strides(int64_t block, int64_t repeat) {
    parameters().src0_block = narrow(block), parameters().src0_repeat = narrow(repeat);
    return *this;
  }
  template <typename Mode>
  VectorCall& mode(Mode value) {
    parameters().mode = static_cast<uint8_t>(value);
    return *this;
  }
  VectorCall& flags(uint8_t bits) {
    parameters().flags = bits;
    return *this;
  }
  VectorCall& extra(int index, uint64_t value) {
    parameters().extra[index] = value;
    return *this;
  }
  ascsan::gate::VectorParams& parameters() { return request_.params.vector; }
  uint64_t issue() { return ascsan_gate(&request_); }

 private:
  uint16_t narrow(int64_t stride) {
    if (stride < 0 || stride > 65535) {
      parameters().out_of_range = 1;
      parameters().extra[7] = static_cast<uint64_t>(stride);
    }
    return static_cast<uint16_t>(stride);
  }
  ascsan::gate::Request request_;
};

/// The wider of two element types: it sets the lanes per repeat.
template <typename A, typename B>
using WiderOf =
    std::conditional_t<(ascsan::gate::bits_of(data_type_of<A>()) >= ascsan::gate::bits_of(data_type_of<B>())), A, B>;

}  // namespace detail
}  // namespace AscendC
