#include "check/objects.h"

#include <cstdio>

#include "event/names.h"

namespace ascsan::check {
namespace {
using gate::Space;

std::string with_offset(Space space, uint64_t offset) {
  char text[40];
  std::snprintf(text, sizeof text, "%s+0x%llx", event::space_name(space), static_cast<unsigned long long>(offset));
  return text;
}

uint32_t containing(const std::map<uint64_t, uint32_t>& by_begin, const std::vector<Object>& objects,
                    uint64_t address) {
  auto after = by_begin.upper_bound(address);
  if (after == by_begin.begin()) return 0;
  const uint32_t handle = std::prev(after)->second;
  return address < objects[handle].end ? handle : 0;
}
}  // namespace

uint32_t Objects::add(Object object) {
  if (objects_.empty()) objects_.emplace_back();  // handle 0 = none
  objects_.push_back(std::move(object));
  return static_cast<uint32_t>(objects_.size() - 1);
}

void Objects::on_event(const event::Event& event) {
  const std::string text = event.text != nullptr ? event.text : "";
  switch (event.kind) {
    case event::Kind::kTensorDefine: {
      const event::Span span = event.spans[0];
      const bool framework = event.value[0] == 1;
      std::string name = text;
      if (name.empty()) name = "GM tensor " + std::to_string(++nameless_tensors_);
      const auto known = tensors_.find(span.begin);
      if (known != tensors_.end()) {
        const Object& object = objects_[known->second];
        if (object.end == span.end && object.framework == framework && (text.empty() || object.name == name)) return;
        framework_count_ -= object.framework;
      }
      tensors_[span.begin] = add({name, name, span.begin, span.end, framework});
      framework_count_ += framework;
      return;
    }
    case event::Kind::kTensorRelease: {
      const auto known = tensors_.find(event.spans[0].begin);
      if (known == tensors_.end()) return;
      framework_count_ -= objects_[known->second].framework;
      tensors_.erase(known);
      return;
    }
    case event::Kind::kBufferDefine: {
      const Space space = event.accesses[0].space;
      const event::Span span = event.spans[0];
      if (space == Space::kGm || static_cast<int>(space) >= gate::kSpaceCount) return;
      if (event.core >= buffers_.size()) buffers_.resize(event.core + size_t{1});
      auto& buffers = buffers_[event.core][static_cast<size_t>(space)];
      // A new allocation hides the older ones it overlaps (TPipe::Reset starts again at 0).
      for (auto at = buffers.begin(); at != buffers.end();)
        at = at->first < span.end && span.begin < objects_[at->second].end ? buffers.erase(at) : std::next(at);
      const std::string key =
          !text.empty() ? text : std::string(event::space_name(space)) + " queue " + std::to_string(event.id);
      const std::string name = !text.empty() ? text : with_offset(space, span.begin);
      // SPMD: the same buffer on every core is one object.
      const std::array<uint64_t, 2> place{static_cast<uint64_t>(space) << 32 | span.begin, span.end};
      const auto same = nameless_.find(place);
      if (same != nameless_.end() && objects_[same->second].key == key) {
        buffers[span.begin] = same->second;
        return;
      }
      buffers[span.begin] = nameless_[place] = add({key, name, span.begin, span.end, false});
      return;
    }
    default:
      return;
  }
}

void Objects::end_launch() {
  for (auto& core : buffers_)
    for (auto& buffers : core) buffers.clear();
}

bool Objects::framework_owned(Space space, uint64_t address) const {
  if (framework_count_ == 0 || space != Space::kGm) return false;
  const uint32_t handle = containing(tensors_, objects_, address);
  return handle != 0 && objects_[handle].framework;
}

uint32_t Objects::find(Space space, event::CoreId core, uint64_t address, uint64_t base) {
  uint32_t handle = 0;
  if (space == Space::kGm)
    handle = containing(tensors_, objects_, address);
  else if (core < buffers_.size())
    handle = containing(buffers_[core][static_cast<size_t>(space)], objects_, address);
  if (handle != 0) return handle;
  if (base > address) base = address;
  const std::array<uint64_t, 2> place{static_cast<uint64_t>(space) << 32, base};
  const auto known = nameless_.find(place);
  if (known != nameless_.end()) return known->second;
  const std::string key = event::space_name(space);
  return nameless_[place] = add({key, space == Space::kGm ? key : with_offset(space, base), base, ~uint64_t{0}, false});
}

}  // namespace ascsan::check
