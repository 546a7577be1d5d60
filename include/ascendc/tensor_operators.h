// `dst = a + b` on LocalTensor: the operators only remember their operands and the place of the call; assigning to a
// tensor issues the vector instruction on as many elements as the destination holds (comparisons: the sources). Rules:
// spec/api-semantics.md 2 and 3 (count forms). Included by tensor.h; the instructions come with vec_binary.h and
// vec_compare.h. Left out: chains such as a + b + c, which the device API does not have either.
#pragma once

#include "ascendc/gate.h"

namespace AscendC {

template <typename T>
class LocalTensor;

namespace detail {

/// Right operand of an operator, with the place where the expression stands.
template <typename T>
struct PlacedTensor {
  const LocalTensor<T>& tensor;
  ascsan::gate::Site site;
  PlacedTensor(const LocalTensor<T>& operand, ascsan::gate::Site here = ASCSAN_HERE) : tensor(operand), site(here) {}
};

/// An operation waiting for its destination. `mode` is a CMPMASK comparison for Op::kCompare.
template <typename T>
struct TensorExpression {
  using IsTensorExpression = void;
  ascsan::gate::Op op;
  uint8_t mode;
  const LocalTensor<T>& left;
  const LocalTensor<T>& right;
  ascsan::gate::Site site;

  template <typename D>
  void assign_to(const LocalTensor<D>& dst) const {
    using ascsan::gate::Op;
    ascsan::gate::Request request;
    request.op = op;
    request.site = site;
    request.operand_count = 3;
    request.operand[0] = dst.operand();
    request.operand[1] = left.operand();
    request.operand[2] = right.operand();
    request.mask_form = ascsan::gate::MaskForm::kCount;
    request.params.vector.mode = mode;
    request.params.vector.count = op == Op::kCompare ? left.GetSize() : dst.GetSize();
    if (op == Op::kAnd || op == Op::kOr) halve_lanes(request, sizeof(T));
    ascsan_gate(&request);
  }

 private:
  /// Bitwise operations work on 16-bit lanes.
  static void halve_lanes(ascsan::gate::Request& request, uint32_t bytes) {
    if (bytes != 4) return;
    for (int i = 0; i < 3; ++i) request.operand[i].type = ascsan::gate::DataType::kUint16;
    request.params.vector.count *= 2;
  }
};

/// Base of LocalTensor that carries the operators, found through their left operand.
template <typename T>
struct TensorOperators {
#define ASCSAN_TENSOR_OPERATOR(symbol, operation, comparison)                                     \
  friend TensorExpression<T> operator symbol(const LocalTensor<T>& left, PlacedTensor<T> right) { \
    return {ascsan::gate::Op::operation, comparison, left, right.tensor, right.site};             \
  }
  ASCSAN_TENSOR_OPERATOR(+, kAdd, 0)
  ASCSAN_TENSOR_OPERATOR(-, kSub, 0)
  ASCSAN_TENSOR_OPERATOR(*, kMul, 0)
  ASCSAN_TENSOR_OPERATOR(/, kDiv, 0)
  ASCSAN_TENSOR_OPERATOR(&, kAnd, 0)
  ASCSAN_TENSOR_OPERATOR(|, kOr, 0)
  ASCSAN_TENSOR_OPERATOR(<, kCompare, 0)
  ASCSAN_TENSOR_OPERATOR(>, kCompare, 1)
  ASCSAN_TENSOR_OPERATOR(==, kCompare, 2)
  ASCSAN_TENSOR_OPERATOR(<=, kCompare, 3)
  ASCSAN_TENSOR_OPERATOR(>=, kCompare, 4)
  ASCSAN_TENSOR_OPERATOR(!=, kCompare, 5)
#undef ASCSAN_TENSOR_OPERATOR
};

}  // namespace detail
}  // namespace AscendC
