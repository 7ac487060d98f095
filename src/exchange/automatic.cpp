#include "exchange/automatic.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace trilemma {

UplinkChoice automatic_uplink(const UplinkFacts& facts) {
  if (facts.ranks == 1) return {"gather", UplinkReason::one_rank, facts};
  if (facts.is_strict) return {"gather", UplinkReason::strict, facts};
  if (facts.messages * facts.message_bytes <= facts.sum_bytes)
    return {"gather", UplinkReason::messages_are_fewer, facts};
  if (facts.nodes == 1) return {"reduce", UplinkReason::sums_are_fewer, facts};
  return {"hierarchical", UplinkReason::sums_of_nodes, facts};
}

const char* name(UplinkReason reason) {
  switch (reason) {
    case UplinkReason::asked_for:
      return "asked_for";
    case UplinkReason::one_rank:
      return "one_rank";
    case UplinkReason::strict:
      return "strict";
    case UplinkReason::messages_are_fewer:
      return "messages_are_fewer";
    case UplinkReason::sums_are_fewer:
      return "sums_are_fewer";
    case UplinkReason::sums_of_nodes:
      break;
  }
  return "sums_of_nodes";
}

std::string in_words(const UplinkChoice& choice) {
  const UplinkFacts& facts = choice.facts;
  switch (choice.reason) {
    case UplinkReason::asked_for:
      return choice.uplink;
    case UplinkReason::one_rank:
      return choice.uplink + " (auto: one rank)";
    case UplinkReason::strict:
      return choice.uplink + " (auto: the traffic of sums depends on what is summed)";
    case UplinkReason::messages_are_fewer:
    case UplinkReason::sums_are_fewer:
    case UplinkReason::sums_of_nodes:
      break;
  }
  return fmt::format("{} (auto: {:.4g} messages of {} a {}, a sum has {})", choice.uplink,
                     facts.messages, with_prefix(facts.message_bytes, "B"),
                     facts.nodes > 1 ? "node" : "rank", with_prefix(facts.sum_bytes, "B"));
}

}  // namespace trilemma
