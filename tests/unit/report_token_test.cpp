// Replay tokens: every field comes back, and nothing that is not a whole token of this version is taken for one.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "report/experiments.h"
#include "report/token.h"

namespace ascsan::report {
namespace {

ReplayToken sample(uint64_t seed) {
  std::mt19937_64 random(seed);
  ReplayToken token;
  token.program = random();
  token.arguments = static_cast<uint32_t>(random());
  token.launch = static_cast<uint32_t>(random() >> (random() % 64));
  for (uint64_t n = random() % 40; n > 0; --n) token.options += static_cast<char>(random());
  token.base = random() % 2 == 0 ? "in_order" : "deferred";
  for (uint64_t n = random() % 5; n > 0; --n) {
    const auto number = [&] { return static_cast<uint32_t>(random() >> (random() % 64)); };
    token.choices.push_back({number(), number(), number(), number(), number(), number()});
  }
  token.inputs = random();
  token.outputs = random();
  token.events = random();
  return token;
}

TEST(Token, EveryFieldComesBack) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const ReplayToken sent = sample(seed);
    ReplayToken received;
    std::string error;
    ASSERT_TRUE(parse_token(to_text(sent), received, &error)) << error << ", seed " << seed;
    ASSERT_TRUE(sent == received) << "seed " << seed;
  }
}

TEST(Token, ADamagedTokenIsRefused) {
  int refused = 0, total = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const ReplayToken whole = sample(seed);
    const std::string text = to_text(whole);
    std::mt19937_64 random(seed);
    for (size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      while (changed[i] == text[i]) changed[i] = "ABCxyz019-_ \n:"[random() % 14];
      ReplayToken token;
      std::string error;
      // The last character may hold bits that no byte uses.
      const bool taken = parse_token(changed, token, &error);
      ASSERT_TRUE(!taken || (i + 1 == text.size() && token == whole)) << "seed " << seed << ", character " << i;
      refused += taken ? 0 : 1;
      ++total;
      if (!taken) {
        ASSERT_NE(error, "");
      }
    }
    for (size_t length = 0; length + 1 < text.size(); ++length) {
      ReplayToken token;
      ASSERT_FALSE(parse_token(text.substr(0, length), token, nullptr)) << "seed " << seed << ", length " << length;
    }
  }
  EXPECT_GT(refused, total - 61);
}

TEST(Token, TheReasonIsSaid) {
  ReplayToken token;
  std::string error;
  EXPECT_FALSE(parse_token("xx1:AAAA", token, &error));
  EXPECT_NE(error.find("begins with"), std::string::npos) << error;
  std::string text = to_text(sample(3));
  text[text.size() / 2] = text[text.size() / 2] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(parse_token(text, token, &error));
  EXPECT_NE(error.find("damaged"), std::string::npos) << error;
}

TEST(Token, ADigestFollowsEveryByte) {
  const std::string path = ::testing::TempDir() + "/token_digest";
  const auto digest = [&](const std::string& content) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
    uint64_t value = 0;
    EXPECT_TRUE(digest_file(path, value));
    return value;
  };
  std::string content(100003, 'a');
  const uint64_t first = digest(content);
  EXPECT_EQ(first, digest(content));
  for (const size_t at : {size_t{0}, size_t{7}, size_t{65536}, content.size() - 1}) {
    std::string other = content;
    other[at] = 'b';
    EXPECT_NE(first, digest(other)) << at;
  }
  std::remove(path.c_str());
  uint64_t value = 0;
  EXPECT_FALSE(digest_file(path, value));
  EXPECT_NE(digest_arguments({"a", "b"}), digest_arguments({"ab"}));
}

TEST(Wishes, ComeBackAndRefuseOtherLines) {
  const std::vector<WitnessWish> sent = {{3, {1, 2, 3, 4}, {1, 6, 7, 8}}, {0, {9, 0, 0, 1}, {9, 1, 0, 2}}};
  std::vector<WitnessWish> received;
  ASSERT_TRUE(parse_wishes(to_text(sent), received));
  ASSERT_EQ(received.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sent[i].finding, received[i].finding);
    EXPECT_EQ(sent[i].first, received[i].first);
    EXPECT_EQ(sent[i].second, received[i].second);
  }
  for (const char* text : {"1 2 3\n", "1 2 3 4 5 6 7 8", "x 2 3 4 5 6 7 8\n", "1 2 3 4 5 6 7 8 9\n"}) {
    received.clear();
    EXPECT_FALSE(parse_wishes(text, received)) << text;
  }
}

}  // namespace
}  // namespace ascsan::report
