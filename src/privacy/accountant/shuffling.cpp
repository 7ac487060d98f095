#include "privacy/accountant/shuffling.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/root.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

// Probability left out at either end of the number of clones.
constexpr double clone_tail = 1e-20;
constexpr std::size_t most_blocks = 512;
constexpr std::size_t most_atoms = 1U << 23U;

void check_messages(const Shuffled& m) {
  const auto check = [](const char* field, double value, double low, double high) {
    if (!(value >= low && value <= high))
      throw std::invalid_argument(std::string(field) + " = " + shown(value) + ": must be from " +
                                  shown(low) + " to " + shown(high));
  };
  check("clients", m.clients, 1, 1e9);
  check("epsilon", m.epsilon, 1e-6, 100);
  check("delta", m.delta, 0, 1);
}

// Range of the number of clones, and the probabilities there: all but 2 clone_tail of its law.
struct Clones {
  double least = 0;
  std::vector<double> mass;
};

// By Bernstein's inequality, P[|X - mean| >= t] <= 2 exp(-t^2 / (2 (variance + t / 3))).
Clones clones_of(const Shuffled& m) {
  const double n = m.clients - 1;
  const double rate = 2 / (std::exp(m.epsilon) + 1);
  const double nats = -std::log(clone_tail);
  const double reach = nats / 3 + std::sqrt(nats * nats / 9 + 2 * nats * n * rate * (1 - rate));
  const double most = std::min(n, std::ceil(n * rate + reach));
  Clones clones{std::max(0.0, std::floor(n * rate - reach)), {}};
  const Binomial law(n, rate);
  for (double c = clones.least; c <= most; ++c) clones.mass.push_back(boost::math::pdf(law, c));
  return clones;
}

// Returns delta given c clones. A first count of j has a loss above epsilon if fewer than
// (c + 1) gain / ((2w - 1) (1 + e^epsilon)) of the c + 1 messages are not counted, where gain = w -
// e^epsilon (1 - w). Counts from `first` on have one: P[A + W >= first] - e^epsilon P[A + 1 - W >=
// first].
double delta_given(double c, double epsilon0, double epsilon) {
  const double gain = -std::expm1(epsilon - epsilon0) / (1 + std::exp(-epsilon0));
  const double first =
      c + 2 - std::ceil((c + 1) * gain / (std::tanh(epsilon0 / 2) * (1 + std::exp(epsilon))));
  const Binomial fair(c, 0.5);
  // P[A >= first], and P[A = first - 1].
  const double beyond = first > c ? 0 : boost::math::cdf(boost::math::complement(fair, first - 1));
  const double at = boost::math::pdf(fair, first - 1);
  return std::max(0.0, at * gain - beyond * std::expm1(epsilon));
}

double pure_delta(const Clones& clones, const Shuffled& m, double epsilon) {
  if (epsilon >= m.epsilon) return 0;
  double sum = 2 * clone_tail;
  for (std::size_t i = 0; i < clones.mass.size(); ++i)
    sum += clones.mass[i] * delta_given(clones.least + static_cast<double>(i), m.epsilon, epsilon);
  return sum;
}

// Returns the total variation between messages and pure ones.
double impurity(const Shuffled& m) {
  return m.delta == 0 ? 0 : m.delta * (1 + 4 * (m.clients - 1) * std::exp(-m.epsilon));
}

// Probabilities of the two messages of the pair, w and 1 - w, both to full precision.
struct Response {
  double likelier, other;
};
Response response_of(const Shuffled& m) {
  const double odds = std::exp(-m.epsilon);
  return {1 / (1 + odds), odds / (1 + odds)};
}

// Adds the atoms of c clones, which have probability `weight`. The first count is j with
// probability 2 Bin(j; c + 1, 1/2) (w j + (1-w) (c+1-j)) / (c+1). Returns a bound on the mass of
// counts beyond 9.4 standard deviations, which are left out (Hoeffding).
double add_atoms(double c, double weight, const Response& w, std::vector<LossAtom>& atoms) {
  constexpr double reach = 9.4;
  constexpr double beyond = 4 * 6.6e-20;
  const double n = c + 1;
  const double spread = reach * std::sqrt(n) / 2;
  const double first = std::max(0.0, std::floor(n / 2 - spread));
  const double last = std::min(n, std::ceil(n / 2 + spread));
  double fair = boost::math::pdf(Binomial(n, 0.5), first);
  for (double j = first; j <= last; ++j) {
    const double p = w.likelier * j + w.other * (n - j);
    const double q = w.other * j + w.likelier * (n - j);
    atoms.push_back({std::log(p / q), weight * 2 * fair * p / n});
    fair *= (n - j) / (j + 1);
  }
  return beyond * weight;
}

