// A launch in which nobody can go on: who waits for whom, each with its line. Works on the state the machine stopped
// in.
#include <algorithm>

#include "machine/machine.h"

namespace ascsan::machine {
namespace {
constexpr size_t kMaxLines = 12;  ///< cores that wait at the same place for the same thing share a line
constexpr size_t kMaxFlags = 4;

/// Flags that are set and that nobody has waited for: the set with the wrong id or direction is often among them.
std::string set_flags(const FlagTable& flags) {
  std::string text;
  size_t count = 0;
  for (int src = 0; src < gate::kPipeCount; ++src)
    for (int dst = 0; dst < gate::kPipeCount; ++dst)
      for (int id = 0; id < FlagTable::kIds; ++id) {
        const auto from = static_cast<gate::Pipe>(src), to = static_cast<gate::Pipe>(dst);
        if (!flags.at({from, to, id}).is_set() || ++count > kMaxFlags) continue;
        text += (text.empty() ? "" : ", ") + std::string(pipe_name(from)) + "_" + pipe_name(to) + " (id " +
                std::to_string(id) + ")";
      }
  return count == 0 ? "" : "; set and not waited for: " + text + (count > kMaxFlags ? " and more" : "");
}

/// Is the SetFlag of a flag that somebody waits for queued already, behind what its own pipe stands at?
bool set_is_queued(const Core& core, const FlagKey& flag) {
  const PipeQueue& source = core.pipes[static_cast<size_t>(flag.src)];
  for (size_t i = 0; flag.src != gate::Pipe::kS && i < source.size(); ++i) {
    const Entry& entry = *source.at(i);
    if (entry.kind == Entry::Kind::kSetFlag && entry.other == flag.dst && entry.id == flag.id) return true;
  }
  return false;
}

/// The flag that a WaitFlag at the head of pipe `dst` waits for.
FlagKey flag_of(const Entry& wait, size_t dst) {
  return {wait.other, static_cast<gate::Pipe>(dst), wait.id};
}
}  // namespace

const Entry* Machine::stuck_flag(const Core& core) const {
  // A scalar program that waits for something else could still have come to the SetFlag.
  const Wait& wait = core.wait;
  if (wait.reason == Wait::Reason::kCross || wait.reason == Wait::Reason::kGroup) return nullptr;
  if (wait.reason == Wait::Reason::kFlag && !set_is_queued(core, wait.flag)) return nullptr;
  const Entry* oldest = nullptr;  // in a ring of flags every set is queued
  for (size_t p = 1; p < core.pipes.size(); ++p) {
    if (core.pipes[p].empty() || core.pipes[p].front()->kind != Entry::Kind::kWaitFlag) continue;
    const Entry& head = *core.pipes[p].front();
    if (!set_is_queued(core, flag_of(head, p))) return &head;
    if (oldest == nullptr || head.program_index < oldest->program_index) oldest = &head;
  }
  return oldest;
}

std::string Machine::describe_wait(const Core& core) const {
  const Wait& wait = core.wait;
  const auto flag = [](gate::Pipe src, gate::Pipe dst, int id) {
    return std::string("WaitFlag<") + pipe_name(src) + "_" + pipe_name(dst) + ">(" + std::to_string(id) + ")";
  };
  const auto queue_heads = [&] {
    std::string text;
    for (size_t p = 1; p < core.pipes.size(); ++p) {
      const PipeQueue& pipe = core.pipes[p];
      if (pipe.empty()) continue;
      const Entry& head = *pipe.front();
      text += text.empty() ? "" : "; ";
      text += std::string("pipe ") + pipe_name(static_cast<gate::Pipe>(p));
      if (head.unit_flag != 0)
        text += std::string(" stands at ") + head.info->api + " of " + place(sites_.at(head.site)) + " (unitFlag " +
                std::to_string(head.unit_flag) + "), whose L0C blocks no " +
                (head.request.op == gate::Op::kMmad ? "Fixpipe with unitFlag 3 has taken"
                                                    : "Mmad with unitFlag 3 has filled");
      else if (head.kind == Entry::Kind::kWaitFlag)
        text += " stands at " + flag(head.other, static_cast<gate::Pipe>(p), head.id) + " of " +
                place(sites_.at(head.site)) +
                (set_is_queued(core, flag_of(head, p))
                     ? std::string(", whose SetFlag is queued in pipe ") + pipe_name(head.other)
                     : ", which no SetFlag matches");
      else
        text += " holds " + std::to_string(pipe.size()) + " entries";
    }
    return text;
  };
  switch (wait.reason) {
    case Wait::Reason::kNone: {
      const std::string heads = queue_heads();
      return heads.empty() ? "does not wait" : "has returned, but " + heads + set_flags(core.flags);
    }
    case Wait::Reason::kFlag: {
      const std::string heads = queue_heads();
      return "waits in " + flag(wait.flag.src, gate::Pipe::kS, wait.flag.id) + " for a SetFlag on pipe " +
             pipe_name(wait.flag.src) + " that never comes" + (heads.empty() ? "" : "; " + heads) +
             set_flags(core.flags);
    }
    case Wait::Reason::kAllPipes:
      return "waits for its own pipes: " + queue_heads() + set_flags(core.flags);
    case Wait::Reason::kPipeUpTo:
      return "waits for an earlier instruction on the same bytes: " + queue_heads();
    case Wait::Reason::kQueueSpace:
      return std::string("waits for room in the full queue of pipe ") + pipe_name(static_cast<gate::Pipe>(wait.id)) +
             " (" + std::to_string(options_.queue_depth) + " entries); " + queue_heads();
    case Wait::Reason::kCross: {
      // Which member of which group has set less often than the others?
      std::string missing;
      for (uint8_t mode = 0; mode < 3; ++mode) {
        uint32_t most = 0;
        for (const auto& other : cores_) most = std::max(most, other->cross_sets[mode][static_cast<size_t>(wait.id)]);
        if (most == 0) continue;
        size_t listed = 0;
        for (const auto& other : cores_) {
          std::vector<event::CoreId> members, targets;
          cross_group(*other, mode, members, targets);
          if (std::find(targets.begin(), targets.end(), core.id) == targets.end()) continue;
          if (other->cross_sets[mode][static_cast<size_t>(wait.id)] >= most) continue;
          if (++listed <= 4) missing += (missing.empty() ? "" : ", ") + other->name();
        }
        if (listed > 4) missing += " and " + std::to_string(listed - 4) + " more";
      }
      return "waits in CrossCoreWaitFlag(" + std::to_string(wait.id) + ")" +
             (missing.empty() ? ", and no core is on its way to the CrossCoreSetFlag that would release it"
                              : ", not set yet by " + missing);
    }
    case Wait::Reason::kGroup: {
      event::CoreId peer = core.id;
      wait.passes(wait.context, &peer);
      return std::string("waits in ") + table_[static_cast<size_t>(wait.op)].api + " for " + cores_[peer]->name();
    }
  }
  return "";
}

/// One event for each place somebody waits at, first the one that keeps others waiting: a flag that nobody sets and a
/// pipe stands at, else a scalar program, in the order of cores.
void Machine::report_stall() {
  constexpr size_t kMaxPlaces = 6;
  std::vector<event::SiteId> places;
  for (const bool any : {false, true})
    for (const auto& core : cores_) {
      const Entry* const stuck = stuck_flag(*core);
      const Entry* head = stuck;
      for (const PipeQueue& pipe : core->pipes)
        if (head == nullptr && !pipe.empty()) head = pipe.front();
      if ((stuck == nullptr && !any) || (core->done && head == nullptr)) continue;
      const bool at_head = stuck != nullptr || (core->wait.site == 0 && head != nullptr);
      const event::SiteId site = at_head ? head->site : core->wait.site;
      if (places.size() == kMaxPlaces || std::find(places.begin(), places.end(), site) != places.end()) continue;
      places.push_back(site);
      event::Event stall = make_event(event::Kind::kStall, *core, gate::Pipe::kS, site);
      stall.op = stuck != nullptr || core->done ? gate::Op::kWaitFlag : core->wait.op;
      stall.text = outcome_.text.c_str();
      emit(stall);
    }
}

std::string Machine::describe_stall() const {
  struct Line {
    std::string cores, text;
    size_t count = 0;
  };
  std::vector<Line> lines;
  for (const auto& core : cores_) {
    bool idle = core->done;
    for (const PipeQueue& pipe : core->pipes) idle = idle && pipe.empty();
    if (idle) continue;
    std::string text = describe_wait(*core);
    if (core->wait.site != 0)
      text += " at " + place(sites_.at(core->wait.site)) + " (" + sites_.at(core->wait.site).function + ")";
    auto known = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.text == text; });
    if (known == lines.end()) known = lines.insert(lines.end(), Line{"", text, 0});
    ++known->count;
    if (known->count <= 3) known->cores += (known->cores.empty() ? "" : ", ") + core->name();
  }
  size_t returned = 0;
  for (const auto& core : cores_) returned += core->done ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < lines.size() && i < kMaxLines; ++i) {
    text += (text.empty() ? "" : "\n") + lines[i].cores;
    if (lines[i].count > 3) text += " and " + std::to_string(lines[i].count - 3) + " more";
    text += " " + lines[i].text;
  }
  if (lines.size() > kMaxLines) text += "\nand " + std::to_string(lines.size() - kMaxLines) + " more";
  if (returned > 0)
    text += "\n" + std::to_string(returned) + " of " + std::to_string(cores_.size()) +
            " cores have returned from the kernel";
  return text;
}

}  // namespace ascsan::machine
