#include "local/estimator.hpp"

namespace trilemma {

// One declaration and one row for each estimator.
Row<EstimatorKind> gd_estimator();
Row<EstimatorKind> sgd_estimator();
Row<EstimatorKind> svrg_estimator();
Row<EstimatorKind> saga_estimator();
Row<EstimatorKind> recursive_estimator();

std::span<const Row<EstimatorKind>> estimators() {
  static const Row<EstimatorKind> table[] = {
      gd_estimator(), sgd_estimator(), svrg_estimator(), saga_estimator(), recursive_estimator(),
  };
  return table;
}

}  // namespace trilemma
