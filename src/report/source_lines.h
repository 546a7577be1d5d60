// Lines of source files for reports. Files are read once; what cannot be read gives an empty line, never an error.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ascsan::report {

class SourceLines {
 public:
  explicit SourceLines(const std::vector<std::string>& roots) : roots_(roots) {}
  /// Line `line`, from 1, without surrounding blanks. A relative name is looked up in the roots.
  std::string at(const std::string& file, uint32_t line);
  /// All lines as they are; empty when the file cannot be read.
  const std::vector<std::string>& load(const std::string& file);

 private:
  const std::vector<std::string>& roots_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace ascsan::report
