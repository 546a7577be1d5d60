// See cases.h. Figures are made up but consistent; places are lines of source/online_max_sum.h.
#include "golden/cases.h"

#include <cstdio>

namespace ascsan::golden {
namespace {

using report::AccessInfo;
using report::Confidence;
using report::Finding;
using report::Frame;
using report::Launch;
using report::RunResult;
using report::Severity;

constexpr const char* kFile = "tests/golden/source/online_max_sum.h";
constexpr const char* kKernel = "fused_linear_online_max_sum";

Launch launch(const std::string& kernel = kKernel) {
  Launch launch;
  launch.kernel = kernel;
  launch.chip = "910B1";
  launch.profile = "auto";
  launch.schedule = "deferred";
  launch.block_dim = 24;
  launch.seed = 1;
  launch.instructions = 123456;
  launch.bytes_checked = 987654321;
  launch.aic = 24;
  launch.aiv = 48;
  return launch;
}

RunResult run_of(std::vector<Finding> findings) {
  RunResult run;
  run.launches = {launch()};
  run.findings = std::move(findings);
  run.options = {
      {"schedule", "deferred", "default"}, {"seed", "7", "command line"}, {"out", "json=a.json,text=b", "environment"}};
  run.program_status = 0;
  return run;
}

AccessInfo access(const char* role, const char* core, const char* pipe, const char* operation, uint32_t index,
                  std::vector<Frame> stack) {
  AccessInfo access;
  access.role = role;
  access.core = core;
  access.pipe = pipe;
  access.operation = operation;
  access.index = index;
  access.stack = std::move(stack);
  if (!access.stack.empty()) {
    access.file = access.stack[0].file;
    access.function = access.stack[0].function;
    access.line = access.stack[0].line;
  }
  return access;
}

Frame frame(const char* function, uint32_t line) {
  return {function, kFile, line};
}

/// The report of design/ux.md section 4, as far as its data exists.
Finding missing_barrier() {
  Finding finding;
  finding.id = "ASC1101-5f3c9a";
  finding.rule = "ASC1101";
  finding.title = "predicted_logits_local is wrong: masked_target is read before it has been written";
  finding.detail =
      "AIV 3 reads rows 64..127 of masked_target (GM, 256 bytes) while the store of these rows by AIV 0 may still be "
      "on its "
      "way. Read-after-write between cores, global memory.";
  finding.kernel = kKernel;
  finding.launch = 1;
  finding.merged = 2352;
  finding.space = "GM";
  finding.tensor = "masked_target";
  finding.bytes[0] = 256;
  finding.bytes[1] = 512;
  finding.elements[0] = 64;
  finding.elements[1] = 128;
  finding.accesses = {
      access("writer", "AIV 0", "MTE3", "DataCopyPad", 6,
             {frame("TargetInnerProcess", 19), frame("TargetProcess", 12), frame("Process", 4), frame(kKernel, 40)}),
      access("reader", "AIV 3", "MTE2", "DataCopyPad", 2,
             {frame("OnlineCopyIn", 25), frame("OnlineMaxSum<half>::CVProcess(unsigned int)", 5), frame(kKernel, 40)})};
  finding.accesses[0].bytes[1] = 704;
  finding.accesses[1].bytes[0] = 256;
  finding.accesses[1].bytes[1] = 512;
  finding.last_common = {"SyncAll", kFile, 10};
  finding.missing = "AIV 0 MTE3 -> AIV 3 MTE2";
  finding.notes = {
      "SetFlag and WaitFlag order the pipes of one core only; they cannot make this link. SyncAll or "
      "CrossCoreSetFlag with CrossCoreWaitFlag can."};
  return finding;
}

Finding same_core_hazard() {
  Finding finding;
  finding.id = "ASC1002-00ff17";
  finding.rule = "ASC1002";
  finding.title = "sum is overwritten while it is still being stored";
  finding.detail =
      "Adds on V writes bytes 0..511 of sum (UB) while DataCopy on MTE3 may still read them. Write-after-read in "
      "one core.";
  finding.kernel = kKernel;
  finding.launch = 2;
  finding.space = "UB";
  finding.tensor = "sum";
  finding.bytes[1] = 512;
  finding.elements[1] = 128;
  finding.accesses = {access("reader", "AIV 0", "MTE3", "DataCopy", 1, {frame("Reduce", 34)}),
                      access("writer", "AIV 0", "V", "Adds", 2, {frame("Reduce", 35)})};
  finding.missing = "AIV 0 MTE3 -> AIV 0 V";
  finding.merged = 2;
  return finding;
}

Finding hang() {
  Finding finding;
  finding.id = "ASC5001-a0a0a0";
  finding.rule = "ASC5001";
  finding.title = "the kernel hangs: three cores wait for each other";
  finding.detail =
      "AIV 0 waits for flag 5 from AIC 1;\nAIC 1 waits for flag 3 from AIV 1;\nAIV 1 waits at SyncAll for AIV 0.";
  finding.kernel = kKernel;
  finding.launch = 1;
  finding.accesses = {access("waiter", "AIV 0", "S", "CrossCoreWaitFlag", 0, {frame("CVProcess", 5)}),
                      access("waiter", "AIC 1", "S", "CrossCoreWaitFlag", 0, {}),
                      access("waiter", "AIV 1", "", "SyncAll", 0, {frame("TargetProcess", 10)})};
  return finding;
}

/// Long names, no stack, files that are not there, a possible fault with its assumption.
Finding awkward() {
  Finding finding;
  finding.id = "ASC3001-0badf0";
  finding.rule = "ASC3001";
  finding.severity = Severity::kWarning;
  finding.confidence = Confidence::kPossible;
  finding.title = "bytes of workspace are read that nobody has written";
  finding.detail = "未初始化 (uninitialised): 1 byte.";
  finding.kernel = "ns::Kernel<half, 128>";
  finding.launch = 3;
  finding.space = "GM";
  finding.tensor = "workspace";
  finding.bytes[0] = 31;
  finding.bytes[1] = 32;
  AccessInfo reader = access("reader", "AIC 12", "MTE2", "DataCopy", 4096, {});
  reader.file = "/somewhere/far/away/in/a/very/deep/folder/of/another/project/op_kernel/matmul_impl.h";
  reader.function =
      "MatmulImplementationWithAnExtraordinarilyLongName::LoadTileFromGlobalMemory<half, 16, 32>(int, int)";
  reader.line = 1234;
  reader.bytes[0] = 31;
  reader.bytes[1] = 32;
  finding.accesses = {reader};
  finding.notes = {"assumes that the allocator does not clear memory.",
                   "option gm_fill=poison makes the value visible."};
  return finding;
}

}  // namespace

std::vector<Finding> one_of_each() {
  struct Row {
    const char* rule;
    Severity severity;
    Confidence confidence;
    const char* space;
    const char* title;
  };
  static constexpr Severity kE = Severity::kError, kW = Severity::kWarning, kI = Severity::kInfo;
  static constexpr Confidence kC = Confidence::kCertain, kP = Confidence::kPossible, kProven = Confidence::kProven;
  static constexpr Row kRows[] = {
      {"ASC1001", kE, kC, "UB", "read before the copy into it is complete"},
      {"ASC1002", kE, kC, "UB", "overwritten while still being read"},
      {"ASC1003", kE, kProven, "UB", "two writes in undefined order"},
      {"ASC1101", kE, kProven, "GM", "read by another core before it has been written"},
      {"ASC1102", kE, kC, "GM", "overwritten by another core while still being read"},
      {"ASC1103", kE, kC, "GM", "written by two cores in undefined order"},
      {"ASC1104", kW, kC, "GM", "written by two cores with the same value"},
      {"ASC1201", kW, kC, "GM", "two stores of one pipe overlap, more than 32 entries apart"},
      {"ASC1301", kW, kC, "GM", "atomic and plain access are not ordered"},
      {"ASC1302", kI, kC, "GM", "sum of floats by atomic adds depends on their order"},
      {"ASC2001", kE, kC, "GM", "access behind the end of a tensor"},
      {"ASC2002", kE, kC, "UB", "access outside of the memory"},
      {"ASC2003", kE, kC, "UB", "access to a buffer after FreeTensor"},
      {"ASC2004", kE, kC, "L1", "access across two buffers"},
      {"ASC2005", kE, kC, "GM", "access to freed global memory"},
      {"ASC2101", kE, kC, "UB", "address is not aligned to 32 bytes"},
      {"ASC2102", kE, kC, "L0C", "illegal path between two memories"},
      {"ASC2103", kE, kC, "UB", "repeat of 256 is out of range"},
      {"ASC2104", kW, kC, "FB", "address is aligned to 64 bytes, 128 are advised"},
      {"ASC3001", kE, kC, "UB", "undefined bytes are used as a value"},
      {"ASC3002", kE, kC, "GM", "undefined bytes are stored to an output"},
      {"ASC3003", kW, kP, "L0A", "undefined bytes enter a matrix product"},
      {"ASC4001", kE, kC, "", "flag is set twice without a wait"},
      {"ASC4002", kE, kC, "", "flag is still set at the end of the kernel"},
      {"ASC4003", kE, kC, "", "wait for a flag that was never set"},
      {"ASC4004", kE, kC, "", "event id 8 is out of range"},
      {"ASC4101", kE, kC, "", "DeQue on an empty queue"},
      {"ASC4102", kE, kC, "", "tensor is freed twice"},
      {"ASC4103", kW, kC, "", "tensor is not freed at the end"},
      {"ASC4201", kE, kC, "", "more than 15 cross-core sets are pending"},
      {"ASC4202", kW, kC, "", "cross-core flag 12 is reserved"},
      {"ASC5001", kE, kProven, "", "cores wait for each other"},
      {"ASC5002", kE, kC, "", "endless loop in scalar code"},
      {"ASC5003", kE, kC, "", "barrier that not all cores reach"},
      {"ASC6001", kE, kC, "GM", "two cores store into one cache line"},
      {"ASC6002", kE, kC, "GM", "stale cache line is read"},
      {"ASC6003", kW, kC, "GM", "dirty cache line at the end of the kernel"},
      {"ASC9001", kI, kC, "", "control flow depends on unordered data"},
  };
  std::vector<Finding> findings;
  uint32_t number = 0;
  for (const Row& row : kRows) {
    Finding finding;
    finding.rule = row.rule;
    char id[16];
    std::snprintf(id, sizeof id, "-%06x", 0x10101 * ++number);
    finding.id = std::string(row.rule) + id;
    finding.severity = row.severity;
    finding.confidence = row.confidence;
    finding.space = row.space;
    if (finding.space == "GM") finding.tensor = "y";
    finding.title = row.title;
    finding.detail = std::string("Details of ") + row.title + ".";
    finding.kernel = kKernel;
    finding.launch = 1;
    finding.accesses = {access("access", number % 2 == 0 ? "AIC 0" : "AIV 1", number % 3 == 0 ? "S" : "V", "Add",
                               number, {frame("Reduce", 31)})};
    findings.push_back(finding);
  }
  return findings;
}

std::vector<Case> cases() {
  std::vector<Case> cases;
  cases.push_back({"clean", run_of({})});
  cases.push_back({"missing_barrier", run_of({missing_barrier()})});
  cases.back().run.findings[0].confidence = Confidence::kProven;
  cases.push_back({"same_core", run_of({same_core_hazard()})});
  cases.back().run.launches = {launch(), launch()};
  cases.back().run.launches[1].profile = "strict";
  cases.push_back({"hang", run_of({hang()})});
  cases.push_back({"awkward", run_of({awkward()})});
  cases.back().run.launches = {launch("ns::Kernel<half, 128>")};
  cases.back().run.launches[0].aic = cases.back().run.launches[0].aiv = 0;
  cases.push_back({"several", run_of({missing_barrier(), same_core_hazard(), hang(), awkward()})});
  cases.back().run.launches = {launch(), launch(), launch("ns::Kernel<half, 128>")};
  cases.push_back({"one_of_each", run_of(one_of_each())});
  cases.push_back({"accepted", run_of({missing_barrier(), same_core_hazard(), hang()})});
  cases.back().run.launches = {launch(), launch()};
  cases.back().run.findings[0].suppressed = {"rows 64..127 are padding here", "kernel team", "2030-06-30"};
  cases.back().run.findings[0].baseline = cases.back().run.findings[1].baseline = "known";
  cases.back().run.findings[2].baseline = "new";
  cases.back().run.fixed = {{"ASC2101-0000aa", "ASC2101", "x is read past its end", kKernel}};
  cases.back().run.suppression_notes = {
      "ascsan.suppress:7: the entry for ASC2101 matches no finding of this run; remove it if the fault is fixed"};
  cases.push_back({"incomplete", run_of({})});
  cases.back().run.unchecked = {
      {"AscendC::Sort32", "the API is not modelled"},
      {"launch 2", "control flow depends on a polled word, so other schedules may do other things"}};
  cases.push_back({"many_unchecked", run_of({awkward()})});
  for (int i = 0; i < 14; ++i) cases.back().run.unchecked.push_back({"api " + std::to_string(i), "is not modelled"});
  cases.push_back({"crash", run_of({})});
  cases.back().run.crash =
      "signal 11 (SIGSEGV) at address 0x10 in kernel fused_linear_online_max_sum, AIV 3, after DataCopy, "
      "tests/golden/source/online_max_sum.h:34";
  cases.back().run.program_status = 139;
  cases.push_back({"program_failed", run_of({})});
  cases.back().run.program_status = 3;
  cases.push_back({"nothing_launched", RunResult()});
  cases.back().run.program_status = 1;
  return cases;
}

}  // namespace ascsan::golden
