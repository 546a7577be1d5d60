// One case of a case file: sizes, types, range, distributions. What the keys mean for a user: cases/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fused_linear_cross_entropy/ascendc/op_desc.h"

namespace flce::batch {

/// How input and weight are filled (values.cpp says how exactly).
enum class ValueKind : uint8_t {
  kNormal,    ///< logits of standard deviation `scale`
  kAligned,   ///< like a trained model: the logit of the target is about `gain` above the others
  kUniform,   ///< elements uniform in [low, high]
  kIntegers,  ///< small integers in [low, high]; every logit is exact
  kConstant,  ///< every element of input `low`, of weight `high`: all logits equal
  kSpikes,    ///< normal, with a `share` of the input elements a hundred times larger
  kTies,      ///< normal, with weight rows repeating every `period` rows: the max occurs many times
  kLarge,     ///< logits up to `scale`, of both signs
  kMinusInf,  ///< normal, with -inf logits in a `share` of the columns
  kNan,       ///< normal, with NaN in a `share` of the input rows
  kPlusInf    ///< normal, with +inf logits in a `share` of the columns, for rows of positive leading element
};

struct ValueSpec {
  ValueKind kind = ValueKind::kNormal;
  double scale = 2.0, gain = 12.0, low = -1.0, high = 1.0, share = 0.1;
  int64_t period = 7;
};

enum class TargetKind : uint8_t {
  kShard,     ///< uniform in the range of the shard
  kGlobal,    ///< uniform in [0, vocab)
  kBoundary,  ///< first and last class of the shard, their neighbours, the column tile edges, 0 and negative numbers
  kMasked,    ///< none owned
  kIgnore,    ///< uniform in the shard, with a `share` of -100
  kExtreme    ///< limits of the type and values whose low 32 bits lie in the shard
};

struct TargetSpec {
  TargetKind kind = TargetKind::kGlobal;
  int64_t vocab = 0;  ///< 0: one past the range, or n more where the shard does not start at 0
  double share = 0.25;
};

struct CaseSpec {
  std::string file;  ///< stem of the case file
  std::string path;
  uint32_t line = 0;
  std::string name;
  int64_t m = 0, k = 0, n = 0;
  ascendc::DType dtype = ascendc::DType::kBfloat16, target_dtype = ascendc::DType::kInt32;
  int64_t vocab_start = 0, vocab_end = 0;
  ascendc::VocabRange vocab_range = ascendc::VocabRange::kExclusive;
  ascendc::MaskPad mask_pad = ascendc::MaskPad::kDevice;
  ascendc::Validate validate = ascendc::Validate::kShape;
  bool logits = false;
  ValueSpec values;
  TargetSpec targets;
  uint64_t seed = 1;
  uint32_t cores = 24;
  int expect = 0;  ///< code of the host checks that is right for this case, 0: it must run

  std::string id() const { return file + "/" + name; }
};

/// The call this case makes.
ascendc::OpDesc op_desc_of(const CaseSpec& spec);

}  // namespace flce::batch
