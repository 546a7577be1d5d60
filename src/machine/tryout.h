// An instruction of a core, opened up for a sink that wants to try it out before it happens (event/execution.h).
#pragma once

#include "event/execution.h"
#include "machine/core.h"

namespace ascsan::machine {

class Tryout : public event::Execution {
 public:
  Tryout(Core& core, Entry& entry) : core_(core), entry_(entry) {}
  const gate::Request& request() const override { return entry_.request; }
  void run() override { entry_.info->execute(entry_.request, core_.memories); }
  std::byte* at(gate::Space space, uint64_t address) const override {
    // As numbers: the base of GM is null, and an offset to a null pointer is undefined.
    const auto base = reinterpret_cast<uintptr_t>(core_.memories.base[static_cast<size_t>(space)]);
    return reinterpret_cast<std::byte*>(base + address);
  }
  std::span<std::byte> registers() override { return std::as_writable_bytes(std::span(&core_.results, 1)); }
  bool data_dependent() const override { return entry_.info->exact_footprint != nullptr; }
  void largest(std::span<const event::Access>& accesses, std::span<const event::Span>& spans) override {
    largest_.clear();
    entry_.info->footprint(entry_.request, largest_);
    accesses = largest_.accesses();
    spans = largest_.spans();
  }

 private:
  Core& core_;
  Entry& entry_;
  Footprint largest_;
};

}  // namespace ascsan::machine
