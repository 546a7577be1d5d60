// Names of the checkers a user can switch (option `checkers`), and which of them a rule of the catalogue belongs to.
// A checker that is off gets no events. Left out: what each of them looks for; see rules.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ascsan::check {

enum class CheckerId : uint8_t { kRace, kBounds, kInit, kFlags, kCrossCore, kHang, kLegality, kCache, kCount };
inline constexpr size_t kCheckerCount = static_cast<size_t>(CheckerId::kCount);
/// Words of the option, in the order of the enumerators.
inline constexpr std::array<std::string_view, kCheckerCount> kCheckerNames = {
    "race", "bounds", "init", "flags", "cross_core", "hang", "legality", "cache"};

/// Which checkers are on.
struct CheckerSet {
  static constexpr uint32_t kAll = (1u << kCheckerCount) - 1;
  uint32_t bits = kAll;
  constexpr bool has(CheckerId id) const { return (bits >> static_cast<uint32_t>(id) & 1u) != 0; }
  constexpr void add(CheckerId id) { bits |= 1u << static_cast<uint32_t>(id); }
  friend bool operator==(const CheckerSet&, const CheckerSet&) = default;
};

/// The checker that reports rule `id` ("ASC2204"): the groups of rules.def.
constexpr CheckerId checker_of(std::string_view id) {
  const char group = id.size() == 7 ? id[3] : '0', part = id.size() == 7 ? id[4] : '0';
  switch (group) {
    case '1':
      return CheckerId::kRace;
    case '2':
      return part == '2' ? CheckerId::kLegality : CheckerId::kBounds;
    case '3':
      return CheckerId::kInit;
    case '4':
      return part == '3' ? CheckerId::kCrossCore : CheckerId::kFlags;
    case '5':
      return CheckerId::kHang;
    case '6':
      return CheckerId::kCache;
    case '9':
      return CheckerId::kRace;
    default:
      return CheckerId::kLegality;
  }
}

}  // namespace ascsan::check
