// The last run with findings, kept for `ascsan explain`: the private JSON of raw_json.cpp in the file of option `keep`,
// with the timelines around the findings. A clean run leaves no file behind where there was none, and replaces one that
// is there, so that nobody reads old findings as new ones.
#pragma once

#include <filesystem>
#include <string>

#include "report/model.h"
#include "run/options.h"

namespace ascsan::run {

/// Empty, or one line that says why the file could not be written although the user asked for it by name.
[[nodiscard]] std::string keep_run(const Options& options, const report::RunResult& run);

/// Reads such a file. Empty on success, else one line.
[[nodiscard]] std::string load_run(const std::string& path, report::RunResult& run);

/// Makes `folder` below the current one; .ascsan gets a .gitignore, so that it never lands in a repository. Empty on
/// success, else the reason.
[[nodiscard]] std::string make_private_folder(const std::filesystem::path& folder);

/// Leaves a file that has this text alone, with its time.
[[nodiscard]] std::string write_file_if_new(const std::filesystem::path& path, const std::string& text);

}  // namespace ascsan::run
