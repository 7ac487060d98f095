#include <algorithm>

#include "exchange/automatic.hpp"
#include "exchange/downlink.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {

// One declaration and one row for each file of this room.
Row<UplinkKind> gather_uplink();
Row<UplinkKind> overlap_uplink();
Row<UplinkKind> reduce_uplink();
Row<UplinkKind> hierarchical_uplink();
Row<UplinkKind> shuffle_uplink();
Row<DownlinkKind> plain_downlink();
Row<DownlinkKind> compressed_downlink();
Row<DownlinkKind> direct_downlink();
Row<DownlinkKind> scalars_downlink();
Row<NodeExchangeKind> neighbours_exchange();
Row<NodeExchangeKind> collective_exchange();
Row<NodeExchangeKind> relay_exchange();

std::span<const Row<UplinkKind>> uplink_choices() {
  static const Row<UplinkKind> table[] = {
      {automatic,
       "gather, reduce or hierarchical, by the sizes of messages and sums",
       {.make = nullptr}},
      gather_uplink(),
      overlap_uplink(),
      reduce_uplink(),
      hierarchical_uplink(),
      shuffle_uplink()};
  return table;
}

std::span<const Row<UplinkKind>> uplinks() { return uplink_choices().subspan(1); }

bool is_uplink(std::string_view name) {
  return std::ranges::find(uplinks(), name, &Row<UplinkKind>::name) != uplinks().end();
}

std::span<const Row<DownlinkKind>> downlinks() {
  static const Row<DownlinkKind> table[] = {plain_downlink(), compressed_downlink(),
                                            direct_downlink(), scalars_downlink()};
  return table;
}

std::span<const Row<NodeExchangeKind>> node_exchanges() {
  static const Row<NodeExchangeKind> table[] = {neighbours_exchange(), collective_exchange(),
                                                relay_exchange()};
  return table;
}

}  // namespace trilemma
