// A RunResult between two processes: every field, none lost. See as_json.h. Strings are carried as Latin-1 of their
// bytes, so that file names which are no UTF-8 come back as they were. One `fields` function per struct names the
// fields; writing and reading both walk it, so they cannot drift apart. No exceptions: a wrong type makes the reader
// fail.
#include <nlohmann/json.hpp>

#include "report/as_json.h"
#include "report/stacks.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

constexpr const char* kSliceWords[kSliceKindCount] = {"work", "scalar", "wait", "set", "barrier", "stall"};
constexpr const char* kArrowWords[kArrowKindCount] = {"flag", "cross", "group"};
const char* name_of(SliceKind kind) {
  return kSliceWords[static_cast<size_t>(kind)];
}
const char* name_of(ArrowKind kind) {
  return kArrowWords[static_cast<size_t>(kind)];
}
template <typename E, size_t n>
bool find(const char* const (&words)[n], const std::string& word, E& kind) {
  for (size_t i = 0; i < n; ++i)
    if (word == words[i]) return kind = static_cast<E>(i), true;
  return false;
}
bool parse_word(const std::string& word, SliceKind& kind) {
  return find(kSliceWords, word, kind);
}
bool parse_word(const std::string& word, ArrowKind& kind) {
  return find(kArrowWords, word, kind);
}
using report::name_of;
using report::parse_word;

std::string widen(const std::string& bytes) {
  std::string text;
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

std::string narrow(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead >= 0x80 && i + 1 < text.size())
      bytes += static_cast<char>((lead & 0x03) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    else
      bytes += text[i];
  }
  return bytes;
}

class Writer {
 public:
  Json json = Json::object();

  void field(const char* name, std::string& value) { json[name] = widen(value); }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void field(const char* name, T& value) { json[name] = value; }
  template <typename E>
  requires std::is_enum_v<E>
  void field(const char* name, E& value) { json[name] = name_of(value); }
  void field(const char* name, uint64_t (&value)[2]) { json[name] = {value[0], value[1]}; }
  void field(const char* name, Timing& value) { json[name] = element(value); }
  template <typename T>
  void field(const char* name, std::optional<T>& value) {
    if (value) json[name] = element(*value);
  }
  template <typename T>
  void field(const char* name, std::vector<T>& value) {
    Json& list = json[name] = Json::array();
    for (T& item : value) list.push_back(element(item));
  }

