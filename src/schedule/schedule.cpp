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

// Every client drops out of a round with a probability, for reasons that have nothing to do with
// its data.
class DropOuts final : public Schedule {
 public:
  DropOuts(std::uint64_t seed, std::uint32_t clients, double probability)
      : seed_(seed), clients_(clients), left_(1 - probability) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret*) override {
    draw_({seed_, Purpose::dropout, 0, round}, clients_, left_, clients);
  }
  double expected() const override { return left_ * clients_; }
  Draw draw() const override { return left_ == 1 ? Draw::everyone : Draw::dropping; }

 private:
  std::uint64_t seed_;
  std::uint32_t clients_;
  double left_;
  CoinDraw draw_;  ///< scratch memory
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

std::unique_ptr<Schedule> make_full(std::uint64_t, std::uint32_t clients) {
  return make_full_schedule(clients);
}

struct DropOutOptions {
  double probability = 0.1;
  void read(Reader& r) {
    r("probability", probability, {.low = 0, .high = 1, .high_open = true},
      "probability that a client drops out of a round");
  }
};
std::unique_ptr<Schedule> make_drop_outs(const DropOutOptions& options, std::uint64_t seed,
                                         std::uint32_t clients) {
  return std::make_unique<DropOuts>(seed, clients, options.probability);
}

struct PoissonOptions {
  double rate = 0.2;
  void read(Reader& r) {
    r("rate", rate, {.low = 0, .high = 1, .low_open = true},
      "probability that a client participates in a round");
  }
};
std::unique_ptr<Schedule> make_poisson(const PoissonOptions& options, std::uint64_t seed,
                                       std::uint32_t clients) {
  return std::make_unique<Poisson>(seed, clients, options.rate);
}

struct FixedSizeOptions {
  long size = 1;
  void read(Reader& r) { r("size", size, at_least(1), "number of participants of a round"); }
};
std::unique_ptr<Schedule> make_fixed_size(const FixedSizeOptions& options, const Settings& settings,
                                          std::uint64_t seed, std::uint32_t clients) {
  if (options.size > static_cast<long>(clients))
    settings.refuse("size",
                    fmt::format("more than the {} clients; lower participation.size", clients));
  return std::make_unique<FixedSize>(seed, clients, static_cast<std::uint32_t>(options.size));
}

}  // namespace

std::unique_ptr<Schedule> make_full_schedule(std::uint32_t clients) {
  return std::make_unique<Full>(clients);
}

std::span<const Row<ScheduleMaker>> schedules() {
  static const Row<ScheduleMaker> table[] = {
      part_without_settings("full", "every client in every round", make_full),
      part_with_settings("drop-outs", "every client, except those that drop out of the round",
                         make_drop_outs),
      part_with_settings("poisson", "every client independently with probability rate",
                         make_poisson),
      part_with_settings("fixed-size", "a uniform subset of size clients", make_fixed_size),
  };
  return table;
}

}  // namespace trilemma
