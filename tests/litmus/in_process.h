// A litmus kernel inside a test program: a machine of its own, any schedule, any sink. Many runs of many kernels then
// cost milliseconds, not processes.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "event/sink.h"
#include "isa/op_table.h"
#include "litmus.h"
#include "machine/machine.h"
#include "schedule/make.h"

namespace litmus {

struct Run {
  std::string schedule = "in_order";
  uint64_t seed = 1;
  bool auto_sync = true;
};

inline ascsan::machine::KernelType kernel_type(Type type) {
  using ascsan::machine::KernelType;
  switch (type) {
    case Type::aiv:
      return KernelType::kAivOnly;
    case Type::aic:
      return KernelType::kAicOnly;
    case Type::mix_aiv:
      return KernelType::kMixAiv10;
    case Type::mix_aic:
      return KernelType::kMixAic10;
    case Type::mix11:
      return KernelType::kMixAic11;
    case Type::mix12:
      break;
  }
  return KernelType::kMixAic12;
}

/// Memory of one kernel, kept over its runs so that addresses repeat.
class Bench {
 public:
  explicit Bench(const Kernel& kernel) : kernel_(kernel) {
    uint8_t** tensors[] = {&gm_.x, &gm_.y, &gm_.z, &gm_.w, &workspace_};
    const char* names[] = {"x", "y", "z", "w", "system workspace"};
    for (int i = 0; i < 5; ++i) {
      *tensors[i] = static_cast<uint8_t*>(memory_.allocate(i < 4 ? kGmBytes : 1 << 20, 0));
      memory_.find(reinterpret_cast<uint64_t>(*tensors[i]))->name = names[i];
    }
    memory_.find(reinterpret_cast<uint64_t>(workspace_))->framework = true;
  }

  /// Every launch of the kernel. The end of the last one.
  ascsan::machine::LaunchOutcome run(const Run& how, ascsan::event::SiteTable& sites, ascsan::event::Sink& sink) {
    for (uint8_t* tensor : {gm_.x, gm_.y, gm_.z, gm_.w}) std::memset(tensor, 0, kGmBytes);
    ascsan::machine::MachineOptions options;
    options.chip = ascsan::machine::find_chip("910B1");
    options.auto_sync = how.auto_sync;
    options.max_steps = 1000000;
    ascsan::machine::Machine machine(ascsan::isa::op_table(), memory_, sites, options);
    const auto scheduler = ascsan::schedule::make_scheduler(how.schedule, how.seed, 3, nullptr);
    ascsan::machine::LaunchOutcome outcome;
    for (turn() = 0; turn() < kernel_.launches; ++turn()) {
      ascsan::machine::LaunchPlan plan;
      plan.kernel = kernel_.name;
      plan.type = kernel_type(kernel_.type);
      plan.block_dim = kernel_.blocks;
      plan.number = turn() + 1;
      plan.closure = this;
      plan.system_workspace = workspace_;
      plan.entry = [](void* self) { static_cast<Bench*>(self)->kernel_.body(static_cast<Bench*>(self)->gm_); };
      outcome = machine.launch(plan, *scheduler, &sink);
    }
    return outcome;
  }

 private:
  const Kernel& kernel_;
  ascsan::machine::GlobalMemory memory_;
  Gm gm_{};
  uint8_t* workspace_ = nullptr;
};

}  // namespace litmus
