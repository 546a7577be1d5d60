// Writing of report files. See outputs.h.
#include "run/outputs.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "report/as_github.h"
#include "report/as_html.h"
#include "report/as_json.h"
#include "report/as_junit.h"
#include "report/as_sarif.h"
#include "report/as_text.h"
#include "report/as_trace.h"
#include "report/catalogue.h"
#include "run/suggest.h"

namespace ascsan::run {
namespace {

/// Saves `text` where it can be found again, and says so.
void rescue(const std::string& format, const std::string& text) {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string() + "/ascsan-report-XXXXXX";
  const int fd = error ? -1 : mkstemp(path.data());
  if (fd >= 0) {
    const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    if (written) {
      fmt::print(stderr, "ascsan: the {} report is in {} instead\n", format, path);
      return;
    }
    unlink(path.c_str());
  }
  fmt::print(stderr, "ascsan: the {} report follows\n{}", format, text);
}

report::Catalogue catalogue() {
  report::Catalogue rules;
  const auto add = [&](const char* id, const char* severity, const char* name, const char* text) {
    report::RuleText rule{id, {}, name, text};
    (void)report::parse_word(severity, rule.severity);
    rules.push_back(std::move(rule));
  };
#define ASCSAN_RULE(id, severity, name, text, order) add(#id, #severity, name, text);
#include "check/rules.def"
#undef ASCSAN_RULE
  return rules;
}

std::string text_of(const std::string& format, const report::RunResult& run, const report::Conclusion& conclusion,
                    const report::TextStyle& style) {
  if (format == "json") return report::to_json(run, conclusion);
  if (format == "sarif") return report::to_sarif(run, conclusion, catalogue(), style);
  if (format == "junit") return report::to_junit(run, conclusion, catalogue());
  if (format == "html") return report::to_html(run, conclusion, style);
  if (format == "trace") return report::to_trace(run);
  if (format == "github") return report::to_github(run, conclusion);
  return report::to_text(run, conclusion, style);
}

}  // namespace

bool wants_timeline(const OutputList& outputs) {
  for (const Output& output : outputs)
    if (output.format == "html" || output.format == "trace") return true;
  return false;
}

std::string write_file(const std::string& path, const std::string& text) {
  const bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return std::strerror(errno);
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int reason = errno;
  if (!to_stdout) std::fclose(file);
  return written ? "" : std::strerror(reason == 0 ? EIO : reason);
}

bool read_file(const std::string& path, std::string& text) {
  text.clear();
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char part[1 << 16];
  for (size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, got);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

bool write_outputs(const OutputList& outputs, const report::RunResult& run, const report::Conclusion& conclusion,
                   uint64_t max_reports) {
  bool all_written = true;
  for (const Output& output : outputs) {
    report::TextStyle style = report::file_style();
    style.max_reports = max_reports;
    const std::string text = text_of(output.format, run, conclusion, style);
    const std::string error = write_file(output.file, text);
    if (error.empty()) continue;
    all_written = false;
    fmt::print(stderr, "ascsan: cannot write the {} report to {}: {}\n", output.format, printable(output.file), error);
    rescue(output.format, text);
  }
  return all_written;
}

}  // namespace ascsan::run
