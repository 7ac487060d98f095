#pragma once

#include <gtest/gtest.h>

#include "sweep/sweep.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::testing {

/// Sweeps of tiny_experiment, in a folder of their own.
class SweepTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("tiny.toml", tiny_experiment); }

  /// The sweep of this text, resolved.
  Sweep sweep(const std::string& text, const std::vector<std::string>& overrides = {}) {
    Sweep sweep =
        read_sweep(folder_.write("s.toml", "experiment = \"tiny.toml\"\n" + text), overrides);
    resolve(sweep);
    return sweep;
  }
  std::string refused(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return refusal([&] { sweep(text, overrides); });
  }
  static std::vector<std::string> names(const Sweep& sweep) {
    std::vector<std::string> all;
    for (const auto& cell : sweep.cells) all.push_back(cell_name(sweep, cell));
    return all;
  }

  TempFolder folder_;
};

}  // namespace trilemma::testing
