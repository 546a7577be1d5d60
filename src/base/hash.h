// A running 64-bit hash of words and bytes (the finaliser of SplitMix64 after each word). Equal input gives equal
// hashes on every host. Left out: strength against an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ascsan::base {

class Hash {
 public:
  void word(uint64_t value) {
    state_ = (state_ ^ value) + 0x9E3779B97F4A7C15u;
    state_ = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
    state_ = (state_ ^ (state_ >> 27)) * 0x94D049BB133111EBu;
    state_ ^= state_ >> 31;
  }
  void bytes(const void* data, size_t count) {
    const auto* at = static_cast<const unsigned char*>(data);
    word(count);
    for (; count >= 8; count -= 8, at += 8) {
      uint64_t value;
      std::memcpy(&value, at, 8);
      word(value);
    }
    uint64_t rest = 0;
    if (count > 0) std::memcpy(&rest, at, count);
    if (count > 0) word(rest);
  }
  void text(std::string_view text) { bytes(text.data(), text.size()); }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3u;
};

}  // namespace ascsan::base
