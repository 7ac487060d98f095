#include "driver/rounds.hpp"

namespace trilemma {
namespace {

class Synchronous final : public Rounds {
 public:
  using Rounds::Rounds;
};

}  // namespace

Row<DriverMaker> synchronous_driver() {
  return {"synchronous", "rounds, in which the server waits for all participants",
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Synchronous>(setup);
          }};
}

}  // namespace trilemma
