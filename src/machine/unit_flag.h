// Unit flags (spec/hb-rules.md R-14): one bit per 512 bytes of L0C, by which Mmad and Fixpipe hand tiles to each other
// without events. An instruction with unitFlag 2 or 3 waits until the bits of all its blocks are 0 (Mmad) or 1
// (Fixpipe); with 3 it turns them round when it has completed. Waiting is done for the whole instruction, which is
// later than the hardware may start, never earlier. The edges appear as ordinary flag events with ids from kFirstId on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ascsan::machine {

class UnitFlags {
 public:
  static constexpr uint64_t kBlockBytes = 512;
  static constexpr size_t kBlocks = 256;
  static constexpr int kFirstId = 1000;  ///< of flag events: kFirstId + first block of the tile that was handed over

  struct Block {
    bool full = false;  ///< the bit: 1 = handed to Fixpipe
    int16_t id = 0;     ///< flag event that turned it last, 0 = none yet
    uint32_t ordinal = 0;
  };
  Block& at(uint64_t byte) { return blocks_[byte / kBlockBytes % kBlocks]; }
  const Block& at(uint64_t byte) const { return blocks_[byte / kBlockBytes % kBlocks]; }
  /// Ordinal of the next hand-over that starts at this block, to Fixpipe or back.
  uint32_t next(uint64_t byte, bool to_fixpipe) {
    return ++ordinals_[to_fixpipe ? 1 : 0][byte / kBlockBytes % kBlocks];
  }

 private:
  std::array<Block, kBlocks> blocks_{};
  std::array<std::array<uint32_t, kBlocks>, 2> ordinals_{};
};

}  // namespace ascsan::machine
