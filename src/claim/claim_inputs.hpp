#pragma once
// Claim inputs: plain values about one run that its claim depends on, independent of plan and
// settings.

#include <optional>
#include <string>
#include <vector>

#include "data/preprocessing.hpp"
#include "privacy/account.hpp"
#include "privacy/accountant/integer_noise.hpp"
#include "privacy/accountant/local_pair.hpp"
#include "privacy/accountant/poisson_binomial.hpp"
#include "schedule/schedule.hpp"

namespace trilemma {

/// The protected unit, in which neighbouring data sets differ.
enum class Unit { record, client };
/// View of the adversary. server: every message and its sender. aggregate: sums and models only.
/// others: everything except a client's own model, that is all other clients and whatever is
/// public. output: the last model only. shuffled: the messages of a round, but not their senders.
enum class Adversary { server, aggregate, others, output, shuffled };
/// Place of the noise: each client adds it to its vector, or a trusted server to the mean.
enum class Place { client, server };
/// How the records of a minibatch are drawn. all: no draw. repeated: a record can occur several
/// times. shuffled: the minibatches of an epoch split the records, which no theorem here covers.
enum class RecordDraw { all, poisson, fixed_size, repeated, shuffled };
/// Source of draws and noise. simulation: all from one seed, which the claim assumes to be secret.
/// secret: from secrets of the processes. seed_known: noise from secrets, but participants from a
/// seed that may be public.
enum class Generator { simulation, secret, seed_known };

/// What hides the part of a unit in a release. noise: Gaussian noise, or integer noise.
/// masked_signs, masked_blocks: noise on random signs of coordinates, or on blocks of them, drawn
/// in secret. random_trials: the draws of counts. local_messages: the draws of messages, each of
/// which alone satisfies epsilon-DP.
enum class Cover { noise, masked_signs, masked_blocks, random_trials, local_messages };

/// Properties of a run that determine the applicable theorem.
struct ClaimCase {
  Unit unit = Unit::record;
  Adversary view = Adversary::server;
  Place place = Place::client;
  accounting::Relation relation = accounting::Relation::add_remove;
  RecordDraw records = RecordDraw::all;
  Draw clients = Draw::everyone;
  bool state_moves = false;      ///< clients have state that changes only when they participate
  bool remembers_draws = false;  ///< a client's estimator stores which records were drawn before
  Generator generator = Generator::simulation;
  bool spares_noise = false;  ///< the noise of as many clients as are left at least suffices
  Cover cover = Cover::noise;
};

/// Numbers of records of the smallest and the largest client.
struct ShardSizes {
  std::size_t least = 0, most = 0;
  ShardSizes() = default;
  ShardSizes(std::size_t of_each) : least(of_each), most(of_each) {}  // NOLINT: each holds as many
  ShardSizes(std::size_t smallest, std::size_t largest) : least(smallest), most(largest) {}
};

/// Rounds whose vectors differ from those of the first round.
struct LaterRounds {
  double rounds = 0;        ///< their number
  Sensitivity sensitivity;  ///< of such a vector
  double batch = 0;         ///< size of a minibatch
  double occurrences = 1;   ///< largest number of occurrences of a record in one minibatch
  double largest = 0;       ///< largest magnitude of a coordinate where noise is added to it
  double noise = 1;         ///< its noise, divided by that of the first round
};

/// Messages each of which satisfies epsilon-DP.
struct PureMessages {
  std::string kind;  ///< name of the mechanism
  accounting::LocalPair pair;
  bool are_bits = false;  ///< their privacy does not depend on rounding
};

/// What secure aggregation assumes.
struct SecureTerms {
  std::uint32_t corrupt = 0;   ///< clients that may work with the server
  std::uint32_t dropouts = 0;  ///< clients that may drop out of a round
  bool has_masks = true;       ///< otherwise their bits are counted alone
};

/// Coordinates or blocks of them that clients draw.
struct MaskTerms {
  double rate = 1;      ///< probability that a client draws one
  double releases = 1;  ///< their number, each a release of its own
  /// kappa of random signs: bound of a coordinate, divided by that of the norm / sqrt(d).
  double range = 1;
};

/// All properties of a run that a claim states or depends on.
struct ClaimInputs {
  /// Returns whether what is sent are integers, exact in floating point.
  bool sends_integers() const { return noise_law || trials; }

