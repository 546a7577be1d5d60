// System variables: who am I, how many are we, which kind of core is this.
// Rules: spec/execution-model.md 2.1 and 2.2. Every name asks the gate, because all cores share one host thread; the
// names that are plain variables on the device (g_coreType, block_idx) are objects that ask when they are read.
// Left out: program counter and architecture registers.
#pragma once

#include <cstdint>

#include "ascendc/launch.h"

namespace AscendC {

/// Values of g_coreType. MIX is never seen by a running core.
constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

namespace detail {

/// Reads like a variable of type `Value`; the answer belongs to the core that is running.
template <Info info, typename Value>
struct CoreVariable {
  operator Value() const { return static_cast<Value>(core_info(info)); }
};

struct CoreTypeVariable {
  operator int32_t() const {
    return core_info(Info::kCoreKind) == static_cast<uint64_t>(ascsan::gate::CoreKind::kAic) ? AIC : AIV;
  }
};

}  // namespace detail

inline int64_t GetBlockIdx() {
  return static_cast<int64_t>(detail::core_info(Info::kBlockIdx));
}
inline int64_t GetBlockNum() {
  return static_cast<int64_t>(detail::core_info(Info::kBlockNum));
}
inline int64_t GetSubBlockIdx() {
  return static_cast<int64_t>(detail::core_info(Info::kSubBlockIdx));
}
inline int64_t GetSubBlockNum() {
  return static_cast<int64_t>(detail::core_info(Info::kSubBlockNum));
}
/// Ratio of the running core kind to AI Cores; both spellings exist.
inline int64_t GetTaskRation() {
  return static_cast<int64_t>(detail::core_info(Info::kTaskRatio));
}
inline int64_t GetTaskRatio() {
  return GetTaskRation();
}
/// 50 MHz counter of the emulated chip: the same in every run.
inline int64_t GetSystemCycle(Site site = ASCSAN_HERE) {
  return static_cast<int64_t>(detail::core_info(Info::kSystemCycle, site));
}
/// Bytes of one data block.
constexpr int16_t GetDataBlockSizeInBytes() {
  return 32;
}

}  // namespace AscendC

inline constexpr AscendC::detail::CoreTypeVariable g_coreType{};
inline constexpr AscendC::detail::CoreVariable<AscendC::Info::kBlockIdx, int64_t> block_idx{};
inline constexpr AscendC::detail::CoreVariable<AscendC::Info::kBlockNum, int64_t> block_num{};

namespace AscendC {
using ::g_coreType;
}

inline int64_t get_block_idx() {
  return block_idx;
}
inline int64_t get_block_num() {
  return block_num;
}
inline int64_t get_subblockid() {
  return AscendC::GetSubBlockIdx();
}
inline int64_t get_subblockdim() {
  return AscendC::GetSubBlockNum();
}

// Usable as `if ASCEND_IS_AIC {` and as `if (ASCEND_IS_AIC)`.
#define ASCEND_IS_AIC (::g_coreType == ::AscendC::AIC)
#define ASCEND_IS_AIV (::g_coreType == ::AscendC::AIV)
#define ASCEND_IS_NOT_AIC (::g_coreType != ::AscendC::AIC)
#define ASCEND_IS_NOT_AIV (::g_coreType != ::AscendC::AIV)
