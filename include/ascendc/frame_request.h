// Helpers that build the plain requests of ops_frame.def; shared by sync.h, queue.h, pipe.h, cross_core.h and scalar.h.
// Policy stays behind the gate (design/architecture.md decision 2): nothing here looks at a value.
#pragma once

#include "ascendc/gate.h"

namespace AscendC {

using ascsan::gate::Site;

namespace detail {

/// A request without operands. Fields of params.frame that the operation does not list stay 0.
inline ascsan::gate::Request frame_request(ascsan::gate::Op op, const Site& site) {
  ascsan::gate::Request request;
  request.op = op;
  request.params.frame = ascsan::gate::FrameParams{};
  request.site = site;
  return request;
}

inline void add_operand(ascsan::gate::Request& request, const ascsan::gate::Operand& operand) {
  request.operand[request.operand_count++] = operand;
}

/// Operation with nothing but an operation code.
inline uint64_t frame_call(ascsan::gate::Op op, const Site& site) {
  ascsan::gate::Request request = frame_request(op, site);
  return ascsan_gate(&request);
}

/// Operation on a handle (queue, buffer, pipe, pool).
inline uint64_t handle_call(ascsan::gate::Op op, int32_t handle, const Site& site, uint8_t mode = 0) {
  ascsan::gate::Request request = frame_request(op, site);
  request.params.frame.id = handle;
  request.params.frame.mode = mode;
  return ascsan_gate(&request);
}

/// Names an API that has no model: the verdict of the run becomes incomplete.
inline void unsupported(const char* api, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kUnsupported, site);
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(api);
  ascsan_gate(&request);
}

}  // namespace detail
}  // namespace AscendC
