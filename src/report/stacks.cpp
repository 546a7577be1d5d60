// Question and answer of the second run. See stacks.h.
#include "report/stacks.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace ascsan::report {
namespace {

AccessKey key_of(const Finding& finding, const AccessInfo& access) {
  return {finding.launch, access.core_id, access.pipe_id, access.index};
}

/// "void ns::kernel<half>(T*)" -> "kernel".
std::string_view base_name(std::string_view function) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";  // clang, and the demangler
  for (size_t at = function.find(kUnnamed); at != std::string_view::npos && at == function.find_first_of("<(");
       at = function.find(kUnnamed))
    function.remove_prefix(at + kUnnamed.size());
  function = function.substr(0, function.find_first_of("<("));
  const size_t cut = function.find_last_of(" :*&");
  return cut == std::string_view::npos ? function : function.substr(cut + 1);
}

bool is_entry(const Frame& frame, const std::string& kernel) {
  return !kernel.empty() && base_name(frame.function) == base_name(kernel);
}

bool in_folder(std::string_view file, std::string_view folder) {
  const size_t at = file.find(folder);
  return at != std::string_view::npos && (at == 0 || file[at - 1] == '/');
}

}  // namespace

std::vector<AccessKey> wanted_accesses(const RunResult& run) {
  std::vector<AccessKey> keys;
  for (const Finding& finding : run.findings)
    for (const AccessInfo& access : finding.accesses)
      if (access.index != 0) keys.push_back(key_of(finding, access));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::string to_wanted_text(const std::vector<AccessKey>& keys) {
  std::string text;
  for (const AccessKey& key : keys) text += fmt::format("{} {} {} {}\n", key.launch, key.core, key.pipe, key.index);
  return text;
}

bool parse_wanted_text(std::string_view text, std::vector<AccessKey>& keys) {
  keys.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint32_t numbers[4] = {};
    for (int i = 0; i < 4; ++i) {
      const auto [next, error] = std::from_chars(at, end, numbers[i]);
      if (error != std::errc() || next == end || *next != (i == 3 ? '\n' : ' ')) return false;
      at = next + 1;
    }
    keys.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return true;
}

bool is_framework(const Frame& frame) {
  return in_folder(frame.file, "include/ascendc/") || frame.function.rfind("ascsan::", 0) == 0 ||
         frame.function.rfind("ascsan_", 0) == 0;
}

/// A compiler may split a function; the outer half then shows up as a caller of the same name in the same file.
bool is_part_of(const Frame& inner, const Frame& outer) {
  return inner.function == outer.function && inner.file == outer.file;
}

std::vector<Frame> user_frames(const std::vector<Frame>& stack, const std::string& kernel, bool all) {
  auto end = std::find_if(stack.begin(), stack.end(), [&](const Frame& frame) { return is_entry(frame, kernel); });
  if (end != stack.end()) ++end;
  std::vector<Frame> frames;
  for (auto frame = stack.begin(); frame != end; ++frame)
    if ((all || !is_framework(*frame)) && !(frames.size() > 0 && is_part_of(frames.back(), *frame)))
      frames.push_back(*frame);
  return frames;
}

size_t merge_stacks(RunResult& run, const std::vector<AccessStack>& stacks, bool all_frames) {
  std::vector<AccessStack> sorted = stacks;
  const auto before = [](const AccessStack& a, const AccessKey& key) { return a.key < key; };
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  size_t missing = 0;
  for (Finding& finding : run.findings) {
    for (AccessInfo& access : finding.accesses) {
      if (access.index == 0) continue;
      const AccessKey key = key_of(finding, access);
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), key, before);
      std::vector<Frame> frames;
      if (found != sorted.end() && found->key == key) frames = user_frames(found->frames, finding.kernel, all_frames);
      if (frames.empty())
        ++missing;
      else
        access.stack = std::move(frames);
    }
  }
  return missing;
}

}  // namespace ascsan::report
