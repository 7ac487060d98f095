#include "local/finetuning.hpp"
#include "problem/cross_entropy.hpp"
#include "problem/interfaces.hpp"

namespace trilemma {
namespace {

// Backpropagates the derivative with respect to the logits of w through the problem; x is constant.
class KlPenalty final : public Penalty {
 public:
  explicit KlPenalty(double lambda) : lambda_(lambda) {}

  void add_gradient(Problem& problem, const Dataset& shard, Coordinates rows, ConstView w,
                    ConstView x, View g) override {
    Classifier& classifier = *problem.as_classifier();
    const std::size_t c = classifier.classes();
    const double share = lambda_ / 2 / static_cast<double>(rows.size());
    const std::size_t block = block_rows(problem);
    for (std::size_t first = 0; first < rows.size(); first += block) {
      const std::size_t count = std::min(block, rows.size() - first);
      problem.load(shard, rows.subspan(first, count), batch_);
      for (Vector* part : {&logits_, &reference_, &errors_}) part->resize(count * c);
      classifier.logits(batch_, w, logits_);
      classifier.logits(batch_, x, reference_);
      for (std::size_t r = 0; r < count; ++r)
        symmetrised_kl(ConstView(logits_).subspan(r * c, c),
                       ConstView(reference_).subspan(r * c, c), View(errors_).subspan(r * c, c));
      factors_.resize(count * problem.factors());
      classifier.backpropagate(batch_, w, errors_, factors_);
      problem.accumulate(batch_, factors_, share, g);
    }
  }

 private:
  double lambda_;
  Batch batch_;
  Vector logits_, reference_, errors_, factors_;
};

std::unique_ptr<Finetuning> make_kl(const PulledSteps& options, const Settings& settings,
                                    std::uint64_t seed, const Problem& problem) {
  if (!problem.gives_probabilities())
    settings.refuse(
        "kind",
        "needs class probabilities, which this problem does not have; choose another kind, "
        "or a problem with classes");
  return make_finetuning(options.steps.with_seed(seed), make_kl_penalty(options.pull));
}

}  // namespace

std::unique_ptr<Penalty> make_kl_penalty(double lambda) {
  return std::make_unique<KlPenalty>(lambda);
}

Row<FinetuningMaker> symmetrised_kl_finetuning() {
  return part_with_settings(
      "symmetrised-kl", "with a pull of class probabilities to those of the common model", make_kl);
}

}  // namespace trilemma
