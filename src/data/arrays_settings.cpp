#include "data/arrays_settings.hpp"

#include "data/class_labels.hpp"

namespace trilemma {

void ArraysSettings::read_files(Reader& r) {
  r.data_file("train", train.file, "training features: .npy, .npz or HDF5");
  r.data_file("labels", train.labels, "labels or targets (.npy), where train has none");
  r.data_file("users", train.users, "the user of each record (.npy); empty = no users");
  r.data_file("test", test.file, "test features; empty = none; may be the file of training");
  r.data_file("test_labels", test.labels, "their labels or targets (.npy)");
  r.data_file("test_users", test.users, "users of the test records (.npy)");
}

void ArraysSettings::read_names(Reader& r) {
  r("array", train.array, "name of the training features; empty = X, x, X_train, ...");
  r("target", train.target, "name of the training labels or targets; empty = y, y_train, ...");
  r("test_array", test.array, "name of the test features; empty = X_test, x_test, ...");
  r("test_target", test.target, "name of the test labels or targets; empty = y_test, ...");
  r("user", user, "name of the users of both; empty = no users");
  if (!user.empty() && !train.users.empty())
    r.refuse("user", "data.users names a file of users too; leave one out");
}

void ArraysSettings::read(Reader& r) {
  read_files(r);
  read_names(r);
  if (test.users.empty() != train.users.empty() && !test.file.empty())
    r.refuse("test_users", "give data.users and data.test_users, or neither");
  r("axes", axes,
    {{"auto", Axes::unknown, "by the extents"},
     {"nhwc", Axes::nhwc, "records, height, width, colours"},
     {"nchw", Axes::nchw, "records, colours, height, width"}},
    "order of the indices of colour images");
  r("features", shape.features, Word{left_to_files}, at_least(1), "values of a record");
  r("classes", shape.classes, Word{left_to_files}, {.low = 0, .high = 1e6},
    "different labels; 0 = real targets");
  if (shape.classes == 1) r.refuse("classes", "expected 0 for real targets, or at least 2");
  shape.labels = read_class_labels(r, shape.classes);
  r("rows", rows, at_least(0), "use the first training records only; 0 = all");
  read_scaling(
      r, scaling,
      "one mean and standard deviation for all values of training and test data, which uses all "
      "records");
}

}  // namespace trilemma
