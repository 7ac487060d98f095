#pragma once
// Secure aggregation: masks that hide words modulo 2^b from the server and cancel in their sum
// (Bonawitz et al. 2017; with few neighbours for each client, Bell et al. 2020). The masks are
// those of the protocol; their keys, which clients would agree on and share, come from the seed.
//
//     client i: w_i = v_i + PRG(b_i) + sum_{j > i} PRG(s_ij) - sum_{j < i} PRG(s_ij) mod 2^b
//     server:   sum of w - PRG(b_i) of all that have sent - masks that are left over where a
//               neighbour has dropped out = sum of v
//
// s_ij is a key of neighbours i and j, b_i a key of client i alone.

#include <optional>

#include "base/support.hpp"
#include "numeric/random.hpp"
#include "privacy/accountant/mask_graph.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// How sums are hidden, as chosen by settings.
struct SecureSum {
  bool is_on = false;
  bool has_masks = true;  ///< otherwise their bits are counted alone
  double corrupt = 0;     ///< share of the clients that may work with the server
  double dropouts = 0;    ///< share of the clients that may drop out of a round
};
using SecureSumMaker = std::function<SecureSum()>;

/// Returns the table of ways of secure aggregation: none, masks, counted.
std::span<const Row<SecureSumMaker>> secure_sums();

/// Bits that a client and the server exchange in a round in addition to masked words: two public
/// keys of 32 bytes; for each neighbour its keys, and a sealed pair of shares of 80 bytes in both
/// directions; a share of 32 bytes for each neighbour, and its bit, when masks are removed.
struct MaskTraffic {
  std::uint64_t up = 0, down = 0;
};

/// Returns the traffic of a round from which `clients` - `survivors` clients drop out before they
/// send their words.
MaskTraffic mask_traffic(const accounting::MaskGraph& graph, std::uint64_t clients,
                         std::uint64_t survivors);

/// The masks of all rounds. Its methods keep the neighbours of the last round as scratch memory.
class PairMasks {
 public:
  /// b = `bits`, from 1 to 24.
  PairMasks(std::uint64_t seed, std::uint32_t clients, accounting::MaskGraph graph, unsigned bits);

  /// Returns the neighbours of `client`, ascending: the k next to it in a random ring of the round,
  /// k/2 on either side, or all others. Valid until the next call.
  Coordinates neighbours(std::uint32_t round, std::uint32_t client);

  /// Adds the masks of `client` to words in [-2^(b-1), 2^(b-1)), modulo 2^b.
  void add(std::uint32_t round, std::uint32_t client, std::span<std::int32_t> words);

  /// Subtracts the masks that remain in the sum of the words of the clients `survivors`, ascending.
  /// The result is congruent modulo 2^b to the sum without masks.
  void remove(std::uint32_t round, Coordinates survivors, std::span<double> sum);

  /// Returns the first client, if any, less than `threshold` of whose neighbours are among
  /// `survivors`.
  std::optional<std::uint32_t> lost_client(std::uint32_t round, Coordinates survivors);

 private:
  void order(std::uint32_t round);
  void mark(Coordinates survivors);
  Key mask_of(std::uint32_t round, std::uint32_t i, std::uint32_t j) const;

  std::uint64_t seed_;
  std::uint32_t clients_;
  accounting::MaskGraph graph_;
  unsigned bits_;
  std::int64_t ordered_round_ = -1;
  std::vector<std::uint32_t> ring_, place_;  ///< clients in the order of the ring, and their places
  std::vector<std::uint32_t> neighbour_;     ///< scratch memory
  std::vector<bool> is_left_;                ///< scratch memory
  std::vector<std::uint32_t> sum_;           ///< scratch memory: sums modulo 2^32
};

}  // namespace trilemma
