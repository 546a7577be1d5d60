// The machine's side of unit flags: when an instruction may start, what it waits for, what it turns round
// (unit_flag.h).
#include "machine/unit_flag.h"

#include <set>

#include "machine/machine.h"

namespace ascsan::machine {
namespace {
/// For every block of L0C that the instruction touches: f(first byte).
template <typename F>
void each_block(const Entry& entry, F&& f) {
  for (const event::Access& access : entry.footprint.accesses()) {
    if (access.space != gate::Space::kL0c) continue;
    for (uint32_t i = 0; i < access.span_count; ++i) {
      const event::Span& span = entry.footprint.spans()[access.first_span + i];
      for (uint64_t byte = span.begin / UnitFlags::kBlockBytes * UnitFlags::kBlockBytes; byte < span.end;
           byte += UnitFlags::kBlockBytes)
        f(byte);
    }
  }
}
gate::Pipe other_end(gate::Pipe pipe) {
  return pipe == gate::Pipe::kM ? gate::Pipe::kFix : gate::Pipe::kM;
}
}  // namespace

uint8_t Machine::unit_flag_of(const gate::Request& request) {
  if (request.op == gate::Op::kMmad)
    return request.params.mmad.unit_flag & 2 ? request.params.mmad.unit_flag : uint8_t{0};
  if (request.op == gate::Op::kFixpipe || request.op == gate::Op::kFixpipeCopy)
    return request.params.fixpipe.unit_flag & 2 ? request.params.fixpipe.unit_flag : uint8_t{0};
  return 0;
}

bool Machine::unit_ready(const Core& core, gate::Pipe pipe, const Entry& entry) const {
  bool ready = true;
  each_block(entry,
             [&](uint64_t byte) { ready = ready && core.unit_flags.at(byte).full == (pipe == gate::Pipe::kFix); });
  return ready;
}

/// The instruction starts: it comes after those that turned its bits last.
void Machine::pass_unit_flags(Core& core, gate::Pipe pipe, const Entry& entry) {
  std::set<std::pair<int16_t, uint32_t>> passed;
  each_block(entry, [&](uint64_t byte) {
    const UnitFlags::Block& block = core.unit_flags.at(byte);
    if (block.id == 0 || !passed.insert({block.id, block.ordinal}).second) return;
    event::Event event = make_event(event::Kind::kWaitFlag, core, pipe, entry.site);
    event.op = entry.request.op;
    event.other = other_end(pipe);
    event.id = block.id;
    event.ordinal = block.ordinal;
    event.index = entry.index - 1;
    event.scalar_index = entry.scalar_index;
    event.scalar_version = entry.scalar_version;
    event.program_index = entry.program_index;
    emit(event);
  });
}

/// The instruction has completed with unitFlag 3: its bits turn, and the other pipe may go on.
void Machine::turn_unit_flags(Core& core, gate::Pipe pipe, const Entry& entry) {
  const bool to_fixpipe = pipe == gate::Pipe::kM;
  event::Event event = make_event(event::Kind::kSetFlag, core, pipe, entry.site);
  each_block(entry, [&](uint64_t byte) {
    UnitFlags::Block& block = core.unit_flags.at(byte);
    if (event.ordinal == 0) {
      event.id = static_cast<int16_t>(UnitFlags::kFirstId + static_cast<int>(byte / UnitFlags::kBlockBytes));
      event.ordinal = core.unit_flags.next(byte, to_fixpipe);
    }
    block.full = to_fixpipe;
    block.id = event.id;
    block.ordinal = event.ordinal;
  });
  if (event.ordinal == 0) return;
  event.op = entry.request.op;
  event.other = other_end(pipe);
  event.index = entry.index;
  event.scalar_index = entry.scalar_index;
  event.scalar_version = entry.scalar_version;
  event.program_index = entry.program_index;
  emit(event);
  refresh(core, other_end(pipe));
}

}  // namespace ascsan::machine
