// The composed loss for Python. A state is one float64 vector, so that frameworks can save it like any tensor:
// max, sum, target weight, entropy for each token, then denominator, class weight sum, vocabulary size, has entropy.
// A communicator is any Python object with rank, size, all_gather(list) -> list, all_reduce(array, "sum" | "max") in
// place and, optionally, start_all_reduce(array) -> object with wait().
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.h"
#include "flce/loss.h"

namespace flce_python {
namespace {

struct Options : flce::LossOptions {
  Options(int64_t ignore, const std::string& reduce, double normalize, const std::string& empty, double smoothing,
          const std::string& formula, double z, double cap, double scale, double temp, const std::string& logits,
          const std::string& dlogits, const std::string& check, int64_t chunk, int thread_count) {
    using flce::LogitsType;
    ignore_index = ignore;
    reduction = choice<flce::Reduction>(
        "reduction", reduce,
        {{"none", flce::Reduction::kNone}, {"mean", flce::Reduction::kMean}, {"sum", flce::Reduction::kSum}});
    normalizer = normalize;
    empty_mean = choice<flce::EmptyMean>("empty_mean", empty,
                                         {{"zero", flce::EmptyMean::kZero}, {"nan", flce::EmptyMean::kNaN}});
    label_smoothing = smoothing;
    smoothing_formula = choice<flce::SmoothingFormula>(
        "label_smoothing_formula", formula,
        {{"pytorch", flce::SmoothingFormula::kPytorch}, {"megatron", flce::SmoothingFormula::kMegatron}});
    z_loss = z;
    softcap = cap;
    logit_scale = scale;
    temperature = temp;
    logits_type =
        choice<LogitsType>("logits_dtype", logits, {{"input", LogitsType::kInput}, {"float32", LogitsType::kFloat32}});
    dlogits_type = choice<LogitsType>("dlogits_dtype", dlogits,
                                      {{"input", LogitsType::kInput}, {"float32", LogitsType::kFloat32}});
    validate = choice<flce::Validate>(
        "validate", check,
        {{"off", flce::Validate::kOff}, {"shape", flce::Validate::kShape}, {"values", flce::Validate::kValues}});
    chunk_rows = chunk;
    threads = thread_count;
    flce::check_loss_options(*this);
  }
};

class PythonCommunicator : public flce::Communicator {
 public:
  explicit PythonCommunicator(nb::object object) : object_(std::move(object)) {
    rank_ = nb::cast<int>(object_.attr("rank"));
    size_ = nb::cast<int>(object_.attr("size"));
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void all_gather(const int64_t* mine, int64_t count, int64_t* all) override {
    guarded([&] {
      nb::list list;
      for (int64_t i = 0; i < count; ++i) list.append(mine[i]);
      const auto got = nb::cast<std::vector<int64_t>>(object_.attr("all_gather")(list));
      if (static_cast<int64_t>(got.size()) != count * size_)
        throw flce::CommunicatorError("all_gather returned a list of another length");
      std::copy(got.begin(), got.end(), all);
    });
  }
  void all_reduce(void* data, int64_t count, flce::DType dtype, flce::ReduceOp op) override {
    guarded([&] { object_.attr("all_reduce")(array(data, count, dtype), op == flce::ReduceOp::kSum ? "sum" : "max"); });
  }
  std::unique_ptr<flce::Request> start_all_reduce_sum(void* data, int64_t count, flce::DType dtype) override {
    std::unique_ptr<Pending> pending;
    guarded([&] {
      if (!nb::hasattr(object_, "start_all_reduce")) {
        object_.attr("all_reduce")(array(data, count, dtype), "sum");
        pending = std::make_unique<Pending>();
        return;
      }
      pending = std::make_unique<Pending>();
      pending->work = new nb::object(object_.attr("start_all_reduce")(array(data, count, dtype)));
    });
    return pending;
  }
  void fail(const char*) noexcept override {}  // the exception itself reaches Python; launchers end the job

 private:
  struct Pending : flce::Request {
    nb::object* work = nullptr;
    void wait() override {
      if (work == nullptr) return;
      guarded([&] { work->attr("wait")(); });
      release();
    }
    ~Pending() override { release(); }
    void release() {
      if (work == nullptr) return;
      nb::gil_scoped_acquire hold;
      delete work;
      work = nullptr;
    }
  };
  // Python errors become the group's error, with the interpreter lock held only meanwhile.
  template <class F>
  static void guarded(F f) {
    nb::gil_scoped_acquire hold;
    try {
      f();
    } catch (nb::python_error& e) {
      throw flce::CommunicatorError(std::string("the communicator raised: ") + e.what());
    }
  }
  static nb::object array(void* data, int64_t count, flce::DType dtype) {
    const size_t shape[1] = {static_cast<size_t>(count)};
    if (dtype == flce::DType::kFloat64)
      return nb::cast(nb::ndarray<nb::numpy, double>(data, 1, shape, nb::handle()), nb::rv_policy::reference);
    return nb::cast(nb::ndarray<nb::numpy, float>(data, 1, shape, nb::handle()), nb::rv_policy::reference);
  }
  nb::object object_;
  int rank_ = 0, size_ = 1;
};

struct Inputs {
  flce::LossInputs in;
  std::unique_ptr<PythonCommunicator> comm;
  Inputs(const In& input, const In& weight, const In& target, const std::optional<In>& bias,
         const std::optional<In>& token_weight, const std::optional<In>& class_weight, int64_t vocab_start,
         const nb::object& communicator) {
    in.input = in_matrix("input", input);
    in.weight = in_matrix("weight", weight);
    in.target = in_vector("target", target);
    in.bias = in_vector("bias", bias);
    in.token_weight = in_vector("token_weight", token_weight);
    in.class_weight = in_vector("class_weight", class_weight);
    in.vocab_start = vocab_start;
    if (!communicator.is_none()) {
      comm = std::make_unique<PythonCommunicator>(communicator);
      in.comm = comm.get();
    }
  }
};

void save(const flce::LossState& s, const Out& to) {
  const flce::MutableVector v = out_vector("state", to);
  const auto m = static_cast<int64_t>(s.max.size());
  if (v.dtype != flce::DType::kFloat64 || v.size != 4 * m + 4 || v.stride != 1)
    throw flce::ArgumentError("state", "given another array, allowed: float64, 4 m + 4 elements");
  auto* d = static_cast<double*>(v.data);
  for (int64_t i = 0; i < m; ++i) {
    d[i] = s.max[i];
    d[m + i] = s.sum[i];
    d[2 * m + i] = s.target_weight[i];
    d[3 * m + i] = s.has_entropy ? s.entropy[i] : 0;
  }
  double* tail = d + 4 * m;
  tail[0] = s.denominator;
  tail[1] = s.class_weight_sum;
  tail[2] = static_cast<double>(s.vocab_size);
  tail[3] = s.has_entropy ? 1 : 0;
}

flce::LossState restore(const In& from) {
  const flce::Vector v = in_vector("state", from);
  if (v.dtype != flce::DType::kFloat64 || v.size % 4 != 0 || v.size < 4 || v.stride != 1)
    throw flce::ArgumentError("state", "given another array, allowed: what forward returned");
  const int64_t m = v.size / 4 - 1;
  const auto* d = static_cast<const double*>(v.data);
  flce::LossState s;
  s.max.assign(d, d + m);
  s.sum.assign(d + m, d + 2 * m);
  s.target_weight.assign(d + 2 * m, d + 3 * m);
  s.has_entropy = d[4 * m + 3] != 0;
  if (s.has_entropy) s.entropy.assign(d + 3 * m, d + 4 * m);
  s.denominator = d[4 * m];
  s.class_weight_sum = d[4 * m + 1];
  s.vocab_size = static_cast<int64_t>(d[4 * m + 2]);
  return s;
}

flce::LossOutputs outputs(const Out& loss, const std::optional<Out>& lse, const std::optional<Out>& entropy,
                          const std::optional<Out>& log_prob) {
  return {out_vector("loss", loss), out_vector("lse", lse), out_vector("entropy", entropy),
          out_vector("log_prob", log_prob)};
}

flce::LossGradients gradients(const std::optional<Out>& dx, const std::optional<Out>& dw, const std::optional<Out>& db,
                              bool accumulate_weight, bool scatter) {
  flce::LossGradients g;
  g.input_grad = out_matrix("input_grad", dx);
  g.weight_grad = out_matrix("weight_grad", dw);
  g.bias_grad = out_vector("bias_grad", db);
  g.accumulate_weight = accumulate_weight;
  g.scatter_tokens = scatter;
  return g;
}

}  // namespace

void bind_loss(nb::module_& m) {
  using OptIn = std::optional<In>;
  using OptOut = std::optional<Out>;
  static nb::exception<flce::CommunicatorError> communicator_error(m, "CommunicatorError", PyExc_RuntimeError);
  nb::class_<Options>(m, "Options")
      .def(nb::init<int64_t, const std::string&, double, const std::string&, double, const std::string&, double, double,
                    double, double, const std::string&, const std::string&, const std::string&, int64_t, int>(),
           nb::arg("ignore_index"), nb::arg("reduction"), nb::arg("normalizer"), nb::arg("empty_mean"),
           nb::arg("label_smoothing"), nb::arg("label_smoothing_formula"), nb::arg("z_loss"), nb::arg("softcap"),
           nb::arg("logit_scale"), nb::arg("temperature"), nb::arg("logits_dtype"), nb::arg("dlogits_dtype"),
           nb::arg("validate"), nb::arg("chunk_rows"), nb::arg("threads"));
  m.def(
      "loss_forward",
      [](const In& x, const In& w, const In& t, const OptIn& b, const OptIn& tw, const OptIn& cw, int64_t start,
         const nb::object& comm, const Options& o, const Out& loss, const OptOut& lse, const OptOut& entropy,
         const OptOut& log_prob, const Out& state, bool want_entropy) {
        const Inputs in(x, w, t, b, tw, cw, start, comm);
        const flce::LossOutputs out = outputs(loss, lse, entropy, log_prob);
        flce::LossState s;
        {
          nb::gil_scoped_release release;
          s = flce::loss_forward(in.in, o, out, want_entropy);
        }
        save(s, state);
      },
      nb::arg("input"), nb::arg("weight"), nb::arg("target"), nb::arg("bias").none(), nb::arg("token_weight").none(),
      nb::arg("class_weight").none(), nb::arg("vocab_start"), nb::arg("communicator").none(), nb::arg("options"),
      nb::arg("loss"), nb::arg("lse").none(), nb::arg("entropy").none(), nb::arg("log_prob").none(), nb::arg("state"),
      nb::arg("want_entropy"));
  m.def(
      "loss_backward",
      [](const In& x, const In& w, const In& t, const OptIn& b, const OptIn& tw, const OptIn& cw, int64_t start,
         const nb::object& comm, const Options& o, const In& state, const OptIn& g_loss, const OptIn& g_lse,
         const OptIn& g_entropy, const OptIn& g_log_prob, const OptOut& dx, const OptOut& dw, const OptOut& db,
         bool accumulate_weight, bool scatter) {
        const Inputs in(x, w, t, b, tw, cw, start, comm);
        const flce::LossUpstream up{in_vector("grad_loss", g_loss), in_vector("grad_lse", g_lse),
                                    in_vector("grad_entropy", g_entropy), in_vector("grad_log_prob", g_log_prob)};
        const flce::LossGradients g = gradients(dx, dw, db, accumulate_weight, scatter);
        const flce::LossState s = restore(state);
        nb::gil_scoped_release release;
        flce::loss_backward(in.in, o, s, up, g);
      },
      nb::arg("input"), nb::arg("weight"), nb::arg("target"), nb::arg("bias").none(), nb::arg("token_weight").none(),
      nb::arg("class_weight").none(), nb::arg("vocab_start"), nb::arg("communicator").none(), nb::arg("options"),
      nb::arg("state"), nb::arg("grad_loss").none(), nb::arg("grad_lse").none(), nb::arg("grad_entropy").none(),
      nb::arg("grad_log_prob").none(), nb::arg("input_grad").none(), nb::arg("weight_grad").none(),
      nb::arg("bias_grad").none(), nb::arg("accumulate_weight"), nb::arg("scatter_tokens"));
  m.def(
      "loss_forward_backward",
      [](const In& x, const In& w, const In& t, const OptIn& b, const OptIn& tw, const OptIn& cw, const Options& o,
         const Out& loss, const OptOut& dx, const OptOut& dw, const OptOut& db, bool accumulate_weight) {
        const Inputs in(x, w, t, b, tw, cw, 0, nb::none());
        const flce::LossOutputs out = outputs(loss, {}, {}, {});
        const flce::LossGradients g = gradients(dx, dw, db, accumulate_weight, false);
        nb::gil_scoped_release release;
        flce::loss_forward_backward(in.in, o, out, {}, g);
      },
      nb::arg("input"), nb::arg("weight"), nb::arg("target"), nb::arg("bias").none(), nb::arg("token_weight").none(),
      nb::arg("class_weight").none(), nb::arg("options"), nb::arg("loss"), nb::arg("input_grad").none(),
      nb::arg("weight_grad").none(), nb::arg("bias_grad").none(), nb::arg("accumulate_weight"));
}

}  // namespace flce_python
