// Comparing long outputs: a failure shows the first difference, not all of both.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

inline testing::AssertionResult same_output(std::string_view found, std::string_view expected) {
  if (found == expected) return testing::AssertionSuccess();
  auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  auto place = static_cast<size_t>(at - found.begin());
  constexpr size_t kBefore = 40;
  constexpr size_t kShown = 100;
  size_t from = place - std::min(place, kBefore);
  auto line = std::count(found.begin(), at, '\n') + 1;
  return testing::AssertionFailure() << "they differ from byte " << place << " on, line " << line
                                     << ": '… " << found.substr(from, kShown) << " …' is not '… "
                                     << expected.substr(from, kShown) << " …'";
}

inline testing::AssertionResult same_output(const std::vector<std::string>& found,
                                            const std::vector<std::string>& expected) {
  auto joined = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  return same_output(joined(found), joined(expected));
}

}  // namespace bough
