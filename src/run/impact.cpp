// The comparison of two runs of one launch, tensor by tensor: how many elements differ, the first one, the worst
// relative error, and which function stored the first wrong one. Elements have the type most of the tensor was written
// with.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "run/lab.h"

namespace ascsan::run {
namespace {

/// Stands for an infinite relative error, which JSON could not carry.
constexpr double kUnbounded = std::numeric_limits<double>::max();

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float from_half(uint16_t bits, int exponent_bits, int fraction_bits) {
  const uint32_t sign = bits >> 15, exponent = (bits >> fraction_bits) & ((1u << exponent_bits) - 1);
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value;
  if (exponent == (1u << exponent_bits) - 1)
    value = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(static_cast<double>(fraction), 1 - bias - fraction_bits);
  else
    value = std::ldexp(static_cast<double>(fraction | (1u << fraction_bits)),
                       static_cast<int>(exponent) - bias - fraction_bits);
  return static_cast<float>(sign != 0 ? -value : value);
}

bool is_float(gate::DataType type) {
  return type == gate::DataType::kHalf || type == gate::DataType::kBfloat16 || type == gate::DataType::kFloat;
}

const LaunchRecord::TensorUse* use_of(const RunOutcome& run, uint32_t tensor) {
  const auto found = run.record->uses().find(tensor);
  return found == run.record->uses().end() ? nullptr : &found->second;
}

double relative_error(double got, double expected) {
  if (std::isnan(got) && std::isnan(expected)) return 0;
  if (!std::isfinite(got) || !std::isfinite(expected)) return kUnbounded;
  const double distance = std::fabs(got - expected);
  return expected == 0 ? (distance == 0 ? 0 : kUnbounded) : distance / std::fabs(expected);
}

/// Who stored the byte last.
std::string last_writer(const LaunchRecord::TensorUse* use, uint64_t byte, const event::SiteTable& sites) {
  if (use == nullptr) return "";
  for (auto write = use->writes.rbegin(); write != use->writes.rend(); ++write)
    if (byte >= write->begin && byte < write->end) return sites.at(write->site).function;
  return "";
}

}  // namespace

double element_value(const std::byte* bytes, gate::DataType type) {
  switch (type) {
    case gate::DataType::kInt8:
      return load<int8_t>(bytes);
    case gate::DataType::kInt16:
      return load<int16_t>(bytes);
    case gate::DataType::kUint16:
      return load<uint16_t>(bytes);
    case gate::DataType::kHalf:
      return from_half(load<uint16_t>(bytes), 5, 10);
    case gate::DataType::kBfloat16:
      return from_half(load<uint16_t>(bytes), 8, 7);
    case gate::DataType::kInt32:
      return load<int32_t>(bytes);
    case gate::DataType::kUint32:
      return load<uint32_t>(bytes);
    case gate::DataType::kFloat:
      return load<float>(bytes);
    case gate::DataType::kInt64:
      return static_cast<double>(load<int64_t>(bytes));
    case gate::DataType::kUint64:
      return static_cast<double>(load<uint64_t>(bytes));
    default:
      return load<uint8_t>(bytes);
  }
}

std::string element_text(const std::byte* bytes, gate::DataType type) {
  switch (type) {
    case gate::DataType::kHalf:
    case gate::DataType::kBfloat16:
    case gate::DataType::kFloat: {
      const auto value = static_cast<float>(element_value(bytes, type));
      return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
    }
    case gate::DataType::kInt64:
      return std::to_string(load<int64_t>(bytes));
    case gate::DataType::kUint64:
      return std::to_string(load<uint64_t>(bytes));
    default:
      return fmt::format("{:.0f}", element_value(bytes, type));
  }
}

std::vector<report::Impact> Lab::compare(const RunOutcome& expected, const RunOutcome& got) const {
  std::vector<report::Impact> impacts;
  std::map<uint32_t, bool> tensors;
  for (const auto& [number, bytes] : expected.written) tensors[number] = true;
  for (const auto& [number, bytes] : got.written) tensors[number] = true;
  for (const auto& [number, unused] : tensors) {
    if (!is_output(number)) continue;
    // A tensor that one run did not write still holds what it held before.
    const auto& kept = kept_.at(number);
    const auto in_expected = expected.written.find(number), in_got = got.written.find(number);
    const auto& right = in_expected != expected.written.end() ? in_expected->second : kept;
    const auto& wrong = in_got != got.written.end() ? in_got->second : kept;
    if (right == wrong) continue;
    const gate::DataType type = (in_expected != expected.written.end() ? expected : got).record->type_of(number);
    const uint64_t bytes = gate::bytes_of(type);
    report::Impact impact;
    impact.tensor = name_of(number);
    impact.elements = right.size() / bytes;
    for (uint64_t at = 0; at + bytes <= right.size(); at += bytes) {
      if (std::memcmp(&right[at], &wrong[at], bytes) == 0) continue;
      const double error = relative_error(element_value(&wrong[at], type), element_value(&right[at], type));
      impact.max_relative_error = std::max(impact.max_relative_error, error);
      if (impact.elements_differing++ > 0) continue;
      impact.first_index = at / bytes;
      impact.got = element_text(&wrong[at], type);
      impact.expected = element_text(&right[at], type);
      impact.stage = last_writer(use_of(got, number), at, sites_);
    }
    if (is_float(type) && impact.got == impact.expected) impact.got += " (other bits)";
    if (impact.elements_differing > 0) impacts.push_back(impact);
  }
  std::sort(impacts.begin(), impacts.end(),
            [](const report::Impact& a, const report::Impact& b) { return a.tensor < b.tensor; });
  return impacts;
}

}  // namespace ascsan::run
