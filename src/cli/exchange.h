// What the commands that start a program share: the folder for the files between the program and us, and the
// environment that gives the program its options and its role.
#pragma once

#include <string>

#include "cli/child.h"
#include "cli/command.h"
#include "report/model.h"
#include "run/options.h"

namespace ascsan::cli {

/// A private folder, gone at the end.
class ExchangeFolder {
 public:
  ExchangeFolder();
  ~ExchangeFolder();
  ExchangeFolder(const ExchangeFolder&) = delete;
  ExchangeFolder& operator=(const ExchangeFolder&) = delete;
  bool good() const { return !path_.empty(); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A program with its arguments and the options it gets.
struct ProgramCall {
  run::Options options;
  Arguments program;  ///< name and arguments
  std::string path;
};

/// Starts the program in a role; the answer goes to the file `result` of the folder.
ChildRequest child_request(const ProgramCall& call, const ExchangeFolder& folder, const char* role, const char* result);

/// Runs the program in a role with a task and reads its answer. Empty on success, else one line.
std::string ask(const ProgramCall& call, const ExchangeFolder& folder, const char* role, const std::string& task,
                double limit_seconds, bool silent, std::string& answer);

/// The checked run with call stacks, for commands that begin with it. Empty on success, else one line.
std::string checked_run(const ProgramCall& call, const ExchangeFolder& folder, bool silent, report::RunResult& run);

/// Has the races of a run witnessed (report/experiments.h) and puts the answers into its findings. Says on success
/// nothing, else why there are none.
std::string fetch_witnesses(const ProgramCall& call, const ExchangeFolder& folder, double first_seconds,
                            report::RunResult& run);

/// Options, then optionally --, then PROGRAM and its arguments. True: go on; false: `exit_code` ends the command.
bool parse_call(const char* command, const Arguments& args, ProgramCall& call, int& exit_code);

}  // namespace ascsan::cli
