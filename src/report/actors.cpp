// Sides of a finding. See actors.h.
#include "report/actors.h"

#include <fmt/format.h>

namespace ascsan::report {

std::string actor_name(const AccessInfo& access) {
  const std::string pipe = access.pipe == "S" ? "scalar unit" : access.pipe;
  return access.core.empty() || pipe.empty() ? access.core + pipe : access.core + " " + pipe;
}

std::string actor_action(const AccessInfo& access, const std::string& separator) {
  const std::string actor = actor_name(access);
  return actor.empty() || access.operation.empty() ? actor + access.operation : actor + separator + access.operation;
}

std::optional<size_t> primary_access(const Finding& finding) {
  if (finding.accesses.empty()) return std::nullopt;
  std::optional<size_t> reader;
  size_t readers = 0;
  for (size_t i = 0; i < finding.accesses.size(); ++i)
    if (finding.accesses[i].role == "reader") {
      reader = i;
      ++readers;
    }
  return readers == 1 ? *reader : finding.accesses.size() - 1;
}

std::optional<std::pair<size_t, size_t>> missing_ends(const Finding& finding) {
  const size_t arrow = finding.missing.find(" -> ");
  if (arrow == std::string::npos || finding.accesses.size() < 2) return std::nullopt;
  const auto name = [&](size_t i) { return finding.accesses[i].core + " " + finding.accesses[i].pipe; };
  const std::string from = finding.missing.substr(0, arrow), to = finding.missing.substr(arrow + 4);
  for (size_t i = 0; i < finding.accesses.size(); ++i)
    for (size_t j = 0; j < finding.accesses.size(); ++j)
      if (i != j && name(i) == from && name(j) == to) return std::make_pair(i, j);
  return std::nullopt;
}

std::string plain_function(const std::string& function) {
  const size_t cut = function.rfind("operator()") == std::string::npos ? function.find('(') : std::string::npos;
  return function.substr(0, cut);
}

std::string range_text(const AccessInfo& access, const Finding& finding) {
  if (access.bytes[0] >= access.bytes[1]) return "";
  const std::string of = finding.tensor.empty() ? finding.space : finding.tensor;
  std::string text = access.bytes[1] - access.bytes[0] == 1
                         ? fmt::format("byte {}", access.bytes[0])
                         : fmt::format("bytes {}..{}", access.bytes[0], access.bytes[1] - 1);
  return of.empty() ? text : text + " of " + of;
}

}  // namespace ascsan::report
