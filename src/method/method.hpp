#pragma once
// Published methods: which part sits in which slot of the round, and the server's step.

#include <memory>
#include <optional>
#include <string>

#include "local/estimator.hpp"
#include "local/solver.hpp"
#include "method/paper_noise.hpp"
#include "method/state_shape.hpp"
#include "schedule/policies.hpp"
#include "settings/choice.hpp"

namespace trilemma {

/// What a server's step may need to know of the experiment.
struct StepSetup {
  std::size_t dimension = 0;  ///< d, of one model
  double clients = 1;         ///< n
  double participants = 1;    ///< r, expected in a round
};

/// What the server does with the mean of the (restored) client vectors.
class ServerStep {
 public:
  virtual ~ServerStep() = default;
  /// Before the first round.
  virtual void prepare(const StepSetup&) {}
  virtual void apply(std::uint32_t round, View x, std::span<const double> direction) = 0;
  /// What a restart must find again (a momentum, say).
  virtual void persist(State&) {}
};

/// Slots of a method. An empty name leaves the slot to the configuration.
struct Method {
  const char* driver = "synchronous";  ///< row of drivers()
  ShapeMaker shape = plain_shape;      ///< what is broadcast and sent
  std::string estimator;        ///< row of estimators(); empty where the method takes local steps
  LocalSteps steps;             ///< with a solver where the method takes local steps
  std::string memory = "none";  ///< row of memories()
  std::optional<double> memory_step;        ///< where the method chooses it
  std::optional<double> whole_probability;  ///< of rounds in which nothing is compressed
  std::string bound;                        ///< row of bounds(), where the method chooses it
  const char* default_bound = "clip-record";
  bool noise = true;                 ///< a mechanism after the bound
  bool noise_follows_bound = false;  ///< where whole clients are bounded, else none
  std::string compressor;            ///< row of compressors()
  const char* default_compressor = "rand-k";
  double noise_constant = 0;         ///< c of the papers' closed form of sigma
  PaperNoise paper_noise = nullptr;  ///< that form
  Choice<ServerStep> step;

  Asynchrony asynchrony;      ///< of methods on a clock
  bool clients_come = false;  ///< by themselves, whoever is drawn
  /// The server averages models: what clients send is relative to where they started.
  bool averages_models = false;
  /// The mean over clients may be weighted by their records: nothing else in the method counts on
  /// clients that count alike.
  bool can_weigh_records = false;
  /// The last server step is another one than those before, so that none can follow.
  bool ends_differently = false;
  /// On the clients' step size, of so many clients and participants; nullptr = none.
  double (*rate_factor)(double clients, double participants) = nullptr;
};

/// Reads the method's own keys, in the sections `server` and `local` of an experiment.
using MethodMaker = Method (*)(Settings& experiment);

/// All methods (docs/methods.md).
std::span<const Row<MethodMaker>> methods();

}  // namespace trilemma
