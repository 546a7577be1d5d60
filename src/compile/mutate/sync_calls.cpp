// See sync_calls.h.
#include "compile/mutate/sync_calls.h"

#include <algorithm>

namespace ascsan::compile {
namespace {
using Kind = SyncCall::Kind;

std::string behind_colons(const std::string& text) {
  const size_t at = text.rfind("::");
  return at == std::string::npos ? text : text.substr(at + 2);
}

Kind kind_of(const std::string& name) {
  static constexpr std::pair<const char*, Kind> kNames[] = {{"SetFlag", Kind::kSetFlag},
                                                            {"WaitFlag", Kind::kWaitFlag},
                                                            {"PipeBarrier", Kind::kPipeBarrier},
                                                            {"SyncAll", Kind::kAllCores},
                                                            {"CrossCoreSetFlag", Kind::kCrossSet},
                                                            {"CrossCoreWaitFlag", Kind::kCrossWait},
                                                            {"IBSet", Kind::kSoftSet},
                                                            {"IBWait", Kind::kSoftWait},
                                                            {"NotifyNextBlock", Kind::kSoftSet},
                                                            {"WaitPreBlock", Kind::kSoftWait},
                                                            {"DataCacheCleanAndInvalid", Kind::kCache},
                                                            {"DataSyncBarrier", Kind::kCache}};
  for (const auto& [known, kind] : kNames)
    if (name == known) return kind;
  return Kind::kNone;
}
}  // namespace

SyncCall sync_call(const Source& source, size_t statement) {
  const Call& call = source.statements()[statement].call;
  SyncCall sync;
  sync.kind = call.object.empty() && call.variable.empty() ? kind_of(call.name) : Kind::kNone;
  sync.statement = statement;
  if (sync.kind == Kind::kNone) return sync;
  for (const Range& argument : call.templates)
    sync.event += (sync.event.empty() ? "" : ", ") + behind_colons(source.text_of(argument));
  if (!call.arguments.empty() && (sync.kind != Kind::kAllCores && sync.kind != Kind::kCache))
    sync.id = source.text_of(call.arguments.back());
  return sync;
}

std::vector<SyncCall> sync_calls(const Source& source) {
  std::vector<SyncCall> list;
  for (size_t i = 0; i < source.statements().size(); ++i)
    if (SyncCall call = sync_call(source, i); call.kind != Kind::kNone) list.push_back(std::move(call));
  return list;
}

std::string link_of(const SyncCall& call) {
  switch (call.kind) {
    case Kind::kSetFlag:
    case Kind::kWaitFlag: {
      const size_t at = call.event.find('_');
      return at == std::string::npos ? "" : call.event.substr(0, at) + " -> " + call.event.substr(at + 1);
    }
    case Kind::kPipeBarrier: {
      const std::string pipe = call.event.rfind("PIPE_", 0) == 0 ? call.event.substr(5) : "";
      return pipe.empty() || pipe == "ALL" ? "" : pipe + " -> " + pipe;
    }
    case Kind::kAllCores:
    case Kind::kCrossSet:
    case Kind::kCrossWait:
    case Kind::kSoftSet:
    case Kind::kSoftWait:
      return "cores";
    default:
      return "";
  }
}

std::vector<FlagPair> flag_pairs(const std::vector<SyncCall>& calls, const Source& source,
                                 std::vector<SyncCall>& rest) {
  std::vector<FlagPair> pairs;
  std::vector<bool> used(calls.size(), false);
  const auto block = [&](const SyncCall& call) { return source.statements()[call.statement].block; };
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind != Kind::kSetFlag) continue;
    // Another call of the event on the way: the flag goes round a loop.
    const auto next =
        std::find_if(calls.begin() + static_cast<std::ptrdiff_t>(i) + 1, calls.end(),
                     [&](const SyncCall& call) { return call.event == calls[i].event && call.id == calls[i].id; });
    if (next == calls.end() || next->kind != Kind::kWaitFlag || block(*next) != block(calls[i])) continue;
    used[i] = used[static_cast<size_t>(next - calls.begin())] = true;
    pairs.push_back({calls[i], *next});
  }
  for (size_t i = 0; i < calls.size(); ++i)
    if (!used[i] && (calls[i].kind == Kind::kSetFlag || calls[i].kind == Kind::kWaitFlag)) rest.push_back(calls[i]);
  return pairs;
}

}  // namespace ascsan::compile