  ClaimCase kind;
  ShardSizes shards;
  double clients = 1;
  double participants = 1;  ///< expected number in a round: the divisor of the mean
  double rounds = 0;
  std::optional<double> contacts = {};  ///< largest number of rounds with one client; nullopt = all
  /// Whether at the end of the run a client may have sent a message that no server step has used;
  /// such a message is not counted.
  bool messages_wait = false;
  bool adds_noise = true;
  bool sends_nothing = false;

  // The bound, and the sensitivity of the vector that is perturbed (one unit added or removed).
  std::string bound_kind, bound_per, bound_objection;
  double threshold = 0;
  Sensitivity sensitivity;
  double occurrences = 1;  ///< largest number of occurrences of a record in one minibatch
  double largest = 0;      ///< largest magnitude of a coordinate where noise is added to it
  double numbers = 0;      ///< number of coordinates to which noise is added in a round
  double batch = 0;        ///< size of a minibatch; 0 = all records
  /// Rounds that differ from the first, to which the fields above refer; none if all are equal.
  std::optional<LaterRounds> later = {};
  long period = 0;  ///< rounds between two rounds that equal the first; 0 = it is the only one
  /// Numbers of rounds behind the only model that is released; empty = all models are.
  std::vector<Stop> stops = {};
  std::string record_sampler, client_sampler;
  /// The sum of the clients' vectors carries the noise of all clients.
  bool noise_is_shared = false;
  /// Law of noise on integers, whose sensitivity is stated above as that of Gaussian noise with the
  /// same privacy; nullopt = Gaussian noise on real numbers.
  std::optional<accounting::IntegerLaw> noise_law = {};
  /// Counts of trials in a round, whose draws are the only noise.
  std::optional<accounting::PoissonBinomial> trials = {};
  /// The noise is the error of the clients' messages, which hides nothing from whoever can decode
  /// them.
  bool noise_is_decoded = false;
  /// Masks of coordinates, for each of which sensitivity is stated; nullopt = whole vectors.
  std::optional<MaskTerms> masks = {};
  /// Messages of a mechanism without noise, whose fields of noise describe the error; nullopt =
  /// noise is added.
  std::optional<PureMessages> messages = {};
  /// Secure aggregation of the sums; nullopt = they are computed in the clear.
  std::optional<SecureTerms> secure = {};

  // The noise and its calibration.
  std::optional<double> sigma_given, epsilon, delta, constant;
  bool by_closed_form = false;
  bool total_norm = false;

  // Uses of the records other than messages.
  bool start_at_optimum = false;
  std::string start_file;  ///< empty = none
  bool graph_is_from_file = false;
  std::string own_model_file;  ///< code of the user that sees the records; empty = none
  Preprocessing preprocessing;
  bool numbers_labels = false;  ///< labels are numbered by which of them occur
  bool partitioned_by_label = false;
  bool smoothness_from_records = false;  ///< settings follow from the largest norm of a record
  bool scores_drawn_tests = false;  ///< scores use records drawn for tests, which no noise protects
  bool finetunes = false;
  bool has_private_models = false;
  /// Recorded values computed from private records without noise.
  std::vector<std::string> metrics;
};

/// Returns the name in the run file: "V_server", "V_aggregate", "V_others", "V_output" or
/// "V_shuffled".
const char* name(Adversary view);
const char* name(Unit unit);
const char* name(Place place);
/// Returns "chacha20", or "philox4x32-10", which is for simulation only.
const char* name(Generator generator);

}  // namespace trilemma
