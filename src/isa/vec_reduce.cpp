// Reductions of one instruction: per repeat (WholeReduce*, RepeatReduceSum), per block (BlockReduce*), per pair.
// Repeats follow each other, so a destination that overlaps sources already read is fine. Blocks and pairs without an
// enabled lane keep their destination. Rules: spec/api-semantics.md 4 and 8.
// Left out: the steps of ReduceSum / ReduceMax / ReduceMin (composite_vector.cpp).
#include "isa/reduce_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::Op;

enum class Kind : uint8_t { kSum, kMax, kMin };
/// Geometry of a family: lanes per result and the unit of the destination repeat stride.
enum class Scope : uint8_t { kWhole, kBlock, kPair };
enum class Order : uint8_t { kValueIndex, kIndexValue, kValue, kIndex };  // AscendC::ReduceOrder

Kind kind_of(Op op) {
  if (op == Op::kWholeReduceMax || op == Op::kBlockReduceMax) return Kind::kMax;
  if (op == Op::kWholeReduceMin || op == Op::kBlockReduceMin) return Kind::kMin;
  return Kind::kSum;
}
Scope scope_of(Op op) {
  if (op == Op::kBlockReduceSum || op == Op::kBlockReduceMax || op == Op::kBlockReduceMin) return Scope::kBlock;
  return op == Op::kPairReduceSum ? Scope::kPair : Scope::kWhole;
}

struct Plan {
  LaneShape shape;
  Walk src;
  Kind kind;
  Scope scope;
  Order order;
  uint32_t bytes;         ///< element
  uint32_t group;         ///< lanes per result
  uint32_t result_bytes;  ///< per result
  uint64_t dst_step;      ///< bytes between the results of two repeats
};

Plan plan_of(const gate::Request& request) {
  Plan plan;
  plan.bytes = gate::bytes_of(request.operand[1].type);
  const uint32_t lanes = kRepeatBytes / plan.bytes;
  plan.shape = lane_shape(request, lanes, repeat8(request));
  plan.src = reduce_source(request, 1, lanes);
  plan.kind = kind_of(request.op);
  plan.scope = scope_of(request.op);
  const bool indexed = plan.scope == Scope::kWhole && plan.kind != Kind::kSum;
  plan.order = indexed ? static_cast<Order>(request.params.vector.mode & 3) : Order::kValue;
  plan.group = plan.scope == Scope::kWhole ? lanes : plan.scope == Scope::kBlock ? lanes / 8 : 2;
  plan.result_bytes = plan.order == Order::kValue ? plan.bytes : plan.order == Order::kIndex ? 4 : 2 * plan.bytes;
  const uint64_t unit = plan.scope == Scope::kWhole ? plan.result_bytes : lanes / plan.group * plan.bytes;
  plan.dst_step = request.params.vector.dst_repeat * unit;
  return plan;
}

void check(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const gate::DataType type = request.operand[1].type;
  if (!check_operand(request, 1, kBlockBytes, limits)) return;
  if (!reducible(type) || request.operand[0].type != type) {
    const bool index_only = request.params.vector.mode == 3 && kind_of(request.op) != Kind::kSum;
    if (!reducible(type) || !index_only) {
      limits.fatal("type", "the types ", types_text(request),
                   " do not exist for this instruction; it takes half and float");
      return;
    }
  }
  if (request.params.vector.mode > 3) {
    limits.fatal("mode", "ReduceOrder ", int{request.params.vector.mode}, " does not exist");
    return;
  }
  const Plan plan = plan_of(request);
  const uint32_t alignment = plan.scope == Scope::kWhole   ? plan.result_bytes
                             : plan.scope == Scope::kBlock ? plan.bytes * 8
                                                           : kBlockBytes;
  if (!check_operand(request, 0, alignment, limits)) return;
  check_repeats(request, plan.shape.lanes, limits, false);
  if (request.registers.counter_mode) check_amount(plan.shape.total, plan.bytes * 8, limits);
}

/// Result groups of one repeat that are written.
template <typename F>
void for_each_result(const Plan& plan, LaneMask mask, F&& f) {
  if (plan.scope == Scope::kWhole) return f(0u, 0u);  // a repeat with no enabled lane does not exist
  const uint64_t group = LaneMask::leading(plan.group).low;
  for (uint32_t result = 0, first = 0; first < plan.shape.lanes; ++result, first += plan.group) {
    if (((first < 64 ? mask.low >> first : mask.high >> (first - 64)) & group) != 0) f(result, first);
  }
}

