#include "run/stages.h"

#include <algorithm>
#include <set>

#include "explain/call_stack.h"
#include "report/function_name.h"
#include "report/stacks.h"

namespace ascsan::run {
namespace {

std::string name_of(const report::Frame& frame) {
  return report::short_function(frame.function);
}

/// Operations that prepare buffers and tensors and touch no data. A function that does nothing else sets up: so are
/// constructors found whose class cannot be read from their name (debug information leaves it out of inlined ones of
/// unnamed namespaces).
bool is_set_up(gate::Op op) {
  switch (op) {
    case gate::Op::kPipeInit:
    case gate::Op::kPipeReset:
    case gate::Op::kPipeDestroy:
    case gate::Op::kPoolInit:
    case gate::Op::kPoolReset:
    case gate::Op::kQueueInit:
    case gate::Op::kBufferInit:
    case gate::Op::kBufferGet:
    case gate::Op::kBindGlobal:
    case gate::Op::kKernelType:
    case gate::Op::kGetInfo:
    case gate::Op::kSetWorkspace:
      return true;
    default:
      return false;
  }
}

/// Construction, destruction and Init set a kernel up; they are no stages.
bool is_set_up(const report::Frame& frame) {
  const std::string name = name_of(frame);
  if (name == "Init" || name == "init" || name[0] == '~') return true;
  // A constructor bears the name of its class, template arguments apart.
  std::string scope = frame.function.substr(0, std::min(frame.function.rfind("::" + name), frame.function.size()));
  if (!scope.empty() && scope.back() == '>') scope = scope.substr(0, scope.find('<'));
  const size_t last = scope.rfind("::");
  return scope.size() < frame.function.size() && (last == std::string::npos ? scope : scope.substr(last + 2)) == name;
}

/// The frame `depth` steps below the entry, null when the stack is not that deep.
const report::Frame* at_depth(const std::vector<report::Frame>& frames, size_t depth) {
  return depth < frames.size() ? &frames[frames.size() - 1 - depth] : nullptr;
}

}  // namespace

Stages::Stack& Stages::stack_of(const std::vector<uint64_t>& addresses) {
  const auto found = stacks_.find(addresses);
  if (found != stacks_.end()) return found->second;
  std::vector<uint64_t> unknown;
  for (const uint64_t address : addresses)
    if (symbols_.find(address) == symbols_.end()) unknown.push_back(address);
  const auto fresh = explain::symbolize_each(unknown);
  for (size_t i = 0; i < unknown.size(); ++i) symbols_[unknown[i]] = fresh[i];
  std::vector<report::Frame> all;
  for (const uint64_t address : addresses) {
    const auto& frames = symbols_[address];
    all.insert(all.end(), frames.begin(), frames.end());
  }
  Stack& stack = stacks_[addresses];
  stack.frames = report::user_frames(all, kernel_, false);
  stack.order = stacks_.size();
  if (!stages_.empty()) place(stack);
  return stack;
}

void Stages::learn(const machine::Core& core, gate::Op op) {
  Stack& stack = stack_of(explain::capture_addresses());
  stack.works = stack.works || !is_set_up(op);
  (core.kind == gate::CoreKind::kAic ? stack.on_aic : stack.on_aiv) = true;
}

void Stages::mark(event::CoreId core, const char* text) {
  marked_[core] = text;
  if (std::find(mark_names_.begin(), mark_names_.end(), text) == mark_names_.end()) mark_names_.emplace_back(text);
}

void Stages::finish() {
  stages_.clear();
  if (!mark_names_.empty()) {
    for (const std::string& name : mark_names_) {
      Stage stage;
      stage.name = name;
      stage.first_line = stage.last_line = static_cast<uint32_t>(stages_.size() + 1);
      stage.on_aic = stage.on_aiv = true;
      stages_.push_back(stage);
    }
    return;
  }
  std::vector<const Stack*> stacks;
  for (const auto& [addresses, stack] : stacks_)
    if (stack.works) stacks.push_back(&stack);
  std::sort(stacks.begin(), stacks.end(), [](const Stack* a, const Stack* b) { return a->order < b->order; });
  // Down from the entry, as long as there is only one way.
  top_depth_ = 0;
  for (size_t depth = 0;; ++depth) {
    std::set<std::string> callees;
    std::string only;
    for (const Stack* stack : stacks) {
      const report::Frame* frame = at_depth(stack->frames, depth + 1);
      if (frame != nullptr && !is_set_up(*frame)) callees.insert(name_of(*frame)), only = name_of(*frame);
    }
    if (callees.empty()) break;
    if (callees.size() > 1) {
      top_depth_ = depth;
      break;
    }
    std::erase_if(stacks, [&](const Stack* stack) {
      const report::Frame* frame = at_depth(stack->frames, depth + 1);
      return frame == nullptr || name_of(*frame) != only;
    });
    top_depth_ = depth + 1;
  }
  for (const Stack* stack : stacks) {
    const report::Frame *top = at_depth(stack->frames, top_depth_), *callee = at_depth(stack->frames, top_depth_ + 1);
    if (top == nullptr) continue;
    top_ = name_of(*top);
    top_file_ = top->file;
    if (callee == nullptr || is_set_up(*callee)) continue;
    const std::string name = name_of(*callee);
    auto stage = std::find_if(stages_.begin(), stages_.end(), [&](const Stage& known) { return known.name == name; });
    if (stage == stages_.end()) {
      stages_.push_back({name, top->file, top->line, top->line, false, false});
      stage = stages_.end() - 1;
    }
    stage->first_line = std::min(stage->first_line, top->line);
    stage->last_line = std::max(stage->last_line, top->line);
    stage->on_aic = stage->on_aic || stack->on_aic;
    stage->on_aiv = stage->on_aiv || stack->on_aiv;
  }
  // Kinds of cores run apart, so the first appearance says little; the text of the top-level method has the order.
  std::stable_sort(stages_.begin(), stages_.end(),
                   [](const Stage& a, const Stage& b) { return a.first_line < b.first_line; });
  for (auto& [addresses, stack] : stacks_) place(stack);
}

void Stages::place(Stack& stack) const {
  const report::Frame *top = at_depth(stack.frames, top_depth_), *callee = at_depth(stack.frames, top_depth_ + 1);
  if (top == nullptr || name_of(*top) != top_) return;
  stack.position = top->line;
  stack.stage = callee != nullptr ? find(name_of(*callee)) : -1;
}

int Stages::find(const std::string& name) const {
  for (size_t i = 0; i < stages_.size(); ++i)
    if (stages_[i].name == name) return static_cast<int>(i);
  return -1;
}

Stages::Place Stages::here(const machine::Core& core) {
  Stack& stack = stack_of(explain::capture_addresses());
  if (mark_names_.empty()) return {stack.position, stack.stage, &stack.frames};
  const auto mark = marked_.find(core.id);
  const int stage = mark == marked_.end() ? -1 : find(mark->second);
  return {static_cast<uint32_t>(stage + 1), stage, &stack.frames};
}

}  // namespace ascsan::run
