// Vocabulary split over 1 to 4 ranks (threads of this process): even, uneven and empty shards give the loss and the
// gradients of one rank; a rank that leaves, fails, disagrees or is late ends the call on every rank.
#include "support.h"

#include <functional>
#include <thread>

#include "flce/thread_group.h"

namespace flce_test {
namespace {

// Runs body(rank, comm) on one thread per rank; returns what each threw ("" = nothing).
std::vector<std::string> run_ranks(int ranks, const std::function<void(int, flce::Communicator&)>& body,
                                   double timeout = 20) {
  flce::ThreadGroup group(ranks, timeout);
  std::vector<std::string> errors(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      auto comm = group.member(r);
      try {
        body(r, *comm);
      } catch (const std::exception& e) {
        errors[r] = e.what();
        if (errors[r].empty()) errors[r] = "?";
      }
    });
  }
  for (auto& t : threads) t.join();
  return errors;
}

struct Whole {
  Array x, w, t, bias, class_weight;
};
Whole make_whole(DType dtype, int64_t m, int64_t k, int64_t v, uint64_t seed) {
  std::mt19937_64 rng(seed);
  Whole a{Array(dtype, m, k), Array(dtype, v, k), Array(DType::kInt64, m, 1), Array(DType::kFloat32, v, 1),
          Array(DType::kFloat32, v, 1)};
  fill_random(&a.x, rng, 1);
  fill_random(&a.w, rng, 0.5);
  fill_random(&a.bias, rng, 0.3);
  for (int64_t j = 0; j < v; ++j) a.class_weight.set(j, 0, 0.25 + static_cast<double>(rng() % 1024) / 512);
  for (int64_t i = 0; i < m; ++i) a.t.set(i, 0, i % 7 == 3 ? -100.0 : static_cast<double>(rng() % v));
  a.t.set(0, 0, static_cast<double>(v - 1));  // the last class
  return a;
}
flce::LossInputs shard(const Whole& a, int64_t s, int64_t e, flce::Communicator* comm) {
  flce::LossInputs in;
  in.input = a.x.matrix();
  in.weight = a.w.matrix();
  in.weight.rows = e - s;
  in.weight.data = static_cast<const char*>(in.weight.data) + s * a.w.row_stride * flce::size_of(a.w.dtype);
  in.target = a.t.vector();
  in.bias = a.bias.vector();
  in.bias.size = e - s;
  in.bias.data = static_cast<const float*>(in.bias.data) + s;
  in.vocab_start = s;
  in.comm = comm;
  return in;
}
// As frameworks do it: the class weights of an empty shard are an empty array, without an address.
flce::Vector weights_of(const Whole& a, int64_t s, int64_t e) {
  if (s == e) return {};
  flce::Vector v = a.class_weight.vector();
  v.data = static_cast<const float*>(v.data) + s;
  v.size = e - s;
  return v;
}

struct Rank {
  Array loss, entropy, dx, dw, db;
  Rank(int64_t m, int64_t k, int64_t n, bool reduced = false)
      : loss(DType::kFloat32, reduced ? 1 : m, 1),
        entropy(DType::kFloat32, m, 1),
        dx(DType::kFloat32, m, k),
        dw(DType::kFloat32, n, k),
        db(DType::kFloat32, n, 1) {}
  void go(const flce::LossInputs& in, const flce::LossOptions& o, const flce::LossUpstream& up) {
    flce::LossGradients g;
    g.input_grad = dx.matrix();
    g.weight_grad = dw.matrix();
    g.bias_grad = db.vector();
    flce::loss_forward_backward(in, o, {loss.vector(), {}, entropy.vector(), {}}, up, g);
  }
};

