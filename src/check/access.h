// One access of one instruction, as the shadow remembers it: who, where in program order, and what is needed to judge a
// conflict (spec/hb-rules.md 4 to 6). Records live as long as a shadow cell or a pair refers to them and are recycled,
// so their number follows the memory in use, not the length of the run.
#pragma once

#include <vector>

#include "order/clock.h"

namespace ascsan::check {

using AccessId = uint32_t;  ///< 0 = none

struct Access {
  order::Clock start;
  uint32_t refs = 0;
  uint32_t index = 0, program = 0;
  order::IssuePoint issue;
  event::SiteId site = 0;
  event::CoreId core = 0;
  gate::Op op = gate::Op::kNop;
  gate::Pipe pipe = gate::Pipe::kS;
  event::Role role = event::Role::kRead;
  gate::Space space = gate::Space::kNone;
  gate::DataType type = gate::DataType::kNone, atomic_type = gate::DataType::kNone;
  uint8_t atomic = 0;
  bool aiv = false;
  bool reads_too = false;        ///< a write whose instruction also reads what it writes (in-place operation)
  bool framework = false;        ///< by framework code
  bool fresh = false;            ///< a scalar load that came from memory, not from the data cache
  bool framework_range = false;  ///< in memory the framework owns (E-8)
  uint32_t buffer = 0;
  uint32_t m = 0, n = 0;        ///< Mmad (E-3)
  uint64_t tensor_begin = 0;    ///< base of the operand
  uint64_t begin = 0, end = 0;  ///< hull of the footprint
  uint64_t source = 0;          ///< MTE2: where the data came from

  bool writes() const { return event::writes(role); }
  bool reads() const { return event::reads(role) || reads_too; }
  bool same_instruction(const Access& other) const {
    return core == other.core && pipe == other.pipe && index == other.index;
  }
};

class AccessTable {
 public:
  Access& operator[](AccessId id) { return records_[id]; }
  const Access& operator[](AccessId id) const { return records_[id]; }
  AccessId take() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<AccessId>(records_.size() - 1);
    }
    const AccessId id = free_.back();
    free_.pop_back();
    return id;
  }
  void ref(AccessId id, uint32_t count) { records_[id].refs += count; }
  void unref(AccessId id, uint32_t count) {
    if ((records_[id].refs -= count) == 0) free_.push_back(id);
  }
  size_t in_use() const { return records_.size() - 1 - free_.size(); }
  size_t capacity() const { return records_.size(); }

 private:
  std::vector<Access> records_{1};
  std::vector<AccessId> free_;
};

}  // namespace ascsan::check
