// Instructions that compute each lane from the same lane of their sources: arithmetic, casts, Copy, Duplicate.
// Which types exist is decided by which inner loops exist (simd/arith.h), so the type check and the values cannot
// disagree. Rules: spec/api-semantics.md 0, 1, 2. Left out: CastDequant (vec_dequant.cpp), Compare and Select.
#include "isa/legal_vector.h"
#include "isa/simd/arith.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Op;

simd::KernelPair kernel_of(const gate::Request& request) {
  const DataType dst = request.operand[0].type;
  const DataType src = request.operand_count > 1 ? request.operand[1].type : dst;
  if (request.operand_count > 2 && request.operand[2].type != src) return {};
  if (request.op == Op::kCast) return simd::cast_kernel(src, dst);
  if (simd::KernelPair kernel = simd::float_kernel(request.op, src, dst)) return kernel;
  if (simd::KernelPair kernel = simd::integer_kernel(request.op, src, dst, request.registers.float_saturate))
    return kernel;
  return simd::fused_kernel(request.op, src, dst);
}

/// Copy and Duplicate move bytes: any 16- and 32-bit type of the documented lists.
bool movable(DataType type) {
  switch (type) {
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kFloat:
      return true;
    default:
      return false;
  }
}

template <typename T>
void fill(const simd::KernelArgs& args) {
  auto* dst = static_cast<T*>(args.dst);
  const T value = static_cast<T>(args.scalar);
  for (size_t i = 0; i < args.n; ++i) dst[i] = value;
}
template <typename T>
void copy(const simd::KernelArgs& args) {
  if (args.dst != args.src0) std::memcpy(args.dst, args.src0, args.n * sizeof(T));
}

bool reads_dst(Op op) {
  return op == Op::kAxpy || op == Op::kMulAddDst || op == Op::kFusedMulAdd || op == Op::kFusedMulAddRelu;
}

LaneShape shape_of(const gate::Request& request) {
  const uint32_t lanes = lanes_of(widest_bits(request));
  if (request.op == Op::kCopy) return lane_shape_per_repeat(request, lanes, repeat8(request));
  return lane_shape(request, lanes, repeat8(request));
}

/// Rounding modes that exist for a pair of types, one bit per mode (spec/api-semantics.md 2.2).
uint32_t cast_modes(DataType src, DataType dst) {
  constexpr uint32_t kNo = 1, kFive = 0x3E, kOdd = 0x40, kAny = 0x7F;  // kNo: CAST_NONE, kFive: RINT to TRUNC
  using enum DataType;
  switch (src) {
    case kInt16:
      return dst == kHalf ? kFive | kNo : kNo;
    case kHalf:
      if (dst == kFloat) return kNo;
      return dst == kInt16 || dst == kInt32 ? kFive : kFive | kNo;
    case kBfloat16:
      return dst == kInt32 ? kFive : kNo;
    case kInt32:
      if (dst == kHalf) return kAny;
      return dst == kFloat ? kFive | kNo : kNo;
    case kFloat:
      return dst == kHalf ? kFive | kOdd | kNo : kFive;
    case kInt64:
      return dst == kFloat ? kFive : kNo;
    default:
      return kNo;
  }
}

Overlap overlap_rule(const gate::Request& request) {
  switch (request.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
    case Op::kAddRelu:
    case Op::kSubRelu:
      return Overlap::kAccumulate;
    case Op::kAxpy:
    case Op::kMulAddDst:
      return request.operand[0].type == request.operand[1].type ? Overlap::kSame : Overlap::kNone;
    default:
      return Overlap::kSame;
  }
}

const char* const kModeNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                  "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

