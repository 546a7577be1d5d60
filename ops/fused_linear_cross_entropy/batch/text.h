// Small text helpers of the batch runner: suggestions for misspelt names, lists of names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flce::batch {

/// "; did you mean X?" for the nearest name within a third of its length, otherwise "; known: A, B, C".
std::string suggestion(std::string_view given, std::span<const std::string_view> known);

std::string join(std::span<const std::string_view> names);

}  // namespace flce::batch
