// Distributions (see values.h). Numbers come from splitmix64, one stream per purpose; normal numbers are sums of twelve
// uniform ones, so no library function enters and the data are the same everywhere.
#include "fused_linear_cross_entropy/batch/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flce::batch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Stream {
 public:
  Stream(uint64_t seed, uint64_t purpose) : state_(seed * 0x9E3779B97F4A7C15ull + purpose * 0xD1B54A32D192ED03ull) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    uint64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
      const uint64_t bits = next();
      sum += (bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48);
    }
    return (static_cast<double>(sum) + 6.0) * 0x1p-16 - 6.0;  // twelve uniform numbers at the middle of 2^-16 cells
  }

 private:
  uint64_t state_;
};

using Elements = std::vector<double>;

void fill_normal(Elements& elements, Stream stream, double deviation) {
  for (double& element : elements) element = deviation * stream.normal();
}

/// Adds gain * w / |w|^2 of the target's weight row, so that the logit of the target is `gain` more.
void align(Elements& input, const Elements& weight, const CaseSpec& spec, const std::vector<int64_t>& target) {
  const size_t k = static_cast<size_t>(spec.k);
  for (size_t row = 0; row < static_cast<size_t>(spec.m); ++row) {
    if (target[row] < spec.vocab_start) continue;
    const uint64_t local = static_cast<uint64_t>(target[row]) - static_cast<uint64_t>(spec.vocab_start);
    if (local >= static_cast<uint64_t>(spec.n)) continue;
    const double* w = weight.data() + local * k;
    double norm = 0.0;
    for (size_t h = 0; h < k; ++h) norm += w[h] * w[h];
    if (norm == 0.0) continue;
    for (size_t h = 0; h < k; ++h) input[row * k + h] += spec.values.gain * w[h] / norm;
  }
}

void repeat_rows(Elements& weight, const CaseSpec& spec) {
  const size_t k = static_cast<size_t>(spec.k), period = static_cast<size_t>(spec.values.period);
  for (size_t row = period; row < static_cast<size_t>(spec.n); ++row)
    std::copy_n(weight.begin() + static_cast<ptrdiff_t>(row % period * k), k,
                weight.begin() + static_cast<ptrdiff_t>(row * k));
}

/// `value` in one element of a share of the rows.
void plant(Elements& elements, int64_t rows, int64_t columns, double share, double value, Stream stream) {
  for (int64_t row = 0; row < rows; ++row)
    if (stream.uniform() < share)
      elements[static_cast<size_t>(row * columns) + stream.below(static_cast<uint64_t>(columns))] = value;
}

void fill(Elements& input, Elements& weight, const CaseSpec& spec, const std::vector<int64_t>& target) {
  const ValueSpec& values = spec.values;
  const double per_root_k = spec.k > 0 ? 1.0 / std::sqrt(static_cast<double>(spec.k)) : 0.0;
  fill_normal(input, Stream(spec.seed, 1), 1.0);
  fill_normal(weight, Stream(spec.seed, 2), values.scale * per_root_k);
  Stream extra(spec.seed, 3);
  switch (values.kind) {
    case ValueKind::kNormal:
      break;
    case ValueKind::kAligned:
      align(input, weight, spec, target);
      break;
    case ValueKind::kUniform:
      for (Elements* elements : {&input, &weight})
        for (double& element : *elements) element = values.low + (values.high - values.low) * extra.uniform();
      break;
    case ValueKind::kIntegers:
      for (Elements* elements : {&input, &weight})
        for (double& element : *elements)
          element = std::floor(values.low) +
                    static_cast<double>(extra.below(static_cast<uint64_t>(values.high - values.low) + 1));
      break;
    case ValueKind::kConstant:
      std::fill(input.begin(), input.end(), values.low);
      std::fill(weight.begin(), weight.end(), values.high);
      break;
    case ValueKind::kSpikes:
      for (double& element : input)
        if (extra.uniform() < values.share) element *= 100.0;
      break;
    case ValueKind::kTies:
      repeat_rows(weight, spec);
      break;
    case ValueKind::kLarge:
      for (double& element : weight) element *= 0.25;  // four deviations make `scale`
      break;
    case ValueKind::kMinusInf:
    case ValueKind::kPlusInf:
      // Positive input, so that an infinite weight gives an infinite logit and never 0 * inf.
      for (double& element : input) element = std::abs(element) + 0.0625;
      plant(weight, spec.n, spec.k, values.share, values.kind == ValueKind::kMinusInf ? -kInfinity : kInfinity, extra);
      break;
    case ValueKind::kNan:
      plant(input, spec.m, spec.k, values.share, kNan, extra);
      break;
  }
}

