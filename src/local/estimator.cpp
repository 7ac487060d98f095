#include "local/estimator.hpp"

namespace trilemma {

// One declaration and one row for each estimator.
Row<EstimatorKind> gd_row();
Row<EstimatorKind> sgd_row();
Row<EstimatorKind> svrg_row();
Row<EstimatorKind> saga_row();

std::span<const Row<EstimatorKind>> estimators() {
  static const Row<EstimatorKind> table[] = {
      gd_row(),
      sgd_row(),
      svrg_row(),
      saga_row(),
  };
  return table;
}

}  // namespace trilemma
