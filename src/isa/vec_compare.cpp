// Compare and CompareScalar into bits of a tensor, Compare into the CMPMASK register, GetCmpMask and SetCmpMask.
// Rules: spec/api-semantics.md 3 and 8: the tensor forms ignore masks and work on whole repeats of 256 bytes, a tail is
// not computed; results are contiguous by repeat. The register form honours the mask; bits of disabled lanes become 0.
// Left out: nothing of A2/A3.
#include "isa/legal_vector.h"
#include "isa/simd/arith.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Op;

bool to_register(const gate::Request& request) {
  return request.op == Op::kCompareRegister;
}
int first_source(const gate::Request& request) {
  return to_register(request) ? 0 : 1;
}
DataType source_type(const gate::Request& request) {
  return request.operand[first_source(request)].type;
}

/// Lanes of the tensor forms: all lanes of every full repeat.
LaneShape full_repeats(const gate::Request& request) {
  LaneShape shape;
  shape.lanes = lanes_of(gate::bits_of(source_type(request)));
  shape.repeats =
      request.mask_form == gate::MaskForm::kCount ? request.params.vector.count / shape.lanes : repeat8(request);
  shape.mask = shape.tail = LaneMask::leading(shape.lanes);
  shape.total = static_cast<uint64_t>(shape.repeats) * shape.lanes;
  return shape;
}

/// One repeat under the mask.
LaneShape one_repeat(const gate::Request& request) {
  LaneShape shape = lane_shape(request, lanes_of(gate::bits_of(source_type(request))), 1);
  if (shape.repeats > 1) {
    shape.repeats = 1;
    shape.tail = shape.mask;
    shape.total = shape.lanes;
  }
  return shape;
}

/// Sources of the register form sit at operands 0 and 1 but use the strides of src0 and src1.
Walk source_walk(const gate::Request& request, int source, uint32_t lanes) {
  gate::Request shifted;
  shifted.mask_form = request.mask_form;
  shifted.params.vector = request.params.vector;
  shifted.operand[source + 1] = request.operand[first_source(request) + source];
  return walk_of(shifted, source + 1, lanes);
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (to_register(request)) {
    if (!check_operands(request, limits)) return;
  } else {
    bool fine = true;
    for (int i = 0; i < request.operand_count; ++i) fine = check_operand(request, i, kBlockBytes, limits) && fine;
    if (!fine) return;
  }
  const DataType type = source_type(request);
  const gate::VectorParams& p = request.params.vector;
  const bool two_sources = request.operand_count == first_source(request) + 2;
  const bool bits_dst = to_register(request) || gate::bits_of(request.operand[0].type) == 8;
  if (!simd::compare_kernel(type) || !bits_dst ||
      (two_sources && request.operand[first_source(request) + 1].type != type)) {
    limits.fatal("type", "the types ", types_text(request),
                 " do not exist for this instruction on A2/A3 (half, float, int32_t "
                 "to int8_t or uint8_t bits)");
    return;
  }
  if (p.mode > 5) {
    limits.fatal("mode", "comparison mode ", int{p.mode}, " does not exist");
    return;
  }
  if (type == DataType::kInt32 && p.mode != 2)
    limits.error("type", "int32_t is compared with CMPMODE::EQ only on A2/A3");
  if (to_register(request)) return;
  if (request.mask_form != gate::MaskForm::kCount) {
    check_repeat8(request, limits);
    return;
  }
  const uint32_t lanes = lanes_of(gate::bits_of(type));
  if (!check_amount(p.count, gate::bits_of(type), limits)) return;
  if (p.count % lanes != 0) {
    limits.error("length", "count is ", p.count, ", but whole repeats of ", lanes,
                 " elements (256 bytes) are compared: the last ", p.count % lanes,
                 " elements get no result; round the count up to a multiple of ", lanes);
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = to_register(request) ? one_repeat(request) : full_repeats(request);
  const int first = first_source(request);
  if (first == 1) {
    out.open(request.operand[0], 0, event::Role::kWrite);
    out.add(request.operand[0].address, shape.total / 8);
  }
  for (int i = first; i < request.operand_count; ++i) {
    add_lanes(out, request, i, event::Role::kRead, source_walk(request, i - first, shape.lanes), shape);
  }
}

simd::KernelArgs args_of(const gate::Request& request) {
  simd::KernelArgs args;
  args.mode = request.params.vector.mode;
  args.scalar = request.params.vector.scalar;
  return args;
}

Lane source_lane(const gate::Request& request, const machine::Memories& memories, int source, uint32_t lanes) {
  const int index = first_source(request) + source;
  if (index >= request.operand_count) return {};
  return {memories.at(request.operand[index]), source_walk(request, source, lanes)};
}

bool usable(const Lane& lane, const LaneShape& shape) {
  return lane.base == nullptr ||
         (is_flat(lane.walk, shape) && reinterpret_cast<uintptr_t>(lane.base) % (lane.walk.bits / 8) == 0);
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = full_repeats(request);
  const Lane a = source_lane(request, memories, 0, shape.lanes), b = source_lane(request, memories, 1, shape.lanes);
  const simd::Kernel kernel = simd::compare_kernel(source_type(request)).get();
  simd::KernelArgs args = args_of(request);
  auto* dst = memories.at(request.operand[0]);
  if (usable(a, shape) && usable(b, shape)) {
    args.dst = dst;
    args.src0 = a.base;
    args.src1 = b.base;
    args.n = shape.total;
    return kernel(args);
  }
  RepeatBuffer a_lanes, b_lanes;
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    gather_lanes(a, r, shape.mask, a_lanes.bytes);
    if (b.base != nullptr) gather_lanes(b, r, shape.mask, b_lanes.bytes);
    args.dst = dst + static_cast<uint64_t>(r) * shape.lanes / 8;
    args.src0 = a_lanes.bytes;
    args.src1 = b.base != nullptr ? b_lanes.bytes : nullptr;
    args.n = shape.lanes;
    kernel(args);
  }
}

