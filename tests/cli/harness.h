// Runs `ascsan` as a user would and keeps what it said.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>

namespace ascsan::cli_test {

using Words = std::vector<std::string>;

struct Outcome {
  int exit_code = -1;
  std::string out, err;
  std::string last_line() const;  ///< of stderr
};

/// A test in a folder of its own, which is the current folder of all commands.
class CliTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// `ascsan ARGS`, with `environment` added to a fixed one (UTF-8, no colour, 100 columns).
  Outcome ascsan(const Words& args, const std::map<std::string, std::string>& environment = {},
                 const std::string& input = "");
  /// `ascsan run OPTIONS fake_program SCENARIO`.
  Outcome run_fake(const Words& options, const Words& scenario,
                   const std::map<std::string, std::string>& environment = {});
  /// Starts without waiting; finish() waits and reads.
  pid_t start(const Words& args, const std::map<std::string, std::string>& environment, const std::string& input);
  Outcome finish(pid_t child);

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  static std::string fake_program();

  std::filesystem::path folder_;
};

#define EXPECT_SAYS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "missing: " << (part) << "\nin: " << (text)
#define EXPECT_SILENT_ABOUT(text, part) \
  EXPECT_EQ((text).find(part), std::string::npos) << "unexpected: " << (part) << "\nin: " << (text)

/// One line, with its end and nothing behind it.
bool is_one_line(const std::string& text);

}  // namespace ascsan::cli_test
