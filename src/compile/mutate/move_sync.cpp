// Operators that move order: a synchronising statement one place earlier or later in its block, so that a set comes
// before what it stands for or a wait behind the first use, and a barrier out of a loop or into it (design/rigor.md D,
// "move").
#include <fmt/format.h>

#include "compile/mutate/mutant.h"
#include "compile/mutate/sync_calls.h"

namespace ascsan::compile {
namespace {
using Kind = SyncCall::Kind;

/// Two sets, two waits in a row and the like: the order among them says nothing.
bool plain_neighbour(const Source& source, const Statement* other) {
  if (other == nullptr || !other->simple || !other->call || other->declaration) return false;
  return sync_call(source, static_cast<size_t>(other - source.statements().data())).kind == Kind::kNone;
}

}  // namespace

void move_sync(Mutants& mutants) {
  const Source& source = mutants.source();
  for (const SyncCall& call : sync_calls(source)) {
    const Statement& statement = source.statements()[call.statement];
    const std::string name = statement.call.name + (call.event.empty() ? "" : " " + call.event);
    for (const int step : {-1, 1}) {
      const Statement* other = source.neighbour(statement, step);
      if (!plain_neighbour(source, other)) continue;
      const char* op = step < 0       ? "one statement earlier"
                       : call.waits() ? "wait after first use"
                                      : "one statement later";
      mutants.add("move", op, fmt::format("{} {} {}", name, step < 0 ? "before" : "behind", other->call.name),
                  step < 0 ? mutants.swap(*other, statement) : mutants.swap(statement, *other), link_of(call));
    }
    if (call.kind != Kind::kPipeBarrier && call.kind != Kind::kAllCores) continue;
    const Block& block = source.blocks()[statement.block];
    const bool last = statement.position + 1 == block.statements.size();
    if (block.loop && last && source.is(block.tokens.last - 1, "}")) {
      const Range brace{block.tokens.last - 1, block.tokens.last};
      mutants.add("move", "out of the loop", name + " behind the loop",
                  {mutants.remove(statement), mutants.replace(brace, "} " + source.text_of(statement.tokens))},
                  link_of(call));
    }
    if (const Statement* next = source.neighbour(statement, 1); next != nullptr && !next->bodies.empty()) {
      const Block& body = source.blocks()[next->bodies[0]];
      if (body.loop && source.is(body.tokens.first, "{"))
        mutants.add("move", "into the loop", name + " at the head of the loop",
                    {mutants.remove(statement), mutants.replace({body.tokens.first, body.tokens.first + 1},
                                                                "{ " + source.text_of(statement.tokens))},
                    link_of(call));
    }
  }
}

}  // namespace ascsan::compile
