#include "experiment/disclosures.hpp"

#include "claim/theorems.hpp"
#include "exchange/automatic.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {
namespace {

// Returns whether the claim relies on draws of participants that the adversary does not see. If no
// theorem covers the plan, this is unknown and assumed.
bool hides_participants(const Plan& plan) {
  if (!plan.protects_clients() || !can_be_secret(plan.schedule->draw())) return false;
  const Theorem& theorem = theorem_for(claim_case(plan));
  return theorem.refusal != nullptr || theorem.counting == Counting::hidden;
}

// Returns whether every message has its own noise, which the claim counts in full. Noise that
// covers only a sum does not protect the size of a message.
bool noise_covers_messages(const Plan& plan) {
  const bool of_sum =
      plan.protects_clients() && plan.privacy.view == Adversary::aggregate && noise_is_shared(plan);
  return plan.method.noise && !plan.privacy.at_server && plan.privacy.sigma != 0.0 && !of_sum;
}

// Returns whether the losses of the clients' own models over their training records are recorded.
bool records_own_losses(const Plan& plan) {
  return plan.method.steps.has_model_of_each() && (plan.held_out > 0 || plan.source->has_users());
}

// Describes the recorded values of a provenance; nullptr if the plan records none or only NaN.
const char* words(const Plan& plan, Provenance what) {
  const auto given = [](bool is_recorded, const char* text) {
    return is_recorded ? text : nullptr;
  };
  switch (what) {
    case Provenance::released:
      return nullptr;
    case Provenance::objective:
      return given(plan.evaluation.objective,
                   records_own_losses(plan) ? "objective and gradient norm over all records, and "
                                              "training losses of the clients' own models"
                                            : "objective and gradient norm over all records");
    case Provenance::client_scores:
      return given(plan.held_out > 0 || plan.source->has_users(),
                   "scores on records of the clients");
    case Provenance::test_scores:
      return given(plan.test_share > 0, "scores on records drawn for tests");
    case Provenance::drawn_records:
      return given(plan.uses_batch, "numbers of drawn records");
    case Provenance::participant_numbers:
      return "numbers of participants";
    case Provenance::message_sizes:
      return "sizes of messages";
    case Provenance::message_values:
      // The ranks of a run decide; auto sends no sums under privacy.strict.
      return given(plan.uplink == automatic ? !plan.privacy.strict
                                            : row(uplinks(), plan.uplink).make.sums_on_ranks,
                   "traffic of sums, which depends on what is summed");
    case Provenance::participants:
      return "traffic by place, which reveals the participants";
    case Provenance::updates:
      return "norms of record gradients, of updates, of their mean and of its noise, distances "
             "of local models, and the numbers of gradients and updates that exceeded their bound "
             "or were not finite";
    case Provenance::own_models:
      return given(plan.clock && keeps_own_models(plan),
                   "distances of the clients' models to the server's");
    case Provenance::labels:
      return "labels by client";
    case Provenance::incomplete_records:
      return given(plan.source->preprocessing().missing == MissingValues::drop,
                   "number of incomplete records");
    case Provenance::checksums:
      return "checksums of the data and of the partition";
    case Provenance::environment:
      return plan.timing ? "times of phases and peak memory" : "times and peak memory";
  }
  return nullptr;
}

constexpr Provenance in_order[] = {Provenance::objective,
                                   Provenance::client_scores,
                                   Provenance::test_scores,
                                   Provenance::drawn_records,
                                   Provenance::participant_numbers,
                                   Provenance::message_sizes,
                                   Provenance::message_values,
                                   Provenance::participants,
                                   Provenance::updates,
                                   Provenance::own_models,
                                   Provenance::labels,
                                   Provenance::incomplete_records,
                                   Provenance::checksums,
                                   Provenance::environment};
// All provenances except `released`.
static_assert(std::size(in_order) == static_cast<std::size_t>(last_provenance));

}  // namespace

bool has_private_tests(const Plan& plan) {
  return plan.held_out > 0 || plan.test_share > 0 || plan.source->has_users();
}

bool is_covered(const Plan& plan, Provenance what) {
  switch (what) {
    case Provenance::released:
      return plan.privacy.view != Adversary::output;
    case Provenance::test_scores:
      return !has_private_tests(plan);
    case Provenance::message_sizes:
      return plan.compressor->layout().is_equal() || noise_covers_messages(plan);
    case Provenance::message_values:
      return noise_covers_messages(plan);
    case Provenance::participant_numbers:
      return plan.schedule->draw() == Draw::fixed_size || !hides_participants(plan);
    case Provenance::participants:
      return !hides_participants(plan);
    case Provenance::environment:
    case Provenance::objective:
    case Provenance::client_scores:
    case Provenance::drawn_records:
    case Provenance::updates:
    case Provenance::own_models:
    case Provenance::labels:
    case Provenance::incomplete_records:
    case Provenance::checksums:
      return false;
  }
  return false;
}

Provenances withheld(const Plan& plan) {
  Provenances found = Provenances::none();
  if (!plan.privacy.strict) return found;
  for (const Provenance what : in_order)
    if (!is_covered(plan, what)) found.add(what);
  return found;
}

std::vector<std::string> disclosures(const Plan& plan) {
  std::vector<std::string> found;
  if (plan.privacy.strict) return found;
  if (plan.privacy.view == Adversary::output)
    found.emplace_back(
        "all columns of /rounds before the last row, which are of models that are "
        "not released");
  for (const Provenance what : in_order)
    if (const char* text = words(plan, what); text != nullptr && !is_covered(plan, what))
      found.emplace_back(text);
  return found;
}

}  // namespace trilemma
