// Device functions, their blocks and statements, and the call of a statement. See source.h.
#include "compile/mutate/source.h"

namespace ascsan::compile {

/// Bodies of functions with __aicore__ in front of their name.
void Source::find_functions() {
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (!is(i, "__aicore__")) continue;
    size_t at = i + 1;
    while (at < tokens_.size() && !is(at, "{") && !is(at, ";"))
      at = is(at, "(") && partner(at) != kNone ? partner(at) + 1 : at + 1;
    if (!is(at, "{") || partner(at) == kNone) continue;
    device_.push_back({at, partner(at) + 1});
    parse_block(at, kNone, false);
    i = partner(at);
  }
}

/// Returns the number of the block.
size_t Source::parse_block(size_t open, size_t owner, bool loop) {
  const size_t number = blocks_.size();
  blocks_.push_back({{open, partner(open) + 1}, loop, owner, {}});
  for (size_t at = open + 1; at < partner(open);) at = parse_statement(at, number);
  return number;
}

/// The body behind `if (...)` and the like, with or without braces. Returns the token behind it.
size_t Source::parse_body(size_t at, size_t owner, bool loop) {
  if (is(at, "{")) {
    statements_[owner].bodies.push_back(kNone);  // its place, before those of deeper ones
    const size_t place = statements_[owner].bodies.size() - 1;
    const size_t number = parse_block(at, owner, loop);
    statements_[owner].bodies[place] = number;
    return partner(at) + 1;
  }
  const size_t number = blocks_.size();
  blocks_.push_back({{at, at}, loop, owner, {}});
  statements_[owner].bodies.push_back(number);
  const size_t end = parse_statement(at, number);
  blocks_[number].tokens.last = end;
  return end;
}

/// Returns the token behind the statement.
size_t Source::parse_statement(size_t at, size_t block) {
  const size_t number = statements_.size();
  statements_.emplace_back();
  statements_[number].block = block;
  statements_[number].position = blocks_[block].statements.size();
  statements_[number].tokens.first = at;
  blocks_[block].statements.push_back(number);
  size_t end = at;
  if (is(at, "{")) {
    end = parse_body(at, number, false);
  } else if (is(at, "if") || is(at, "for") || is(at, "while")) {
    const bool loop = !is(at, "if");
    end = at + 1;
    while (end < tokens_.size() && !is(end, "(") && !is(end, "{")) ++end;  // constexpr, ASCEND_IS_AIV
    if (is(end, "(") && partner(end) != kNone) end = partner(end) + 1;
    end = parse_body(end, number, loop);
    if (is(end, "else")) end = parse_body(end + 1, number, false);
  } else {
    while (end < tokens_.size() && !is(end, ";") && !is(end, "}")) {
      const bool opens = is(end, "(") || is(end, "[") || is(end, "{");
      end = opens && partner(end) != kNone ? partner(end) + 1 : end + 1;
    }
    if (is(end, ";")) ++end;
    statements_[number].simple = true;
  }
  if (end == at) ++end;  // a stray brace
  Statement& statement = statements_[number];
  statement.tokens.last = end;
  if (statement.simple) find_call(statement);
  return end;
}

/// The `<` of the template arguments that end at `close`, or kNone.
size_t Source::template_open(size_t close) const {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (is(i, ">")) ++depth;
    if (is(i, "<") && --depth == 0) return i;
    if (is(i, ";") || is(i, "{") || is(i, "}")) return kNone;
  }
  return kNone;
}

void Source::find_call(Statement& statement) const {
  const auto [first, last] = statement.tokens;
  if (last < first + 3 || !is(last - 1, ";")) return;
  // A type and a name in a row: a declaration, with or without a value.
  size_t equals = kNone;
  for (size_t i = first; i + 1 < last; ++i) {
    const bool opens = is(i, "(") || is(i, "[") || is(i, "{");
    if (is(i, "=") && equals == kNone) equals = i;
    const bool name_follows = tokens_[i + 1].kind == Token::Kind::kWord;
    if (equals == kNone && name_follows && (tokens_[i].kind == Token::Kind::kWord || is(i, ">") || is(i, "&")) &&
        !is(i, "return") && !is(i + 1, "template"))
      statement.declaration = true;
    if (opens && partner(i) != kNone) i = partner(i);
  }
  const size_t close = last - 2;
  if (!is(close, ")") || partner(close) == kNone || partner(close) <= first) return;
  Call call;
  call.close = close;
  call.open = partner(close);
  size_t name = call.open - 1;
  if (is(name, ">")) {
    const size_t open = template_open(name);
    if (open == kNone || open <= first) return;
    call.templates = pieces(open, name);
    name = open - 1;
  }
  if (tokens_[name].kind != Token::Kind::kWord) return;
  call.arguments = pieces(call.open, call.close);
  size_t before = name;
  if (before > first && is(before - 1, "template")) --before;
  if (before > first + 1 && (is(before - 1, ".") || is(before - 1, "->"))) {
    call.object = std::string(word(before - 2));
    before -= 2;
  } else if (before > first && is(before - 1, "::")) {
    while (before > first + 1 && is(before - 1, "::")) before -= 2;
  }
  if (equals != kNone) {
    if (before != equals + 1 || tokens_[equals - 1].kind != Token::Kind::kWord) return;
    call.variable = std::string(word(equals - 1));
    call.declares = statement.declaration;
  } else if (before != first) {
    return;  // `return f();`, `Type x(...)`, an expression
  }
  call.name = std::string(word(name));
  statement.call = std::move(call);
}

const Statement* Source::neighbour(const Statement& statement, int step) const {
  const std::vector<size_t>& row = blocks_[statement.block].statements;
  const size_t at = statement.position + static_cast<size_t>(step);
  return at < row.size() ? &statements_[row[at]] : nullptr;
}

}  // namespace ascsan::compile
