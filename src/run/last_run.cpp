// See last_run.h. The folder .ascsan gets a .gitignore of its own, so that it never lands in a repository.
#include "run/last_run.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "report/as_json.h"
#include "run/outputs.h"
#include "run/suggest.h"

namespace ascsan::run {

std::string make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return "";
  // Only what is made here is marked.
  const std::filesystem::path top = *folder.begin() == ".ascsan" ? std::filesystem::path(".ascsan") : folder;
  const bool fresh = !std::filesystem::exists(top, error);
  if (!std::filesystem::create_directories(folder, error) && error) return error.message();
  return fresh ? write_file((top / ".gitignore").string(), "*\n") : "";
}

std::string write_file_if_new(const std::filesystem::path& path, const std::string& text) {
  std::string old;
  if (read_file(path.string(), old) && old == text) return "";
  return write_file(path.string(), text);
}

std::string keep_run(const Options& options, const report::RunResult& run) {
  const std::string& path = options.keep;
  std::error_code ignored;
  if (path.empty() || (run.findings.empty() && !std::filesystem::exists(path, ignored))) return "";
  const std::string part = path + ".part";  // two runs in one folder: the reader sees one of them, whole
  std::string error = make_private_folder(std::filesystem::path(path).parent_path());
  if (error.empty()) error = write_file(part, report::to_raw_json(run));
  if (error.empty() && std::rename(part.c_str(), path.c_str()) != 0) error = "it cannot be replaced";
  // A folder that cannot be written is no reason to trouble those who did not ask.
  if (error.empty() || options.origin_of(OptionId::keep) == Origin::kDefault) return "";
  return fmt::format("option keep: cannot write {}: {}", printable(path), error);
}

std::string load_run(const std::string& path, report::RunResult& run) {
  std::string text, error;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || !read_file(path, text))
    return fmt::format("cannot read {}: no run is kept there; first: ascsan run PROGRAM, in this folder",
                       printable(path));
  if (!report::from_raw_json(text, run, &error))
    return fmt::format("{} is unusable, {}; make it anew with: ascsan run PROGRAM", printable(path), error);
  return "";
}

}  // namespace ascsan::run
