// What a user calls a range of memory: GM tensors by name, on-chip buffers by name or by memory and offset. No host
// address leaves this file: bytes are counted from the start of the tensor or buffer.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "event/event.h"

namespace ascsan::check {

/// A tensor or buffer. Equal `key`s mean "the same thing" for merging findings, on all cores and in all launches.
struct Object {
  std::string key;   ///< name, or a stand-in without offsets: "UB", "UB queue 3"
  std::string name;  ///< for people: "masked_target", "UB+0x1a0"
  uint64_t begin = 0, end = 0;
  bool framework = false;
};

class Objects {
 public:
  /// TensorDefine, TensorRelease, BufferDefine; others are ignored.
  void on_event(const event::Event& event);
  /// On-chip buffers end with a launch.
  void end_launch();

  /// True if the framework owns the byte (E-8).
  bool framework_owned(gate::Space space, uint64_t address) const;
  bool any_framework() const { return framework_count_ != 0; }
  /// Handle of what lies at `address`. `base` is the operand's base, the stand-in where nothing is defined.
  uint32_t find(gate::Space space, event::CoreId core, uint64_t address, uint64_t base);
  const Object& at(uint32_t handle) const { return objects_[handle]; }

 private:
  uint32_t add(Object object);
  std::vector<Object> objects_;
  std::map<uint64_t, uint32_t> tensors_;                                              ///< GM, by begin
  std::vector<std::array<std::map<uint64_t, uint32_t>, gate::kSpaceCount>> buffers_;  ///< per core and space, by begin
  std::map<std::array<uint64_t, 2>, uint32_t> nameless_;                              ///< (space, base) -> handle
  uint32_t nameless_tensors_ = 0;
  size_t framework_count_ = 0;
};

}  // namespace ascsan::check
