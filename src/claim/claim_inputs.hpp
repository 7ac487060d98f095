#pragma once
// What a claim rests on: facts about one run as plain values, without plan and settings.

#include <optional>
#include <string>
#include <vector>

#include "data/preprocessing.hpp"
#include "privacy/account.hpp"
#include "schedule/schedule.hpp"

namespace trilemma {

/// What is protected.
enum class Unit { record, client };
/// Whom the claim holds against: who sees every message and its sender, sums and models only, or
/// all but a client's own model (all other clients and whatever is public).
enum class Adversary { server, aggregate, others };
/// Who adds the noise: each client to its vector, or a trusted server to the mean.
enum class Place { client, server };
/// How the records of a minibatch are drawn. all: there are none. repeated: one can occur again.
enum class RecordDraw { all, poisson, fixed_size, repeated };
/// Where draws and noise come from. simulation: all from one seed, which the claim takes for
/// secret. secret: from secrets of the processes. seed_known: noise from secrets, but the
/// participants from a seed that everybody may know.
enum class Generator { simulation, secret, seed_known };

/// What decides which theorem applies.
struct ClaimCase {
  Unit unit = Unit::record;
  Adversary view = Adversary::server;
  Place place = Place::client;
  accounting::Relation relation = accounting::Relation::add_remove;
  RecordDraw records = RecordDraw::all;
  Draw clients = Draw::everyone;
  bool state_moves = false;      ///< clients keep what changes only when they take part
  bool remembers_draws = false;  ///< a client's estimator keeps which records were drawn before
  Generator generator = Generator::simulation;
};

/// The smallest and the largest client, in records.
struct ShardSizes {
  std::size_t least = 0, most = 0;
  ShardSizes() = default;
  ShardSizes(std::size_t of_each) : least(of_each), most(of_each) {}  // NOLINT: each holds as many
  ShardSizes(std::size_t smallest, std::size_t largest) : least(smallest), most(largest) {}
};

/// Everything else about the run that a claim states or depends on.
struct ClaimInputs {
  ClaimCase kind;
  ShardSizes shards;
  double clients = 1;
  double participants = 1;  ///< expected in a round: the divisor of the mean
  double rounds = 0;
  std::optional<double> contacts = {};  ///< most rounds that one client takes part in; none = all
  /// Whether at the end a client may have sent a message that no server step has used; such a
  /// message is not counted.
  bool messages_wait = false;
  bool adds_noise = true;
  bool sends_nothing = false;

  // The bound, and how far one unit moves what is perturbed (one unit added or removed).
  std::string bound_kind, bound_per, bound_objection;
  double threshold = 0;
  Sensitivity sensitivity;
  double occurrences = 1;  ///< of a record in one minibatch
  double largest = 0;      ///< size that a coordinate can have where noise is added to it
  double numbers = 0;      ///< coordinates to which noise is added in a round
  double batch = 0;        ///< 0 = all records
  std::string record_sampler, client_sampler;
  bool noise_is_shared = false;  ///< the sum of clients' vectors carries the noise of all

  // Noise and its calibration.
  std::optional<double> sigma_given, epsilon, delta, constant;
  bool by_closed_form = false;
  bool total_norm = false;

  // What looks at the records beside the messages.
  bool start_at_optimum = false;
  std::string start_file;  ///< empty = none
  Preprocessing preprocessing;
  bool numbers_labels = false;  ///< by which labels occur
  bool partitioned_by_label = false;
  bool scores_drawn_tests = false;  ///< of records drawn for tests, which no noise protects
  bool finetunes = false;
  bool has_private_models = false;
  std::vector<std::string> metrics;  ///< recorded, computed from private records without noise
};

/// The names of the run file: "V_server", ...
const char* name(Adversary view);
const char* name(Unit unit);
const char* name(Place place);
/// "chacha20" or "philox4x32-10", which is for simulation only.
const char* name(Generator generator);

}  // namespace trilemma
