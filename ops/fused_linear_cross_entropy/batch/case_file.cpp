// TOML to CaseSpec (see case_file.h). A table of keys drives reading, so that messages, order and suggestions agree.
#include "fused_linear_cross_entropy/batch/case_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "base/toml.h"
#include "fused_linear_cross_entropy/batch/text.h"

namespace flce::batch {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max(), kMinInt64 = std::numeric_limits<int64_t>::min();

template <typename T>
struct Named {
  std::string_view name;
  T value;
};

constexpr Named<ValueKind> kValueKinds[] = {
    {"normal", ValueKind::kNormal},     {"aligned", ValueKind::kAligned},   {"uniform", ValueKind::kUniform},
    {"integers", ValueKind::kIntegers}, {"constant", ValueKind::kConstant}, {"spikes", ValueKind::kSpikes},
    {"ties", ValueKind::kTies},         {"large", ValueKind::kLarge},       {"minus_inf", ValueKind::kMinusInf},
    {"nan", ValueKind::kNan},           {"plus_inf", ValueKind::kPlusInf}};
constexpr Named<TargetKind> kTargetKinds[] = {{"shard", TargetKind::kShard},       {"global", TargetKind::kGlobal},
                                              {"boundary", TargetKind::kBoundary}, {"masked", TargetKind::kMasked},
                                              {"ignore", TargetKind::kIgnore},     {"extreme", TargetKind::kExtreme}};
constexpr Named<ascendc::VocabRange> kRanges[] = {{"exclusive", ascendc::VocabRange::kExclusive},
                                                  {"inclusive", ascendc::VocabRange::kInclusive}};
constexpr Named<ascendc::MaskPad> kPads[] = {{"device", ascendc::MaskPad::kDevice}, {"ones", ascendc::MaskPad::kOnes}};
constexpr Named<ascendc::Validate> kValidations[] = {
    {"off", ascendc::Validate::kOff}, {"shape", ascendc::Validate::kShape}, {"values", ascendc::Validate::kValues}};

/// Reads one table. The first error is kept; later reads do nothing.
class Reader {
 public:
  Reader(const toml::table& table, const std::string& path, std::string& error)
      : table_(table), path_(path), error_(error) {}

  bool has(std::string_view key) const { return table_.contains(key); }
  const toml::table& table() const { return table_; }

  void integer(std::string_view key, int64_t low, int64_t high, int64_t& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_integer()) return fail(*node, key, fmt::format("{} given, an integer is expected", text_of(*node)));
    const int64_t given = node->as_integer()->get();
    if (given < low || given > high)
      return fail(*node, key, fmt::format("{} given, must be {} to {}", given, low, high));
    value = given;
  }
  void number(std::string_view key, double low, double high, double& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_number()) return fail(*node, key, fmt::format("{} given, a number is expected", text_of(*node)));
    const double given = *node->value<double>();
    if (!(given >= low && given <= high))
      return fail(*node, key, fmt::format("{} given, must be {} to {}", given, low, high));
    value = given;
  }
  void boolean(std::string_view key, bool& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_boolean())
      return fail(*node, key, fmt::format("{} given, true or false is expected", text_of(*node)));
    value = node->as_boolean()->get();
  }
  void string(std::string_view key, std::string& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_string()) return fail(*node, key, fmt::format("{} given, a string is expected", text_of(*node)));
    value = node->as_string()->get();
  }
  template <typename T, size_t count>
  void choice(std::string_view key, const Named<T> (&choices)[count], T& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    std::string given;
    string(key, given);
    if (!error_.empty()) return;
    std::vector<std::string_view> names;
    for (const Named<T>& item : choices) {
      if (item.name == given) {
        value = item.value;
        return;
      }
      names.push_back(item.name);
    }
    fail(*node, key, fmt::format("\"{}\" given{}", given, suggestion(given, names)));
  }
  void dtype(std::string_view key, ascendc::DType& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    std::string given;
    string(key, given);
    if (!error_.empty()) return;
    const std::optional<ascendc::DType> type = ascendc::dtype_from(given);
    if (!type) return fail(*node, key, fmt::format("\"{}\" given; known: {}", given, ascendc::dtype_names()));
    value = *type;
  }
  /// Every key of the table must be one of `known`.
  void known(std::span<const std::string_view> known) {
    for (const auto& [key, node] : table_) {
      if (!error_.empty()) return;
      bool found = false;
      for (std::string_view name : known) found = found || name == key.str();
      if (!found) fail_at(key.source(), fmt::format("unknown key \"{}\"{}", key.str(), suggestion(key.str(), known)));
    }
  }
  void require(std::string_view key) {
    if (error_.empty() && !has(key)) fail_at(table_.source(), fmt::format("key \"{}\" is missing", key));
  }
  void fail(const toml::node& node, std::string_view key, const std::string& text) {
    fail_at(node.source(), fmt::format("{}: {}", key, text));
  }
  void fail_at(const toml::source_region& place, const std::string& text) {
    if (error_.empty()) error_ = fmt::format("{}:{}: {}", path_, place.begin.line, text);
  }

 private:
  const toml::node* find(std::string_view key) const { return error_.empty() ? table_.get(key) : nullptr; }
  static std::string text_of(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    std::string text = out.str();
    return text.size() <= 40 && text.find('\n') == std::string::npos ? text : "another type";
  }

  const toml::table& table_;
  const std::string& path_;
  std::string& error_;
};

