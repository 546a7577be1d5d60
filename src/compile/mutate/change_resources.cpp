// Operators that take room away: two tiles in one buffer, half of a double buffer, a queue with fewer buffers,
// FreeTensor too early, twice or never, one event id for two flags (design/rigor.md D, "resource").
#include <algorithm>

#include <fmt/format.h>

#include "compile/mutate/mutant.h"
#include "compile/mutate/sync_calls.h"

namespace ascsan::compile {
namespace {

/// Tokens of the first `[...]` that ends the statement: `buffer.Get<T>()[turn * n];`
Range subscript(const Source& source, const Statement& statement) {
  const size_t close = statement.tokens.last - 2;
  if (!source.is(close, "]") || source.partner(close) == kNone) return {};
  return {source.partner(close) + 1, close};
}

/// A tile of a TBuf: `= buffer.Get<T>()`.
bool is_tile(const Statement& statement) {
  return statement.call.name == "Get" && statement.call.arguments.empty() && statement.call.declares;
}

void share_buffers(Mutants& mutants) {
  const Source& source = mutants.source();
  const std::vector<Statement>& all = source.statements();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_tile(all[i])) continue;
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (!is_tile(all[j]) || all[j].block != all[i].block || all[j].call.object == all[i].call.object) continue;
      if (all[j].call.templates.empty() || all[i].call.templates.empty() ||
          source.text_of(all[j].call.templates[0]) != source.text_of(all[i].call.templates[0]))
        continue;
      for (size_t t = all[j].tokens.first; t < all[j].tokens.last; ++t)
        if (source.is(t, all[j].call.object)) {
          mutants.add("resource", "same buffer for two tiles",
                      fmt::format("{} lies in {} too", all[j].call.variable, all[i].call.object),
                      {mutants.replace({t, t + 1}, all[i].call.object)});
          break;
        }
      break;
    }
  }
  for (const Statement& statement : all) {
    if (!statement.simple || !statement.declaration) continue;
    const Range index = subscript(source, statement);
    if (!index.empty() && source.text_of(index) != "0")
      mutants.add("resource", "half of a double buffer", fmt::format("[0] instead of [{}]", source.text_of(index)),
                  {mutants.replace(index, "0")});
  }
}

void fewer_buffers(Mutants& mutants) {
  const Source& source = mutants.source();
  for (const Statement& statement : source.statements()) {
    if (statement.call.name != "InitBuffer" || statement.call.arguments.size() != 3) continue;
    const Range& count = statement.call.arguments[1];
    if (source.text_of(count) != "1")
      mutants.add("resource", "queue with one buffer", fmt::format("1 buffer instead of {}", source.text_of(count)),
                  {mutants.replace(count, "1")});
  }
}

void frees(Mutants& mutants) {
  const Source& source = mutants.source();
  for (const Statement& statement : source.statements()) {
    if (statement.call.name != "FreeTensor") continue;
    const std::string tensor = source.text_of(statement.call.arguments[0]);
    mutants.add(
        "resource", "double Free", "FreeTensor of " + tensor + " twice",
        {mutants.replace(statement.tokens, source.text_of(statement.tokens) + " " + source.text_of(statement.tokens))});
    mutants.add("resource", "no Free", "FreeTensor of " + tensor + " is gone", {mutants.remove(statement)});
    // Before the newest statement that uses the tensor; what lies between stays behind it.
    for (const Statement* use = source.neighbour(statement, -1); use != nullptr; use = source.neighbour(*use, -1)) {
      if (!use->simple || use->declaration) break;
      bool uses = false;
      for (size_t t = use->tokens.first; t < use->tokens.last; ++t) uses = uses || source.is(t, tensor);
      if (!uses) continue;
      if (use->call.name == "DeQue") break;
      mutants.add("resource", "FreeTensor early", fmt::format("FreeTensor of {} before {}", tensor, use->call.name),
                  {mutants.replace(use->tokens, source.text_of(statement.tokens) + " " + source.text_of(use->tokens)),
                   mutants.remove(statement)});
      break;
    }
  }
}

/// Every use of an id of one event becomes an id that the same event has already.
void share_ids(Mutants& mutants) {
  const Source& source = mutants.source();
  const std::vector<SyncCall> calls = sync_calls(source);
  std::vector<std::pair<std::string, std::string>> seen;
  for (const SyncCall& call : calls) {
    if (call.kind != SyncCall::Kind::kSetFlag && call.kind != SyncCall::Kind::kWaitFlag) continue;
    if (std::find(seen.begin(), seen.end(), std::pair{call.event, call.id}) != seen.end()) continue;
    const auto known = std::find_if(seen.begin(), seen.end(), [&](const auto& id) { return id.first == call.event; });
    const std::string first = known == seen.end() ? call.id : known->second;
    seen.emplace_back(call.event, call.id);
    if (first == call.id) continue;
    std::vector<Edit> edits;
    for (const SyncCall& other : calls)
      if (other.event == call.event && other.id == call.id && (other.sets() || other.waits()))
        edits.push_back(mutants.replace(source.statements()[other.statement].call.arguments.back(), first));
    mutants.add("resource", "event id reuse", fmt::format("{} {} instead of {}", call.event, first, call.id),
                std::move(edits), link_of(call));
  }
}

}  // namespace

void change_resources(Mutants& mutants) {
  share_buffers(mutants);
  fewer_buffers(mutants);
  frees(mutants);
  share_ids(mutants);
}

}  // namespace ascsan::compile
