// Any bytes in, safe text out: for each escape what its consumer demands, checked by small independent readers.
#include "report/escape.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_samples.h"

namespace ascsan::report {
namespace {

/// Independent of the code under test: the JSON library refuses bad UTF-8.
bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

/// Undoes the references of XML.
std::string unescape_xml(const std::string& text) {
  static const std::pair<const char*, const char*> kReferences[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&#10;", "\n"}, {"&#9;", "\t"}, {"&amp;", "&"}};
  std::string result;
  for (size_t at = 0; at < text.size();) {
    bool found = false;
    for (const auto& [reference, plain] : kReferences)
      if (text.compare(at, std::string(reference).size(), reference) == 0) {
        result += plain;
        at += std::string(reference).size();
        found = true;
        break;
      }
    if (!found) result += text[at++];
  }
  return result;
}

TEST(Escape, CleanTextIsUtf8WithoutControls) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Samples random(seed);
    const std::string text = clean_utf8(seed % 2 == 0 ? random.bytes(60) : random.prose(20));
    ASSERT_TRUE(is_utf8(text)) << "seed " << seed;
    for (const char c : text)
      ASSERT_TRUE(c == '\t' || c == '\n' || static_cast<unsigned char>(c) >= 0x20) << "seed " << seed;
    ASSERT_EQ(clean_utf8(text), text) << "seed " << seed;  // nothing left to clean
  }
}

TEST(Escape, CleanTextKeepsWhatIsGood) {
  EXPECT_EQ(clean_utf8("plain, 写入 · é \xf0\x9f\x98\x80\t\n"), "plain, 写入 · é \xf0\x9f\x98\x80\t\n");
  EXPECT_EQ(clean_utf8("a\r\nb\rc"), "a\nb\nc");
  EXPECT_EQ(clean_utf8("\xff"), "\ufffd");
  EXPECT_EQ(clean_utf8("\xe5\x86"), "\ufffd\ufffd");
  EXPECT_EQ(clean_utf8("\xc0\xaf"), "\ufffd\ufffd");            // overlong
  EXPECT_EQ(clean_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // surrogate
  EXPECT_EQ(clean_utf8("a\u202eb\u2066c"), "a\ufffdb\ufffdc");  // direction marks
  EXPECT_EQ(clean_utf8("\uffff\ufdd0"), "\ufffd\ufffd");
  EXPECT_EQ(clean_utf8(std::string("\0\x1b\x7f", 3)), "\ufffd\ufffd\ufffd");
}

TEST(Escape, XmlTextHasNoMarkupAndComesBack) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Samples random(seed);
    std::string text;
    for (int i = 0; i < 6; ++i)
      text += random.bytes(5) + std::string("<>&\"'\n\t;#x").substr(random.number(10), 2) + "]]>" + "</script>";
    const std::string escaped = xml_text(text);
    ASSERT_EQ(escaped.find_first_of("<>\"'\n\t"), std::string::npos) << "seed " << seed;
    ASSERT_EQ(unescape_xml(escaped), clean_utf8(text)) << "seed " << seed;
  }
}

TEST(Escape, Uris) {
  EXPECT_EQ(file_uri("op_kernel/a-b_c.1~.h"), "op_kernel/a-b_c.1~.h");
  EXPECT_EQ(file_uri("a b%c#d?e"), "a%20b%25c%23d%3Fe");
  EXPECT_EQ(file_uri("c:/x"), "c%3A/x");  // no scheme
  EXPECT_EQ(file_uri("/usr/x y"), "file:///usr/x%20y");
  EXPECT_EQ(file_uri("//host/x"), "file:///.//host/x");
  EXPECT_EQ(file_uri("写"), "%E5%86%99");
  EXPECT_EQ(file_uri("\xff\n"), "%FF%0A");
  EXPECT_EQ(file_uri("../[x]"), "../%5Bx%5D");
  for (uint64_t seed = 1; seed <= 500; ++seed)
    for (const char c : file_uri(Samples(seed).bytes(40)))
      ASSERT_TRUE(std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string("-._~/%:").find(c) != std::string::npos);
}

TEST(Escape, WorkflowCommandsStayOneLine) {
  EXPECT_EQ(github_message("50% a\nb\r\nc: d, e"), "50%25 a%0Ab%0Ac: d, e");
  EXPECT_EQ(github_property("a:b,c%d\ne"), "a%3Ab%2Cc%25d%0Ae");
  EXPECT_EQ(github_property("%3A"), "%253A");
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    ASSERT_EQ(github_message(Samples(seed).bytes(40)).find_first_of("\r\n"), std::string::npos);
    ASSERT_EQ(github_property(Samples(seed).bytes(40)).find_first_of("\r\n:,"), std::string::npos);
  }
}

TEST(Escape, JsonInHtmlIsTheSameJson) {
  const nlohmann::json value = {{"a", "</script><!--<script>&amp;"}, {"b", {1, 2}}};
  const std::string text = json_in_html(value.dump());
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), value);
}

}  // namespace
}  // namespace ascsan::report
