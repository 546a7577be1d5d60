// See schema.h. One function per group of keywords; `Check` carries the root for "$ref".
#include "golden/schema.h"

#include <algorithm>
#include <regex>
#include <set>

namespace ascsan::golden {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

class Check {
 public:
  explicit Check(const Json& root) : root_(root) {}
  std::vector<std::string> problems;

  void value(const Json& schema, const Json& value, const std::string& path) {
    static const std::set<std::string> kKnown = {
        "$schema", "$defs",    "$ref",     "title",      "type",
        "const",   "enum",     "required", "properties", "additionalProperties",
        "items",   "minItems", "maxItems", "minimum",    "maximum",
        "pattern", "anyOf"};
    for (const auto& [keyword, ignored] : schema.items())
      if (kKnown.count(keyword) == 0)
        problems.push_back(path + ": the schema uses " + keyword + ", which is not checked");
    if (schema.contains("$ref")) return this->value(target(schema["$ref"]), value, path);
    scalar(schema, value, path);
    if (value.is_object()) object(schema, value, path);
    if (value.is_array()) array(schema, value, path);
    if (schema.contains("anyOf")) {
      const Json& choices = schema["anyOf"];
      const bool fits = std::any_of(choices.begin(), choices.end(), [&](const Json& choice) {
        Check trial(root_);
        trial.value(choice, value, path);
        return trial.problems.empty();
      });
      if (!fits) problems.push_back(path + ": fits none of anyOf");
    }
  }

 private:
  const Json& target(const std::string& reference) const {
    return root_.at(Json::json_pointer(reference.substr(1)));  // "#/$defs/name"
  }

  void scalar(const Json& schema, const Json& value, const std::string& path) {
    if (schema.contains("type")) {
      const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      if (std::none_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); }))
        problems.push_back(path + ": is no " + types.dump());
    }
    if (schema.contains("const") && value != schema["const"])
      problems.push_back(path + ": is not " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      problems.push_back(path + ": is not in " + schema["enum"].dump());
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
      problems.push_back(path + ": too small");
    if (schema.contains("maximum") && value.is_number() && value > schema["maximum"])
      problems.push_back(path + ": too large");
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
      problems.push_back(path + ": does not match " + schema["pattern"].dump());
  }

  void object(const Json& schema, const Json& value, const std::string& path) {
    const Json none = Json::object();
    const Json& properties = schema.contains("properties") ? schema["properties"] : none;
    if (schema.contains("required"))
      for (const Json& name : schema["required"])
        if (!value.contains(name.get<std::string>())) problems.push_back(path + ": lacks " + name.dump());
    for (const auto& [name, member] : value.items()) {
      const std::string below = path + "/" + name;
      if (properties.contains(name))
        this->value(properties[name], member, below);
      else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
        this->value(schema["additionalProperties"], member, below);
      else if (schema.contains("additionalProperties") && schema["additionalProperties"] == false)
        problems.push_back(below + ": is not allowed");
    }
  }

  void array(const Json& schema, const Json& value, const std::string& path) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) problems.push_back(path + ": too short");
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) problems.push_back(path + ": too long");
    if (!schema.contains("items")) return;
    for (size_t i = 0; i < value.size(); ++i) this->value(schema["items"], value[i], path + "/" + std::to_string(i));
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> validate(const nlohmann::json& schema, const nlohmann::json& value) {
  Check check(schema);
  check.value(schema, value, "");
  return check.problems;
}

}  // namespace ascsan::golden
