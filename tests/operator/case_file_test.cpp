// Case files: what is read, defaults, and every message with its line.
#include <gtest/gtest.h>

#include "fused_linear_cross_entropy/batch/case_file.h"
#include "fused_linear_cross_entropy/batch/values.h"

namespace flce::batch {
namespace {

constexpr const char* kHead = "[[case]]\nname = \"a\"\nm = 3\nk = 4\nn = 5\n";

TEST(CaseFile, ReadsEveryKey) {
  const CaseFile file = parse_case_file(R"([defaults]
k = 7
dtype = "float16"
[[case]]
name = "first"
m = 3
n = 5
vocab_start = 10
logits = true
values = { kind = "aligned", scale = 3, gain = 4.5 }
targets = { kind = "global", vocab = 100 }
seed = 12
cores = 2
[[case]]
name = "second"
why = "inclusive end from the shard"
m = 1
n = 4
k = 2
target_dtype = "int64"
vocab_range = "inclusive"
mask_pad = "ones"
validate = "values"
targets = "boundary"
expect = 161002
)",
                                        "dir/some.toml");
  ASSERT_EQ(file.error, "");
  ASSERT_EQ(file.cases.size(), 2u);
  const CaseSpec& first = file.cases[0];
  EXPECT_EQ(first.id(), "some/first");
  EXPECT_EQ(first.line, 4u);
  EXPECT_EQ(first.k, 7);
  EXPECT_EQ(first.vocab_end, 15);
  EXPECT_TRUE(first.logits);
  EXPECT_EQ(first.values.kind, ValueKind::kAligned);
  EXPECT_EQ(first.values.gain, 4.5);
  EXPECT_EQ(first.targets.vocab, 100);
  const CaseSpec& second = file.cases[1];
  EXPECT_EQ(second.k, 2);
  EXPECT_EQ(second.dtype, ascendc::DType::kFloat16);
  EXPECT_EQ(second.vocab_end, 3);
  EXPECT_EQ(second.expect, 161002);
}

struct BadFile {
  std::string text;
  const char* error;
};

TEST(CaseFile, Messages) {
  const std::string head = kHead;
  const BadFile files[] = {
      {head + "seeed = 1\n", "x.toml:6: unknown key \"seeed\"; did you mean seed?"},
      {head + "dtype = \"floaty\"\n",
       "x.toml:6: dtype: \"floaty\" given; known: float16, bfloat16, float32, float64, int8, uint8, bool, int16, "
       "int32, int64"},
      {head + "values = \"alignd\"\n", "x.toml:6: values: \"alignd\" given; did you mean aligned?"},
      {head + "values = { kind = \"normal\", scal = 2 }\n", "x.toml:6: unknown key \"scal\"; did you mean scale?"},
      {head + "values = { scale = 2 }\n", "x.toml:6: key \"kind\" is missing"},
      {head + "values = 3\n", "x.toml:6: values: a name or a table { kind = \"...\", ... } is expected"},
      {head + "cores = 25\n", "x.toml:6: cores: 25 given, must be 1 to 24"},
      {head + "logits = 1\n", "x.toml:6: logits: 1 given, true or false is expected"},
      {head + "vocab_end = 1.5\n", "x.toml:6: vocab_end: 1.5 given, an integer is expected"},
      {"[[case]]\nname = \"a\"\nm = -3\nk = 4\nn = 5\n", "x.toml:3: m: -3 given, must be 0 to 2147483647"},
      {"[[case]]\nm = 3\nk = 4\nn = 5\n", "x.toml:1: key \"name\" is missing"},
      {"[[case]]\nname = \"a\"\nm = 3\nk = 4\n", "x.toml:1: key \"n\" is missing"},
      {"[[cases]]\nname = \"a\"\n", "x.toml:1: unknown key \"cases\"; did you mean case?"},
      {head + kHead, "x.toml:6: name: \"a\" is used twice in this file"},
      {head + "values = { kind = \"uniform\", low = 2, high = 1 }\n",
       "x.toml:6: low: 2 given, must be at most high (1)"},
  };
  for (const BadFile& bad : files) EXPECT_EQ(parse_case_file(bad.text, "x.toml").error, bad.error) << bad.text;
  EXPECT_EQ(parse_case_file(head + "dtype = \n", "x.toml").error.rfind("x.toml:6: ", 0), 0u);
  EXPECT_EQ(read_case_file("no/such.toml").error, "no/such.toml: no such file; a case file (TOML) is expected");
}

TEST(Values, SameSeedSameData) {
  CaseSpec spec = parse_case_file(kHead, "x.toml").cases.at(0);
  const CaseData a = make_data(spec), b = make_data(spec);
  EXPECT_EQ(a.input, b.input);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.target, b.target);
  spec.seed = 2;
  EXPECT_NE(make_data(spec).input, a.input);
}

TEST(Values, AlignedTargetsStandOut) {
  CaseSpec spec =
      parse_case_file("[[case]]\nname = \"a\"\nm = 40\nk = 256\nn = 300\nvalues = \"aligned\"\ntargets = \"shard\"\n",
                      "x.toml")
          .cases.at(0);
  const CaseData data = make_data(spec);
  for (size_t row = 0; row < 40; ++row) {
    double logit = 0.0;
    for (size_t h = 0; h < 256; ++h)
      logit += reference::widen(data.input[row * 256 + h], storage_of(spec)) *
               reference::widen(data.weight[static_cast<size_t>(data.target[row]) * 256 + h], storage_of(spec));
    EXPECT_NEAR(logit, spec.values.gain, 5 * spec.values.scale) << row;
  }
}

TEST(Values, TargetsFitTheirType) {
  CaseSpec spec =
      parse_case_file(
          "[[case]]\nname = \"a\"\nm = 500\nk = 1\nn = 300\nvocab_start = 2147483500\ntargets = \"extreme\"\n",
          "x.toml")
          .cases.at(0);
  for (int64_t target : make_data(spec).target) EXPECT_EQ(target, static_cast<int32_t>(target));
  spec.targets.kind = TargetKind::kShard;
  spec.vocab_start = int64_t{1} << 40;
  spec.vocab_end = spec.vocab_start + 10;
  for (int64_t target : make_data(spec).target) EXPECT_EQ(target, -1);  // the type has no value in the shard
}

}  // namespace
}  // namespace flce::batch