TEST(Ranks, EveryPartitionMatchesOneRank) {
  const int64_t m = 300, k = 19, v = 601;
  const std::vector<std::vector<int64_t>> partitions = {
      {0, 601},           {0, 300, 601},           {0, 1, 601},          {0, 601, 601}, {0, 0, 601}, {0, 200, 400, 601},
      {0, 257, 257, 601}, {0, 150, 300, 450, 601}, {0, 0, 600, 601, 601}};
  for (int variant = 0; variant < 7; ++variant) {
    const bool mean = variant > 4, class_weights = variant > 3;
    flce::LossOptions o;
    o.reduction = mean ? flce::Reduction::kMean : flce::Reduction::kNone;
    if (variant & 1) o.label_smoothing = 0.1;
    if (variant & 2) o.softcap = 5, o.z_loss = 1e-3;
    if (variant == 5) o.smoothing_formula = flce::SmoothingFormula::kMegatron;
    const Whole a = make_whole(DType::kFloat32, m, k, v, 70 + variant);
    std::mt19937_64 rng(80 + variant);
    Array u(DType::kFloat32, m, 1), uh(DType::kFloat32, m, 1);
    fill_random(&u, rng, 1);
    fill_random(&uh, rng, 1);
    flce::LossUpstream up{u.vector(), {}, uh.vector(), {}};
    if (mean) up.loss.size = 1;
    const auto inputs = [&](int64_t s, int64_t e, flce::Communicator* comm) {
      flce::LossInputs in = shard(a, s, e, comm);
      if (class_weights) in.class_weight = weights_of(a, s, e);
      return in;
    };
    Rank one(m, k, v, mean);
    one.go(inputs(0, v, nullptr), o, up);
    for (const auto& p : partitions) {
      const int ranks = static_cast<int>(p.size()) - 1;
      SCOPED_TRACE(testing::Message() << "variant " << variant << ", " << ranks << " ranks, first cut " << p[1]);
      std::vector<Rank> runs;
      for (int r = 0; r < ranks; ++r) runs.emplace_back(m, k, p[r + 1] - p[r], mean);
      const auto errors =
          run_ranks(ranks, [&](int r, flce::Communicator& comm) { runs[r].go(inputs(p[r], p[r + 1], &comm), o, up); });
      std::vector<double> dw, db;
      for (int r = 0; r < ranks; ++r) {
        ASSERT_EQ(errors[r], "");
        EXPECT_LE(worst(runs[r].loss.values(), one.loss.values()), 1e-6);
        EXPECT_LE(worst(runs[r].entropy.values(), one.entropy.values()), 2e-6);
        EXPECT_LE(relative_norm(runs[r].dx.values(), one.dx.values()), 1e-6);
        EXPECT_EQ(runs[r].dx.values(), runs[0].dx.values());
        for (double x : runs[r].dw.values()) dw.push_back(x);
        for (double x : runs[r].db.values()) db.push_back(x);
      }
      EXPECT_LE(relative_norm(dw, one.dw.values()), 1e-6);
      EXPECT_LE(relative_norm(db, one.db.values()), 1e-6);
    }
  }
}

TEST(Ranks, ScatterAlongTokensKeepsEachRanksRows) {
  const int64_t m = 11, k = 5, v = 90;
  const Whole a = make_whole(DType::kFloat32, m, k, v, 91);
  Rank one(m, k, v);
  flce::LossOptions o;
  o.reduction = flce::Reduction::kNone;
  one.go(shard(a, 0, v, nullptr), o, {});
  for (const std::vector<int64_t>& p : {std::vector<int64_t>{0, 40, 90, 90}, {0, 30, 60, 90}}) {
    const auto errors = run_ranks(3, [&](int r, flce::Communicator& comm) {
      const auto in = shard(a, p[r], p[r + 1], &comm);
      Array loss(DType::kFloat32, m, 1), dw(DType::kFloat32, in.weight.rows, k);
      const int64_t begin = m * r / 3, rows = m * (r + 1) / 3 - begin;
      Array dx(DType::kFloat32, rows, k);
      flce::LossGradients g;
      g.input_grad = dx.matrix();
      g.weight_grad = dw.matrix();
      g.scatter_tokens = true;
      flce::loss_forward_backward(in, o, {loss.vector(), {}, {}, {}}, {}, g);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < k; ++j) EXPECT_NEAR(dx.get(i, j), one.dx.get(begin + i, j), 1e-5);
      }
    });
    EXPECT_EQ(errors, std::vector<std::string>(3));
  }
}

