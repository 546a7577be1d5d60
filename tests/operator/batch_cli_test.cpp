// flce_batch as a program: wrong usage is one line on stderr, exit 2, nothing else; results are exit 0 or 1; equal
// commands write equal files. FLCE_BATCH and FLCE_CASES come from CMake.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

struct Result {
  int code;
  std::string out, err;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class BatchCli : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "flce_batch_cli_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string case_file(const std::string& text) const {
    std::ofstream(path("x.toml")) << text;
    return path("x.toml");
  }
  Result run(const std::string& arguments) const {
    const std::string command = std::string(FLCE_BATCH) + " " + arguments + " >" + path("out") + " 2>" + path("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(path("out")), read(path("err"))};
  }
  /// Wrong usage: exit 2, nothing on stdout, exactly `line` on stderr.
  void expect_usage(const std::string& arguments, const std::string& line) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(result.err, "flce_batch: " + line + "\n") << arguments;
  }

 private:
  std::string directory_;
};

constexpr const char* kSmall = "[[case]]\nname = \"a\"\nm = 9\nk = 16\nn = 20\nlogits = true\ncores = 2\n";

TEST_F(BatchCli, WrongOptions) {
  expect_usage("--varient shipped", "unknown option --varient; did you mean --variant?");
  expect_usage("--variant wrong", "--variant: \"wrong\" given; known: shipped, missing_sync");
  expect_usage("--schedule in_ordr", "--schedule: \"in_ordr\" given; did you mean in_order?");
  expect_usage("--repeat -1", "--repeat: \"-1\" given, a number from 1 to 1000000 is expected");
  expect_usage("--repeat many", "--repeat: \"many\" given, a number from 1 to 1000000 is expected");
  expect_usage("--seeds 5..1", "--seeds: \"5..1\" given, a list like 1..20 or 3,5,8 of ascending numbers is expected");
  expect_usage("--shard 3/2", "--shard: \"3/2\" given, i/n with 1 <= i <= n is expected");
  expect_usage("--profile lax", "--profile: \"lax\" given; known: auto, strict");
  expect_usage("--engine gpu", "--engine: \"gpu\" given; did you mean cpu?");
  expect_usage("some.toml", "unknown argument \"some.toml\"; case files follow --cases");
  expect_usage("--cases no_such.toml", "no_such.toml: no such file; a case file (TOML) is expected");
  expect_usage("--filter nothing_has_this_name",
               "--filter: \"nothing_has_this_name\" is in no case name; --list shows them");
  expect_usage("--json /no/such/dir/x.json --filter tiny", "--json: /no/such/dir/x.json cannot be written");
}

TEST_F(BatchCli, WrongCaseFiles) {
  const std::string file = case_file(std::string(kSmall) + "sed = 1\n");
  expect_usage("--cases " + file, file + ":8: unknown key \"sed\"; did you mean seed?");
  case_file("[[case]]\nname = \"a\"\nm = -9\nk = 16\nn = 20\n");
  expect_usage("--cases " + file, file + ":3: m: -9 given, must be 0 to 2147483647");
  case_file("[[case]]\nname = \"a\"\nm = 1000000\nk = 4\nn = 1000000\n");
  expect_usage("--cases " + file,
               file + ":1: m * n: 1000000 * 1000000 elements, the batch runner takes at most 268435456");
}

TEST_F(BatchCli, OperatorErrorsKeepTheirCode) {
  const std::string head = "[[case]]\nname = \"a\"\nm = 9\nk = 16\nn = 20\n";
  const std::string file = case_file(head + "vocab_start = 5\nvocab_end = 3\n");
  expect_usage("--cases " + file,
               file + ":1: a: 161002: vocab_end_index: 3 given, must be at least vocab_start_index (5)");
  case_file(head + "vocab_end = 21\n");
  expect_usage("--cases " + file, file +
                                      ":1: a: 161002: vocab_end_index: the range [0, 21] covers 21 classes, must be at "
                                      "most the rows of weight (20)");
  case_file(head + "dtype = \"float32\"\n");
  expect_usage("--cases " + file, file + ":1: a: 161002: input: dtype is float32, must be float16 or bfloat16");
  case_file("[[case]]\nname = \"a\"\nm = 9\nk = 65535\nn = 20\n");
  expect_usage("--cases " + file, file + ":1: a: 161002: input: k is 65535, must be at most 65534");
}

