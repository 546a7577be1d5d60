// Sort32 and MrgSort on structures of 8 bytes: score (float, or half and two reserved bytes), then a 32-bit index.
// Rules: spec/api-semantics.md 5: descending, equal scores keep their order, lists with lower number first; with
// suspension a merge stops when one list is used up. NaN scores count as larger than every number (not documented).
// Left out: what the reserved bytes of half structures hold; zeros are written.
#include <algorithm>
#include <numeric>

#include "isa/fp.h"
#include "isa/legal_vector.h"
#include "isa/vec_ops.h"

namespace ascsan::isa {
namespace {

using gate::DataType;
using gate::Op;

constexpr uint32_t kGroup = 32;
constexpr uint32_t kStructBytes = 8;

bool scores(DataType type) {
  return type == DataType::kHalf || type == DataType::kFloat;
}

/// Raw score to a value that orders as required.
float score_of(uint32_t bits, bool half) {
  const float value = half ? fp::from_half(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
  return value;
}
bool before(float a, float b) {
  return a != a ? b == b : a > b;
}

// ---- Sort32

void check_sort32(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  const uint32_t bytes = gate::bytes_of(request.operand[1].type);
  if (!check_operand(request, 0, 256, limits) || !check_operand(request, 1, kGroup * std::max(bytes, 1u), limits) ||
      !check_operand(request, 2, 128, limits)) {
    return;
  }
  if (!scores(request.operand[1].type) || request.operand[0].type != request.operand[1].type ||
      request.operand[2].type != DataType::kUint32) {
    limits.fatal("type", "the types ", types_text(request),
                 " do not exist for this instruction; scores are half or float, "
                 "indices uint32_t");
    return;
  }
  check_repeat8(request, limits);
  const uint64_t n = uint64_t{repeat8(request)} * kGroup;
  check_disjoint("the destination", request.operand[0].address, n * kStructBytes, "the scores",
                 request.operand[1].address, n * bytes, limits);
  check_disjoint("the destination", request.operand[0].address, n * kStructBytes, "the indices",
                 request.operand[2].address, n * 4, limits);
}

void footprint_sort32(const gate::Request& request, machine::Footprint& out) {
  const uint64_t n = uint64_t{repeat8(request)} * kGroup;
  const uint64_t bytes[] = {n * kStructBytes, n * gate::bytes_of(request.operand[1].type), n * 4};
  for (int i = 0; i < 3; ++i) {
    out.open(request.operand[i], i, i == 0 ? event::Role::kWrite : event::Role::kRead);
    out.add(request.operand[i].address, bytes[i]);
  }
}

void execute_sort32(const gate::Request& request, const machine::Memories& memories) {
  const bool half = request.operand[1].type == DataType::kHalf;
  const uint32_t bytes = half ? 2 : 4;
  for (uint32_t r = 0; r < repeat8(request); ++r) {
    uint32_t score[kGroup] = {}, index[kGroup], order[kGroup];
    float key[kGroup];
    for (uint32_t i = 0; i < kGroup; ++i) {
      std::memcpy(&score[i], memories.at(request.operand[1]) + uint64_t{r * kGroup + i} * bytes, bytes);
      key[i] = score_of(score[i], half);
    }
    std::memcpy(index, memories.at(request.operand[2]) + uint64_t{r} * sizeof(index), sizeof(index));
    std::iota(order, order + kGroup, 0u);
    std::stable_sort(order, order + kGroup, [&key](uint32_t a, uint32_t b) { return before(key[a], key[b]); });
    std::byte* out = memories.at(request.operand[0]) + uint64_t{r} * kGroup * kStructBytes;
    for (uint32_t i = 0; i < kGroup; ++i) {
      std::memcpy(out + i * kStructBytes, &score[order[i]], 4);
      std::memcpy(out + i * kStructBytes + 4, &index[order[i]], 4);
    }
  }
}

// ---- MrgSort

struct Merge {
  int lists;           ///< 2..4
  uint64_t length[4];  ///< structures per list
  uint32_t repeats;
  bool suspend;
  uint64_t total() const { return length[0] + length[1] + length[2] + length[3]; }
};

Merge merge_of(const gate::Request& request) {
  const gate::VectorParams& p = request.params.vector;
  Merge merge{};
  merge.lists = request.operand_count - 1;
  bool equal = true, adjacent = true;
  for (int i = 0; i < merge.lists; ++i) {
    merge.length[i] = p.extra[i];
    equal = equal && p.extra[i] == p.extra[0];
    adjacent = adjacent && request.operand[1 + i].address ==
                               request.operand[1].address + static_cast<uint64_t>(i) * p.extra[0] * kStructBytes;
  }
  merge.suspend = (p.flags & 1) != 0;
  // Repeats work only on four equal lists in a row without suspension (spec/api-semantics.md 5).
  const bool repeats = merge.lists == 4 && p.extra[4] == 15 && equal && adjacent && !merge.suspend;
  merge.repeats = repeats ? repeat8(request) : 1;
  return merge;
}

void check_merge(const gate::Request& request, machine::Violations& violations) {
  Limits limits(violations);
  for (int i = 0; i < request.operand_count; ++i) {
    if (!check_operand(request, i, i == 0 ? kBlockBytes : kStructBytes, limits)) return;
    if (!scores(request.operand[i].type)) {
      limits.fatal("type", "the type ", name_of(request.operand[i].type),
                   " does not exist for this instruction; scores are half or float");
      return;
    }
  }
  const gate::VectorParams& p = request.params.vector;
  if (p.extra[4] != 3 && p.extra[4] != 7 && p.extra[4] != 15) {
    limits.fatal("mode", "validBit is ", p.extra[4], "; 3, 7 and 15 (two, three, four lists) exist");
    return;
  }
  check_repeat8(request, limits);
  for (int i = 0; i + 1 < request.operand_count; ++i)
    if (!limits.pieces({p.extra[i]})) return;
  const Merge merge = merge_of(request);
  for (int i = 0; i < merge.lists; ++i) {
    if (p.extra[i] > 4095)
      limits.error("length", "list ", i + 1, " has ", p.extra[i], " structures, allowed is 0..4095");
  }
  if (p.repeat > 1 && merge.repeats == 1) {
    limits.error("repeat", "repeatTimes is ", p.repeat,
                 ", but more than one repeat needs four adjacent lists of equal length, "
                 "validBit 15 and no suspension; one repeat is done");
  }
  for (int i = 0; i < merge.lists; ++i) {
    check_disjoint("the destination", request.operand[0].address, merge.total() * merge.repeats * kStructBytes,
                   "a source list", request.operand[1 + i].address, merge.length[i] * kStructBytes, limits);
  }
}

void add_merge(const gate::Request& request, machine::Footprint& out, uint64_t written, const uint64_t* taken) {
  const Merge merge = merge_of(request);
  out.open(request.operand[0], 0, event::Role::kWrite);
  out.add(request.operand[0].address, written * kStructBytes);
  for (int i = 0; i < merge.lists; ++i) {
    out.open(request.operand[1 + i], 1 + i, event::Role::kRead);
    // With repeats the four lists are one run: the first list names all of it.
    if (merge.repeats > 1) {
      if (i == 0) out.add(request.operand[1].address, merge.total() * merge.repeats * kStructBytes);
    } else {
      out.add(request.operand[1 + i].address, taken[i] * kStructBytes);
    }
  }
}

void footprint_merge(const gate::Request& request, machine::Footprint& out) {
  const Merge merge = merge_of(request);
  add_merge(request, out, merge.total() * merge.repeats, merge.length);
}

/// Merges one repeat; `emit` gets the host address of each structure in order. Fills what was taken from each list.
template <typename F>
void merge_lists(const gate::Request& request, const machine::Memories& memories, uint32_t repeat, uint64_t taken[4],
                 F&& emit) {
  const Merge merge = merge_of(request);
  const bool half = request.operand[1].type == DataType::kHalf;
  const auto at = [&](int list) {
    return memories.at(request.operand[1 + list]) + (repeat * merge.total() + taken[list]) * kStructBytes;
  };
  const auto key = [&](int list) {
    uint32_t bits = 0;
    std::memcpy(&bits, at(list), half ? 2 : 4);
    return score_of(bits, half);
  };
  std::fill_n(taken, 4, 0);
  while (true) {
    int best = -1;
    bool exhausted = false;
    for (int i = 0; i < merge.lists; ++i) {
      if (taken[i] >= merge.length[i])
        exhausted = true;
      else if (best < 0 || before(key(i), key(best)))
        best = i;
    }
    if (best < 0 || (merge.suspend && exhausted)) return;
    emit(at(best));
    ++taken[best];
  }
}

void exact_merge(const gate::Request& request, const machine::Memories& memories, machine::Footprint& out) {
  if (!merge_of(request).suspend) return footprint_merge(request, out);
  // A suspended merge looks at the next structure of every list that still has one.
  uint64_t taken[4], looked[4], written = 0;
  merge_lists(request, memories, 0, taken, [&written](const std::byte*) { ++written; });
  const Merge merge = merge_of(request);
  bool started = true;
  for (int i = 0; i < merge.lists; ++i) started = started && merge.length[i] > 0;
  for (int i = 0; i < 4; ++i) looked[i] = started ? std::min(taken[i] + 1, merge.length[i]) : 0;
  add_merge(request, out, written, looked);
}

void execute_merge(const gate::Request& request, const machine::Memories& memories) {
  const Merge merge = merge_of(request);
  uint64_t taken[4] = {};
  for (uint32_t r = 0; r < merge.repeats; ++r) {
    std::vector<std::byte> merged;
    merged.reserve(merge.total() * kStructBytes);
    merge_lists(request, memories, r, taken,
                [&merged](const std::byte* from) { merged.insert(merged.end(), from, from + kStructBytes); });
    if (!merged.empty())
      std::memcpy(memories.at(request.operand[0]) + r * merge.total() * kStructBytes, merged.data(), merged.size());
  }
  for (int i = 0; i < 4; ++i) memories.results->merge_counts[static_cast<size_t>(i)] = taken[i];
}

}  // namespace

void add_sort_ops(machine::OpTable& table) {
  machine::OpInfo& sort = table[static_cast<size_t>(Op::kSort32)];
  sort.prepare = prepare_plain;
  sort.check = check_sort32;
  sort.footprint = footprint_sort32;
  sort.execute = execute_sort32;
  machine::OpInfo& merge = table[static_cast<size_t>(Op::kMrgSort)];
  merge.prepare = prepare_plain;
  merge.check = check_merge;
  merge.footprint = footprint_merge;
  merge.execute = execute_merge;
  merge.exact_footprint = exact_merge;
}

}  // namespace ascsan::isa
