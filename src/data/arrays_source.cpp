#include <algorithm>
#include <cmath>
#include <set>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "data/array_records.hpp"
#include "data/class_labels.hpp"
#include "data/csv_encoding.hpp"
#include "data/data_file.hpp"
#include "data/labels.hpp"
#include "data/scaling.hpp"

namespace trilemma {
namespace {

using Names = std::vector<std::string>;

std::int64_t whole_label(const ArrayTargets& targets, std::size_t record) {
  const double found = targets.number[record];
  constexpr double most = 9e15;  // integers up to this are exact as doubles
  require(found == std::floor(found) && std::abs(found) <= most,
          "{}: record {} has {}, which is no label; set data.classes = 0 for real targets",
          targets.place, record, found);
  return static_cast<std::int64_t>(found);
}

LabelCount count_labels(const ArrayTargets& targets) {
  LabelCount count(targets.place);
  for (std::size_t r = 0; r < targets.number.size(); ++r) count.add(whole_label(targets, r));
  return count;
}

// Numbers text labels of both files as classes, in ascending order.
Numbering numbered_words(const ArrayTargets& train, const ArrayTargets& test) {
  std::set<std::string> words(train.word.begin(), train.word.end());
  words.insert(test.word.begin(), test.word.end());
  return number_words(words);
}

class ArraysSource final : public Source {
 public:
  explicit ArraysSource(ArraysSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override { return s_.shape.open(); }
  FileShape find(const std::string& folder) const override {
    const ArrayRecords train(s_.train, s_.user, folder, false);
    Names ignored;
    FileShape found;
    const RawArray array = reading(train.path(), [&] { return train.features(); });
    found.features = places_in_record(array, s_.axes, ignored).size();
    if (s_.shape.classes) return found;  // real targets cannot be counted
    const ArrayTargets of_train = targets_of(train);
    ArrayTargets of_test;
    if (has_tests()) of_test = targets_of(ArrayRecords(s_.test, s_.user, folder, true));
    found.classes = of_train.word.empty()
                        ? label_classes(count_labels(of_train), count_labels(of_test))
                        : static_cast<int>(numbered_words(of_train, of_test).size());
    return found;
  }
  void settle(const FileShape& found) override { s_.shape.settle(found); }
  std::size_t features() const override { return s_.shape.features.value(); }
  int classes() const override { return s_.shape.classes.value(); }
  bool sparse() const override { return false; }
  bool numbers_labels() const override { return classes() > 0 && s_.shape.labels.empty(); }
  bool has_users() const override { return s_.has_users(); }
  bool has_tests() const override { return !s_.test.file.empty(); }
  std::size_t rows() const override { return s_.rows; }
  std::vector<std::string> files() const override {
    Names all;
    for (const auto* part : {&s_.train, &s_.test})
      for (const auto& name : {part->file, part->labels, part->users})
        if (!name.empty() && std::ranges::count(all, name) == 0) all.push_back(name);
    return all;
  }
  Preprocessing preprocessing() const override { return {.scaling = s_.scaling}; }
  std::string description() const override {
    return fmt::format("arrays {}, {} from {}, scaling {}", s_.train.file,
                       classes() == 0 ? "real values" : fmt::format("{} classes", classes()),
                       counted(features(), "feature"), name(s_.scaling));
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    TrainTest data;
    const ArrayRecords train(s_.train, s_.user, folder, false);
    std::optional<ArrayRecords> test;
    if (has_tests()) test.emplace(s_.test, s_.user, folder, true);
    data.train.rows = rows_of(train, s_.rows, data);
    data.test.rows = DenseRows{};
    const ArrayTargets of_train = targets_of(train);
    ArrayTargets of_test;
    if (test) {
      data.test.rows = rows_of(*test, 0, data);
      of_test = targets_of(*test);
      if (train.feature_name() == test->feature_name())
        data.remark = overlap_remark({train.path()}, {test->path()});
    }
    take_targets(of_train, of_test, data);
    if (has_users()) take_users(train, test, data);
    if (s_.rows > 0) data.train.truncate(s_.rows);
    check_kinds(data);
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override {
    data.scaling = scale_features(data, s_.scaling);
  }

 private:
  static ArrayTargets targets_of(const ArrayRecords& records) {
    return reading(records.path(), [&] { return records.targets(); });
  }
  static std::vector<std::string> users_of(const ArrayRecords& records) {
    return reading(records.path(), [&] { return records.users(); });
  }
  DenseRows rows_of(const ArrayRecords& records, std::size_t rows, TrainTest& data) const {
    const RawArray array = reading(records.path(), [&] { return records.features(); });
    const auto places = places_in_record(array, s_.axes, data.notes);
    require(places.size() == features(), "{}: {} values by record ({}), but data.features = {}",
            array.place, places.size(), array.shape_in_words(), features());
    require(rows <= array.records(), "data.rows = {}: {} has {} records only; lower data.rows",
            rows, array.place, array.records());
    std::size_t lost = 0;
    DenseRows found = reading(array.place, [&] {
      // Problems with real targets need real features.
      return read_rows(array, places, rows > 0 ? rows : array.records(), &lost,
                       classes() == 0 ? ByteValues::scaled : ByteValues::kept);
    });
    describe_lost(data, array.place, lost);
    return found;
  }

  // Checks that there are as many labels as records in the array; with data.rows only the first
  // ones are used.
  static void check_count(const ArrayTargets& targets, const Dataset& set, bool are_cut) {
    const std::size_t rows = std::get<DenseRows>(set.rows).rows();
    require(are_cut ? targets.size() >= rows : targets.size() == rows,
            "{}: {} values for {} records; the arrays do not belong together", targets.place,
            targets.size(), rows);
  }

  void take_targets(const ArrayTargets& train, const ArrayTargets& test, TrainTest& data) const {
    check_count(train, data.train, s_.rows > 0);
    check_count(test, data.test, false);
    for (auto* set : {&data.train, &data.test}) set->classes = classes();
    if (classes() == 0) {
      describe_lost(data, train.place, take_reals(train, data.train));
      describe_lost(data, test.place, take_reals(test, data.test));
    } else if (!train.word.empty()) {
      take_words(train, test, data);
    } else {
      const LabelCount of_train = count_labels(train), of_test = count_labels(test);
      const ClassMap map = numbers_labels() ? ClassMap(classes(), of_train, of_test)
                                            : ClassMap(stated_integers(s_.shape.labels));
      describe_labels(of_train, of_test, classes(), data);
      if (!map.renumbered().empty())
        data.renumbered = renumbering(train.place, map.renumbered(), classes());
      take_classes(train, map, data.train);
      take_classes(test, map, data.test);
    }
  }

  static std::size_t taken(const ArrayTargets& targets, const Dataset& set) {
    return std::min(targets.size(), std::get<DenseRows>(set.rows).rows());
  }
  // Returns the number of targets that became 0 because they are too small.
  static std::size_t take_reals(const ArrayTargets& targets, Dataset& set) {
    require(targets.word.empty(), "{}: text, but data.classes = 0 (real targets); set data.classes",
            targets.place);
    std::size_t lost = 0;
    for (std::size_t r = 0; r < taken(targets, set); ++r) {
      set.target.push_back(static_cast<real>(targets.number[r]));
      if (targets.number[r] != 0 && set.target.back() == 0) ++lost;
      if (!std::isfinite(set.target.back()))
        throw UserError(fmt::format("{}: record {}: {}", targets.place, r,
                                    number_problem(targets.number[r], "clean the array")));
      set.label.push_back(0);
    }
    return lost;
  }
  void take_words(const ArrayTargets& train, const ArrayTargets& test, TrainTest& data) const {
    require(test.number.empty(),
            "{}: numbers, but {} has text; save the same kind of labels in both", test.place,
            train.place);
    const Numbering numbers = numbers_labels()
                                  ? numbered_words(train, test)
                                  : number_words({s_.shape.labels.begin(), s_.shape.labels.end()});
    if (numbers_labels() && !are_numbers_of_classes(numbers))
      data.renumbered = renumbering(train.place, words_of(numbers), classes());
    require(numbers.size() == static_cast<std::size_t>(classes()),
            "{}: {} different labels, but data.classes = {}; set data.classes = {}", train.place,
            numbers.size(), classes(), numbers.size());
    std::set<std::string> untrained(test.word.begin(), test.word.end());
    for (const std::string& word : train.word) untrained.erase(word);
    if (!untrained.empty())
      data.notes.push_back(fmt::format("{}: label {} occurs in no training record", test.place,
                                       shown(join({untrained.begin(), untrained.end()}))));
    for (std::size_t r = 0; r < taken(train, data.train); ++r)
      data.train.label.push_back(class_of_word(train, r, numbers));
    for (std::size_t r = 0; r < test.word.size(); ++r)
      data.test.label.push_back(class_of_word(test, r, numbers));
  }
  static std::int32_t class_of_word(const ArrayTargets& targets, std::size_t record,
                                    const Numbering& numbers) {
    const auto at = numbers.find(targets.word[record]);
    if (at == numbers.end())
      throw UserError(fmt::format(
          "{}: record {}: label \"{}\" is not among data.class_labels; fix it, or list it there",
          targets.place, record, shown(targets.word[record], 20)));
    return at->second;
  }
  static void take_classes(const ArrayTargets& targets, const ClassMap& map, Dataset& set) {
    require(targets.word.empty(),
            "{}: text, but the training labels are numbers; save the same kind "
            "of labels in both",
            targets.place);
    for (std::size_t r = 0; r < taken(targets, set); ++r)
      set.label.push_back(class_of_number(targets, r, map));
  }

  static std::int32_t class_of_number(const ArrayTargets& targets, std::size_t record,
                                      const ClassMap& map) {
    const std::int64_t label = whole_label(targets, record);
    const auto number = map.number(label);
    if (!number)
      throw UserError(
          fmt::format("{}: record {}: label {} is not {}; fix it, or list it in "
                      "data.class_labels",
                      targets.place, record, label, map.expected()));
    return *number;
  }

  void take_users(const ArrayRecords& train, const std::optional<ArrayRecords>& test,
                  TrainTest& data) const {
    const auto words = users_of(train);
    require(words.size() >= data.train.size(), "{}: {} users for {} records", train.path(),
            words.size(), data.train.size());
    std::map<std::string, std::uint32_t> number;
    for (std::size_t r = 0; r < data.train.size(); ++r)
      data.train.user.push_back(number.emplace(words[r], number.size()).first->second);
    if (!test) return;
    const auto of_test = users_of(*test);
    require(of_test.size() == data.test.size(), "{}: {} users for {} records", test->path(),
            of_test.size(), data.test.size());
    for (const auto& word : of_test) {
      const auto at = number.find(word);
      if (at == number.end()) {
        data.test.user.clear();
        data.notes.push_back(fmt::format(
            "{}: user \"{}\" and perhaps others have no training records: the test records are one "
            "set for all clients",
            test->path(), shown(word, 40)));
        return;
      }
      data.test.user.push_back(at->second);
    }
  }

  static void check_kinds(const TrainTest& data) {
    const auto& train = std::get<DenseRows>(data.train.rows);
    const auto& test = std::get<DenseRows>(data.test.rows);
    require(data.test.size() == 0 || train.byte.empty() == test.byte.empty(),
            "data.test: its features are of another type than those of data.train; save both as "
            "uint8, or both as float32");
  }

  ArraysSettings s_;
};

std::unique_ptr<Source> make_arrays(const ArraysSettings& arrays, const Settings& settings) {
  if (arrays.train.file.empty())
    settings.refuse("train", "name the file with the training features (.npy, .npz or HDF5)");
  return std::make_unique<ArraysSource>(arrays);
}

}  // namespace

Row<SourceMaker> arrays_source() {
  return part_with_settings(
      "arrays", "arrays of NumPy (.npy, .npz) or HDF5: features or images, labels, users",
      make_arrays);
}

}  // namespace trilemma
