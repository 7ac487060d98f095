#include "base/text.hpp"
#include "data/cifar.hpp"
#include "data/data_file.hpp"
#include "data/scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct CifarSettings {
  std::vector<std::string> train, test;
  std::size_t rows;
  Scaling scaling;
};

CifarSettings read_cifar_settings(Settings& s) {
  CifarSettings v;
  std::vector<std::string> official;
  for (const char* number : {"1", "2", "3", "4", "5"})
    official.push_back(fmt::format("cifar-10-batches-bin/data_batch_{}.bin", number));
  v.train = s.data_files("train", official, "training files, relative to the data directory");
  v.test =
      s.data_files("test", {"cifar-10-batches-bin/test_batch.bin"}, "test files; empty = none");
  v.rows =
      s.count("rows", 0, at_least(0), "use the first rows of the training files only; 0 = all");
  v.scaling = read_scaling(s, Scaling::standard,
                           "feature scaling, training and test alike; looks at all records");
  if (v.train.empty()) s.refuse("train", "expected at least one file");
  return v;
}

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
  Preprocessing preprocessing() const override { return {.scaling = s_.scaling}; }
  std::string description() const override {
    return fmt::format("cifar {}, scaling {}", join(s_.train), name(s_.scaling));
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
  void scale(TrainTest& data, Coordinates) const override {
    data.scaling = scale_features(data, s_.scaling);
  }

 private:
  CifarSettings s_;
};

void declare_cifar(Settings& settings) { read_cifar_settings(settings); }
std::unique_ptr<Source> make_cifar(Settings& settings) {
  return std::make_unique<CifarSource>(read_cifar_settings(settings));
}

}  // namespace

Row<SourceMaker> cifar_source() {
  return {"cifar", "CIFAR-10 in its binary version, whole or in part", declare_cifar, make_cifar};
}

}  // namespace trilemma
