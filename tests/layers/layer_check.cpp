// See layer_check.h. A name in angle brackets counts when it is a file of the tree, so that brackets are no way around.
#include "layers/layer_check.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ascsan::layers {
namespace {

namespace fs = std::filesystem;

bool below(const std::string& path, const std::string& prefix) {
  return prefix == "." || path.rfind(prefix, 0) == 0;
}

/// Entry whose folder is the longest that contains `path`; null when none does.
const std::pair<const std::string, std::vector<std::string>>* longest(
    const std::map<std::string, std::vector<std::string>>& entries, const std::string& path) {
  const std::pair<const std::string, std::vector<std::string>>* best = nullptr;
  for (const auto& entry : entries) {
    if (!below(path, entry.first)) continue;
    if (best == nullptr || best->first == "." || (entry.first != "." && entry.first.size() > best->first.size()))
      best = &entry;
  }
  return best;
}

/// Path of an included file relative to `top`; empty when it is no file of the tree.
std::string resolve(const Table& table, const fs::path& top, const std::string& from, const std::string& name) {
  std::vector<std::string> folders = {fs::path(from).parent_path().generic_string()};
  if (const auto* roots = longest(table.roots, from); roots != nullptr)
    folders.insert(folders.end(), roots->second.begin(), roots->second.end());
  for (const std::string& folder : folders) {
    const fs::path candidate = (fs::path(folder) / name).lexically_normal();
    if (fs::is_regular_file(top / candidate)) return candidate.generic_string();
  }
  return "";
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> kEndings = {".cpp", ".h", ".inc", ".def", ".py", ".sh"};
  return kEndings.count(path.extension().string()) > 0;
}

}  // namespace

Table parse_table(const std::string& text) {
  Table table;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    std::string kind, folder, name;
    if (!(words >> kind)) continue;
    if ((kind != "roots" && kind != "layer") || !(words >> folder) || folder.back() != ':') {
      table.errors.push_back("layers table: cannot read \"" + line + "\"");
      continue;
    }
    folder.pop_back();
    std::vector<std::string>& names = (kind == "roots" ? table.roots : table.layers)[folder];
    while (words >> name) names.push_back(name);
  }
  return table;
}

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> includes;
  std::istringstream stream(text);
  int number = 0;
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find("include") != std::string::npos && std::regex_search(line, match, kInclude))
      includes.push_back({match[1].str(), number});
  }
  return includes;
}

std::vector<std::string> check_file(const Table& table, const fs::path& top, const std::string& path,
                                    const std::string& text, int max_lines) {
  std::vector<std::string> problems;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines > max_lines)
    problems.push_back(path + ": " + std::to_string(lines) + " lines, at most " + std::to_string(max_lines) +
                       " are allowed; split it");
  const auto* layer = longest(table.layers, path);
  for (const Include& include : includes_of(text)) {
    const std::string target = resolve(table, top, path, include.name);
    if (target.empty()) continue;
    const std::string place = path + ":" + std::to_string(include.line) + ": ";
    if (layer == nullptr) {
      problems.push_back(place + "no layer is named for this folder");
      continue;
    }
    const bool allowed =
        below(target, layer->first) || std::any_of(layer->second.begin(), layer->second.end(),
                                                   [&](const std::string& name) { return below(target, name); });
    if (!allowed) problems.push_back(place + "layer " + layer->first + " may not include " + target);
  }
  return problems;
}

std::vector<std::string> check_tree(const Table& table, const fs::path& top, const std::vector<std::string>& folders,
                                    int max_lines, size_t& files) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(top / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top / folder))
      if (entry.is_regular_file() && is_source(entry.path()))
        paths.push_back(entry.path().lexically_relative(top).generic_string());
  }
  std::sort(paths.begin(), paths.end());
  files = paths.size();
  std::vector<std::string> problems = table.errors;
  for (const std::string& path : paths) {
    std::ifstream stream(top / path);
    std::ostringstream text;
    text << stream.rdbuf();
    const std::vector<std::string> found = check_file(table, top, path, text.str(), max_lines);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  return problems;
}

}  // namespace ascsan::layers
