#include "run/session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "check/suite.h"
#include "event/fan_out.h"
#include "explain/call_stack.h"
#include "explain/timeline.h"
#include "isa/op_table.h"
#include "report/as_json.h"
#include "report/as_text.h"
#include "run/amend.h"
#include "run/deliver.h"
#include "run/experiments.h"
#include "run/outputs.h"
#include "schedule/make.h"

namespace ascsan::run {
namespace {
constexpr uint64_t kSystemWorkspaceBytes = uint64_t{16} << 20;  // spec/execution-model.md 1.2
constexpr int kPoisonByte = 0xA5;                               // gm_fill=poison
Session* g_session = nullptr;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

machine::KernelType type_of_mode(int mode) {
  // KernelMode of tikicpulib.h; MIX_MODE stands for 1:2.
  switch (mode) {
    case 1:
      return machine::KernelType::kAicOnly;
    case 2:
      return machine::KernelType::kAivOnly;
    case 3:
      return machine::KernelType::kMixAic11;
    case 4:
      return machine::KernelType::kMixAiv10;
    case 5:
      return machine::KernelType::kMixAic10;
    default:
      return machine::KernelType::kMixAic12;
  }
}

/// Words of an argument expression that name no tensor: types, and members behind the name ("x_.data").
bool says_nothing(const std::string& word, bool behind_a_name) {
  for (const char* type : {"GM_ADDR", "uint8_t", "__gm__", "void", "const", "char", "nullptr"})
    if (word == type) return true;
  for (const char* member : {"data", "get", "addr", "address", "ptr", "pointer", "begin"})
    if (behind_a_name && word == member) return true;
  return false;
}

/// "(GM_ADDR)x", "x.data()", "&x", "static_cast<T*>(x)": the last name of the expression that is not a call.
std::string name_from_expression(const std::string& text) {
  std::string best, word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    const bool is_call = c == '(' || c == '<';
    if (!word.empty() && !is_call && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
        !says_nothing(word, !best.empty()))
      best = word;
    word.clear();
  }
  while (!best.empty() && best.back() == '_') best.pop_back();
  return best;
}

std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void at_exit(int status, void*) {
  const int wanted = Session::get().finish(status);
  if (wanted == status) return;
  std::fflush(nullptr);
  _exit(wanted);
}
}  // namespace

Session* Session::existing() {
  return g_session;
}

Session& Session::get() {
  if (g_session == nullptr) g_session = new Session;  // never destroyed: the exit handler still needs it
  return *g_session;
}

Session::Session() {
  started_ = now();
  const std::string error = load_options(options_);
  if (!error.empty()) {
    std::fprintf(stderr, "ascsan: %s\n", error.c_str());
    _exit(report::kExitUsage);
  }
  if (const char* path = std::getenv("ASCSAN_RESULT")) result_path_ = path;
  const char* role = std::getenv("ASCSAN_ROLE");
  stacks_role_ = role != nullptr && std::string(role) == "stacks";
  supervised_ = !result_path_.empty() || std::getenv("ASCSAN_OPTIONS") != nullptr;
  if (stacks_role_) {
    const char* wanted = std::getenv("ASCSAN_WANTED");
    if (wanted != nullptr) report::parse_wanted_text(read_file(wanted), wanted_);
    if (const char* path = std::getenv("ASCSAN_TIMELINE")) timeline_path_ = path;
  }
  experiments_ = Experiments::from_environment();
  on_exit(at_exit, nullptr);
}

std::string Session::set_option(const std::string& name, const std::string& value) {
  const std::string error = run::set_option(options_, name, value, Origin::kProgram);
  if (error.empty()) machine_.reset();  // chip, profile and limits are read when the machine is built
  return error;
}

