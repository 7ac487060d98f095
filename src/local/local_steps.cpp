#include "local/local_steps.hpp"

#include <limits>

namespace trilemma {

double LocalSteps::drift(double norm, std::uint32_t round, std::size_t number) const {
  switch (update) {
    case Update::sum:
      return step_rate(round, number) * norm;
    case Update::mean:
      return step_rate(round, number) * static_cast<double>(number) * norm;
    case Update::difference:
      return norm;
    case Update::own:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace trilemma
