// Debug output and assertions inside kernels: printf, DumpTensor, assert and Trap.
// Rules: spec/api-semantics.md 7. A dump prints the drained value but orders nothing (on the device it does, which
// hides bugs). Left out: the 1 MB per core limit of device output.
#pragma once

#include <cassert>

#include "ascendc/kernel_macros.h"
#include "ascendc/print_format.h"
#include "ascendc/tensor.h"

namespace AscendC {

/// Shape of a dumped tensor; only for the printed layout.
struct ShapeInfo {
  static constexpr uint32_t kMaxDim = 8;
  ShapeInfo() = default;
  ShapeInfo(uint8_t dim, const uint32_t* sizes) : shapeDim(dim), originalShapeDim(dim) {
    for (uint8_t i = 0; i < dim && i < kMaxDim; ++i) shape[i] = originalShape[i] = sizes[i];
  }
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[kMaxDim] = {};
  uint32_t originalShape[kMaxDim] = {};
};

namespace detail {

inline void print_text(const std::string& text, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kPrint, site);
  request.params.frame.value[0] = reinterpret_cast<uint64_t>(text.c_str());
  ascsan_gate(&request);
}

template <typename... Args>
std::string formatted(const char* format, const Args&... args) {
  const PrintArgument list[sizeof...(Args) + 1] = {print_argument(args)...};
  return format_text(format, list, sizeof...(Args));
}

inline void dump(const ascsan::gate::Operand& operand, uint32_t desc, uint32_t elems, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kDumpTensor, site);
  request.params.frame.value[0] = desc;
  request.params.frame.value[1] = elems;
  add_operand(request, operand);
  ascsan_gate(&request);
}

inline void assert_failed(const char* expression, const Site& site, const std::string& message = {}) {
  const std::string text = std::string("assertion failed: ") + expression + (message.empty() ? "" : ": ") + message;
  trap(text.c_str(), site);
}
template <typename... Args>
void assert_failed_with(const char* expression, const Site& site, const char* format, const Args&... args) {
  assert_failed(expression, site, formatted(format, args...));
}
inline void assert_failed_with(const char* expression, const Site& site) {
  assert_failed(expression, site);
}

}  // namespace detail

/// Prints one line from this core; the place recorded is this header, because a variadic function has no default
/// argument.
template <typename... Args>
void printf(__gm__ const char* format, const Args&... args) {
  detail::print_text(detail::formatted(format, args...), ASCSAN_HERE);
}
template <typename... Args>
void PRINTF(__gm__ const char* format, const Args&... args) {
  detail::print_text(detail::formatted(format, args...), ASCSAN_HERE);
}

/// Prints the first `elems` elements of the tensor with the label `desc`, after the pending writes to it.
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t elems, Site site = ASCSAN_HERE) {
  detail::dump(tensor.operand(), desc, elems, site);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t elems, Site site = ASCSAN_HERE) {
  detail::dump(tensor.operand(), desc, elems, site);
}
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t elems, const ShapeInfo&,
                Site site = ASCSAN_HERE) {
  detail::dump(tensor.operand(), desc, elems, site);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t elems, const ShapeInfo&,
                Site site = ASCSAN_HERE) {
  detail::dump(tensor.operand(), desc, elems, site);
}

/// Performance marker: no effect here.
inline void PrintTimeStamp(uint32_t) {}

/// Stops this core with an exception; the launch ends with a finding.
inline void Trap(Site site = ASCSAN_HERE) {
  detail::trap("Trap() called", site);
}

}  // namespace AscendC

inline void trap(ascsan::gate::Site site = ASCSAN_HERE) {
  AscendC::detail::trap("trap() called", site);
}

// assert(expression) and assert(expression, format, ...): false prints the text and stops the core. The C macro would
// end the whole program without a report, so it is replaced; a later <cassert> restores it for host code.
#define ASCSAN_ASSERT(expression, ...)                                                                 \
  do {                                                                                                 \
    if (!(expression)) ::AscendC::detail::assert_failed_with(#expression, ASCSAN_HERE, ##__VA_ARGS__); \
  } while (0)
#ifndef ascendc_assert
#define ascendc_assert(...) ASCSAN_ASSERT(__VA_ARGS__)
#endif
#undef assert
#define assert(...) ASCSAN_ASSERT(__VA_ARGS__)
#ifndef ASSERT
#define ASSERT(...) ASCSAN_ASSERT(__VA_ARGS__)
#endif
#ifndef KERNEL_LOG
#define KERNEL_LOG(level, ...) ::AscendC::PRINTF(__VA_ARGS__)
#endif
/// ASCENDC_ASSERT(condition, { statements }): runs the statements, then stops the core.
#ifndef ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, ...)                           \
  do {                                                           \
    if (!(condition)) {                                          \
      __VA_ARGS__;                                               \
      ::AscendC::detail::assert_failed(#condition, ASCSAN_HERE); \
    }                                                            \
  } while (0)
#endif
