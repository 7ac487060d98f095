#pragma once

#include "data/array.hpp"
#include "data/source.hpp"

namespace trilemma {

/// What the settings say of files of arrays.
struct ArraysSettings {
  /// Of training or of tests: the file with the features, and those of labels and users where they
  /// are files of their own; the names of arrays in these.
  struct Part {
    std::string file, labels, users, array, target;
  };
  Part train, test;
  std::string user;  ///< name of the array of users
  Scaling scaling = Scaling::none;
  Axes axes = Axes::unknown;
  SettledShape shape;
  std::size_t rows = 0;

  bool has_users() const { return !user.empty() || !train.users.empty(); }
};

/// Reads them.
ArraysSettings read_arrays_settings(Settings& s);

}  // namespace trilemma
