// The catalogue of findings (rules.def) as data.
#pragma once

#include <array>

#include "report/model.h"

namespace ascsan::check {

enum class Rule : uint8_t {
#define ASCSAN_RULE(id, severity, name, text, order) k##id,
#include "check/rules.def"
#undef ASCSAN_RULE
};

struct RuleInfo {
  const char* id;  ///< "ASC1101"
  report::Severity severity;
  const char *name, *text, *order_rules;
};

namespace severity_word {  // the words of rules.def
inline constexpr report::Severity error = report::Severity::kError, warning = report::Severity::kWarning,
                                  info = report::Severity::kInfo;
}
inline constexpr RuleInfo kRules[] = {
#define ASCSAN_RULE(id, severity, name, text, order) {#id, severity_word::severity, name, text, order},
#include "check/rules.def"
#undef ASCSAN_RULE
};
constexpr const RuleInfo& info_of(Rule rule) {
  return kRules[static_cast<size_t>(rule)];
}

}  // namespace ascsan::check
