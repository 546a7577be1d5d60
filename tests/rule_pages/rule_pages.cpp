// The kernels of docs/rules as one program: rule_pages NAME... launches them in this order, rule_pages alone lists the
// names. The kernels and their launches come from rule_pages.inc, which cut_pages.py makes from the pages.
#include <cstdio>
#include <cstring>

#include "ascsan/run.h"
#include "kernel_operator.h"
#include "tikicpulib.h"

namespace {

struct Entry {
  const char* name;
  void (*launch)();
};

template <typename T>
uint8_t* Allocate(size_t count, const char* name) {
  auto* memory = static_cast<uint8_t*>(AscendC::GmAlloc(count * sizeof(T)));
  ascsan::name_tensor(memory, name);
  return memory;
}

#include "rule_pages.inc"

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1)
    for (const Entry& entry : kEntries) std::puts(entry.name);
  for (int i = 1; i < argc; ++i) {
    bool found = false;
    for (const Entry& entry : kEntries) {
      if (std::strcmp(entry.name, argv[i]) != 0) continue;
      found = true;
      entry.launch();
    }
    if (found) continue;
    std::fprintf(stderr, "rule_pages: no kernel %s; without arguments it lists them\n", argv[i]);
    return 2;
  }
  return 0;
}
