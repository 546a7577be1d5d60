#include "run/lab.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "event/fan_out.h"

namespace ascsan::run {
namespace {

bool matches_at(const char* pattern, const char* name) {
  for (; *pattern != '\0'; ++pattern, ++name) {
    if (*pattern == '*') {
      for (;; ++name) {
        if (matches_at(pattern + 1, name)) return true;
        if (*name == '\0') return false;
      }
    }
    if (*name == '\0') return false;
    if (*pattern != '?' &&
        std::tolower(static_cast<unsigned char>(*pattern)) != std::tolower(static_cast<unsigned char>(*name)))
      return false;
  }
  return *name == '\0';
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  return matches_at(pattern.c_str(), name.c_str());
}

Lab::Lab(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
         const machine::LaunchPlan& plan, const std::string& scratch)
    : machine_(machine), memory_(memory), sites_(sites), plan_(plan), scratch_(scratch), progress_(machine.progress()) {
  std::map<uint32_t, uint64_t> digests;  // in the order of allocation: addresses differ between processes
  memory_.each([&](const machine::Tensor& tensor) {
    const auto* from = reinterpret_cast<const std::byte*>(tensor.begin);
    std::vector<std::byte>& copy = kept_[tensor.number];
    copy.assign(from, from + (tensor.end - tensor.begin));
    if (tensor.framework) return;
    base::Hash hash;
    hash.bytes(copy.data(), copy.size());
    digests[tensor.number] = hash.value();
  });
  base::Hash hash;
  for (const auto& [number, digest] : digests) hash.word(number), hash.word(digest);
  hash.text(plan.kernel);
  hash.word(plan.block_dim);
  hash.word(plan.tiling_key);
  inputs_digest_ = hash.value();
}

uint64_t Lab::bytes_to_keep(machine::GlobalMemory& memory) {
  uint64_t bytes = 0;
  memory.each([&](const machine::Tensor& tensor) { bytes += tensor.end - tensor.begin; });
  return bytes;
}

void Lab::restore() {
  memory_.each([&](const machine::Tensor& tensor) {
    const auto found = kept_.find(tensor.number);
    if (found != kept_.end() && !found->second.empty())
      std::memcpy(reinterpret_cast<void*>(tensor.begin), found->second.data(), found->second.size());
  });
}

RunOutcome Lab::run(machine::Scheduler& scheduler, machine::Interposer* interposer,
                    const std::function<void(LaunchRecord&)>& prepare, event::Sink* checks) {
  restore();
  if (before_run) before_run();
  RunOutcome result;
  result.record = std::make_unique<LaunchRecord>(machine_, memory_, sites_);
  if (prepare) prepare(*result.record);
  machine_.set_progress(progress_);
  machine_.set_interposer(interposer);
  event::FanOut both;
  both.add(checks);
  both.add(result.record.get());
  event::Sink* const sink = checks != nullptr ? static_cast<event::Sink*>(&both) : result.record.get();
  result.outcome = machine_.launch(plan_, scheduler, sink);
  machine_.set_interposer(nullptr);
  base::Hash hash;
  for (const auto& [number, use] : result.record->uses()) {
    const machine::Tensor* of = use.written_by_type.empty() ? nullptr : tensor(number);
    if (of == nullptr) continue;
    const auto* from = reinterpret_cast<const std::byte*>(of->begin);
    std::vector<std::byte>& copy = result.written[number];
    copy.assign(from, from + (of->end - of->begin));
    hash.word(number);
    hash.bytes(copy.data(), copy.size());
  }
  result.outputs_digest = hash.value();
  return result;
}

const machine::Tensor* Lab::tensor(uint32_t number) const {
  const machine::Tensor* found = nullptr;
  memory_.each([&](const machine::Tensor& tensor) {
    if (tensor.number == number && !tensor.framework) found = &tensor;
  });
  return found;
}

std::string Lab::name_of(uint32_t number) const {
  const machine::Tensor* found = tensor(number);
  return found != nullptr ? machine::GlobalMemory::describe(*found) : "";
}

bool Lab::is_output(uint32_t number) const {
  const std::string name = name_of(number);
  for (size_t begin = 0; begin < scratch_.size();) {
    const size_t end = std::min(scratch_.find(',', begin), scratch_.size());
    if (matches(scratch_.substr(begin, end - begin), name)) return false;
    begin = end + 1;
  }
  return !name.empty();
}

uint64_t Lab::outputs_digest(const RunOutcome& run) const {
  base::Hash hash;
  for (const auto& [number, bytes] : run.written) {
    if (!is_output(number)) continue;
    hash.text(name_of(number));
    hash.bytes(bytes.data(), bytes.size());
  }
  return hash.value();
}

bool Lab::differs(const RunOutcome& expected, const RunOutcome& got) const {
  if (expected.outcome.end != got.outcome.end) return true;
  return !compare(expected, got).empty();
}

}  // namespace ascsan::run
