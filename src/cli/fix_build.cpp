#include "cli/fix_build.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/child.h"
#include "run/outputs.h"

namespace ascsan::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Contents = std::map<std::string, std::string>;  // by path

std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Runs a shell command; its output is kept in `output`. True when it ended with 0.
bool shell(const std::string& command, const std::string& directory, const fs::path& log, std::string& output) {
  ChildRequest request;
  request.path = "/bin/sh";
  request.args = {"sh", "-c",
                  fmt::format("cd {} && ( {} ) > {} 2>&1", shell_word(directory), command, shell_word(log.string()))};
  request.silent = true;
  const ChildResult child = run_child(request);
  output.clear();
  run::read_file(log.string(), output);
  return child.start_error.empty() && child.status == 0;
}

/// The first error of a compiler and the two lines below it, else the first lines; names as in the tree.
std::string first_lines(const std::string& text, const fs::path& copy) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  size_t begin = 0;
  const std::string prefix = copy.string() + "/";
  for (std::string line; std::getline(stream, line);) {
    for (size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix)) line.erase(at, prefix.size());
    if (begin == 0 && line.find("error:") != std::string::npos) begin = lines.size();
    lines.push_back(line);
  }
  std::string told;
  for (size_t i = begin; i < std::min(lines.size(), begin + 3); ++i) told += (told.empty() ? "" : "\n  ") + lines[i];
  return told;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_below(const fs::path& path, const fs::path& root) {
  const std::string text = path.lexically_normal().string(), prefix = root.lexically_normal().string();
  return text.size() > prefix.size() && text.compare(0, prefix.size(), prefix) == 0 && text[prefix.size()] == '/';
}

std::string write_changed(const fs::path& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add, error);
  return run::write_file(path.string(), content);
}

/// Object files of the program that depend on one of the files, with all files they depend on below the root.
struct Unit {
  std::string object;
  std::vector<std::string> files;
};
std::vector<Unit> dependents(const BuildPlan& plan, const Contents& contents, const fs::path& log) {
  std::string deps, inputs;
  const std::string target = fs::path(plan.program).lexically_relative(plan.build_folder).string();
  shell("ninja -t deps", plan.build_folder, log, deps);
  shell("ninja -t inputs " + shell_word(target), plan.build_folder, log, inputs);
  const std::vector<std::string> of_program = lines_of(inputs);
  std::vector<Unit> units;
  Unit unit;
  bool wanted = false;
  const auto close = [&] {
    if (wanted && std::find(of_program.begin(), of_program.end(), unit.object) != of_program.end())
      units.push_back(unit);
    unit = {};
    wanted = false;
  };
  for (const std::string& line : lines_of(deps)) {
    if (line.empty()) continue;
    if (line[0] != ' ') {
      close();
      unit.object = line.substr(0, line.find(": #deps"));
      continue;
    }
    fs::path path = line.substr(4);
    if (path.is_relative()) path = fs::path(plan.build_folder) / path;
    path = path.lexically_normal();
    wanted = wanted || contents.count(path.string()) != 0;
    if (is_below(path, plan.source_root)) unit.files.push_back(path.string());
  }
  close();
  return units;
}

/// Command words with the copy in front of the tree: includes of both, the copied source, another output, no depfile.
std::string redirected(const std::string& command, const BuildPlan& plan, const std::string& source,
                       const fs::path& copy, const fs::path& object) {
  std::istringstream stream(command);
  std::string text, word;
  const auto in_copy = [&](const std::string& path) {
    return (copy / fs::path(path).lexically_relative(plan.source_root)).string();
  };
  while (stream >> word) {
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      std::string value;
      stream >> value;
      if (word == "-o") text += " -o " + shell_word(object.string());
      continue;
    }
    if (word == "-MD" || word == "-MMD") continue;
    if (word.rfind("-I", 0) == 0 && is_below(word.substr(2), plan.source_root)) text += " -I" + in_copy(word.substr(2));
    text += " " + (word == source ? in_copy(word) : word);
  }
  return text + fmt::format(" -ffile-prefix-map={}/= -fmacro-prefix-map={}/=", copy.string(), copy.string());
}

std::string link_changed(const BuildPlan& plan, const std::vector<Unit>& units, const std::vector<fs::path>& objects,
                         const fs::path& folder, std::string& built) {
  std::string output;
  const std::string target = fs::path(plan.program).lexically_relative(plan.build_folder).string();
  if (!shell("ninja -t commands -s " + shell_word(target), plan.build_folder, folder / "log", output))
    return "ninja knows no command for " + target;
  const std::vector<std::string> commands = lines_of(output);
  if (commands.empty()) return "ninja knows no command for " + target;
  built = (folder / "program").string();
  std::istringstream stream(commands.back());
  std::string text, word, extra;
  std::vector<bool> used(units.size(), false);
  std::vector<std::string> words;
  while (stream >> word) words.push_back(word);
  for (std::string& part : words)
    for (size_t i = 0; i < units.size(); ++i)
      if (part == units[i].object) part = objects[i].string(), used[i] = true;
  for (size_t i = 0; i < units.size(); ++i)
    if (!used[i]) extra += " " + objects[i].string();  // in an archive: the first definition wins
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-o" && i + 1 < words.size()) {
      text += extra + " -o " + built;
      ++i;
      continue;
    }
    text += " " + words[i];
  }
  if (!shell(text, plan.build_folder, folder / "log", output))
    return "the changed program does not link: " + first_lines(output, folder / "source");
  return "";
}

