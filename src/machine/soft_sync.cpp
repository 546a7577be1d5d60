// Barriers that live in GM words: soft SyncAll, IBSet/IBWait, WaitPreBlock/NotifyNextBlock (spec/execution-model.md
// 5.3-5.5). They are modelled natively: the words are read and written as the device would, so a workspace that was not
// zeroed misbehaves here too, but the accesses are no events; arrivals and passes are (rules R-24 .. R-26).
#include <algorithm>
#include <cstring>

#include "machine/machine.h"

namespace ascsan::machine {

namespace {
int32_t read_word(uint64_t address) {
  int32_t value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
void write_word(uint64_t address, int32_t value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

constexpr uint64_t kSlotBytes = 32;

struct SumWait {
  uint64_t address;
  uint32_t cores;
  int64_t needed;
  int32_t mine;
  const std::vector<event::CoreId>* members;
};
bool sum_reached(void* context, event::CoreId* peer) {
  const auto& wait = *static_cast<const SumWait*>(context);
  int64_t sum = 0;
  bool named = false;
  for (uint32_t i = 0; i < wait.cores; ++i) {
    const int32_t value = read_word(wait.address + i * kSlotBytes);
    sum += value;
    if (value < wait.mine && peer != nullptr && !named && i < wait.members->size())
      *peer = (*wait.members)[i], named = true;
  }
  return sum >= wait.needed;
}

struct WordWait {
  uint64_t address;
  int32_t expected;
  event::CoreId peer;
};
bool word_is(void* context, event::CoreId* peer) {
  const auto& wait = *static_cast<const WordWait*>(context);
  if (peer != nullptr) *peer = wait.peer;
  return read_word(wait.address) == wait.expected;
}

struct TurnWait {
  const uint32_t* turn;
  uint32_t expected;
  event::CoreId peer;
};
bool turn_is(void* context, event::CoreId* peer) {
  const auto& wait = *static_cast<const TurnWait*>(context);
  if (peer != nullptr) *peer = wait.peer;
  return *wait.turn >= wait.expected;
}
}  // namespace

Machine::GroupBarrier& Machine::group(gate::Op kind, uint64_t address, uint64_t slot) {
  for (auto& known : groups_)
    if (known->kind == kind && known->address == address && known->slot == slot) return *known;
  groups_.push_back(std::make_unique<GroupBarrier>());
  GroupBarrier& barrier = *groups_.back();
  barrier.kind = kind;
  barrier.address = address;
  barrier.slot = slot;
  barrier.id = static_cast<int>(groups_.size() - 1) * 2;  // odd ids: the way back of a mailbox
  barrier.calls.assign(cores_.size(), 0);
  return barrier;
}

void Machine::group_event(Core& core, event::Kind kind, const GroupBarrier& barrier, uint32_t ordinal,
                          const std::vector<event::CoreId>& members, const gate::Site& site) {
  event::Event event = make_event(kind, core, gate::Pipe::kS, sites_.intern(site));
  event.id = static_cast<int16_t>(barrier.id);
  event.op = barrier.kind;
  event.ordinal = ordinal;
  event.index = core.scalar_index;
  event.members = members.data();
  event.member_count = static_cast<uint16_t>(members.size());
  if (kind == event::Kind::kGroupPass)
    scalar_join(core, event);
  else
    emit(event);
}

uint64_t Machine::soft_sync(Core& core, gate::Request& request) {
  if (core.kind == gate::CoreKind::kAic) return 0;  // these APIs return at once on AIC
  const gate::FrameParams& frame = request.params.frame;
  const gate::Site& site = request.site;
  const KernelShape& shape = shape_of(type_);
  std::vector<event::CoreId>& aivs = core.group_members;
  aivs.clear();
  for (const auto& other : cores_)
    if (other->kind == gate::CoreKind::kAiv) aivs.push_back(other->id);
  const uint32_t all = plan_.block_dim * (frame.flag != 0 ? 1 : std::max(1u, shape.aiv_per_block));
  Wait wait;
  wait.reason = Wait::Reason::kGroup;
  wait.op = request.op;
  wait.site = sites_.intern(site);

  if (request.op != gate::Op::kInitDetermine && request.op != gate::Op::kIbSet &&
      request.op != gate::Op::kNotifyNextBlock)
    check_waves(core, table_[static_cast<size_t>(request.op)].api, site);
  if (request.op == gate::Op::kInitDetermine) {
    full_barrier(core, site, request.op, 0);
    return 0;
  }
  if (request.op == gate::Op::kWaitPreBlock || request.op == gate::Op::kNotifyNextBlock) {
    GroupBarrier& barrier = group(gate::Op::kWaitPreBlock, 0, 0);
    const auto cores = static_cast<uint32_t>(aivs.size());
    full_barrier(core, site, request.op, 0);
    if (request.op == gate::Op::kNotifyNextBlock) {
      ++barrier.turn;
      group_event(core, event::Kind::kGroupArrive, barrier, barrier.turn, {}, site);
      for (auto& other : cores_) refresh_scalar(*other);
    } else {
      const uint32_t expected = barrier.calls[core.id]++ * cores + core.number;
      const event::CoreId previous = aivs[(core.number + cores - 1) % cores];
      TurnWait context{&barrier.turn, expected, previous};
      wait.passes = turn_is;
      wait.context = &context;
      block(core, wait);
      if (expected > 0) group_event(core, event::Kind::kGroupPass, barrier, expected, {previous}, site);
    }
    full_barrier(core, site, request.op, 0);
    return 0;
  }

  // What follows needs words in GM.
  const uint32_t cores =
      request.op == gate::Op::kSyncAllSoft && frame.value[0] != 0 ? static_cast<uint32_t>(frame.value[0]) : all;
  // Block indices far beyond any chip must not wrap round into the workspace.
  const uint64_t index = std::min(frame.value[0], uint64_t{1} << 40);
  const uint64_t slot =
      request.op == gate::Op::kSyncAllSoft ? 0 : uint64_t{cores} * static_cast<uint32_t>(frame.id) + index;
  const uint64_t base = request.operand[0].address;
  const uint64_t slots = request.op == gate::Op::kSyncAllSoft ? std::max<uint64_t>(cores, core.number + 1) : slot + 1;
  const uint64_t bytes = slots * kSlotBytes;
  const Tensor* tensor = memory_.find(base);
  if (tensor == nullptr || base + bytes > tensor->end) {
    report_violation(
        core, site, "bounds",
        std::string(table_[static_cast<size_t>(request.op)].api) + " needs " + std::to_string(bytes) +
            " bytes of GM workspace (32 per core); " +
            (tensor == nullptr ? std::string("the address is in no allocation")
                               : GlobalMemory::describe(*tensor) + " has " + std::to_string(tensor->end - base)),
        true);
    return 0;
  }
  full_barrier(core, site, request.op, 0);
  if (request.op == gate::Op::kSyncAllSoft) {
    GroupBarrier& barrier = group(request.op, base, 0);
    const uint64_t own = base + core.number * kSlotBytes;
    const int32_t mine = read_word(own) + 1;
    write_word(own, mine);
    const uint32_t round = ++barrier.calls[core.id];
    group_event(core, event::Kind::kGroupArrive, barrier, round, {}, site);
    for (auto& other : cores_) refresh_scalar(*other);
    if (aivs.size() > cores) aivs.resize(cores);
    SumWait context{base, cores, static_cast<int64_t>(cores) * mine, mine, &aivs};
    wait.passes = sum_reached;
    wait.context = &context;
    block(core, wait);
    // The poll blocks S, so everything later is issued after it; there is no trailing PIPE_ALL.
    group_event(core, event::Kind::kGroupPass, barrier, round, aivs, site);
    return 0;
  }

  GroupBarrier& box = group(gate::Op::kIbSet, base, slot);
  GroupBarrier back;  // the way back: consumption of the mailbox
  back.kind = box.kind;
  back.id = box.id + 1;
  const uint64_t word = base + slot * kSlotBytes;
  const bool setter = request.op == gate::Op::kIbSet;
  WordWait context{word, setter ? 0 : 1, core.id};
  wait.passes = word_is;
  wait.context = &context;
  block(core, wait);
  write_word(word, setter ? 1 : 0);
  if (setter) {
    if (box.sets > 0 && box.waits == box.sets)
      group_event(core, event::Kind::kGroupPass, back, box.waits, {box.last_waiter}, site);
    ++box.sets;
    box.last_setter = core.id;
    group_event(core, event::Kind::kGroupArrive, box, box.sets, {}, site);
  } else {
    ++box.waits;
    box.last_waiter = core.id;
    if (box.sets >= box.waits) group_event(core, event::Kind::kGroupPass, box, box.waits, {box.last_setter}, site);
    group_event(core, event::Kind::kGroupArrive, back, box.waits, {}, site);
  }
  for (auto& other : cores_) refresh_scalar(*other);
  full_barrier(core, site, request.op, 0);
  return 0;
}

}  // namespace ascsan::machine
