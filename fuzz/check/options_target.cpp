// Option texts from every source. Whatever the bytes: a value or an error text, and what was accepted comes back the
// same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz_file.h"
#include "run/options.h"

namespace {
using ascsan::run::Options;

void round_trip(const Options& options) {
  const std::string text = to_environment(options);
  Options again;
  if (!parse_environment(again, text).empty()) std::abort();
  if (to_environment(again) != text) std::abort();
}

void command_line(const std::string& text) {
  std::vector<std::string> args;
  std::string word;
  for (const char c : text) {
    if (c != '\n')
      word += c;
    else
      args.push_back(std::move(word)), word.clear();
  }
  args.push_back(word);
  Options options;
  size_t first = 0;
  if (parse_command_line(options, args, first).empty()) round_trip(options);
  if (first > args.size()) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  Options options;
  switch (data[0] % 3) {
    case 0:
      if (parse_environment(options, text).empty()) round_trip(options);
      break;
    case 1:
      command_line(text);
      break;
    default:
      if (read_config(options, fuzz::file_with(text, "toml")).empty()) round_trip(options);
  }
  show_options(options);
  return 0;
}
