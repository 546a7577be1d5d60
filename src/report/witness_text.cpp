#include "report/witness_text.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace ascsan::report {

std::string relative_error_text(double error) {
  return error >= std::numeric_limits<double>::max() ? "unbounded" : fmt::format("{:.3g}", error);
}

std::string value_line(const WitnessValue& value) {
  return fmt::format("{}: {}[{}] = {}", value.what, value.tensor, value.element, value.value);
}

std::string impact_line(const Impact& impact) {
  std::string text =
      fmt::format("{} of {} {}, first: element {}, {} instead of {}", impact.elements_differing,
                  base::count(impact.elements, "element"), impact.elements_differing == 1 ? "differs" : "differ",
                  impact.first_index, impact.got, impact.expected);
  text += "; largest relative error " + relative_error_text(impact.max_relative_error);
  if (!impact.stage.empty()) text += "; stored by " + impact.stage;
  return text;
}

std::string cost_line(const Witness& witness) {
  return fmt::format("{}, {} of the launch", base::count(witness.forced_choices, "forced choice"),
                     base::count(witness.runs, "run"));
}

std::string proof_line(const Fix& fix) {
  std::string text =
      fix.verified ? "verified: witness and adversarial schedules give the outputs of the in-order run, no new finding"
                   : "not verified";
  return text + (fix.needed ? "; needed: without it the finding is back" : "; not proven needed");
}

}  // namespace ascsan::report
