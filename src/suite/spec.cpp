#include "suite/spec.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "run/suggest.h"

namespace ascsan::suite {
namespace {
constexpr std::string_view kOpening = "// ascsan:";
const std::vector<std::string> kKeys = {"kernel", "cores",  "type",    "rule",     "class",  "profile",   "options",
                                        "expect", "tensor", "missing", "severity", "count",  "schedules", "outcomes",
                                        "writer", "reader", "updater", "atomic",   "waiter", "setter",    "call",
                                        "access", "first",  "second",  "owner",    "user"};
const std::vector<std::string> kTypes = {"aiv", "aic", "mix_aiv", "mix_aic", "mix11", "mix12"};

struct Word {
  std::string key, value;
};

/// key=value or key="a value", separated by blanks. False: the text is malformed.
bool split(std::string_view text, std::vector<Word>& words) {
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t equal = text.find('=', at);
    if (equal == std::string_view::npos || equal == at) return false;
    Word word{std::string(text.substr(at, equal - at)), ""};
    if (word.key.find(' ') != std::string::npos) return false;
    at = equal + 1;
    const bool quoted = at < text.size() && text[at] == '"';
    const size_t end = quoted ? text.find('"', at + 1) : std::min(text.find(' ', at), text.size());
    if (end == std::string_view::npos) return false;
    word.value = text.substr(quoted ? at + 1 : at, quoted ? end - at - 1 : end - at);
    if (word.value.empty()) return false;
    words.push_back(word);
    at = quoted ? end + 1 : end;
  }
  return true;
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

class Parser {
 public:
  Parser(const std::string& file, std::vector<std::string>& errors) : file_(file), errors_(errors) {}

  std::vector<Expectation> parse(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      if (line.rfind(kOpening, 0) == 0)
        header(std::string_view(line).substr(kOpening.size()));
      else
        marks(line);
    }
    finish();
    return std::move(list_);
  }

 private:
  void error(uint32_t line, const std::string& text) { errors_.push_back(base::place(file_, line) + ": " + text); }

  void header(std::string_view text) {
    std::vector<Word> words;
    if (!split(text, words) || words.empty())
      return error(line_, "cannot read this expectation; it is made of key=value and key=\"a value\"");
    if (words[0].key == "kernel") {
      finish();
      list_.emplace_back();
      open_ = true;
      list_.back().file = file_;
      list_.back().line = line_;
    }
    if (!open_) return error(line_, "an expectation starts with kernel=NAME");
    for (const Word& word : words) apply(word);
  }

  bool number(const Word& word, uint64_t& value) {
    const char* end = word.value.data() + word.value.size();
    const auto [stop, code] = std::from_chars(word.value.data(), end, value);
    if (code == std::errc() && stop == end && value > 0) return true;
    error(line_, word.key + "=" + word.value + " is no positive number");
    return false;
  }
  void once(const std::string& key, std::string& place, const std::string& value) {
    if (!place.empty()) error(line_, key + "= is given twice");
    place = value;
  }

  void apply(const Word& word) {
    Expectation& now = list_.back();
    uint64_t value = 0;
    if (word.key == "kernel") return once("kernel", now.kernel, word.value);
    if (word.key == "type") {
      if (std::find(kTypes.begin(), kTypes.end(), word.value) == kTypes.end())
        return error(line_, "type=" + word.value + " is none of aiv, aic, mix_aiv, mix_aic, mix11, mix12");
      return once("type", now.type, word.value);
    }
    if (word.key == "cores") {
      if (number(word, value)) now.cores = static_cast<uint32_t>(value);
      return;
    }
    if (word.key == "rule" || word.key == "class") {
      now.rules.push_back(word.value);
      return;
    }
    if (word.key == "profile") {
      now.options.emplace_back("profile", word.value);
      return;
    }
    if (word.key == "options") {
      for (const std::string& part : split_list(word.value, ':')) {
        const size_t equal = part.find('=');
        if (equal == std::string::npos) return error(line_, "options=" + word.value + " is not name=value:name=value");
        now.options.emplace_back(part.substr(0, equal), part.substr(equal + 1));
      }
      return;
    }
    if (word.key == "schedules") return void(number(word, now.schedules));
    if (word.key == "outcomes") return void(number(word, now.outcomes));
    if (word.key == "expect") return expect(word.value);
    detail(word);
  }

