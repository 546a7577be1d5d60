#include "report/token.h"

#include <cstdio>

#include "base/hash.h"
#include "report/version.h"

namespace ascsan::report {
namespace {

constexpr std::string_view kPrefix = "as1:";
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr size_t kChecksumBytes = 3;

std::string encode(std::string_view bytes) {
  std::string text;
  uint32_t buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) text += kDigits[(buffer >> (bits - 6)) & 63];
  }
  if (bits > 0) text += kDigits[(buffer << (6 - bits)) & 63];
  return text;
}

bool decode(std::string_view text, std::string& bytes) {
  uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t digit = std::string_view(kDigits).find(c);
    if (digit == std::string_view::npos) return false;
    buffer = (buffer << 6) | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((buffer >> bits) & 0xFF);
  }
  return true;
}

class Packer {
 public:
  std::string bytes;
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7F));
    bytes += static_cast<char>(value);
  }
  void fixed(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes += value;
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  bool good = true;
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = fixed(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    good = false;
    return 0;
  }
  uint32_t small() {
    const uint64_t value = number();
    if (value > 0xFFFFFFFF) good = false;
    return static_cast<uint32_t>(value);
  }
  uint64_t fixed(size_t count) {
    if (bytes_.size() - at_ < count) return good = false, 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value |= uint64_t{static_cast<unsigned char>(bytes_[at_++])} << (8 * i);
    return value;
  }
  std::string text() {
    const uint64_t count = number();
    if (count > bytes_.size() - at_) return good = false, "";
    at_ += count;
    return std::string(bytes_.substr(at_ - count, count));
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

uint64_t checksum(std::string_view bytes) {
  base::Hash hash;
  hash.text(bytes);
  return hash.value() & ((uint64_t{1} << (8 * kChecksumBytes)) - 1);
}

}  // namespace

std::string to_text(const ReplayToken& token) {
  Packer packer;
  packer.text(kToolVersion);
  packer.fixed(token.program, 8);
  packer.fixed(token.arguments, 4);
  packer.number(token.launch);
  packer.text(token.options);
  packer.text(token.base);
  packer.number(token.choices.size());
  for (const ForcedChoice& choice : token.choices)
    for (const uint32_t value : {choice.held_core, choice.held_pipe, choice.held_index, choice.until_core,
                                 choice.until_pipe, choice.until_index})
      packer.number(value);
  for (const uint64_t digest : {token.inputs, token.outputs, token.events}) packer.fixed(digest, 8);
  packer.fixed(checksum(packer.bytes), kChecksumBytes);
  return std::string(kPrefix) + encode(packer.bytes);
}

bool parse_token(std::string_view text, ReplayToken& token, std::string* error) {
  const auto fail = [&](const std::string& why) {
    if (error != nullptr) *error = why;
    return false;
  };
  std::string bytes;
  if (text.substr(0, kPrefix.size()) != kPrefix)
    return fail("a token begins with \"as1:\"; copy it whole from the report");
  if (!decode(text.substr(kPrefix.size()), bytes) || bytes.size() <= kChecksumBytes)
    return fail("the token holds characters that no token has; copy it whole from the report");
  const std::string_view body(bytes.data(), bytes.size() - kChecksumBytes);
  if (Unpacker(std::string_view(bytes).substr(body.size())).fixed(kChecksumBytes) != checksum(body))
    return fail("the token is damaged (wrong checksum); copy it whole from the report");
  Unpacker unpacker(body);
  if (const std::string version = unpacker.text(); unpacker.good && version != kToolVersion)
    return fail("the token was made by ascsan " + version + ", this is " + kToolVersion + "; run the program again");
  token = {};
  token.program = unpacker.fixed(8);
  token.arguments = static_cast<uint32_t>(unpacker.fixed(4));
  token.launch = unpacker.small();
  token.options = unpacker.text();
  token.base = unpacker.text();
  const uint64_t count = unpacker.number();
  for (uint64_t i = 0; i < count && unpacker.good; ++i) {
    ForcedChoice choice;
    for (uint32_t* value : {&choice.held_core, &choice.held_pipe, &choice.held_index, &choice.until_core,
                            &choice.until_pipe, &choice.until_index})
      *value = unpacker.small();
    token.choices.push_back(choice);
  }
  for (uint64_t* digest : {&token.inputs, &token.outputs, &token.events}) *digest = unpacker.fixed(8);
  return unpacker.good && unpacker.at_end() ? true : fail("the token is damaged; copy it whole from the report");
}

bool digest_file(const std::string& path, uint64_t& digest) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  base::Hash hash;
  std::string buffer(size_t{1} << 16, '\0');
  size_t count;
  while ((count = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) hash.bytes(buffer.data(), count);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  digest = hash.value();
  return good;
}

uint32_t digest_arguments(const std::vector<std::string>& arguments) {
  base::Hash hash;
  for (const std::string& argument : arguments) hash.text(argument);
  return static_cast<uint32_t>(hash.value());
}

}  // namespace ascsan::report
