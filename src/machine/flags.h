// Flags inside one core: one counter pair per (source pipe, destination pipe, id), and the id bitmaps of
// AllocEventID / FetchEventID (spec/execution-model.md 4.1, 4.2). Sets and waits match in FIFO order (rule R-7).
#pragma once

#include <array>
#include <cstdint>

#include "ascendc/gate.h"

namespace ascsan::machine {

struct FlagKey {
  gate::Pipe src = gate::Pipe::kS, dst = gate::Pipe::kS;
  int id = 0;
};

class FlagTable {
 public:
  static constexpr int kIds = 8;
  struct Flag {
    uint32_t fired = 0, passed = 0;
    bool is_set() const { return fired > passed; }
  };
  const Flag& at(const FlagKey& key) const { return const_cast<FlagTable*>(this)->at(key); }
  Flag& at(const FlagKey& key) {
    return flags_[(static_cast<size_t>(key.src) * gate::kPipeCount + static_cast<size_t>(key.dst)) * kIds +
                  static_cast<size_t>(key.id)];
  }

  /// Lowest free id of the pair, or -1. `mark` makes it busy until release() (AllocEventID against FetchEventID).
  int take_id(gate::Pipe src, gate::Pipe dst, bool mark) {
    uint8_t& busy = busy_[static_cast<size_t>(src) * gate::kPipeCount + static_cast<size_t>(dst)];
    for (int id = 0; id < kIds; ++id) {
      if ((busy >> id) & 1) continue;
      if (mark) busy = static_cast<uint8_t>(busy | (1u << id));
      return id;
    }
    return -1;
  }
  bool is_taken(gate::Pipe src, gate::Pipe dst, int id) const {
    return ((busy_[static_cast<size_t>(src) * gate::kPipeCount + static_cast<size_t>(dst)] >> id) & 1) != 0;
  }
  void release_id(gate::Pipe src, gate::Pipe dst, int id) {
    uint8_t& busy = busy_[static_cast<size_t>(src) * gate::kPipeCount + static_cast<size_t>(dst)];
    busy = static_cast<uint8_t>(busy & ~(1u << id));
  }
  void release_all_ids() { busy_.fill(0); }

 private:
  std::array<Flag, gate::kPipeCount * gate::kPipeCount * kIds> flags_{};
  std::array<uint8_t, gate::kPipeCount * gate::kPipeCount> busy_{};
};

}  // namespace ascsan::machine
