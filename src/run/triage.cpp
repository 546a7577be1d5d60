// Suppressions and baseline as options. See triage.h.
#include "run/triage.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "run/outputs.h"
#include "run/suggest.h"

namespace ascsan::run {

std::string load_triage(const Options& options, Triage& triage) {
  triage = {};
  std::string text;
  std::error_code ignored;
  const std::string& file = options.suppressions;
  const bool asked = options.origin_of(OptionId::suppressions) != Origin::kDefault;
  if (!file.empty() && (asked || std::filesystem::exists(file, ignored))) {
    // With write_suppressions the file may be about to be made.
    if (std::filesystem::is_regular_file(file, ignored) && read_file(file, text)) {
      std::string error = report::parse_suppressions(text, printable(file), triage.entries);
      if (!error.empty()) return error;
    } else if (!options.write_suppressions || std::filesystem::exists(file, ignored)) {
      return fmt::format("option suppressions: cannot read {}", printable(file));
    }
  }
  if (options.baseline.empty()) return "";
  if (!std::filesystem::is_regular_file(options.baseline, ignored) || !read_file(options.baseline, text))
    return fmt::format("option baseline: cannot read {}", printable(options.baseline));
  const std::string wrong = report::parse_baseline(text, triage.baseline);
  if (!wrong.empty()) return fmt::format("option baseline: {} is unusable: {}", printable(options.baseline), wrong);
  triage.has_baseline = true;
  return "";
}

void apply_triage(const Options& options, const Triage& triage, report::RunResult& run) {
  if (!triage.entries.empty())
    report::apply_suppressions(run, triage.entries, printable(options.suppressions), report::today());
  if (triage.has_baseline) report::apply_baseline(run, triage.baseline);
}

bool write_suppressions(const Options& options, const report::RunResult& run) {
  if (!options.write_suppressions || options.suppressions.empty()) return true;
  std::string text;
  (void)read_file(options.suppressions, text);
  const std::string more = report::suggest_suppressions(run, text);
  if (more.empty()) {
    fmt::print(stderr, "ascsan: no finding needs a new entry in {}\n", printable(options.suppressions));
    return true;
  }
  if (text.empty())
    text = "# Findings that are accepted for a while. Take away the comment marks of an entry and give a reason.\n";
  else if (text.back() != '\n')
    text += '\n';
  const std::string error = write_file(options.suppressions, text + more);
  if (error.empty())
    fmt::print(stderr, "ascsan: entries for the findings are in {}; they count once their comment marks are gone\n",
               printable(options.suppressions));
  else
    fmt::print(stderr, "ascsan: cannot write {}: {}\n", printable(options.suppressions), error);
  return error.empty();
}

}  // namespace ascsan::run
