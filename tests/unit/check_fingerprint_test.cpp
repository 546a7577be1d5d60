// Identity of findings: what changes an id and what must not.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "check/fingerprint.h"

namespace ascsan::check {
namespace {

std::string id(const std::vector<gate::Site>& sites, const std::string& rule = "ASC1101",
               const std::string& kernel = "k", const std::string& tensor = "x") {
  Fingerprinter fingerprints;
  return fingerprints.id(rule, kernel, sites, tensor);
}

class Source {
 public:
  explicit Source(const std::string& text) : name_(testing::TempDir() + "/fingerprint_source.cpp") {
    std::ofstream(name_) << text;
  }
  ~Source() { std::remove(name_.c_str()); }
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
};

TEST(Fingerprint, HasRuleAndSixHexDigits) {
  const std::string text = id({{"a.cpp", "f", 1}, {"a.cpp", "g", 2}});
  ASSERT_EQ(text.size(), 14u);
  EXPECT_EQ(text.substr(0, 8), "ASC1101-");
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef", 8), std::string::npos);
}

TEST(Fingerprint, EveryPartCounts) {
  const std::vector<gate::Site> sites = {{"a.cpp", "f", 1}, {"a.cpp", "g", 2}};
  const std::string base = id(sites);
  EXPECT_NE(base, id(sites, "ASC1102").replace(3, 4, "1101"));
  EXPECT_NE(base, id(sites, "ASC1101", "other"));
  EXPECT_NE(base, id(sites, "ASC1101", "k", "y"));
  EXPECT_NE(base, id({sites[1], sites[0]}));
  EXPECT_NE(base, id({{"a.cpp", "h", 1}, sites[1]}));
  EXPECT_NE(base, id({{"a.cpp", "f", 3}, sites[1]}));
  EXPECT_NE(base, id({{"b.cpp", "f", 1}, sites[1]}));
}

TEST(Fingerprint, MovedAndReindentedLinesKeepTheirId) {
  std::string before, after;
  {
    Source source("void f() {\n  DataCopy(a,  b);\n  Add(c, d);\n}\n");
    before = id({{source.name(), "f", 2}, {source.name(), "f", 3}});
  }
  {
    Source source("// a comment\n\nvoid f() {\n\tDataCopy(a, b);  \n      Add(c, d);\n}\n");
    after = id({{source.name(), "f", 4}, {source.name(), "f", 5}});
  }
  EXPECT_EQ(before, after);
  Source changed("void f() {\n  DataCopy(a, bb);\n  Add(c, d);\n}\n");
  EXPECT_NE(before, id({{changed.name(), "f", 2}, {changed.name(), "f", 3}}));
}

TEST(Fingerprint, UnreadableSourceFallsBackToThePlace) {
  Fingerprinter fingerprints;
  EXPECT_EQ(fingerprints.normalised_line({"no/such/file.cpp", "f", 7}), "no/such/file.cpp:7");
  Source source("one\n\nthree\n");
  EXPECT_EQ(fingerprints.normalised_line({source.name(), "f", 1}), "one");
  EXPECT_EQ(fingerprints.normalised_line({source.name(), "f", 2}), std::string(source.name()) + ":2");
  EXPECT_EQ(fingerprints.normalised_line({source.name(), "f", 9}), std::string(source.name()) + ":9");
}

}  // namespace
}  // namespace ascsan::check
