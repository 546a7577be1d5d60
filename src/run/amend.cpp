#include "run/amend.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "run/outputs.h"
#include "run/suggest.h"
#include "schedule/make.h"

namespace ascsan::run {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string all_tensors(machine::GlobalMemory& memory) {
  std::string text;
  memory.each([&](const machine::Tensor& tensor) {
    if (!tensor.framework) text += (text.empty() ? "" : ", ") + machine::GlobalMemory::describe(tensor);
  });
  return text;
}

bool is_known(machine::GlobalMemory& memory, const std::string& pattern) {
  bool known = false;
  memory.each([&](const machine::Tensor& tensor) {
    known = known || matches(pattern, machine::GlobalMemory::describe(tensor));
  });
  return known;
}

/// Calls without effect are found by their line alone.
bool is_drop(const std::string& what_if) {
  return what_if.rfind("drop=", 0) == 0;
}
}  // namespace

std::unique_ptr<Amendments> Amendments::from_options(const Options& options) {
  if (options.what_if.empty() && options.mute.empty() && options.fill.empty() && options.stop_after.empty() &&
      options.dump.empty())
    return nullptr;
  return std::make_unique<Amendments>();
}

bool Amendments::needs_stages(const Options& options) const {
  return (!options.what_if.empty() && !is_drop(options.what_if)) || !options.stop_after.empty() ||
         !options.dump.empty();
}

std::string Amendments::stage_number(const std::string& name, int& number) const {
  number = stages_->find(name);
  if (number >= 0) return "";
  std::string known;
  for (const Stage& stage : stages_->all()) known += (known.empty() ? "" : ", ") + stage.name;
  return fmt::format("there is no stage \"{}\"; the stages are: {}", printable(name),
                     known.empty() ? "none that could be told apart (ASCSAN_STAGE(\"name\") names them)" : known);
}

/// NAME=BYTE: every byte of the tensor.
std::string Amendments::fill(machine::GlobalMemory& memory, const std::string& wish) const {
  const size_t equals = wish.find('=');
  const std::string name = wish.substr(0, equals), text = equals == std::string::npos ? "" : wish.substr(equals + 1);
  char* end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || value > 255)
    return fmt::format("option fill is \"{}\"; it takes TENSOR=BYTE with a byte of 0..255 (0x3C is fine)",
                       printable(wish));
  if (!is_known(memory, name))
    return fmt::format("option fill: there is no tensor \"{}\"; there are: {}", printable(name), all_tensors(memory));
  memory.each([&](const machine::Tensor& tensor) {
    if (!tensor.framework && matches(name, machine::GlobalMemory::describe(tensor)))
      std::memset(reinterpret_cast<void*>(tensor.begin), static_cast<int>(value), tensor.end - tensor.begin);
  });
  return "";
}

/// TENSOR@STAGE: the tensor when the launch ends behind the stage, as bytes in a file and its first elements on stderr.
std::string Amendments::dump(Lab& lab, const std::string& wish, const Options& options) {
  const size_t at = wish.rfind('@');
  if (at == std::string::npos) return fmt::format("option dump is \"{}\"; it takes TENSOR@STAGE", printable(wish));
  const std::string name = wish.substr(0, at);
  if (!is_known(lab.memory(), name))
    return fmt::format("option dump: there is no tensor \"{}\"; there are: {}", printable(name),
                       all_tensors(lab.memory()));
  Change change;
  if (const std::string error = stage_number(wish.substr(at + 1), change.stop_after); !error.empty())
    return "option dump: " + error;
  WhatIf what_if(lab.memory(), stages_.get(), change);
  const auto scheduler = schedule::make_scheduler(value_of(options, OptionId::schedule), options.seed,
                                                  static_cast<uint32_t>(options.depth), nullptr);
  if (!scheduler) return "option dump needs one of the schedules in_order, deferred, random, pct";
  const RunOutcome run = lab.run(*scheduler, &what_if);
  std::string error;
  lab.memory().each([&](const machine::Tensor& tensor) {
    const std::string full = machine::GlobalMemory::describe(tensor);
    if (tensor.framework || !matches(name, full) || !error.empty()) return;
    const auto* bytes = reinterpret_cast<const std::byte*>(tensor.begin);
    const gate::DataType type = run.record->type_of(tensor.number);
    const uint64_t size = gate::bytes_of(type), elements = (tensor.end - tensor.begin) / size;
    std::string values;
    for (uint64_t i = 0; i < std::min<uint64_t>(elements, 16); ++i)
      values += (i == 0 ? "" : ", ") + element_text(bytes + i * size, type);
    const std::string file = full + "@" + wish.substr(at + 1) + ".bin";
    error = write_file(file, std::string(reinterpret_cast<const char*>(bytes), tensor.end - tensor.begin));
    fmt::print(stderr, "ascsan: {} behind {}, {} elements: {}{}; all bytes in {}\n", full, wish.substr(at + 1),
               elements, values, elements > 16 ? ", ..." : "", file);
  });
  return error;
}

std::string Amendments::prepare(machine::Machine& machine, machine::GlobalMemory& memory, const event::SiteTable& sites,
                                const machine::LaunchPlan& plan, const Options& options) {
  Change change;
  std::string error;
  for (const std::string& wish : split(options.fill))
    if (error = fill(memory, wish); !error.empty()) return error;
  for (const std::string& name : split(options.mute)) {
    if (!is_known(memory, name))
      return fmt::format("option mute: there is no tensor \"{}\"; there are: {}", printable(name), all_tensors(memory));
    change.muted.insert(name);
  }
  const std::string& wish = options.what_if;
  if (is_drop(wish))
    if (error = parse_lines(wish.substr(5), change.drop); !error.empty()) return "option what_if: " + error;
  if (needs_stages(options)) {
    Lab lab(machine, memory, sites, plan, options.scratch);
    stages_ = std::make_unique<Stages>(plan.kernel);
    StageLearner learner(*stages_);
    const auto scheduler = schedule::make_scheduler("in_order", 1, 1, nullptr);
    lab.run(*scheduler, &learner);
    stages_->finish();
    if (!options.dump.empty()) error = dump(lab, options.dump, options);
    lab.restore();
    stages_->begin_run();
    if (error.empty() && !options.stop_after.empty()) error = stage_number(options.stop_after, change.stop_after);
    if (wish.rfind("barrier=", 0) == 0)
      change.barrier = wish.substr(8);
    else if (wish.rfind("syncall@", 0) == 0 && error.empty())
      error = stage_number(wish.substr(8), change.meet_before);
    else if (!wish.empty() && !is_drop(wish) && error.empty())
      error = fmt::format("option what_if is \"{}\"; it takes barrier=FUNCTION, syncall@STAGE or drop=FILE:LINE",
                          printable(wish));
    if (!error.empty()) return error;
  }
  what_if_ = std::make_unique<WhatIf>(memory, stages_.get(), change);
  machine.set_interposer(what_if_.get());
  return "";
}

void Amendments::finish(machine::Machine& machine) {
  machine.set_interposer(nullptr);
  if (!what_if_) return;
  const std::vector<SourceLine> now = what_if_->unmet();
  if (!launched_)
    unmet_ = now;
  else
    std::erase_if(unmet_, [&](const SourceLine& line) { return std::find(now.begin(), now.end(), line) == now.end(); });
  launched_ = true;
}

std::string Amendments::unmet() const {
  std::string text;
  for (const auto& [file, line] : unmet_) text += (text.empty() ? "" : ", ") + base::place(file, line);
  return text.empty() ? "" : "no barrier, flag or all-core barrier was issued at " + text;
}

}  // namespace ascsan::run
