#pragma once

#include <memory>

#include "core/table.hpp"
#include "data/dataset.hpp"

namespace trilemma {

/// Where the records come from. The dimension is known before anything is read.
class Source {
 public:
  virtual ~Source() = default;
  /// Features of a record, a bias column included.
  virtual std::size_t features() const = 0;
  /// 0 = real targets.
  virtual int classes() const = 0;
  /// Sparse or dense rows.
  virtual bool sparse() const = 0;
  /// Records belong to users.
  virtual bool has_users() const { return false; }
  /// Files that are read, relative to the data folder.
  virtual std::vector<std::string> files() const { return {}; }
  /// Records used for training if known in advance, else 0.
  virtual std::size_t rows() const = 0;
  /// Reads or generates; file names are relative to `folder`.
  virtual TrainTest load(const std::string& folder, std::uint64_t seed) const = 0;
  /// Scaling that looks at the records which are trained on, once these are known (held-out ones
  /// are not among them); `data.scaling` says what was done.
  virtual void scale(TrainTest& /*data*/, Coordinates /*training*/) const {}
  /// One line for the run file.
  virtual std::string description() const = 0;
};

using SourceMaker = std::unique_ptr<Source> (*)(Settings&);

/// synthetic, libsvm, idx, cifar, csv, leaf, omniglot, quadratics.
std::span<const Row<SourceMaker>> sources();

}  // namespace trilemma