void check_types(const gate::Request& request, Limits& limits) {
  const bool moves = request.op == Op::kCopy || request.op == Op::kDuplicate;
  const bool same = request.operand_count < 2 || request.operand[0].type == request.operand[1].type;
  if (moves ? !movable(request.operand[0].type) || !same : !kernel_of(request)) {
    limits.fatal("type", "the types ", types_text(request), " do not exist for this instruction on A2/A3");
    return;
  }
  if (request.op != Op::kCast) return;
  const uint8_t mode = request.params.vector.mode;
  if (mode <= 6 && ((cast_modes(request.operand[1].type, request.operand[0].type) >> mode) & 1) != 0) return;
  limits.error("type", "the conversion ", types_text(request), " has no rounding mode ",
               mode <= 6 ? kModeNames[mode] : "of this number", " on A2/A3");
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  check_types(request, limits);
  if (!violations.empty() && !violations.back().executable) return;
  const uint32_t bits = widest_bits(request), lanes = lanes_of(bits);
  check_repeats(request, lanes, limits);
  const LaneShape shape = shape_of(request);
  if (request.registers.counter_mode && !check_amount(shape.total, bits, limits)) return;
  if (request.op == Op::kCopy &&
      (request.params.vector.dst_repeat > 4095 || request.params.vector.src0_repeat > 4095)) {
    limits.error("stride", "a repeat stride of Copy is above 4095");
  }
  const bool nibbles = request.operand[0].type == DataType::kInt4 ||
                       (request.operand_count > 1 && request.operand[1].type == DataType::kInt4);
  if (nibbles && (shape.tail.count() % 2 != 0 || shape.mask.count() % 2 != 0)) {
    limits.error("mask", "an odd number of 4-bit elements: two share one byte, so counts and masks must be even");
  }
  check_overlap(request, shape, overlap_rule(request), limits);
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = shape_of(request);
  const event::Role role = reads_dst(request.op) ? event::Role::kUpdate : event::Role::kWrite;
  add_lanes(out, request, 0, role, walk_of(request, 0, shape.lanes), shape);
  for (int i = 1; i < request.operand_count; ++i) {
    add_lanes(out, request, i, event::Role::kRead, walk_of(request, i, shape.lanes), shape);
  }
}

simd::KernelArgs args_of(const gate::Request& request) {
  simd::KernelArgs args;
  args.scalar = request.params.vector.scalar;
  args.mode = request.params.vector.mode;
  args.flags = request.params.vector.flags;
  args.saturate = request.registers.float_saturate;
  args.truncate = request.registers.cast_truncate;
  args.deq_scale = request.registers.deq_scale;
  return args;
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  LaneRun run = lane_run(request, memories, shape_of(request));
  run.dst_is_read = reads_dst(request.op);
  run_lanes(run, kernel_of(request).get(), args_of(request));
}

void execute_copy(const gate::Request& request, const machine::Memories& memories) {
  const bool wide = gate::bytes_of(request.operand[0].type) == 4;
  run_lanes(lane_run(request, memories, shape_of(request)), wide ? copy<uint32_t> : copy<uint16_t>, {});
}

void execute_duplicate(const gate::Request& request, const machine::Memories& memories) {
  const bool wide = gate::bytes_of(request.operand[0].type) == 4;
  run_lanes(lane_run(request, memories, shape_of(request)), wide ? fill<uint32_t> : fill<uint16_t>, args_of(request));
}

}  // namespace

void add_elementwise_ops(machine::OpTable& table) {
  constexpr Op kOps[] = {Op::kAdd,
                         Op::kSub,
                         Op::kMul,
                         Op::kDiv,
                         Op::kMax,
                         Op::kMin,
                         Op::kAnd,
                         Op::kOr,
                         Op::kAddRelu,
                         Op::kSubRelu,
                         Op::kAddReluCast,
                         Op::kSubReluCast,
                         Op::kMulCast,
                         Op::kAddDeqRelu,
                         Op::kMulAddDst,
                         Op::kFusedMulAdd,
                         Op::kFusedMulAddRelu,
                         Op::kAdds,
                         Op::kMuls,
                         Op::kMaxs,
                         Op::kMins,
                         Op::kLeakyRelu,
                         Op::kShiftLeft,
                         Op::kShiftRight,
                         Op::kAxpy,
                         Op::kExp,
                         Op::kLn,
                         Op::kAbs,
                         Op::kSqrt,
                         Op::kRsqrt,
                         Op::kReciprocal,
                         Op::kRelu,
                         Op::kNot,
                         Op::kCast,
                         Op::kCopy,
                         Op::kDuplicate,
                         Op::kIndexStep};
  for (Op op : kOps) {
    machine::OpInfo& info = table[static_cast<size_t>(op)];
    info.prepare = prepare_masked;
    info.check = check;
    info.footprint = footprint;
    info.execute = op == Op::kCopy ? execute_copy : op == Op::kDuplicate ? execute_duplicate : execute;
  }
}

}  // namespace ascsan::isa
