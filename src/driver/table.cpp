#include "driver/driver.hpp"

namespace trilemma {

Row<DriverMaker> synchronous_driver();
Row<DriverMaker> timed_driver();
Row<DriverMaker> asynchronous_driver();
Row<DriverMaker> gossip_driver();

std::span<const Row<DriverMaker>> drivers() {
  static const Row<DriverMaker> table[] = {synchronous_driver(), timed_driver(),
                                           asynchronous_driver(), gossip_driver()};
  return table;
}

std::unique_ptr<Driver> make_driver(const DriverSetup& setup) {
  return row(drivers(), setup.plan.method.driver).make(setup);
}

}  // namespace trilemma
