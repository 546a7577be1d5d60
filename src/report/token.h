// The replay token of a witness, "as1:...": everything a fresh process needs to run the same schedule again, and
// digests that say whether it did. It names the program by a digest of its file, so that a token never replays
// something else unnoticed. Text: "as1:" and base64url of the fields below, with a checksum. Left out: the path and the
// arguments of the program, which the user gives (a digest of the arguments is kept).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascsan::report {

/// One forced choice: instruction `held_index` waits for `until_index`; numbers as in AccessKey.
struct ForcedChoice {
  uint32_t held_core = 0, held_pipe = 0, held_index = 0;
  uint32_t until_core = 0, until_pipe = 0, until_index = 0;
  friend bool operator==(const ForcedChoice&, const ForcedChoice&) = default;
};

struct ReplayToken {
  uint64_t program = 0;    ///< digest of the executable file
  uint32_t arguments = 0;  ///< digest of the arguments behind it
  uint32_t launch = 0;     ///< which launch is directed, from 1
  std::string options;     ///< "name=value:name=value", what no default decides
  std::string base;        ///< schedule of everything that is not forced
  std::vector<ForcedChoice> choices;
  uint64_t inputs = 0, outputs = 0, events = 0;  ///< digests of the directed launch
  friend bool operator==(const ReplayToken&, const ReplayToken&) = default;
};

std::string to_text(const ReplayToken& token);
/// False, with one line in `error`, when the text is no token, damaged, or of another version of the tool.
bool parse_token(std::string_view text, ReplayToken& token, std::string* error);

/// Digest of a file's bytes; false when it cannot be read.
bool digest_file(const std::string& path, uint64_t& digest);
uint32_t digest_arguments(const std::vector<std::string>& arguments);

}  // namespace ascsan::report