constexpr std::string_view kCaseKeys[] = {
    "name",     "m",        "k",      "n",      "dtype",   "target_dtype", "vocab_start", "vocab_end", "vocab_range",
    "mask_pad", "validate", "logits", "values", "targets", "seed",         "cores",       "expect",    "why"};
constexpr std::string_view kValueKeys[] = {"kind", "scale", "gain", "low", "high", "share", "period"};
constexpr std::string_view kTargetKeys[] = {"kind", "vocab", "share"};

/// `key = "kind"` or `key = { kind = "kind", ... }`.
template <typename T, size_t count, typename Rest>
void read_distribution(Reader& reader, std::string_view key, const Named<T> (&choices)[count], T& kind,
                       std::span<const std::string_view> keys, const std::string& path, std::string& error, Rest rest) {
  const toml::node* node = reader.table().get(key);
  if (node == nullptr || !error.empty()) return;
  if (node->is_string()) return reader.choice(key, choices, kind);
  if (!node->is_table()) return reader.fail(*node, key, "a name or a table { kind = \"...\", ... } is expected");
  Reader inner(*node->as_table(), path, error);
  inner.known(keys);
  inner.require("kind");
  inner.choice("kind", choices, kind);
  rest(inner);
}

void read_case(Reader& reader, const std::string& path, std::string& error, CaseSpec& spec) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  reader.known(kCaseKeys);
  reader.string("name", spec.name);
  reader.integer("m", 0, kMaxSize, spec.m);
  reader.integer("k", 0, kMaxSize, spec.k);
  reader.integer("n", 0, kMaxSize, spec.n);
  reader.dtype("dtype", spec.dtype);
  reader.dtype("target_dtype", spec.target_dtype);
  reader.integer("vocab_start", kMinInt64, kMaxInt64, spec.vocab_start);
  reader.choice("vocab_range", kRanges, spec.vocab_range);
  reader.choice("mask_pad", kPads, spec.mask_pad);
  reader.choice("validate", kValidations, spec.validate);
  reader.boolean("logits", spec.logits);
  int64_t seed = static_cast<int64_t>(spec.seed), cores = spec.cores, expect = spec.expect;
  reader.integer("seed", 0, kMaxInt64, seed);
  reader.integer("cores", 1, 24, cores);
  reader.integer("expect", 0, 999999, expect);
  spec.seed = static_cast<uint64_t>(seed);
  spec.cores = static_cast<uint32_t>(cores);
  spec.expect = static_cast<int>(expect);
  std::string why;
  reader.string("why", why);
  read_distribution(reader, "values", kValueKinds, spec.values.kind, kValueKeys, path, error, [&](Reader& inner) {
    inner.number("scale", 0.0, kHuge, spec.values.scale);
    inner.number("gain", 0.0, kHuge, spec.values.gain);
    inner.number("low", -kHuge, kHuge, spec.values.low);
    inner.number("high", -kHuge, kHuge, spec.values.high);
    inner.number("share", 0.0, 1.0, spec.values.share);
    inner.integer("period", 1, kMaxSize, spec.values.period);
    if (inner.has("low") || inner.has("high"))
      if (spec.values.kind != ValueKind::kConstant && spec.values.low > spec.values.high)
        inner.fail_at(inner.table().source(),
                      fmt::format("low: {} given, must be at most high ({})", spec.values.low, spec.values.high));
  });
  read_distribution(reader, "targets", kTargetKinds, spec.targets.kind, kTargetKeys, path, error, [&](Reader& inner) {
    inner.integer("vocab", 1, kMaxInt64, spec.targets.vocab);
    inner.number("share", 0.0, 1.0, spec.targets.share);
  });
  // The end follows from the shard unless it is given: [start, start + n), or its last class.
  int64_t end = spec.vocab_start < kMaxInt64 - kMaxSize ? spec.vocab_start + spec.n : kMaxInt64;
  if (spec.vocab_range == ascendc::VocabRange::kInclusive && spec.n > 0) --end;
  reader.integer("vocab_end", kMinInt64, kMaxInt64, end);
  spec.vocab_end = end;
}

}  // namespace

