// TQueBind, TQue, TSCM and TBuf: thin handles on queues and buffers that live behind the gate.
// Rules: spec/execution-model.md 4.5 (states, events per call, which positions bind), spec/hb-rules.md R-10.
// Left out: buffer states, round robin, event ids and their waits: all decided by the machine. A default-constructed or
// copied object is only a number; using it before InitBuffer is reported there.
#pragma once

#include "ascendc/frame_request.h"
#include "ascendc/tensor.h"

namespace AscendC {

/// Properties a kernel may pass by address as `mask`. On dav-2201 they are promises about how the queue is used.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

namespace detail {

/// Where a queue at one TPosition comes from and goes to.
constexpr TPosition queue_source(TPosition position) {
  switch (position) {
    case TPosition::A2:
      return TPosition::A1;
    case TPosition::B2:
      return TPosition::B1;
    case TPosition::C2:
    case TPosition::C2PIPE2GM:
      return TPosition::C1;
    case TPosition::CO1:
    case TPosition::CO2:
    case TPosition::VECOUT:
    case TPosition::VECCALC:
      return position;
    default:
      return TPosition::GM;
  }
}
constexpr TPosition queue_destination(TPosition position) {
  switch (position) {
    case TPosition::CO1:
      return TPosition::CO2;
    case TPosition::CO2:
    case TPosition::VECOUT:
      return TPosition::GM;
    default:
      return position;
  }
}

/// The memory a queue's buffers are cut from: the on-chip end that is filled, or the only on-chip end.
constexpr TPosition buffer_position(TPosition src, TPosition dst) {
  if (src == TPosition::GM) return dst;
  if (dst == TPosition::GM || dst == TPosition::CO2) return src;
  const bool from_l1 = space_of(src) == ascsan::gate::Space::kL1;
  const bool to_l1 = space_of(dst) == ascsan::gate::Space::kL1;
  return from_l1 || to_l1 ? dst : src;
}

}  // namespace detail

/// Queue of buffers between two positions. `depth` = how many tensors may be enqueued; 0 selects the in-place forms.
/// Handle -1 = InitBuffer not called yet. Every call reports the user's place.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition srcPosition = src;
  static constexpr TPosition dstPosition = dst;
  static constexpr TPosition bufferPosition = detail::buffer_position(src, dst);
  static constexpr int32_t queueDepth = depth;
  static constexpr bool isTQue = true;

  /// Takes a free buffer; waits for its pending reverse event. The tensor covers the whole buffer.
  template <typename T>
  LocalTensor<T> AllocTensor(Site site = ASCSAN_HERE) {
    return LocalTensor<T>(take(ascsan::gate::Op::kQueueAlloc, site), bufferPosition);
  }
  template <typename T>
  void AllocTensor(LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
    tensor = AllocTensor<T>(site);
  }

