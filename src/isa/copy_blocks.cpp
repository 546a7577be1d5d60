// DataCopy: whole blocks between two memories, with gaps. Units and pipes: spec/api-semantics.md 1, execution-model.md
// 3.2 and 6.3. Left out: moves out of L0C (fixpipe.cpp) and layout changes (copy_nd_nz.cpp).
#include "ascendc/float16.h"
#include "isa/copy_ops.h"
#include "isa/gm_store.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::Pipe;
using gate::Space;

constexpr Pipe kNoPath = Pipe::kAll;

constexpr Pipe path(Space src, Space dst) {
  if (src == Space::kGm) return dst == Space::kUb || dst == Space::kL1 ? Pipe::kMte2 : kNoPath;
  if (dst == Space::kGm) return src == Space::kUb || src == Space::kL1 ? Pipe::kMte3 : kNoPath;
  if (src == Space::kUb && dst == Space::kUb) return Pipe::kV;
  if (src == Space::kL1 && dst == Space::kBt) return Pipe::kMte1;
  if (src == Space::kL1 && dst == Space::kFb) return Pipe::kFix;
  return kNoPath;
}

/// The move in bytes.
struct Plan {
  uint64_t count = 0;                     ///< blocks
  uint64_t src_bytes = 0, dst_bytes = 0;  ///< of one block; they differ only when half becomes float on the way to BT
  uint64_t src_step = 0, dst_step = 0;
  bool widen = false;
};

uint64_t unit_of(Space dst) {
  return dst == Space::kBt ? 64 : dst == Space::kFb ? 128 : 32;
}

Plan plan_of(const gate::Request& request) {
  const gate::CopyParams& p = request.params.copy;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  const uint64_t unit = unit_of(dst.space);
  Plan plan;
  plan.widen = dst.space == Space::kBt && src.type == gate::DataType::kHalf && dst.type == gate::DataType::kFloat;
  plan.count = p.count_form != 0 ? 1 : p.block_count;
  plan.dst_bytes = p.count_form != 0 ? p.count_bytes / unit * unit : p.block_len * unit;
  plan.src_bytes = plan.widen ? plan.dst_bytes / 2 : plan.dst_bytes;
  if (plan.dst_bytes == 0) plan.count = 0;
  const bool head_to_head = dst.space == Space::kFb;
  plan.src_step = uint64_t{p.src_gap} * 32 + (head_to_head ? 0 : plan.src_bytes);
  plan.dst_step = uint64_t{p.dst_gap} * unit + (head_to_head ? 0 : plan.dst_bytes);
  return plan;
}

Pipe pipe(const gate::Request& request) {
  const Pipe found = path(request.operand[1].space, request.operand[0].space);
  if (found != kNoPath) return found;
  return request.operand[0].space == Space::kGm ? Pipe::kMte3 : Pipe::kMte2;
}

uint64_t extent(uint64_t bytes, uint64_t count, uint64_t step) {
  return count == 0 ? 0 : (count - 1) * step + bytes;
}

void check_overlap(Limits& limits, const gate::Request& request, const Plan& plan) {
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (plan.count > 1 && plan.dst_step < plan.dst_bytes) {
    limits.error("overlap", "the ", plan.count, " destination blocks of ", plan.dst_bytes, " bytes start ",
                 plan.dst_step, " bytes apart and overwrite each other");
  }
  if (dst.space != src.space || dst.space == Space::kGm || plan.count == 0) return;
  const uint64_t dst_end = dst.address + extent(plan.dst_bytes, plan.count, plan.dst_step);
  const uint64_t src_end = src.address + extent(plan.src_bytes, plan.count, plan.src_step);
  const bool disjoint = dst_end <= src.address || src_end <= dst.address;
  const bool same = dst.address == src.address && plan.src_step == plan.dst_step;
  if (!disjoint && !same) {
    limits.error("overlap", "source bytes ", src.address, "..", src_end, " and destination bytes ", dst.address, "..",
                 dst_end, " of ", name_of(dst.space), " overlap in part; they must be apart or the same");
  }
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::CopyParams& p = request.params.copy;
  const gate::Operand &dst = request.operand[0], &src = request.operand[1];
  if (path(src.space, dst.space) == kNoPath) {
    limits.no_path(dst, src,
                   "move GM <-> UB, GM <-> L1, UB -> UB, L1 -> BT, L1 -> FB; results leave L0C through Fixpipe");
    return;
  }
  const uint64_t unit = unit_of(dst.space);
  if (p.count_form != 0) {
    if (p.count_bytes % unit != 0) {
      limits.warning("length", "count covers ", p.count_bytes, " bytes, not a multiple of ", unit, "; the last ",
                     p.count_bytes % unit,
                     " bytes are not moved. Use DataCopyPad, or round the count up where the buffers have room");
    }
  } else {
    limits.range("repeat", "blockCount", p.block_count, 0, 4095);
  }
  limits.aligned("destination", dst);
  limits.aligned("source", src);
  if (dst.space == Space::kFb && dst.address % 64 == 0 && dst.address % 128 != 0) {
    limits.warning("alignment", "destination starts at byte ", dst.address,
                   " of FB; newer documents ask for multiples of 128");
  }
  const Plan plan = plan_of(request);
  if (!limits.pieces({plan.count})) return;
  check_overlap(limits, request, plan);
  check_atomic(limits, request, plan.dst_bytes);
  if (!plan.widen && dst.space == Space::kBt && src.type != dst.type) {
    limits.fatal("type", "BT takes ", name_of(src.type), " as ", name_of(dst.type),
                 " nowhere; allowed are equal types of 32 bits and half to float");
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const Plan plan = plan_of(request);
  add_runs(out, request, 0, store_role(request), plan.dst_bytes, plan.count, plan.dst_step);
  add_runs(out, request, 1, event::Role::kRead, plan.src_bytes, plan.count, plan.src_step);
}

void widen(std::byte* dst, const std::byte* src, uint64_t elements) {
  for (uint64_t i = 0; i < elements; ++i) {
    uint16_t bits;
    std::memcpy(&bits, src + 2 * i, 2);
    const float value = float16::half_to_float(bits);
    std::memcpy(dst + 4 * i, &value, 4);
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  Plan plan = plan_of(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  if (plan.count > 1 && plan.src_step == plan.src_bytes && plan.dst_step == plan.dst_bytes) {
    plan.src_bytes *= plan.count, plan.dst_bytes *= plan.count, plan.count = 1;
  }
  const GmStore store(request);
  const bool same_memory = request.operand[0].space == request.operand[1].space;
  for (uint64_t i = 0; i < plan.count; ++i, dst += plan.dst_step, src += plan.src_step) {
    if (plan.widen) {
      widen(dst, src, plan.dst_bytes / 4);
    } else if (same_memory) {
      std::memmove(dst, src, plan.dst_bytes);
    } else {
      store(dst, src, plan.dst_bytes);
    }
  }
}

}  // namespace

void add_copy_blocks(machine::OpTable& table) {
  set_op(table, gate::Op::kDataCopy, pipe, keep_registers, check, footprint, execute);
}

}  // namespace ascsan::isa
