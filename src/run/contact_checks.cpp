#include <cmath>

#include "run/contacts.hpp"
#include "run/file_check.hpp"

namespace trilemma {
namespace {

// The last contacts of all clients, and checks of the next one against them.
class ContactOrder {
 public:
  ContactOrder(std::size_t clients, bool numbers_by_step)
      : numbers_by_step_(numbers_by_step), number_(clients, -1), start_(clients, 0) {}

  // Each of the following functions returns the problem of contact i, or nullopt; take() then adds
  // the contact.
  std::optional<Difference> round(const ContactLog& log, std::size_t i) const {
    return falling(log.round, i);
  }
  std::optional<Difference> client(const ContactLog& log, std::size_t i) const {
    if (i == 0 || log.round[i] != log.round[i - 1] || log.client[i] > log.client[i - 1]) return {};
    return falls(log.client[i], log.client[i - 1]);
  }
  std::optional<Difference> number(const ContactLog& log, std::size_t i) const {
    const double expected =
        numbers_by_step_ ? static_cast<double>(log.start[i]) : number_[log.client[i]] + 1;
    if (static_cast<double>(log.number[i]) == expected) return {};
    return wrong(Mismatch::configuration, static_cast<double>(log.number[i]), expected);
  }
  std::optional<Difference> start(const ContactLog& log, std::size_t i) const {
    const double before = start_[log.client[i]];
    if (static_cast<double>(log.start[i]) >= before) return {};
    return falls(log.start[i], before);
  }
  std::optional<Difference> time(const ContactLog& log, std::size_t i) const {
    if (i == 0) return {};
    if (log.round[i] == log.round[i - 1] && log.time[i] != log.time[i - 1])
      return wrong(Mismatch::configuration, log.time[i], log.time[i - 1]);
    return falling(log.time, i);
  }
  void take(const ContactLog& log, std::size_t i) {
    number_[log.client[i]] = static_cast<double>(log.number[i]);
    start_[log.client[i]] = static_cast<double>(log.start[i]);
  }

 private:
  template <class Now, class Before>
  static Difference falls(Now now, Before before) {
    return wrong(Mismatch::falls, static_cast<double>(now), static_cast<double>(before));
  }
  template <class Value>
  static std::optional<Difference> falling(const std::vector<Value>& list, std::size_t i) {
    if (i == 0 || list[i] >= list[i - 1]) return {};
    return falls(list[i], list[i - 1]);
  }

  bool numbers_by_step_;                ///< AsyncPolicy::numbers_by_step
  std::vector<double> number_, start_;  ///< of the last contact of each client; -1: no contact yet
};

class Problems {
 public:
  // Stores the first problem of a list. Returns whether there was none.
  bool add(const char* list, std::size_t contact, std::optional<Difference> problem) {
    if (!problem) return true;
    const std::string field = std::string("/contacts/") + list;
    for (const auto& known : found_)
      if (known.field == field) return false;
    problem->field = field;
    problem->row = contact;
    found_.push_back(*std::move(problem));
    return false;
  }
  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

// Checks the range of each value.
bool ranges_hold(const ContactLog& log, const Plan& plan, std::uint64_t steps, std::size_t i,
                 Problems& found) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  const auto in = [](double value, double least, double most) {
    return outside_of(value, least, most, 0);
  };
  const auto positive = [](double value, double most) -> std::optional<Difference> {
    if (value > 0 && value <= most && std::isfinite(value)) return {};
    if (value > most && std::isfinite(value)) return wrong(Mismatch::above, value, most);
    return wrong(Mismatch::odd, value, 0);
  };
  bool holds = found.add("round", i, in(number(log.round[i]), 1, number(steps)));
  holds &= found.add("client", i, in(number(log.client[i]), 0, number(plan.clients - 1)));
  holds &= found.add("start", i, in(number(log.start[i]), 0, number(log.round[i]) - 1));
  holds &=
      found.add("local_steps", i, in(number(log.steps[i]), 0, number(plan.method.steps.count)));
  holds &= found.add("factor", i, positive(log.factor[i], no_limit));
  holds &= found.add("weight", i, positive(log.weight[i], 1));
  if (!(log.time[i] >= 0 && std::isfinite(log.time[i])))
    holds &= found.add("time", i, wrong(Mismatch::odd, log.time[i], 0));
  return holds;
}

}  // namespace

std::vector<Difference> contact_problems(const ContactLog& log, const Plan& plan,
                                         std::uint64_t steps) {
  Problems found;
  ContactOrder order(static_cast<std::size_t>(plan.clients),
                     plan.policy && plan.policy->numbers_by_step());
  for (std::size_t i = 0; i < log.size(); ++i) {
    // Later contacts are compared with this one, so the checks end at an impossible value.
    if (!ranges_hold(log, plan, steps, i, found)) break;
    found.add("round", i, order.round(log, i));
    found.add("client", i, order.client(log, i));
    found.add("number", i, order.number(log, i));
    found.add("start", i, order.start(log, i));
    found.add("time", i, order.time(log, i));
    order.take(log, i);
  }
  return found.take();
}

}  // namespace trilemma
