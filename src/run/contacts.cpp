#include "run/contacts.hpp"

namespace trilemma {

ContactLog contacts_of(std::span<const TimedStep> server_steps) {
  ContactLog log;
  for (std::size_t step = 0; step < server_steps.size(); ++step)
    for (const Contact& contact : server_steps[step].contacts) {
      log.round.push_back(step + 1);
      log.client.push_back(contact.client);
      log.number.push_back(contact.number);
      log.start.push_back(contact.base);
      log.steps.push_back(contact.steps);
      log.factor.push_back(contact.factor);
      log.weight.push_back(contact.weight);
      log.time.push_back(server_steps[step].time);
    }
  return log;
}

std::vector<TimedStep> server_steps_of(const ContactLog& log, std::uint64_t rounds) {
  std::vector<TimedStep> server_steps(static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i < log.size(); ++i) {
    require(log.round[i] >= 1 && log.round[i] <= rounds && log.start[i] < log.round[i],
            "contact {}: of round {} with the model of round {}, where there are {} rounds", i,
            log.round[i], log.start[i], rounds);
    TimedStep& server_step = server_steps[static_cast<std::size_t>(log.round[i] - 1)];
    server_step.time = log.time[i];
    server_step.contacts.push_back({.client = static_cast<std::uint32_t>(log.client[i]),
                                    .base = static_cast<std::uint32_t>(log.start[i]),
                                    .steps = static_cast<std::uint32_t>(log.steps[i]),
                                    .factor = log.factor[i],
                                    .weight = log.weight[i],
                                    .number = static_cast<std::uint32_t>(log.number[i])});
  }
  // The time of a server step without contacts is unknown; it gets that of the previous step.
  for (std::size_t step = 1; step < server_steps.size(); ++step)
    if (server_steps[step].contacts.empty()) server_steps[step].time = server_steps[step - 1].time;
  return server_steps;
}

}  // namespace trilemma
