// Instructions that compute each lane from the same lane of their sources: arithmetic, casts, Copy, Duplicate.
// Which types exist is decided by which inner loops exist (simd/arith.h), so the type check and the values cannot
// disagree. Rules: spec/api-semantics.md 0, 1, 2. Left out: CastDequant (vec_dequant.cpp), Compare and Select.
#include "isa/vec_elementwise.h"
#include "isa/simd/arith.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Op;

bool reads_dst(Op op) {
  return op == Op::kAxpy || op == Op::kMulAddDst || op == Op::kFusedMulAdd || op == Op::kFusedMulAddRelu;
}

}  // namespace

simd::KernelPair lane_kernel(const gate::Request& request) {
  const DataType dst = request.operand[0].type;
  const DataType src = request.operand_count > 1 ? request.operand[1].type : dst;
  if (request.operand_count > 2 && request.operand[2].type != src) return {};
  if (request.op == Op::kCast) return simd::cast_kernel(src, dst);
  if (simd::KernelPair kernel = simd::float_kernel(request.op, src, dst)) return kernel;
  if (simd::KernelPair kernel = simd::integer_kernel(request.op, src, dst, request.registers.float_saturate))
    return kernel;
  return simd::fused_kernel(request.op, src, dst);
}

LaneShape lane_instruction_shape(const gate::Request& request) {
  const uint32_t lanes = lanes_of(widest_bits(request));
  if (request.op == Op::kCopy) return lane_shape_per_repeat(request, lanes, repeat8(request));
  return lane_shape(request, lanes, repeat8(request));
}

namespace {

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

void footprint(const gate::Request& request, machine::Footprint& out) {
  const event::Role role = reads_dst(request.op) ? event::Role::kUpdate : event::Role::kWrite;
  if (request.mask_form == gate::MaskForm::kCount) {  // one run per operand
    const uint64_t elements = request.registers.mask_low;
    for (int i = 0; i < request.operand_count; ++i) {
      const gate::Operand& operand = request.operand[i];
      out.open(operand, i, i == 0 ? role : event::Role::kRead);
      out.add(operand.address, (elements * gate::bits_of(operand.type) + 7) / 8);
    }
    return;
  }
  const LaneShape shape = lane_instruction_shape(request);
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
  LaneRun run = lane_run(request, memories, lane_instruction_shape(request));
  run.dst_is_read = reads_dst(request.op);
  run_lanes(run, lane_kernel(request).get(), args_of(request));
}

void execute_copy(const gate::Request& request, const machine::Memories& memories) {
  const bool wide = gate::bytes_of(request.operand[0].type) == 4;
  run_lanes(lane_run(request, memories, lane_instruction_shape(request)), wide ? copy<uint32_t> : copy<uint16_t>, {});
}

void execute_duplicate(const gate::Request& request, const machine::Memories& memories) {
  const bool wide = gate::bytes_of(request.operand[0].type) == 4;
  run_lanes(lane_run(request, memories, lane_instruction_shape(request)), wide ? fill<uint32_t> : fill<uint16_t>,
            args_of(request));
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
    info.check = check_lane_instruction;
    info.footprint = footprint;
    info.execute = op == Op::kCopy ? execute_copy : op == Op::kDuplicate ? execute_duplicate : execute;
  }
}

}  // namespace ascsan::isa
