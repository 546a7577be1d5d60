#include "run/what_if.h"

#include <charconv>

#include <fmt/format.h>

#include "report/function_name.h"
#include "run/lab.h"
#include "run/suggest.h"

namespace ascsan::run {

bool is_sync(gate::Op op) {
  switch (op) {
    case gate::Op::kSetFlag:
    case gate::Op::kWaitFlag:
    case gate::Op::kPipeBarrier:
    case gate::Op::kDataSyncBarrier:
    case gate::Op::kCrossCoreSetFlag:
    case gate::Op::kCrossCoreWaitFlag:
    case gate::Op::kSyncAll:
    case gate::Op::kSyncAllSoft:
    case gate::Op::kIbSet:
    case gate::Op::kIbWait:
    case gate::Op::kWaitPreBlock:
    case gate::Op::kNotifyNextBlock:
      return true;
    default:
      return false;
  }
}

std::string parse_lines(const std::string& text, std::vector<SourceLine>& lines) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const size_t colon = item.rfind(':');
    const char* const stop = item.data() + item.size();
    uint32_t line = 0;
    if (colon == std::string::npos || colon == 0 || std::from_chars(item.data() + colon + 1, stop, line).ptr != stop ||
        line == 0)
      return fmt::format("\"{}\" is no line; write drop=FILE:LINE, several with commas", printable(item));
    lines.emplace_back(item.substr(0, colon), line);
    begin = end + 1;
  }
  return "";
}

bool WhatIf::drops(const gate::Site& site) {
  const auto [place, fresh] = places_.try_emplace({site.file, site.line}, -1);
  if (fresh) {
    const std::string file = site.file;
    for (size_t i = 0; i < change_.drop.size() && place->second < 0; ++i) {
      const auto& [end, line] = change_.drop[i];
      const bool ends = file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0 &&
                        file[file.size() - end.size() - 1] == '/';
      if (line == site.line && (file == end || ends)) place->second = static_cast<int>(i);
    }
  }
  if (place->second < 0) return false;
  met_.resize(change_.drop.size());
  met_[static_cast<size_t>(place->second)] = true;
  return true;
}

std::vector<SourceLine> WhatIf::unmet() const {
  std::vector<SourceLine> lines;
  for (size_t i = 0; i < change_.drop.size(); ++i)
    if (i >= met_.size() || !met_[i]) lines.push_back(change_.drop[i]);
  return lines;
}

machine::Interposer::Before WhatIf::before(const machine::Core& core, const gate::Request& request) {
  Before wish;
  if (!change_.drop.empty() && is_sync(request.op)) wish.drop = drops(request.site);
  if (!needs_place() || stages_ == nullptr) return wish;
  const Stages::Place place = stages_->here(core);
  const auto& stages = stages_->all();
  if (change_.stop_after >= 0 && place.position > stages[static_cast<size_t>(change_.stop_after)].last_line)
    wish.stop = true;
  if (change_.meet_before >= 0 && core.rendezvous == 0 &&
      place.position >= stages[static_cast<size_t>(change_.meet_before)].first_line)
    wish.rendezvous = 1;
  if (change_.mute_after >= 0 && place.position > stages[static_cast<size_t>(change_.mute_after)].last_line &&
      behind_.count(core.id) == 0) {
    auto& issued = behind_[core.id];
    for (size_t pipe = 0; pipe < issued.size(); ++pipe) issued[pipe] = core.pipes[pipe].issued;
    issued[static_cast<size_t>(gate::Pipe::kS)] = core.scalar_index;
  }
  if (change_.barrier.empty()) return wish;
  for (const report::Frame& frame : *place.frames)
    wish.barrier = wish.barrier || report::short_function(frame.function) == change_.barrier;
  return wish;
}

bool WhatIf::mutes(const machine::Core& core, gate::Pipe pipe, uint32_t index, const machine::Footprint& footprint) {
  if (change_.muted.empty()) return false;
  if (change_.mute_after >= 0) {
    const auto behind = behind_.find(core.id);
    if (behind == behind_.end() || index <= behind->second[static_cast<size_t>(pipe)]) return false;
  }
  for (const event::Access& access : footprint.accesses()) {
    if (access.space != gate::Space::kGm || !event::writes(access.role) || access.span_count == 0) continue;
    const machine::Tensor* tensor = memory_.find(footprint.spans()[access.first_span].begin);
    if (tensor == nullptr) continue;
    for (const std::string& pattern : change_.muted)
      if (matches(pattern, machine::GlobalMemory::describe(*tensor))) return ++muted_, true;
  }
  return false;
}

}  // namespace ascsan::run
