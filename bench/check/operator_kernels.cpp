#include "loaded_case.h"
#include "subjects.h"

namespace ascsan::bench {

std::vector<Maker> operator_kernels() {
  std::vector<Maker> makers;
  for (const flce::batch::CaseSpec& spec : smoke_cases(FLCE_CASES_DIR))
    makers.push_back([spec] {
      const auto loaded = std::make_shared<LoadedCase>(load(spec));
      return Subject{"operator, case " + spec.id(), [loaded] { loaded->launch(); }};
    });
  return makers;
}

}  // namespace ascsan::bench
