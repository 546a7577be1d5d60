// Hand-made runs whose reports are frozen: one for every kind of finding and every way a run can end.
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace ascsan::golden {

struct Case {
  std::string name;  ///< of the files in expected/
  report::RunResult run;
};

std::vector<Case> cases();

/// One finding for each class of fault, shortly worded.
std::vector<report::Finding> one_of_each();

}  // namespace ascsan::golden
