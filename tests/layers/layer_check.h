// Holds the #include edges of a source tree to a table of layers (tools/layers.txt explains its lines), and the length
// of files to a limit. Knows nothing of this project, so that it can be tested on made-up trees.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ascsan::layers {

struct Table {
  std::map<std::string, std::vector<std::string>> roots, layers;
  std::vector<std::string> errors;  ///< lines that are none of both
};

Table parse_table(const std::string& text);

struct Include {
  std::string name;
  int line = 0;
};
/// The #include lines of a file, quoted and in angle brackets, outside of comments.
std::vector<Include> includes_of(const std::string& text);

/// Problems of one file: "path:line: text". `path` is relative to `top`, where included files are looked up.
std::vector<std::string> check_file(const Table& table, const std::filesystem::path& top, const std::string& path,
                                    const std::string& text, int max_lines);

/// All sources below `top`/`folders`, checked; `files` counts them.
std::vector<std::string> check_tree(const Table& table, const std::filesystem::path& top,
                                    const std::vector<std::string>& folders, int max_lines, size_t& files);

}  // namespace ascsan::layers
