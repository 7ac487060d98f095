#pragma once
// The kernels of `trilemma bench`. A kernel is an experiment: a row with its settings, and its size
// in every class (docs/reference/benchmark.md).

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Classes of problem sizes, from a test to a whole machine.
enum class BenchClass : std::size_t { s, w, a, b, c };
inline constexpr std::string_view class_names[] = {"S", "W", "A", "B", "C"};
inline constexpr std::size_t class_count = std::size(class_names);

/// Whether the number of clients is fixed per rank (weak) or in total (strong).
enum class BenchMode { weak, strong };
const char* name(BenchMode mode);

/// Size of a kernel in a class.
struct KernelSize {
  long per_rank = 1;  ///< clients of a rank, weak
  long total = 1;     ///< clients, strong: 60 * 2^k
  long hidden = 0;    ///< hidden units of the network, which determine d; 0 = not a network
  long rounds = 100;  ///< timed rounds
};

/// A kernel.
struct Kernel {
  const char* name;
  char letter;  ///< its letter in the lines of a result
  const char* summary;
  bool is_private;       ///< whether a privacy claim belongs to its validity
  const char* pattern;   ///< exchange.up under the base rules
  long records;          ///< of a client
  const char* settings;  ///< TOML
  /// Seconds that a client update takes on the reference core (docs/reference/benchmark.md), in
  /// class S.
  double reference_seconds;
  /// How many times as long a coordinate takes in networks of 1e6 coordinates, and of more, whose
  /// vectors do not fit into the caches; 1 for kernels of one size.
  double slower_million, slower_beyond;
  std::array<KernelSize, class_count> sizes;

  const KernelSize& size(BenchClass of) const { return sizes[static_cast<std::size_t>(of)]; }
};

/// Returns the table of kernels: latency, compute, bandwidth, compression, quantisation,
/// aggregation, private, secure.
std::span<const Kernel> kernels();
/// Returns the names of the kernels with their letters, for messages and help.
std::string kernels_in_words();

/// Rounds before the timed ones.
inline constexpr long warm_up_rounds = 5;

/// A kernel of a class on a number of ranks.
struct BenchCase {
  const Kernel* kernel = nullptr;
  BenchClass size = BenchClass::s;
  BenchMode mode = BenchMode::weak;
  int ranks = 1;
  int clients_of = 0;            ///< weak: clients of as many ranks; 0 = of `ranks`
  bool is_warm_up_only = false;  ///< leave the timed rounds out, for checksums
  std::string pattern = {};      ///< empty: that of the kernel

  long clients() const;
  /// Returns the seconds that the updates of a rank take on the reference core in `repetitions`.
  /// Messages and the sums of other ranks' updates come on top.
  double reference_seconds(long repetitions) const;
  long rounds() const { return kernel->size(size).rounds; }
  std::string uplink() const { return pattern.empty() ? kernel->pattern : pattern; }
  std::string_view class_name() const { return class_names[static_cast<std::size_t>(size)]; }
  /// Returns the experiment of this case. `more` are further settings, "key=value".
  Settings settings(const std::vector<std::string>& more = {}) const;
};

/// States of a model with a checksum: after all rounds, and after the warm-up, which a single core
/// reaches in minutes in classes whose rounds take a machine.
enum class BenchState { last, warm_up };

/// Returns the checksum that is shipped of the model of a case, with float32 numbers; nullopt if
/// the table has none.
std::optional<std::string> shipped_checksum(const BenchCase& of, BenchState state);

}  // namespace trilemma