void* Session::allocate(uint64_t bytes) {
  void* memory = memory_.allocate(bytes, options_.gm_fill == GmFill::kPoison ? kPoisonByte : 0);
  if (memory == nullptr) {
    std::fprintf(stderr, "ascsan: GmAlloc of %llu bytes failed: the host has no memory for it\n",
                 static_cast<unsigned long long>(bytes));
    std::exit(report::kExitProgramFailed);
  }
  return memory;
}

void Session::release(void* address) {
  if (address == nullptr) return;
  const machine::Tensor* tensor = memory_.find(reinterpret_cast<uint64_t>(address));
  const std::string name = tensor != nullptr ? machine::GlobalMemory::describe(*tensor) : "";
  if (tensor != nullptr && suite_ != nullptr) {
    const event::Span span{tensor->begin, tensor->end};
    event::Event event;
    event.kind = event::Kind::kTensorRelease;
    event.spans = &span;
    suite_->on_event(event);
  }
  switch (memory_.release(address)) {
    case machine::GlobalMemory::FreeResult::kOk:
      return;
    case machine::GlobalMemory::FreeResult::kUnknown:
      std::fprintf(stderr, "ascsan: GmFree of an address that GmAlloc did not return; ignored\n");
      return;
    case machine::GlobalMemory::FreeResult::kRedZoneBefore:
    case machine::GlobalMemory::FreeResult::kRedZoneAfter:
      if (suite_ != nullptr)
        suite_->red_zone(name);
      else
        std::fprintf(stderr, "ascsan: bytes outside %s were overwritten\n", name.c_str());
  }
}

bool Session::name_tensor(const void* address, const std::string& name) {
  machine::Tensor* tensor = memory_.find(reinterpret_cast<uint64_t>(address));
  if (tensor == nullptr) return false;
  tensor->name = name;
  return true;
}

void Session::name_arguments(const LaunchRequest& request) {
  const std::vector<std::string> parts = split_arguments(request.argument_text);
  for (uint32_t i = 0; i < request.argument_count && i < parts.size(); ++i) {
    if (request.arguments[i] == nullptr) continue;
    machine::Tensor* tensor = memory_.find(reinterpret_cast<uint64_t>(request.arguments[i]));
    if (tensor == nullptr || !tensor->name.empty()) continue;
    tensor->name = name_from_expression(parts[i]);
  }
}

void Session::build_machine() {
  machine::MachineOptions options;
  options.chip = machine::find_chip(value_of(options_, OptionId::chip));
  options.auto_sync = options_.profile == Profile::kAuto;
  options.max_steps = options_.max_steps;
  options.queue_depth = static_cast<uint32_t>(options_.queue_depth);
  options.mte_in_order = options_.mte_in_order;
  options.float_saturate = options_.sat_mode == SatMode::kSaturate;
  machine_ = std::make_unique<machine::Machine>(isa::op_table(), memory_, sites_, options);
  open_timeline();
  if (stacks_role_ || recorder_) machine_->set_issue_hook(&Session::on_issue, this);
}

/// Timelines are recorded in the second run, around the accesses of the findings; a program started alone has one run
/// and keeps the newest part of each launch.
void Session::open_timeline() {
  const bool wanted =
      stacks_role_ ? !timeline_path_.empty() : result_path_.empty() && options_.check && wants_timeline(options_.out);
  if (!wanted || recorder_) return;
  recorder_ = std::make_unique<explain::TimelineRecorder>(sites_);
  recorder_->want(wanted_);
}

/// The second run may stop as soon as every wanted stack is known.
bool Session::stacks_complete() const {
  if (!stacks_role_ || stacks_.size() != wanted_.size()) return false;
  return !recorder_ || !wanted_.empty() || launches_ >= explain::TimelineLimits{}.launches;
}

