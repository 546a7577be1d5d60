// See reduce_input_grad.h.
#include "reduce_input_grad.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "head_internal.h"

namespace flce::cpu {
namespace {

// Rows of one all-reduce. A divisor of every superblock Head uses, so that ranks with different shards cut alike.
constexpr int64_t kReduceRows = 256;

// Every rank keeps its share of the tokens: the whole partial sum first, then one reduce-scatter.
template <class T>
void scatter_input_grad(const LossInputs& in, const LossGradients& g, const GradWish<T>& wish, const Head<T>& head) {
  const int64_t k = in.input.cols, m = in.input.rows;
  Communicator& comm = *in.comm;
  std::vector<T> whole(m * k + 1, T(0));
  GradWish<T> local = wish;
  local.input_grad = MutableMatrix(whole.data(), own_dtype<T>(), m, k);
  local.accumulate_input = false;
  head.gradients(local);
  std::vector<int64_t> counts(comm.size());
  for (int r = 0; r < comm.size(); ++r) {
    counts[r] = (token_begin(m, comm.size(), r + 1) - token_begin(m, comm.size(), r)) * k;
  }
  std::vector<T> mine(counts[comm.rank()] + 1);
  comm.reduce_scatter_sum(whole.data(), mine.data(), counts.data(), own_dtype<T>());
  for (int64_t r = 0; r < g.input_grad.rows; ++r) {
    store_strip(table_for<T>(false), mine.data() + r * k, g.input_grad, r, 0, k, g.accumulate_input);
  }
}

// An empty shard adds zeros, in the same sequence of collectives as its peers.
template <class T>
void reduce_nothing(const LossInputs& in, const LossPlan<T>& plan, const LossGradients& g) {
  const int64_t k = in.input.cols;
  for (int64_t r0 = 0; r0 < plan.valid(); r0 += kReduceRows) {
    const int64_t rows = std::min(kReduceRows, plan.valid() - r0);
    std::vector<T> part(rows * k + 1, T(0));
    in.comm->start_all_reduce_sum(part.data(), rows * k, own_dtype<T>())->wait();
    for (int64_t r = 0; r < rows; ++r) {
      store_strip(table_for<T>(false), part.data() + r * k, g.input_grad, plan.rows[r0 + r], 0, k, g.accumulate_input);
    }
  }
}

}  // namespace

template <class T>
void reduce_input_grad(const LossInputs& in, const LossPlan<T>& plan, const LossGradients& g, const GradWish<T>& wish,
                       const Head<T>& head) {
  if (g.scatter_tokens) return scatter_input_grad(in, g, wish, head);
  if (in.weight.rows == 0) return reduce_nothing(in, plan, g);
  std::vector<std::pair<int64_t, std::unique_ptr<Request>>> pending;
  GradWish<T> w = wish;
  w.start_rows = [&](int64_t r0, int64_t r1, T* dx) {
    for (int64_t r = r0; r < r1; r += kReduceRows) {
      const int64_t k = in.input.cols, rows = std::min(kReduceRows, r1 - r);
      pending.emplace_back(r, in.comm->start_all_reduce_sum(dx + (r - r0) * k, rows * k, own_dtype<T>()));
    }
  };
  w.finish_rows = [&](int64_t r0, int64_t r1) {
    for (auto& [r, request] : pending) {
      if (r >= r0 && r < r1) request->wait();
    }
  };
  head.gradients(w);
}

template void reduce_input_grad<float>(const LossInputs&, const LossPlan<float>&, const LossGradients&,
                                       const GradWish<float>&, const Head<float>&);
template void reduce_input_grad<double>(const LossInputs&, const LossPlan<double>&, const LossGradients&,
                                        const GradWish<double>&, const Head<double>&);

}  // namespace flce::cpu
