// What a core may ask about the launch it runs in: the Info numbers of Op::kGetInfo, answered behind the gate.
// Rules: spec/execution-model.md 2.2 (indices), api-semantics.md 7. The host side of a launch is ascsan/launch_api.h.
#pragma once

#include "ascendc/frame_request.h"

namespace AscendC {

using Info = ascsan::gate::Info;

namespace detail {

inline uint64_t core_info(Info info, const Site& site = {}) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kGetInfo, site);
  request.params.frame.mode = static_cast<uint8_t>(info);
  return ascsan_gate(&request);
}

}  // namespace detail
}  // namespace AscendC
