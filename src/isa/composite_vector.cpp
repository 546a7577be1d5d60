// Vector steps of ReduceSum, ReduceMax and ReduceMin as include/ascendc/vec_reduce_composite.h issues them. Results go
// to the result registers, from where the scalar unit stores them. Rules: spec/execution-model.md 3.2, api-semantics.md
// 4, fp.md 4 (order of sums). Left out: the scalar steps (headers).
#include "isa/composite_vector.h"

#include <algorithm>

#include "isa/reduce_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {

std::vector<TmpLevel> tmp_levels(uint64_t repeats, uint32_t element_bytes) {
  const uint64_t block = kBlockBytes / element_bytes, lanes = kRepeatBytes / element_bytes;
  std::vector<TmpLevel> levels{{0, 2 * repeats}};
  while (levels.back().elements > 2) {
    const TmpLevel last = levels.back();
    levels.push_back(
        {last.offset + (last.elements + block - 1) / block * block, 2 * ((last.elements + lanes - 1) / lanes)});
  }
  return levels;
}

namespace {

using gate::Op;

/// Repeats of the level-0 forms are 31 bits wide.
LaneShape stage_shape(const gate::Request& request, int source) {
  const int32_t repeat = request.params.vector.repeat;
  const uint32_t lanes = kRepeatBytes / gate::bytes_of(request.operand[source].type);
  return lane_shape(request, lanes, repeat > 0 ? static_cast<uint32_t>(repeat) : 0);
}
uint32_t element_bytes(const gate::Request& request) {
  return gate::bytes_of(request.operand[0].type);
}

bool check_reducible(const gate::Request& request, uint32_t first_alignment, Limits& limits) {
  for (int i = 0; i < request.operand_count; ++i) {
    // A type without whole bytes has no alignment; it is refused below.
    const uint32_t alignment = i == 0 ? std::max(1u, first_alignment) : kBlockBytes;
    if (!check_operand(request, i, alignment, limits)) return false;
    if (!reducible(request.operand[i].type)) {
      limits.fatal("type", "the type ", name_of(request.operand[i].type),
                   " does not exist for this instruction; it takes half and float");
      return false;
    }
  }
  return true;
}

// ---- ReduceSum, count form

void check_count(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_reducible(request, kBlockBytes, limits)) return;
  check_amount(stage_shape(request, 0).total, element_bytes(request) * 8, limits);
}
void footprint_count(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = stage_shape(request, 0);
  add_lanes(out, request, 0, event::Role::kRead, reduce_source(request, 0, shape.lanes), shape);
}
void execute_count(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = stage_shape(request, 0);
  const Lane src{memories.at(request.operand[0]), reduce_source(request, 0, shape.lanes)};
  const bool saturate = request.registers.float_saturate;
  uint32_t sum = 0;
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    RepeatValues values;
    values.load(src, r, shape.of(r), shape.lanes);
    const uint32_t part = values.sum(0, shape.lanes, saturate);
    sum = r == 0 ? part : add_elements(request.operand[0].type, sum, part, saturate);
  }
  memories.results->accumulator = sum;
}

// ---- First step of the others: one result per repeat into tmp

bool pairs(const gate::Request& request) {
  return request.op != Op::kReduceSumStage;
}

