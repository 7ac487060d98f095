#include "schedule/schedule.hpp"

#include <numeric>

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

class Full final : public Schedule {
 public:
  explicit Full(std::uint32_t clients) : clients_(clients) {}
  void participants(std::uint32_t, std::vector<std::uint32_t>& clients, const Secret*) override {
    clients.resize(clients_);
    std::iota(clients.begin(), clients.end(), 0U);
  }
  double expected() const override { return clients_; }
  Draw draw() const override { return Draw::everyone; }

 private:
  std::uint32_t clients_;
};

class Poisson final : public Schedule {
 public:
  Poisson(std::uint64_t seed, std::uint32_t clients, double rate)
      : seed_(seed), clients_(clients), rate_(rate) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) override {
    draw_({seed_, Purpose::participation, 0, round, secret}, clients_, rate_, clients);
  }
  double expected() const override { return rate_ * clients_; }
  Draw draw() const override { return rate_ == 1 ? Draw::everyone : Draw::independent; }

 private:
  std::uint64_t seed_;
  std::uint32_t clients_;
  double rate_;
  CoinDraw draw_;  ///< scratch memory
};

class FixedSize final : public Schedule {
 public:
  FixedSize(std::uint64_t seed, std::uint32_t clients, std::uint32_t size)
      : seed_(seed), clients_(clients), size_(size) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) override {
    draw_({seed_, Purpose::participation, 0, round, secret}, clients_, size_, clients);
  }
  double expected() const override { return size_; }
  Draw draw() const override { return Draw::fixed_size; }

 private:
  std::uint64_t seed_;
  std::uint32_t clients_, size_;
  SubsetDraw draw_;  ///< scratch memory
};

void declare_nothing(Settings&) {}
std::unique_ptr<Schedule> make_full(Settings&, std::uint64_t, std::uint32_t clients) {
  return make_full_schedule(clients);
}

double read_rate(Settings& s) {
  return s.number("rate", 0.2, {.low = 0, .high = 1, .low_open = true},
                  "probability of a client to take part in a round");
}
void declare_rate(Settings& s) { read_rate(s); }
std::unique_ptr<Schedule> make_poisson(Settings& s, std::uint64_t seed, std::uint32_t clients) {
  return std::make_unique<Poisson>(seed, clients, read_rate(s));
}

long read_size(Settings& s) {
  return s.integer("size", 1, at_least(1), "clients that take part in a round");
}
void declare_size(Settings& s) { read_size(s); }
std::unique_ptr<Schedule> make_fixed_size(Settings& s, std::uint64_t seed, std::uint32_t clients) {
  const long size = read_size(s);
  if (size > static_cast<long>(clients))
    s.refuse("size", fmt::format("more than the {} clients; lower participation.size", clients));
  return std::make_unique<FixedSize>(seed, clients, static_cast<std::uint32_t>(size));
}

constexpr Row<ScheduleMaker> table[] = {
    {"full", "every client in every round", declare_nothing, make_full},
    {"poisson", "every client independently with probability rate", declare_rate, make_poisson},
    {"fixed-size", "a uniform subset of size clients", declare_size, make_fixed_size},
};

}  // namespace

std::unique_ptr<Schedule> make_full_schedule(std::uint32_t clients) {
  return std::make_unique<Full>(clients);
}

std::span<const Row<ScheduleMaker>> schedules() { return table; }

}  // namespace trilemma
