// Names of functions as a reader knows them.
#pragma once

#include <string>

namespace ascsan::report {

/// The name without parameter list, template arguments, return type and scopes: "void a::B<int>::Run(int) const" is
/// "Run", a lambda is "lambda". What cannot be taken apart stays as it is.
std::string short_function(const std::string& function);

}  // namespace ascsan::report
