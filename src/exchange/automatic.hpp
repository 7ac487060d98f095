#pragma once
// exchange.up = "auto": the uplink that sends fewest bytes, by the sizes of messages and sums
// (docs/reference/exchange.md#which-exchange-auto-chooses).

#include <string>

namespace trilemma {

/// The value of exchange.up that leaves the choice to automatic_uplink().
inline constexpr const char* automatic = "auto";

/// What the choice depends on.
struct UplinkFacts {
  long ranks = 1, nodes = 1;
  /// Of a hosting rank in a round, in expectation over the participants; of a node where there are
  /// several, since hierarchical sends one sum from each.
  double messages = 0;
  double message_bytes = 0, sum_bytes = 0;
  bool is_strict = false;  ///< privacy.strict
};

/// Why an uplink is used.
enum class UplinkReason {
  asked_for,           ///< exchange.up names it
  one_rank,            ///< nothing is sent
  strict,              ///< the traffic of sums depends on what is summed
  messages_are_fewer,  ///< the messages have at most as many bytes as a sum
  sums_are_fewer,      ///< a sum has fewer bytes than the messages, on one node
  sums_of_nodes,       ///< the same on several nodes, each of which sends one sum
};

/// An uplink, and why it is used.
struct UplinkChoice {
  std::string uplink;
  UplinkReason reason = UplinkReason::asked_for;
  UplinkFacts facts;
};

/// Returns the name of a reason in run files: "asked_for", "one_rank", ...
const char* name(UplinkReason reason);

/// Returns gather on one rank, under privacy.strict, and where the messages have at most as many
/// bytes as a sum; otherwise reduce on one node and hierarchical on several.
UplinkChoice automatic_uplink(const UplinkFacts& facts);

/// Describes the choice: "reduce (auto: 300 messages of 31.4 kB a rank, a sum has 62.8 kB)"; the
/// uplink alone if it was asked for.
std::string in_words(const UplinkChoice& choice);

}  // namespace trilemma
