// A validator for the part of JSON Schema that docs/json-schema-1.json uses. A keyword it does not know is an error, so
// that nothing in the schema is silently ignored.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ascsan::golden {

/// What is wrong, one line per problem with the path of the value; empty when `value` is valid.
std::vector<std::string> validate(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace ascsan::golden
