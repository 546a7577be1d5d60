// The identity of a finding across runs, machines and unrelated edits: 24 bits of rule, kernel, both functions, the
// source text of both lines and the tensor (design/ux.md 3.4). Line numbers count only where the source is not
// readable.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "event/event.h"

namespace ascsan::check {

class Fingerprinter {
 public:
  /// Order of `sites` matters.
  std::string id(const std::string& rule, const std::string& kernel, const std::vector<gate::Site>& sites,
                 const std::string& tensor);
  /// The line with blanks squeezed; "file:line" when it cannot be read.
  std::string normalised_line(const gate::Site& site);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace ascsan::check
