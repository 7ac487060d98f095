#include "data/array_records.hpp"

#include <algorithm>
#include <cctype>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

using Names = std::vector<std::string>;

const Names usual_features{"X",      "x",    "X_train", "x_train", "train_images",
                           "images", "data", "features"};
const Names usual_targets{"y",      "Y",     "y_train", "Y_train", "train_labels",
                          "labels", "label", "target",  "targets"};
const Names usual_test_features{"X_test", "x_test", "test_images", "X",
                                "x",      "images", "data",        "features"};
const Names usual_test_targets{"y_test", "Y_test", "test_labels", "y",      "Y",
                               "labels", "label",  "target",      "targets"};

// Returns whether names differ at most in case.
bool are_alike(const std::string& a, const std::string& b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

// Returns the name of an array in a file: the one in the settings, or the first usual name that
// occurs.
std::string name_in(const ArrayFile& file, const std::string& path, const std::string& set,
                    const Names& usual, const char* key) {
  const Names names = file.names();
  const auto has = [&](const std::string& name) { return std::ranges::count(names, name) > 0; };
  if (names.empty()) {
    require(set.empty(), "{}: one array without a name, but data.{} = \"{}\"; leave that out", path,
            key, shown(set));
    return {};
  }
  const auto found = std::ranges::find_if(usual, has);
  if (set.empty() && found != usual.end()) {
    const auto twin = std::ranges::find_if(
        names, [&](const std::string& name) { return name != *found && are_alike(name, *found); });
    require(twin == names.end(), "{}: arrays {} and {}; choose one with data.{}", path, *found,
            twin == names.end() ? "" : shown(*twin), key);
    return *found;
  }
  require(!set.empty() && has(set), "{}: no array {}; it has {}: set data.{}", path,
          set.empty() ? join(usual, ", ") : "\"" + shown(set) + "\"", shown(join(names), 200), key);
  return set;
}

}  // namespace

ArrayRecords::ArrayRecords(const ArraysSettings::Part& part, const std::string& user,
                           const std::string& folder, bool is_test)
    : part_(part),
      user_(user),
      is_test_(is_test),
      path_(data_path(folder, part.file)),
      folder_(folder),
      file_(open_array_file(path_)) {}

std::string ArrayRecords::feature_name() const {
  return name_in(*file_, path_, part_.array, is_test_ ? usual_test_features : usual_features,
                 is_test_ ? "test_array" : "array");
}

ArrayTargets ArrayRecords::targets() const {
  const char* key = is_test_ ? "test_labels" : "labels";
  RawArray array;
  if (!part_.labels.empty()) {
    array = only_array(part_.labels, key);
  } else {
    require(!file_->names().empty(), "{}: one array alone; name the file of its labels in data.{}",
            path_, key);
    array = file_->open(name_in(*file_, path_, part_.target,
                                is_test_ ? usual_test_targets : usual_targets,
                                is_test_ ? "test_target" : "target"));
  }
  ArrayTargets found;
  found.place = array.place;
  if (array.is_text())
    found.word = read_words(array);
  else
    found.number = read_numbers(array);
  return found;
}

std::vector<std::string> ArrayRecords::users() const {
  const char* key = is_test_ ? "test_users" : "users";
  if (!part_.users.empty()) return read_words(only_array(part_.users, key));
  require(!file_->names().empty(), "{}: one array alone; name the file of its users in data.{}",
          path_, key);
  return read_words(file_->open(
      name_in(*file_, path_, "",
              is_test_ ? Names{user_ + "_test", user_} : Names{user_, user_ + "_train"}, "user")));
}

// Returns the only array of the file named by `key`, whatever the name of the array.
RawArray ArrayRecords::only_array(const std::string& name, const char* key) const {
  const std::string path = data_path(folder_, name);
  const auto file = open_array_file(path);
  const Names names = file->names();
  require(names.size() <= 1,
          "{}: {} arrays ({}), but data.{} takes a file with one; save that array alone, or name "
          "the array in data.{} and leave data.{} out if this file has the features too",
          path, names.size(), shown(join(names), 200), key,
          part_.labels == name ? (is_test_ ? "test_target" : "target") : "user", key);
  return file->open(names.empty() ? std::string() : names.front());
}

}  // namespace trilemma
