// Classes of faults of memory (spec/bug-classes.md 4): UB out of bounds or overlap, GM out of bounds or overlap between
// cores, and the host that gives more blocks than cores. Each minimal fault with the form that repairs it.
#include "litmus.h"

namespace litmus {

// Element 256 of 256.
// ascsan: kernel=class_ub_past_tensor cores=1 type=aiv class="UB out of bounds" expect=ASC2102 call=@set
LITMUS(class_ub_past_tensor, aiv, 1) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 1024);
  buf.Get<float>().SetValue(256, 1.0f);  // @set
}

// ascsan: kernel=class_ub_last_element cores=1 type=aiv expect=clean class="UB out of bounds"
LITMUS(class_ub_last_element, aiv, 1) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 1024);
  buf.Get<float>().SetValue(255, 1.0f);
}

// Scratch for the elements of a row, used for its 64 lanes.
// ascsan: kernel=class_ub_scratch_too_small cores=1 type=aiv class="UB out of bounds" expect=ASC2301 call=@fill
LITMUS(class_ub_scratch_too_small, aiv, 1) {
  TPipe pipe;
  TBuf<> scratch, behind;
  pipe.InitBuffer(scratch, 160);
  pipe.InitBuffer(behind, 256);
  Duplicate(scratch.Get<float>(), 0.0f, 64);  // @fill
}

// ascsan: kernel=class_ub_scratch_rounded cores=1 type=aiv expect=clean class="UB out of bounds"
LITMUS(class_ub_scratch_rounded, aiv, 1) {
  TPipe pipe;
  TBuf<> scratch, behind;
  pipe.InitBuffer(scratch, 256);
  pipe.InitBuffer(behind, 256);
  Duplicate(scratch.Get<float>(), 0.0f, 64);
}

// ascsan: kernel=class_ub_past_memory cores=1 type=aiv class="UB out of bounds" expect=ASC2101 call=@fill
LITMUS(class_ub_past_memory, aiv, 1) {
  Duplicate(ub(196608 - 128, 64), 0.0f, 64);  // @fill
}

// Scratch in the last KiB of the input buffer, which the load fills as well.
// ascsan: kernel=class_ub_overlap cores=1 type=aiv class="UB overlap"
// ascsan:   expect=ASC1203 tensor=UB+0x0 writer=@load writer=@scratch missing="MTE2 -> V"
LITMUS(class_ub_overlap, aiv, 1) {
  DataCopy(ub(0, 4096), x, 4096);           // @load
  Duplicate(ub(0, 4096)[3840], 0.0f, 256);  // @scratch
}

// ascsan: kernel=class_ub_apart cores=1 type=aiv expect=clean class="UB overlap"
LITMUS(class_ub_apart, aiv, 1) {
  DataCopy(ub(0, 3840), x, 3840);
  Duplicate(ub(3840 * 4, 256), 0.0f, 256);
}

// Slices of 12 floats, stored as 16.
// ascsan: kernel=class_gm_slices_overlap cores=2 type=aiv class="GM overlap between cores"
// ascsan:   expect=ASC1102 tensor=y writer=@store writer=@store missing="AIV 0 MTE3 -> AIV 1 MTE3"
LITMUS(class_gm_slices_overlap, aiv, 2) {
  prepare();
  DataCopy(y[GetBlockIdx() * 12], ub(0), 16);  // @store
}

// ascsan: kernel=class_gm_slices_exact cores=2 type=aiv expect=clean class="GM overlap between cores"
LITMUS(class_gm_slices_exact, aiv, 2) {
  prepare();
  DataCopyPad(y[GetBlockIdx() * 12], ub(0), DataCopyExtParams{1, 48, 0, 0, 0});
}

// ascsan: kernel=class_gm_past_end cores=1 type=aiv class="GM out of bounds"
// ascsan:   expect=ASC2101 call=@store expect=ASC2101 tensor=y
LITMUS(class_gm_past_end, aiv, 1) {
  prepare();
  DataCopy(y[kGmElements - 8], ub(0), 16);  // @store
}

// ascsan: kernel=class_gm_up_to_end cores=1 type=aiv expect=clean class="GM out of bounds"
LITMUS(class_gm_up_to_end, aiv, 1) {
  prepare();
  DataCopy(y[kGmElements - 16], ub(0), 16);
}

// An aligned load that reads past the end of its tensor.
// ascsan: kernel=class_gm_load_past_end cores=1 type=aiv class="GM out of bounds" expect=ASC2104 call=@load severity=warning
LITMUS(class_gm_load_past_end, aiv, 1) {
  DataCopy(ub(0), x[kGmElements - 3], 8);  // @load
}

// ascsan: kernel=class_gm_load_exact cores=1 type=aiv expect=clean class="GM out of bounds"
LITMUS(class_gm_load_exact, aiv, 1) {
  DataCopyPad(ub(0), x[kGmElements - 3], DataCopyExtParams{1, 12, 0, 0, 0},
              DataCopyPadExtParams<float>{true, 0, 5, 0.0f});
}

}  // namespace litmus
