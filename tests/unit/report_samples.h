// Random runs for the tests of the report library: every field filled, strings with any bytes.
#pragma once

#include <random>
#include <string>

#include "report/model.h"

namespace ascsan::report {

class Samples {
 public:
  explicit Samples(uint64_t seed) : random_(seed) {}

  uint64_t number(uint64_t below) { return random_() % below; }
  /// Any bytes, sometimes none.
  std::string bytes(size_t longest) {
    std::string text(number(longest + 1), ' ');
    for (char& c : text) c = static_cast<char>(random_());
    return text;
  }
  /// Words with some UTF-8, newlines and control characters among them.
  std::string prose(size_t words) {
    static const char* const kWords[] = {"masked_target",
                                         "AIV",
                                         "0",
                                         "reads",
                                         "写入",
                                         "a\x1b[31mb",
                                         "64..127",
                                         "·",
                                         "→",
                                         "\xff\xfe",
                                         "x\ty",
                                         "verylongname_without_any_break_in_it_at_all_0123456789",
                                         "é"};
    std::string text;
    for (size_t n = number(words + 1); n > 0; --n)
      text += std::string(kWords[number(std::size(kWords))]) + (number(9) == 0 ? "\n" : " ");
    return text;
  }
  Frame frame() { return {bytes(12), bytes(20), static_cast<uint32_t>(number(500))}; }
  AccessInfo access() {
    AccessInfo access;
    access.role = prose(1);
    access.core = prose(2);
    access.pipe = number(3) == 0 ? "S" : "MTE" + std::to_string(number(4));
    access.operation = prose(2);
    access.file = bytes(30);
    access.function = prose(1);
    access.line = static_cast<uint32_t>(random_());
    for (size_t n = number(4); n > 0; --n) access.stack.push_back(frame());
    access.bytes[0] = random_();
    access.bytes[1] = random_();
    access.core_id = static_cast<uint32_t>(number(72));
    access.pipe_id = static_cast<uint32_t>(number(7));
    access.index = static_cast<uint32_t>(number(100));
    return access;
  }
  Finding finding() {
    Finding finding;
    finding.id = bytes(15);
    finding.rule = "ASC" + std::to_string(1000 + number(9000));
    finding.severity = static_cast<Severity>(number(3));
    finding.confidence = static_cast<Confidence>(number(3));
    finding.title = prose(20);
    finding.detail = prose(60);
    finding.kernel = bytes(20);
    finding.launch = static_cast<uint32_t>(random_());
    finding.merged = number(3) == 0 ? 1 : random_();
    finding.space = bytes(3);
    finding.tensor = bytes(10);
    for (uint64_t* pair : {finding.bytes, finding.elements}) {
      pair[0] = random_();
      pair[1] = random_();
    }
    for (size_t n = number(4); n > 0; --n) finding.accesses.push_back(access());
    if (number(2) == 0) finding.last_common = {prose(4), bytes(20), static_cast<uint32_t>(random_())};
    finding.missing = prose(6);
    for (size_t n = number(4); n > 0; --n) finding.notes.push_back(prose(15));
    if (number(2) == 0) {
      Witness& witness = finding.witness.emplace();
      witness.token = bytes(60);
      witness.forced_choices = random_();
      witness.runs = random_();
      for (size_t n = number(4); n > 0; --n) witness.steps.push_back(prose(9));
      for (size_t n = number(3); n > 0; --n) witness.values.push_back({prose(3), bytes(9), bytes(9), random_()});
      for (size_t n = number(4); n > 0; --n)
        finding.impact.push_back({bytes(9), random_(), random_(), random_(), bytes(9), bytes(9),
                                  static_cast<double>(number(1000)) / 7, prose(2)});
    }
    if (number(3) == 0) finding.fix = Fix{prose(9), prose(30), number(2) == 0, number(2) == 0};
    if (number(4) == 0) finding.suppressed = {prose(4), bytes(8), "2030-01-0" + std::to_string(1 + number(9))};
    if (number(3) == 0) finding.baseline = number(2) == 0 ? "new" : "known";
    return finding;
  }
  /// Any bytes as texts; numbers are legal, as report/timeline.h demands them.
  Timeline timeline() {
    Timeline timeline;
    timeline.launch = static_cast<uint32_t>(1 + number(4));
    timeline.kernel = bytes(12);
    timeline.steps = 220 + number(100);
    timeline.dropped = number(100);
    timeline.texts = {""};
    timeline.places = {{}};
    for (size_t n = number(6); n > 0; --n) timeline.texts.push_back(bytes(20));
    for (size_t n = number(6); n > 0; --n) timeline.places.push_back(frame());
    const auto count = static_cast<uint32_t>(1 + number(5));
    for (uint32_t lane = 0; lane < count; ++lane)
      timeline.lanes.push_back({lane / 2, lane % 2, "AIV " + std::to_string(lane / 2), bytes(6)});
    for (size_t n = number(30); n > 0; --n) {
      TimelineSlice slice;
      slice.lane = static_cast<uint32_t>(number(count));
      slice.kind = static_cast<SliceKind>(number(kSliceKindCount));
      slice.begin = number(200);
      slice.end = slice.begin + 1 + number(20);
      slice.index = static_cast<uint32_t>(number(9));
      slice.name = static_cast<uint32_t>(number(timeline.texts.size()));
      slice.detail = static_cast<uint32_t>(number(timeline.texts.size()));
      slice.place = static_cast<uint32_t>(number(timeline.places.size()));
      timeline.slices.push_back(slice);
    }
    if (const size_t slices = timeline.slices.size(); slices > 0)
      for (size_t n = number(10); n > 0; --n)
        timeline.arrows.push_back({static_cast<uint32_t>(number(slices)), static_cast<uint32_t>(number(slices)),
                                   static_cast<ArrowKind>(number(kArrowKindCount))});
    for (size_t n = number(3); n > 0; --n) {
      TimelineCounter counter{static_cast<uint32_t>(number(count)), bytes(5), bytes(9), {}};
      for (uint64_t step = number(5); step < 60; step += 1 + number(20)) counter.points.push_back({step, random_()});
      timeline.counters.push_back(counter);
    }
    return timeline;
  }
  RunResult run() {
    RunResult run;
    for (size_t n = number(5); n > 0; --n) run.options.push_back({bytes(10), bytes(10), bytes(10)});
    for (size_t n = number(4); n > 0; --n) {
      Launch launch;
      launch.kernel = bytes(12);
      launch.chip = bytes(6);
      launch.profile = bytes(6);
      launch.schedule = bytes(6);
      launch.block_dim = static_cast<uint32_t>(random_());
      launch.seed = random_();
      launch.instructions = random_();
      launch.bytes_checked = random_();
      launch.aic = static_cast<uint32_t>(random_());
      launch.aiv = static_cast<uint32_t>(random_());
      run.launches.push_back(launch);
    }
    for (size_t n = number(4); n > 0; --n) run.unchecked.push_back({prose(5), prose(9)});
    for (size_t n = number(5); n > 0; --n) run.findings.push_back(finding());
    for (size_t n = number(3); n > 0; --n) run.fixed.push_back({bytes(9), bytes(7), prose(6), bytes(9)});
    for (size_t n = number(3); n > 0; --n) run.suppression_notes.push_back(prose(8));
    for (size_t n = number(3); n > 0; --n) run.timelines.push_back(timeline());
    run.timing = {static_cast<double>(random_()) / 7e9, static_cast<double>(random_()) / 3e17};
    if (number(2) == 0) run.program_status = static_cast<int>(number(256));
    run.crash = number(2) == 0 ? "" : prose(10);
    return run;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace ascsan::report
