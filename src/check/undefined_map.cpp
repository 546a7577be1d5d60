#include "check/undefined_map.h"

#include <algorithm>

namespace ascsan::check {
namespace {
bool any_set(const uint8_t* bits, size_t count) {
  uint64_t word = 0, seen = 0;
  for (; count >= 8; bits += 8, count -= 8) {
    std::memcpy(&word, bits, 8);
    seen |= word;
  }
  for (; count > 0; --count) seen |= *bits++;
  return seen != 0;
}
}  // namespace

bool UndefinedMap::any(uint64_t begin, uint64_t end) const {
  for (uint64_t at = begin; at < end;) {
    const Chunk* const in = chunk(at / kChunk);
    if (in == nullptr) {
      if (undefined_at_first_) return true;
      at = (at / kChunk + 1) * kChunk;
      continue;
    }
    const uint64_t stop = std::min(end, (at | (kBlock - 1)) + 1);
    const uint16_t count = in->undefined[at % kChunk / kBlock];
    if (count == kUniform || (count != 0 && any_set(in->bits.get() + at % kChunk, stop - at))) return true;
    at = stop;
  }
  return false;
}

UndefinedMap::Chunk& UndefinedMap::make(uint64_t index) {
  if (index >= chunks_.size()) chunks_.resize(index + 1);
  if (!chunks_[index]) {
    chunks_[index] = std::make_unique<Chunk>();
    if (undefined_at_first_) chunks_[index]->undefined.fill(kUniform);
  }
  return *chunks_[index];
}

uint8_t* UndefinedMap::materialise(Chunk& chunk, uint64_t block) {
  if (!chunk.bits) chunk.bits = std::make_unique_for_overwrite<uint8_t[]>(kChunk);
  uint8_t* const bits = chunk.bits.get() + block * kBlock;
  if (chunk.undefined[block] == 0) std::memset(bits, 0, kBlock);
  if (chunk.undefined[block] == kUniform) std::memset(bits, 0xFF, kBlock);
  return bits;
}

void UndefinedMap::recount(Chunk& chunk, uint64_t block) {
  const uint8_t* const bits = chunk.bits.get() + block * kBlock;
  chunk.undefined[block] = static_cast<uint16_t>(kBlock - static_cast<uint64_t>(std::count(bits, bits + kBlock, 0)));
}

void UndefinedMap::define(uint64_t begin, uint64_t end) {
  each_block(begin, end, [&](uint64_t index, uint64_t block, uint64_t from, uint64_t to) {
    if (chunk(index) == nullptr && !undefined_at_first_) return;
    Chunk& in = make(index);
    if (in.undefined[block] == 0) return;
    if (to - from == kBlock) {
      in.undefined[block] = 0;
      return;
    }
    uint8_t* const bits = materialise(in, block);
    std::memset(bits + from % kBlock, 0, to - from);
    recount(in, block);
  });
}

void UndefinedMap::undefine(uint64_t begin, uint64_t end) {
  each_block(begin, end, [&](uint64_t index, uint64_t block, uint64_t from, uint64_t to) {
    Chunk& in = make(index);
    for (uint64_t at = from / kUnit * kUnit; at < to; at += kUnit) in.tags[at % kChunk / kUnit] = 0;
    if (to - from == kBlock) {
      in.undefined[block] = kUniform;
      return;
    }
    uint8_t* const bits = materialise(in, block);
    std::memset(bits + from % kBlock, 0xFF, to - from);
    recount(in, block);
  });
}

void UndefinedMap::read(uint64_t begin, uint64_t end, uint8_t* bits) const {
  each_block(begin, end, [&](uint64_t index, uint64_t block, uint64_t from, uint64_t to) {
    const Chunk* const in = chunk(index);
    const uint16_t count = in == nullptr ? (undefined_at_first_ ? kUniform : uint16_t{0}) : in->undefined[block];
    uint8_t* const out = bits + (from - begin);
    if (count == 0)
      std::memset(out, 0, to - from);
    else if (count == kUniform)
      std::memset(out, 0xFF, to - from);
    else
      std::memcpy(out, in->bits.get() + from % kChunk, to - from);
  });
}

void UndefinedMap::write(uint64_t begin, uint64_t end, const uint8_t* bits, Tag tag) {
  each_block(begin, end, [&](uint64_t index, uint64_t block, uint64_t from, uint64_t to) {
    const uint8_t* const source = bits + (from - begin);
    if (!any_set(source, to - from)) return define(from, to);
    Chunk& in = make(index);
    uint8_t* const kept = materialise(in, block);
    std::memcpy(kept + from % kBlock, source, to - from);
    recount(in, block);
    for (uint64_t at = from; at < to; ++at)
      if (source[at - from] != 0) in.tags[at % kChunk / kUnit] = tag;
  });
}

UndefinedMap::Tag UndefinedMap::tag_at(uint64_t address) const {
  const Chunk* const in = chunk(address / kChunk);
  return in == nullptr ? 0 : in->tags[address % kChunk / kUnit];
}

size_t UndefinedMap::bytes() const {
  size_t total = chunks_.capacity() * sizeof(chunks_[0]);
  for (const auto& in : chunks_)
    if (in) total += sizeof(Chunk) + (in->bits ? kChunk : 0);
  return total;
}

}  // namespace ascsan::check
