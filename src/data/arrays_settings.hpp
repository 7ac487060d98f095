#pragma once

#include "data/array.hpp"
#include "data/source.hpp"

namespace trilemma {

/// Settings of array files.
struct ArraysSettings {
  /// For training or for tests: the file with the features, separate files with labels and users if
  /// there are any, and the names of the arrays in them.
  struct Part {
    std::string file, labels, users, array, target;
  };
  Part train, test;
  std::string user;  ///< name of the array with the users
  Scaling scaling = Scaling::standard;
  Axes axes = Axes::unknown;
  SettledShape shape;
  std::size_t rows = 0;

  bool has_users() const { return !user.empty() || !train.users.empty(); }

  void read(Reader& r);

 private:
  void read_files(Reader& r);
  void read_names(Reader& r);
};

}  // namespace trilemma
