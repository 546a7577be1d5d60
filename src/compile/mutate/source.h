// The text of a kernel as far as mutation needs it: tokens with their brackets, and inside device functions (those
// marked __aicore__) blocks, statements and the call a statement consists of. No parser of C++: macros are not
// expanded, preprocessor lines are skipped, types and overloads are unknown, and lambdas, switch labels and `do` loops
// inside a device function are taken as one statement. Code outside device functions (main, host helpers) is left
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascsan::compile {

constexpr size_t kNone = ~size_t{0};

struct Token {
  enum class Kind : uint8_t { kWord, kNumber, kString, kMark };
  Kind kind = Kind::kMark;
  size_t begin = 0, end = 0;  ///< bytes of the text
  uint32_t line = 0;          ///< from 1
};

/// Tokens first to last - 1.
struct Range {
  size_t first = 0, last = 0;
  bool empty() const { return first == last; }
};

/// `object.name<arguments...>(arguments...)`, alone, in `variable = ...` or in `Type variable = ...`.
struct Call {
  std::string name, object, variable;
  bool declares = false;  ///< the statement declares `variable`
  std::vector<Range> templates, arguments;
  size_t open = kNone, close = kNone;  ///< its round brackets
  explicit operator bool() const { return !name.empty(); }
};

struct Statement {
  Range tokens;  ///< with its semicolon or closing brace
  size_t block = kNone, position = 0;
  bool simple = false;  ///< ends with a semicolon and has no body
  bool declaration = false;
  std::vector<size_t> bodies;  ///< blocks of a compound statement
  Call call;
};

struct Block {
  Range tokens;  ///< with its braces, if it has some
  bool loop = false;
  size_t owner = kNone;  ///< the statement it is a body of; none: a function
  std::vector<size_t> statements;
};

class Source {
 public:
  explicit Source(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::vector<Statement>& statements() const { return statements_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  std::string_view word(size_t token) const;
  bool is(size_t token, std::string_view text) const { return token < tokens_.size() && word(token) == text; }
  /// The text from the first to the last token of the range.
  std::string text_of(const Range& range) const;
  /// The matching bracket, or kNone.
  size_t partner(size_t token) const { return partners_[token]; }
  uint32_t line(const Statement& statement) const { return tokens_[statement.tokens.first].line; }
  /// The statement before or after in the same block, or null.
  const Statement* neighbour(const Statement& statement, int step) const;
  /// Tokens of device functions, in order: what may be mutated.
  const std::vector<Range>& device() const { return device_; }
  /// Commas at the top level of the tokens inside the brackets cut them into pieces.
  std::vector<Range> pieces(size_t open, size_t close) const;

 private:
  void tokenise();
  void match_brackets();
  void find_functions();
  size_t parse_block(size_t open, size_t owner, bool loop);
  size_t parse_statement(size_t at, size_t block);
  size_t parse_body(size_t at, size_t owner, bool loop);
  size_t template_open(size_t close) const;
  void find_call(Statement& statement) const;

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<size_t> partners_;
  std::vector<Statement> statements_;
  std::vector<Block> blocks_;
  std::vector<Range> device_;
};

}  // namespace ascsan::compile
