// Synchronisation inside one core: pipes, hardware events, flags and barriers, each as one request to the gate.
// Rules: spec/execution-model.md 4.1 (flags), 4.3 (pairs that do nothing on one core kind), 4.4 (barriers).
// Left out: which pairs, ids and barriers are legal on which core; the machine decides and reports.
#pragma once

#include <cstdint>

#include "ascendc/frame_request.h"

/// Pipes as kernels name them (global names, as with the device compiler). PIPE_ALL is a barrier selector, not a pipe.
enum pipe_t : uint8_t {
  PIPE_S = 0,
  PIPE_V = 1,
  PIPE_M = 2,
  PIPE_MTE1 = 3,
  PIPE_MTE2 = 4,
  PIPE_MTE3 = 5,
  PIPE_ALL = 6,
  PIPE_FIX = 10
};

/// Flag numbers of one (source, destination) pair; 0..7 exist, 6 and 7 are used by the compiler on AIV (spec 3.5).
enum event_t : int32_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

/// Memory class of the dsb intrinsic.
enum mem_dsb_t : uint8_t { DSB_ALL = 0, DSB_DDR = 1, DSB_UB = 2, DSB_SEQ = 3 };

namespace AscendC {

/// A flag number as returned by AllocEventID / FetchEventID; wide enough to carry a wrong one to the checker.
using TEventID = int32_t;
constexpr TEventID INVALID_TEVENTID = -1;

/// Every (source, destination) pair of dav-2201, in the order of its numeric values.
enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX
};

enum class MemDsbT : uint8_t { ALL = 0, DDR = 1, UB = 2, SEQ = 3 };

/// Source and destination pipe of a HardEvent.
struct EventPipes {
  ascsan::gate::Pipe src, dst;
};

constexpr EventPipes pipes_of(HardEvent event) {
  using P = ascsan::gate::Pipe;
  switch (event) {
    case HardEvent::MTE2_MTE1:
      return {P::kMte2, P::kMte1};
    case HardEvent::MTE1_MTE2:
      return {P::kMte1, P::kMte2};
    case HardEvent::MTE1_M:
      return {P::kMte1, P::kM};
    case HardEvent::M_MTE1:
      return {P::kM, P::kMte1};
    case HardEvent::MTE2_V:
      return {P::kMte2, P::kV};
    case HardEvent::V_MTE2:
      return {P::kV, P::kMte2};
    case HardEvent::MTE3_V:
      return {P::kMte3, P::kV};
    case HardEvent::V_MTE3:
      return {P::kV, P::kMte3};
    case HardEvent::M_V:
      return {P::kM, P::kV};
    case HardEvent::V_M:
      return {P::kV, P::kM};
    case HardEvent::V_V:
      return {P::kV, P::kV};
    case HardEvent::MTE3_MTE1:
      return {P::kMte3, P::kMte1};
    case HardEvent::MTE1_MTE3:
      return {P::kMte1, P::kMte3};
    case HardEvent::MTE1_V:
      return {P::kMte1, P::kV};
    case HardEvent::MTE2_M:
      return {P::kMte2, P::kM};
    case HardEvent::M_MTE2:
      return {P::kM, P::kMte2};
    case HardEvent::V_MTE1:
      return {P::kV, P::kMte1};
    case HardEvent::M_FIX:
      return {P::kM, P::kFix};
    case HardEvent::FIX_M:
      return {P::kFix, P::kM};
    case HardEvent::MTE3_MTE2:
      return {P::kMte3, P::kMte2};
    case HardEvent::MTE2_MTE3:
      return {P::kMte2, P::kMte3};
    case HardEvent::S_V:
      return {P::kS, P::kV};
    case HardEvent::V_S:
      return {P::kV, P::kS};
    case HardEvent::S_MTE2:
      return {P::kS, P::kMte2};
    case HardEvent::MTE2_S:
      return {P::kMte2, P::kS};
    case HardEvent::S_MTE3:
      return {P::kS, P::kMte3};
    case HardEvent::MTE3_S:
      return {P::kMte3, P::kS};
    case HardEvent::MTE2_FIX:
      return {P::kMte2, P::kFix};
    case HardEvent::FIX_MTE2:
      return {P::kFix, P::kMte2};
    case HardEvent::FIX_S:
      return {P::kFix, P::kS};
    case HardEvent::M_S:
      return {P::kM, P::kS};
    case HardEvent::FIX_MTE3:
      return {P::kFix, P::kMte3};
    case HardEvent::MTE1_FIX:
      return {P::kMte1, P::kFix};
    case HardEvent::FIX_MTE1:
      return {P::kFix, P::kMte1};
    case HardEvent::FIX_FIX:
      return {P::kFix, P::kFix};
    case HardEvent::MAX:
      break;
  }
  return {P::kAll, P::kAll};
}

