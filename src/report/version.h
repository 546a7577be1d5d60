// The version of the tool, in one place for reports and commands.
#pragma once

namespace ascsan::report {

inline constexpr const char* kToolName = "ascsan";
inline constexpr const char* kToolVersion = ASCSAN_VERSION;

}  // namespace ascsan::report