CaseFile parse_case_file(const std::string& text, const std::string& path) {
  CaseFile result;
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const std::string what(error.description());
    result.error = fmt::format("{}:{}: {}", path, error.source().begin.line, what.substr(0, what.find('\n')));
    return result;
  } catch (const std::exception& error) {
    result.error = fmt::format("{}: {}", path, error.what());
    return result;
  }
  constexpr std::string_view kTopKeys[] = {"case", "defaults"};
  Reader top(root, path, result.error);
  top.known(kTopKeys);
  top.require("case");
  CaseSpec defaults;
  if (const toml::node* node = root.get("defaults"); node != nullptr && result.error.empty()) {
    if (!node->is_table())
      top.fail(*node, "defaults", "a table is expected: [defaults]");
    else {
      Reader reader(*node->as_table(), path, result.error);
      read_case(reader, path, result.error, defaults);
    }
  }
  if (!result.error.empty()) return result;
  const toml::array* cases = root.get("case")->as_array();
  if (cases == nullptr) {
    top.fail(*root.get("case"), "case", "an array of tables is expected: [[case]]");
    return result;
  }
  std::set<std::string> names;
  for (const toml::node& node : *cases) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      top.fail(node, "case", "an array of tables is expected: [[case]]");
      return result;
    }
    CaseSpec spec = defaults;
    spec.path = path;
    spec.file = std::filesystem::path(path).stem().string();
    spec.line = table->source().begin.line;
    Reader reader(*table, path, result.error);
    reader.require("name");
    for (std::string_view size : {"m", "k", "n"})
      if (!node.as_table()->contains(size) &&
          (root.get("defaults") == nullptr || !root["defaults"].as_table()->contains(size)))
        reader.require(size);
    read_case(reader, path, result.error, spec);
    if (result.error.empty() && !names.insert(spec.name).second)
      reader.fail_at(table->source(), fmt::format("name: \"{}\" is used twice in this file", spec.name));
    if (!result.error.empty()) return result;
    result.cases.push_back(std::move(spec));
  }
  return result;
}

CaseFile read_case_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return {{}, fmt::format("{}: no such file; a case file (TOML) is expected", path)};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {{}, fmt::format("{}: cannot be read", path)};
  return parse_case_file(text.str(), path);
}

ascendc::OpDesc op_desc_of(const CaseSpec& spec) {
  ascendc::OpDesc op = ascendc::make_op_desc(spec.m, spec.k, spec.n, spec.dtype, spec.target_dtype, spec.vocab_start,
                                             spec.vocab_end, spec.logits);
  op.vocab_range = spec.vocab_range;
  op.mask_pad = spec.mask_pad;
  op.validate = spec.validate;
  return op;
}

}  // namespace flce::batch
