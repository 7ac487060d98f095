#include "base/text.hpp"
#include "data/cifar.hpp"
#include "data/data_file.hpp"
#include "data/image_scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

// What both versions of CIFAR have.
struct CifarFiles {
  std::vector<std::string> train, test;
  std::size_t rows = 0;
  ImageScaling scaling;

  void read(Reader& r) {
    r.data_files("train", train, "training files, relative to the data directory");
    r.data_files("test", test, "test files; empty = none");
    r("rows", rows, at_least(0), "use the first rows of the training files only; 0 = all");
    if (train.empty()) r.refuse("train", "expected at least one file");
    scaling.read(r, cifar_planes);
  }
};

struct Cifar10Settings : CifarFiles {
  void read(Reader& r) {
    for (const char* number : {"1", "2", "3", "4", "5"})
      train.push_back(fmt::format("cifar-10-batches-bin/data_batch_{}.bin", number));
    test = {"cifar-10-batches-bin/test_batch.bin"};
    // The constants of the public code of FAVANO.
    scaling.means = {0.4914, 0.4822, 0.4465};
    scaling.deviations = {0.2023, 0.1994, 0.2010};
    CifarFiles::read(r);
  }
};

struct Cifar100Settings : CifarFiles {
  bool is_fine = true;

  void read(Reader& r) {
    train = {"cifar-100-binary/train.bin"};
    test = {"cifar-100-binary/test.bin"};
    CifarFiles::read(r);
    r("label_level", is_fine, {{"fine", true, "100 classes"}, {"coarse", false, "20 superclasses"}},
      "which of the two labels of an image is used");
  }
};

class CifarSource final : public Source {
 public:
  CifarSource(std::string name, CifarVersion version, CifarFiles s)
      : name_(std::move(name)), version_(std::move(version)), s_(std::move(s)) {}
  std::size_t features() const override { return cifar_features; }
  int classes() const override { return version_.used_classes(); }
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
    return fmt::format("{} {}, scaling {}", name_, join(s_.train), name(s_.scaling.kind));
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    TrainTest data;
    const auto train = data_paths(folder, s_.train);
    const auto test = data_paths(folder, s_.test);
    data.remark = overlap_remark(train, test);
    data.train = read_cifar(train, version_);
    require(s_.rows <= data.train.size(),
            "data.rows = {}: the training files have {} records only; lower data.rows", s_.rows,
            data.train.size());
    if (s_.rows > 0) data.train.truncate(s_.rows);
    data.test = read_cifar(test, version_);
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override { s_.scaling.apply(data); }

 private:
  std::string name_;
  CifarVersion version_;
  CifarFiles s_;
};

std::unique_ptr<Source> make_cifar(const Cifar10Settings& settings) {
  return std::make_unique<CifarSource>("cifar", cifar10(), settings);
}

std::unique_ptr<Source> make_cifar100(const Cifar100Settings& settings) {
  return std::make_unique<CifarSource>(settings.is_fine ? "cifar100" : "cifar100 (coarse labels)",
                                       settings.is_fine ? cifar100_fine() : cifar100_coarse(),
                                       settings);
}

}  // namespace

Row<SourceMaker> cifar_source() {
  return part_with_settings("cifar", "CIFAR-10 in its binary version, whole or in part",
                            make_cifar);
}

Row<SourceMaker> cifar100_source() {
  return part_with_settings("cifar100", "CIFAR-100 in its binary version, whole or in part",
                            make_cifar100);
}

}  // namespace trilemma
