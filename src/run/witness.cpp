#include "run/witness.h"

#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "event/names.h"
#include "schedule/make.h"

namespace ascsan::run {

schedule::Point point_of(const report::AccessKey& key) {
  return {{static_cast<event::CoreId>(key.core), static_cast<gate::Pipe>(key.pipe)}, key.index};
}

namespace {

/// "AIV 3 MTE2 entry 2"
std::string name_of(const machine::Machine& machine, const schedule::Point& point) {
  const std::string core = machine.core(point.actor.core).name();
  if (point.actor.pipe == gate::Pipe::kS) return fmt::format("{} scalar access {}", core, point.index);
  return fmt::format("{} {} entry {}", core, event::pipe_name(point.actor.pipe), point.index);
}

bool writes(const Side& side, const ByteRun& run) {
  for (const Side::Touch& touch : side.touches)
    if (touch.writes && touch.space == run.space && touch.begin < run.end && run.begin < touch.end) return true;
  return false;
}

/// The first element in which the two byte strings differ, else 0.
uint64_t first_different(const std::vector<std::byte>& a, const std::vector<std::byte>& b, uint64_t size) {
  for (uint64_t at = 0; at + size <= std::min(a.size(), b.size()); at += size)
    if (std::memcmp(&a[at], &b[at], size) != 0) return at / size;
  return 0;
}

}  // namespace

std::unique_ptr<machine::Scheduler> make_directed(const std::string& base,
                                                  const std::vector<report::ForcedChoice>& choices) {
  std::vector<schedule::Hold> holds;
  for (const report::ForcedChoice& c : choices)
    holds.push_back({point_of({0, c.held_core, c.held_pipe, c.held_index}),
                     point_of({0, c.until_core, c.until_pipe, c.until_index})});
  auto scheduler = schedule::make_scheduler(base, 1, 1, nullptr);
  return scheduler ? std::make_unique<schedule::Directed>(std::move(scheduler), std::move(holds)) : nullptr;
}

/// The run of reference, in which both sides are looked at. Its first part is the same for every finding; the sides are
/// not, so it is repeated per finding.
const RunOutcome& WitnessSearch::in_order(const WitnessWish& wish) {
  const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
  reference_ = lab_.run(*scheduler, nullptr, [&](LaunchRecord& record) {
    record.watch(point_of(wish.first), point_of(wish.second), nullptr);
  });
  common_ = reference_.record->common_run();
  return reference_;
}

WitnessAnswer WitnessSearch::find(const WitnessWish& wish) {
  WitnessAnswer answer;
  answer.finding = wish.finding;
  const RunOutcome& reference = in_order(wish);
  const auto& sides = reference.record->sides();
  if (!sides[0].seen || !sides[1].seen) {
    answer.note = "no witness: in the in-order run one side of the pair does not happen";
    return answer;
  }
  if (!reference.ended()) {
    answer.note = "no witness: the in-order run of the launch does not end, so there is nothing to compare with";
    return answer;
  }
  const bool turned = sides[1].turn < sides[0].turn;
  const report::AccessKey &held = turned ? wish.second : wish.first, &until = turned ? wish.first : wish.second;
  const report::ForcedChoice choice{held.core, held.pipe, held.index, until.core, until.pipe, until.index};
  uint64_t runs = 1;
  bool reversed = false;
  for (const char* base : {"in_order", "deferred"}) {
    const auto scheduler = make_directed(base, {choice});
    ++runs;
    const RunOutcome got = lab_.run(*scheduler, nullptr, [&](LaunchRecord& record) {
      record.watch(point_of(wish.first), point_of(wish.second), &common_);
    });
    const auto& now = got.record->sides();
    if (!now[0].seen || !now[1].seen || (now[1].turn < now[0].turn) == turned)
      continue;  // the order could not be forced
    reversed = true;
    if (!lab_.differs(reference, got)) continue;
    token_.launch = wish.first.launch;
    token_.base = base;
    token_.choices = {choice};
    token_.inputs = lab_.inputs_digest();
    token_.outputs = got.outputs_digest;
    token_.events = got.record->digest();
    answer.witness.emplace();
    answer.witness->token = report::to_text(token_);
    answer.witness->forced_choices = 1;
    answer.witness->runs = runs;
    answer.impact = lab_.compare(reference, got);
    tell(reference, got, choice, answer);
    return answer;
  }
  answer.note =
      reversed ? "no schedule that was tried changes an output (same value written, or value unused); the order is "
                 "still undefined"
               : "no witness: within the model the pair cannot be run in the other order (queues are finite, one pipe "
                 "works in order)";
  return answer;
}

/// The steps in their new order, and the bytes that were read.
void WitnessSearch::tell(const RunOutcome& reference, const RunOutcome& got, const report::ForcedChoice& choice,
                         WitnessAnswer& answer) const {
  report::Witness& witness = *answer.witness;
  const auto &before = reference.record->sides(), &now = got.record->sides();
  const schedule::Point held = point_of({0, choice.held_core, choice.held_pipe, choice.held_index});
  const size_t late = held.actor == now[0].point.actor && held.index == now[0].point.index ? 0 : 1;
  const bool late_writes = writes(before[late], common_), early_writes = writes(before[1 - late], common_);
  const std::string late_name = name_of(lab_.machine(), now[late].point),
                    early_name = name_of(lab_.machine(), now[1 - late].point);
  witness.steps.push_back(
      fmt::format("{} is issued and kept in flight ({})", late_name, late_writes ? "a store" : "a load"));
  witness.steps.push_back(
      fmt::format("{} {}", early_name, early_writes ? "stores first" : "loads what is there by then"));
  witness.steps.push_back(fmt::format("{} completes", late_name));
  if (!got.ended())
    witness.steps.push_back("after that the launch does not end: " +
                            got.outcome.text.substr(0, got.outcome.text.find('\n')));
  if (common_.space == gate::Space::kNone) return;

  const size_t reader = !early_writes ? 1 - late : !late_writes ? late : 2;
  const uint64_t size = std::max<uint64_t>(1, gate::bytes_of(common_.type));
  const machine::Tensor* tensor = common_.space == gate::Space::kGm ? lab_.memory().find(common_.begin) : nullptr;
  const uint64_t base = tensor != nullptr ? tensor->begin : 0;
  const std::string name =
      tensor != nullptr ? machine::GlobalMemory::describe(*tensor) : std::string(event::space_name(common_.space));
  const auto add = [&](const char* what, const std::vector<std::byte>& bytes, uint64_t element) {
    if (bytes.size() < (element + 1) * size) return;
    witness.values.push_back(
        {what, name, element_text(&bytes[element * size], common_.type), (common_.begin - base) / size + element});
  };
  if (reader < 2) {
    // A load that came too early is shown beside what the store left; one that came too late beside what it should have
    // seen.
    const std::vector<std::byte>& wrong = now[reader].bytes;
    const std::vector<std::byte> right = reader == late ? before[reader].bytes_in(common_) : now[1 - reader].bytes;
    const uint64_t element = first_different(wrong, right, size);
    add("read by the witness", wrong, element);
    add(reader == late ? "read in the in-order run" : "after the store", right, element);
  } else {
    const uint64_t element = first_different(now[0].bytes, now[1].bytes, size);
    add("after the store that came first", now[1 - late].bytes, element);
    add("after the other store", now[late].bytes, element);
  }
}

}  // namespace ascsan::run
