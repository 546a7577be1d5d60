// See sample_run.h. The kernel runs twice, as `ascsan run` does it: the first time to find the accesses, the second
// time to record the timeline around them. The finding itself is made by hand, so that no checker has to be right for
// the test.
#include "sample_run.h"

#include <cstring>
#include <string>

#include "event/fan_out.h"
#include "explain/timeline.h"
#include "isa/op_table.h"
#include "machine/machine.h"
#include "sample_kernel.h"
#include "schedule/make.h"

namespace ascsan::sample {
namespace {

using report::AccessInfo;

struct Arguments {
  void* logits = nullptr;
  void* masked = nullptr;
  void* sums = nullptr;
};

void kernel(void* closure) {
  const auto& arguments = *static_cast<const Arguments*>(closure);
  AscendC::TPipe pipe;
  sample_kernel::OnlineMaxSum op;
  op.Init(static_cast<GM_ADDR>(arguments.logits), static_cast<GM_ADDR>(arguments.masked),
          static_cast<GM_ADDR>(arguments.sums), &pipe);
  op.Process();
}

/// Remembers the first instruction of a pipe of a core that was issued in a function.
class Finder : public event::Sink {
 public:
  Finder(const event::SiteTable& sites, event::CoreId core, gate::Pipe pipe, const char* function)
      : sites_(sites), core_(core), pipe_(pipe), function_(function) {}
  AccessInfo access;
  void on_event(const event::Event& event) override {
    if (event.kind != event::Kind::kInstruction || event.core != core_ || event.pipe != pipe_ || access.index != 0)
      return;
    const gate::Site& site = sites_.at(event.site);
    if (std::strcmp(site.function, function_) != 0) return;
    access.core = "AIV " + std::to_string(core_);
    access.pipe = event::pipe_name(pipe_);
    access.operation = event::api_name(event.op);
    access.file = site.file;
    access.function = site.function;
    access.line = site.line;
    access.core_id = core_;
    access.pipe_id = static_cast<uint32_t>(pipe_);
    access.index = event.index;
  }

 private:
  const event::SiteTable& sites_;
  event::CoreId core_;
  gate::Pipe pipe_;
  const char* function_;
};

/// Line of the first SyncAll, the last common point.
class SyncFinder : public event::Sink {
 public:
  explicit SyncFinder(const event::SiteTable& sites) : sites_(sites) {}
  report::Finding::CommonPoint point;
  void on_event(const event::Event& event) override {
    if (event.kind != event::Kind::kCrossWait || !point.file.empty()) return;
    point = {"SyncAll", sites_.at(event.site).file, sites_.at(event.site).line};
  }

 private:
  const event::SiteTable& sites_;
};

class SampleChip {
 public:
  explicit SampleChip(uint32_t cores) : cores_(cores) {
    const uint64_t bytes = uint64_t{cores} * sample_kernel::kTile * sample_kernel::kTiles * sizeof(float);
    for (auto [pointer, name] : {std::pair{&arguments_.logits, "logits"},
                                 std::pair{&arguments_.masked, "masked_target"}, std::pair{&arguments_.sums, "sums"}}) {
      *pointer = memory_.allocate(bytes, 0);
      memory_.find(reinterpret_cast<uint64_t>(*pointer))->name = name;
    }
  }

  machine::LaunchOutcome launch(event::Sink& sink, explain::TimelineRecorder* recorder) {
    machine::MachineOptions options;
    options.chip = machine::find_chip("910B1");
    machine::Machine machine(isa::op_table(), memory_, sites, options);
    if (recorder != nullptr)
      machine.set_issue_hook(
          [](void* context, const machine::Core& core, gate::Pipe pipe, uint32_t index) {
            static_cast<explain::TimelineRecorder*>(context)->on_issue(core.id, pipe, index);
          },
          recorder);
    memory_.each([&](const machine::Tensor& tensor) {
      const event::Span span{tensor.begin, tensor.end};
      event::Event define;
      define.kind = event::Kind::kTensorDefine;
      define.text = tensor.name.c_str();
      define.spans = &span;
      sink.on_event(define);
    });
    machine::LaunchPlan plan;
    plan.kernel = "fused_linear_online_max_sum";
    plan.type = machine::KernelType::kMixAiv10;
    plan.block_dim = cores_;
    plan.number = 1;
    plan.entry = kernel;
    plan.closure = &arguments_;
    const auto scheduler = schedule::make_scheduler("deferred", 1, 3, nullptr);
    return machine.launch(plan, *scheduler, &sink);
  }

