// The other side of ascsan/launch_api.h: linked in front of the session, it runs every launch of a program for the
// truth about it instead of checking it. In order, with its events for order_truth.h and rule_truth.h; under 30 other
// schedules, whose outputs are compared; and from other contents of fresh memory, on chip and global. Memory then holds
// what the in-order run left, and the program compares it with its reference. The answer is JSON in the file that
// MUTANT_TRUTH names. No clock, no checker and no report of the product takes part.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "ascsan/launch_api.h"
#include "event/fan_out.h"
#include "isa/op_table.h"
#include "run/lab.h"
#include "schedule/make.h"
#include "truth/order_truth.h"
#include "truth/rule_truth.h"

namespace ascsan::mutants {
namespace {
using Json = nlohmann::json;
using End = machine::LaunchOutcome::End;

constexpr int kPoison = 0xA5;
constexpr size_t kPoisonRun = 32;  ///< bytes in a row that count as never written
constexpr uint64_t kWorkspaceBytes = uint64_t{1} << 20;

/// What fresh memory may hold: quiet NaN, small, large of either sign as float; all different as half and integer.
struct Fill {
  uint16_t local;
  int global;
};
constexpr Fill kFills[] = {{0x7FC1, kPoison}, {0x3C3C, 0x3C}, {0x7F00, 0x7E}, {0xFEFE, 0xFE}, {0x0000, 0x00}};

const char* name_of(End end) {
  switch (end) {
    case End::kDone:
      return "done";
    case End::kStalled:
      return "stalled";
    case End::kStepLimit:
      return "endless";
    case End::kTrapped:
      return "trapped";
    case End::kRefused:
      return "refused";
  }
  return "";
}

/// Bytes of GM that a run stored to.
class Stores : public event::Sink {
 public:
  void on_event(const event::Event& event) override {
    if (event.kind != event::Kind::kInstruction && event.kind != event::Kind::kScalarAccess) return;
    for (uint32_t a = 0; a < event.access_count; ++a) {
      const event::Access& access = event.accesses[a];
      if (access.space != gate::Space::kGm || !event::writes(access.role)) continue;
      for (uint32_t s = 0; s < access.span_count; ++s) spans.push_back(event.spans[access.first_span + s]);
    }
  }
  std::vector<event::Span> spans;
};

class Truth {
 public:
  static Truth& get() {
    static Truth* truth = new Truth;  // never destroyed: the exit handler needs it
    return *truth;
  }
  void* allocate(uint64_t bytes) { return memory_.allocate(bytes, kPoison); }
  void release(void* address) { memory_.release(address); }
  void set_mode(int mode) { mode_ = mode; }
  void name(const void* address, const char* text) {
    if (machine::Tensor* tensor = memory_.find(reinterpret_cast<uint64_t>(address))) tensor->name = text;
  }
  void option(const std::string& name, const std::string& value) {
    if (name == "profile") auto_sync_ = value != "strict";
  }
  void launch(const char* kernel, uint32_t blocks, void (*entry)(void*), void* closure);

 private:
  Truth() {
    workspace_ = static_cast<uint8_t*>(memory_.allocate(kWorkspaceBytes, 0));
    memory_.find(reinterpret_cast<uint64_t>(workspace_))->framework = true;
    memory_.find(reinterpret_cast<uint64_t>(workspace_))->name = "system workspace";
    answer_ = {{"launches", Json::array()}};
    std::atexit([] { get().write(); });
  }
  void write() const {
    const char* path = std::getenv("MUTANT_TRUTH");
    if (path == nullptr) return;
    std::ofstream(path) << answer_.dump(1) << "\n";
  }
  machine::LaunchPlan plan(const char* kernel, uint32_t blocks, void (*entry)(void*), void* closure) const;
  void find_fresh();
  void refill(int byte) const;
  void in_order(machine::LaunchPlan plan, Json& result);
  void schedules(run::Lab& lab, const run::RunOutcome& reference, Json& result) const;
  void fills(run::Lab& lab, machine::Machine& machine, Json& result);
  std::vector<uint8_t> stored(const run::Lab& lab, const Stores& stores) const;

