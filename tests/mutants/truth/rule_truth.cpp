// See rule_truth.h.
#include "truth/rule_truth.h"

#include "event/names.h"

namespace ascsan::mutants {
using event::Kind;

void RuleTruth::on_event(const event::Event& event) {
  switch (event.kind) {
    case Kind::kInstruction:
    case Kind::kScalarAccess:
      return bounds(event);
    case Kind::kCrossRelease:
      for (uint16_t i = 0; i < event.target_count; ++i) {
        Counter& counter = counters_[{event.targets[i], event.id}];
        ++counter.left;
        counter.line = sites_.at(event.site).line;
      }
      return;
    case Kind::kCrossWait:
      --counters_[{event.core, event.id}].left;
      return;
    case Kind::kViolation: {
      // What leaves its tensor is counted here from the accesses. An instruction that would leave the host's memory is
      // not carried out, and has none. The rest are documented limits.
      const std::string rule = event.value[0] != 0 ? reinterpret_cast<const char*>(event.value[0]) : "";
      if (rule == "bounds") faults_.insert({"bounds", "outside its memory", sites_.at(event.site).line});
      if (rule != "bounds" && rule != "extent" && rule != "stomp" && rule != "rounded-load")
        faults_.insert({"limit", rule, sites_.at(event.site).line});
      return;
    }
    default:
      return;
  }
}

void RuleTruth::bounds(const event::Event& event) {
  for (uint32_t a = 0; a < event.access_count; ++a) {
    const event::Access& access = event.accesses[a];
    const bool global = access.space == gate::Space::kGm;
    for (uint32_t s = 0; s < access.span_count; ++s) {
      const event::Span& span = event.spans[access.first_span + s];
      if (span.begin == span.end) continue;
      const machine::Tensor* tensor = global ? memory_.find(access.tensor_begin) : nullptr;
      const uint64_t low = global ? (tensor != nullptr ? tensor->begin : ~uint64_t{0}) : 0;
      const uint64_t high =
          global ? (tensor != nullptr ? tensor->end : 0) : chip_.bytes[static_cast<size_t>(access.space)];
      const bool outside = span.begin < low || span.end > high;
      const bool past = access.tensor_bytes != 0 &&
                        (span.begin < access.tensor_begin || span.end > access.tensor_begin + access.tensor_bytes);
      if (outside || past)
        faults_.insert({"bounds",
                        std::string(outside ? "outside " : "past its tensor in ") + event::space_name(access.space),
                        sites_.at(event.site).line});
    }
  }
}

/// Sets and waits of a key alternate in the program; the bit is clear at the end (R-7, spec 4.2).
void RuleTruth::flags(const schedule::TinyLaunch& launch) {
  using Key = std::tuple<event::CoreId, gate::Pipe, gate::Pipe, int16_t>;
  std::map<Key, std::pair<int64_t, uint32_t>> set;
  for (const std::vector<uint32_t>& program : launch.programs)
    for (const uint32_t i : program) {
      const schedule::TinyOp& op = launch.ops[i];
      const uint32_t line = sites_.at(op.site).line;
      if (op.kind == Kind::kSetFlag) {
        auto& [count, at] = set[{op.core, op.pipe, op.other, op.id}];
        if (++count > 1) faults_.insert({"flag", "set twice", line});
        at = line;
      }
      if (op.kind == Kind::kWaitFlag) --set[{op.core, op.other, op.pipe, op.id}].first;
    }
  for (const auto& [key, count] : set)
    if (count.first > 0) faults_.insert({"flag", "left set", count.second});
}

void RuleTruth::counters() {
  for (const auto& [key, counter] : counters_)
    if (counter.left != 0) faults_.insert({"cross", "counter does not come out even", counter.line});
}

std::set<RuleFault> RuleTruth::faults(const schedule::TinyLaunch& launch, bool ended) {
  if (ended) {
    flags(launch);
    counters();
  }
  return std::move(faults_);
}

}  // namespace ascsan::mutants
