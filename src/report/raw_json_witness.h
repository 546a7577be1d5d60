// The fields of witness, impact and fix, which travel in findings and alone (experiments.h).
#pragma once

#include "report/raw_json_io.h"

namespace ascsan::report::raw {

template <typename V>
void fields(V& v, WitnessValue& x) {
  v.field("what", x.what);
  v.field("tensor", x.tensor);
  v.field("value", x.value);
  v.field("element", x.element);
}
template <typename V>
void fields(V& v, Witness& x) {
  v.field("token", x.token);
  v.field("forced_choices", x.forced_choices);
  v.field("runs", x.runs);
  v.field("steps", x.steps);
  v.field("values", x.values);
}
template <typename V>
void fields(V& v, Impact& x) {
  v.field("tensor", x.tensor);
  v.field("elements_differing", x.elements_differing);
  v.field("elements", x.elements);
  v.field("first_index", x.first_index);
  v.field("got", x.got);
  v.field("expected", x.expected);
  v.field("max_relative_error", x.max_relative_error);
  v.field("stage", x.stage);
}
template <typename V>
void fields(V& v, Fix& x) {
  v.field("text", x.text);
  v.field("patch", x.patch);
  v.field("verified", x.verified);
  v.field("needed", x.needed);
}
}  // namespace ascsan::report::raw
