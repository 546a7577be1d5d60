// The gradient pass of several ranks: each makes its part of input_grad, from its columns of the vocabulary, and the
// parts are summed in the working type (fp32). Every rank calls the same collectives in the same order, also one with
// an empty shard. Leaves out: the collectives of forward, see loss.cpp.
#pragma once

#include "flce/loss.h"
#include "head.h"
#include "loss_plan.h"

namespace flce::cpu {

/// Makes weight_grad as `wish` asks, and input_grad summed over all ranks: finished rows travel while the next rows are
/// computed, or every rank keeps its share of the tokens (scatter_tokens).
template <class T>
void reduce_input_grad(const LossInputs& in, const LossPlan<T>& plan, const LossGradients& g, const GradWish<T>& wish,
                       const Head<T>& head);

}  // namespace flce::cpu
