#include "schedule/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace trilemma {
namespace {

class Full final : public Schedule {
 public:
  explicit Full(std::uint32_t clients) : clients_(clients) {}
  void participants(std::uint32_t, std::vector<std::uint32_t>& clients,
                    const Secret*) const override {
    clients.resize(clients_);
    std::iota(clients.begin(), clients.end(), 0U);
  }
  double expected() const override { return clients_; }
  Draw draw() const override { return Draw::everyone; }

 private:
  std::uint32_t clients_;
};

// Every client by a coin of its own with probability p, drawn by the gaps between successes: the
// cost grows with the participants and not with the clients. p = 1 has gaps of 0: log_miss = -inf.
class Poisson final : public Schedule {
 public:
  Poisson(std::uint64_t seed, std::uint32_t clients, double rate)
      : seed_(seed), clients_(clients), rate_(rate) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) const override {
    clients.clear();
    Stream stream({seed_, Purpose::participation, 0, round, secret});
    const double log_miss = std::log1p(-rate_);
    // 53 random bits, so that the law of the gaps is exact to 1e-16.
    auto uniform = [&stream] {
      const double high = stream.word();
      return (high + ((stream.word() >> 11U) + 0.5) * 0x1p-21) * 0x1p-32;
    };
    for (double next = -1;;) {
      next += 1.0 + std::floor(std::log(uniform()) / log_miss);
      if (!(next < clients_)) return;
      clients.push_back(static_cast<std::uint32_t>(next));
    }
  }
  double expected() const override { return rate_ * clients_; }
  Draw draw() const override { return rate_ == 1 ? Draw::everyone : Draw::independent; }

 private:
  std::uint64_t seed_;
  std::uint32_t clients_;
  double rate_;
};

// A uniform subset of fixed size (Floyd; Bentley and Floyd 1987).
class FixedSize final : public Schedule {
 public:
  FixedSize(std::uint64_t seed, std::uint32_t clients, std::uint32_t size)
      : seed_(seed), clients_(clients), size_(size) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) const override {
    clients.clear();
    Stream stream({seed_, Purpose::participation, 0, round, secret});
    std::unordered_set<std::uint32_t> taken;
    for (std::uint32_t last = clients_ - size_; last < clients_; ++last) {
      const std::uint32_t drawn = stream.below(last + 1);
      clients.push_back(taken.insert(drawn).second ? drawn : last);
      taken.insert(clients.back());
    }
    std::sort(clients.begin(), clients.end());
  }
  double expected() const override { return size_; }
  Draw draw() const override { return Draw::fixed_size; }

 private:
  std::uint64_t seed_;
  std::uint32_t clients_, size_;
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
