// Which bits of one memory (an on-chip memory of a core, or a GM tensor) nobody has defined. A set bit means undefined.
// Blocks of 256 bytes that are all defined or all undefined cost two bytes of bookkeeping; only mixed ones keep their
// bits, in chunks of 64 KiB that exist once something in them differs from the rest. Every 32 bytes carry a tag that
// says where their undefined bytes came from. Left out: what a tag means (init.h).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace ascsan::check {

class UndefinedMap {
 public:
  using Tag = uint32_t;  ///< 0 = born undefined
  /// `undefined`: what all bytes are at first. Grows with what it is asked about.
  explicit UndefinedMap(bool undefined = false) : undefined_at_first_(undefined) {}

  /// Is any bit of [begin, end) undefined?
  bool any(uint64_t begin, uint64_t end) const;
  void define(uint64_t begin, uint64_t end);
  /// All bits of the range, born undefined.
  void undefine(uint64_t begin, uint64_t end);
  /// Copies the bits of the range to `bits`, one byte each byte.
  void read(uint64_t begin, uint64_t end, uint8_t* bits) const;
  /// Sets the bits of the range; the 32-byte units with undefined bits get `tag`.
  void write(uint64_t begin, uint64_t end, const uint8_t* bits, Tag tag);
  Tag tag_at(uint64_t address) const;
  /// Bytes of host memory used.
  size_t bytes() const;

  /// f(begin, end, tag) for runs of bytes with undefined bits, ascending; a run has one tag. Nothing for a chunk that
  /// is as it was at first.
  template <typename F>
  void each_undefined(F&& f) const;

 private:
  static constexpr uint64_t kBlock = 256, kUnit = 32, kChunk = 65536;
  static constexpr uint16_t kUniform = 0xFFFF;  ///< all bits undefined, `bits` not filled
  struct Chunk {
    std::array<uint16_t, kChunk / kBlock> undefined{};  ///< bytes with undefined bits, per block
    std::array<Tag, kChunk / kUnit> tags{};
    std::unique_ptr<uint8_t[]> bits;  ///< valid for mixed blocks
  };
  /// f(chunk index, block in chunk, begin, end) for the blocks of a range.
  template <typename F>
  static void each_block(uint64_t begin, uint64_t end, F&& f) {
    for (uint64_t at = begin; at < end;) {
      const uint64_t stop = std::min(end, (at | (kBlock - 1)) + 1);
      f(at / kChunk, at % kChunk / kBlock, at, stop);
      at = stop;
    }
  }
  const Chunk* chunk(uint64_t index) const { return index < chunks_.size() ? chunks_[index].get() : nullptr; }
  Chunk& make(uint64_t index);
  /// The bits of a block, filled as its count says.
  uint8_t* materialise(Chunk& chunk, uint64_t block);
  static void recount(Chunk& chunk, uint64_t block);

  bool undefined_at_first_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

template <typename F>
void UndefinedMap::each_undefined(F&& f) const {
  uint64_t begin = 0, end = 0;
  Tag tag = 0;
  const auto add = [&](uint64_t at, Tag of) {
    if (at == end && of == tag && begin != end) {
      ++end;
      return;
    }
    if (begin != end) f(begin, end, tag);
    begin = at, end = at + 1, tag = of;
  };
  for (uint64_t c = 0; c < chunks_.size(); ++c) {
    if (!chunks_[c]) continue;
    const Chunk& chunk = *chunks_[c];
    for (uint64_t block = 0; block < chunk.undefined.size(); ++block) {
      if (chunk.undefined[block] == 0) continue;
      const uint8_t* const bits = chunk.undefined[block] == kUniform ? nullptr : chunk.bits.get() + block * kBlock;
      for (uint64_t i = 0; i < kBlock; ++i)
        if (bits == nullptr || bits[i] != 0)
          add(c * kChunk + block * kBlock + i, chunk.tags[(block * kBlock + i) / kUnit]);
    }
  }
  if (begin != end) f(begin, end, tag);
}

}  // namespace ascsan::check