constexpr ascsan::gate::Pipe gate_pipe(pipe_t pipe) {
  using P = ascsan::gate::Pipe;
  switch (pipe) {
    case PIPE_S:
      return P::kS;
    case PIPE_V:
      return P::kV;
    case PIPE_M:
      return P::kM;
    case PIPE_MTE1:
      return P::kMte1;
    case PIPE_MTE2:
      return P::kMte2;
    case PIPE_MTE3:
      return P::kMte3;
    case PIPE_FIX:
      return P::kFix;
    case PIPE_ALL:
      return P::kAll;
  }
  return P::kAll;
}

namespace detail {

inline uint64_t flag_call(ascsan::gate::Op op, EventPipes pipes, int32_t id, const Site& site) {
  ascsan::gate::Request request = frame_request(op, site);
  request.params.frame.src_pipe = static_cast<uint8_t>(pipes.src);
  request.params.frame.dst_pipe = static_cast<uint8_t>(pipes.dst);
  request.params.frame.id = id;
  return ascsan_gate(&request);
}

inline void barrier_call(pipe_t pipe, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kPipeBarrier, site);
  request.params.frame.src_pipe = static_cast<uint8_t>(gate_pipe(pipe));
  ascsan_gate(&request);
}

inline void dsb_call(uint8_t memory, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kDataSyncBarrier, site);
  request.params.frame.mode = memory;
  ascsan_gate(&request);
}

}  // namespace detail

/// Queued on the source pipe of `event`: sets flag `id` (0..7) once everything issued there before has completed.
template <HardEvent event>
void SetFlag(int32_t id, Site site = ASCSAN_HERE) {
  static_assert(event != HardEvent::MAX, "SetFlag: HardEvent::MAX is not an event");
  detail::flag_call(ascsan::gate::Op::kSetFlag, pipes_of(event), id, site);
}

/// Queued on the destination pipe of `event`: later instructions there start only after flag `id` is set; clears it
/// . A destination of PIPE_S stops the scalar program.
template <HardEvent event>
void WaitFlag(int32_t id, Site site = ASCSAN_HERE) {
  static_assert(event != HardEvent::MAX, "WaitFlag: HardEvent::MAX is not an event");
  detail::flag_call(ascsan::gate::Op::kWaitFlag, pipes_of(event), id, site);
}

/// Instructions of `pipe` issued later start after all earlier ones have completed; PIPE_ALL stops the scalar program
/// until every pipe of this core is idle. PIPE_S is an error on the device and is reported.
template <pipe_t pipe>
void PipeBarrier(Site site = ASCSAN_HERE) {
  detail::barrier_call(pipe, site);
}

/// Stops the scalar program until its earlier accesses to the selected memory have completed.
template <MemDsbT memory>
void DataSyncBarrier(Site site = ASCSAN_HERE) {
  detail::dsb_call(static_cast<uint8_t>(memory), site);
}

/// Set / wait on one fixed pair of pipes (spec/execution-model.md 4.5).
template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(int32_t id, Site site = ASCSAN_HERE) { call(ascsan::gate::Op::kSetFlag, id, site); }
  void WaitFlag(int32_t id, Site site = ASCSAN_HERE) { call(ascsan::gate::Op::kWaitFlag, id, site); }

 private:
  static void call(ascsan::gate::Op op, int32_t id, const Site& site) {
    static_assert(src != dst, "TQueSync needs two different pipes");
    detail::flag_call(op, {gate_pipe(src), gate_pipe(dst)}, id, site);
  }
};

}  // namespace AscendC

// The same operations as the compiler's intrinsics spell them.
inline void set_flag(pipe_t src, pipe_t dst, int32_t id, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::flag_call(ascsan::gate::Op::kSetFlag, {AscendC::gate_pipe(src), AscendC::gate_pipe(dst)}, id, site);
}
inline void wait_flag(pipe_t src, pipe_t dst, int32_t id, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::flag_call(ascsan::gate::Op::kWaitFlag, {AscendC::gate_pipe(src), AscendC::gate_pipe(dst)}, id, site);
}
inline void pipe_barrier(pipe_t pipe, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::barrier_call(pipe, site);
}
inline void dsb(mem_dsb_t memory, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::dsb_call(static_cast<uint8_t>(memory), site);
}
