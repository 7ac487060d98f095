#pragma once
// Observations of the adversary of a claim in one federation.

#include "audit/audit_plan.hpp"
#include "audit/message_reader.hpp"
#include "audit/node_reader.hpp"
#include "federation/round.hpp"
#include "numeric/rotation.hpp"

namespace trilemma {

/// For a sum or mean: the adversary's observation minus the known contributions of the others, or,
/// for a measurement, minus all contributions of the others.
enum class Sight { adversary, own };

/// Records from every round what is released, projected on the direction of the canary at each of
/// `places`: for messages, the message of the place's client; for the sum or mean (one place), with
/// the known contributions of the others subtracted; for nodes, the gradient that the place's node
/// releases by its messages. From shuffled messages, or a mean of parts that clients draw in
/// secret, it records the log-likelihood ratio of the round. NaN if the adversary knows that the
/// place shows nothing: its client is absent, or the coordinate is not sent.
class AdversaryView final : public UplinkTap {
 public:
  /// The clients drawn in a round, including an absent one; pure functions, like every schedule.
  struct Draws {
    Schedule& schedule;
    const Secret* secret;
  };
  /// `run` is the plan of the observed federation. All arguments must outlive this object.
  AdversaryView(const AuditPlan& audit, const Plan& run, const Draws& draws,
                std::span<const Canary> places, Sight sight);

  void messages(std::uint32_t round, Coordinates participants, const Packets& all) override;
  void mean(std::uint32_t round, std::span<const double> perturbed) override;
  /// Returns the observations by round and place.
  const std::vector<double>& seen() const { return seen_; }

 private:
  std::span<const double> released(const Packets& all, std::size_t at);
  void read_messages(const Packets& all);
  double sum(const Packets& all);
  double multiset(const Packets& all);
  void read_others(const Packets& all);
  double parts_of(std::span<const double> perturbed);
  double project(std::span<const double> vector, std::size_t at) const;
  bool is_turned() const;
  void turn_direction();
  bool is_drawn(std::uint32_t client);

  const AuditPlan& audit_;
  Draws draws_;
  std::span<const Canary> places_;
  Sight sight_;
  StateShape shape_;
  std::uint64_t seed_;  ///< of the federation
  MessageReader reader_;
  WordSum words_;                    ///< how the server reads a sum
  std::optional<NodeReader> nodes_;  ///< of a decentralised method
  std::uint32_t round_ = 0;          ///< current round
  Coordinates participants_;         ///< participants of the current round
  std::vector<std::uint32_t> drawn_;
  std::optional<Rotation> rotation_;  ///< rotation of the clients' vectors
  Vector turned_;                     ///< the canary's direction after the rotation, or its scalars
  Vector direction_;                  ///< its coordinates that are sent, normalised to length 1
  std::vector<double> known_;         ///< contribution of the others to the mean
  std::vector<double> left_;          ///< the mean without it
  std::vector<double> seen_;
};

}  // namespace trilemma
