// Kernel type, tiling key, tiling data and workspace: what a kernel says and asks at its top.
// Rules: spec/execution-model.md 2.1 (kernel types), launch-styles.md A (every tiling macro may be #undef-ed and
// defined anew by a test). Tiling data are constant and read as plain host memory (spec/execution-model.md 6.1). Left
// out: tiling data registered per tiling key (the struct given at the copy decides) and host-side registration.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ascendc/frame_request.h"
#include "ascendc/launch.h"
#include "ascendc/qualifiers.h"

/// Which cores a launch of blockDim = N starts: N AIV | N AIC | N AIV | N AIC | N AIC + N AIV | N AIC + 2N AIV.
enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_MAX
};

namespace AscendC {

/// Bytes of the system workspace at the head of the workspace GM on the device.
constexpr size_t RESERVED_WORKSPACE = size_t{16} * 1024 * 1024;

namespace detail {

inline void kernel_type(KernelMetaType type, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kKernelType, site);
  request.params.frame.mode = type;
  ascsan_gate(&request);
}

inline uint64_t tiling_key() {
  return core_info(Info::kTilingKey);
}

template <typename... Keys>
bool tiling_key_in(Keys... keys) {
  const uint64_t key = tiling_key();
  return ((key == static_cast<uint64_t>(keys)) || ...);
}

inline void trap(const char* message, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kTrap, site);
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(message);
  ascsan_gate(&request);
}

/// Copies `bytes` of tiling data; a null tiling pointer stops the core.
inline void copy_tiling(void* dst, const void* tiling, size_t offset, size_t bytes, const Site& site) {
  if (tiling == nullptr) {
    trap("the tiling pointer of this kernel is null: pass the tiling data as the last argument of the launch", site);
    std::memset(dst, 0, bytes);  // not reached in a kernel; the compiler cannot know
    return;
  }
  std::memcpy(dst, static_cast<const uint8_t*>(tiling) + offset, bytes);
}

}  // namespace detail

/// The system workspace of this launch (16 MB), provided by the launch.
inline __gm__ uint8_t* GetSysWorkSpacePtr() {
  return reinterpret_cast<__gm__ uint8_t*>(detail::core_info(Info::kSysWorkspace));
}
/// Names the system workspace, if none is set yet (direct launches).
inline void SetSysWorkspace(GM_ADDR workspace, Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSetWorkspace, site);
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(workspace);
  ascsan_gate(&request);
}
inline void SetSysWorkSpace(GM_ADDR workspace, Site site = ASCSAN_HERE) {
  SetSysWorkspace(workspace, site);
}
/// Names the system workspace in any case.
inline void SetSysWorkspaceForce(GM_ADDR workspace, Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kSetWorkspace, site);
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(workspace);
  request.params.frame.flag = 1;
  ascsan_gate(&request);
}
/// The part of `workspace` that belongs to the kernel. On the host the system part is separate memory, so it is all of
/// it.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  return workspace;
}

}  // namespace AscendC

/// Types for which no REGISTER_TILING_DEFAULT is in sight end here: the compiler then names this struct.
struct REGISTER_TILING_DEFAULT_is_missing;
using ascsan_tiling_default = REGISTER_TILING_DEFAULT_is_missing;

#ifndef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(type) ::AscendC::detail::kernel_type(type, ASCSAN_HERE)
#endif
#ifndef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, type)                                    \
  do {                                                                 \
    if (::AscendC::detail::tiling_key() == static_cast<uint64_t>(key)) \
      ::AscendC::detail::kernel_type(type, ASCSAN_HERE);               \
  } while (0)
#endif

#ifndef TILING_KEY_IS
#define TILING_KEY_IS(key) (::AscendC::detail::tiling_key() == static_cast<uint64_t>(key))
#endif
#ifndef TILING_KEY_LIST
#define TILING_KEY_LIST(...) (::AscendC::detail::tiling_key_in(__VA_ARGS__))
#endif
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR (::AscendC::detail::tiling_key())
#endif

#ifndef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(tiling_struct) using ascsan_tiling_default [[maybe_unused]] = tiling_struct
#endif
#ifndef REGISTER_TILING_FOR_TILINGKEY
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) static_assert(sizeof(tiling_struct) > 0)
#endif
#ifndef REGISTER_NONE_TILING
#define REGISTER_NONE_TILING static_assert(true)
#endif

#ifndef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
  tiling_struct tiling_data;                                                \
  ::AscendC::detail::copy_tiling(static_cast<void*>(&tiling_data), tiling_arg, 0, sizeof(tiling_struct), ASCSAN_HERE)
#endif
#ifndef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg)                                                                 \
  ascsan_tiling_default tiling_data;                                                                             \
  ::AscendC::detail::copy_tiling(static_cast<void*>(&tiling_data), tiling_arg, 0, sizeof(ascsan_tiling_default), \
                                 ASCSAN_HERE)
#endif
#ifndef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg)                                               \
  std::remove_reference_t<decltype(std::declval<tiling_struct&>().member)> var;                                      \
  ::AscendC::detail::copy_tiling(static_cast<void*>(&var), tiling_arg, offsetof(tiling_struct, member), sizeof(var), \
                                 ASCSAN_HERE)
#endif
#ifndef __tiling_data_ptr__
#define __tiling_data_ptr__ __gm__ const
#endif
#ifndef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, pointer, tiling_arg) \
  __tiling_data_ptr__ tiling_struct* pointer = reinterpret_cast<__tiling_data_ptr__ tiling_struct*>(tiling_arg)
#endif
#ifndef COPY_TILING_WITH_STRUCT
#define COPY_TILING_WITH_STRUCT(tiling_struct, src_pointer, dst_pointer)                         \
  tiling_struct ascsan_copy_##dst_pointer;                                                       \
  ::AscendC::detail::copy_tiling(static_cast<void*>(&ascsan_copy_##dst_pointer), src_pointer, 0, \
                                 sizeof(tiling_struct), ASCSAN_HERE);                            \
  const tiling_struct* dst_pointer = &ascsan_copy_##dst_pointer
#endif