void Session::launch(const LaunchRequest& request) {
  if (in_launch_) {
    std::fprintf(stderr, "ascsan: a kernel launch from inside a kernel is not possible; ignored\n");
    return;
  }
  if (!machine_) build_machine();
  ++launches_;
  if (system_workspace_ == nullptr) {
    system_workspace_ = mmap(nullptr, kSystemWorkspaceBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory_.adopt(system_workspace_, kSystemWorkspaceBytes, "system workspace");
    memory_.find(reinterpret_cast<uint64_t>(system_workspace_))->framework = true;
  }
  name_arguments(request);

  std::string error;
  const auto scheduler = schedule::make_scheduler(value_of(options_, OptionId::schedule), options_.seed,
                                                  static_cast<uint32_t>(options_.depth), &error);
  if (!scheduler) {
    std::fprintf(stderr, "ascsan: %s\n", error.c_str());
    std::exit(report::kExitUsage);
  }
  const bool checked = options_.check && !stacks_role_ && !experiments_;
  if (checked && !suite_) suite_ = std::make_unique<check::Suite>(sites_);
  if (suite_)
    suite_->configure({.strict_profile = options_.profile == Profile::kStrict,
                       .mte_in_order = options_.mte_in_order,
                       .poison = options_.gm_fill == GmFill::kPoison ? kPoisonByte : -1,
                       .normal_launch = options_.launch_mode == LaunchMode::kNormal,
                       .checkers = options_.checkers});
  machine::LaunchPlan plan;
  plan.kernel = request.kernel;
  plan.type = type_of_mode(kernel_mode_);
  plan.block_dim = request.block_dim;
  plan.number = launches_;
  plan.tiling_key = tiling_key_;
  plan.entry = request.entry;
  plan.closure = request.closure;
  plan.system_workspace = system_workspace_;

  announce(plan);
  if (experiment(plan)) return;
  const double start = now();
  in_launch_ = true;
  arm_guard(options_.hang_seconds);
  event::FanOut sinks;
  if (checked) sinks.add(suite_.get());
  sinks.add(recorder_.get());
  event::Sink* const sink = recorder_ ? static_cast<event::Sink*>(&sinks) : checked ? suite_.get() : nullptr;
  const machine::LaunchOutcome outcome = machine_->launch(plan, *scheduler, sink);
  disarm_guard();
  if (amendments_) amendments_->finish(*machine_);
  in_launch_ = false;
  launch_seconds_ += now() - start;
  record_outcome(plan, outcome);
  if (stacks_complete()) {
    finish(0);
    _exit(0);
  }
}

void Session::mark_stage(const char* name) {
  const machine::Core* core = machine_ != nullptr ? machine_->running_core() : nullptr;
  if (core == nullptr) return;
  if (experiments_) experiments_->mark(core->id, name);
  if (amendments_) amendments_->mark(core->id, name);
}

bool Session::experiment(const machine::LaunchPlan& plan) {
  if (!experiments_) {
    if (!amendments_) amendments_ = Amendments::from_options(options_);
    const std::string error = amendments_ ? amendments_->prepare(*machine_, memory_, sites_, plan, options_) : "";
    if (error.empty()) return false;
    std::fprintf(stderr, "ascsan: %s\n", error.c_str());
    std::exit(report::kExitUsage);
  }
  in_launch_ = true;
  arm_guard(options_.hang_seconds);
  const Experiments::Next next = experiments_->at_launch(*machine_, memory_, sites_, plan, options_);
  disarm_guard();
  in_launch_ = false;
  if (next == Experiments::Next::kExit) {
    finish(0);
    _exit(0);
  }
  return next == Experiments::Next::kLaunched;
}

void Session::announce(const machine::LaunchPlan& plan) {
  report::Launch launch;
  launch.kernel = plan.kernel;
  launch.chip = value_of(options_, OptionId::chip);
  launch.profile = value_of(options_, OptionId::profile);
  launch.schedule = value_of(options_, OptionId::schedule);
  launch.seed = options_.seed;
  launch.block_dim = plan.block_dim;
  result_.launches.push_back(launch);
}

void Session::record_outcome(const machine::LaunchPlan& plan, const machine::LaunchOutcome& outcome) {
  report::Launch& launch = result_.launches.back();
  const machine::KernelShape& shape = machine::shape_of(outcome.type);
  launch.aic = plan.block_dim * shape.aic_per_block;
  launch.aiv = plan.block_dim * shape.aiv_per_block;
  launch.instructions = outcome.instructions;
  if (suite_ != nullptr) launch.bytes_checked = suite_->take_bytes_checked();
  using End = machine::LaunchOutcome::End;
  if (outcome.end == End::kStepLimit || outcome.end == End::kRefused) note_unchecked(plan.kernel, outcome.text);
  if (outcome.end == End::kTrapped && result_.crash.empty()) result_.crash = outcome.text;
  if (outcome.end == End::kStalled && !options_.check)
    std::fprintf(stderr, "ascsan: %s hangs\n%s\n", plan.kernel.c_str(), outcome.text.c_str());
}

void Session::note_unchecked(const std::string& what, const std::string& why) {
  for (const report::Unchecked& known : result_.unchecked)
    if (known.what == what && known.why == why) return;
  result_.unchecked.push_back({what, why});
}

void Session::on_issue(void* session, const machine::Core& core, gate::Pipe pipe, uint32_t index) {
  auto& self = *static_cast<Session*>(session);
  if (self.recorder_) self.recorder_->on_issue(core.id, pipe, index);
  if (!self.stacks_role_) return;
  const report::AccessKey key{self.launches_, core.id, static_cast<uint32_t>(pipe), index};
  if (!std::binary_search(self.wanted_.begin(), self.wanted_.end(), key)) return;
  for (const report::AccessStack& known : self.stacks_)
    if (known.key == key) return;
  self.stacks_.push_back({key, explain::symbolize(explain::capture_addresses(), false)});
}

void Session::collect() {
  if (suite_ != nullptr) suite_->take(result_.findings, result_.unchecked);
}

void Session::begin_capture() {
  collect();
  set_aside_ = {};
  std::swap(set_aside_.findings, result_.findings);
  std::swap(set_aside_.unchecked, result_.unchecked);
  capture_start_ = launches_;
}

uint32_t Session::end_capture(report::RunResult& captured) {
  collect();
  captured.findings = std::exchange(result_.findings, std::move(set_aside_.findings));
  captured.unchecked = std::exchange(result_.unchecked, std::move(set_aside_.unchecked));
  set_aside_ = {};
  return launches_ - capture_start_;
}

void Session::write_result(const std::string& path, const std::string& text) {
  // Written beside and renamed, so that the reader never sees half a file.
  const std::string part = path + ".part";
  std::FILE* file = std::fopen(part.c_str(), "wb");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed || std::rename(part.c_str(), path.c_str()) != 0)
    std::fprintf(stderr, "ascsan: the result could not be written to %s\n", path.c_str());
}

int Session::finish(int status) {
  if (finished_) return status;
  finished_ = true;
  if (experiments_) {
    if (!in_launch_) experiments_->at_end();
    if (!result_path_.empty()) write_result(result_path_, experiments_->answer());
    return status;
  }
  if (stacks_role_) {
    if (recorder_) write_result(timeline_path_, report::timelines_to_json(recorder_->take()));
    if (!result_path_.empty()) write_result(result_path_, report::stacks_to_json(stacks_));
    return status;
  }
  collect();
  if (const std::string gap = amendments_ ? amendments_->unmet() : ""; !gap.empty())
    note_unchecked("option what_if", gap);
  result_.options = describe(options_);
  result_.timing.total_seconds = now() - started_;
  result_.timing.launch_seconds = launch_seconds_;
  if (!result_path_.empty()) {
    write_result(result_path_, report::to_raw_json(result_));
    return status;
  }
  if (recorder_) result_.timelines = recorder_->take();
  if (!options_.check || launches_ == 0) return result_.crash.empty() ? status : report::kExitProgramFailed;
  return deliver(result_, options_, status);
}

}  // namespace ascsan::run
