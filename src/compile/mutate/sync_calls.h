// What a call orders: which of the synchronising calls of the API it is, with its event and id as they are written.
#pragma once

#include <string>
#include <vector>

#include "compile/mutate/source.h"

namespace ascsan::compile {

struct SyncCall {
  enum class Kind : uint8_t {
    kNone,
    kSetFlag,
    kWaitFlag,
    kPipeBarrier,
    kAllCores,
    kCrossSet,
    kCrossWait,
    kSoftSet,
    kSoftWait,
    kCache
  };
  Kind kind = Kind::kNone;
  size_t statement = 0;
  std::string event;  ///< "MTE2_V" of flags, "PIPE_V" of barriers, mode and pipe of cross-core sets
  std::string id;     ///< of flags and cross-core flags, as written
  bool sets() const { return kind == Kind::kSetFlag || kind == Kind::kCrossSet || kind == Kind::kSoftSet; }
  bool waits() const { return kind == Kind::kWaitFlag || kind == Kind::kCrossWait || kind == Kind::kSoftWait; }
};

/// kNone for a statement that orders nothing. Queues are no calls of this kind: they order by what they hand over.
SyncCall sync_call(const Source& source, size_t statement);
std::vector<SyncCall> sync_calls(const Source& source);

/// "MTE2 -> V" of "MTE2_V", "V -> V" of "PIPE_V".
std::string link_of(const SyncCall& call);

struct FlagPair {
  SyncCall set, wait;
};
/// Sets with the next wait for the same event and id in their block; and what is left over.
std::vector<FlagPair> flag_pairs(const std::vector<SyncCall>& calls, const Source& source, std::vector<SyncCall>& rest);

}  // namespace ascsan::compile