// Returns the pair, with the least number of clones in place of all numbers of a block, or the
// largest.
LossAtoms pair_of(const Clones& clones, const Shuffled& m, bool least) {
  const std::size_t width = (clones.mass.size() + most_blocks - 1) / most_blocks;
  std::vector<LossAtom> atoms;
  double infinite = 2 * clone_tail;
  for (std::size_t first = 0; first < clones.mass.size(); first += width) {
    const std::size_t end = std::min(first + width, clones.mass.size());
    double weight = 0;
    for (std::size_t i = first; i < end; ++i) weight += clones.mass[i];
    const double c = clones.least + static_cast<double>(least ? first : end - 1);
    infinite += add_atoms(c, weight, response_of(m), atoms);
    if (atoms.size() > most_atoms)
      throw std::invalid_argument("clients = " + shown(m.clients) +
                                  ": too many for several rounds of shuffled messages");
  }
  return LossAtoms(std::move(atoms), infinite);
}

Result epsilon_of(const Shuffled& m, double rounds, double delta, const Effort& effort) {
  const Clones clones = clones_of(m);
  Result found = pld_epsilon({{pair_of(clones, m, true), rounds, 0}}, delta, effort);
  if (clones.mass.size() > most_blocks)
    found.lower = pld_epsilon({{pair_of(clones, m, false), rounds, 0}}, delta, effort).lower;
  return found;
}

}  // namespace

double shuffled_delta(const Shuffled& m, double epsilon) {
  check_messages(m);
  validate_epsilon(epsilon);
  return std::min(1.0,
                  pure_delta(clones_of(m), m, epsilon) + (1 + std::exp(epsilon)) * impurity(m));
}

double shuffled_epsilon(const Shuffled& m, double delta) {
  check_messages(m);
  validate_delta(delta);
  if (delta == 0) return m.delta == 0 ? m.epsilon : inf;
  const Clones clones = clones_of(m);
  const auto excess = [&](double epsilon) {
    const double found = pure_delta(clones, m, epsilon) + (1 + std::exp(epsilon)) * impurity(m);
    return std::log(std::max(found, 1e-300) / delta);
  };
  if (excess(m.epsilon) > 0) return inf;
  return falling_root(excess, m.epsilon, m.epsilon, 1e-10).high;
}

Result shuffled_epsilon(const Shuffled& m, double rounds, double delta, const Effort& effort) {
  check_messages(m);
  validate_delta(delta);
  const double away = rounds * impurity(m);
  Result found;
  // delta of pure messages with room for (1 + e^epsilon) of `away`; epsilon follows from it.
  double epsilon = 0;
  for (int i = 0; i < 60; ++i) {
    const double left = delta - (1 + std::exp(epsilon)) * away;
    if (!(left > 0)) {
      found = {};
      found.value = found.upper = inf;
      found.status = Status::unbounded;
      return found;
    }
    found = epsilon_of(m, rounds, left, effort);
    if (away == 0 || found.value <= epsilon) break;
    epsilon = found.value * (1 + 1e-6);
  }
  return found;
}

double shuffled_message_epsilon(double clients, double rounds, double epsilon, double delta) {
  constexpr double most = 100;
  // Rounding of the search must not carry the result above epsilon.
  const double goal = epsilon * (1 - 1e-9);
  const auto slack = [&](double one) {
    const Shuffled m{clients, one};
    if (rounds == 1) return std::log(delta / std::max(shuffled_delta(m, goal), 1e-300));
    return goal - shuffled_epsilon(m, rounds, delta).value;
  };
  double low = goal / rounds;
  double at_low = slack(low);
  if (at_low <= 0) return low;
  double high = low;
  double at_high = at_low;
  while (at_high > 0) {
    if (high >= most) return most;
    low = high;
    at_low = at_high;
    high = std::min(2 * high, most);
    at_high = slack(high);
  }
  return narrow(slack, {low, high}, at_low, at_high, 1e-6, 60).low;
}

Result messages_epsilon(const LocalPair& pair, double clients, double rounds, double delta) {
  Result found;
  found.method = "trinomial";
  found.value = found.lower = found.upper = LocalComposition(pair, rounds).epsilon(delta);
  if (clients > 1) {
    Result shuffled;
    if (rounds > 1) {
      shuffled = shuffled_epsilon({clients, pair.epsilon}, rounds, delta);
    } else {
      shuffled.method = "clones";
      shuffled.value = shuffled.lower = shuffled.upper =
          shuffled_epsilon({clients, pair.epsilon}, delta);
    }
    if (shuffled.value < found.value) found = shuffled;
  }
  if (found.value > meaningless_above) found.status = Status::no_meaningful_privacy;
  return found;
}

}  // namespace trilemma::accounting
