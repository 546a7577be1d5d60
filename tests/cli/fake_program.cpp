// A stand-in for a program linked with ascsan: it answers `ascsan run` as a session would, with a result made up from
// its arguments, so that every way a run can end is tested without kernels. Arguments, in any order:
//   error|warning|info[=N]  N findings of that severity     unchecked      something was not checked
//   exit=N  signal=N        how the program ends            crash          a crash inside a kernel was noted
//   nolaunch noresult garbage                               no launch; no result file; a result nobody can read
//   set:NAME=VALUE          an option set by the program    hello          prints to stdout
//   nostacks badstacks stackless                            second run: no answer, a broken one, one without frames
//   wait                    waits for a signal, delivers the result, ends by that signal
//   timeline                second run: a timeline of both accesses, when one is asked for
//   log=FILE                appends role, options and standard input of each run to FILE
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "report/as_json.h"
#include "report/experiments.h"
#include "report/stacks.h"
#include "run/options.h"

namespace {

using namespace ascsan;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

report::Finding finding(report::Severity severity, uint32_t number) {
  report::Finding finding;
  finding.rule = "ASC1101";
  finding.id = "ASC1101-" + std::to_string(100000 + number);
  finding.severity = severity;
  finding.title = "y is wrong: x is read before it has been written";
  finding.kernel = "fake_kernel";
  finding.launch = 1;
  finding.space = "GM";
  finding.tensor = "x";
  for (uint32_t side = 0; side < 2; ++side) {
    report::AccessInfo access;
    access.role = side == 0 ? "writer" : "reader";
    access.core = "AIV " + std::to_string(side);
    access.pipe = side == 0 ? "MTE3" : "MTE2";
    access.operation = "DataCopy";
    access.file = "fake.cpp";
    access.function = "site_of_access";
    access.line = 10 + side;
    access.core_id = side;
    access.pipe_id = side == 0 ? 5 : 4;
    access.index = number + 1;
    finding.accesses.push_back(access);
  }
  return finding;
}

struct Scenario {
  report::RunResult run;
  run::Options options;
  bool launched = true, result = true, garbage = false, wait = false;
  bool nostacks = false, badstacks = false, stackless = false, timeline = false;
  int status = 0, signal = 0;
  std::string log;
};

void read_argument(Scenario& scenario, const std::string& argument) {
  const size_t equals = argument.find('=');
  const std::string word = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  report::Severity severity{};
  if (report::parse_word(word, severity)) {
    for (int n = value.empty() ? 1 : std::stoi(value); n > 0; --n)
      scenario.run.findings.push_back(finding(severity, static_cast<uint32_t>(scenario.run.findings.size())));
  } else if (word == "unchecked") {
    scenario.run.unchecked.push_back({"fake_kernel", "an API that is not modelled"});
  } else if (word == "crash") {
    scenario.run.crash = "signal 11 (SIGSEGV) in kernel fake_kernel, AIV 3";
  } else if (word.rfind("set:", 0) == 0) {
    (void)run::set_option(scenario.options, word.substr(4), value, run::Origin::kProgram);
  } else if (word == "hello") {
    std::puts("hello from the program");
  }
  scenario.launched = scenario.launched && word != "nolaunch";
  scenario.result = scenario.result && word != "noresult";
  scenario.garbage = scenario.garbage || word == "garbage";
  scenario.wait = scenario.wait || word == "wait";
  scenario.nostacks = scenario.nostacks || word == "nostacks";
  scenario.badstacks = scenario.badstacks || word == "badstacks";
  scenario.stackless = scenario.stackless || word == "stackless";
  scenario.timeline = scenario.timeline || word == "timeline";
  if (word == "exit") scenario.status = std::stoi(value);
  if (word == "signal") scenario.signal = std::stoi(value);
  if (word == "log") scenario.log = value;
}

void deliver(Scenario& scenario) {
  if (!scenario.result) return;
  if (scenario.launched) {
    report::Launch launch;
    launch.kernel = "fake_kernel";
    launch.chip = "910B1";
    launch.profile = "auto";
    launch.schedule = run::value_of(scenario.options, run::OptionId::schedule);
    launch.block_dim = 2;
    launch.seed = scenario.options.seed;
    scenario.run.launches = {launch};
  }
  scenario.run.options = run::describe(scenario.options);
  std::ofstream(environment("ASCSAN_RESULT"))
      << (scenario.garbage ? "{\"options\": [" : report::to_raw_json(scenario.run));
}

/// One copy on each side, as the first finding has them.
report::Timeline timeline() {
  report::Timeline timeline;
  timeline.launch = 1;
  timeline.kernel = "fake_kernel";
  timeline.steps = 4;
  timeline.texts = {"", "DataCopy"};
  timeline.places = {{}};
  timeline.lanes = {{0, 5, "AIV 0", "MTE3"}, {1, 4, "AIV 1", "MTE2"}};
  timeline.slices = {{0, report::SliceKind::kWork, 0, 2, 1, 1, 0, 0}, {1, report::SliceKind::kWork, 1, 3, 1, 1, 0, 0}};
  return timeline;
}

int answer_stacks(const Scenario& scenario) {
  const std::string drawn = environment("ASCSAN_TIMELINE");
  if (scenario.timeline && !drawn.empty()) std::ofstream(drawn) << report::timelines_to_json({timeline()});
  if (scenario.nostacks) return 3;
  std::ostringstream text;
  text << std::ifstream(environment("ASCSAN_WANTED")).rdbuf();
  std::vector<report::AccessKey> keys;
  if (!report::parse_wanted_text(text.str(), keys)) return 4;
  std::vector<report::AccessStack> stacks;
  for (const report::AccessKey& key : keys) {
    report::AccessStack stack{key, {}};
    if (!scenario.stackless)
      stack.frames = {{"AscendC::DataCopy", "include/ascendc/data_copy.h", 1},
                      {"inner_of_core_" + std::to_string(key.core), "fake.cpp", 10 + key.core},
                      {"fake_kernel", "fake.cpp", 50},
                      {"main", "fake.cpp", 90}};
    stacks.push_back(stack);
  }
  std::ofstream(environment("ASCSAN_RESULT")) << (scenario.badstacks ? "broken" : report::stacks_to_json(stacks));
  return 0;
}

volatile sig_atomic_t g_signal = 0;
void note(int signal) {
  g_signal = signal;
}

}  // namespace

int main(int argc, char** argv) {
  Scenario scenario;
  if (const std::string error = run::load_options(scenario.options); !error.empty()) return 99;
  for (int i = 1; i < argc; ++i) read_argument(scenario, argv[i]);
  const std::string role = environment("ASCSAN_ROLE");
  if (role == "witness") {  // made-up findings have none
    std::ofstream(environment("ASCSAN_RESULT")) << report::witnesses_to_json({});
    return 0;
  }
  if (!scenario.log.empty()) {
    std::string line;
    std::getline(std::cin, line);
    std::ofstream(scenario.log, std::ios::app) << role << "|" << environment("ASCSAN_OPTIONS") << "|" << line << "\n";
  }
  if (role == "stacks") return answer_stacks(scenario);
  if (scenario.wait) {
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    std::puts("waiting");
    std::fflush(stdout);
    while (g_signal == 0) usleep(1000);
    scenario.signal = g_signal;
  }
  deliver(scenario);
  if (scenario.signal != 0) {
    std::signal(scenario.signal, SIG_DFL);
    std::fflush(stdout);
    raise(scenario.signal);
  }
  return scenario.status;
}