  machine::GlobalMemory memory_;
  event::SiteTable sites_;
  uint8_t* workspace_ = nullptr;
  int mode_ = 0;
  bool auto_sync_ = true;
  uint32_t number_ = 0;
  std::vector<event::Span> fresh_;  ///< bytes of GM that hold poison when the launch begins
  Json answer_;
};

machine::LaunchPlan Truth::plan(const char* kernel, uint32_t blocks, void (*entry)(void*), void* closure) const {
  using machine::KernelType;
  constexpr KernelType kTypes[] = {KernelType::kMixAic12, KernelType::kAicOnly,  KernelType::kAivOnly,
                                   KernelType::kMixAic11, KernelType::kMixAiv10, KernelType::kMixAic10};
  machine::LaunchPlan plan;
  plan.kernel = kernel;
  plan.type = kTypes[mode_];
  plan.block_dim = blocks;
  plan.number = number_;
  plan.entry = entry;
  plan.closure = closure;
  plan.system_workspace = workspace_;
  return plan;
}

void Truth::find_fresh() {
  fresh_.clear();
  memory_.each([&](const machine::Tensor& tensor) {
    if (tensor.framework) return;
    const auto* bytes = reinterpret_cast<const uint8_t*>(tensor.begin);
    const uint64_t size = tensor.end - tensor.begin;
    for (uint64_t at = 0; at < size;) {
      uint64_t stop = at;
      while (stop < size && bytes[stop] == kPoison) ++stop;
      if (stop - at >= kPoisonRun) fresh_.push_back({tensor.begin + at, tensor.begin + stop});
      at = stop + 1;
    }
  });
}

void Truth::refill(int byte) const {
  for (const event::Span& span : fresh_) std::memset(reinterpret_cast<void*>(span.begin), byte, span.end - span.begin);
}

/// The bytes of outputs that the launch has stored to, in the order of tensors.
std::vector<uint8_t> Truth::stored(const run::Lab& lab, const Stores& stores) const {
  std::map<uint64_t, uint8_t> bytes;
  for (const event::Span& span : stores.spans) {
    const machine::Tensor* tensor = memory_.find(span.begin);
    if (tensor == nullptr || tensor->framework || !lab.is_output(tensor->number)) continue;
    for (uint64_t at = span.begin; at < std::min(span.end, tensor->end); ++at)
      bytes[at] = *reinterpret_cast<const uint8_t*>(at);
  }
  std::vector<uint8_t> list;
  for (const auto& [at, byte] : bytes) list.push_back(byte);
  return list;
}

void Truth::schedules(run::Lab& lab, const run::RunOutcome& reference, Json& result) const {
  Json differing = Json::array(), hanging = Json::array();
  uint64_t runs = 0;
  const auto attempt = [&](const char* name, uint64_t seed) {
    const auto scheduler = schedule::make_scheduler(name, seed, 3, nullptr);
    const run::RunOutcome got = lab.run(*scheduler);
    ++runs;
    const std::string label = std::string(name) + " " + std::to_string(seed);
    if (!got.ended())
      hanging.push_back(label);
    else if (lab.differs(reference, got))
      differing.push_back(label);
  };
  attempt("deferred", 1);
  for (uint64_t seed = 1; seed <= 15; ++seed) attempt("random", seed);
  for (uint64_t seed = 1; seed <= 14; ++seed) attempt("pct", seed);
  result["schedules"] = {{"runs", runs}, {"differing", differing}, {"hanging", hanging}};
}

void Truth::fills(run::Lab& lab, machine::Machine& machine, Json& result) {
  std::vector<uint8_t> first;
  Json differing = Json::array();
  for (size_t i = 0; i < std::size(kFills); ++i) {
    machine.set_local_fill(kFills[i].local);
    lab.before_run = [&, i] { refill(kFills[i].global); };
    const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
    Stores stores;
    const run::RunOutcome got = lab.run(*scheduler, nullptr, [&](run::LaunchRecord&) {});
    for (const auto& [number, use] : got.record->uses()) {
      const machine::Tensor* tensor = lab.tensor(number);
      for (const run::LaunchRecord::Write& write : use.writes)
        if (tensor != nullptr) stores.spans.push_back({tensor->begin + write.begin, tensor->begin + write.end});
    }
    const std::vector<uint8_t> bytes = stored(lab, stores);
    if (i == 0)
      first = bytes;
    else if (bytes != first || !got.ended())
      differing.push_back(i);
  }
  lab.before_run = {};
  machine.set_local_fill(kFills[0].local);
  result["fills"] = {{"runs", std::size(kFills)}, {"differing", differing}};
}

void Truth::in_order(machine::LaunchPlan plan, Json& result) {
  machine::MachineOptions options;
  options.chip = machine::find_chip("910B1");
  options.auto_sync = auto_sync_;
  options.max_steps = 200000;
  machine::Machine machine(isa::op_table(), memory_, sites_, options);
  run::Lab lab(machine, memory_, sites_, plan, "*workspace*,*scratch*");
  find_fresh();
  OrderTruth order(sites_, auto_sync_);
  RuleTruth rules(sites_, memory_, *options.chip);
  event::FanOut sinks;
  sinks.add(&order);
  sinks.add(&rules);
  const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
  const machine::LaunchOutcome outcome = machine.launch(plan, *scheduler, &sinks);
  const bool ended = outcome.end == End::kDone;
  const OrderAnswer answer = order.answer();
  result["end"] = name_of(outcome.end);
  result["order"] = {{"proof", answer.proof},
                     {"states", answer.states},
                     {"schedules", answer.schedules},
                     {"hangs", answer.hangs},
                     {"steps", order.launch().ops.size()}};
  result["pairs"] = Json::array();
  for (const RacyPair& pair : answer.pairs)
    result["pairs"].push_back({{"lines", {pair.first.line, pair.second.line}},
                               {"roles", {pair.first.role, pair.second.role}},
                               {"link", pair.cores ? "cores" : pair.first.pipe + " -> " + pair.second.pipe},
                               {"space", pair.space}});
  result["faults"] = Json::array();
  for (const RuleFault& fault : rules.faults(order.launch(), ended))
    result["faults"].push_back({{"kind", fault.kind}, {"text", fault.text}, {"line", fault.line}});
  if (ended) {
    const auto again = schedule::make_scheduler("in_order", 1, 1, nullptr);
    const run::RunOutcome reference = lab.run(*again);
    schedules(lab, reference, result);
    fills(lab, machine, result);
  }
  // Leave what the in-order run leaves.
  lab.run(*schedule::make_scheduler("in_order", 1, 1, nullptr));
}

void Truth::launch(const char* kernel, uint32_t blocks, void (*entry)(void*), void* closure) {
  ++number_;
  Json result = {{"kernel", kernel}};
  in_order(plan(kernel, blocks, entry, closure), result);
  answer_["launches"].push_back(result);
}

}  // namespace
}  // namespace ascsan::mutants

using ascsan::mutants::Truth;

extern "C" {
void* ascsan_gm_alloc(uint64_t bytes) {
  return Truth::get().allocate(bytes);
}
void ascsan_gm_free(void* address) {
  Truth::get().release(address);
}
void ascsan_set_kernel_mode(int mode) {
  Truth::get().set_mode(mode);
}
void ascsan_set_tiling_key(uint64_t) {}
uint64_t ascsan_tiling_key() {
  return 0;
}
void ascsan_launch(const char* kernel, uint32_t block_dim, void (*entry)(void*), void* closure, const char*,
                   const void* const*, uint32_t) {
  Truth::get().launch(kernel, block_dim, entry, closure);
}
int ascsan_tensor_name(const void* address, const char* name) {
  return Truth::get().name(address, name), 0;
}
int ascsan_set_option(const char* name, const char* value) {
  return Truth::get().option(name, value), 0;
}
void ascsan_stage(const char*) {}
}