std::string write_all(const BuildPlan& plan, const Contents& contents, const fs::path& copy) {
  for (const auto& [file, content] : contents)
    if (const std::string error = write_changed(copy / fs::path(file).lexically_relative(plan.source_root), content);
        !error.empty())
      return error;
  return "";
}

std::string build_from_database(const BuildPlan& plan, const Contents& contents, const fs::path& folder,
                                std::string& built) {
  std::string text, output;
  run::read_file(plan.build_folder + "/compile_commands.json", text);
  const Json database = Json::parse(text, nullptr, false);
  if (!database.is_array()) return plan.build_folder + "/compile_commands.json is unreadable";
  const std::vector<Unit> units = dependents(plan, contents, folder / "log");
  if (units.empty())
    return fmt::format("no part of the program depends on {}; is {} up to date?", contents.begin()->first,
                       plan.build_folder);
  const fs::path copy = folder / "source";
  std::vector<fs::path> objects;
  for (const Unit& unit : units) {
    for (const std::string& path : unit.files) {
      std::error_code error;
      const fs::path to = copy / fs::path(path).lexically_relative(plan.source_root);
      fs::create_directories(to.parent_path(), error);
      fs::copy_file(path, to, fs::copy_options::skip_existing, error);
    }
  }
  if (const std::string error = write_all(plan, contents, copy); !error.empty()) return error;
  for (const Unit& unit : units) {
    objects.push_back(folder / fmt::format("unit{}.o", objects.size()));
    bool found = false;
    for (const Json& entry : database) {
      const std::string command = entry.value("command", "");
      if (found || command.find(" -o " + unit.object + " ") == std::string::npos) continue;
      found = true;
      const std::string changed = redirected(command, plan, entry.value("file", ""), copy, objects.back());
      if (!shell(changed, entry.value("directory", ""), folder / "log", output))
        return "the patch does not compile: " + first_lines(output, copy);
    }
    if (!found) return "compile_commands.json has no command for " + unit.object;
  }
  return link_changed(plan, units, objects, folder, built);
}

std::string build_by_command(const BuildPlan& plan, const Contents& contents, const fs::path& folder,
                             std::string& built) {
  const fs::path root = plan.source_root, copy = folder / "source";
  std::error_code error;
  fs::create_directories(copy, error);
  for (auto entry = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory(error) &&
        (name == ".git" || is_below(folder, entry->path()) || fs::exists(entry->path() / "CMakeCache.txt"))) {
      entry.disable_recursion_pending();
      continue;
    }
    const fs::path to = copy / entry->path().lexically_relative(root);
    if (entry->is_directory(error))
      fs::create_directories(to, error);
    else if (entry->is_regular_file(error))
      fs::copy_file(entry->path(), to, fs::copy_options::overwrite_existing, error);
  }
  if (const std::string problem = write_all(plan, contents, copy); !problem.empty()) return problem;
  const fs::path here = fs::current_path(error);
  const fs::path at = is_below(here, root) ? copy / here.lexically_relative(root) : copy;
  if (!is_below(plan.program, root))
    return fmt::format("with --build the program must lie in the source tree {}, where the command puts it",
                       root.string());
  const fs::path target = copy / fs::path(plan.program).lexically_relative(root);
  fs::remove(target, error);
  std::string output;
  if (!shell(plan.command, at.string(), folder / "log", output))
    return "the patch does not compile: " + first_lines(output, copy);
  if (!fs::exists(target))
    return fmt::format("\"{}\" did not make {}", plan.command, target.lexically_relative(copy).string());
  built = target.string();
  return "";
}

}  // namespace

std::string find_build(BuildPlan& plan) {
  std::error_code error;
  plan.program = fs::canonical(plan.program, error).string();
  if (!plan.command.empty()) {
    if (plan.source_root.empty()) plan.source_root = fs::current_path(error).string();
    plan.source_root = fs::canonical(plan.source_root, error).string();
    return error ? "the source folder is not there" : "";
  }
  for (fs::path folder = fs::path(plan.program).parent_path(); plan.build_folder.empty() && folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::exists(folder / "compile_commands.json", error) && fs::exists(folder / "build.ninja", error))
      plan.build_folder = folder.string();
  if (plan.build_folder.empty())
    return fmt::format(
        "no folder above {} has compile_commands.json and build.ninja; configure with cmake -G Ninja "
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or give the build command: --build \"g++ ...\"",
        plan.program);
  std::string cache;
  run::read_file(plan.build_folder + "/CMakeCache.txt", cache);
  const std::string key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  if (const size_t at = cache.find(key); plan.source_root.empty() && at != std::string::npos)
    plan.source_root = cache.substr(at + key.size(), cache.find('\n', at) - at - key.size());
  return plan.source_root.empty() ? "the source folder is unknown; give --source DIR" : "";
}

std::string locate_source(const BuildPlan& plan, const std::string& file) {
  std::error_code error;
  for (const fs::path& path : {fs::path(plan.source_root) / file, fs::path(file)})
    if (fs::exists(path, error)) return fs::canonical(path, error).string();
  return "";
}

std::string build_changed(const BuildPlan& plan, const Contents& contents, const std::string& folder,
                          std::string& built) {
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  for (const auto& [file, content] : contents)
    if (!is_below(file, plan.source_root))
      return fmt::format("{} lies outside the source folder {}; give --source DIR", file, plan.source_root);
  return plan.command.empty() ? build_from_database(plan, contents, folder, built)
                              : build_by_command(plan, contents, folder, built);
}

}  // namespace ascsan::cli
