// Report formats are frozen: hand-made runs against files in expected/, and every JSON document against schema 1. After
// a wanted change `./dev golden` rewrites the files; the change is then reviewed as a diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "golden/cases.h"
#include "golden/schema.h"
#include "report/as_github.h"
#include "report/as_json.h"
#include "report/as_junit.h"
#include "report/as_sarif.h"
#include "report/as_text.h"

namespace ascsan::golden {
namespace {

using nlohmann::json;

const std::string kTop = ASCSAN_TOP;

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = kTop + "/tests/golden/expected/" + name;
  if (std::getenv("ASCSAN_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, read(path)) << name << " differs; if that is wanted: ./dev golden";
}

report::TextStyle style_of(int width, bool unicode) {
  report::TextStyle style;
  style.width = width;
  style.unicode = unicode;
  style.source_roots = {kTop};
  return style;
}

std::string to_json(const report::RunResult& run) {
  return report::to_json(run, report::conclude(run, {}));
}

TEST(Golden, Text) {
  for (const Case& test : cases()) {
    const report::Conclusion conclusion = report::conclude(test.run, {});
    expect_golden(test.name + ".txt", report::to_text(test.run, conclusion, style_of(120, true)));
    expect_golden(test.name + ".ascii.txt", report::to_text(test.run, conclusion, style_of(72, false)));
  }
}

TEST(Golden, Json) {
  for (const Case& test : cases()) expect_golden(test.name + ".json", to_json(test.run));
}

report::Catalogue rules() {
  return {{"ASC1101", report::Severity::kError, "race between cores", "a core reads what another one writes"},
          {"ASC2101", report::Severity::kError, "out of bounds", "an access leaves its allocation"},
          {"ASC4101", report::Severity::kError, "flag misuse", "a flag is used in an undefined way"},
          {"ASC5001", report::Severity::kError, "hang", "no core can go on"}};
}

std::string to_sarif(const report::RunResult& run) {
  return report::to_sarif(run, report::conclude(run, {}), rules(), style_of(120, true));
}

TEST(Golden, Sarif) {
  for (const Case& test : cases()) expect_golden(test.name + ".sarif", to_sarif(test.run));
}

TEST(Golden, Junit) {
  for (const Case& test : cases())
    expect_golden(test.name + ".junit.xml", report::to_junit(test.run, report::conclude(test.run, {}), rules()));
}

TEST(Golden, Github) {
  for (const Case& test : cases())
    expect_golden(test.name + ".github", report::to_github(test.run, report::conclude(test.run, {})));
}

TEST(Golden, SarifDocumentsAreValid) {
  const json subset = json::parse(read(kTop + "/tests/golden/sarif-subset.json"));
  for (const Case& test : cases())
    for (const std::string& problem : validate(subset, json::parse(to_sarif(test.run))))
      ADD_FAILURE() << test.name << problem;
}

TEST(Golden, NoFileWithoutACase) {
  std::set<std::string> known;
  for (const Case& test : cases())
    for (const char* ending : {".txt", ".ascii.txt", ".json", ".sarif", ".junit.xml", ".github"})
      known.insert(test.name + ending);
  for (const auto& entry : std::filesystem::directory_iterator(kTop + "/tests/golden/expected"))
    EXPECT_EQ(known.count(entry.path().filename().string()), 1u) << entry.path();
}

TEST(Golden, AtLeastFortyFindings) {
  size_t findings = 0;
  for (const Case& test : cases()) findings += test.run.findings.size();
  EXPECT_GE(findings, 40u);
}

json schema() {
  return json::parse(read(kTop + "/docs/json-schema-1.json"));
}

TEST(JsonSchema, EveryDocumentIsValid) {
  for (const Case& test : cases())
    for (const std::string& problem : validate(schema(), json::parse(to_json(test.run))))
      ADD_FAILURE() << test.name << problem;
}

// The validator is worth something: each required key that is taken away, each foreign key, each wrong type is noticed.
void mutate_everywhere(const json& schema, json& root, json& node, const std::string& path, int& mutations) {
  if (path.rfind("/timing", 0) == 0) return;  // free names
  if (node.is_object()) {
    const json whole = node;
    const bool free_names = path == "/options";
    for (const auto& [key, value] : whole.items()) {
      node.erase(key);
      EXPECT_EQ(validate(schema, root).empty(), free_names) << path << " without " << key;
      node = whole;
      node[key] = json::array({json::object()});
      // impact is a list of anything.
      EXPECT_EQ(validate(schema, root).empty(), key == "impact") << path << "/" << key << " of another type";
      node = whole;
      ++mutations;
      mutate_everywhere(schema, root, node[key], path + "/" + key, mutations);
    }
    if (!free_names) {
      node["foreign"] = 1;
      EXPECT_FALSE(validate(schema, root).empty()) << path << " with a foreign key";
    }
    node = whole;
  } else if (node.is_array() && !node.empty()) {
    mutate_everywhere(schema, root, node[0], path + "/0", mutations);
  }
}

TEST(JsonSchema, BrokenDocumentsAreRefused) {
  const std::vector<Case> all = cases();
  const auto found = std::find_if(all.begin(), all.end(), [](const Case& test) { return test.name == "several"; });
  json document = json::parse(to_json(found->run));
  int mutations = 0;
  mutate_everywhere(schema(), document, document, "", mutations);
  EXPECT_GT(mutations, 60);
  for (const auto& [pointer, value] : {std::pair<const char*, json>{"/findings/0/id", "ASC1101"},
                                       {"/findings/0/severity", "fatal"},
                                       {"/findings/0/merged", 0},
                                       {"/findings/0/bytes", json::array({1})},
                                       {"/findings/0/bytes/0", -1},
                                       {"/findings/0/space", "UBX"},
                                       {"/schema", 2},
                                       {"/verdict", "good"},
                                       {"/exit_code", 256},
                                       {"/options/seed/origin", "somewhere"}}) {
    json broken = document;
    broken[json::json_pointer(pointer)] = value;
    EXPECT_FALSE(validate(schema(), broken).empty()) << pointer;
  }
}

// Keys are sorted at every level: the text equals itself after a pass through a sorting container.
TEST(JsonSchema, KeysAreSorted) {
  for (const Case& test : cases()) {
    const std::string text = to_json(test.run);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(), json::parse(text).dump()) << test.name;
  }
}

}  // namespace
}  // namespace ascsan::golden
