#include "schedule/schedule.hpp"

#include <numeric>

namespace trilemma {
namespace {

class Full final : public Schedule {
 public:
  explicit Full(std::uint32_t clients) : clients_(clients) {}
  void participants(std::uint32_t, std::vector<std::uint32_t>& clients) const override {
    clients.resize(clients_);
    std::iota(clients.begin(), clients.end(), 0U);
  }

 private:
  std::uint32_t clients_;
};

void declare(Settings&) {}
std::unique_ptr<Schedule> make_full(Settings&, std::uint64_t, std::uint32_t clients) {
  return std::make_unique<Full>(clients);
}

constexpr Row<ScheduleMaker> table[] = {
    {"full", "every client in every round", declare, make_full},
};

}  // namespace

std::span<const Row<ScheduleMaker>> schedules() { return table; }

}  // namespace trilemma
