// How undefined bits travel through each operation: what the probe tries, whether a result element is undefined as a
// whole, and which operations bring lanes together. Left out: what the operation computes; the probe lets it run.
#pragma once

#include "event/event.h"

namespace ascsan::check {

enum class Flow : uint8_t {
  kExact,   ///< bits go through or are combined one by one: moves, And, Or, Not
  kBits,    ///< comparisons: every bit of the result stands for a lane
  kLanes,   ///< arithmetic: an element that depends on an undefined bit is undefined
  kReduce,  ///< lanes are brought together
  kProduct  ///< Mmad
};

constexpr Flow flow_of(gate::Op op) {
  using gate::Op;
  switch (op) {
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kCopy:
    case Op::kGetCmpMask:
    case Op::kSetCmpMask:
    case Op::kSelectStage:
    case Op::kBrcb:
    case Op::kGather:
    case Op::kGatherb:
    case Op::kTranspose:
    case Op::kTransposeNchw:
    case Op::kTransDataTo5HD:
    case Op::kDataCopy:
    case Op::kDataCopyPad:
    case Op::kNd2Nz:
    case Op::kNz2Nd:
    case Op::kLoadData:
    case Op::kLoadDataTranspose:
    case Op::kLoadData3d:
    case Op::kFillCube:
      return Flow::kExact;
    case Op::kCompare:
    case Op::kCompareScalar:
    case Op::kCompareRegister:
      return Flow::kBits;
    case Op::kWholeReduceSum:
    case Op::kWholeReduceMax:
    case Op::kWholeReduceMin:
    case Op::kBlockReduceSum:
    case Op::kBlockReduceMax:
    case Op::kBlockReduceMin:
    case Op::kPairReduceSum:
    case Op::kRepeatReduceSum:
    case Op::kReduceSumCount:
    case Op::kReduceSumStage:
    case Op::kReduceSumTree:
    case Op::kReduceSumFinish:
    case Op::kReduceMaxStage:
    case Op::kReduceMinStage:
    case Op::kReduceMaxFinish:
    case Op::kReduceMinFinish:
      return Flow::kReduce;
    case Op::kMmad:
      return Flow::kProduct;
    default:
      return Flow::kLanes;
  }
}

/// Operations that find their data by addresses in memory. Values there must not be tried out.
constexpr bool has_addresses(const gate::Request& request) {
  return request.op == gate::Op::kGather || request.op == gate::Op::kGatherb ||
         (request.op == gate::Op::kTransDataTo5HD && (request.params.vector.flags & 4) != 0);
}
/// Do the bytes of this access say where other bytes are?
constexpr bool is_address(const gate::Request& request, const event::Access& access) {
  if (!has_addresses(request) || access.role != event::Role::kRead) return false;
  if (request.op != gate::Op::kTransDataTo5HD) return access.operand == 2;
  return access.tensor_bytes != 0;  // the lists; the blocks they name have no tensor
}

/// The compare mask (CMPMASK): bits of lanes, moved and used like bits in memory.
constexpr bool writes_compare_mask(gate::Op op) {
  return op == gate::Op::kCompareRegister || op == gate::Op::kSetCmpMask;
}
constexpr bool reads_compare_mask(const gate::Request& request) {
  // Select modes 1 and 2 keep a scalar or an address there, put by the framework.
  return request.op == gate::Op::kGetCmpMask || (request.op == gate::Op::kSelect && request.params.vector.mode == 0);
}

}  // namespace ascsan::check