 private:
  static Json element(std::string& value) { return widen(value); }
  static Json element(int& value) { return value; }
  template <typename T>
  static Json element(T& value) {
    Writer writer;
    fields(writer, value);
    return writer.json;
  }
};

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}
  std::string wrong;  ///< name of the first field that is missing or of a wrong type

  void field(const char* name, std::string& value) { take(name, at(name), value); }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void field(const char* name, T& value) { take(name, at(name), value); }
  template <typename E>
  requires std::is_enum_v<E>
  void field(const char* name, E& value) {
    const Json* json = at(name);
    if (json == nullptr || !json->is_string() || !parse_word(json->get<std::string>(), value)) fail(name);
  }
  void field(const char* name, uint64_t (&value)[2]) {
    const Json* json = at(name);
    if (json == nullptr || !json->is_array() || json->size() != 2) return fail(name);
    take(name, &(*json)[0], value[0]);
    take(name, &(*json)[1], value[1]);
  }
  void field(const char* name, Timing& value) { take(name, at(name), value); }
  template <typename T>
  void field(const char* name, std::optional<T>& value) {
    value.reset();
    if (at(name) != nullptr) take(name, at(name), *(value = T{}));
  }
  template <typename T>
  void field(const char* name, std::vector<T>& value) {
    value.clear();
    const Json* json = at(name);
    if (json == nullptr || !json->is_array()) return fail(name);
    for (const Json& item : *json) take(name, &item, value.emplace_back());
  }

 private:
  const Json* at(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  void fail(const std::string& name) {
    if (wrong.empty()) wrong = name;
  }
  void take(const char* name, const Json* json, std::string& value) {
    if (json == nullptr || !json->is_string()) return fail(name);
    value = narrow(json->get_ref<const std::string&>());
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void take(const char* name, const Json* json, T& value) {
    const bool fits = json != nullptr && (std::is_floating_point_v<T> ? json->is_number() : json->is_number_integer());
    if (!fits) return fail(name);
    value = json->get<T>();
    if (!std::is_floating_point_v<T> && *json != value) fail(name);  // out of range of T
  }
  template <typename T>
  requires std::is_class_v<T>
  void take(const char* name, const Json* json, T& value) {
    if (json == nullptr || !json->is_object()) return fail(name);
    Reader reader(*json);
    fields(reader, value);
    if (!reader.wrong.empty()) fail(std::string(name) + "." + reader.wrong);
  }

  const Json& json_;
};

template <typename V>
void fields(V& v, Frame& x) {
  v.field("function", x.function);
  v.field("file", x.file);
  v.field("line", x.line);
}
template <typename V>
void fields(V& v, AccessInfo& x) {
  v.field("role", x.role);
  v.field("core", x.core);
  v.field("pipe", x.pipe);
  v.field("operation", x.operation);
  v.field("file", x.file);
  v.field("function", x.function);
  v.field("line", x.line);
  v.field("stack", x.stack);
  v.field("bytes", x.bytes);
  v.field("core_id", x.core_id);
  v.field("pipe_id", x.pipe_id);
  v.field("index", x.index);
}
template <typename V>
void fields(V& v, Finding::CommonPoint& x) {
  v.field("what", x.what);
  v.field("file", x.file);
  v.field("line", x.line);
}
template <typename V>
void fields(V& v, Finding::Suppressed& x) {
  v.field("reason", x.reason);
  v.field("owner", x.owner);
  v.field("expires", x.expires);
}
template <typename V>
void fields(V& v, Finding& x) {
  v.field("id", x.id);
  v.field("rule", x.rule);
  v.field("severity", x.severity);
  v.field("confidence", x.confidence);
  v.field("title", x.title);
  v.field("detail", x.detail);
  v.field("kernel", x.kernel);
  v.field("launch", x.launch);
  v.field("merged", x.merged);
  v.field("space", x.space);
  v.field("tensor", x.tensor);
  v.field("bytes", x.bytes);
  v.field("elements", x.elements);
  v.field("accesses", x.accesses);
  v.field("last_common", x.last_common);
  v.field("missing", x.missing);
  v.field("notes", x.notes);
  v.field("suppressed", x.suppressed);
  v.field("baseline", x.baseline);
}
template <typename V>
void fields(V& v, FixedFinding& x) {
  v.field("id", x.id);
  v.field("rule", x.rule);
  v.field("title", x.title);
  v.field("kernel", x.kernel);
}
template <typename V>
void fields(V& v, Launch& x) {
  v.field("kernel", x.kernel);
  v.field("chip", x.chip);
  v.field("profile", x.profile);
  v.field("schedule", x.schedule);
  v.field("block_dim", x.block_dim);
  v.field("seed", x.seed);
  v.field("instructions", x.instructions);
  v.field("bytes_checked", x.bytes_checked);
  v.field("aic", x.aic);
  v.field("aiv", x.aiv);
}
template <typename V>
void fields(V& v, Unchecked& x) {
  v.field("what", x.what);
  v.field("why", x.why);
}
template <typename V>
void fields(V& v, OptionValue& x) {
  v.field("name", x.name);
  v.field("value", x.value);
  v.field("origin", x.origin);
}
template <typename V>
void fields(V& v, Timing& x) {
  v.field("total_seconds", x.total_seconds);
  v.field("launch_seconds", x.launch_seconds);
}
template <typename V>
void fields(V& v, TimelineLane& x) {
  v.field("core", x.core);
  v.field("pipe", x.pipe);
  v.field("core_name", x.core_name);
  v.field("pipe_name", x.pipe_name);
}
template <typename V>
void fields(V& v, TimelineSlice& x) {
  v.field("lane", x.lane);
  v.field("kind", x.kind);
  v.field("begin", x.begin);
  v.field("end", x.end);
  v.field("index", x.index);
  v.field("name", x.name);
  v.field("detail", x.detail);
  v.field("place", x.place);
}
template <typename V>
void fields(V& v, TimelineArrow& x) {
  v.field("from", x.from);
  v.field("to", x.to);
  v.field("kind", x.kind);
}
template <typename V>
void fields(V& v, CounterPoint& x) {
  v.field("step", x.step);
  v.field("value", x.value);
}
template <typename V>
void fields(V& v, TimelineCounter& x) {
  v.field("core", x.core);
  v.field("core_name", x.core_name);
  v.field("name", x.name);
  v.field("points", x.points);
}
template <typename V>
void fields(V& v, Timeline& x) {
  v.field("launch", x.launch);
  v.field("kernel", x.kernel);
  v.field("steps", x.steps);
  v.field("dropped", x.dropped);
  v.field("lanes", x.lanes);
  v.field("slices", x.slices);
  v.field("arrows", x.arrows);
  v.field("counters", x.counters);
  v.field("texts", x.texts);
  v.field("places", x.places);
}
template <typename V>
void fields(V& v, RunResult& x) {
  v.field("options", x.options);
  v.field("launches", x.launches);
  v.field("unchecked", x.unchecked);
  v.field("findings", x.findings);
  v.field("fixed", x.fixed);
  v.field("suppression_notes", x.suppression_notes);
  v.field("timelines", x.timelines);
  v.field("timing", x.timing);
  v.field("program_status", x.program_status);
  v.field("crash", x.crash);
}
template <typename V>
void fields(V& v, AccessStack& x) {
  v.field("launch", x.key.launch);
  v.field("core", x.key.core);
  v.field("pipe", x.key.pipe);
  v.field("index", x.key.index);
  v.field("frames", x.frames);
}

/// The document behind a run or a list of stacks, so that both end in the same error handling.
struct StackList {
  std::vector<AccessStack> stacks;
};
template <typename V>
void fields(V& v, StackList& x) {
  v.field("stacks", x.stacks);
}

struct TimelineList {
  std::vector<Timeline> timelines;
};
template <typename V>
void fields(V& v, TimelineList& x) {
  v.field("timelines", x.timelines);
}

template <typename T>
std::string write(T value) {
  Writer writer;
  fields(writer, value);
  return writer.json.dump() + "\n";
}

template <typename T>
bool read(std::string_view text, T& value, std::string* error) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::string wrong = json.is_discarded() ? "no JSON" : !json.is_object() ? "no JSON object" : "";
  if (wrong.empty()) {
    Reader reader(json);
    fields(reader, value);
    if (!reader.wrong.empty()) wrong = "field \"" + reader.wrong + "\" is missing or of a wrong type";
  }
  if (error != nullptr) *error = wrong;
  return wrong.empty();
}

}  // namespace

std::string to_raw_json(const RunResult& run) {
  return write(run);
}
bool from_raw_json(std::string_view text, RunResult& run, std::string* error) {
  return read(text, run, error);
}

std::string stacks_to_json(const std::vector<AccessStack>& stacks) {
  return write(StackList{stacks});
}
bool stacks_from_json(std::string_view text, std::vector<AccessStack>& stacks, std::string* error) {
  StackList list;
  const bool good = read(text, list, error);
  stacks = std::move(list.stacks);
  return good;
}

std::string timelines_to_json(const std::vector<Timeline>& timelines) {
  return write(TimelineList{timelines});
}
bool timelines_from_json(std::string_view text, std::vector<Timeline>& timelines, std::string* error) {
  TimelineList list;
  const bool good = read(text, list, error);
  timelines = std::move(list.timelines);
  return good;
}

}  // namespace ascsan::report
