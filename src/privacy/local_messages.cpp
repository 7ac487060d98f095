#include "privacy/local_messages.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "privacy/accountant/shuffling.hpp"

namespace trilemma {
namespace {

// Returns the largest epsilon of a message with this pair. `hidden` is the one that shuffling
// allows.
double epsilon_of(const LocalTask& task, double hidden,
                  const std::function<accounting::LocalPair(double)>& pair) {
  return std::max(hidden, accounting::message_epsilon(pair, task.rounds, task.epsilon, task.delta));
}

LocalMessages with_bits(const LocalTask& task, double hidden, unsigned bits) {
  const double epsilon =
      epsilon_of(task, hidden, [bits](double one) { return sqkr_pair(one, bits); });
  return {.kind = LocalKind::sqkr,
          .pair = sqkr_pair(epsilon, bits),
          .error = sqkr_error(task.dimension, {task.norm, epsilon, bits}),
          .bits = bits,
          .own_coins = task.shuffled > 1};
}

// The error falls with the number of bits up to the best one, and rises from there on.
LocalMessages with_best_bits(const LocalTask& task, double hidden) {
  // Coordinates are released as numbers, which a float holds up to 2^24.
  require(
      task.shuffled <= 1 || sqkr_frame(task.dimension) <= 1U << 24U,
      "joint.kind = \"sqkr\": shuffled messages are about at most 2^23 coordinates; choose a smaller "
      "model, or privunit");
  const auto most = static_cast<unsigned>(
      std::min<std::size_t>(static_cast<std::size_t>(task.bits), task.dimension));
  LocalMessages best = with_bits(task, hidden, 1);
  for (unsigned bits = 2; bits <= most; ++bits) {
    const LocalMessages next = with_bits(task, hidden, bits);
    if (next.error > best.error) break;
    best = next;
  }
  return best;
}

LocalMessages with_best_cap(const LocalTask& task, double hidden) {
  require(task.dimension >= 2,
          "joint.kind = \"privunit\": a vector of one coordinate has no cap of directions; choose "
          "sqkr");
  const auto dimension = static_cast<double>(task.dimension);
  const double epsilon = epsilon_of(task, hidden, [&](double one) {
    return accounting::cap_pair(accounting::best_cap(dimension, one));
  });
  const accounting::Cap cap = accounting::best_cap(dimension, epsilon);
  return {.kind = LocalKind::privunit,
          .pair = accounting::cap_pair(cap),
          .error = PrivUnit(task.dimension, task.norm, cap).error(),
          .cap = cap};
}

// Has one message at a time: whole vectors, in any order.
class LocalMechanism : public Mechanism {
 public:
  LocalMechanism(const LocalMessages& messages, std::size_t dimension)
      : messages_(messages), dimension_(dimension) {}
  std::string description() const final { return in_words(messages_); }
  double sigma() const final {
    return std::sqrt(messages_.error / static_cast<double>(dimension_));
  }

 private:
  void perturb(ConstView u, Support at, const Key& key, View out, double factor) final {
    expect(at.is_all() && factor == 1, "messages are made of whole vectors");
    encode(u, key, out);
  }
  virtual void encode(ConstView u, const Key& key, View out) = 0;

  LocalMessages messages_;
  std::size_t dimension_;
};

class SqkrMechanism final : public LocalMechanism {
 public:
  SqkrMechanism(const LocalMessages& messages, std::size_t dimension, double norm)
      : LocalMechanism(messages, dimension),
        own_coins_(messages.own_coins),
        sqkr_(dimension, {norm, messages.pair.epsilon, messages.bits}),
        signs_(messages.bits) {}

 private:
  void encode(ConstView u, const Key& key, View out) override {
    Key mask = key;
    mask.purpose = Purpose::mask;
    if (!own_coins_) mask.secret = nullptr;
    sqkr_.coordinates(mask, at_);
    sqkr_.encode(u, at_, key, signs_);
    std::fill(out.begin(), out.end(), real{0});
    for (std::size_t l = 0; l < signs_.size(); ++l)
      out[l] =
          static_cast<real>(signs_[l]) * (own_coins_ ? static_cast<real>(at_[l] + 1) : real{1});
  }

  bool own_coins_;
  Sqkr sqkr_;
  std::vector<std::uint32_t> at_;
  std::vector<std::int32_t> signs_;
};

class PrivUnitMechanism final : public LocalMechanism {
 public:
  PrivUnitMechanism(const LocalMessages& messages, std::size_t dimension, double norm)
      : LocalMechanism(messages, dimension), priv_unit_(dimension, norm, messages.cap) {}

 private:
  void encode(ConstView u, const Key& key, View out) override { priv_unit_.encode(u, key, out); }

  PrivUnit priv_unit_;
};

}  // namespace

LocalMessages local_messages(const LocalTask& task) {
  const double hidden = task.shuffled > 1
                            ? accounting::shuffled_message_epsilon(task.shuffled, task.rounds,
                                                                   task.epsilon, task.delta)
                            : 0;
  return task.kind == LocalKind::sqkr ? with_best_bits(task, hidden) : with_best_cap(task, hidden);
}

std::string in_words(const LocalMessages& m) {
  if (m.kind == LocalKind::sqkr)
    return fmt::format("sqkr, epsilon = {:.9g} in each message of {} bits{}", m.pair.epsilon,
                       m.bits, m.own_coins ? " and their coordinates" : "");
  return fmt::format("privunit, epsilon = {:.9g} in each message, cap from {:.9g} on",
                     m.pair.epsilon, m.cap.height);
}

std::unique_ptr<Mechanism> make_local_mechanism(const LocalMessages& messages,
                                                std::size_t dimension, double norm) {
  if (messages.kind == LocalKind::sqkr)
    return std::make_unique<SqkrMechanism>(messages, dimension, norm);
  return std::make_unique<PrivUnitMechanism>(messages, dimension, norm);
}

}  // namespace trilemma
