#include "litmus_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "in_process.h"

namespace ascsan::test {

struct LitmusCase::Kernel {
  const litmus::Kernel* kernel = nullptr;
  litmus::Gm gm{};
  uint8_t* seen = nullptr;  ///< a line per core, then a copy of its on-chip memories
  const machine::Machine* machine = nullptr;

  void run() const;
  void observe() const;
};

namespace {

constexpr uint64_t kLineBytes = 64;
constexpr uint64_t kSpaceBytes = 20480;  ///< of each on-chip memory; litmus kernels use no more for what they compute
constexpr uint64_t kOnChipBytes = kSpaceBytes * gate::kSpaceCount;

}  // namespace

void LitmusCase::Kernel::run() const {
  kernel->body(gm);
  if (seen != nullptr) observe();
}

/// Most litmus kernels leave what a race has changed on chip. Behind a barrier, so that nothing is on its way any more.
void LitmusCase::Kernel::observe() const {
  AscendC::PipeBarrier<PIPE_ALL>();
  const machine::Core& core = *machine->running_core();
  const uint64_t cores = static_cast<uint64_t>(machine->core_count());
  uint8_t* to = seen + cores * kLineBytes + core.id * kOnChipBytes;
  for (size_t space = 0; space < core.storage.size(); ++space) {
    const uint64_t bytes = std::min<uint64_t>(kSpaceBytes, machine::find_chip("910B1")->bytes[space]);
    if (core.storage[space]) std::memcpy(to, core.storage[space].get(), bytes);
    to += kSpaceBytes;
  }
  // One store that is an event makes the tensor an output.
  AscendC::GlobalTensor<int32_t> line;
  line.SetGlobalBuffer(reinterpret_cast<int32_t*>(seen + core.id * kLineBytes), kLineBytes / 4);
  line.SetValue(0, 1);
  AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(line);
}

std::vector<std::string> LitmusCase::names() {
  std::vector<std::string> list;
  for (const litmus::Kernel& kernel : litmus::registry()) list.emplace_back(kernel.name);
  std::sort(list.begin(), list.end());
  return list;
}

LitmusCase::LitmusCase(const std::string& name, const Options& wishes) : kernel_(std::make_unique<Kernel>()) {
  for (const litmus::Kernel& kernel : litmus::registry())
    if (kernel.name == name) kernel_->kernel = &kernel;
  if (kernel_->kernel == nullptr) {
    std::fprintf(stderr, "there is no litmus kernel %s; is the program up to date with tests/litmus?\n", name.c_str());
    std::abort();
  }
  uint8_t* workspace = nullptr;
  uint8_t** tensors[] = {&kernel_->gm.x, &kernel_->gm.y, &kernel_->gm.z, &kernel_->gm.w, &workspace};
  const char* names[] = {"x", "y", "z", "w", "system workspace"};
  for (int i = 0; i < 5; ++i) {
    *tensors[i] = static_cast<uint8_t*>(memory_.allocate(i < 4 ? litmus::kGmBytes : 1 << 20, 0));
    memory_.find(reinterpret_cast<uint64_t>(*tensors[i]))->name = names[i];
  }
  memory_.find(reinterpret_cast<uint64_t>(workspace))->framework = true;
  uint32_t from = 0;
  for (uint8_t* tensor : {kernel_->gm.x, kernel_->gm.y, kernel_->gm.z}) {
    for (uint32_t i = 0; i < litmus::kGmElements; ++i) {
      const auto value = static_cast<float>(wishes.observed ? from + i : i % 64);
      std::memcpy(tensor + i * 4, &value, 4);
    }
    from += litmus::kGmElements;
  }
  machine::MachineOptions options;
  options.chip = machine::find_chip("910B1");
  options.max_steps = 1000000;
  options.auto_sync = !wishes.strict;
  machine_ = std::make_unique<machine::Machine>(isa::op_table(), memory_, sites_, options);
  plan_.kernel = name;
  plan_.type = litmus::kernel_type(kernel_->kernel->type);
  plan_.block_dim = kernel_->kernel->blocks;
  plan_.closure = kernel_.get();
  plan_.system_workspace = workspace;
  plan_.entry = [](void* self) { static_cast<Kernel*>(self)->run(); };
  kernel_->machine = machine_.get();
  if (wishes.observed) {
    const uint64_t cores = plan_.block_dim * 3;  // the largest type has an AIC and two AIVs
    kernel_->seen = static_cast<uint8_t*>(memory_.allocate(cores * (kLineBytes + kOnChipBytes), 0));
    memory_.find(reinterpret_cast<uint64_t>(kernel_->seen))->name = "on chip";
  }
  at_launch(1);
}

LitmusCase::~LitmusCase() = default;

uint32_t LitmusCase::launches() const {
  return kernel_->kernel->launches;
}

void LitmusCase::at_launch(uint32_t number) {
  plan_.number = number;
  litmus::turn() = number - 1;
}

run::Lab LitmusCase::lab() {
  return run::Lab(*machine_, memory_, sites_, plan_, "");
}

}  // namespace ascsan::test
