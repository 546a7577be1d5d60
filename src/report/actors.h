// Which side of a finding is which: the place a reader is sent to first, the other one, and the two ends of the absent
// link. One answer for all formats (design/ux.md 3.5: location = reader, related location = writer).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "report/model.h"

namespace ascsan::report {

/// "AIV 3 MTE2", "AIV 3 scalar unit", "AIV 3".
std::string actor_name(const AccessInfo& access);
/// "AIV 3 MTE2 · DataCopyPad", with `separator` between the parts.
std::string actor_action(const AccessInfo& access, const std::string& separator);

/// The reader if there is exactly one; else the access that stands last; none when the finding has no access.
std::optional<size_t> primary_access(const Finding& finding);

/// Accesses at the start and at the end of Finding::missing. None when it is empty or does not name two of the
/// accesses.
std::optional<std::pair<size_t, size_t>> missing_ends(const Finding& finding);

/// The part of a function name without its parameter list.
std::string plain_function(const std::string& function);

/// "bytes 0..703 of masked_target", "byte 3 of UB"; empty when the access has no run of its own.
std::string range_text(const AccessInfo& access, const Finding& finding);

}  // namespace ascsan::report
