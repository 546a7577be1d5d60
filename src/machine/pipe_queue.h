// One pipe of one core: a FIFO of instructions, flags and barriers that have been issued and not completed
// (spec/execution-model.md 3.3). Entries are recycled, so a running kernel does not allocate.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "machine/instruction.h"

namespace ascsan::machine {

struct Entry {
  enum class Kind : uint8_t { kInstruction, kSetFlag, kWaitFlag, kBarrier, kCrossSet };
  Kind kind = Kind::kInstruction;
  gate::Pipe other = gate::Pipe::kS;  ///< other end of a flag
  uint8_t mode = 0;                   ///< cross-core mode
  int16_t id = 0;                     ///< event id, cross-core id
  gate::Op op = gate::Op::kNop;       ///< the call that issued it
  event::SiteId site = 0;
  uint32_t index = 0;  ///< position of the instruction; for the rest: instructions before it
  uint32_t scalar_index = 0, scalar_version = 0, program_index = 0;
  const OpInfo* info = nullptr;
  bool executable = true;
  uint8_t unit_flag = 0;  ///< Mmad, Fixpipe: 2 or 3 (unit_flag.h)
  gate::Request request;  ///< kInstruction only
  Footprint footprint;    ///< kInstruction only
};

/// Entries of all pipes of a machine, kept for reuse.
class EntryPool {
 public:
  Entry* take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Entry>());
      return all_.back().get();
    }
    Entry* entry = free_.back();
    free_.pop_back();
    return entry;
  }
  void give_back(Entry* entry) { free_.push_back(entry); }

 private:
  std::vector<std::unique_ptr<Entry>> all_;
  std::vector<Entry*> free_;
};

/// FIFO with access to the first few entries, for transfers that finish out of order.
class PipeQueue {
 public:
  /// Transfers looked at for completion out of order; hardware queues are 16 to 32 deep.
  static constexpr uint32_t kMaxWindow = 8;

  bool empty() const { return head_ == entries_.size(); }
  size_t size() const { return entries_.size() - head_; }
  Entry* front() const { return entries_[head_]; }
  Entry* at(size_t slot) const { return entries_[head_ + slot]; }
  void push(Entry* entry) { entries_.push_back(entry); }
  /// Removes the entry at `slot`; the ones before it move one place back.
  Entry* pop(size_t slot) {
    Entry* entry = entries_[head_ + slot];
    for (size_t i = head_ + slot; i > head_; --i) entries_[i] = entries_[i - 1];
    ++head_;
    if (head_ == entries_.size()) {
      entries_.clear();
      head_ = 0;
    } else if (head_ >= 64 && head_ * 2 >= entries_.size()) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(head_));
      head_ = 0;
    }
    return entry;
  }
  /// Leading data instructions without a flag or barrier between them, at most kMaxWindow, at least 1.
  uint32_t window() const {
    uint32_t count = 0;
    for (size_t i = head_; i < entries_.size() && count < kMaxWindow; ++i, ++count)
      if (entries_[i]->kind != Entry::Kind::kInstruction || entries_[i]->unit_flag != 0) break;
    return count == 0 ? 1 : count;
  }

  uint32_t issued = 0;  ///< instructions issued so far: index of the newest

 private:
  std::vector<Entry*> entries_;
  size_t head_ = 0;
};

}  // namespace ascsan::machine
