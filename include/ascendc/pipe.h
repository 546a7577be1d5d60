// TPipe, TBufPool, LocalMemAllocator: who gives on-chip memory to queues and buffers, and who numbers the events.
// Rules: spec/execution-model.md 4.2 (event ids), 4.5 (TPipe, TBuf, pools), 1.2 (sizes); static tensors:
// api-semantics.md 7. Left out: addresses, limits (64 buffers, memory sizes) and event bitmaps: all behind the gate.
#pragma once

#include "ascendc/queue.h"
#include "ascendc/sync.h"
#include "ascendc/sys_var.h"

namespace AscendC {

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

template <TPosition position, uint32_t bufferIds>
class TBufPool;

namespace detail {

inline int32_t queue_init(int32_t parent, TPosition src, TPosition dst, uint64_t number, uint64_t bytes, int32_t depth,
                          const void* object, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kQueueInit, site);
  request.params.frame.id = parent;
  request.params.frame.mode = static_cast<uint8_t>(src);
  request.params.frame.flag = static_cast<uint8_t>(dst);
  request.params.frame.value[0] = number;
  request.params.frame.value[1] = bytes;
  request.params.frame.value[2] = static_cast<uint64_t>(depth);
  request.params.frame.value[3] = reinterpret_cast<uint64_t>(object);
  return static_cast<int32_t>(ascsan_gate(&request));
}

inline int32_t buffer_init(int32_t parent, TPosition position, uint64_t bytes, const void* object, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kBufferInit, site);
  request.params.frame.id = parent;
  request.params.frame.mode = static_cast<uint8_t>(position);
  request.params.frame.value[1] = bytes;
  request.params.frame.value[3] = reinterpret_cast<uint64_t>(object);
  return static_cast<int32_t>(ascsan_gate(&request));
}

inline int32_t pool_init(int32_t parent, TPosition position, uint64_t bytes, int32_t shared, const Site& site) {
  ascsan::gate::Request request = frame_request(ascsan::gate::Op::kPoolInit, site);
  request.params.frame.id = parent;
  request.params.frame.mode = static_cast<uint8_t>(position);
  request.params.frame.value[0] = static_cast<uint64_t>(shared);
  request.params.frame.value[1] = bytes;
  return static_cast<int32_t>(ascsan_gate(&request));
}

/// What TPipe and TBufPool have in common: buffers are cut from them.
class BufferParent {
 public:
  /// `number` buffers (1..64) of `bytes` each, rounded up to 32. False when the request was refused (and reported).
  template <class Queue>
  bool InitBuffer(Queue& queue, uint32_t number, uint32_t bytes, Site site = ASCSAN_HERE) {
    static_assert(Queue::isTQue, "InitBuffer(queue, number, bytes): a TBuf takes no number of buffers");
    queue.ascsan_bind(
        queue_init(handle_, Queue::srcPosition, Queue::dstPosition, number, bytes, Queue::queueDepth, &queue, site));
    return queue.ascsan_handle() > 0;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes, Site site = ASCSAN_HERE) {
    buffer.ascsan_bind(buffer_init(handle_, position, bytes, &buffer, site));
    return buffer.ascsan_handle() > 0;
  }
  /// Cuts a pool of `bytes` from this one.
  template <TPosition position, uint32_t ids>
  bool InitBufPool(TBufPool<position, ids>& pool, uint32_t bytes, Site site = ASCSAN_HERE) {
    pool.handle_ = pool_init(handle_, position, bytes, 0, site);
    return pool.handle_ > 0;
  }
  /// A pool on the same bytes as `shared`: both must not be in use at the same time.
  template <TPosition position, uint32_t ids, TPosition shared_position, uint32_t shared_ids>
  bool InitBufPool(TBufPool<position, ids>& pool, uint32_t bytes, TBufPool<shared_position, shared_ids>& shared,
                   Site site = ASCSAN_HERE) {
    pool.handle_ = pool_init(handle_, position, bytes, shared.handle_, site);
    return pool.handle_ > 0;
  }

 protected:
  int32_t handle_ = -1;
};

}  // namespace detail

/// Sub-allocator for manual reuse of UB or L1. Switching between pools that share bytes needs Reset and a user's own
/// synchronisation (spec/execution-model.md 4.5).
template <TPosition position, uint32_t bufferIds = 4>
class TBufPool : public detail::BufferParent {
 public:
  void Reset(Site site = ASCSAN_HERE) { detail::handle_call(ascsan::gate::Op::kPoolReset, handle_, site); }
};

