// Synchronisation between cores: hardware counters, the two SyncAll forms, IBSet/IBWait and the ordered-block token.
// Rules: spec/execution-model.md 5.1-5.5, spec/hb-rules.md R-20..R-26.
// Left out: which kernel types may use them, counters, groups and workspace layouts: behind the gate. Left out
// entirely: mode 4 and the trigger/wait pipe forms of other chips.
#pragma once

#include "ascendc/sync.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {

inline void cross_set(uint8_t mode, pipe_t pipe, int32_t id, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kCrossCoreSetFlag, site);
  request.params.frame.src_pipe = static_cast<uint8_t>(gate_pipe(pipe));
  request.params.frame.mode = mode;
  request.params.frame.id = id;
  ascsan_gate(&request);
}

inline void cross_wait(int32_t id, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kCrossCoreWaitFlag, site);
  request.params.frame.id = id;
  ascsan_gate(&request);
}

/// Soft synchronisation on a GM and a UB workspace of 32-byte slots.
inline void workspace_sync(ascsan::gate::Op op, bool aiv_only, const ascsan::gate::Operand& gm,
                           const ascsan::gate::Operand& ub, int32_t id, int64_t value, const Site& site) {
  ascsan::gate::Request request = frame_request(op, site);
  request.params.frame.flag = aiv_only;
  request.params.frame.id = id;
  request.params.frame.value[0] = static_cast<uint64_t>(value);
  add_operand(request, gm);
  add_operand(request, ub);
  ascsan_gate(&request);
}

}  // namespace detail

/// Queued on `pipe` (not S, not ALL): once everything issued there before has completed, this core has set counter `id`
/// (0..15) of its group. mode 0: all AICs or all AIVs; 1: AIVs of one AI Core; 2: AIC <-> its AIVs.
template <uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(int32_t id, Site site = ASCSAN_HERE) {
  detail::cross_set(mode, pipe, id, site);
}

/// Stops the issue of everything later on this core until counter `id` is above 0, then takes 1 off. The template
/// arguments are ignored on A2/A3.
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(int32_t id, Site site = ASCSAN_HERE) {
  detail::cross_wait(id, site);
}

/// Older names of the mode 2 pair.
template <pipe_t pipe>
void NotifyEvent(int32_t id, Site site = ASCSAN_HERE) {
  detail::cross_set(2, pipe, id, site);
}
inline void WaitEvent(int32_t id, Site site = ASCSAN_HERE) {
  detail::cross_wait(id, site);
}

/// Full barrier by hardware counters: all AIVs (true), or all AICs and AIVs (false). Needs a MIX kernel type and
/// blockDim <= physical cores.
template <bool isAIVOnly = true>
void SyncAll(Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSyncAll, site);
  request.params.frame.flag = isAIVOnly;
  ascsan_gate(&request);
}

/// Full barrier of `usedCores` AIVs (0 = all) through counters in GM. `gm` and `ub`: at least 32 bytes per core; `gm`
/// zeroed before the first use. An AIC returns at once.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, int32_t usedCores = 0,
             Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kSyncAllSoft, isAIVOnly, gm.operand(), ub.operand(), 0, usedCores, site);
}

/// One-deep mailbox in slot (eventID, blockIdx) of `gm`: returns when the previous value was taken. AIV only.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, int32_t blockIdx, int32_t eventID,
           Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kIbSet, isAIVOnly, gm.operand(), ub.operand(), eventID, blockIdx, site);
}

/// Waits for, and takes, the value of the slot; the setter names the same blockIdx and eventID.
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, int32_t blockIdx, int32_t eventID,
            Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kIbWait, isAIVOnly, gm.operand(), ub.operand(), eventID, blockIdx, site);
}

/// Prepares the token of the ordered-block functions. `gm`: blockNum * 32 bytes; `ub`: blockNum * 32 + 32 bytes.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gm, LocalTensor<int32_t>& ub,
                                          Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kInitDetermine, true, gm.operand(), ub.operand(), 0, 0, site);
}
/// Returns after NotifyNextBlock of the block before, in the same round.
inline void WaitPreBlock(GlobalTensor<int32_t>& gm, LocalTensor<int32_t>& ub, Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kWaitPreBlock, true, gm.operand(), ub.operand(), 0, 0, site);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gm, LocalTensor<int32_t>& ub, Site site = ASCSAN_HERE) {
  detail::workspace_sync(ascsan::gate::Op::kNotifyNextBlock, true, gm.operand(), ub.operand(), 0, 0, site);
}

/// Address of the hardware message area: set by the launch, so nothing to do here.
inline void SetSyncBaseAddr(uint64_t) {}

}  // namespace AscendC

/// Intrinsic form: message = 1 + (mode & 3) << 4 + (id & 15) << 8 (spec/execution-model.md 5.1).
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t message, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::cross_set(static_cast<uint8_t>((message >> 4) & 3), pipe, static_cast<int32_t>((message >> 8) & 15),
                             site);
}
inline void wait_flag_dev(int32_t id, ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::cross_wait(id, site);
}
inline void set_ffts_base_addr(uint64_t) {}
