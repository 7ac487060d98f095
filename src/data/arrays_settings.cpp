#include "data/arrays_settings.hpp"

#include "data/class_labels.hpp"

namespace trilemma {

namespace {

void read_files(Settings& s, ArraysSettings& v) {
  v.train.file = s.data_file("train", "", "training features: .npy, .npz or HDF5");
  v.train.labels = s.data_file("labels", "", "labels or targets (.npy), where train has none");
  v.train.users = s.data_file("users", "", "the user of each record (.npy); empty = no users");
  v.test.file = s.data_file("test", "", "test features; empty = none; may be the file of training");
  v.test.labels = s.data_file("test_labels", "", "their labels or targets (.npy)");
  v.test.users = s.data_file("test_users", "", "their users (.npy)");
}

void read_names(Settings& s, ArraysSettings& v) {
  v.train.array = s.text("array", "", "name of the training features; empty = X, x, X_train, ...");
  v.train.target = s.text("target", "", "name of their labels or targets; empty = y, y_train, ...");
  v.test.array = s.text("test_array", "", "name of the test features; empty = X_test, x_test, ...");
  v.test.target = s.text("test_target", "", "name of their labels or targets; empty = y_test, ...");
  v.user = s.text("user", "", "name of the users of both; empty = no users");
  if (!v.user.empty() && !v.train.users.empty())
    s.refuse("user", "data.users names a file of users too; leave one out");
}

}  // namespace

ArraysSettings read_arrays_settings(Settings& s) {
  ArraysSettings v;
  read_files(s, v);
  read_names(s, v);
  if (v.test.users.empty() != v.train.users.empty() && !v.test.file.empty())
    s.refuse("test_users", "give data.users and data.test_users, or neither");
  const std::string axes =
      s.choice("axes", "auto", {"auto", "nhwc", "nchw"},
               "indices of colour images: records, then height, width, colours or colours, height, "
               "width; auto = by the extents");
  v.axes = axes == "auto" ? Axes::unknown : axes == "nhwc" ? Axes::nhwc : Axes::nchw;
  v.shape.features = s.integer_or("features", left_to_files, at_least(1), "values of a record");
  v.shape.classes = s.integer_or("classes", left_to_files, {.low = 0, .high = 1e6},
                                 "different labels; 0 = real targets");
  if (v.shape.classes == 1) s.refuse("classes", "expected 0 for real targets, or at least 2");
  v.shape.labels = read_class_labels(s, v.shape.classes);
  v.rows = s.count("rows", 0, at_least(0), "use the first training records only; 0 = all");
  v.scaling =
      read_scaling(s, Scaling::standard,
                   "one mean and deviation of all values, training and test alike; looks at all "
                   "records");
  return v;
}

}  // namespace trilemma
