// What the checkers are timed on: kernels that can be launched again and again, each with its data.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ascsan::bench {

struct Subject {
  std::string name;
  std::function<void()> launch;  ///< once; owns the data
};

/// The kernels of tests/kernels: queues, flags, reductions, barriers, atomics, cube, MIX.
std::vector<Subject> corpus_kernels();
/// The shipped operator on its smoke cases.
std::vector<Subject> operator_kernels();
/// All of tests/litmus.
std::vector<Subject> litmus_kernels();

}  // namespace ascsan::bench
