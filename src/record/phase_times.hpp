#pragma once
// Times of the phases in a run file: of every rank, or their summary over the ranks.

#include <algorithm>
#include <span>
#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// Returns the extents of /phases/seconds: rows, ranks, phases. Times may be missing, since ranks
/// that joined at a restart have none for the rounds before it.
inline h5::Extents phase_extents(const h5::Dataset& seconds) {
  constexpr std::uint64_t most_missing = std::uint64_t{1} << 24U;
  return seconds.sparse_extents(3, most_missing);
}

/// Names of the data sets that only files with summarised times have.
inline constexpr const char* largest_times = "largest";
inline constexpr const char* slowest_ranks = "slowest";
/// Returns whether the times of a file are summarised over its ranks: /phases/seconds then has the
/// mean in place of the ranks.
inline bool has_summarised_phases(const h5::Group& file) {
  return file.has_member(std::string("phases/") + largest_times);
}

/// Name of the data set that only files with counted energy have.
inline constexpr const char* phase_energy = "joules";

/// Returns joules by row and phase. `seconds` are times by row, rank and phase; `node` is the node
/// of each rank, and `joules` has what each node used during all rows. A node's energy is divided
/// in proportion to the time that its ranks spent in each row and phase, since counters are too
/// slow to be read at every phase. NaN if the energy of a node is not known.
inline std::vector<double> divided(std::span<const double> joules, std::span<const double> seconds,
                                   std::span<const std::int64_t> node, std::size_t phases) {
  const std::size_t width = node.size() * phases;
  std::vector<double> took(joules.size());
  for (std::size_t i = 0; i < seconds.size(); ++i)
    took[static_cast<std::size_t>(node[i % width / phases])] += seconds[i];
  std::vector<double> shares(seconds.size() / node.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto n = static_cast<std::size_t>(node[i % width / phases]);
    shares[i / width * phases + i % phases] += joules[n] * (seconds[i] / took[n]);
  }
  return shares;
}

/// Times over the ranks, by row and phase.
struct PhaseSummary {
  std::vector<double> mean, largest;
  std::vector<std::int64_t> slowest;  ///< first rank with the largest time
};

/// Returns the summary of times by row, rank and phase.
inline PhaseSummary summarised(std::span<const double> seconds, std::size_t ranks,
                               std::size_t phases) {
  PhaseSummary all;
  for (std::size_t row = 0; row + ranks * phases <= seconds.size(); row += ranks * phases)
    for (std::size_t p = 0; p < phases; ++p) {
      double sum = 0;
      std::size_t slowest = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const double one = seconds[row + r * phases + p];
        sum += one;
        if (one > seconds[row + slowest * phases + p]) slowest = r;
      }
      all.mean.push_back(sum / static_cast<double>(ranks));
      all.largest.push_back(seconds[row + slowest * phases + p]);
      all.slowest.push_back(static_cast<std::int64_t>(slowest));
    }
  return all;
}

}  // namespace trilemma
