#include "data/source.hpp"

#include "base/text.hpp"
#include "machine/limits.hpp"

namespace trilemma {

// One declaration and one row for each source.
Row<SourceMaker> synthetic_source();
Row<SourceMaker> libsvm_source();
Row<SourceMaker> idx_source();
Row<SourceMaker> cifar_source();
Row<SourceMaker> cifar100_source();
Row<SourceMaker> tiny_imagenet_source();
Row<SourceMaker> csv_source();
Row<SourceMaker> arrays_source();
Row<SourceMaker> leaf_source();
Row<SourceMaker> omniglot_source();
Row<SourceMaker> stackoverflow_source();
Row<SourceMaker> quadratics_source();
Row<SourceMaker> prototypes_source();
Row<SourceMaker> vectors_source();

void read_scaling(Reader& r, Scaling& scaling, std::string_view help) {
  r("scaling", scaling, {{name(Scaling::none), Scaling::none}, {name(scaling), scaling}}, help);
}

// Only the users are wanted, so no record needs a row.
std::vector<std::uint32_t> Source::users(const std::string& folder) const {
  const auto none = [](const TrainTest& all) {
    return KeptRecords{std::vector<bool>(all.train.size()), std::vector<bool>(all.test.size())};
  };
  return load_part(folder, 1, none).train.user;
}

std::span<const Row<SourceMaker>> sources() {
  static const Row<SourceMaker> table[] = {
      synthetic_source(),
      also_called("svmlight a9a w8a", libsvm_source()),
      also_called("mnist fashion-mnist fashionmnist fmnist emnist kmnist", idx_source()),
      cifar_source(),
      cifar100_source(),
      tiny_imagenet_source(),
      also_called("table tsv parquet pandas", csv_source()),
      also_called("numpy npz npy hdf5 h5 torch", arrays_source()),
      also_called("femnist shakespeare json", leaf_source()),
      omniglot_source(),
      stackoverflow_source(),
      quadratics_source(),
      prototypes_source(),
      vectors_source(),
  };
  return table;
}

void make_dense(Dataset& data, const std::string& file) {
  constexpr double most_bytes = 8e9;
  const std::size_t rows = data.kept();
  const double bytes = static_cast<double>(rows) * static_cast<double>(data.features()) *
                       static_cast<double>(sizeof(real));
  require(
      bytes <= most_bytes,
      "{}: data.layout = \"dense\": {} records of {} features would need {:.1f} GB, and at most "
      "{:g} GB are taken; take fewer records or features",
      file, rows, data.features(), bytes / 1e9, most_bytes / 1e9);
  require_memory(fmt::format("{}: {} dense records of {} features", file, rows, data.features()),
                 bytes, "take fewer records or features");
  data.make_dense();
}

}  // namespace trilemma
