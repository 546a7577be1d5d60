// How structs travel between processes as JSON: one `fields` function per struct names the fields; writing and reading
// both walk it, so they cannot drift apart. Strings are carried as Latin-1 of their bytes, so that file names which are
// no UTF-8 come back as they were. No exceptions: a wrong type makes the reader fail. Private to src/report.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/model.h"
#include "report/verdict.h"

namespace ascsan::report::raw {

using Json = nlohmann::json;
using report::name_of;
using report::parse_word;

inline std::string widen(const std::string& bytes) {
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

inline std::string narrow(const std::string& text) {
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
  template <typename T>
  requires std::is_class_v<T>
  void field(const char* name, T& value) { json[name] = element(value); }
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
  template <typename T>
  requires std::is_class_v<T>
  void field(const char* name, T& value) { take(name, at(name), value); }
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
  void take(const char* name, const Json* json, bool& value) {
    if (json == nullptr || !json->is_boolean()) return fail(name);
    value = json->get<bool>();
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

}  // namespace ascsan::report::raw
