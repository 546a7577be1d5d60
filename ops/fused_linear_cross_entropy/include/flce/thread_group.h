// Ranks as threads of one process: the test double of the communicator, and a way to use sharded weights in one
// process. Sums are taken in rank order, so they are the same on every rank and in every run.
#pragma once

#include <memory>

#include "flce/communicator.h"

namespace flce {

class ThreadGroup {
 public:
  /// A collective that not all ranks reach within `timeout_seconds` fails on all ranks.
  explicit ThreadGroup(int size, double timeout_seconds = 60);
  ~ThreadGroup();
  /// One object per rank and thread. Destroying it counts as leaving: ranks that still wait for it fail.
  std::unique_ptr<Communicator> member(int rank);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace flce
