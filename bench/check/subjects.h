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
/// Makes a subject when its turn comes: a launch looks at every live tensor, so nobody's data may lie around.
using Maker = std::function<Subject()>;

/// The kernels of tests/kernels: queues, flags, reductions, barriers, atomics, cube, MIX.
std::vector<Maker> corpus_kernels();
/// The shipped operator on its smoke cases.
std::vector<Maker> operator_kernels();
/// All of tests/litmus.
std::vector<Maker> litmus_kernels();

}  // namespace ascsan::bench
