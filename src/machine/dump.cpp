// DumpTensor: prints what a tensor holds at the moment the program asks. On the device it is a barrier and flushes the
// cache, which hides races; here it is neither (spec/api-semantics.md 7): queued instructions that write the tensor are
// completed first, and no order follows from it.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "ascendc/float16.h"
#include "machine/machine.h"

namespace ascsan::machine {
namespace {
void print_element(const std::byte* at, gate::DataType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, gate::bytes_of(type));
  const auto sign_extend = [&](uint32_t width) { return static_cast<int64_t>(bits << (64 - width)) >> (64 - width); };
  float real;
  switch (type) {
    case gate::DataType::kFloat:
      std::memcpy(&real, &bits, 4), std::printf("%g", static_cast<double>(real));
      break;
    case gate::DataType::kHalf: {
      half value;
      std::memcpy(&value, &bits, 2);
      std::printf("%g", static_cast<double>(static_cast<float>(value)));
      break;
    }
    case gate::DataType::kBfloat16: {
      bfloat16_t value;
      std::memcpy(&value, &bits, 2);
      std::printf("%g", static_cast<double>(static_cast<float>(value)));
      break;
    }
    case gate::DataType::kInt8:
      std::printf("%" PRId64, sign_extend(8));
      break;
    case gate::DataType::kInt16:
      std::printf("%" PRId64, sign_extend(16));
      break;
    case gate::DataType::kInt32:
      std::printf("%" PRId64, sign_extend(32));
      break;
    case gate::DataType::kInt64:
      std::printf("%" PRId64, sign_extend(64));
      break;
    default:
      std::printf("%" PRIu64, bits);
      break;
  }
}
}  // namespace

void Machine::dump_tensor(Core& core, const gate::Request& request) {
  const gate::Operand& operand = request.operand[0];
  const uint32_t size = std::max(1u, gate::bytes_of(operand.type));
  const uint64_t elements = request.params.frame.value[1];
  ensure_storage(core, operand.space);
  Footprint footprint;
  footprint.open(operand, 0, event::Role::kRead);
  footprint.add(operand.address, elements * size);
  if (elements == 0 || !check_bounds(core, "DumpTensor", footprint, request.site)) return;
  wait_for_conflicts(core, operand, elements * size, false, request.site);
  std::printf("[%s] DumpTensor %" PRIu64 " (%s, %" PRIu64 " elements) at %s:\n", core.name().c_str(),
              request.params.frame.value[0], space_name(operand.space), elements, place(request.site).c_str());
  for (uint64_t i = 0; i < elements; ++i) {
    print_element(core.memories.at(operand) + i * size, operand.type);
    std::fputs(i + 1 == elements || i % 16 == 15 ? "\n" : ", ", stdout);
  }
}

}  // namespace ascsan::machine
