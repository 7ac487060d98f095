#include "experiment/disclosures.hpp"

namespace trilemma {
namespace {

RecordDraw record_draw(const Plan& plan) {
  if (!plan.sampler) return RecordDraw::all;
  if (plan.sampler->repeats()) return RecordDraw::repeated;
  if (plan.sampler->shuffles()) return RecordDraw::shuffled;
  return plan.sampler->scheme() == accounting::Sampling::poisson ? RecordDraw::poisson
                                                                 : RecordDraw::fixed_size;
}

Generator generator_of(const Plan& plan) {
  if (!plan.privacy.secret) return Generator::simulation;
  return !can_be_secret(plan.schedule->draw()) || plan.draws_secretly() ? Generator::secret
                                                                        : Generator::seed_known;
}

// Returns whether any state that ClientSide::persist saves for a client, of its local work or its
// memory, changes only when the client participates.
bool state_moves(const Plan& plan) {
  const StateMoves work = plan.takes_steps() ? row(solvers(), plan.method.steps.solver).make.moves
                                             : plan.estimator.moves;
  return work == StateMoves::with_participation ||
         plan.memory->traits.moves == StateMoves::with_participation;
}

}  // namespace

ClaimCase claim_case(const Plan& plan) {
  ClaimCase kind;
  kind.unit = plan.protects_clients() ? Unit::client : Unit::record;
  kind.view = plan.privacy.view;
  kind.place = plan.privacy.at_server ? Place::server : Place::client;
  kind.relation = plan.privacy.relation;
  kind.records = record_draw(plan);
  kind.clients = plan.schedule->draw();
  kind.state_moves = state_moves(plan);
  kind.remembers_draws = !plan.takes_steps() && plan.estimator.remembers_draws;
  kind.generator = generator_of(plan);
  kind.spares_noise = plan.secure_sum.is_on;
  if (plan.joint.signs) kind.cover = Cover::masked_signs;
  if (plan.joint.blocks) kind.cover = Cover::masked_blocks;
  if (plan.joint.trials) kind.cover = Cover::random_trials;
  if (plan.joint.local) kind.cover = Cover::local_messages;
  return kind;
}

// A coordinate that a single client sends, with rand-k or in a block of its own, carries only the
// noise of this client.
bool noise_is_shared(const Plan& plan) {
  return plan.compressor->traits().omega == 0 && plan.shape().stride == 0;
}

bool keeps_own_models(const Plan& plan) {
  return plan.takes_steps() &&
         (plan.method.steps.is_personal() || plan.method.steps.family == SolverFamily::averaged);
}

}  // namespace trilemma
