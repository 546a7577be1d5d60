// flce_train_step: one training step of a language model's loss head, its vocabulary split over the ranks of mpirun.
//   mpirun -n 4 flce_train_step --model qwen2.5-0.5b --tokens 256 --steps 3
// Prints loss, time and gradient norms from rank 0, and with --check compares with the whole head on one rank.
// --die-rank R ends rank R before the backward pass and --odd-rank R gives it another shape: both must end the job.
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "flce/loss.h"
#include "flce/mpi.h"
#include "flce/runtime.h"

namespace {

struct Model {
  int64_t hidden, vocab;
};
const std::map<std::string, Model> kModels = {{"tiny", {48, 1003}},
                                              {"gpt2", {768, 50257}},
                                              {"qwen2.5-0.5b", {896, 151936}},
                                              {"qwen2.5-1.5b", {1536, 151936}},
                                              {"qwen3-0.6b", {1024, 151936}},
                                              {"llama-3.2-1b", {2048, 128256}},
                                              {"llama-3-8b", {4096, 128256}},
                                              {"gemma-2-2b", {2304, 256000}},
                                              {"mistral-7b", {4096, 32000}}};

struct Settings {
  std::string model = "tiny";
  int64_t tokens = 128;
  int steps = 1, die_rank = -1, odd_rank = -1;
  bool check = false;
  std::vector<int64_t> shards;  // sizes; empty: as even as possible
  double learning_rate = 0.1;
};

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(stderr,
               "%s\nusage: flce_train_step [--model NAME] [--tokens M] [--steps N] [--shards a,b,...] [--check]\n"
               "  [--die-rank R] [--odd-rank R]\nmodels:",
               problem.c_str());
  for (const auto& [name, m] : kModels) std::fprintf(stderr, " %s", name.c_str());
  std::fprintf(stderr, "\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) usage(name + " needs a value");
      return argv[i];
    };
    if (name == "--model")
      s.model = value();
    else if (name == "--tokens")
      s.tokens = std::atoll(value().c_str());
    else if (name == "--steps")
      s.steps = std::atoi(value().c_str());
    else if (name == "--die-rank")
      s.die_rank = std::atoi(value().c_str());
    else if (name == "--odd-rank")
      s.odd_rank = std::atoi(value().c_str());
    else if (name == "--check")
      s.check = true;
    else if (name == "--shards") {
      for (std::string text = value(); !text.empty();) {
        const size_t comma = text.find(',');
        s.shards.push_back(std::atoll(text.substr(0, comma).c_str()));
        text = comma == std::string::npos ? "" : text.substr(comma + 1);
      }
    } else
      usage("unknown option " + name);
  }
  if (!kModels.count(s.model)) usage("unknown model " + s.model);
  return s;
}

// The same numbers on every rank for any split: each row is seeded by its own index.
void fill_row(float* row, int64_t k, uint64_t seed, float scale) {
  std::mt19937 rng(static_cast<uint32_t>(seed * 2654435761u + 1));
  for (int64_t h = 0; h < k; ++h) row[h] = scale * (static_cast<float>(rng() >> 8) / 8388608.0f - 1.0f);
}

struct Head {
  std::vector<float> x, w, dx, dw;
  std::vector<int64_t> target;
  int64_t m, k, n, start;
  Head(int64_t tokens, int64_t hidden, int64_t vocab, int64_t first, int64_t rows)
      : x(tokens * hidden),
        w(rows * hidden),
        dx(tokens * hidden),
        dw(rows * hidden),
        target(tokens),
        m(tokens),
        k(hidden),
        n(rows),
        start(first) {
    for (int64_t i = 0; i < m; ++i) {
      fill_row(x.data() + i * k, k, 1000003 + i, 1);
      target[i] = i % 11 == 5 ? -100 : (i * 7919 + 1) % vocab;
    }
    for (int64_t j = 0; j < n; ++j) fill_row(w.data() + j * k, k, start + j, 2.0f / std::sqrt(static_cast<float>(k)));
  }
  flce::LossInputs inputs(flce::Communicator* comm) const {
    flce::LossInputs in;
    in.input = flce::Matrix(x.data(), flce::DType::kFloat32, m, k);
    in.weight = flce::Matrix(w.data(), flce::DType::kFloat32, n, k);
    in.target = flce::Vector(target.data(), flce::DType::kInt64, m);
    in.vocab_start = start;
    in.comm = comm;
    return in;
  }
};

