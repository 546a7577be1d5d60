// One all_gather of a small record per call.
#include "agreement.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "checks.h"

namespace flce::cpu {
namespace {

constexpr const char* kFields[] = {"error",          "the pass and what it returns",
                                   "input rows (m)", "hidden size (k)",
                                   "dtype",          "target",
                                   "options",        "token weights",
                                   "class weights",  "vocab_start",
                                   "weight rows (n)"};
constexpr int64_t kCount = sizeof(kFields) / sizeof(kFields[0]);
constexpr int64_t kStart = 9, kRows = 10;  // these two may differ between ranks
constexpr int64_t kNothingToSay = -1;      // a rank without classes has no class weights, whether or not others have

struct Hash {  // FNV-1a
  uint64_t value = 1469598103934665603ull;
  template <class T>
  void add(const T& x) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &x, sizeof(T));
    for (unsigned char b : bytes) value = (value ^ b) * 1099511628211ull;
  }
  int64_t get() const { return static_cast<int64_t>(value); }
};

int64_t options_hash(const LossOptions& o) {
  Hash h;
  h.add(o.ignore_index);
  h.add(static_cast<int>(o.reduction));
  for (double d : {o.normalizer, o.label_smoothing, o.z_loss, o.softcap, o.logit_scale, o.temperature}) h.add(d);
  for (int word : {static_cast<int>(o.smoothing_formula), static_cast<int>(o.logits_type),
                   static_cast<int>(o.dlogits_type), static_cast<int>(o.empty_mean)}) {
    h.add(word);
  }
  return h.get();
}

int64_t sequence_hash(const Vector& v, bool index) {
  Hash h;
  for (int64_t i = 0; i < v.size && v.data; ++i) index ? h.add(index_at(v, i)) : h.add(float_at(v, i));
  return h.get();
}

int64_t check_tiling(const std::vector<int64_t>& all, int ranks) {
  std::vector<std::pair<int64_t, int64_t>> shards;
  std::string list;
  for (int r = 0; r < ranks; ++r) {
    const int64_t start = all[r * kCount + kStart], n = all[r * kCount + kRows];
    if (n > 0) shards.emplace_back(start, n);
    list += text(r ? ", " : "", "rank ", r, " [", start, ", ", start + n, ")");
  }
  std::sort(shards.begin(), shards.end());
  int64_t next = 0;
  for (const auto& [start, n] : shards) {
    if (start != next) {
      refuse("vocab_start", text("shards ", list), "shards that follow each other from 0 without gap or overlap");
    }
    next += n;
  }
  if (next == 0) refuse("weight", "no class on any rank", "at least one row in total");
  return next;
}

}  // namespace

Agreement agree(const LossInputs& in, const LossOptions& options, int64_t pass, std::exception_ptr error) {
  if (in.comm == nullptr || in.comm->size() == 1) {
    if (error) std::rethrow_exception(error);
    return {in.weight.rows};
  }
  const int ranks = in.comm->size(), me = in.comm->rank();
  std::vector<int64_t> mine(kCount, 0), all(kCount * ranks);
  mine[0] = error ? 1 : 0;
  if (!error) {
    mine = {0,
            pass,
            in.input.rows,
            in.input.cols,
            static_cast<int64_t>(in.input.dtype),
            sequence_hash(in.target, true),
            options_hash(options),
            sequence_hash(in.token_weight, false),
            in.weight.rows == 0 ? kNothingToSay : in.class_weight.size > 0,
            in.vocab_start,
            in.weight.rows};
  }
  in.comm->all_gather(mine.data(), kCount, all.data());
  if (error) std::rethrow_exception(error);
  for (int r = 0; r < ranks; ++r) {
    if (all[r * kCount]) throw CommunicatorError(text("rank ", r, " was given a bad argument; see its own message"));
  }
  for (int64_t f = 0; f < kStart; ++f) {
    int first = 0;  // the first rank that has something to say
    while (first + 1 < ranks && all[first * kCount + f] == kNothingToSay) ++first;
    for (int r = first + 1; r < ranks; ++r) {
      const int64_t a = all[first * kCount + f], b = all[r * kCount + f];
      if (a == b || b == kNothingToSay) continue;
      throw CommunicatorError(text("ranks disagree about ", kFields[f], ": rank ", first, " has ", a, ", rank ", r,
                                   " has ", b, " (this is rank ", me, "; sequences and options as hashes)"));
    }
  }
  return {check_tiling(all, ranks)};
}

}  // namespace flce::cpu
