// One instruction right before it is carried out, as a sink that asks for it sees it: what it will do, and the means to
// try it out. A sink may run it on changed inputs to learn what depends on what, and must leave every byte as it was.
// Never part of a recorded stream. Rule: the values of an instruction live in one place, the isa.
#pragma once

#include <cstddef>
#include <span>

#include "event/event.h"

namespace ascsan::event {

class Execution {
 public:
  virtual ~Execution() = default;
  virtual const gate::Request& request() const = 0;
  /// Carries the instruction out on the memories as they are.
  virtual void run() = 0;
  /// Host address of a byte of a memory of the executing core.
  virtual std::byte* at(gate::Space space, uint64_t address) const = 0;
  /// Result registers of the executing core (accumulator, compare mask, ...): some instructions write or read them.
  virtual std::span<std::byte> registers() = 0;
  /// Addresses or amounts lie in memory: with other values run() may touch more than the event says, at most `largest`.
  virtual bool data_dependent() const = 0;
  virtual void largest(std::span<const Access>& accesses, std::span<const Span>& spans) = 0;
};

}  // namespace ascsan::event
