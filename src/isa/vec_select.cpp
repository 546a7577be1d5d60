// The select instruction: bit 1 takes source 0, bit 0 source 1 or a scalar.
// Mode 0: bits from CMPMASK, the same for every repeat. Modes 1 and 2: bits from memory, consumed over the repeats;
// without a mask operand their address is in CMPMASK (mode 2 after SetCmpMask). Rules: spec/api-semantics.md 3 and 8.
// Left out: the instructions around it (include/ascendc/vec_select.h).
#include "isa/legal_vector.h"
#include "isa/simd/arith.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

constexpr uint8_t kFromRegister = 0;  // SELMODE::VSEL_CMPMASK_SPR

LaneShape shape_of(const gate::Request& request) {
  return lane_shape(request, lanes_of(gate::bits_of(request.operand[0].type)), repeat8(request));
}
bool has(const gate::Request& request, int index) {
  return request.operand[index].space != gate::Space::kNone;
}
uint64_t bit_bytes(const LaneShape& shape) {
  return static_cast<uint64_t>(shape.repeats) * shape.lanes / 8;
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  bool fine = true;
  for (int i = 0; i < request.operand_count; ++i)
    fine = (!has(request, i) || check_operand(request, i, kBlockBytes, limits)) && fine;
  if (!fine) return;
  const gate::DataType type = request.operand[0].type;
  const bool same = request.operand[1].type == type && (!has(request, 2) || request.operand[2].type == type);
  if (!simd::select_kernel(type) || !same) {
    limits.fatal("type", "Select works on half and float on A2/A3, given are ", name_of(request.operand[1].type),
                 " -> ", name_of(type));
    return;
  }
  const uint8_t mode = request.params.vector.mode;
  if (mode > 2) {
    limits.fatal("mode", "SELMODE ", int{mode}, " does not exist");
    return;
  }
  if (!has(request, 2) && mode != 1) {
    limits.error("mode", "a scalar as second source needs SELMODE::VSEL_TENSOR_SCALAR_MODE, given is mode ", int{mode});
  }
  if (has(request, 2) && mode == 1) {
    limits.error("mode", "SELMODE::VSEL_TENSOR_SCALAR_MODE takes a scalar as second source, given is a tensor");
  }
  const LaneShape shape = shape_of(request);
  check_repeats(request, shape.lanes, limits);
  if (request.registers.counter_mode && !check_amount(shape.total, gate::bits_of(type), limits)) return;
  check_overlap(request, shape, Overlap::kSame, limits);
}

/// `bits` = where the selection bits lie in UB; unused in mode 0.
void add_all(const gate::Request& request, machine::Footprint& out, const gate::Operand& bits) {
  const LaneShape shape = shape_of(request);
  add_lanes(out, request, 0, event::Role::kWrite, walk_of(request, 0, shape.lanes), shape);
  add_lanes(out, request, 1, event::Role::kRead, walk_of(request, 1, shape.lanes), shape);
  if (has(request, 2)) add_lanes(out, request, 2, event::Role::kRead, walk_of(request, 2, shape.lanes), shape);
  if (request.params.vector.mode == kFromRegister || bits.space == gate::Space::kNone) return;
  out.open(bits, 3, event::Role::kRead);
  out.add(bits.address, bit_bytes(shape));
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  add_all(request, out, request.operand[3]);
}

/// Mode 2 with the address in CMPMASK: known only when the instruction runs.
gate::Operand indirect_bits(const gate::Request& request, const machine::ResultRegisters& results) {
  if (request.params.vector.mode != 2 || has(request, 3)) return request.operand[3];
  gate::Operand bits;
  bits.space = gate::Space::kUb;
  bits.type = gate::DataType::kUint8;
  bits.address = results.compare_mask[0] & 0xFFFFFFFFu;
  return bits;
}

void exact_footprint(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  add_all(request, out, indirect_bits(request, *memories.results));
}

/// The bits of the enabled lanes of one repeat, packed from bit 0.
void pack_bits(const uint8_t* bits, LaneMask mask, uint8_t packed[16]) {
  uint32_t next = 0;
  std::memset(packed, 0, 16);
  for_each_run(mask, [&](uint32_t first, uint32_t count) {
    for (uint32_t lane = first; lane < first + count; ++lane, ++next) {
      packed[next / 8] = static_cast<uint8_t>(packed[next / 8] | (((bits[lane / 8] >> (lane % 8)) & 1) << (next % 8)));
    }
  });
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  LaneRun run = lane_run(request, memories, shape_of(request));
  if (run.shape.repeats == 0) return;
  const simd::Kernel kernel = simd::select_kernel(request.operand[0].type).get();
  const machine::ResultRegisters& results = *memories.results;
  simd::KernelArgs args;
  args.deq_scale = (request.params.vector.flags & 1) != 0 ? results.compare_mask[0] : request.params.vector.scalar;
  const bool in_register = request.params.vector.mode == kFromRegister;
  const uint8_t* bits = reinterpret_cast<const uint8_t*>(results.compare_mask.data());
  uint8_t zeros[16] = {};
  if (!in_register) {
    const gate::Operand where = indirect_bits(request, results);
    const bool inside = where.space == gate::Space::kUb && where.address + bit_bytes(run.shape) <= kUbBytes;
    bits = inside ? memories.as<const uint8_t>(where) : nullptr;
  }
  if (bits != nullptr && !in_register &&
      runs_flat(run)) {  // all repeats but the last are full: bits are consecutive, too
    args.scalar = reinterpret_cast<uint64_t>(bits);
    return run_lanes(run, kernel, args);
  }
  const LaneRun whole = run;
  for (uint32_t r = 0; r < whole.shape.repeats; ++r) {
    const uint8_t* repeat_bits = bits == nullptr ? zeros
                                 : in_register   ? bits
                                                 : bits + static_cast<uint64_t>(r) * whole.shape.lanes / 8;
    uint8_t packed[16];
    pack_bits(repeat_bits, whole.shape.of(r), packed);
    args.scalar = reinterpret_cast<uint64_t>(packed);
    run.shape.repeats = 1;
    run.shape.mask = run.shape.tail = whole.shape.of(r);
    run.shape.total = run.shape.tail.count();
    for (auto [lane, from] : {std::pair{&run.dst, &whole.dst}, {&run.src0, &whole.src0}, {&run.src1, &whole.src1}}) {
      if (from->base != nullptr) lane->base = from->base + static_cast<uint64_t>(r) * from->walk.repeat_stride;
    }
    run_lanes(run, kernel, args);
  }
}

}  // namespace

void add_select_ops(machine::OpTable& table) {
  machine::OpInfo& info = table[static_cast<size_t>(gate::Op::kSelect)];
  info.prepare = prepare_masked;
  info.check = check;
  info.footprint = footprint;
  info.execute = execute;
  info.exact_footprint = exact_footprint;
}

}  // namespace ascsan::isa
