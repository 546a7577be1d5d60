// Operators that leave memory as it was: no Duplicate, no load, no clearing store, a matrix product that adds to what
// the accumulator held (design/rigor.md D, "initial state"). Which of them matter only a run can tell.
#include <fmt/format.h>

#include "compile/mutate/mutant.h"

namespace ascsan::compile {

void drop_initial_state(Mutants& mutants) {
  const Source& source = mutants.source();
  for (const Statement& statement : source.statements()) {
    const Call& call = statement.call;
    if (call.object.empty() &&
        (call.name == "Duplicate" || call.name == "InitConstValue" || call.name == "CreateVecIndex"))
      mutants.add("initial", "drop Duplicate",
                  fmt::format("{} of {} is gone", call.name, source.text_of(call.arguments[0])),
                  {mutants.remove(statement)});
    if (call.object.empty() &&
        (call.name == "DataCopy" || call.name == "DataCopyPad" || call.name == "LoadData" || call.name == "Fixpipe"))
      mutants.add("initial", "drop a copy",
                  fmt::format("{} to {} is gone", call.name, source.text_of(call.arguments[0])),
                  {mutants.remove(statement)});
    if (call.name == "SetValue")
      mutants.add("initial", "drop a scalar store", fmt::format("SetValue of {} is gone", call.object),
                  {mutants.remove(statement)});
  }
  for (const Range& function : source.device())
    for (size_t i = function.first; i + 2 < function.last; ++i) {
      if (!source.is(i, "cmatrixInitVal") || !source.is(i + 1, "=")) continue;
      size_t end = i + 2;
      while (!source.is(end, ";") && end < function.last) ++end;
      mutants.add("initial", "accumulate on nothing", "cmatrixInitVal is false",
                  {mutants.replace({i + 2, end}, "false")});
    }
}

}  // namespace ascsan::compile