  /// Marks the tensor as filled and sets the forward event. Legal on an allocated or dequeued tensor.
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
    return put(ascsan::gate::Op::kQueueEnque, tensor.operand(), site) != 0;
  }
  /// EnQue with the event of the path `from` -> `to` instead of the queue's own.
  template <TPosition from, TPosition to, typename T>
  bool EnQue(const LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
    ascsan::gate::Request request = on_path<from, to>(ascsan::gate::Op::kQueueEnque, site);
    detail::add_operand(request, tensor.operand());
    return ascsan_gate(&request) != 0;
  }

  /// Takes the oldest enqueued tensor and waits for its forward event.
  template <typename T>
  LocalTensor<T> DeQue(Site site = ASCSAN_HERE) {
    return LocalTensor<T>(take(ascsan::gate::Op::kQueueDeque, site), bufferPosition);
  }
  template <typename T>
  void DeQue(LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
    tensor = DeQue<T>(site);
  }
  template <TPosition from, TPosition to, typename T>
  LocalTensor<T> DeQue(Site site = ASCSAN_HERE) {
    ascsan::gate::Request request = on_path<from, to>(ascsan::gate::Op::kQueueDeque, site);
    request.operand_count = 1;
    ascsan_gate(&request);
    return LocalTensor<T>(request.operand[0], bufferPosition);
  }

  /// Returns the buffer and sets the reverse event on the consumer pipe.
  template <typename T>
  void FreeTensor(const LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
    put(ascsan::gate::Op::kQueueFree, tensor.operand(), site);
  }

  /// True while fewer than `depth` tensors are enqueued.
  bool VacantInQue(Site site = ASCSAN_HERE) { return query(0, site) != 0; }
  bool HasTensorInQue(Site site = ASCSAN_HERE) { return query(1, site) != 0; }
  int32_t GetTensorCountInQue(Site site = ASCSAN_HERE) { return static_cast<int32_t>(query(2, site)); }
  bool HasIdleBuffer(Site site = ASCSAN_HERE) { return query(3, site) != 0; }

  /// Waits for the pending free flags of all buffers of this queue.
  void FreeAllEvent(Site site = ASCSAN_HERE) { detail::handle_call(ascsan::gate::Op::kQueueFreeEvents, handle_, site); }

  int32_t ascsan_handle() const { return handle_; }
  void ascsan_bind(int32_t handle) { handle_ = handle; }

 private:
  template <TPosition from, TPosition to>
  ascsan::gate::Request on_path(ascsan::gate::Op op, const Site& site) const {
    ascsan::gate::Request request = detail::frame_request(op, site);
    request.params.frame.id = handle_;
    request.params.frame.flag = 1;
    request.params.frame.mode = static_cast<uint8_t>(from);
    request.params.frame.value[0] = static_cast<uint64_t>(to);
    return request;
  }
  ascsan::gate::Operand take(ascsan::gate::Op op, const Site& site) const {
    ascsan::gate::Request request = detail::frame_request(op, site);
    request.params.frame.id = handle_;
    request.operand_count = 1;
    ascsan_gate(&request);
    return request.operand[0];
  }
  uint64_t put(ascsan::gate::Op op, const ascsan::gate::Operand& operand, const Site& site) const {
    ascsan::gate::Request request = detail::frame_request(op, site);
    request.params.frame.id = handle_;
    detail::add_operand(request, operand);
    return ascsan_gate(&request);
  }
  uint64_t query(uint8_t mode, const Site& site) const {
    return detail::handle_call(ascsan::gate::Op::kQueueQuery, handle_, site, mode);
  }

  int32_t handle_ = -1;
};

/// Queue at one position; its other end follows from the position (VECIN: from GM; VECOUT: to GM; A2: from A1 ...).
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<detail::queue_source(position), detail::queue_destination(position), depth, mask> {};

/// Queue into L1 for matrix operands (position TSCM), filled from `position`.
template <TPosition position, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<position, TPosition::TSCM, depth, mask> {};

/// One buffer without states and events; Get returns the same bytes every time. Ordering is the user's.
template <TPosition position = TPosition::LCM>
class TBuf {
 public:
  static constexpr TPosition bufferPosition = position;
  static constexpr bool isTQue = false;

  /// Whole buffer as elements of T.
  template <typename T>
  LocalTensor<T> Get(Site site = ASCSAN_HERE) {
    return window<T>(0, 0, site);
  }
  /// First `elems` elements of T; `elems * sizeof(T)` must not exceed the buffer.
  template <typename T>
  LocalTensor<T> Get(uint32_t elems, Site site = ASCSAN_HERE) {
    return window<T>(elems, 0, site);
  }
  /// `elems` elements of T that start `offset_bytes` into the buffer.
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t elems, uint32_t offset_bytes, Site site = ASCSAN_HERE) {
    return window<T>(elems, offset_bytes, site);
  }
  uint32_t GetBufLen(Site site = ASCSAN_HERE) { return static_cast<uint32_t>(whole(0, 0, site).bytes); }

  int32_t ascsan_handle() const { return handle_; }
  void ascsan_bind(int32_t handle) { handle_ = handle; }

 private:
  ascsan::gate::Operand whole(uint64_t bytes, uint64_t offset_bytes, const Site& site) const {
    ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kBufferGet, site);
    request.params.frame.id = handle_;
    request.params.frame.value[0] = bytes;
    request.params.frame.value[1] = offset_bytes;
    request.operand_count = 1;
    ascsan_gate(&request);
    return request.operand[0];
  }
  template <typename T>
  LocalTensor<T> window(uint32_t elems, uint32_t offset_bytes, const Site& site) const {
    const uint64_t bytes = elements_to_bytes<T>(elems);
    ascsan::gate::Operand operand = whole(bytes, offset_bytes, site);
    operand.address += offset_bytes;
    if (bytes != 0) operand.bytes = bytes;
    return LocalTensor<T>(operand, position);
  }

  int32_t handle_ = -1;
};

}  // namespace AscendC
