// One line on the terminal while the batch runs: bar, launches done, case. Silent elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace flce::batch {

class Progress {
 public:
  Progress(bool enabled, uint64_t launches) : enabled_(enabled), launches_(launches) {}
  ~Progress() { clear(); }
  void begin_case(const std::string& id);
  void launch_done();
  /// Removes the line.
  void clear();

 private:
  void draw();

  bool enabled_, drawn_ = false;
  uint64_t launches_, done_ = 0;
  std::string case_;
};

}  // namespace flce::batch