void check_stage(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_reducible(request, kBlockBytes, limits)) return;
  check_stride_fields(request, limits);
  const LaneShape shape = stage_shape(request, 1);
  if (request.params.vector.repeat < 0 && !request.registers.counter_mode) {
    limits.fatal("repeat", "repeatTime is ", request.params.vector.repeat, ", allowed is 0 and above");
    return;
  }
  check_amount(request.registers.counter_mode ? shape.total : shape.repeats, element_bytes(request) * 8, limits);
}
void footprint_stage(const gate::Request& request, machine::Footprint& out) {
  const LaneShape shape = stage_shape(request, 1);
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, uint64_t{shape.repeats} * element_bytes(request) * (pairs(request) ? 2 : 1));
  add_lanes(out, request, 1, event::Role::kRead, reduce_source(request, 1, shape.lanes), shape);
}
void execute_stage(const gate::Request& request, const machine::Memories& memories) {
  const LaneShape shape = stage_shape(request, 1);
  const Lane src{memories.at(request.operand[1]), reduce_source(request, 1, shape.lanes)};
  const bool saturate = request.registers.float_saturate;
  const uint32_t bytes = element_bytes(request);
  std::byte* out = memories.at(request.operand[0]);
  for (uint32_t r = 0; r < shape.repeats; ++r) {
    RepeatValues values;
    values.load(src, r, shape.of(r), shape.lanes);
    if (!pairs(request)) {
      store_element(out, values.sum(0, shape.lanes, saturate), bytes);
      out += bytes;
      continue;
    }
    const uint32_t lane = values.extreme(0, shape.lanes, request.op == Op::kReduceMaxStage);
    memories.results->value = values.bits(lane, saturate);
    memories.results->index = lane;
    store_element(out, static_cast<uint32_t>(memories.results->value), bytes);
    store_element(out + bytes, lane, bytes);
    out += 2 * bytes;
  }
}

// ---- Sum over the repeat results

const gate::Operand& sums_of(const gate::Request& request) {
  return request.operand[request.operand_count - 1];
}

void check_sums(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const bool to_dst = request.op == Op::kReduceSumTree;
  if (!check_reducible(request, to_dst ? element_bytes(request) : kBlockBytes, limits)) return;
  check_amount(request.params.vector.count, element_bytes(request) * 8, limits);
}
/// The tree form replaces the first sums of tmp by the sums of its groups, then writes dst.
uint64_t groups_of(const gate::Request& request) {
  const uint64_t lanes = kRepeatBytes / element_bytes(request);
  return (request.params.vector.count + lanes - 1) / lanes;
}
void footprint_sums(const gate::Request& request, machine::Footprint& out) {
  const uint64_t bytes = element_bytes(request), count = request.params.vector.count;
  const int tmp = request.operand_count - 1;
  uint64_t updated = 0;
  if (request.op == Op::kReduceSumTree) {
    out.open(request.operand[0], 0, event::Role::kWrite);
    out.add(request.operand[0].address, bytes);
    updated = groups_of(request) * bytes;
    out.open(request.operand[tmp], tmp, event::Role::kUpdate);
    out.add(request.operand[tmp].address, updated);
  }
  out.open(request.operand[tmp], tmp, event::Role::kRead);
  out.add(request.operand[tmp].address + updated, count * bytes - updated);
}
void execute_sums(const gate::Request& request, const machine::Memories& memories) {
  const gate::DataType type = sums_of(request).type;
  std::byte* tmp = memories.at(sums_of(request));
  const bool saturate = request.registers.float_saturate;
  const uint32_t bytes = gate::bytes_of(type), lanes = kRepeatBytes / bytes;
  const uint64_t count = request.params.vector.count;
  if (request.op == Op::kReduceSumFinish) {
    memories.results->accumulator = tree_over(type, tmp, count, saturate);
    return;
  }
  const uint64_t groups = groups_of(request);
  for (uint64_t g = 0; g < groups; ++g) {
    const uint64_t part = std::min<uint64_t>(lanes, count - g * lanes);
    store_element(tmp + g * bytes, tree_over(type, tmp + g * kRepeatBytes, part, saturate), bytes);
  }
  const uint32_t sum = tree_over(type, tmp, groups, saturate);
  memories.results->accumulator = sum;
  store_element(memories.at(request.operand[0]), sum, bytes);
}

// ---- Extreme over the pairs

bool with_index(const gate::Request& request) {
  return (request.params.vector.flags & 1) != 0;
}

void check_finish(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  if (!check_reducible(request, kBlockBytes, limits)) return;
  check_amount(2ull * request.params.vector.count, element_bytes(request) * 8, limits);
}
void footprint_finish(const gate::Request& request, machine::Footprint& out) {
  const uint64_t bytes = element_bytes(request), base = request.operand[0].address;
  const std::vector<TmpLevel> levels = tmp_levels(request.params.vector.count, element_bytes(request));
  out.open(request.operand[0], 0, event::Role::kRead);
  out.add(base, levels[0].elements * bytes);
  if (!with_index(request)) return;
  out.open(request.operand[0], 0, event::Role::kWrite);
  for (size_t i = 1; i < levels.size(); ++i) out.add(base + levels[i].offset * bytes, levels[i].elements * bytes);
}

