#include "schedule/step_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trilemma {
namespace {

// Returns true if the entry existed.
bool count_down(std::map<std::uint32_t, std::uint32_t>& models, std::uint32_t model) {
  const auto found = models.find(model);
  if (found == models.end()) return false;
  if (--found->second == 0) models.erase(found);
  return true;
}

void check_job(bool good, const Contact& contact, std::uint32_t step, const char* what) {
  if (!good)
    throw std::logic_error(fmt::format("server step {}, client {}, model {}: {}", step,
                                       contact.client, contact.base, what));
}

}  // namespace

void StepSequence::next(TimedStep& server_step) {
  server_step.contacts.clear();
  reported_ = 0;
  fill(server_step);
  if (reported_ != server_step.contacts.size())
    throw std::logic_error("a contact of the clock has not been reported");
  made_.push_back(server_step.time);
  ++step_;
  forget_old_times();
}

bool StepSequence::needs(std::uint32_t model) const {
  return at_work_.contains(model) || ahead_.contains(model);
}

std::set<std::uint32_t> StepSequence::needed() const {
  std::set<std::uint32_t> models;
  for (const auto* held : {&at_work_, &ahead_})
    for (const auto& [model, clients] : *held) models.insert(model);
  return models;
}

std::uint64_t StepSequence::handed_out() const {
  std::uint64_t models = 0;
  for (const auto& [model, clients] : at_work_) models += clients;
  return models;
}

void StepSequence::catches_up(std::uint32_t model) {
  if (!count_down(ahead_, model)) throw std::logic_error("a job that has not begun catches up");
  begins(model);
}

void StepSequence::report(TimedStep& server_step, const Contact& contact, double begin) {
  check_job(contact.base <= step_, contact, step_, "the model is one of the future");
  check_job(count_down(at_work_, contact.base), contact, step_, "no job has begun at the model");
  check_job(made(contact.base) <= begin, contact, step_,
            "the job began before the model was there");
  server_step.contacts.push_back(contact);
  ++reported_;
}

double StepSequence::made(std::uint32_t model) const { return made_.at(model - oldest_); }

// Future jobs begin at the newest model or a later one.
void StepSequence::forget_old_times() {
  std::uint32_t oldest = step_;
  for (const auto* held : {&at_work_, &ahead_})
    if (!held->empty()) oldest = std::min(oldest, held->begin()->first);
  for (; oldest_ < oldest; ++oldest_) made_.pop_front();
}

}  // namespace trilemma