void execute_register(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = one_repeat(request);
  memories.results->compare_mask = {0, 0};
  if (shape.repeats == 0) return;
  const Lane a = source_lane(request, memories, 0, shape.lanes), b = source_lane(request, memories, 1, shape.lanes);
  RepeatBuffer a_lanes{}, b_lanes{};
  gather_lanes(a, 0, shape.tail, a_lanes.bytes);
  gather_lanes(b, 0, shape.tail, b_lanes.bytes);
  uint8_t dense[16] = {};
  simd::KernelArgs args = args_of(request);
  args.dst = dense;
  args.src0 = a_lanes.bytes;
  args.src1 = b_lanes.bytes;
  args.n = (shape.total + 7) / 8 * 8;
  simd::compare_kernel(source_type(request)).get()(args);
  uint32_t next = 0;
  for (uint32_t lane = 0; lane < shape.lanes; ++lane) {
    if (!shape.tail.test(lane)) continue;
    const uint64_t bit = (dense[next / 8] >> (next % 8)) & 1;
    memories.results->compare_mask[lane / 64] |= bit << (lane % 64);
    ++next;
  }
}

void check_mask_move(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  check_operand(request, 0, 16, limits);
}
void footprint_get(const gate::Request& request, machine::Footprint& out) {
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, 16);
}
void footprint_set(const gate::Request& request, machine::Footprint& out) {
  out.open(request.operand[0], 0, event::Role::kRead);
  out.add(request.operand[0].address, 16);
}
void execute_get(const gate::Request& request, const machine::Memories& memories) {
  std::memcpy(memories.at(request.operand[0]), memories.results->compare_mask.data(), 16);
}
void execute_set(const gate::Request& request, const machine::Memories& memories) {
  std::memcpy(memories.results->compare_mask.data(), memories.at(request.operand[0]), 16);
}

}  // namespace

void add_compare_ops(machine::OpTable& table) {
  for (Op op : {Op::kCompare, Op::kCompareScalar, Op::kCompareRegister}) {
    machine::OpInfo& info = table[static_cast<size_t>(op)];
    info.prepare = prepare_masked;
    info.check = check;
    info.footprint = footprint;
    info.execute = op == Op::kCompareRegister ? execute_register : execute;
  }
  machine::OpInfo& get = table[static_cast<size_t>(Op::kGetCmpMask)];
  machine::OpInfo& set = table[static_cast<size_t>(Op::kSetCmpMask)];
  get.prepare = set.prepare = prepare_plain;
  get.check = set.check = check_mask_move;
  get.footprint = footprint_get;
  get.execute = execute_get;
  set.footprint = footprint_set;
  set.execute = execute_set;
}

}  // namespace ascsan::isa
