#include <cmath>

#include "base/text.hpp"
#include "claim/claim.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma {
namespace {

using accounting::Relation;

std::string neighbours(const PrivacyRecord& r) {
  if (r.relation == accounting::name(Relation::add_remove)) return "added or removed";
  return r.relation == accounting::name(Relation::zero_out) ? "set to zero" : "replaced";
}

std::string adversary(const PrivacyRecord& r) {
  if (r.view == name(Adversary::server)) return "sees every message";
  if (r.view == name(Adversary::others))
    return "sees all but its own model, if the server is trusted";
  if (r.view == name(Adversary::output))
    return "sees the last model only, if the server is trusted";
  if (r.view == name(Adversary::shuffled))
    return "sees every message but not its sender, if the shuffler is trusted";
  if (r.aggregation == secure_aggregation)
    return "sees sums of messages by secure aggregation, the server included";
  if (r.aggregation == counted_aggregation)
    return "sees sums of messages by a secure aggregation of which this run only counts the bits";
  return r.noise_place == name(Place::server) || r.aggregation == trusted_decoding
             ? "sees the models, if the server is trusted"
             : "sees sums of all clients' messages only";
}

// Lists disclosures other than messages, which the theorems do not cover.
std::string exceptions(const ClaimInputs& f) {
  std::vector<std::string> found;
  if (looks_at_all_records(f.preprocessing.scaling)) found.emplace_back("feature scaling");
  if (looks_at_all_records(f.preprocessing.missing))
    found.emplace_back("means in place of missing values");
  if (f.preprocessing.has_word_features) found.emplace_back("features for the words that occur");
  if (f.preprocessing.chooses_users) found.emplace_back("the choice of users by their records");
  if (f.numbers_labels) found.emplace_back("the numbers of the labels that occur");
  if (f.partitioned_by_label) found.emplace_back("partitioning by label");
  if (f.smoothness_from_records) found.emplace_back("the smoothness constant");
  if (!f.start_file.empty()) found.emplace_back("the data behind the start model");
  if (f.graph_is_from_file) found.emplace_back("the data behind the graph");
  if (!f.own_model_file.empty())
    found.push_back(
        fmt::format("whatever {} does with records other than compute the gradient of each from it "
                    "alone",
                    f.own_model_file));
  if (f.scores_drawn_tests) found.emplace_back("the records drawn for tests (not protected)");
  if (!f.metrics.empty()) found.emplace_back("the recorded metrics");
  if (found.empty()) return "";
  std::string text = found.front();
  for (std::size_t i = 1; i < found.size(); ++i)
    text += (i + 1 == found.size() ? " and " : ", ") + found[i];
  return text;
}

// States what secure aggregation assumes.
std::string assumptions(const SecureTerms& terms) {
  return fmt::format(
      ", if the server follows the protocol, at most {} of the clients work with it and at most {} "
      "drop out of a round",
      terms.corrupt, terms.dropouts);
}

// Describes the result of the accountant; empty if nothing was accounted.
std::string accounted_words(const PrivacyRecord& r, const ClaimInputs& f) {
  if (std::isnan(r.epsilon)) return "";
  const std::string but = exceptions(f);
  const std::string over =
      f.contacts ? ", over " + contacts_in_words(*f.contacts, f.messages_wait) : "";
  return loss_in_words(r) + (f.secure ? assumptions(*f.secure) : "") + over +
         (but.empty() ? "" : ", except for " + but);
}

}  // namespace

std::string terms_in_words(const PrivacyRecord& r) {
  return fmt::format("one {} {}, against whoever {}",
                     r.unit == name(Unit::client) ? "client" : "record of a client", neighbours(r),
                     adversary(r));
}

std::string loss_in_words(const PrivacyRecord& r) {
  return fmt::format("({}, {:g})-DP for {}", rounded_up(r.epsilon), r.delta, terms_in_words(r));
}

std::string contacts_in_words(double contacts, bool messages_wait) {
  return fmt::format(
      "the {} contacts of the client with the most contacts (settings and seed determine all "
      "contacts{})",
      contacts,
      messages_wait ? "; a message sent but not used by the last server step is not counted" : "");
}

std::string remarks_in_words(const PrivacyRecord& r) {
  std::string text;
  if (r.epsilon > 50) text += "; an epsilon above 50 is not meaningful privacy";
  if (const double width = bounds_width(r); width > accounting::loose_above)
    text += fmt::format("; the accountant's bounds on epsilon are {:.2g} % apart", 100 * width);
  if (r.delta_times_units >= 0.1)
    text += fmt::format("; delta should be well below 1/{} = {:.3g}",
                        r.unit == name(Unit::client)           ? 'n'
                        : r.noise_place == name(Place::server) ? 'N'
                                                               : 'm',
                        r.delta / r.delta_times_units);
  if (r.rng != name(Generator::secret)) text += "; noise from a generator for simulation only";
  return text;
}

std::string sentence_of(DpClaim claim, const PrivacyRecord& r, const ClaimInputs& f) {
  const std::string found = accounted_words(r, f);
  std::string text;
  switch (claim) {
    case DpClaim::nothing_released: {
      const std::string but = exceptions(f);
      text = "holds: neither messages nor models leave a client, so there is nothing to account" +
             (but.empty() ? std::string() : "; outside the claim: " + but);
      break;
    }
    case DpClaim::none:
      text = "not a private run: " + r.reason +
             (found.empty() ? ""
              : r.float_dp != broken_in_floats
                  ? "; the accountant can guarantee " + found
                  : "; with ideal noise the accountant would find " + found);
      break;
    case DpClaim::accounted:
      text = "holds: " + found + remarks_in_words(r);
      break;
    case DpClaim::paper_nominal_only:
      text = fmt::format(
                 "nominal only: the paper's closed form says epsilon = {:g}, the accountant {}",
                 r.calibration_epsilon, found) +
             remarks_in_words(r);
      break;
  }
  if (f.finetunes)
    text +=
        "; finetuning is post-processing on a client's own data, for itself alone, and costs "
        "nothing";
  return text;
}

}  // namespace trilemma