  event::SiteTable sites;

 private:
  uint32_t cores_;
  machine::GlobalMemory memory_;
  Arguments arguments_;
};

report::Finding finding_of(AccessInfo writer, AccessInfo reader, const report::Finding::CommonPoint& common) {
  const uint64_t bytes = sample_kernel::kTile * sizeof(float);
  report::Finding finding;
  finding.id = "ASC1101-5f3c9a";
  finding.rule = "ASC1101";
  finding.title = "masked_target is read by OnlineCopyIn before TargetInnerProcess has surely written it";
  finding.detail =
      "AIV 0 reads bytes 768..1023 of masked_target (GM, 256 bytes) by DataCopy on MTE2 while DataCopy on AIV 1 MTE3, "
      "which writes them, may still be on its way. Read-after-write between cores, global memory.";
  finding.kernel = "fused_linear_online_max_sum";
  finding.launch = 1;
  finding.merged = 144;
  finding.space = "GM";
  finding.tensor = "masked_target";
  const uint64_t begin = 3 * bytes;  // the first tile of core 1
  for (uint64_t* range : {finding.bytes, writer.bytes, reader.bytes}) {
    range[0] = begin;
    range[1] = begin + bytes;
  }
  writer.role = "writer";
  reader.role = "reader";
  for (AccessInfo* access : {&writer, &reader}) {
    access->stack = {{access->function, access->file, access->line},
                     {access == &writer ? "TargetProcess" : "CVProcess", access->file, access->line},
                     {"fused_linear_online_max_sum", access->file, 0}};
  }
  finding.missing = writer.core + " MTE3 -> " + reader.core + " MTE2";
  finding.accesses = {writer, reader};
  finding.last_common = common;
  finding.notes = {
      "after it AIV 1 MTE3 signals by SetFlag MTE3 -> V (id 0)",
      "SetFlag and WaitFlag order the pipes of one core only; between cores SyncAll or CrossCoreSetFlag is needed"};
  return finding;
}

}  // namespace

report::RunResult sample_run(uint32_t cores) {
  SampleChip chip(cores);
  Finder writer(chip.sites, 1, gate::Pipe::kMte3, "TargetInnerProcess");
  Finder reader(chip.sites, 0, gate::Pipe::kMte2, "OnlineCopyIn");
  SyncFinder common(chip.sites);
  event::FanOut first;
  for (event::Sink* sink :
       {static_cast<event::Sink*>(&writer), static_cast<event::Sink*>(&reader), static_cast<event::Sink*>(&common)})
    first.add(sink);
  const machine::LaunchOutcome outcome = chip.launch(first, nullptr);

  report::RunResult run;
  report::Launch launch;
  launch.kernel = "fused_linear_online_max_sum";
  launch.chip = "910B1";
  launch.profile = "auto";
  launch.schedule = "deferred";
  launch.block_dim = launch.aiv = cores;
  launch.seed = 1;
  launch.instructions = outcome.instructions;
  launch.bytes_checked = uint64_t{cores} * sample_kernel::kTile * sample_kernel::kTiles * 16;
  run.launches = {launch};
  run.findings = {finding_of(writer.access, reader.access, common.point)};
  run.program_status = 0;
  run.options = {{"seed", "1", "command line"}};

  explain::TimelineRecorder recorder(chip.sites);
  recorder.want(report::wanted_accesses(run));
  chip.launch(recorder, &recorder);
  run.timelines = recorder.take();
  return run;
}

}  // namespace ascsan::sample
