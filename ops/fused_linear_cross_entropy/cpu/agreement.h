// Before a distributed call does any work, every rank tells the others what it was asked for. A bad argument on one
// rank, another shape, or shards that do not tile the vocabulary become an error on all ranks instead of a hang.
#pragma once

#include <exception>

#include "flce/loss.h"

namespace flce::cpu {

struct Agreement {
  int64_t vocab_size = 0;  // sum of the shards
};

/// `error` is what the checks of this rank threw, if they did. `pass` tells forward from backward, and
/// which outputs are asked for where that decides what the ranks exchange.
Agreement agree(const LossInputs& in, const LossOptions& options, int64_t pass, std::exception_ptr error);

}  // namespace flce::cpu