/// a + b modulo 2^64: targets are any bit patterns, ranges may touch the limits of the type.
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

/// Candidate targets of the kinds that pick from a list.
std::vector<int64_t> candidates(const CaseSpec& spec, int64_t end) {
  const int64_t s = spec.vocab_start, n = spec.n;
  if (spec.targets.kind == TargetKind::kBoundary)
    return {plus(s, -1),
            s,
            plus(s, 1),
            plus(end, -1),
            end,
            plus(end, 1),
            0,
            -1,
            -100,
            plus(s, 255),
            plus(s, 256),
            plus(s, n - 1),
            plus(s, n),
            plus(s, n / 2)};
  constexpr int64_t kWord = int64_t{1} << 32, kHalfWord = int64_t{1} << 31;
  return {std::numeric_limits<int32_t>::min(),
          std::numeric_limits<int32_t>::max(),
          std::numeric_limits<int64_t>::min(),
          std::numeric_limits<int64_t>::max(),
          -1,
          s,
          plus(end, -1),
          plus(s, kWord),
          plus(s, -kWord),
          plus(s, kHalfWord),
          plus(s, -kHalfWord),
          plus(end, -1 - kWord),
          plus(s, n / 2),
          16777217};
}

int64_t masked_target(const CaseSpec& spec, int64_t end, Stream& stream) {
  const int64_t distance = static_cast<int64_t>(stream.below(1000));
  return stream.below(2) == 0 ? plus(spec.vocab_start, -1 - distance) : plus(end, distance);
}

std::vector<uint16_t> narrow_all(const Elements& elements, reference::Storage storage) {
  std::vector<uint16_t> bits(elements.size());
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = reference::narrow(elements[i], storage);
  return bits;
}

}  // namespace

reference::Storage storage_of(const CaseSpec& spec) {
  return spec.dtype == ascendc::DType::kFloat16 ? reference::Storage::kHalf : reference::Storage::kBfloat16;
}

std::vector<int64_t> make_targets(const CaseSpec& spec) {
  const int64_t end = ascendc::exclusive_end(op_desc_of(spec));
  const int64_t width = end - spec.vocab_start;
  const int64_t vocab = spec.targets.vocab > 0 ? spec.targets.vocab : spec.vocab_start == 0 ? end : plus(end, spec.n);
  Stream stream(spec.seed, 4);
  const std::vector<int64_t> list = candidates(spec, end);
  const bool narrow = spec.target_dtype == ascendc::DType::kInt32;
  std::vector<int64_t> targets;
  int refused = 0;
  while (targets.size() < static_cast<size_t>(spec.m)) {
    int64_t target = 0;
    const int64_t in_shard = plus(spec.vocab_start, static_cast<int64_t>(stream.below(static_cast<uint64_t>(width))));
    switch (spec.targets.kind) {
      case TargetKind::kShard:
        target = in_shard;
        break;
      case TargetKind::kGlobal:
        target = static_cast<int64_t>(stream.below(static_cast<uint64_t>(vocab)));
        break;
      case TargetKind::kMasked:
        target = masked_target(spec, end, stream);
        break;
      case TargetKind::kIgnore:
        target = stream.uniform() < spec.targets.share ? -100 : in_shard;
        break;
      case TargetKind::kBoundary:
      case TargetKind::kExtreme:
        target = list[stream.below(list.size())];
        break;
    }
    // Not a value of the type: draw again; a shard beyond the type has none at all.
    if (narrow && target != static_cast<int32_t>(target)) {
      if (++refused < 1000) continue;
      target = -1;
    }
    refused = 0;
    targets.push_back(target);
  }
  return targets;
}

CaseData make_data(const CaseSpec& spec) {
  CaseData data;
  data.target = make_targets(spec);
  Elements input(static_cast<size_t>(spec.m * spec.k)), weight(static_cast<size_t>(spec.n * spec.k));
  fill(input, weight, spec, data.target);
  data.input = narrow_all(input, storage_of(spec));
  data.weight = narrow_all(weight, storage_of(spec));
  return data;
}

}  // namespace flce::batch
