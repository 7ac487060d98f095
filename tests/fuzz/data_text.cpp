// Data as text: LIBSVM, CSV, JSON of LEAF, the numbers of a start model.

#include <cmath>

#include "federation/start_model.hpp"
#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/data_check.hpp"
#include "tests/support/archives.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

const std::string libsvm_text = "-1 1:1 3:0.5 \n+1 2:-2e-1 7:1\n\n-1 5:1\n1 4:2\t\r\n";

void train_on_libsvm(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("libsvm", "train = 'train'\ntest = ''", folder);
}

void test_on_libsvm(const std::string& input, const TempFolder& folder) {
  folder.write("train", libsvm_text);
  folder.write("test", input);
  load("libsvm", "train = 'train'\ntest = 'test'\nfeatures = 7\nscaling = 'none'", folder);
}

void train_on_labels(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("libsvm", "train = 'train'\ntest = 'train'\nclasses = 3", folder);
}

void train_on_real_targets(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("libsvm", "train = 'train'\nclasses = 0\nscaling = 'none'", folder);
}

const std::string csv_text =
    "who,a,y,note,b\nann,1,10,,0.5\r\n\"bob, jr\",3,20,x,-1e1\n\nann, 2 ,30,\"say \"\"hi\"\"\",4\n";

void read_targets(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("csv", "train = 'train'\ntarget = 'y'\nuser = 'who'\ndrop = 'note'\norder = 'b'", folder);
}

void read_classes(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("csv", "train = 'train'\ntest = 'train'\ntarget = 'y'\ncolumns = ['a']\nclasses = 3",
       folder);
}

const std::string words_text = "a,word,y\n1,red,2\n,blue,3\n4,?,5\n2,\"red, dark\",7\n";

void drop_incomplete(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("csv", "train = 'train'\ntarget = 'y'\none_hot = 'word'\nmissing = 'drop'", folder);
}

void fill_missing(const std::string& input, const TempFolder& folder) {
  folder.write("train", input);
  load("csv",
       "train = 'train'\ntest = 'train'\ntarget = 'y'\none_hot = 'word'\nmissing = 'mean'\n"
       "scaling = 'none'",
       folder, Check::scaled);
}

const std::string leaf_text =
    R"({"users": ["w2", "w1"], "num_samples": [2, 1], "user_data": {"w1": {"x": [[0.25, 1]], "y": [2]},)"
    R"( "w2": {"x": [[0, 0.5], [1, 1e-1]], "y": [1, 0.0]}}})";

void read_json(const std::string& input, const TempFolder& folder) {
  folder.write("a.json", input);
  load("leaf", "train = 'a.json'", folder);
}

void read_zipped_json(const std::string& input, const TempFolder& folder) {
  testing::write_zip(folder.at("a.zip"), {{"a.json", input}});
  load("leaf", "train = 'a.zip'\nfeatures = 2\nclasses = 3", folder);
}

void read_json_archive(const std::string& input, const TempFolder& folder) {
  folder.write("a.zip", input);
  load("leaf", "train = 'a.zip'", folder);
}

const std::string numbers = "# three\n1\n  -2e-3 # two\r\n\n0x1p3\n";

void read_numbers(const std::string& input, const TempFolder& folder) {
  StartPlan start;
  start.file = NamedFile(folder.write("start.txt", input));
  for (const real x : start_model(start, 1, 3)) promise(std::isfinite(x), "finite numbers");
}

}  // namespace

Harness start_harness() { return {{numbers}, {read_numbers}, change_bytes}; }

Harness libsvm_harness() {
  return {{libsvm_text, "1 1:1\n2 2:1\n", "1 1:1\n2 2:1\n2.5 1:3\n"},
          {train_on_libsvm, test_on_libsvm, train_on_labels, train_on_real_targets},
          change_bytes};
}

Harness csv_harness() {
  return {{csv_text, "a,y\n1,no\n2,yes\n3,maybe\n", words_text},
          {read_targets, read_classes, drop_incomplete, fill_missing},
          change_bytes};
}

Harness leaf_harness() {
  const std::string archive = testing::zip_bytes({{"a.json", leaf_text}, {"b/c.txt", "no JSON"}});
  return {{leaf_text, archive}, {read_json, read_zipped_json, read_json_archive}, change_bytes};
}

}  // namespace trilemma::fuzz
