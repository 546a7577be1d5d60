// Call stacks of the accesses in findings. The first run keeps only the place of each call; a second, identical run is
// asked for the stacks of the instructions that matter (design/architecture.md decision 6). Here: the question, the
// answer, and how the answer is merged into the findings. Left out: how a stack is taken.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace ascsan::report {

/// Names one instruction of a run.
struct AccessKey {
  uint32_t launch = 0, core = 0, pipe = 0, index = 0;
  friend auto operator<=>(const AccessKey&, const AccessKey&) = default;
};

struct AccessStack {
  AccessKey key;
  std::vector<Frame> frames;  ///< innermost first, with the frames of the framework
};

/// The instructions whose stacks the findings want, sorted, each once.
std::vector<AccessKey> wanted_accesses(const RunResult& run);

/// One line "launch core pipe index" per access.
std::string to_wanted_text(const std::vector<AccessKey>& keys);
/// False when a line is something else.
bool parse_wanted_text(std::string_view text, std::vector<AccessKey>& keys);

/// {"stacks": [{"launch", "core", "pipe", "index", "frames": [{"function", "file", "line"}]}]}
std::string stacks_to_json(const std::vector<AccessStack>& stacks);
bool stacks_from_json(std::string_view text, std::vector<AccessStack>& stacks, std::string* error);

/// True for a frame of the API headers or of the tool itself.
bool is_framework(const Frame& frame);

/// The part of a stack a reader wants: up to and including the kernel entry, framework frames left out unless `all`.
std::vector<Frame> user_frames(const std::vector<Frame>& stack, const std::string& kernel, bool all);

/// Puts the stacks into the findings. Accesses without an answer keep the place of their call; returns how many.
size_t merge_stacks(RunResult& run, const std::vector<AccessStack>& stacks, bool all_frames);

}  // namespace ascsan::report
