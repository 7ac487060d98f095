#include "data/source.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

struct ClusterOptions {
  std::size_t rows = 3000, features = 10;
  int classes = 3;
  double noise = 0.5;
  void read(Reader& r) {
    r("rows", rows, {.low = 1, .high = 1e8}, "records");
    r("features", features, {.low = 2, .high = 1e6}, "features of a record");
    r("classes", classes, {.low = 2, .high = 1e6}, "clusters, one for each class");
    r("noise", noise, at_least(0), "standard deviation of every feature around its centre");
    if (static_cast<std::size_t>(classes) > features)
      r.refuse("classes", fmt::format("more than data.features = {}; lower it", features));
  }
};

// Clusters: record i has label c = i mod classes and the features e_c + N(0, noise^2 I), where e_c
// is the unit vector of coordinate c.
class ClustersSource final : public Source {
 public:
  explicit ClustersSource(const ClusterOptions& options) : options_(options) {}
  std::size_t features() const override { return options_.features; }
  int classes() const override { return options_.classes; }
  bool sparse() const override { return false; }
  std::size_t rows() const override { return options_.rows; }
  std::string description() const override {
    return fmt::format("{} records in {} clusters, {} features, noise {}", options_.rows,
                       options_.classes, options_.features, options_.noise);
  }
  TrainTest load(const std::string&, std::uint64_t seed) const override {
    DenseRows rows;
    rows.columns = options_.features;
    TrainTest data;
    data.train.classes = options_.classes;
    std::vector<double> noise(options_.features);
    for (std::uint32_t i = 0; i < options_.rows; ++i) {
      const std::uint32_t label = i % static_cast<std::uint32_t>(options_.classes);
      normals({seed, Purpose::data, i, 10}, 0, noise);
      for (std::uint32_t j = 0; j < options_.features; ++j)
        rows.value.push_back(static_cast<real>((j == label ? 1 : 0) + options_.noise * noise[j]));
      data.train.label.push_back(static_cast<std::int32_t>(label));
    }
    data.train.rows = std::move(rows);
    return data;
  }

 private:
  ClusterOptions options_;
};

}  // namespace

Row<SourceMaker> clusters_source() {
  return part_with_settings("clusters", "one Gaussian cluster for each class",
                            make_source<ClustersSource, ClusterOptions>);
}

}  // namespace trilemma
