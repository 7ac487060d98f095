#include "audit/verdict.hpp"

namespace trilemma {

std::string verdict_sentence(const AuditPlan& a, const AuditResult& r) {
  const double claimed = a.account.epsilon.value;
  if (r.epsilon_decisive > claimed)
    return fmt::format(
        "claim fails: epsilon is at least {:.4g} with confidence 1 - {:g} (by {}), claimed is {:.6g} "
        "at delta {:g}",
        r.epsilon_decisive, refutation_level, r.decisive, claimed, a.delta);
  if (r.influence.exceeds())
    return fmt::format(
        "claim fails: the {} moved what is released by {:.6g}, the sensitivity accounted is {:.6g}",
        a.unit(), r.influence.observed, r.influence.declared);
  if (r.epsilon == 0)
    return fmt::format(
        "claim not refuted: this attack is too weak to say anything about epsilon {:.6g} at delta "
        "{:g}; try more --runs, or a larger privacy.delta",
        claimed, a.delta);
  return fmt::format(
      "claim not refuted: epsilon {:.6g} at delta {:g} stands against this attack; an audit never "
      "proves privacy",
      claimed, a.delta);
}

const char* nominal_verdict(const AuditPlan& a, const AuditResult& r) {
  if (!a.nominal) return "none";
  if (r.epsilon_decisive > *a.nominal) return "refuted";
  return r.epsilon > *a.nominal ? "in doubt" : "not refuted";
}

std::string nominal_sentence(const AuditPlan& a, const AuditResult& r, double confidence) {
  if (!a.nominal) return "";
  const std::string at = fmt::format("at delta {:g}{}", a.delta,
                                     a.is_denser ? ", where every coordinate is sent" : "");
  if (r.epsilon_decisive > *a.nominal)
    return fmt::format(
        "the nominal epsilon {:g} is refuted: epsilon is at least {:.4g} with confidence 1 - {:g} "
        "(by {}) {}",
        *a.nominal, r.epsilon_decisive, refutation_level, r.decisive, at);
  if (r.epsilon > *a.nominal)
    return fmt::format(
        "the nominal epsilon {:g} is in doubt: epsilon is at least {:.4g} with confidence {:g} {}, "
        "at least {:.4g} with 1 - {:g}; more --runs may decide",
        *a.nominal, r.epsilon, confidence, at, r.epsilon_decisive, refutation_level);
  return fmt::format(
      "the nominal epsilon {:g} is not refuted: epsilon is at least {:.4g} with confidence {:g} {}",
      *a.nominal, r.epsilon, confidence, at);
}

}  // namespace trilemma