// The three operators and plain collectives, as callers of the NPU library write it.
TEST(Ranks, OperatorsSplitAtTheCollectives) {
  const int64_t m = 67, k = 12, v = 103;
  const Whole a = make_whole(DType::kFloat32, m, k, v, 92);
  const MaxSum one(a.x, a.w, a.t, 0, v);
  const auto loss = one.loss();
  const std::vector<int64_t> p{0, 50, 57, 103};
  const auto errors = run_ranks(3, [&](int r, flce::Communicator& comm) {
    const auto in = shard(a, p[r], p[r + 1], &comm);
    Array w(DType::kFloat32, p[r + 1] - p[r], k);
    for (int64_t j = 0; j < w.rows; ++j) {
      for (int64_t h = 0; h < k; ++h) w.set(j, h, a.w.get(p[r] + j, h));
    }
    const MaxSum f(a.x, w, a.t, p[r], p[r + 1]);
    std::vector<float> top(m), stack(2 * m);
    for (int64_t i = 0; i < m; ++i) top[i] = static_cast<float>(f.max.get(i));
    comm.all_reduce(top.data(), m, DType::kFloat32, flce::ReduceOp::kMax);
    for (int64_t i = 0; i < m; ++i) {
      const bool owned = a.t.get(i) >= p[r] && a.t.get(i) < p[r + 1];
      stack[i] = static_cast<float>(f.sum.get(i) * std::exp(f.max.get(i) - top[i]));
      stack[m + i] = owned ? static_cast<float>(f.predicted.get(i) + f.max.get(i) - top[i]) : 0.0f;
    }
    comm.all_reduce(stack.data(), 2 * m, DType::kFloat32, flce::ReduceOp::kSum);
    for (int64_t i = 0; i < m; ++i) EXPECT_NEAR(std::log(stack[i]) - stack[m + i], loss[i], 2e-6 * (1 + loss[i]));
    (void)in;
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

void expect_all_fail(const std::vector<std::string>& errors) {
  for (size_t r = 0; r < errors.size(); ++r) EXPECT_NE(errors[r], "") << "rank " << r << " saw no error";
}

TEST(Ranks, DisagreementAndDeathEndOnAllRanks) {
  const int64_t m = 8, k = 4, v = 30;
  const Whole a = make_whole(DType::kFloat32, m, k, v, 93);
  auto go = [&](int r, flce::Communicator& comm, auto change) {
    flce::LossInputs in = shard(a, 10 * r, 10 * r + 10, &comm);
    flce::LossOptions o;
    change(r, &in, &o);
    Array loss(DType::kFloat32, 1, 1);
    flce::loss_forward(in, o, {loss.vector(), {}, {}, {}});
  };
  // Another shape, another option, other targets, an overlap, a gap, a bad argument on one rank.
  const std::vector<std::function<void(int, flce::LossInputs*, flce::LossOptions*)>> changes = {
      [](int r, flce::LossInputs* in, flce::LossOptions*) {
        if (r == 1) in->input.rows = in->target.size = 7;
      },
      [](int r, flce::LossInputs*, flce::LossOptions* o) {
        if (r == 2) o->temperature = 2;
      },
      [](int r, flce::LossInputs* in, flce::LossOptions*) {
        if (r == 0) in->target.stride = 0;
      },
      [](int r, flce::LossInputs* in, flce::LossOptions*) {
        if (r == 1) in->vocab_start = 9;
      },
      [](int r, flce::LossInputs* in, flce::LossOptions*) {
        if (r == 2) in->vocab_start = 21;
      },
      [](int r, flce::LossInputs*, flce::LossOptions* o) {
        if (r == 1) o->label_smoothing = 2;
      },
      [](int, flce::LossInputs* in, flce::LossOptions*) { in->vocab_start = 0; }};  // replicated logits (Megatron 7452)
  for (size_t c = 0; c < changes.size(); ++c) {
    SCOPED_TRACE(c);
    expect_all_fail(run_ranks(3, [&](int r, flce::Communicator& comm) { go(r, comm, changes[c]); }));
  }
  // An output that only one rank asks for; class weights that only one rank has.
  expect_all_fail(run_ranks(3, [&](int r, flce::Communicator& comm) {
    Array loss(DType::kFloat32, 1, 1), entropy(DType::kFloat32, m, 1);
    flce::LossOutputs out{loss.vector(), {}, {}, {}};
    if (r == 1) out.entropy = entropy.vector();
    flce::loss_forward(shard(a, 10 * r, 10 * r + 10, &comm), {}, out);
  }));
  expect_all_fail(run_ranks(3, [&](int r, flce::Communicator& comm) {
    Array loss(DType::kFloat32, 1, 1);
    flce::LossInputs in = shard(a, 10 * r, 10 * r + 10, &comm);
    if (r == 2) in.class_weight = weights_of(a, 20, 30);
    flce::loss_forward(in, {}, {loss.vector(), {}, {}, {}});
  }));
  // A rank that dies before, or between forward and backward.
  expect_all_fail(run_ranks(3, [&](int r, flce::Communicator& comm) {
    if (r == 2) throw std::runtime_error("died");
    go(r, comm, [](int, flce::LossInputs*, flce::LossOptions*) {});
  }));
  expect_all_fail(run_ranks(3, [&](int r, flce::Communicator& comm) {
    go(r, comm, [](int, flce::LossInputs*, flce::LossOptions*) {});
    if (r == 0) throw std::runtime_error("died");
    go(r, comm, [](int, flce::LossInputs*, flce::LossOptions*) {});
  }));
  // A rank that is only late.
  flce::ThreadGroup group(2, 0.2);
  auto waiting = group.member(0), absent = group.member(1);
  int64_t one = 1, all[2];
  EXPECT_THROW(waiting->all_gather(&one, 1, all), flce::CommunicatorError);
}

// A shard that is switched off (-inf) and owns the target: the loss is +inf, because the other shard has finite logits.
TEST(Ranks, ShardOfMinusInfinityOwnsTheTarget) {
  Whole a = make_whole(DType::kFloat32, 3, 5, 8, 11);
  for (int64_t j = 0; j < 4; ++j) a.bias.set(j, 0, -std::numeric_limits<double>::infinity());
  a.t.set(0, 0, 1);
  a.t.set(1, 0, 6);
  a.t.set(2, 0, -100);
  flce::LossOptions o;
  o.reduction = flce::Reduction::kNone;
  std::vector<Array> loss(2, Array(DType::kFloat32, 3, 1));
  const auto errors = run_ranks(2, [&](int r, flce::Communicator& comm) {
    flce::loss_forward(shard(a, r * 4, r * 4 + 4, &comm), o, {loss[r].vector(), {}, {}, {}});
  });
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(errors[r], "");
    EXPECT_EQ(loss[r].get(0), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(loss[r].get(1)));
    EXPECT_EQ(loss[r].get(2), 0);
  }
}

}  // namespace
}  // namespace flce_test
