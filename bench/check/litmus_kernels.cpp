// The kernels of tests/litmus, clean ones and faulty ones alike: tiny launches, so this is the price of a launch, of a
// synchronisation and, where there is a fault, of finding it again and again.
#include <cstring>
#include <memory>

#include "ascsan/launch_api.h"
#include "litmus.h"
#include "subjects.h"

namespace ascsan::bench {
namespace {
constexpr int kModes[] = {2, 1, 4, 5, 3, 0};  // KernelMode of tikicpulib.h, by litmus::Type

struct Data {
  const litmus::Kernel* kernel = nullptr;
  litmus::Gm gm{};

  explicit Data(const litmus::Kernel& which) : kernel(&which) {
    const char* names[] = {"x", "y", "z", "w"};
    uint8_t** tensors[] = {&gm.x, &gm.y, &gm.z, &gm.w};
    for (int i = 0; i < 4; ++i) {
      *tensors[i] = static_cast<uint8_t*>(ascsan_gm_alloc(litmus::kGmBytes));
      std::memset(*tensors[i], 0, litmus::kGmBytes);
      ascsan_tensor_name(*tensors[i], names[i]);
    }
  }
  ~Data() {
    for (uint8_t* tensor : {gm.x, gm.y, gm.z, gm.w}) ascsan_gm_free(tensor);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  void launch() {
    const void* pointers[] = {gm.x, gm.y, gm.z, gm.w};
    std::memset(gm.w, 0, litmus::kGmBytes);
    ascsan_set_kernel_mode(kModes[static_cast<size_t>(kernel->type)]);
    for (litmus::turn() = 0; litmus::turn() < kernel->launches; ++litmus::turn())
      ascsan_launch(kernel->name, kernel->blocks, &enter, this, "x, y, z, w", pointers, 4);
  }
  static void enter(void* self) { static_cast<Data*>(self)->kernel->body(static_cast<Data*>(self)->gm); }
};

}  // namespace

std::vector<Maker> litmus_kernels() {
  std::vector<Maker> makers;
  for (const litmus::Kernel& kernel : litmus::registry())
    makers.push_back([&kernel] {
      const auto data = std::make_shared<Data>(kernel);
      return Subject{std::string("litmus ") + kernel.name, [data] { data->launch(); }};
    });
  return makers;
}

}  // namespace ascsan::bench
