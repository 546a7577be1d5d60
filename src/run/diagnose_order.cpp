// Experiments (e) to (g), the data-flow map and the conclusion. See diagnose.h.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "event/names.h"
#include "run/diagnose.h"

namespace ascsan::run {
namespace {

const char* kind_name(gate::CoreKind kind) {
  return kind == gate::CoreKind::kAic ? "AIC" : "AIV";
}

std::string place_of(const event::SiteTable& sites, event::SiteId site) {
  const gate::Site& at = sites.at(site);
  return base::place(at.file, at.line) + " (" + at.function + ")";
}

}  // namespace

void Diagnose::inside_stage() {
  const auto& all = stages_.all();
  std::vector<std::string> functions;
  if (first_stage_ >= 0)
    functions.push_back(all[static_cast<size_t>(first_stage_)].name);
  else if (!stages_.top().empty())
    functions.push_back(stages_.top());
  if (functions.empty()) return;
  Change change;
  change.barrier = functions[0];
  const size_t left = still_differing(change);
  cured_inside_ = left == 0;
  add("e", "order inside " + functions[0], "PipeBarrier<PIPE_ALL> between all its instructions",
      left == 0 ? fmt::format("equal in all {} schedules", bad_.size())
                : fmt::format("still wrong in {} of {} schedules", left, bad_.size()),
      left == 0             ? "CAUSE"
      : left == bad_.size() ? "excluded"
                            : "no part in it alone");
}

/// The first load in a schedule that differs that saw other bytes than in the in-order run, although all loads before
/// it saw the same: what it loads was wrong already.
void Diagnose::inputs() {
  const auto scheduler = bad_[0].make();
  const RunOutcome got = run_once(*scheduler, {}, true);
  const LaunchRecord::Read* first = nullptr;
  event::CoreId core = 0;
  gate::Pipe pipe = gate::Pipe::kS;
  for (const auto& [key, read] : got.record->reads()) {
    const auto before = reference_.record->reads().find(key);
    if (before == reference_.record->reads().end() || before->second.hash == read.hash ||
        (first != nullptr && first->turn < read.turn))
      continue;
    first = &read;
    core = key.core;
    pipe = key.pipe;
  }
  if (first == nullptr)
    return add("f", "an input is wrong when it is read", "GM loads sampled at the moment of reading",
               "every load saw the bytes of the in-order run", "the fault is on chip, or in the order of the stores");
  first_input_ = lab_.name_of(first->tensor);
  reader_place_ = place_of(lab_.sites(), first->site);
  const auto& writes = reference_.record->uses().at(first->tensor).writes;
  event::SiteId writer = 0;
  event::CoreId writer_core = 0;
  for (const LaunchRecord::Write& write : writes)
    if (write.begin < first->end && first->begin < write.end && write.core != core)
      writer = write.site, writer_core = write.core;
  for (const LaunchRecord::Write& write : writes)
    if (writer == 0 && write.begin < first->end && first->begin < write.end)
      writer = write.site, writer_core = write.core;
  if (writer != 0) writer_place_ = place_of(lab_.sites(), writer);
  const machine::Machine& machine = lab_.machine();
  add("f", fmt::format("{} is wrong when it is read", first_input_), "GM loads sampled at the moment of reading",
      fmt::format("{} {} loads bytes {}..{} of {} before they have their value{}", machine.core(core).name(),
                  event::pipe_name(pipe), first->begin, first->end - 1, first_input_,
                  writer != 0 ? ", stored by " + machine.core(writer_core).name() : ""),
      "WRONG INPUT: " + first_input_);
}

void Diagnose::between_cores() {
  const auto& all = stages_.all();
  if (all.size() < 2)
    return add("g", "order between cores", "all cores meet before each stage",
               "the kernel has no stages that could be told apart", "not applicable");
  for (size_t stage = 1; stage < all.size(); ++stage) {
    Change change;
    change.meet_before = static_cast<int>(stage);
    const RunOutcome alone = run_in_order(change);
    const std::string where = fmt::format("all cores meet between {} and {}", all[stage - 1].name, all[stage].name);
    if (!alone.ended()) {
      add("g", "order between cores", where,
          "the cores cannot meet there: " + alone.outcome.text.substr(0, alone.outcome.text.find('\n')),
          "not applicable");
      continue;
    }
    const size_t left = still_differing(change, false);
    if (left == 0 && curing_stage_ < 0) curing_stage_ = static_cast<int>(stage);
    add("g", "order between cores", where,
        left == 0 ? fmt::format("equal in all {} schedules", bad_.size())
                  : fmt::format("still wrong in {} of {} schedules", left, bad_.size()),
        left == 0 ? "CAUSE" : "excluded");
  }
}

void Diagnose::flow(const RunOutcome& reference) {
  for (const auto& [key, bytes] : reference.record->flow())
    result_.flow.push_back({key.tensor, key.writes ? "writes" : "reads", key.function, kind_name(key.kind),
                            event::pipe_name(key.pipe), "", bytes});
}

void Diagnose::conclude() {
  const auto& all = stages_.all();
  if (!reference_.ended() || !task_.hang.empty()) {
    result_.cause.push_back(task_.hang.empty() ? "the launch hangs: " + reference_.outcome.text : task_.hang);
    return;
  }
  if (!task_.bounds.empty()) {
    result_.cause.push_back("an access leaves its tensor and tramples its neighbour: " + task_.bounds[0]);
    return;
  }
  if (!task_.cache.empty() && bad_.empty()) {
    result_.cause = task_.cache;
    result_.cure =
        "DataCacheCleanAndInvalid of the line, before a load that must not be stale or behind a store that must not "
        "stay";
    return;
  }
  if (curing_stage_ >= 0 && !first_input_.empty()) {
    const Stage& stage = all[static_cast<size_t>(curing_stage_)];
    const std::string& before = all[static_cast<size_t>(curing_stage_) - 1].name;
    result_.cause = {fmt::format(
        "{} is read in {} before other cores have stored it in {}; nothing orders the cores between the two",
        first_input_, stage.name, before)};
    if (!writer_place_.empty()) result_.cause.push_back("stored at " + writer_place_);
    result_.cause.push_back("loaded at " + reader_place_);
    const bool mixed = machine::shape_of(reference_.outcome.type).aic_per_block != 0 &&
                       machine::shape_of(reference_.outcome.type).aiv_per_block != 0;
    result_.cure =
        fmt::format("{} between {} and {} ({}:{})", mixed ? "SyncAll<false>()" : "SyncAll of the vector cores", before,
                    stage.name, stage.file, stage.first_line);
    return;
  }
  if (cured_inside_) {
    result_.cause.push_back(
        fmt::format("instructions inside {} are not ordered; the findings of ascsan run name the two lines",
                    first_stage_ >= 0 ? all[static_cast<size_t>(first_stage_)].name : stages_.top()));
    result_.cure =
        "the flag or PipeBarrier that the finding asks for (PIPE_ALL between all instructions of that function removes "
        "the difference)";
    return;
  }
  if (uninitialised_) {
    for (const report::Experiment& row : result_.rows)
      if (row.letter == "c" && row.verdict == "SUSPECT")
        result_.cause.push_back("bytes are used that nobody wrote: " + row.seen);
    result_.cause.insert(result_.cause.end(), task_.undefined.begin(), task_.undefined.end());
    return;
  }
  if (!task_.undefined.empty()) {
    result_.cause = task_.undefined;
    return;
  }
  if (!reader_place_.empty())
    result_.cause.push_back(fmt::format("{} is wrong when it is loaded at {}", first_input_, reader_place_));
}

}  // namespace ascsan::run
