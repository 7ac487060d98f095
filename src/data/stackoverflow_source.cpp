#include <string_view>
#include <unordered_map>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/source.hpp"
#include "data/stackoverflow.hpp"

namespace trilemma {
namespace {

struct StackOverflowSettings {
  std::string train = "stackoverflow/stackoverflow_train.h5";
  std::string test = "stackoverflow/stackoverflow_test.h5";
  std::string word_counts = "stackoverflow/stackoverflow.word_count";
  std::string tag_counts = "stackoverflow/stackoverflow.tag_count";
  std::size_t first_users = 400, per_user = 500, features = 10000;
  int classes = 500;
  bool dense = true;

  void read(Reader& r) {
    r.data_file("train", train, "training posts (HDF5), relative to the data directory");
    // The default test file must not be used with other training data.
    if (r.has("train") && !r.has("test")) test = "";
    r.data_file("test", test, "test posts of the same users; empty = none");
    r.data_file("word_counts", word_counts, "words and their counts, the most frequent first");
    r.data_file("tag_counts", tag_counts, "JSON object of tags and their counts");
    r("first_users", first_users, {.low = 1, .high = 1e7},
      "users, the first by name who have posts with a known tag");
    r("per_user", per_user, at_least(0), "posts of each user, the first of the file; 0 = all");
    r("features", features, {.low = 1, .high = 1e8}, "most frequent words, which are the features");
    r("classes", classes, {.low = 2, .high = 1e6}, "most frequent tags, which are the classes");
    r("layout", dense,
      {{"sparse", false, "for problems that take sparse records"},
       {"dense", true, "for other problems"}},
      "storage of rows");
  }
};

// Gives the chosen records their rows, those of `all` with the same numbers.
void take_rows(SparseRows all, const std::vector<bool>& chosen, Dataset& data) {
  data.keep(chosen);
  if (chosen.empty()) {
    data.rows = std::move(all);
    return;
  }
  SparseRows some;
  some.columns = all.columns;
  for (std::size_t r = 0; r < chosen.size(); ++r)
    if (chosen[r]) some.append_row(all, r);
  data.rows = std::move(some);
}

class StackOverflowSource final : public Source {
 public:
  explicit StackOverflowSource(StackOverflowSettings s) : s_(std::move(s)) {}
  std::size_t features() const override { return s_.features; }
  int classes() const override { return s_.classes; }
  bool sparse() const override { return !s_.dense; }
  bool has_users() const override { return true; }
  bool has_tests() const override { return !s_.test.empty(); }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    std::vector<std::string> all{s_.train, s_.word_counts, s_.tag_counts};
    if (has_tests()) all.push_back(s_.test);
    return all;
  }
  Preprocessing preprocessing() const override { return {.chooses_users = true}; }
  std::string description() const override {
    return fmt::format("stackoverflow {}, {}, {}, {} tags", s_.train,
                       counted(s_.first_users, "user"), counted(s_.features, "word"), s_.classes);
  }

  TrainTest load(const std::string& folder, std::uint64_t seed) const override {
    return load_part(folder, seed, [](const TrainTest&) { return KeptRecords{}; });
  }
  // Dense rows of all clients would take far more memory than their texts.
  bool loads_parts() const override { return true; }
  TrainTest load_part(const std::string& folder, std::uint64_t,
                      const ChooseRecords& choose) const override {
    const auto vocabulary = read_post_vocabulary(data_path(folder, s_.word_counts), s_.features,
                                                 data_path(folder, s_.tag_counts),
                                                 static_cast<std::size_t>(s_.classes));
    const std::string train = data_path(folder, s_.train);
    Posts posts = read_posts(train, vocabulary, s_.first_users, s_.per_user, {});
    Posts of_tests;
    TrainTest data;
    describe_untagged(train, posts.untagged, data);
    data.train = records_of(posts, posts.users);
    if (has_tests()) {
      const std::string test = data_path(folder, s_.test);
      data.remark = overlap_remark({train}, {test});
      of_tests = read_posts(test, vocabulary, s_.first_users, s_.per_user, posts.users);
      describe_untagged(test, of_tests.untagged, data);
    }
    data.test = records_of(of_tests, posts.users);
    const KeptRecords kept = choose(data);
    take_rows(std::move(posts.rows), kept.train, data.train);
    if (s_.dense) make_dense(data.train, s_.train);
    if (!has_tests()) return data;
    take_rows(std::move(of_tests.rows), kept.test, data.test);
    if (s_.dense) make_dense(data.test, s_.test);
    return data;
  }

 private:
  // Returns the records without rows; `users` are the users who train, by number.
  Dataset records_of(const Posts& posts, const std::vector<std::string>& users) const {
    Dataset data;
    data.classes = s_.classes;
    DenseRows dense;
    SparseRows sparse;
    dense.columns = sparse.columns = s_.features;
    if (s_.dense)
      data.rows = std::move(dense);
    else
      data.rows = std::move(sparse);
    data.label = posts.label;
    // Two classes are -1 and +1 in sparse rows.
    if (s_.classes == 2 && !s_.dense)
      for (auto& label : data.label) label = label == 0 ? -1 : 1;
    std::unordered_map<std::string_view, std::uint32_t> number;
    for (const auto& user : users) number.emplace(user, static_cast<std::uint32_t>(number.size()));
    for (const auto user : posts.user) data.user.push_back(number.at(posts.users[user]));
    return data;
  }
  void describe_untagged(const std::string& file, std::size_t posts, TrainTest& data) const {
    if (posts == 0) return;
    data.notes.push_back(fmt::format("{}: {} without any of the {} tags left out", file,
                                     counted(posts, "post"), s_.classes));
  }

  StackOverflowSettings s_;
};

}  // namespace

Row<SourceMaker> stackoverflow_source() {
  return part_with_settings(
      "stackoverflow", "posts of Stack Overflow (TensorFlow Federated): words and tags by user",
      make_source<StackOverflowSource, StackOverflowSettings>);
}

}  // namespace trilemma
