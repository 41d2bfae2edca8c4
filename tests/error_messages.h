// What an error said.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bough {

/// What the error thrown by `action` says; empty where none is thrown.
template <typename Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline void expect_contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

}  // namespace bough
