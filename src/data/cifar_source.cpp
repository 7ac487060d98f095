#include "base/text.hpp"
#include "data/cifar.hpp"
#include "data/data_file.hpp"
#include "data/image_scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct CifarSettings {
  std::vector<std::string> train;
  std::vector<std::string> test = {"cifar-10-batches-bin/test_batch.bin"};
  std::size_t rows = 0;
  // The constants of the public code of FAVANO.
  ImageScaling scaling{.means = {0.4914, 0.4822, 0.4465}, .deviations = {0.2023, 0.1994, 0.2010}};

  void read(Reader& r) {
    for (const char* number : {"1", "2", "3", "4", "5"})
      train.push_back(fmt::format("cifar-10-batches-bin/data_batch_{}.bin", number));
    r.data_files("train", train, "training files, relative to the data directory");
    r.data_files("test", test, "test files; empty = none");
    r("rows", rows, at_least(0), "use the first rows of the training files only; 0 = all");
    scaling.read(r, 3);
    if (train.empty()) r.refuse("train", "expected at least one file");
  }
};

class CifarSource final : public Source {
 public:
  explicit CifarSource(CifarSettings s) : s_(std::move(s)) {}
  std::size_t features() const override { return cifar_features; }
  int classes() const override { return cifar_classes; }
  bool sparse() const override { return false; }
  bool has_tests() const override { return !s_.test.empty(); }
  std::size_t rows() const override { return s_.rows; }
  std::vector<std::string> files() const override {
    auto all = s_.train;
    all.insert(all.end(), s_.test.begin(), s_.test.end());
    return all;
  }
  Preprocessing preprocessing() const override { return {.scaling = s_.scaling.kind}; }
  std::string description() const override {
    return fmt::format("cifar {}, scaling {}", join(s_.train), name(s_.scaling.kind));
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    TrainTest data;
    const auto train = data_paths(folder, s_.train);
    const auto test = data_paths(folder, s_.test);
    data.remark = overlap_remark(train, test);
    data.train = read_cifar(train);
    require(s_.rows <= data.train.size(),
            "data.rows = {}: the training files have {} records only; lower data.rows", s_.rows,
            data.train.size());
    if (s_.rows > 0) data.train.truncate(s_.rows);
    data.test = read_cifar(test);
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override { s_.scaling.apply(data); }

 private:
  CifarSettings s_;
};

std::unique_ptr<Source> make_cifar(const CifarSettings& settings) {
  return std::make_unique<CifarSource>(settings);
}

}  // namespace

Row<SourceMaker> cifar_source() {
  return part_with_settings("cifar", "CIFAR-10 in its binary version, whole or in part",
                            make_cifar);
}

}  // namespace trilemma
