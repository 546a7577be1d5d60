// Progress line (see progress.h), on stderr so that reports on stdout stay clean.
#include "fused_linear_cross_entropy/batch/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace flce::batch {

void Progress::begin_case(const std::string& id) {
  case_ = id;
  draw();
}

void Progress::launch_done() {
  ++done_;
  draw();
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::draw() {
  if (!enabled_) return;
  constexpr uint64_t kWidth = 24;
  const uint64_t filled = launches_ == 0 ? kWidth : done_ * kWidth / launches_;
  std::string bar;
  for (uint64_t i = 0; i < kWidth; ++i) bar += i < filled ? '#' : '.';
  std::fputs(fmt::format("\r\033[K[{}] {}/{} launches · {}", bar, done_, launches_, case_.substr(0, 40)).c_str(),
             stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace flce::batch
