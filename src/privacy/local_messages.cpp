#include "privacy/local_messages.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace trilemma {
namespace {

LocalMessages with_bits(const LocalTask& task, unsigned bits) {
  const double epsilon = accounting::message_epsilon(
      [bits](double one) { return sqkr_pair(one, bits); }, task.rounds, task.epsilon, task.delta);
  return {.kind = LocalKind::sqkr,
          .pair = sqkr_pair(epsilon, bits),
          .error = sqkr_error(task.dimension, {task.norm, epsilon, bits}),
          .bits = bits};
}

// The error falls with the number of bits up to the best one, and rises from there on.
LocalMessages with_best_bits(const LocalTask& task) {
  const auto most = static_cast<unsigned>(
      std::min<std::size_t>(static_cast<std::size_t>(task.bits), task.dimension));
  LocalMessages best = with_bits(task, 1);
  for (unsigned bits = 2; bits <= most; ++bits) {
    const LocalMessages next = with_bits(task, bits);
    if (next.error > best.error) break;
    best = next;
  }
  return best;
}

LocalMessages with_best_cap(const LocalTask& task) {
  require(task.dimension >= 2,
          "joint.kind = \"privunit\": a vector of one coordinate has no cap of directions; choose "
          "sqkr");
  const auto dimension = static_cast<double>(task.dimension);
  const double epsilon = accounting::message_epsilon(
      [&](double one) { return accounting::cap_pair(accounting::best_cap(dimension, one)); },
      task.rounds, task.epsilon, task.delta);
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
        sqkr_(dimension, {norm, messages.pair.epsilon, messages.bits}),
        signs_(messages.bits) {}

 private:
  void encode(ConstView u, const Key& key, View out) override {
    Key mask = key;
    mask.purpose = Purpose::mask;
    mask.secret = nullptr;
    sqkr_.coordinates(mask, at_);
    sqkr_.encode(u, at_, key, signs_);
    std::fill(out.begin(), out.end(), real{0});
    std::copy(signs_.begin(), signs_.end(), out.begin());
  }

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
  return task.kind == LocalKind::sqkr ? with_best_bits(task) : with_best_cap(task);
}

std::string in_words(const LocalMessages& m) {
  if (m.kind == LocalKind::sqkr)
    return fmt::format("sqkr, epsilon = {:.9g} in each message of {} bits", m.pair.epsilon, m.bits);
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
