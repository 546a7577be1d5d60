// Classes of faults of use (spec/bug-classes.md 4): queue misuse, event ids and pairing, data cache of scalar accesses,
// overrun of cross-core counters. Each minimal fault with the form that repairs it.
#include "litmus.h"

namespace litmus {

// ascsan: kernel=class_queue_freed_to_other cores=1 type=aiv class="queue misuse" expect=ASC4203 first=@free
LITMUS(class_queue_freed_to_other, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in, other;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(other, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, x, 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  other.FreeTensor(a);  // @free
}

// ascsan: kernel=class_queue_freed_twice cores=1 type=aiv class="queue misuse" expect=ASC4202 first=@again
LITMUS(class_queue_freed_twice, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, x, 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  in.FreeTensor(a);
  in.FreeTensor(a);  // @again
}

// ascsan: kernel=class_queue_freed_once cores=1 type=aiv expect=clean class="queue misuse"
LITMUS(class_queue_freed_once, aiv, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in, other;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(other, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, x, 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  in.FreeTensor(a);
}

// ascsan: kernel=class_flag_set_twice cores=1 type=aiv class="event id reuse and pairing" expect=ASC4102 first=@again
LITMUS(class_flag_set_twice, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);
  DataCopy(ub(256), y, 64);
  SetFlag<HardEvent::MTE2_V>(0);  // @again
  WaitFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
}

// ascsan: kernel=class_flag_left_set cores=1 type=aiv class="event id reuse and pairing" expect=ASC4103 first=@set
LITMUS(class_flag_left_set, aiv, 1) {
  DataCopy(ub(0), x, 64);
  SetFlag<HardEvent::MTE2_V>(0);  // @set
}

// Two cores store one word each into the same 64-byte line.
// ascsan: kernel=class_dcache_false_sharing cores=2 type=aiv class="dcache coherence" expect=ASC6103 first=@store
LITMUS(class_dcache_false_sharing, aiv, 2) {
  w.SetValue(GetBlockIdx(), 7);  // @store
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(w);
}

// ascsan: kernel=class_dcache_own_line cores=2 type=aiv expect=clean class="dcache coherence"
LITMUS(class_dcache_own_line, aiv, 2) {
  w.SetValue(GetBlockIdx() * 16, 7);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(w[GetBlockIdx() * 16]);
}

// The line was loaded before the store: GetValue sees the old value.
// ascsan: kernel=class_dcache_stale cores=1 type=aiv class="dcache coherence" expect=ASC6101 first=@get
LITMUS(class_dcache_stale, aiv, 1) {
  prepare();
  const int32_t before = w.GetValue(0);
  DataCopy(w, ub<int32_t>(0), 8);
  SetFlag<HardEvent::MTE3_S>(0);
  WaitFlag<HardEvent::MTE3_S>(0);
  WriteGmByPassDCache(w.GetPhyAddr(1024), before + w.GetValue(0));  // @get
}

// ascsan: kernel=class_dcache_dropped cores=1 type=aiv expect=clean class="dcache coherence"
LITMUS(class_dcache_dropped, aiv, 1) {
  prepare();
  const int32_t before = w.GetValue(0);
  DataCopy(w, ub<int32_t>(0), 8);
  SetFlag<HardEvent::MTE3_S>(0);
  WaitFlag<HardEvent::MTE3_S>(0);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(w);
  WriteGmByPassDCache(w.GetPhyAddr(1024), before + w.GetValue(0));
}

// The producer may run sixteen sets ahead of the first wait.
// ascsan: kernel=class_counter_overrun cores=1 type=mix11 class="cross-core flag misuse" expect=ASC4302 first=@set
LITMUS(class_counter_overrun, mix11, 1) {
  for (int round = 0; round < 16; ++round) {
    if ASCEND_IS_AIV {
      CrossCoreSetFlag<2, PIPE_MTE3>(0);  // @set
    } else {
      CrossCoreWaitFlag(0);
    }
  }
}

}  // namespace litmus