  void expect(const std::string& value) {
    Expectation& now = list_.back();
    expected_ = true;
    if (value == "clean") {
      clean_ = true;
    } else if (value == "incomplete") {
      now.incomplete = true;
    } else if (value.size() == 7 && value.rfind("ASC", 0) == 0 &&
               std::all_of(value.begin() + 3, value.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      now.findings.emplace_back();
      now.findings.back().rule = value;
    } else {
      error(line_, "expect=" + value + " is none of clean, incomplete, ASCnnnn");
    }
  }

  /// Keys that belong to the finding named last.
  void detail(const Word& word) {
    if (std::find(kKeys.begin(), kKeys.end(), word.key) == kKeys.end()) {
      const std::string near = run::nearest(word.key, kKeys);
      return error(line_, "unknown key \"" + run::printable(word.key) + "\"" +
                              (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    }
    std::vector<ExpectedFinding>& findings = list_.back().findings;
    if (findings.empty()) return error(line_, word.key + "= needs an expect=ASCnnnn before it");
    ExpectedFinding& finding = findings.back();
    if (word.key == "tensor") return once("tensor", finding.tensor, word.value);
    if (word.key == "missing") return once("missing", finding.missing, word.value);
    if (word.key == "severity") return once("severity", finding.severity, word.value);
    if (word.key == "count") return void(number(word, finding.count));
    if (word.value[0] != '@' || word.value.size() < 2)
      return error(line_, word.key + "=" + word.value + " is no place; write @mark and put \"// @mark\" at its line");
    const std::string role = word.key == "atomic"                          ? "atomic writer"
                             : word.key == "first" || word.key == "second" ? ""
                                                                           : word.key;
    finding.sides.push_back({role, word.value.substr(1), 0});
  }

  /// "call();  // @load" or "// @load @again".
  void marks(const std::string& line) {
    const size_t comment = line.rfind("// @");
    if (comment == std::string::npos) return;
    std::istringstream names(line.substr(comment + 3));
    for (std::string name; names >> name && name[0] == '@';)
      if (!marks_.emplace(name.substr(1), line_).second) error(line_, "mark " + name + " stands twice in one kernel");
  }

  /// The kernel is complete: marks become lines, and what must be there is.
  void finish() {
    if (open_) {
      Expectation& now = list_.back();
      const auto need = [&](bool there, const std::string& what) {
        if (!there) error(now.line, "kernel " + now.kernel + ": " + what);
      };
      need(now.cores != 0, "cores= is missing");
      need(!now.type.empty(), "type= is missing");
      need(!now.rules.empty(), "rule= or class= is missing");
      need(expected_, "expect= is missing; write clean, incomplete or ASCnnnn");
      need(!clean_ || (now.findings.empty() && !now.incomplete), "expect=clean stands beside other expectations");
      for (ExpectedFinding& finding : now.findings) {
        const bool race = finding.rule.rfind("ASC1", 0) == 0;
        need(!race || (finding.sides.size() == 2 && !finding.tensor.empty() && !finding.missing.empty()),
             "a race needs both places, tensor= and missing=");
        need(!finding.sides.empty() || !finding.tensor.empty(),
             finding.rule + " needs at least one place, such as call=@mark, or tensor=");
        for (ExpectedSide& side : finding.sides) {
          const auto mark = marks_.find(side.mark);
          need(mark != marks_.end(), "no line of it has the mark // @" + side.mark);
          if (mark != marks_.end()) side.line = mark->second;
        }
      }
    }
    open_ = expected_ = clean_ = false;
    marks_.clear();
  }

  const std::string& file_;
  std::vector<std::string>& errors_;
  std::vector<Expectation> list_;
  std::map<std::string, uint32_t> marks_;
  uint32_t line_ = 0;
  bool open_ = false, expected_ = false, clean_ = false;
};
}  // namespace

std::vector<Expectation> parse_expectations(const std::string& text, const std::string& file,
                                            std::vector<std::string>& errors) {
  return Parser(file, errors).parse(text);
}

std::vector<Expectation> read_folder(const std::string& folder, std::vector<std::string>& errors) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure))
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  if (failure) errors.push_back("cannot read folder " + folder + ": " + failure.message());
  std::sort(files.begin(), files.end());
  std::vector<Expectation> all;
  std::map<std::string, const std::string> places;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) errors.push_back("cannot read " + path.string());
    for (Expectation& one : parse_expectations(text.str(), path.string(), errors)) {
      const auto [known, fresh] = places.emplace(one.kernel, base::place(one.file, one.line));
      if (!fresh)
        errors.push_back(base::place(one.file, one.line) + ": kernel " + one.kernel + " has an expectation at " +
                         known->second + " already");
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace ascsan::suite
