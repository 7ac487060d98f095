#pragma once

#include <algorithm>
#include <ranges>
#include <span>

#include "base/types.hpp"
#include "local/local_work.hpp"

namespace trilemma {

/// What varies from client to client in a round or server step.
struct ClientInputs {
  std::uint32_t client = 0;
  Task task = {};     ///< all but its key; task.model is where the client starts
  double weight = 1;  ///< of the client in the server step
};

/// Inputs of a round's participants, ascending by client; empty where all start at the server's
/// model with the method's own number of local steps.
using RoundInputs = std::span<const ClientInputs>;

/// Returns the inputs of `client`, or nullptr where it has none of its own. Where all clients take
/// part, their numbers are consecutive and nothing is searched.
inline const ClientInputs* inputs_of(RoundInputs inputs, std::uint32_t client) {
  if (inputs.empty()) return nullptr;
  const std::size_t guess = client - inputs.front().client;
  if (guess < inputs.size() && inputs[guess].client == client) return &inputs[guess];
  const auto found = std::ranges::lower_bound(inputs, client, {}, &ClientInputs::client);
  return found == inputs.end() || found->client != client ? nullptr : &*found;
}

/// Returns the reference model of a client's update: a vector, known to its rank and to the server,
/// that the update is close to. A client with a model of its own sends the model received last
/// minus its own, and its own is close to the server's: the reference is task.model - task.now,
/// which is written to `room`. Empty, which means 0, for all others.
inline ConstView reference_model(const ClientInputs* inputs, Vector& room) {
  if (inputs == nullptr || inputs->task.now.empty()) return {};
  const ConstView start = inputs->task.model;
  const ConstView now = inputs->task.now;
  room.resize(start.size());
  for (std::size_t j = 0; j < room.size(); ++j) room[j] = start[j] - now[j];
  return room;
}

}  // namespace trilemma
