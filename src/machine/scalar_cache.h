// The data cache of one core's scalar unit: private, write-back, 64-byte lines, coherent with nobody
// (spec/execution-model.md 6.1). Lines stay until dcci or the end of the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace ascsan::machine {

class ScalarCache {
 public:
  static constexpr uint64_t kLineBytes = 64;
  struct Line {
    std::array<std::byte, kLineBytes> data;
    bool dirty = false;
  };
  static uint64_t line_of(uint64_t address) { return address / kLineBytes * kLineBytes; }
  Line* find(uint64_t line) {
    const auto found = lines_.find(line);
    return found == lines_.end() ? nullptr : &found->second;
  }
  Line& add(uint64_t line) { return lines_[line]; }
  void drop(uint64_t line) { lines_.erase(line); }
  std::map<uint64_t, Line>& lines() { return lines_; }

 private:
  std::map<uint64_t, Line> lines_;
};

}  // namespace ascsan::machine
