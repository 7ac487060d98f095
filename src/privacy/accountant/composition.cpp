#include "privacy/accountant/composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {
namespace {

[[noreturn]] void refuse(const std::string& field, double found, const std::string& wanted) {
  throw std::invalid_argument(field + " = " + shown(found) + ": must be " + wanted);
}

void validate(const Component& c) {
  if (!(c.rate >= 0 && c.rate <= 1)) refuse("rate", c.rate, "a number from 0 to 1");
  if (!(c.sigma > 0) || std::isinf(c.sigma)) refuse("sigma", c.sigma, "a finite number above 0");
  if (!(c.steps >= 0 && c.steps <= 1e15) || c.steps != std::floor(c.steps))
    refuse("steps", c.steps, "a whole number from 0 to 1e15");
  if (!(c.range >= 1) || std::isinf(c.range))
    refuse("range", c.range, "a finite number, 1 or more");
  if (c.range > 1 && c.sampling != Sampling::poisson)
    refuse("range", c.range, "1 unless coordinates are drawn by their own coins");
  if (c.sampling == Sampling::none && c.rate != 1 && c.rate != 0)
    refuse("rate", c.rate, "1 without sampling; choose a sampling, or leave the rate out");
}

}  // namespace

const char* name(Relation relation) {
  switch (relation) {
    case Relation::add_remove:
      return "add_remove";
    case Relation::zero_out:
      return "zero_out";
    case Relation::replace_one:
      return "replace_one";
  }
  return "";
}

const char* name(Sampling sampling) {
  switch (sampling) {
    case Sampling::none:
      return "none";
    case Sampling::poisson:
      return "poisson";
    case Sampling::fixed_wor:
      return "fixed_wor";
    case Sampling::revealed:
      return "revealed";
  }
  return "";
}

const char* name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unbounded:
      return "unbounded";
    case Status::precision:
      return "precision";
    case Status::not_converged:
      return "not_converged";
    case Status::no_meaningful_privacy:
      return "no_meaningful_privacy";
  }
  return "";
}

void validate(const Composition& composition) {
  bool fixed = false;
  bool poisson = false;
  int revealed = 0;
  for (const auto& c : composition.components) {
    validate(c);
    revealed += c.sampling == Sampling::revealed && c.rate < 1 ? 1 : 0;
    fixed = fixed || c.sampling == Sampling::fixed_wor;
    poisson = poisson || (c.sampling == Sampling::poisson && c.rate < 1);
  }
  if (fixed && composition.relation != Relation::replace_one)
    throw UnsupportedClaim(
        std::string("no theorem covers draws of a fixed size (fixed_wor) under the relation ") +
        name(composition.relation) + "; use replace_one, or poisson sampling");
  if (revealed > 1 || (revealed == 1 && (fixed || poisson)))
    throw UnsupportedClaim(
        "revealed sampling is accounted together with releases without sampling only; "
        "account the others apart and add the epsilons and deltas");
}

void validate_delta(double delta) {
  if (!(delta >= 0 && delta < 1)) refuse("delta", delta, "a number from 0 to below 1");
}

void validate_epsilon(double epsilon) {
  if (!(epsilon >= 0) || std::isinf(epsilon))
    refuse("epsilon", epsilon, "a finite number, 0 or more");
}

Composition without_idle(const Composition& composition) {
  Composition busy{composition.relation, {}};
  for (const auto& c : composition.components)
    if (c.rate > 0 && c.steps > 0) busy.components.push_back(c);
  return busy;
}

bool has_range(const Composition& composition) {
  return std::ranges::any_of(composition.components,
                             [](const Component& c) { return c.range > 1; });
}

std::string in_words(Relation relation) {
  return relation == Relation::add_remove ? "one unit is added or removed"
         : relation == Relation::zero_out ? "one unit's contribution is set to zero"
                                          : "one unit is replaced by another";
}

std::string in_words(const Composition& composition) {
  std::string releases;
  for (const auto& c : composition.components) {
    if (!releases.empty()) releases += ", and ";
    releases += shown(c.steps) + (c.steps == 1 ? " release" : " releases") + " with noise of " +
                shown(c.sigma) + " norm bounds";
    if (c.sampling == Sampling::poisson)
      releases += ", each unit drawn by its own coin with probability " + shown(c.rate);
    if (c.sampling == Sampling::revealed)
      releases += ", each unit drawn with probability " + shown(c.rate) + ", who is known";
    if (c.sampling == Sampling::fixed_wor)
      releases += ", a fixed share " + shown(c.rate) + " of the units drawn without replacement";
  }
  return releases.empty() ? "no release" : releases;
}

std::string sentence(const Composition& composition) {
  return "holds when " + in_words(composition.relation) +
         ", against an observer of everything released: " + in_words(composition);
}

std::string shown(double value) {
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

}  // namespace trilemma::accounting
