// DataCopyPad: blocks of any length in bytes, padded to 32 bytes on the local side. Values:
// spec/execution-model.md 6.3; footprints: hb-rules.md E-6 (GM exactly the blocks, a load writes whole blocks of 32
// bytes, a store reads the bytes only).
#include "isa/copy_ops.h"
#include "isa/gm_store.h"
#include "isa/violation.h"

namespace ascsan::isa {
namespace {

using gate::Space;

bool is_store(const gate::Request& request) {
  return request.operand[0].space == Space::kGm;
}

bool has_path(const gate::Request& request) {
  const Space dst = request.operand[0].space, src = request.operand[1].space;
  return (src == Space::kGm && (dst == Space::kUb || dst == Space::kL1)) || (src == Space::kUb && dst == Space::kGm);
}

struct Plan {
  uint64_t count = 0, bytes = 0;         ///< blocks and their length
  uint64_t gm_step = 0, local_step = 0;  ///< start to start
  uint64_t left = 0, local_bytes = 0;    ///< load: bytes before the data, bytes written per block
  uint32_t element = 1;
};

Plan plan_of(const gate::Request& request) {
  const gate::PadParams& p = request.params.pad;
  const bool store = is_store(request);
  Plan plan;
  plan.element = std::max(1u, gate::bytes_of(request.operand[0].type));
  plan.bytes = p.block_bytes;
  plan.count = p.block_bytes == 0 ? 0 : p.block_count;
  plan.left = store ? 0 : uint64_t{p.left} * plan.element;
  const uint64_t right = store ? 0 : uint64_t{p.right} * plan.element;
  plan.local_bytes = ceil_to(plan.left + plan.bytes + right, 32);
  plan.gm_step = plan.bytes + (store ? p.dst_gap : p.src_gap);
  plan.local_step = plan.local_bytes + 32 * (store ? p.src_gap : p.dst_gap);
  return plan;
}

gate::Pipe pipe(const gate::Request& request) {
  return is_store(request) ? gate::Pipe::kMte3 : gate::Pipe::kMte2;
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::PadParams& p = request.params.pad;
  if (!has_path(request)) {
    limits.no_path(request.operand[0], request.operand[1], "DataCopyPad moves GM -> UB, GM -> L1 and UB -> GM");
    return;
  }
  const uint32_t size = std::max(1u, gate::bytes_of(request.operand[0].type));
  limits.range("repeat", "blockCount", p.block_count, 0, 4095);
  limits.range("length", "blockLen", p.block_bytes, 0, 2097151);
  if (p.block_bytes % size != 0) {
    limits.error("length", "blockLen is ", p.block_bytes, " bytes, not a multiple of ", size, ", the size of ",
                 name_of(request.operand[0].type), "; blockLen counts bytes, not elements");
  }
  limits.aligned(is_store(request) ? "source" : "destination", request.operand[is_store(request) ? 1 : 0], 32);
  check_atomic(limits, request, p.block_bytes);
  if (!limits.pieces({p.block_count})) return;
  if (is_store(request)) return;
  if (p.left * size > 32 || p.right * size > 32) {
    limits.error("length", "leftPadding is ", p.left, " and rightPadding ", p.right, " elements of ", size,
                 " bytes; each side may add 32 bytes at most");
  }
  if (size == 8 && p.is_pad != 0 && p.pad_value != 0) {
    limits.error("type", "paddingValue of 64-bit elements must be 0 on A2/A3, given bits ", p.pad_value);
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const Plan plan = plan_of(request);
  if (is_store(request)) {
    add_runs(out, request, 0, store_role(request), plan.bytes, plan.count, plan.gm_step);
    add_runs(out, request, 1, event::Role::kRead, plan.bytes, plan.count, plan.local_step);
  } else {
    add_runs(out, request, 0, event::Role::kWrite, plan.local_bytes, plan.count, plan.local_step);
    add_runs(out, request, 1, event::Role::kRead, plan.bytes, plan.count, plan.gm_step);
  }
}

void fill(std::byte* dst, uint64_t bytes, const std::byte* value, uint32_t size) {
  for (uint64_t i = 0; i < bytes; ++i) dst[i] = value[i % size];
}

/// What goes into the bytes around the data of one block.
struct Filler {
  enum class Kind : uint8_t { kValue, kFirstElement, kUndefined } kind = Kind::kUndefined;
  std::byte value[8] = {};
  explicit Filler(const gate::Request& request) {
    const gate::PadParams& p = request.params.pad;
    const bool from_register = p.is_pad == 0 && request.registers.pad_value_set;
    if (p.is_pad != 0 || from_register) {
      kind = Kind::kValue;
      std::memcpy(value, from_register ? &request.registers.pad_value : &p.pad_value, sizeof(value));
    } else if (p.left == 0 && p.right == 0) {
      kind = Kind::kFirstElement;
    }
  }
};

/// Bytes the documents call random: a NaN as half and bfloat16_t, so that use of them shows.
constexpr std::byte kUndefinedBytes[2] = {std::byte{0xC1}, std::byte{0x7F}};

void load_block(std::byte* dst, const std::byte* src, const Plan& plan, const Filler& filler) {
  std::memcpy(dst + plan.left, src, plan.bytes);
  const uint64_t tail = plan.left + plan.bytes;
  if (plan.left == 0 && tail == plan.local_bytes) return;
  switch (filler.kind) {
    case Filler::Kind::kValue:
      fill(dst, plan.left, filler.value, plan.element);
      fill(dst + tail, plan.local_bytes - tail, filler.value, plan.element);
      return;
    case Filler::Kind::kFirstElement:
      fill(dst + tail, plan.local_bytes - tail, dst, plan.element);
      return;
    case Filler::Kind::kUndefined:
      fill(dst, plan.left, kUndefinedBytes, 2);
      fill(dst + tail, plan.local_bytes - tail, kUndefinedBytes, 2);
      return;
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  Plan plan = plan_of(request);
  std::byte* dst = memories.at(request.operand[0]);
  const std::byte* src = memories.at(request.operand[1]);
  const bool dense = plan.gm_step == plan.bytes && plan.local_step == plan.bytes;
  if (dense && plan.count > 1) {
    plan.bytes *= plan.count, plan.local_bytes = plan.bytes, plan.count = 1;
  }
  if (is_store(request)) {
    const GmStore store(request);
    for (uint64_t i = 0; i < plan.count; ++i) store(dst + i * plan.gm_step, src + i * plan.local_step, plan.bytes);
  } else {
    const Filler filler(request);
    for (uint64_t i = 0; i < plan.count; ++i)
      load_block(dst + i * plan.local_step, src + i * plan.gm_step, plan, filler);
  }
}

}  // namespace

void add_copy_pad(machine::OpTable& table) {
  set_op(table, gate::Op::kDataCopyPad, pipe, keep_registers, check, footprint, execute);
}

}  // namespace ascsan::isa
