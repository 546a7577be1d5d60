// Event records: what the machine tells its sinks. Plain data, in an order that linearises happens-before, so a sink
// may work online, from a file or in another thread. The machine knows event::Sink and nothing behind it.
// Semantics of the order-relevant fields: spec/hb-rules.md sections 1 and 8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ascendc/gate.h"

namespace ascsan::event {

enum class Role : uint8_t {
  kRead,
  kWrite,
  kUpdate,  ///< read-modify-write of the destination (rule E-4); counts as both
  kAtomic   ///< DMA store in atomic mode (rule E-1); op and type in Event
};
constexpr bool reads(Role role) {
  return role == Role::kRead || role == Role::kUpdate || role == Role::kAtomic;
}
constexpr bool writes(Role role) {
  return role != Role::kRead;
}

/// Half-open byte run of one memory. GM: host addresses. On chip: offsets.
struct Span {
  uint64_t begin = 0, end = 0;
};

struct Access {
  gate::Space space = gate::Space::kNone;
  Role role = Role::kRead;
  uint8_t operand = 0;  ///< index in the request
  gate::DataType type = gate::DataType::kNone;
  uint32_t buffer = 0;                      ///< TQue / TBuf buffer handle, 0 = none
  uint32_t first_span = 0, span_count = 0;  ///< into Event::spans
  uint64_t tensor_begin = 0, tensor_bytes = 0;
};

/// One row per kind; see the comment for which fields carry meaning beyond core, site and the issue point.
enum class Kind : uint8_t {
#define ASCSAN_EVENT(name, text) k##name,
#include "event/kinds.def"
#undef ASCSAN_EVENT
};
const char* name_of(Kind kind);

/// Cores are numbered AICs first, then AIVs: 0..aic-1, aic..aic+aiv-1.
using CoreId = uint16_t;
using SiteId = uint32_t;  ///< into SiteTable, 0 = unknown

struct Event {
  Kind kind{};
  gate::Pipe pipe = gate::Pipe::kS;   ///< pipe the event belongs to; for WaitFlag the pipe that waited
  gate::Pipe other = gate::Pipe::kS;  ///< SetFlag: destination pipe; WaitFlag: source pipe
  uint8_t mode = 0;                   ///< cross-core mode; barrier flavour; atomic op
  gate::Op op = gate::Op::kNop;
  CoreId core = 0;
  int16_t id = 0;  ///< event id, cross-core id
  gate::DataType atomic_type = gate::DataType::kNone;
  SiteId site = 0;
  /// Position of the instruction in its pipe, from 1. For sync events: number of instructions of `pipe` before it.
  uint32_t index = 0;
  /// Issue point: number of scalar events of this core issued before, and how many scalar joins (passed scalar waits,
  /// full barriers, cross-core waits) preceded. Order keeps one clock per join version.
  uint32_t scalar_index = 0, scalar_version = 0;
  /// Scalar joins only: no queued instruction of this core was issued at a version below this one any more.
  uint32_t oldest_version = 0;
  /// Scalar joins and scalar accesses (optional): with `oldest_version`, the earliest issue point still queued on this
  /// core. 0 on a scalar access = unknown; filling it keeps the order's memory flat in long loops without scalar joins.
  uint32_t oldest_index = 0;
  /// Program order over all pipes of the core: requests issued before, counted from 1. 0 = unknown; then the issue
  /// point, and last the order of events, decides which side of a conflict stands first in the program.
  uint32_t program_index = 0;
  /// SetFlag/WaitFlag: ordinal on its key. Cross-core: ordinal of the set per (core, id, mode) / release / wait per
  /// (core, id).
  uint32_t ordinal = 0;
  /// CrossRelease: members whose sets it joins and cores whose counter it raises (bit sets are in core lists).
  const CoreId* members = nullptr;
  const CoreId* targets = nullptr;
  uint16_t member_count = 0, target_count = 0;
  const Access* accesses = nullptr;
  const Span* spans = nullptr;
  uint32_t access_count = 0;
  const char* text = nullptr;  ///< Violation, Unchecked: message; TensorDefine, BufferDefine: name
  uint64_t value[2] = {0, 0};  ///< kind specific, see kinds.def
};

/// Maps user places to small ids. Equal file, line and function give equal ids whatever the pointers.
class SiteTable {
 public:
  SiteTable();
  SiteId intern(const gate::Site& site);
  const gate::Site& at(SiteId id) const { return sites_[id]; }
  size_t size() const { return sites_.size(); }

 private:
  struct Slot {
    const char* file = nullptr;
    const char* function = nullptr;
    uint32_t line = 0;
    SiteId id = 0;
  };
  SiteId find_or_add(const gate::Site& site);
  std::vector<Slot> cache_;
  std::vector<gate::Site> sites_;
};

}  // namespace ascsan::event