TEST_F(BatchCli, ARefusedCaseDoesNotLoseTheOthers) {
  const std::string file = case_file(std::string(kSmall) + "[[case]]\nname = \"bad\"\nm = 9\nk = 16\nn = 0\n");
  const Result result = run("--cases " + file);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("pass   x/a"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("161002: weight: shape [0, 16] has no rows, n must be at least 1"), std::string::npos)
      << result.out;
}

TEST_F(BatchCli, ExpectedRefusalsPass) {
  const Result result = run("--cases " FLCE_CASES "/refused.toml");
  EXPECT_EQ(result.code, 0) << result.out;
  const std::string file = case_file(std::string(kSmall) + "expect = 161002\n");
  const Result accepted = run("--cases " + file);
  EXPECT_EQ(accepted.code, 1);
  EXPECT_NE(accepted.out.find("accepted, but code 161002 was expected"), std::string::npos) << accepted.out;
}

TEST_F(BatchCli, NativeOperatorAgreesWithTheKernel) {
  const std::string file = case_file(std::string(kSmall) +
                                     "[[case]]\nname = \"b\"\nm = 131\nk = 67\nn = 257\ncores = 2\ndtype = "
                                     "\"float16\"\ntarget_dtype = \"int64\"\nvocab_start = 13\n");
  const Result result = run("--cases " + file + " --engine cpu --repeat 2");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("masked_target           140 of 140"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("target_mask             19 of 19"), std::string::npos) << result.out;
  const Result broken =
      run("--cases " FLCE_CASES "/smoke.toml --engine cpu --variant missing_sync --schedule deferred");
  EXPECT_EQ(broken.code, 1) << broken.out;
  EXPECT_EQ(broken.out.find("native operator)"), std::string::npos) << broken.out;
}

TEST_F(BatchCli, ReportsAreTheSameInEveryRun) {
  const std::string file = case_file(kSmall);
  nlohmann::json json[2];
  std::string junit[2], text[2];
  for (int i = 0; i < 2; ++i) {
    const Result result = run("--cases " + file + " --schedule random,in_order --seed 3 --repeat 4 --json " +
                              path("j.json") + " --junit " + path("j.xml"));
    ASSERT_EQ(result.code, 0) << result.out << result.err;
    text[i] = result.out;
    junit[i] = read(path("j.xml"));
    json[i] = nlohmann::json::parse(read(path("j.json")));
    json[i].erase("timing");
  }
  EXPECT_EQ(text[0], text[1]);
  EXPECT_EQ(junit[0], junit[1]);
  EXPECT_EQ(json[0].dump(), json[1].dump());
  EXPECT_EQ(json[0]["schema"], 1);
  EXPECT_EQ(json[0]["runs"].size(), 8u);
  EXPECT_EQ(json[0]["cases"][0]["outputs"].size(), 6u);
  EXPECT_EQ(json[0]["cases"][0]["outputs"][0]["elements"], 9 * 8);
  EXPECT_NE(junit[0].find("<testcase classname=\"shipped.x\" name=\"a\"/>"), std::string::npos);
}

TEST_F(BatchCli, ShardsCoverEveryCaseOnce) {
  const std::string all = run("--list --cases " FLCE_CASES "/shapes.toml").out;
  std::string joined;
  size_t lines = 0;
  for (int shard = 1; shard <= 3; ++shard) {
    std::istringstream part(
        run("--list --cases " FLCE_CASES "/shapes.toml --shard " + std::to_string(shard) + "/3").out);
    for (std::string line; std::getline(part, line); ++lines) {
      const std::string name = line.substr(0, line.find(' '));
      EXPECT_NE(all.find(name + " "), std::string::npos);
      EXPECT_EQ(joined.find(name + ";"), std::string::npos) << name;
      joined += name + ";";
    }
  }
  EXPECT_EQ(static_cast<size_t>(std::count(all.begin(), all.end(), '\n')), lines);
}

}  // namespace
