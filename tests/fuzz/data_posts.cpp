// Posts of Stack Overflow: the HDF5 file, and the lists of words and tags.

#include "h5/h5.hpp"
#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/change_hdf5.hpp"
#include "tests/fuzz/data_check.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

constexpr const char* post_words = "the 9\na 8\n";
constexpr const char* post_tags = R"({"java": 5, "python": 9})";

void write_posts(const std::string& path) {
  const h5::File file = h5::File::create(path);
  const h5::Group examples = file.create_group("examples");
  for (const char* name : {"1", "2"}) {
    const h5::Group user = examples.create_group(name);
    user.write_texts("tokens", {"the a b", "a"}, "");
    user.write_texts("title", {"x", ""}, "");
    user.write_texts("tags", {"java|c", "python"}, "");
  }
}

std::string good_posts() {
  const TempFolder folder;
  write_posts(folder.at("p.h5"));
  const auto bytes = testing::bytes_of(folder.at("p.h5"));
  return {bytes.begin(), bytes.end()};
}

void load_posts(const std::string& of_words, const std::string& of_tags, const TempFolder& folder) {
  folder.write("words", of_words);
  folder.write("tags", of_tags);
  load("stackoverflow",
       "train = 'p.h5'\ntest = ''\nword_counts = 'words'\ntag_counts = 'tags'\nfeatures = 2\n"
       "classes = 2\nfirst_users = 1",
       folder);
}

void read_posts_file(const std::string& input, const TempFolder& folder) {
  folder.write("p.h5", input);
  load_posts(post_words, post_tags, folder);
}

void read_word_list(const std::string& input, const TempFolder& folder) {
  write_posts(folder.at("p.h5"));
  load_posts(input, post_tags, folder);
}

void read_tag_list(const std::string& input, const TempFolder& folder) {
  write_posts(folder.at("p.h5"));
  load_posts(post_words, input, folder);
}

}  // namespace

Harness posts_harness() { return {{good_posts()}, {read_posts_file}, change_hdf5}; }

Harness post_lists_harness() {
  return {{post_words, post_tags}, {read_word_list, read_tag_list}, change_bytes};
}

}  // namespace trilemma::fuzz
