#include "run/sync_use.h"

#include <algorithm>

#include <fmt/format.h>

#include "event/names.h"
#include "run/what_if.h"

namespace ascsan::run {
namespace {

constexpr int kFrameOps = 0
#define ASCSAN_OP(...) +1
#include "ascendc/ops_frame.def"
#undef ASCSAN_OP
    ;

/// Moves or computes data.
bool is_instruction(gate::Op op) {
  return static_cast<int>(op) >= kFrameOps;
}

std::string pipe_word(gate::Pipe pipe) {
  return pipe == gate::Pipe::kAll ? "ALL" : event::pipe_name(pipe);
}

/// The call as one would write it; event ids are left out, as one line may use several.
std::string text_of(const gate::Request& request) {
  const gate::FrameParams& frame = request.params.frame;
  const auto src = static_cast<gate::Pipe>(frame.src_pipe), dst = static_cast<gate::Pipe>(frame.dst_pipe);
  switch (request.op) {
    case gate::Op::kSetFlag:
      return fmt::format("SetFlag<{}_{}>", pipe_word(src), pipe_word(dst));
    case gate::Op::kWaitFlag:
      return fmt::format("WaitFlag<{}_{}>", pipe_word(src), pipe_word(dst));
    case gate::Op::kPipeBarrier:
      return fmt::format("PipeBarrier<PIPE_{}>", pipe_word(src));
    case gate::Op::kDataSyncBarrier:
      return "DataSyncBarrier";
    case gate::Op::kCrossCoreSetFlag:
      return fmt::format("CrossCoreSetFlag<{}, PIPE_{}>", frame.mode, pipe_word(src));
    case gate::Op::kCrossCoreWaitFlag:
      return "CrossCoreWaitFlag";
    case gate::Op::kSyncAll:
      return frame.flag != 0 ? "SyncAll<true>" : "SyncAll<false>";
    case gate::Op::kSyncAllSoft:
      return "SyncAll with workspace";
    case gate::Op::kIbSet:
      return "IBSet";
    case gate::Op::kIbWait:
      return "IBWait";
    case gate::Op::kWaitPreBlock:
      return "WaitPreBlock";
    default:
      return "NotifyNextBlock";
  }
}

uint64_t weight_of(const gate::Request& request) {
  switch (request.op) {
    case gate::Op::kSetFlag:
    case gate::Op::kWaitFlag:
      return 1;
    case gate::Op::kPipeBarrier:
      return static_cast<gate::Pipe>(request.params.frame.src_pipe) == gate::Pipe::kAll ? 2 : 1;
    case gate::Op::kDataSyncBarrier:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

size_t SyncUse::line_at(const gate::Site& site, bool fresh) {
  const auto cached = cache_.find({site.file, site.line});
  if (cached != cache_.end()) return cached->second;
  const auto known = by_place_.find({site.file, site.line});
  size_t index = known != by_place_.end() ? known->second : kNone;
  if (index == kNone && !fresh) return kNone;
  if (index == kNone) {
    index = lines_.size();
    lines_.push_back({site.file, site.function, site.line, {}, false, 0, 0, index});
    by_place_[{site.file, site.line}] = index;
  }
  return cache_[{site.file, site.line}] = index;
}

size_t SyncUse::root(size_t line) {
  while (lines_[line].parent != line) line = lines_[line].parent = lines_[lines_[line].parent].parent;
  return line;
}

void SyncUse::unite(size_t a, size_t b) {
  if (a != kNone && b != kNone) lines_[root(a)].parent = root(b);
}

machine::Interposer::Before SyncUse::before(const machine::Core& core, const gate::Request& request) {
  const bool instruction = is_instruction(request.op);
  if (!is_sync(request.op) && !instruction) return {};
  const size_t index = line_at(request.site, true);
  Line& line = lines_[index];
  line.has_instructions = line.has_instructions || instruction;
  if (instruction) return {};
  ++line.executions;
  line.weight = std::max(line.weight, weight_of(request));
  const std::string text = text_of(request);
  if (std::find(line.operations.begin(), line.operations.end(), text) == line.operations.end())
    line.operations.push_back(text);
  if (request.op == gate::Op::kSetFlag || request.op == gate::Op::kWaitFlag) match(request, core.id, index);
  return {};
}

void SyncUse::match(const gate::Request& request, event::CoreId core, size_t line) {
  const gate::FrameParams& frame = request.params.frame;
  Halves& halves =
      issued_[{core, static_cast<gate::Pipe>(frame.src_pipe), static_cast<gate::Pipe>(frame.dst_pipe), frame.id}];
  (request.op == gate::Op::kSetFlag ? halves.sets : halves.waits).push_back(line);
  if (halves.sets.empty() || halves.waits.empty()) return;
  halves.met.insert({halves.sets.front(), halves.waits.front()});
  halves.sets.pop_front();
  halves.waits.pop_front();
}

void SyncUse::on_cross(const event::Event& event) {
  if (event.kind == event::Kind::kCrossSet) {
    cross_sets_[{event.core, event.mode, event.id}].push_back(line_at(sites_.at(event.site), false));
  } else if (event.kind == event::Kind::kCrossRelease) {
    std::vector<size_t> sets;
    for (uint16_t i = 0; i < event.member_count; ++i) {
      auto& waiting = cross_sets_[{event.members[i], event.mode, event.id}];
      if (waiting.empty()) continue;
      sets.push_back(waiting.front());
      waiting.pop_front();
    }
    for (const size_t set : sets) unite(set, sets[0]);
    for (uint16_t i = 0; i < event.target_count; ++i) credits_[{event.targets[i], event.id}].push_back(sets);
  } else {
    auto& waiting = credits_[{event.core, event.id}];
    if (waiting.empty()) return;
    for (const size_t set : waiting.front()) unite(set, line_at(sites_.at(event.site), false));
    waiting.pop_front();
  }
}

void SyncUse::on_event(const event::Event& event) {
  switch (event.kind) {
    case event::Kind::kSetFlag:
      seen_.insert({event.core, event.pipe, event.other, event.id});
      fired_[{event.core, event.pipe, event.other, event.id}].push_back(line_at(sites_.at(event.site), false));
      return;
    case event::Kind::kWaitFlag: {
      auto& waiting = fired_[{event.core, event.other, event.pipe, event.id}];
      if (waiting.empty()) return;
      unite(waiting.front(), line_at(sites_.at(event.site), false));
      waiting.pop_front();
      return;
    }
    case event::Kind::kCrossSet:
    case event::Kind::kCrossRelease:
    case event::Kind::kCrossWait:
      return on_cross(event);
    case event::Kind::kGroupArrive:
    case event::Kind::kGroupPass: {
      const size_t line = line_at(sites_.at(event.site), false);
      const auto [round, fresh] = rounds_.try_emplace({event.id, event.ordinal}, line);
      if (!fresh) unite(round->second, line);
      return;
    }
    default:
      return;
  }
}

std::vector<report::SyncGroup> SyncUse::groups(const std::string& kernel) {
  for (const auto& [key, halves] : issued_)
    if (seen_.count(key) == 0)
      for (const auto& [set, wait] : halves.met) unite(set, wait);
  std::map<size_t, report::SyncGroup> by_root;
  for (const auto& [place, index] : by_place_) {
    const Line& line = lines_[index];
    if (line.operations.empty()) continue;
    report::SyncGroup& group = by_root[root(index)];
    std::string operations;
    for (const std::string& operation : line.operations) operations += (operations.empty() ? "" : ", ") + operation;
    group.lines.push_back({line.file, line.function, operations, line.line, line.executions});
    group.weight = std::max(group.weight, line.weight);
    group.kernels = {kernel};
    if (!line.has_instructions) continue;
    group.needed = "left alone, the line issues instructions as well and this may be a part of them";
    group.for_good = true;
  }
  std::vector<report::SyncGroup> list;
  for (auto& [ignored, group] : by_root) list.push_back(std::move(group));
  std::sort(list.begin(), list.end(), [](const report::SyncGroup& a, const report::SyncGroup& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return std::tie(a.lines[0].file, a.lines[0].line) < std::tie(b.lines[0].file, b.lines[0].line);
  });
  return list;
}

}  // namespace ascsan::run