void footprint(const gate::Request& request, machine::Footprint& out) {
  const Plan plan = plan_of(request);
  const bool partial_pairs = plan.scope == Scope::kPair && plan.shape.repeats > 0 &&
                             (plan.shape.mask.count() < plan.shape.lanes || plan.shape.tail.count() < plan.shape.lanes);
  out.open(request.operand[0], 0, partial_pairs ? event::Role::kUpdate : event::Role::kWrite);
  const uint64_t base = request.operand[0].address;
  if (plan.scope == Scope::kWhole) {
    if (plan.dst_step >= plan.result_bytes || plan.shape.repeats <= 1) {
      out.add_strided(base, plan.result_bytes, plan.shape.repeats, static_cast<int64_t>(plan.dst_step));
    } else if (plan.shape.repeats > 0) {
      out.add(base, plan.result_bytes);  // step 0: every repeat writes the same place
    }
  } else {
    const bool ascending =
        plan.shape.repeats <= 1 || plan.dst_step >= uint64_t{plan.shape.lanes / plan.group} * plan.bytes;
    RunSet runs;
    for (uint32_t r = 0; r < plan.shape.repeats; ++r) {
      for_each_result(plan, plan.shape.of(r), [&](uint32_t result, uint32_t) {
        const uint64_t at = base + r * plan.dst_step + result * plan.bytes;
        if (ascending)
          out.add(at, plan.bytes);
        else
          runs.add(at, plan.bytes);
      });
    }
    runs.flush(out);
  }
  add_lanes(out, request, 1, event::Role::kRead, plan.src, plan.shape);
}

/// Stores value and index in the order asked for.
void store_indexed(std::byte* at, const Plan& plan, uint32_t value, uint32_t lane) {
  switch (plan.order) {
    case Order::kValueIndex:
      store_element(at, value, plan.bytes);
      store_element(at + plan.bytes, lane, plan.bytes);
      return;
    case Order::kIndexValue:
      store_element(at, lane, plan.bytes);
      store_element(at + plan.bytes, value, plan.bytes);
      return;
    case Order::kValue:
      return store_element(at, value, plan.bytes);
    case Order::kIndex:
      return store_element(at, lane, 4);
  }
}

void execute(const gate::Request& request, const machine::Memories& memories) {
  const Plan plan = plan_of(request);
  const bool saturate = request.registers.float_saturate;
  const Lane src{memories.at(request.operand[1]), plan.src};
  std::byte* dst = memories.at(request.operand[0]);
  for (uint32_t r = 0; r < plan.shape.repeats; ++r) {
    RepeatValues values;
    values.load(src, r, plan.shape.of(r), plan.shape.lanes);
    std::byte* out = dst + r * plan.dst_step;
    if (plan.scope == Scope::kWhole && plan.kind != Kind::kSum) {
      const uint32_t lane = values.extreme(0, plan.group, plan.kind == Kind::kMax);
      const uint32_t value = values.bits(lane, saturate);
      store_indexed(out, plan, value, lane);
      memories.results->value = value;
      memories.results->index = lane;
      continue;
    }
    // All results of the repeat come before the first write: the destination may lie in the source.
    uint32_t results[64], places[64], count = 0;
    for_each_result(plan, plan.shape.of(r), [&](uint32_t result, uint32_t first) {
      places[count] = result;
      results[count++] = plan.kind == Kind::kSum
                             ? values.sum(first, plan.group, saturate)
                             : values.bits(values.extreme(first, plan.group, plan.kind == Kind::kMax), saturate);
    });
    for (uint32_t i = 0; i < count; ++i) store_element(out + places[i] * plan.bytes, results[i], plan.bytes);
  }
}

}  // namespace

void add_reduce_ops(machine::OpTable& table) {
  for (Op op : {Op::kWholeReduceSum, Op::kWholeReduceMax, Op::kWholeReduceMin, Op::kBlockReduceSum, Op::kBlockReduceMax,
                Op::kBlockReduceMin, Op::kPairReduceSum, Op::kRepeatReduceSum}) {
    machine::OpInfo& info = table[static_cast<size_t>(op)];
    info.prepare = prepare_masked;
    info.check = check;
    info.footprint = footprint;
    info.execute = execute;
  }
}

}  // namespace ascsan::isa
