// CastDequant: int32 -> half with a scale, and int16 -> int8 / uint8 with scale, offset and sign, whose 16 results per
// block fill one half of each 32-byte destination block (spec/api-semantics.md 2, fp.md 7). flags bit 0: sixteen sets
// in UB at registers.deq_scale, used in turn; bit 1: results go to the upper half. Left out: nothing of A2/A3.
#include "isa/fp.h"
#include "isa/legal_vector.h"
#include "isa/simd/arith.h"
#include "isa/vec_lanes.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::DataType;

bool to_bytes(const gate::Request& request) {
  return request.operand[1].type == DataType::kInt16;
}
bool vector_scales(const gate::Request& request) {
  return (request.params.vector.flags & 1) != 0 && to_bytes(request);
}

bool known_types(const gate::Request& request) {
  const DataType src = request.operand[1].type, dst = request.operand[0].type;
  if (src == DataType::kInt16) return dst == DataType::kInt8 || dst == DataType::kUint8;
  return src == DataType::kInt32 && dst == DataType::kHalf;
}

LaneShape shape_of(const gate::Request& request) {
  return lane_shape(request, to_bytes(request) ? 128 : 64, repeat8(request));
}

/// 16 results per destination block, in one of its halves: a walk over "blocks" of 16 bytes cannot be expressed by
/// Walk, so the pieces are formed here. f(offset, lanes), 16 lanes at most.
template <typename F>
void for_each_half_block(const gate::Request& request, const LaneShape& shape, uint32_t repeat, F&& f) {
  const gate::VectorParams& p = request.params.vector;
  const bool count_form = request.mask_form == gate::MaskForm::kCount;
  const uint64_t block_stride = (count_form ? 1 : p.dst_block) * uint64_t{kBlockBytes};
  const uint64_t repeat_stride = (count_form ? 8 : p.dst_repeat) * uint64_t{kBlockBytes};
  const uint64_t half = (p.flags & 2) != 0 ? 16 : 0;
  for_each_run(shape.of(repeat), [&](uint32_t first, uint32_t count) {
    while (count > 0) {
      const uint32_t part = std::min(count, 16 - first % 16);
      f(repeat * repeat_stride + first / 16 * block_stride + half + first % 16, first, part);
      first += part;
      count -= part;
    }
  });
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_operands(request, limits)) return;
  if (!known_types(request)) {
    limits.fatal("type", "the types ", types_text(request), " do not exist for this instruction on A2/A3");
    return;
  }
  const LaneShape shape = shape_of(request);
  check_repeats(request, shape.lanes, limits);
  if (request.registers.counter_mode && !check_amount(shape.total, 32, limits)) return;
  if (vector_scales(request) &&
      (request.registers.deq_scale % kBlockBytes != 0 || request.registers.deq_scale + 128 > kUbBytes)) {
    limits.fatal("alignment", "SetDeqScale names byte ", request.registers.deq_scale,
                 " of UB for the 16 scales; they need 128 bytes from a multiple of 32");
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = shape_of(request);
  if (!to_bytes(request)) {
    add_lanes(out, request, 0, event::Role::kWrite, walk_of(request, 0, shape.lanes), shape);
  } else {
    RunSet runs;
    for (uint32_t r = 0; r < shape.repeats; ++r) {
      for_each_half_block(request, shape, r, [&](uint64_t offset, uint32_t, uint32_t lanes) {
        runs.add(request.operand[0].address + offset, lanes);
      });
    }
    out.open(request.operand[0], 0, event::Role::kWrite);
    runs.flush(out);
  }
  add_lanes(out, request, 1, event::Role::kRead, walk_of(request, 1, shape.lanes), shape);
  if (vector_scales(request) && shape.repeats > 0) {
    gate::Operand scales;
    scales.space = gate::Space::kUb;
    scales.type = DataType::kUint64;
    scales.address = request.registers.deq_scale;
    scales.bytes = 128;
    out.open(scales, 2, event::Role::kRead);
    out.add(scales.address, 128);
  }
}

/// rint(x * scale + offset), clamped by the sign flag of the word (spec/fp.md 6 for its bits).
uint8_t quantise(int16_t x, uint64_t word, bool truncate) {
  const float scale = std::bit_cast<float>(static_cast<uint32_t>(word) & 0xFFFFE000u);
  const auto offset = static_cast<int32_t>(((word >> 37) & 0x1FF) ^ 0x100) - 0x100;
  const double value = fp::to_integral(static_cast<double>(static_cast<float>(x) * scale + static_cast<float>(offset)),
                                       fp::Round::kRint);
  if (((word >> 46) & 1) != 0) return static_cast<uint8_t>(fp::to_integer<int8_t>(value, truncate));
  return fp::to_integer<uint8_t>(value, truncate);
}

void execute_bytes(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = shape_of(request);
  const LaneRun run = lane_run(request, memories, shape);
  uint64_t words[16];
  std::fill_n(words, 16, request.registers.deq_scale);
  if (vector_scales(request)) {
    std::memcpy(words, memories.base[static_cast<size_t>(gate::Space::kUb)] + request.registers.deq_scale,
                sizeof(words));
  }
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    int16_t values[128];
    gather_lanes(run.src0, r, shape.of(r), values);
    const int16_t* next = values;
    for_each_half_block(request, shape, r, [&](uint64_t offset, uint32_t first, uint32_t lanes) {
      for (uint32_t i = 0; i < lanes; ++i) {
        run.dst.base[offset + i] =
            static_cast<std::byte>(quantise(*next++, words[(first + i) % 16], request.registers.cast_truncate));
      }
    });
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  if (to_bytes(request)) return execute_bytes(request, memories);
  simd::KernelArgs args;
  args.deq_scale = request.registers.deq_scale;
  args.saturate = request.registers.float_saturate;
  const simd::KernelPair kernel = simd::fused_kernel(request.op, request.operand[1].type, request.operand[0].type);
  run_lanes(lane_run(request, memories, shape_of(request)), kernel.get(), args);
}

}  // namespace

void add_dequant_op(machine::OpTable& table) {
  machine::OpInfo& info = table[static_cast<size_t>(gate::Op::kCastDequant)];
  info.prepare = prepare_masked;
  info.check = check;
  info.footprint = footprint;
  info.execute = execute;
}

}  // namespace ascsan::isa
