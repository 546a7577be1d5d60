#include "machine/global_memory.h"

#include <cstdlib>
#include <cstring>

namespace ascsan::machine {
namespace {
constexpr int kRedZoneByte = 0xC3;
bool untouched(const std::byte* zone) {
  for (size_t i = 0; i < GlobalMemory::kRedZoneBytes; ++i)
    if (zone[i] != std::byte{kRedZoneByte}) return false;
  return true;
}
}  // namespace

GlobalMemory::~GlobalMemory() {
  for (auto& [begin, tensor] : tensors_)
    if (tensor.owned) std::free(reinterpret_cast<std::byte*>(begin) - kRedZoneBytes);
}

void* GlobalMemory::allocate(uint64_t bytes, int fill) {
  if (bytes > (uint64_t{1} << 46)) return nullptr;
  const uint64_t total = (bytes + 2 * kRedZoneBytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* base = static_cast<std::byte*>(std::aligned_alloc(kAlignment, total));
  if (base == nullptr) return nullptr;
  std::byte* first = base + kRedZoneBytes;
  std::memset(base, kRedZoneByte, kRedZoneBytes);
  std::memset(first, fill, bytes);
  std::memset(first + bytes, kRedZoneByte, total - kRedZoneBytes - bytes);
  const auto begin = reinterpret_cast<uint64_t>(first);
  tensors_[begin] = {begin, begin + bytes, "", next_number_++, false, true};
  last_ = nullptr;
  return first;
}

GlobalMemory::FreeResult GlobalMemory::release(void* address) {
  const auto found = tensors_.find(reinterpret_cast<uint64_t>(address));
  if (found == tensors_.end()) return FreeResult::kUnknown;
  auto result = FreeResult::kOk;
  if (found->second.owned) {
    auto* first = reinterpret_cast<std::byte*>(found->second.begin);
    if (!untouched(first - kRedZoneBytes))
      result = FreeResult::kRedZoneBefore;
    else if (!untouched(reinterpret_cast<std::byte*>(found->second.end)))
      result = FreeResult::kRedZoneAfter;
    std::free(first - kRedZoneBytes);
  }
  tensors_.erase(found);
  last_ = nullptr;
  return result;
}

void GlobalMemory::adopt(void* address, uint64_t bytes, const std::string& name) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  tensors_[begin] = {begin, begin + bytes, name, next_number_++, false, false};
  last_ = nullptr;
}

const Tensor* GlobalMemory::find(uint64_t address) const {
  if (last_ != nullptr && address >= last_->begin && address < last_->end) return last_;
  auto after = tensors_.upper_bound(address);
  if (after == tensors_.begin()) return nullptr;
  const Tensor& tensor = std::prev(after)->second;
  if (address >= tensor.end) return nullptr;
  last_ = &tensor;
  return &tensor;
}

const Tensor* GlobalMemory::near(uint64_t address, uint64_t reach) const {
  auto after = tensors_.upper_bound(address);
  const Tensor* above = after == tensors_.end() ? nullptr : &after->second;
  const Tensor* below = after == tensors_.begin() ? nullptr : &std::prev(after)->second;
  const uint64_t to_below = below == nullptr ? ~0ull : address < below->end ? 0 : address - below->end;
  const uint64_t to_above = above == nullptr ? ~0ull : above->begin - address;
  const Tensor* best = to_below <= to_above ? below : above;
  return best != nullptr && (to_below < to_above ? to_below : to_above) <= reach ? best : nullptr;
}

std::string GlobalMemory::describe(const Tensor& tensor) {
  if (!tensor.name.empty()) return tensor.name;
  return "GM allocation " + std::to_string(tensor.number) + " (" + std::to_string(tensor.end - tensor.begin) +
         " bytes)";
}

}  // namespace ascsan::machine
