#pragma once
// The summary of a run file, as `trilemma show` prints it.

#include <optional>
#include <string>
#include <vector>

#include "base/standard_output.hpp"
#include "machine/time_record.hpp"
#include "record/claim_status.hpp"
#include "record/content_sum.hpp"
#include "record/graph_record.hpp"
#include "record/model_record.hpp"
#include "record/privacy_group.hpp"
#include "record/run_identity.hpp"
#include "record/theory_record.hpp"

namespace trilemma {

/// Content and derived values of a run file.
struct Summary {
  std::string path;
  std::vector<NamedValue> attributes;  ///< attributes of the root, in the order of the file
  /// Attributes of the root that the summary uses.
  std::string name, method, mode, problem, data, local_work, compressor, claim, failure;
  ClaimStatus claim_status = ClaimStatus::not_private;
  bool complete = false;
  std::int64_t rounds = 0, clients = 0, ranks = 0, seed = 0, extended_from = 0;
  double noise_sigma = 0, epsilon_nominal = 0, delta = 0;
  double baseline_score = 0, baseline_personal_score = 0;  ///< scores of the best constant answers
  double wall_seconds = 0;                                 ///< NaN if withheld

  std::string config;
  std::string data_files;  ///< lines "SHA-256  name"
  /// A model of the user's own; without one its texts are empty.
  ModelRecord own_model;
  std::string simulation;  ///< empty for a run on real ranks
  TimeRecord times;
  PrivacyRecord privacy;
  std::optional<PrivacyProblem> privacy_problem;  ///< problem of this record, if any
  bool withholds = false;                         ///< whether columns are withheld (privacy.strict)
  Content content = Content::unsummed;            ///< whether the file has changed
  std::int64_t states_evaluated = 0, rounds_done = 0;
  std::vector<std::int64_t> restarts;  ///< rounds after which the run was resumed
  double objective_start, objective_final, objective_best, gradient_norm_squared_final, utility,
      accuracy_final;
  double test_loss_final;
  std::optional<TheoryRecord> theory;  ///< of methods with a corollary
  std::optional<GraphRecord> graph;    ///< of decentralised methods
  /// Largest norm of a record's gradient after its bound over all rounds; NaN = not known.
  double record_norm_most;
  /// Shares of clipped vectors in the rounds: the smallest and the last; and the last median of the
  /// norms over the bound. NaN = nothing was bounded, or withheld.
  double clipped_share_least, clipped_share_final, norm_ratio_final;
  /// Whether the objective became infinite, is NaN at the end, or is beyond 1000 times its start.
  bool diverged = false;
  bool has_server = true;                    ///< false for decentralised methods
  UplinkRecord uplink;                       ///< empty in files of older programs
  bool ends_without_objective = false;       ///< whether the objective of the last state is NaN
  std::vector<double> class_accuracy_final;  ///< at the last evaluated state; empty = not recorded
  double test_error_final, client_score_final;
  double epsilon_spent = 0;                    ///< after rounds_done; NaN = not accounted
  double records_least = 0, records_most = 0;  ///< of the smallest and the largest client
  struct Bits {
    double model, payload, mpi;  ///< NaN if withheld
  } up, down;
  /// A column that is shown by default and has no member above.
  struct Figure {
    std::string name, units;
    double last;  ///< last value that is not NaN
    bool is_count;
  };
  std::vector<Figure> others;
  /// Seconds of all rounds without evaluation, recording and checkpoints, on the rank that took
  /// longest, and rounds per second by these; NaN if phase times are missing or withheld.
  double round_seconds = 0, rounds_per_second = 0;
  /// Joules of all rounds without evaluation, recording and checkpoints; NaN if the energy was not
  /// counted.
  double round_joules = 0;
  /// Seconds of a phase over all rounds.
  struct PhaseSeconds {
    std::string name;
    double mean, most;  ///< over the ranks
    double critical;    ///< of the critical rank
    double joules;      ///< of all nodes; NaN if they were not counted
  };
  std::vector<PhaseSeconds> phases;
  /// Whether the file has no times of single ranks: `most` is then the sum of the maxima of the
  /// rounds, and there is no critical rank.
  bool has_summarised_phases = false;
  /// The critical path: the phases of the rank on which they, including waiting for other ranks,
  /// take longest in total. They add up, unlike the maxima of the phases, which belong to different
  /// ranks.
  double critical_seconds = 0;
  std::int64_t critical_rank = 0;
  std::string model_sha256;  ///< empty without a final model
};

/// Returns the table of the numbers and texts in the JSON form, except the attributes of the root.
const Fields<Summary>& summary_fields();

/// Reads a run file; throws as open_run_file().
Summary read_summary(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Returns whether read_summary() succeeds on the file of a failed run; tries it in a separate
/// process.
bool is_readable(const std::string& path);

/// Returns `value`, read from a file, as a whole number, limited to the range of the type.
std::int64_t whole(double value);

/// Returns the summary as text for people, in lines of at most `columns` characters.
std::string to_text(const Summary& summary, std::size_t columns = output_columns());
/// Returns the summary as JSON.
std::string to_json(const Summary& summary);

}  // namespace trilemma
