// Operators that change which bytes an instruction touches: one block more or less, 32 bytes further, no padding, a
// tail of full length, two cores on one block, work of one core done by all (design/rigor.md D, "footprint"). A block
// is 8 elements where the kernel has no half, else 16.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compile/mutate/mutant.h"

namespace ascsan::compile {
namespace {

/// Calls whose last argument is a number of elements.
constexpr std::array kCounted{"DataCopy", "Add",  "Sub",        "Mul",   "Div",  "Max",       "Min",
                              "Adds",     "Muls", "Maxs",       "Mins",  "Exp",  "Ln",        "Sqrt",
                              "Relu",     "Abs",  "Reciprocal", "Rsqrt", "Cast", "Duplicate", "Axpy"};
constexpr std::array kMoves{"DataCopy", "DataCopyPad", "Fixpipe"};

template <typename List>
bool among(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class Footprints {
 public:
  explicit Footprints(Mutants& mutants) : mutants_(mutants), source_(mutants.source()) {
    for (size_t i = 0; i < source_.tokens().size(); ++i)
      if (source_.is(i, "half")) block_ = "16";
  }

  void counts() {
    for (const Statement& statement : source_.statements()) {
      const Call& call = statement.call;
      if (!among(kCounted, call.name) || !call.object.empty() || call.arguments.size() < 3) continue;
      const Range& count = call.arguments.back();
      const std::string text = source_.text_of(count);
      if (text.find('(') != std::string::npos || text.find('{') != std::string::npos || among(kParams, text)) continue;
      if (call.name == "Cast" && text.find("Round") != std::string::npos) continue;
      mutants_.add("footprint", "one block more", fmt::format("{} of {} + {}", call.name, text, block_),
                   {mutants_.replace(count, fmt::format("({}) + {}", text, block_))});
      mutants_.add("footprint", "one block less", fmt::format("{} of {} - {}", call.name, text, block_),
                   {mutants_.replace(count, fmt::format("({}) - {}", text, block_))});
    }
  }
  void offsets() {
    for (const Statement& statement : source_.statements()) {
      const Call& call = statement.call;
      if (!among(kMoves, call.name) || call.arguments.size() < 2) continue;
      for (size_t i = 0; i < 2; ++i) {
        const Range& tensor = call.arguments[i];
        const std::string text = source_.text_of(tensor);
        if (text.back() == ']' && source_.partner(tensor.last - 1) != kNone) {
          const Range index{source_.partner(tensor.last - 1) + 1, tensor.last - 1};
          mutants_.add("footprint", "32 bytes further", fmt::format("{} of {} + {}", call.name, text, block_),
                       {mutants_.replace(index, fmt::format("({}) + {}", source_.text_of(index), block_))});
        } else if (tensor.last - tensor.first == 1) {
          mutants_.add("footprint", "32 bytes further", fmt::format("{} of {}[{}]", call.name, text, block_),
                       {mutants_.replace(tensor, fmt::format("{}[{}]", text, block_))});
        }
      }
    }
  }
  /// DataCopyPadExtParams<T> pad{true, ...}, DataCopyExtParams move{blocks, bytes, ...}.
  void pads() {
    each_braces("DataCopyPadExtParams", [&](const std::vector<Range>& fields) {
      if (source_.text_of(fields[0]) == "true")
        mutants_.add("footprint", "no padding", "isPad is false", {mutants_.replace(fields[0], "false")});
    });
    each_braces("DataCopyExtParams", [&](const std::vector<Range>& fields) {
      if (fields.size() < 2) return;
      const std::string bytes = source_.text_of(fields[1]);
      for (const char* change : {"+ 32", "- 4"})
        mutants_.add("footprint", "length of a padded copy", fmt::format("{} {} bytes", bytes, change),
                     {mutants_.replace(fields[1], fmt::format("static_cast<uint32_t>({} {})", bytes, change))});
    });
  }
  void tails() {
    in_device([&](size_t i) {
      if (!(source_.is(i, "min") || source_.is(i, "Min")) || !source_.is(i + 1, "(") || i < 2 ||
          !source_.is(i - 1, "::"))
        return;
      const std::vector<Range> pieces = source_.pieces(i + 1, source_.partner(i + 1));
      if (pieces.size() != 2) return;
      for (const Range& piece : pieces)
        mutants_.add("footprint", "tail without mask", fmt::format("always {}", source_.text_of(piece)),
                     {mutants_.replace({i - 2, source_.partner(i + 1) + 1}, source_.text_of(piece))});
    });
  }
  void cores() {
    in_device([&](size_t i) {
      if (!source_.is(i, "GetBlockIdx") || !source_.is(i + 1, "(")) return;
      size_t first = i;
      while (first >= 2 && source_.is(first - 1, "::")) first -= 2;
      mutants_.add("footprint", "two cores share a block", "GetBlockIdx() / 2",
                   {mutants_.replace({first, i + 3}, "(" + source_.text_of({first, i + 3}) + " / 2)")});
    });
    for (const Statement& statement : source_.statements()) {
      if (statement.bodies.empty() || !source_.is(statement.tokens.first, "if")) continue;
      const size_t open = statement.tokens.first + 1;
      if (!source_.is(open, "(") || source_.partner(open) == kNone) continue;
      const Range condition{open + 1, source_.partner(open)};
      const std::string text = source_.text_of(condition);
      if (text.find("GetBlockIdx") != std::string::npos || text.rfind("me ", 0) == 0)
        mutants_.add("footprint", "work of one core done by all", fmt::format("if ({}) always holds", text),
                     {mutants_.replace(condition, "(" + text + ") || true")});
    }
  }

 private:
  static constexpr std::array kParams{"move", "load", "turned", "params", "pad", "copy", "mmad"};

  template <typename F>
  void in_device(F&& visit) {
    for (const Range& function : source_.device())
      for (size_t i = function.first; i < function.last; ++i) visit(i);
  }
  /// Fields of `Type name{...}`, `Type{...}` and their template forms.
  template <typename F>
  void each_braces(const char* type, F&& visit) {
    in_device([&](size_t i) {
      if (!source_.is(i, type)) return;
      for (size_t at = i + 1; at < i + 7 && !source_.is(at, ";"); ++at)
        if (source_.is(at, "{") && source_.partner(at) != kNone) return visit(source_.pieces(at, source_.partner(at)));
    });
  }

  Mutants& mutants_;
  const Source& source_;
  std::string block_ = "8";
};

}  // namespace

void change_footprints(Mutants& mutants) {
  Footprints footprints(mutants);
  footprints.counts();
  footprints.offsets();
  footprints.pads();
  footprints.tails();
  footprints.cores();
}

}  // namespace ascsan::compile
