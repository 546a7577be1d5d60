// State of TPipe, TQue, TQueBind and TBuf of one core: bump allocation per memory, buffer life cycle, and the event
// pair a queue uses (spec/execution-model.md 4.5). Only state: waiting and setting flags is the machine's work.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ascendc/gate.h"

namespace ascsan::machine {

/// Source and destination pipe of a queue's flags. `legal` is false where no such queue exists.
struct EventPair {
  gate::Pipe src = gate::Pipe::kS, dst = gate::Pipe::kS;
  bool legal = true;
  bool none = false;     ///< no flags at all (TSCM on AIV)
  bool barrier = false;  ///< VECCALC -> VECCALC: PipeBarrier<V>
};
/// Forward pair F of a path between logical positions (values of AscendC::TPosition); the reverse pair R is (dst, src).
EventPair event_pair_of(uint8_t source_position, uint8_t destination_position);
gate::Space space_of_position(uint8_t position);

struct Buffer {
  enum class State : uint8_t { kFree, kOccupied, kEnqueued, kDequeued };
  uint64_t address = 0, bytes = 0;
  gate::Space space = gate::Space::kNone;
  State state = State::kFree;
  int queue = -1;
  int forward_id = -1;         ///< id of the set not yet waited for
  int reverse_id = -1;         ///< pending "free" flag
  EventPair forward, reverse;  ///< pairs the pending ids belong to
};

struct Queue {
  uint8_t source = 0, destination = 0;
  uint32_t depth = 1;
  gate::Space space = gate::Space::kNone;
  bool plain = false;  ///< TBuf: one buffer, no states, no flags
  EventPair pair;
  std::vector<int> buffers;   ///< indices into BufferTable::buffers
  std::vector<int> enqueued;  ///< FIFO of buffer indices
  size_t next = 0;            ///< round robin start of AllocTensor
};

/// A TPipe (the whole memories) or a TBufPool (a window of one memory).
struct Pool {
  bool pipe = true, alive = true;
  gate::Space space = gate::Space::kNone;          ///< pools only
  std::array<uint64_t, gate::kSpaceCount> next{};  ///< first free byte per memory
  uint64_t begin = 0, end = 0;                     ///< pools only
};

/// One per core. Handles seen by user objects and operands are index + 1.
struct BufferTable {
  std::vector<Pool> pools;
  std::vector<Queue> queues;
  std::vector<Buffer> buffers;
  uint64_t pipe_object = 0;  ///< address of the living TPipe object
  static constexpr uint64_t kAlignment = 32;
  static constexpr size_t kMaxBuffers = 64;  ///< per TPipe (spec 4.5)
  size_t first_live = 0;                     ///< buffers below belong to allocations dropped by Reset
  /// Live buffer that holds the address, or -1.
  int find(gate::Space space, uint64_t address) const;
};

}  // namespace ascsan::machine
