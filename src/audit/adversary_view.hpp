#pragma once
// What the adversary of a claim sees of one federation.

#include "audit/audit_plan.hpp"
#include "audit/message_reader.hpp"
#include "compress/rotation.hpp"
#include "federation/round.hpp"

namespace trilemma {

/// Of a sum or mean: what the adversary sees, without what it knows of the others; or, for a
/// measurement, without all that the others contribute.
enum class Sight { adversary, own };

/// Collects from every round what is released, projected on the direction of the canary at each of
/// `places`: of a message, the place's client's; of the sum or mean (one place), with what is known
/// of the others taken out. NaN where the adversary knows that the place shows nothing: its client
/// is away, or the coordinate is left out.
class AdversaryView final : public UplinkTap {
 public:
  /// Who is drawn in a round, whether there or not; pure functions, like every schedule.
  struct Draws {
    Schedule& schedule;
    const Secret* secret;
  };
  /// `run` is the plan of the federation that is looked at. All must outlive this.
  AdversaryView(const AuditPlan& audit, const Plan& run, const Draws& draws,
                std::span<const Canary> places, Sight sight);

  void messages(std::uint32_t round, Coordinates participants, const Packets& all) override;
  void mean(std::uint32_t round, std::span<const double> perturbed) override;
  /// By round and place.
  const std::vector<double>& seen() const { return seen_; }

 private:
  std::span<const double> released(const Packets& all, std::size_t at);
  void read_messages(const Packets& all);
  double sum(const Packets& all);
  double others(const Packets& all);
  double project(std::span<const double> vector, std::size_t at) const;
  void turn_direction();
  bool is_drawn(std::uint32_t client);

  const AuditPlan& audit_;
  Draws draws_;
  std::span<const Canary> places_;
  Sight sight_;
  StateShape shape_;
  MessageReader reader_;
  std::uint32_t round_ = 0;   ///< that is looked at
  Coordinates participants_;  ///< of it
  std::vector<std::uint32_t> drawn_;
  std::optional<Rotation> rotation_;  ///< of the clients' vectors
  Vector turned_;                     ///< the canary's direction behind it
  Vector direction_;                  ///< the same where it is sent, of length 1
  double known_ = 0;                  ///< what the others contribute to its mean
  std::vector<double> seen_;
};

}  // namespace trilemma
