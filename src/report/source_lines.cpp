// Reads source files for reports. See source_lines.h. Only regular files of at most 16 MiB are opened: the names come
// from debug information and may point anywhere.
#include "report/source_lines.h"

#include <filesystem>
#include <fstream>

namespace ascsan::report {
namespace {

constexpr uintmax_t kMaxBytes = 16u << 20;

bool readable(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && !error &&
         std::filesystem::file_size(path, error) <= kMaxBytes && !error;
}

}  // namespace

const std::vector<std::string>& SourceLines::load(const std::string& file) {
  const auto [entry, fresh] = files_.try_emplace(file);
  if (!fresh || file.empty() || file.find('\0') != std::string::npos) return entry->second;
  std::filesystem::path path(file);
  if (path.is_relative())
    for (const std::string& root : roots_)
      if (readable(std::filesystem::path(root) / file)) {
        path = std::filesystem::path(root) / file;
        break;
      }
  if (!readable(path)) return entry->second;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) entry->second.push_back(line);
  return entry->second;
}

std::string SourceLines::at(const std::string& file, uint32_t line) {
  const std::vector<std::string>& lines = load(file);
  if (line == 0 || line > lines.size()) return "";
  const std::string& text = lines[line - 1];
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace ascsan::report