double norm2(const std::vector<float>& v) {
  double s = 0;
  for (float a : v) s += static_cast<double>(a) * a;
  return s;
}

float step(Head& head, flce::Communicator* comm, bool die) {
  flce::LossOptions o;
  float loss = 0;
  const flce::LossInputs in = head.inputs(comm);
  const flce::LossOutputs out{{&loss, flce::DType::kFloat32, 1}, {}, {}, {}};
  const flce::LossState state = flce::loss_forward(in, o, out);
  if (die) std::_Exit(3);
  flce::LossGradients g;
  g.input_grad = flce::MutableMatrix(head.dx.data(), flce::DType::kFloat32, head.m, head.k);
  g.weight_grad = flce::MutableMatrix(head.dw.data(), flce::DType::kFloat32, head.n, head.k);
  flce::loss_backward(in, o, state, {}, g);
  return loss;
}

// Against the whole head on this rank: loss, dX, and this rank's rows of dW.
bool matches_one_rank(const Head& mine, float loss, const Model& model) {
  Head whole(mine.m, mine.k, model.vocab, 0, model.vocab);
  const float want = step(whole, nullptr, false);
  auto error = [](const float* a, const float* b, int64_t count) {
    double num = 0, den = 0;
    for (int64_t i = 0; i < count; ++i) {
      num += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
      den += static_cast<double>(b[i]) * b[i];
    }
    return den == 0 ? std::sqrt(num) : std::sqrt(num / den);
  };
  const double e_loss = std::fabs(loss - want) / std::fabs(want),
               e_dx = error(mine.dx.data(), whole.dx.data(), mine.m * mine.k),
               e_dw = error(mine.dw.data(), whole.dw.data() + mine.start * mine.k, mine.n * mine.k);
  std::printf("check: vocab [%lld, %lld) relative errors loss %.2e dX %.2e dW %.2e (allowed 1e-6)\n",
              static_cast<long long>(mine.start), static_cast<long long>(mine.start + mine.n), e_loss, e_dx, e_dw);
  return e_loss <= 1e-6 && e_dx <= 1e-6 && e_dw <= 1e-6;
}

int run(const Settings& s, flce::Communicator& comm) {
  const Model model = kModels.at(s.model);
  std::vector<int64_t> cuts{0};
  for (int r = 0; r < comm.size(); ++r) {
    cuts.push_back(s.shards.empty() ? model.vocab * (r + 1) / comm.size()
                                    : cuts.back() + (r < static_cast<int>(s.shards.size()) ? s.shards[r] : 0));
  }
  if (!s.shards.empty()) cuts.back() = model.vocab;
  const int64_t tokens = s.tokens + (comm.rank() == s.odd_rank ? 1 : 0);
  Head head(tokens, model.hidden, model.vocab, cuts[comm.rank()], cuts[comm.rank() + 1] - cuts[comm.rank()]);
  bool good = true;
  for (int i = 0; i < s.steps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const float loss = step(head, comm.size() > 1 ? &comm : nullptr, comm.rank() == s.die_rank);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    double sums[1] = {norm2(head.dw)};
    comm.all_reduce(sums, 1, flce::DType::kFloat64, flce::ReduceOp::kSum);
    if (comm.rank() == 0) {
      std::printf("step %d: %d ranks, %s, %lld tokens: loss %.6f, |dX| %.6e, |dW| %.6e, %.3f s\n", i, comm.size(),
                  s.model.c_str(), static_cast<long long>(tokens), loss, std::sqrt(norm2(head.dx)), std::sqrt(sums[0]),
                  seconds);
    }
    if (s.check && i == 0) good = matches_one_rank(head, loss, model);
    for (size_t j = 0; j < head.w.size(); ++j) head.w[j] -= static_cast<float>(s.learning_rate) * head.dw[j];
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const Settings s = parse(argc, argv);
  int code = 0;
  try {
    const auto comm = flce::make_world_communicator();
    code = run(s, *comm);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "flce_train_step: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
