#pragma once
// Published methods: the part in each slot of the round, and the server's step.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/estimator.hpp"
#include "local/solver.hpp"
#include "method/node_method.hpp"
#include "method/paper_noise.hpp"
#include "method/soteria_theory.hpp"
#include "method/state_shape.hpp"
#include "schedule/policies.hpp"
#include "settings/choice.hpp"

namespace trilemma {

/// Inputs of the server's step.
struct StepSetup {
  std::size_t dimension = 0;  ///< d, of one model
  double clients = 1;         ///< n, number of clients
  double participants = 1;    ///< r, expected number of participants in a round
  double rounds = 0;          ///< T
  Key output = {};            ///< addresses the draw of the model that is released
};

/// The step of the server along the mean of the (restored) client vectors.
class ServerStep {
 public:
  virtual ~ServerStep() = default;
  /// Called once before the first round.
  virtual void prepare(const StepSetup&) {}
  /// Updates the state x along `direction`, the mean.
  virtual void apply(std::uint32_t round, View x, std::span<const double> direction) = 0;
  /// Saves or restores the state (a momentum, for example).
  virtual void persist(State&) {}
};

/// Law of the round R whose start model a method releases: P(R = k) is proportional to 2 eta_k - L
/// eta_k^2 for k = 0, ..., T-1, where eta_k is the step size of round k (Ghadimi and Lan 2013).
struct OutputLaw {
  Rate rate;              ///< eta
  double smoothness = 0;  ///< L; 0 leaves the second term out

  /// Returns P(R = k) for k = 0, ..., `rounds` - 1. Throws LibraryError for weights that are not
  /// positive.
  std::vector<double> probabilities(std::size_t rounds) const;
};

/// Slots of a method. An empty name leaves the slot to the configuration.
struct Method {
  const char* driver = "synchronous";  ///< row of drivers()
  ShapeMaker shape = plain_shape;      ///< what is broadcast and sent
  std::string estimator;        ///< row of estimators(); empty if the method takes local steps
  LocalSteps steps;             ///< names a solver if the method takes local steps
  std::string memory = "none";  ///< row of memories()
  std::optional<double> memory_step;        ///< if the method fixes it
  std::optional<double> whole_probability;  ///< probability of a round without compression
  std::string bound;                        ///< row of bounds(), if the method fixes it
  const char* default_bound = "clip-record";
  bool noise = true;  ///< whether a mechanism follows the bound
  /// Method of the same kind with noise, named where a method without noise is given noise or an
  /// epsilon; empty = none, or the bound decides.
  const char* private_form = "";
  bool noise_follows_bound = false;  ///< whether there is noise only if whole clients are bounded
  std::string compressor;            ///< row of compressors()
  const char* default_compressor = "rand-k";
  double noise_constant = 0;         ///< c in the paper's closed form of sigma
  PaperNoise paper_noise = nullptr;  ///< the closed form
  Choice<ServerStep> step;           ///< none while server.rate is left to the theory
  TheorySettings theory;             ///< for methods with a corollary
  Choice<NodeMethod> node;           ///< of a decentralised method; empty for all others
  /// Whether the noise that protects records is that of a trusted server.
  bool is_central = false;
  Recursion recursion;              ///< for the estimator "recursive"
  std::optional<OutputLaw> output;  ///< if the model of a random round is released
  bool needs_everyone = false;      ///< whether every client takes part in every round
  /// Whether the step of the server follows from the clients' mean and the round alone, so that
  /// clients can take it themselves (exchange.down = "scalars").
  bool clients_can_step = false;

  Asynchrony asynchrony;      ///< for methods on a clock
  bool clients_come = false;  ///< clients report by themselves instead of being drawn
  /// Whether the server averages models: clients send vectors relative to their start model.
  bool averages_models = false;
  /// Whether the mean over clients may be weighted by their records: no other part of the method
  /// relies on equal weights.
  bool can_weigh_records = false;
  /// Whether the last server step differs from those before, so that no step can follow.
  bool ends_differently = false;
  /// Factor on the local step size, given the numbers of clients and participants; nullptr = 1.
  double (*rate_factor)(double clients, double participants) = nullptr;
};

/// Reads the method's own keys, in the sections `server` and `local` of an experiment.
using MethodMaker = std::function<Method()>;

/// Returns the table of all methods (docs/reference/methods.md).
std::span<const Row<MethodMaker>> methods();

}  // namespace trilemma
