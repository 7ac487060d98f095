#pragma once
// Clients of mean estimation, where every step has a closed form: loss(w; a) = 0.5 ||w - a||^2.

#include "tests/support/tiny_data.hpp"

namespace trilemma::testing {

/// One record a client; the rows of `points` are its features.
inline std::vector<Dataset> one_record_each(const std::vector<Vector>& points) {
  std::vector<Dataset> shards;
  for (const auto& point : points) {
    DenseRows rows;
    rows.columns = point.size();
    rows.value = point;
    Dataset data;
    data.rows = std::move(rows);
    data.label = {0};
    data.prepare();
    shards.push_back(std::move(data));
  }
  return shards;
}

}  // namespace trilemma::testing
