// Exemptions of spec/hb-rules.md 4 that hang on more than order: E-5 (scalar stores to global memory own their bytes
// and, through the data cache, a line of 64), E-8 (memory of the framework) and E-9 (several cores write the same
// values).
#include "litmus.h"

namespace litmus {

inline void write_back(GlobalTensor<int32_t> line) {
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line);
}

// Two words of one line: no bytes in common, so no race, but either line goes back over the other word.
// ascsan: kernel=e5_words_of_one_line cores=2 type=mix_aiv rule=E-5 expect=ASC6103 first=@store
LITMUS(e5_words_of_one_line, mix_aiv, 2) {
  w.SetValue(GetBlockIdx(), 7);  // @store
  write_back(w);
}

// ascsan: kernel=e5_words_of_two_lines cores=2 type=mix_aiv expect=clean rule=E-5
LITMUS(e5_words_of_two_lines, mix_aiv, 2) {
  w.SetValue(GetBlockIdx() * 16, 7);
  write_back(w[GetBlockIdx() * 16]);
}

// The last word of a line and the first of the next are neighbours and do not meet.
// ascsan: kernel=e5_neighbours_across_lines cores=2 type=mix_aiv expect=clean rule=E-5
LITMUS(e5_neighbours_across_lines, mix_aiv, 2) {
  w.SetValue(15 + GetBlockIdx(), 7);
  write_back(w[GetBlockIdx() * 16]);
}

// Between the two stores the first line goes back and the cores meet: the second core loads it as it is then.
// ascsan: kernel=e5_clean_and_sync cores=2 type=mix_aiv expect=clean rule=E-5
LITMUS(e5_clean_and_sync, mix_aiv, 2) {
  if (me(0)) {
    w.SetValue(0, 7);
    write_back(w);
  }
  SyncAll();
  if (me(1)) {
    w.SetValue(1, 7);
    write_back(w);
  }
}

// The cores meet, but the first line is still dirty in the first core's cache when the second writes.
// ascsan: kernel=e5_sync_without_clean cores=2 type=mix_aiv rule=E-5 expect=ASC6103 first=@store
LITMUS(e5_sync_without_clean, mix_aiv, 2) {
  if (me(0)) w.SetValue(0, 7);  // @store
  SyncAll();
  if (me(1)) {
    w.SetValue(1, 7);
    write_back(w);
  }
  SyncAll();
  if (me(0)) write_back(w);
}

// The same word is a race of values, whatever the lines do.
// ascsan: kernel=e5_same_word cores=2 type=mix_aiv rule=E-5
// ascsan:   expect=ASC1102 tensor=w writer=@store writer=@store missing="S -> S"
LITMUS(e5_same_word, mix_aiv, 2) {
  w.SetValue(0, static_cast<int32_t>(GetBlockIdx()));  // @store
  write_back(w);
}

// Memory of the framework: two cores that both use it as framework code does are no finding, a kernel's own store is.
// ascsan: kernel=e8_store_to_system_workspace cores=1 type=aiv rule=E-8 expect=ASC2301 call=@store
LITMUS(e8_store_to_system_workspace, aiv, 1) {
  prepare();
  GlobalTensor<float> area;
  area.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetSysWorkSpacePtr()), 64);
  DataCopy(area, ub(0), 64);  // @store
}

// ascsan: kernel=e8_load_from_system_workspace cores=2 type=aiv expect=clean rule=E-8
LITMUS(e8_load_from_system_workspace, aiv, 2) {
  GlobalTensor<float> area;
  area.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetSysWorkSpacePtr()), 64);
  DataCopy(ub(0), area, 64);
}

// Data in the top of UB are a kernel's own until Select puts its mask there.
// ascsan: kernel=e8_select_over_data cores=1 type=aiv rule=E-8 expect=ASC2301 call=@use
LITMUS(e8_select_over_data, aiv, 1) {
  prepare();
  LocalTensor<float> top = ub(184 * 1024);
  Duplicate(top, 2.0f, 64);
  Duplicate(ub<int32_t>(4096), -1, 64);
  Select(ub(1024), ub<uint8_t>(4096), ub(0), 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Adds(ub(2048), top, 1.0f, 64);  // @use
}

// ascsan: kernel=e8_select_before_data cores=1 type=aiv expect=clean rule=E-8
LITMUS(e8_select_before_data, aiv, 1) {
  prepare();
  LocalTensor<float> top = ub(184 * 1024);
  Duplicate(ub<int32_t>(4096), -1, 64);
  Select(ub(1024), ub<uint8_t>(4096), ub(0), 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Duplicate(top, 2.0f, 64);
  Adds(ub(2048), top, 1.0f, 64);
}

// One block further up nothing is overwritten.
// ascsan: kernel=e8_select_beside_data cores=1 type=aiv expect=clean rule=E-8
LITMUS(e8_select_beside_data, aiv, 1) {
  prepare();
  LocalTensor<float> top = ub(184 * 1024 + 32);
  Duplicate(top, 2.0f, 64);
  Duplicate(ub<int32_t>(4096), -1, 64);
  Select(ub(1024), ub<uint8_t>(4096), ub(0), 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Adds(ub(2048), top, 1.0f, 64);
}

// ascsan: kernel=e9_same_values cores=2 type=aiv rule=E-9
// ascsan:   expect=ASC1102 severity=warning tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e9_same_values, aiv, 2) {
  prepare();
  DataCopy(y, ub(0), 64);  // @store
}

// ascsan: kernel=e9_other_values cores=2 type=aiv rule=E-9
// ascsan:   expect=ASC1102 severity=error tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e9_other_values, aiv, 2) {
  prepare();
  Duplicate(ub(0), static_cast<float>(GetBlockIdx()), 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(y, ub(0), 64);  // @store
}

// One element of sixty-four differs.
// ascsan: kernel=e9_one_other_value cores=2 type=aiv rule=E-9
// ascsan:   expect=ASC1102 severity=error tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e9_one_other_value, aiv, 2) {
  prepare();
  if (me(1)) {
    const uint64_t lane[] = {uint64_t{1} << 63, 0};
    Duplicate(ub(0), 2.0f, lane, 1, 1, 8);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
  }
  DataCopy(y, ub(0), 64);  // @store
}

// Whoever reads without order sees the bytes before or after the stores: that one stays an error.
// ascsan: kernel=e9_read_unordered cores=3 type=aiv rule=E-9
// ascsan:   expect=ASC1101 severity=error tensor=y writer=@store reader=@load missing="AIV 0 MTE3 -> AIV 2 MTE2"
// ascsan:   expect=ASC1102 severity=warning tensor=y writer=@store writer=@store missing="MTE3 -> MTE3"
LITMUS(e9_read_unordered, aiv, 3) {
  prepare();
  if (me(2)) {
    DataCopy(ub(1024), y, 64);  // @load
  } else {
    DataCopy(y, ub(0), 64);  // @store
  }
}

// Pipes of one core are not exempt.
// ascsan: kernel=e9_same_core cores=1 type=aiv rule=E-9
// ascsan:   expect=ASC1301 severity=error tensor=y writer=@first writer=@second missing="MTE3 -> MTE3"
LITMUS(e9_same_core, aiv, 1) {
  prepare();
  DataCopy(y, ub(0), 64);    // @first
  DataCopy(y, ub(256), 64);  // @second
}

}  // namespace litmus
