// Operators that delete order: one flag pair, one side of it, a barrier, all flags of one direction round a loop, the
// cross-core flags of an id, the link a queue makes, the cleaning of a cache line (design/rigor.md D, "delete").
#include <algorithm>

#include <fmt/format.h>

#include "compile/mutate/mutant.h"
#include "compile/mutate/sync_calls.h"

namespace ascsan::compile {
namespace {
using Kind = SyncCall::Kind;

class Deletion {
 public:
  explicit Deletion(Mutants& mutants) : mutants_(mutants), source_(mutants.source()), calls_(sync_calls(source_)) {}

  void flags() {
    std::vector<SyncCall> rest;
    for (const FlagPair& pair : flag_pairs(calls_, source_, rest))
      remove("flag pair", fmt::format("SetFlag and WaitFlag {} ({}) are gone", pair.set.event, pair.set.id),
             {pair.set, pair.wait});
    std::vector<std::string> seen;
    for (const SyncCall& call : rest) {
      if (std::find(seen.begin(), seen.end(), call.event) != seen.end()) continue;
      seen.push_back(call.event);
      std::vector<SyncCall> all;
      for (const SyncCall& other : rest)
        if (other.event == call.event) all.push_back(other);
      remove("flags of a direction", "all flags " + call.event + " that go round the loop are gone", all);
    }
  }
  void single() {
    for (const SyncCall& call : calls_) {
      const std::string& name = source_.statements()[call.statement].call.name;
      const char* op = nullptr;
      switch (call.kind) {
        case Kind::kSetFlag:
          op = "set only";
          break;
        case Kind::kWaitFlag:
          op = "wait only";
          break;
        case Kind::kPipeBarrier:
          op = "PipeBarrier";
          break;
        case Kind::kAllCores:
          op = "SyncAll";
          break;
        case Kind::kCrossSet:
        case Kind::kSoftSet:
          op = "cross-core set";
          break;
        case Kind::kCrossWait:
        case Kind::kSoftWait:
          op = "cross-core wait";
          break;
        default:
          op = "cache clean";
      }
      remove(op, fmt::format("{} {} is gone", name, call.event + call.id), {call});
    }
  }
  /// Flags between cores by id; SyncAll wherever it stands.
  void between_cores() {
    std::vector<std::string> seen;
    for (const SyncCall& call : calls_) {
      const bool soft = call.kind == Kind::kSoftSet || call.kind == Kind::kSoftWait, all = call.kind == Kind::kAllCores;
      if (!soft && !all && call.kind != Kind::kCrossSet && call.kind != Kind::kCrossWait) continue;
      const std::string key = all ? "SyncAll" : soft ? "soft" : call.id;
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
      seen.push_back(key);
      std::vector<SyncCall> group;
      for (const SyncCall& other : calls_) {
        const bool other_soft = other.kind == Kind::kSoftSet || other.kind == Kind::kSoftWait;
        const bool other_cross = other.kind == Kind::kCrossSet || other.kind == Kind::kCrossWait;
        if (all ? other.kind == Kind::kAllCores : soft ? other_soft : other_cross && other.id == call.id)
          group.push_back(other);
      }
      if (group.size() > 1)
        remove(all ? "all SyncAll" : "cross-core pair",
               fmt::format("{}: none of its {} calls is left", key, group.size()), group);
    }
  }
  void queues() {
    for (size_t i = 0; i < source_.statements().size(); ++i) {
      const Statement& enque = source_.statements()[i];
      if (enque.call.name != "EnQue" || enque.call.arguments.size() != 1) continue;
      const std::string tensor = source_.text_of(enque.call.arguments[0]);
      if (const Statement* next = source_.neighbour(enque, 1); next != nullptr && next->call.name == "DeQue" &&
                                                               next->call.object == enque.call.object &&
                                                               next->call.variable == tensor)
        mutants_.add("delete", "queue link", fmt::format("{} is not handed through {}", tensor, enque.call.object),
                     {mutants_.remove(enque), mutants_.remove(*next)});
      mutants_.add("delete", "EnQue", fmt::format("EnQue of {} is gone", tensor), {mutants_.remove(enque)});
    }
  }

 private:
  void remove(const char* op, std::string what, const std::vector<SyncCall>& calls) {
    std::vector<Edit> edits;
    for (const SyncCall& call : calls) edits.push_back(mutants_.remove(source_.statements()[call.statement]));
    mutants_.add("delete", op, std::move(what), std::move(edits), link_of(calls.front()));
  }

  Mutants& mutants_;
  const Source& source_;
  const std::vector<SyncCall> calls_;
};

}  // namespace

void delete_sync(Mutants& mutants) {
  Deletion deletion(mutants);
  deletion.flags();
  deletion.single();
  deletion.between_cores();
  deletion.queues();
}

}  // namespace ascsan::compile
