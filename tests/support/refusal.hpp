#pragma once
// What a call says when it refuses.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/check.hpp"

namespace trilemma::testing {

/// The sentence of the UserError that `call` throws; empty, with a failed test, if it throws none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a UserError: " << error.what();
    return "";
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

/// Expects that a sentence contains all parts and stands on one line.
inline void expect_parts(const std::string& sentence, const std::vector<std::string>& parts) {
  for (const auto& part : parts)
    EXPECT_NE(sentence.find(part), std::string::npos) << '"' << part << "\" in: " << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

}  // namespace trilemma::testing
