#include "exchange/downlink.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {

// One declaration and one row for each file of this room.
Row<UplinkMaker> gather_uplink();
Row<UplinkMaker> overlap_uplink();
Row<UplinkMaker> reduce_uplink();
Row<UplinkMaker> hierarchical_uplink();
Row<DownlinkMaker> plain_downlink();
Row<DownlinkMaker> compressed_downlink();
Row<DownlinkMaker> direct_downlink();

std::span<const Row<UplinkMaker>> uplinks() {
  static const Row<UplinkMaker> table[] = {gather_uplink(), overlap_uplink(), reduce_uplink(),
                                           hierarchical_uplink()};
  return table;
}

std::span<const Row<DownlinkMaker>> downlinks() {
  static const Row<DownlinkMaker> table[] = {plain_downlink(), compressed_downlink(),
                                             direct_downlink()};
  return table;
}

}  // namespace trilemma
