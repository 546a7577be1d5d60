// The catalogue of rules as reports need it. Filled from check/rules.def by whoever writes reports (run/outputs.cpp),
// so that this folder depends on no checker.
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

struct RuleText {
  std::string id;  ///< "ASC1101"
  Severity severity{};
  std::string name, text;
};
using Catalogue = std::vector<RuleText>;

}  // namespace ascsan::report