/// Values (even elements) of one chunk of a level.
uint32_t chunk_extreme(const gate::Request& request, const std::byte* chunk, uint32_t elements, bool largest) {
  RepeatValues values;
  const uint32_t lanes = kRepeatBytes / element_bytes(request);
  const LaneMask even = LaneMask{0x5555555555555555u, 0x5555555555555555u} & LaneMask::leading(elements);
  values.load({const_cast<std::byte*>(chunk), {0, element_bytes(request) * 8, kBlockBytes, kRepeatBytes}}, 0, even,
              lanes);
  return values.extreme(0, lanes, largest);
}

void execute_finish(const gate::Request& request, const machine::Memories& memories) {
  if (request.params.vector.count == 0) return;  // no repeat, no pair: the result registers keep what they hold
  const bool largest = request.op == Op::kReduceMaxFinish;
  const uint32_t bytes = element_bytes(request), lanes = kRepeatBytes / bytes;
  const std::vector<TmpLevel> levels = tmp_levels(request.params.vector.count, bytes);
  std::byte* tmp = memories.at(request.operand[0]);
  std::vector<std::vector<std::byte>> data;  // the levels as they are computed, tmp or not
  data.emplace_back(tmp, tmp + levels[0].elements * bytes);
  for (size_t k = 1; k < levels.size(); ++k) {
    std::vector<std::byte> next(levels[k].elements * bytes);
    for (uint64_t pair = 0; pair < levels[k].elements / 2; ++pair) {
      const std::byte* chunk = data[k - 1].data() + pair * kRepeatBytes;
      const auto elements = static_cast<uint32_t>(std::min<uint64_t>(lanes, levels[k - 1].elements - pair * lanes));
      const uint32_t lane = chunk_extreme(request, chunk, elements, largest);
      std::memcpy(next.data() + pair * 2 * bytes, chunk + lane * bytes, bytes);
      store_element(next.data() + (pair * 2 + 1) * bytes, lane, bytes);
    }
    if (with_index(request)) std::memcpy(tmp + levels[k].offset * bytes, next.data(), next.size());
    data.push_back(std::move(next));
  }
  uint64_t pair = 0;  // walk down: each level names the lane inside the chunk below
  for (size_t k = levels.size() - 1; k > 0; --k) {
    const uint32_t lane = load_element(data[k].data() + (pair * 2 + 1) * bytes, bytes);
    pair = (pair * lanes + lane) / 2;
  }
  memories.results->value = load_element(data[0].data() + pair * 2 * bytes, bytes);
  const uint64_t lane = load_element(data[0].data() + (pair * 2 + 1) * bytes, bytes);
  const uint64_t index = pair * request.params.vector.extra[0] + lane;
  memories.results->index = bytes == 2 ? index & 0xFFFFu : index & 0xFFFFFFFFu;
}

}  // namespace

void add_composite_ops(machine::OpTable& table) {
  const auto fill = [&table](Op op, void (*check)(const gate::Request&, machine::Violations&),
                             void (*footprint)(const gate::Request&, machine::Footprint&),
                             void (*execute)(const gate::Request&, const machine::Memories&), bool masked) {
    machine::OpInfo& info = table[static_cast<size_t>(op)];
    info.prepare = masked ? prepare_masked : prepare_plain;
    info.check = check;
    info.footprint = footprint;
    info.execute = execute;
  };
  fill(Op::kReduceSumCount, check_count, footprint_count, execute_count, true);
  for (Op op : {Op::kReduceSumStage, Op::kReduceMaxStage, Op::kReduceMinStage}) {
    fill(op, check_stage, footprint_stage, execute_stage, true);
  }
  for (Op op : {Op::kReduceSumTree, Op::kReduceSumFinish}) fill(op, check_sums, footprint_sums, execute_sums, false);
  for (Op op : {Op::kReduceMaxFinish, Op::kReduceMinFinish})
    fill(op, check_finish, footprint_finish, execute_finish, false);
}

}  // namespace ascsan::isa
