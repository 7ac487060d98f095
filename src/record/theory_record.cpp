#include "record/theory_record.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {
namespace {

constexpr BoundStatus all_bounds[] = {BoundStatus::holds,
                                      BoundStatus::no_smoothness,
                                      BoundStatus::no_suboptimality,
                                      BoundStatus::step_too_large,
                                      BoundStatus::other_bound,
                                      BoundStatus::other_sampling,
                                      BoundStatus::other_shift_step,
                                      BoundStatus::compressed_down};

Field<TheoryRecord> bound_status_field() {
  auto field = computed(
      "theory_status", "1",
      "`holds`, or why the theorem states no bound: `no_smoothness`, `no_suboptimality`, "
      "`step_too_large`, `other_bound`, `other_sampling`, `other_shift_step`, `compressed_down`",
      Compared::exactly, +[](const TheoryRecord& r) { return std::string(name(r.status)); });
  field.set = [](TheoryRecord& r, FieldValue value) {
    const auto status = bound_status_named(std::get<std::string>(value));
    if (status) r.status = *status;
  };
  return field;
}

const Fields<TheoryRecord> theory_table = {
    bound_status_field(),
    field("theory_bound", &TheoryRecord::bound, "1",
          "the theorem's bound on the mean over the rounds of the expected squared gradient norm, "
          "for the noise of the run and gradients of norm at most `theory_threshold`"),
    field("theory_smoothness", &TheoryRecord::smoothness, "1", "L, `server.smoothness`"),
    field("theory_suboptimality", &TheoryRecord::suboptimality, "1",
          "bound on f(x^0) - min f, `server.suboptimality`"),
    field("theory_threshold", &TheoryRecord::threshold, "1",
          "G, norm bound of a record's gradient"),
    field("theory_beta", &TheoryRecord::beta, "1", "beta of the corollary"),
    field("theory_rate", &TheoryRecord::rate, "1", "eta, `server.rate`"),
    field("theory_largest_rate", &TheoryRecord::largest_rate, "1",
          "largest eta that the theorem allows for this beta"),
};

// Returns whether a gradient has the largest norm that the bound leaves, up to rounding.
bool is_shortened(const TheoryRecord& r, double largest_norm) {
  constexpr double rounding = 1e-6;
  return largest_norm >= r.threshold * (1 - rounding);
}

// Returns why there is no bound, and how there would be one.
std::string reason_without_bound(const TheoryRecord& r) {
  switch (r.status) {
    case BoundStatus::holds:
      break;
    case BoundStatus::no_smoothness:
      return "L is not known; set server.smoothness, or server.smoothness_from = \"records\" for "
             "the logistic problem";
    case BoundStatus::no_suboptimality:
      return "no bound on f(x^0) - min f is known; set server.suboptimality";
    case BoundStatus::step_too_large:
      return fmt::format(
          "server.rate = {:.6g} is above {:.6g}, the largest that the theorem allows", r.rate,
          r.largest_rate);
    case BoundStatus::other_bound:
      return "the theorem is about bounded gradients of single records (bound.kind = "
             "\"clip-record\")";
    case BoundStatus::other_sampling:
      return "the theorem is about records drawn independently (local.sampling = \"poisson\")";
    case BoundStatus::other_shift_step:
      return "the theorem is about shift.step = \"theory\"";
    case BoundStatus::compressed_down:
      return "the theorem is about exact models at the clients (exchange.down = \"plain\")";
  }
  return "";
}

}  // namespace

const char* name(BoundStatus status) {
  switch (status) {
    case BoundStatus::holds:
      return "holds";
    case BoundStatus::no_smoothness:
      return "no_smoothness";
    case BoundStatus::no_suboptimality:
      return "no_suboptimality";
    case BoundStatus::step_too_large:
      return "step_too_large";
    case BoundStatus::other_bound:
      return "other_bound";
    case BoundStatus::other_sampling:
      return "other_sampling";
    case BoundStatus::other_shift_step:
      return "other_shift_step";
    case BoundStatus::compressed_down:
      return "compressed_down";
  }
  return "";
}

std::optional<BoundStatus> bound_status_named(std::string_view wanted) {
  const auto* const found =
      std::ranges::find_if(all_bounds, [&](BoundStatus status) { return wanted == name(status); });
  return found == std::end(all_bounds) ? std::nullopt : std::optional(*found);
}

const Fields<TheoryRecord>& theory_fields() { return theory_table; }

std::optional<TheoryRecord> read_theory_record(const h5::Object& file) {
  const std::string& status = theory_table.front().name;
  if (!file.has_attribute(status) || !bound_status_named(file.text_attribute(status))) return {};
  return read_fields(file, theory_table);
}

bool is_bounded(const TheoryRecord& r, double largest_norm) {
  return r.status == BoundStatus::holds && !is_shortened(r, largest_norm);
}

std::string in_words(const TheoryRecord& r, double largest_norm) {
  if (r.status != BoundStatus::holds) return "none: " + reason_without_bound(r);
  if (is_shortened(r, largest_norm))
    return fmt::format(
        "none: the theorem is about gradients of norm at most G = {:.6g}, and the "
        "bound shortened some in this run; without shortening it would be {:.6g}",
        r.threshold, r.bound);
  return fmt::format(
      "{:.6g} for the mean over all rounds, in expectation (L = {:.6g}, f(x^0) - min "
      "f at most {:.6g}{})",
      r.bound, r.smoothness, r.suboptimality,
      std::isnan(largest_norm)
          ? fmt::format("; if no gradient of a record exceeds {:.6g}", r.threshold)
          : "");
}

}  // namespace trilemma
