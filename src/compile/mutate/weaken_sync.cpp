// Operators that weaken order: a flag pair of other pipes or turned round, a wait for another event id, a barrier of
// another pipe, an all-core barrier for fewer cores or for none, a cross-core flag of another mode or pipe, an atomic
// store made plain (design/rigor.md D, "weaken").
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compile/mutate/mutant.h"
#include "compile/mutate/sync_calls.h"

namespace ascsan::compile {
namespace {
using Kind = SyncCall::Kind;

/// Hard events of AIV and of AIC, in a fixed order; the one after the event that shares a pipe with it is the next try.
constexpr std::array kVectorEvents{"MTE2_V", "V_MTE2", "V_MTE3", "MTE3_V", "MTE2_MTE3", "MTE3_MTE2",
                                   "MTE2_S", "S_MTE2", "V_S",    "S_V",    "MTE3_S",    "S_MTE3"};
constexpr std::array kCubeEvents{"MTE2_MTE1", "MTE1_MTE2", "MTE1_M",   "M_MTE1",  "M_FIX",
                                 "FIX_M",     "MTE2_M",    "FIX_MTE2", "MTE2_FIX"};

std::vector<std::string> others(const std::string& event) {
  std::vector<std::string> list;
  const size_t at = event.find('_');
  if (at == std::string::npos) return list;
  const std::string source = event.substr(0, at), target = event.substr(at + 1), turned = target + "_" + source;
  const auto pick = [&](const auto& events) {
    if (std::find(events.begin(), events.end(), event) == events.end()) return;
    if (std::find(events.begin(), events.end(), turned) != events.end()) list.push_back(turned);
    for (const char* other : events) {
      const std::string name = other;
      if (name != event && name.rfind(source + "_", 0) == 0 && list.size() < 2) list.push_back(name);
    }
  };
  pick(kVectorEvents);
  if (list.empty()) pick(kCubeEvents);
  return list;
}

class Weakening {
 public:
  explicit Weakening(Mutants& mutants) : mutants_(mutants), source_(mutants.source()), calls_(sync_calls(source_)) {}

  void flags() {
    std::vector<SyncCall> rest;
    for (const FlagPair& pair : flag_pairs(calls_, source_, rest)) {
      for (const std::string& other : others(pair.set.event))
        mutants_.add("weaken", "hard event", fmt::format("{} instead of {}", other, pair.set.event),
                     {event(pair.set, other), event(pair.wait, other)}, link_of(pair.set));
      const std::string id = pair.set.id == "EVENT_ID6" ? "EVENT_ID7" : "EVENT_ID6";
      mutants_.add("weaken", "other event id", fmt::format("{} {} instead of {}", pair.set.event, id, pair.set.id),
                   {argument(pair.set, id), argument(pair.wait, id)}, link_of(pair.set));
      mutants_.add("weaken", "wait for another id", fmt::format("the wait takes {} instead of {}", id, pair.wait.id),
                   {argument(pair.wait, id)}, link_of(pair.set));
    }
  }
  void barriers() {
    for (const SyncCall& call : calls_) {
      if (call.kind == Kind::kPipeBarrier)
        for (const char* pipe : {"PIPE_V", "PIPE_MTE3"})
          if (call.event != pipe && !(cube(call) && std::string(pipe) == "PIPE_V"))
            mutants_.add("weaken", "barrier of another pipe", fmt::format("{} instead of {}", pipe, call.event),
                         {event(call, pipe)}, link_of(call));
      if (call.kind != Kind::kAllCores) continue;
      const Statement& statement = source_.statements()[call.statement];
      if (call.event == "false")
        mutants_.add("weaken", "SyncAll of fewer cores", "SyncAll<true> instead of SyncAll<false>",
                     {event(call, "true")}, "cores");
      mutants_.add("weaken", "SyncAll of one core", "PipeBarrier<PIPE_ALL> instead of SyncAll",
                   {mutants_.replace(statement.tokens, "PipeBarrier<PIPE_ALL>();")}, "cores");
    }
  }
  void cross_core() {
    for (const SyncCall& call : calls_) {
      if (call.kind != Kind::kCrossSet) continue;
      const Call& of = source_.statements()[call.statement].call;
      if (of.templates.size() != 2) continue;
      const std::string mode = source_.text_of(of.templates[0]), pipe = source_.text_of(of.templates[1]);
      for (const char* other : {"0x0", "0x1", "0x2"})
        if (mode != other)
          mutants_.add("weaken", "cross-core mode", fmt::format("mode {} instead of {}", other, mode),
                       {mutants_.replace(of.templates[0], other)}, "cores");
      const std::string other = pipe == "PIPE_MTE2" ? "PIPE_MTE3" : "PIPE_MTE2";
      mutants_.add("weaken", "cross-core pipe", fmt::format("set by {} instead of {}", other, pipe),
                   {mutants_.replace(of.templates[1], other)}, "cores");
    }
  }
  void atomics() {
    for (size_t i = 0; i < source_.statements().size(); ++i) {
      const Statement& statement = source_.statements()[i];
      const std::string& name = statement.call.name;
      if (name.rfind("SetAtomic", 0) != 0) continue;
      mutants_.add("weaken", "atomic store", name + " is gone", {mutants_.remove(statement)});
      if (name == "SetAtomicAdd")
        mutants_.add("weaken", "atomic operation", "SetAtomicMax instead of SetAtomicAdd",
                     {rename(statement, "SetAtomicMax")});
    }
  }

 private:
  bool cube(const SyncCall& call) const {
    return call.event == "PIPE_M" || call.event == "PIPE_FIX" || call.event == "PIPE_MTE1";
  }
  Edit event(const SyncCall& call, const std::string& name) const {
    const Range& argument = source_.statements()[call.statement].call.templates[0];
    return mutants_.replace({argument.last - 1, argument.last}, name);
  }
  Edit argument(const SyncCall& call, const std::string& text) const {
    return mutants_.replace(source_.statements()[call.statement].call.arguments.back(), text);
  }
  Edit rename(const Statement& statement, const std::string& name) const {
    for (size_t i = statement.tokens.first; i < statement.tokens.last; ++i)
      if (source_.is(i, statement.call.name)) return mutants_.replace({i, i + 1}, name);
    return mutants_.remove(statement);
  }

  Mutants& mutants_;
  const Source& source_;
  const std::vector<SyncCall> calls_;
};

}  // namespace

void weaken_sync(Mutants& mutants) {
  Weakening weakening(mutants);
  weakening.flags();
  weakening.barriers();
  weakening.cross_core();
  weakening.atomics();
}

}  // namespace ascsan::compile
