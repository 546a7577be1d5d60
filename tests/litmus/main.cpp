// The program behind `ascsan suite tests/litmus`: `litmus NAME` launches one kernel, `litmus --list` prints what there
// is as lines "name type blocks", in order of names. Tensors are named x, y, z, w and hold a ramp, so that nothing in
// them is undefined. Checking and reporting are those of any program that links ascsan.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ascsan/launch_api.h"
#include "litmus.h"

namespace {
using litmus::Kernel;

constexpr const char* kTypes[] = {"aiv", "aic", "mix_aiv", "mix_aic", "mix11", "mix12"};
constexpr int kModes[] = {2, 1, 4, 5, 3, 0};  // KernelMode of tikicpulib.h

GM_ADDR tensor(const char* name) {
  auto* data = static_cast<uint8_t*>(ascsan_gm_alloc(litmus::kGmBytes));
  for (uint32_t i = 0; i < litmus::kGmElements; ++i) {
    const auto value = static_cast<float>(i % 64);
    std::memcpy(data + i * 4, &value, 4);
  }
  ascsan_tensor_name(data, name);
  return data;
}

struct Closure {
  const Kernel* kernel;
  litmus::Gm gm;
};
void enter(void* closure) {
  const auto& self = *static_cast<Closure*>(closure);
  self.kernel->body(self.gm);
}

int run(const Kernel& kernel) {
  Closure closure{&kernel, {tensor("x"), tensor("y"), tensor("z"), tensor("w")}};
  std::memset(closure.gm.w, 0, litmus::kGmBytes);  // words: counters and workspaces start at zero
  const void* pointers[] = {closure.gm.x, closure.gm.y, closure.gm.z, closure.gm.w};
  ascsan_set_kernel_mode(kModes[static_cast<size_t>(kernel.type)]);
  for (litmus::turn() = 0; litmus::turn() < kernel.launches; ++litmus::turn())
    ascsan_launch(kernel.name, kernel.blocks, &enter, &closure, "x, y, z, w", pointers, 4);
  for (const void* pointer : pointers) ascsan_gm_free(const_cast<void*>(pointer));
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  std::vector<Kernel>& kernels = litmus::registry();
  std::sort(kernels.begin(), kernels.end(),
            [](const Kernel& a, const Kernel& b) { return std::strcmp(a.name, b.name) < 0; });
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Kernel& kernel : kernels)
      std::printf("%s %s %u\n", kernel.name, kTypes[static_cast<size_t>(kernel.type)], kernel.blocks);
    return 0;
  }
  for (const Kernel& kernel : kernels)
    if (argc == 2 && std::strcmp(argv[1], kernel.name) == 0) return run(kernel);
  std::fprintf(
      stderr,
      argc == 2 ? "litmus: no kernel \"%s\"; litmus --list shows them all\n" : "usage: litmus NAME | litmus --list\n",
      argc == 2 ? argv[1] : "");
  return 2;
}