/// Owner of on-chip memory and event ids of one core. One is alive at a time.
class TPipe : public detail::BufferParent {
 public:
  TPipe(Site site = ASCSAN_HERE) { Init(site); }
  ~TPipe() { Destroy(); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  /// Starts again after Destroy; without effect on a living pipe.
  void Init(Site site = ASCSAN_HERE) {
    if (alive_) return;
    site_ = site;
    ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kPipeInit, site);
    request.params.frame.value[0] = reinterpret_cast<uint64_t>(this);
    handle_ = static_cast<int32_t>(ascsan_gate(&request));
    alive_ = true;
  }
  /// Waits for pending free flags, drops all buffers and event ids; addresses restart at 0. No PIPE_ALL.
  void Reset(Site site = ASCSAN_HERE) { detail::handle_call(ascsan::gate::Op::kPipeReset, handle_, site); }
  /// Waits for pending free flags, then PIPE_ALL. The destructor does it unless it was done before.
  void Destroy(Site site = ASCSAN_HERE) { finish(site); }

  /// Lowest free id of the event, busy until ReleaseEventID.
  template <HardEvent event>
  TEventID AllocEventID(Site site = ASCSAN_HERE) {
    return event_call(ascsan::gate::Op::kEventAlloc, event, 0, site);
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id, Site site = ASCSAN_HERE) {
    event_call(ascsan::gate::Op::kEventRelease, event, id, site);
  }
  /// Lowest free id of the event without taking it: set and wait must follow at once.
  template <HardEvent event>
  TEventID FetchEventID(Site site = ASCSAN_HERE) {
    return event_call(ascsan::gate::Op::kEventFetch, event, 0, site);
  }
  TEventID FetchEventID(HardEvent event, Site site = ASCSAN_HERE) {
    return event_call(ascsan::gate::Op::kEventFetch, event, 0, site);
  }

  /// Start of the memory behind a position: 0 on this chip.
  uint64_t GetBaseAddr(int8_t) { return 0; }
  /// Static tensor of `elems` elements at byte `address` of the memory behind `position`.
  template <TPosition position, typename T>
  LocalTensor<T> GetAbsAddr(int32_t address, int32_t elems) const {
    return LocalTensor<T>(position, static_cast<uint32_t>(address), static_cast<uint32_t>(elems));
  }

 private:
  void finish(const Site& site) {
    if (!alive_) return;
    alive_ = false;
    detail::handle_call(ascsan::gate::Op::kPipeDestroy, handle_, site);
  }
  static TEventID event_call(ascsan::gate::Op op, HardEvent event, TEventID id, const Site& site) {
    return static_cast<TEventID>(detail::flag_call(op, pipes_of(event), id, site));
  }

  bool alive_ = false;
  Site site_;
};

/// The living TPipe of this core, nullptr before one was constructed.
inline TPipe* GetTPipePtr() {
  return reinterpret_cast<TPipe*>(detail::core_info(Info::kPipeObject));
}

/// The on-chip bytes behind `position` that no buffer was cut from. False when nothing is left.
template <typename T, TPosition position>
bool PopStackBuffer(LocalTensor<T>& tensor, Site site = ASCSAN_HERE) {
  ascsan::gate::Request request = detail::frame_request(ascsan::gate::Op::kStackBuffer, site);
  request.params.frame.mode = static_cast<uint8_t>(position);
  request.operand_count = 1;
  ascsan_gate(&request);
  tensor = LocalTensor<T>(request.operand[0], position);
  return request.operand[0].bytes != 0;
}

/// Static tensor programming: hands out ascending byte offsets of one memory. No queue, no state, all ordering by hand.
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
 public:
  template <TPosition position, typename T, uint32_t elems>
  LocalTensor<T> Alloc() {
    return take<T>(position, elems);
  }
  template <typename T, uint32_t elems>
  LocalTensor<T> Alloc() {
    return take<T>(default_position(), elems);
  }
  template <TPosition position, typename T>
  LocalTensor<T> Alloc(uint32_t elems) {
    return take<T>(position, elems);
  }
  template <typename T>
  LocalTensor<T> Alloc(uint32_t elems) {
    return take<T>(default_position(), elems);
  }
  /// Byte offset the next tensor starts at.
  uint32_t GetCurAddr() const { return address_; }

 private:
  static constexpr TPosition default_position() {
    switch (hardware) {
      case Hardware::L1:
        return TPosition::A1;
      case Hardware::L0A:
        return TPosition::A2;
      case Hardware::L0B:
        return TPosition::B2;
      case Hardware::L0C:
        return TPosition::CO1;
      case Hardware::BIAS:
        return TPosition::C2;
      case Hardware::FIXBUF:
        return TPosition::C2PIPE2GM;
      default:
        return TPosition::VECCALC;
    }
  }
  template <typename T>
  LocalTensor<T> take(TPosition position, uint32_t elems) {
    LocalTensor<T> tensor(position, address_, elems);
    address_ += static_cast<uint32_t>(elements_to_bytes<T>(elems));
    return tensor;
  }

  uint32_t address_ = 0;
};

}  // namespace AscendC
