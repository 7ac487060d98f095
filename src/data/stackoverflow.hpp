#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// Numbers of the most frequent words and tags of Stack Overflow, from 0.
struct PostVocabulary {
  std::unordered_map<std::string, std::uint32_t> words, tags;
};

/// Reads the first `words` lines "WORD COUNT" of the file `word_counts`, and the `tags` tags with
/// the highest counts in the JSON object `tag_counts`, those with equal counts in the order of the
/// file, as TensorFlow Federated does. Refuses, naming the file: other content, repeated words, and
/// fewer words or tags.
PostVocabulary read_post_vocabulary(const std::string& word_counts, std::size_t words,
                                    const std::string& tag_counts, std::size_t tags);

/// Posts of users, as sparse rows with a label.
struct Posts {
  SparseRows rows;
  std::vector<std::int32_t> label;
  std::vector<std::uint32_t> user;  ///< place in `users`
  std::vector<std::string> users;
  std::size_t untagged = 0;  ///< posts that were left out because none of their tags is known
};

/// Reads posts from a file of TensorFlow Federated (HDF5, groups examples/USER with the texts
/// `tokens`, `title` and `tags`). A row has the count of each known word among the words of tokens
/// and title, divided by the number of all these words, known or not. The label is the most
/// frequent tag of the post. Posts without known tags are left out. Reads the first `per_user`
/// posts (0 = all) of the users `known`, or, if that is empty, of the first `users` users, in the
/// order of their names, who have any post with a known tag. Only the posts of these users are
/// read. Refuses, naming the file: content of another form, fewer users.
Posts read_posts(const std::string& path, const PostVocabulary& vocabulary, std::size_t users,
                 std::size_t per_user, const std::vector<std::string>& known);

}  // namespace trilemma
