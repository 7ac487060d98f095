#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/claim_status.hpp"
#include "record/content_sum.hpp"
#include "record/privacy_group.hpp"

namespace trilemma {

/// What `trilemma show` prints of a run file.
struct Summary {
  std::string path;
  std::vector<NamedValue> attributes;  ///< of the root, as they are in the file
  /// The attributes that are read by name.
  std::string name, method, mode, problem, data, compressor, claim, failure;
  ClaimStatus claim_status = ClaimStatus::not_private;
  bool complete = false;
  std::int64_t rounds = 0, clients = 0, ranks = 0, seed = 0, extended_from = 0;
  double noise_sigma = 0, epsilon_nominal = 0, delta = 0;
  double baseline_score = 0, baseline_personal_score = 0;  ///< of the best constant answers
  double wall_seconds = 0;                                 ///< NaN where withheld

  std::string config;
  std::string data_files;  ///< lines "SHA-256  name"
  std::string simulation;  ///< empty for a run on real ranks
  PrivacyRecord privacy;
  std::optional<PrivacyProblem> privacy_problem;  ///< what is wrong with this record
  bool withholds = false;                         ///< columns, as privacy.strict asks for
  Content content = Content::unsummed;            ///< whether it is as it was written
  std::int64_t states_evaluated = 0, rounds_done = 0;
  std::vector<std::int64_t> restarts;  ///< rounds after which it was resumed from a checkpoint
  double objective_final, objective_best, gradient_norm_squared_final, utility, accuracy_final;
  double test_loss_final;
  std::vector<double> class_accuracy_final;  ///< at the last evaluated state; may be empty
  double test_error_final, client_score_final;
  double epsilon_spent = 0;                    ///< after rounds_done; NaN: not accounted
  double records_least = 0, records_most = 0;  ///< of the clients
  struct Bits {
    double model, payload, mpi;  ///< NaN where withheld
  } up, down;
  /// A column that is shown by default and that nothing above shows.
  struct Figure {
    std::string name, units;
    double last;  ///< value that is not NaN
    bool is_count;
  };
  std::vector<Figure> others;
  /// Without evaluation, recording and checkpoints; NaN if phases were not timed or are withheld.
  double rounds_per_second = 0;
  /// Seconds of all rounds on a rank.
  struct PhaseSeconds {
    std::string name;
    double mean, most;  ///< over the ranks
    double critical;    ///< of the critical rank
  };
  std::vector<PhaseSeconds> phases;
  /// The critical path: that of the rank whose phases, including waiting for other ranks, take
  /// longest in total. Unlike the maxima of the phases, which belong to different ranks, its parts
  /// add up.
  double critical_seconds = 0;
  std::int64_t critical_rank = 0;
  std::string model_sha256;  ///< empty while there is no final model
};

/// The values of the JSON form that are numbers or texts, apart from the attributes of the root.
const Fields<Summary>& summary_fields();

/// Reads a run file; one sentence where it is none, of another schema, or cut off.
Summary read_summary(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Whether that works, for a file that could not be written to its end; in a process of its own.
bool is_readable(const std::string& path);

/// A whole number of a file, which may hold anything.
std::int64_t whole(double value);

/// The summary as text for people, and as JSON.
std::string to_text(const Summary& summary);
std::string to_json(const Summary& summary);

}  // namespace trilemma
