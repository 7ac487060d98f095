#include "data/source.hpp"

namespace trilemma {

// One declaration and one row for each source.
Row<SourceMaker> synthetic_row();
Row<SourceMaker> libsvm_row();
Row<SourceMaker> idx_row();
Row<SourceMaker> cifar_row();
Row<SourceMaker> csv_row();
Row<SourceMaker> leaf_row();
Row<SourceMaker> omniglot_row();
Row<SourceMaker> quadratics_row();

std::span<const Row<SourceMaker>> sources() {
  static const Row<SourceMaker> table[] = {
      synthetic_row(), libsvm_row(), idx_row(),      cifar_row(),
      csv_row(),       leaf_row(),   omniglot_row(), quadratics_row(),
  };
  return table;
}

}  // namespace trilemma
