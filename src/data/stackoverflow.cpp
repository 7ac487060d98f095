// Posts of Stack Overflow in the form of TensorFlow Federated.

#include "data/stackoverflow.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "base/line_reader.hpp"
#include "base/state.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/data_stream.hpp"
#include "data/hdf5_subprocess.hpp"
#include "h5/h5.hpp"

namespace trilemma {
namespace {

using Vocabulary = std::unordered_map<std::string, std::uint32_t>;

constexpr std::string_view blanks = " \t\n\v\f\r";

// Calls visit(part) for the nonempty parts of a text between any of the characters `separators`.
template <class Visit>
void each_part(std::string_view text, std::string_view separators, Visit&& visit) {
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;
       at = text.find_first_not_of(separators, at)) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    visit(std::string(text.substr(at, end - at)));
    at = end;
  }
}

Vocabulary read_words(const std::string& file, std::size_t count) {
  Vocabulary found;
  DataStream stream(file);
  stream.refuse_others({}, "lines of a word and its count");
  LineReader lines = stream.lines();
  while (found.size() < count && lines.next()) {
    std::vector<std::string> parts;
    each_part(lines.line(), blanks, [&](std::string part) { parts.push_back(std::move(part)); });
    const bool is_good =
        parts.size() == 2 && parts[1].find_first_not_of("0123456789") == std::string::npos;
    require(is_good, "{}: \"{}\" is not a word and its count; is it another file?", lines.place(),
            shown(lines.line(), 40));
    require(found.emplace(parts[0], static_cast<std::uint32_t>(found.size())).second,
            "{}: the word \"{}\" comes twice; fetch it again", lines.place(), shown(parts[0], 40));
  }
  require(found.size() == count, "{}: {} words, but data.features = {}; lower data.features", file,
          found.size(), count);
  return found;
}

// Takes the keys and numbers of a JSON object in the order of the text.
class CountsParser : public nlohmann::json::json_sax_t {
 public:
  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return false; }
  bool number_unsigned(number_unsigned_t count) override {
    if (depth_ != 1) return false;
    counts.emplace_back(key_, count);
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool string(string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return ++depth_ == 1; }
  bool end_object() override { return depth_-- == 1; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  std::vector<std::pair<std::string, std::uint64_t>> counts;

 private:
  int depth_ = 0;
  std::string key_;
};

Vocabulary read_tags(const std::string& file, std::size_t count) {
  const std::string content = data_file_content(file, {}, "a JSON object of tags and counts");
  CountsParser parser;
  require(nlohmann::json::sax_parse(content, &parser, nlohmann::json::input_format_t::json, true),
          "{}: no JSON object of tags and their counts; is it another file?", file);
  auto& tags = parser.counts;
  require(tags.size() >= count, "{}: {} tags, but data.classes = {}; lower data.classes", file,
          tags.size(), count);
  std::ranges::stable_sort(tags, [](const auto& a, const auto& b) { return a.second > b.second; });
  Vocabulary found;
  for (std::size_t i = 0; i < count; ++i)
    require(found.emplace(tags[i].first, static_cast<std::uint32_t>(i)).second,
            "{}: the tag \"{}\" comes twice; fetch it again", file, shown(tags[i].first, 40));
  return found;
}

// Result of the subprocess.
struct FoundPosts {
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> column;
  std::vector<double> value;
  std::vector<std::int32_t> label;
  std::vector<std::uint32_t> user;
  std::string names;                ///< of the users, one after the other
  std::vector<std::uint64_t> ends;  ///< by user: the end of the name in `names`
  std::uint64_t untagged = 0;

  void persist(State& state) {
    if (state.restores()) start.clear();
    state.values(start);
    state.values(column);
    state.values(value);
    state.values(label);
    state.values(user);
    state.values(names);
    state.values(ends);
    state.value(untagged);
  }
  void add_user(const std::string& name) {
    names += name;
    ends.push_back(names.size());
  }
  std::vector<std::string> user_names() const {
    std::vector<std::string> all;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      all.push_back(names.substr(begin, end - begin));
      begin = end;
    }
    return all;
  }
};

void add_row(const std::string& text, const Vocabulary& words, FoundPosts& found) {
  std::map<std::uint32_t, double> count;
  double all = 0;
  each_part(text, blanks, [&](const std::string& word) {
    ++all;
    if (const auto at = words.find(word); at != words.end()) ++count[at->second];
  });
  for (const auto& [column, times] : count) {
    found.column.push_back(column);
    found.value.push_back(times / all);
  }
  found.start.push_back(found.column.size());
}

// Returns the number of the most frequent known tag, or that of all tags if none is known.
std::uint32_t label_of(const std::string& tags, const Vocabulary& known) {
  auto label = static_cast<std::uint32_t>(known.size());
  each_part(tags, "|", [&](const std::string& tag) {
    if (const auto at = known.find(tag); at != known.end()) label = std::min(label, at->second);
  });
  return label;
}

std::vector<std::string> texts_of_posts(const h5::Group& user, const std::string& path,
                                        const std::string& name, const char* kind) {
  require(user.has_member(kind), "{}: examples/{} has no {}; is it another file?", path,
          shown(name, 40), kind);
  return user.read_texts(kind);
}

// Adds the posts with known tags of a user, who gets a number; returns whether there is any.
bool add_posts(const h5::Group& user, const std::string& path, const std::string& name,
               const PostVocabulary& vocabulary, std::size_t per_user, std::uint32_t number,
               FoundPosts& found) {
  const auto tokens = texts_of_posts(user, path, name, "tokens");
  const auto titles = texts_of_posts(user, path, name, "title");
  const auto tags = texts_of_posts(user, path, name, "tags");
  require(tokens.size() == titles.size() && tokens.size() == tags.size(),
          "{}: examples/{} has {} tokens, {} titles and {} tags; fetch it again", path,
          shown(name, 40), tokens.size(), titles.size(), tags.size());
  const std::size_t before = found.label.size();
  const std::size_t posts = per_user > 0 ? std::min(per_user, tags.size()) : tags.size();
  for (std::size_t i = 0; i < posts; ++i) {
    const std::uint32_t label = label_of(tags[i], vocabulary.tags);
    if (label == vocabulary.tags.size()) {
      ++found.untagged;
      continue;
    }
    add_row(tokens[i] + " " + titles[i], vocabulary.words, found);
    found.label.push_back(static_cast<std::int32_t>(label));
    found.user.push_back(number);
  }
  if (found.label.size() > before) found.add_user(name);
  return found.label.size() > before;
}

FoundPosts find_posts(const std::string& path, const PostVocabulary& vocabulary, std::size_t users,
                      std::size_t per_user, const std::vector<std::string>& known) {
  const h5::File file = h5::File::open(path);
  require(
      file.has_member("examples") && file.is_group("examples"),
      "{}: no group \"examples\", which files of TensorFlow Federated have; is it another file?",
      path);
  const h5::Group examples = file.open_group("examples");
  FoundPosts found;
  std::uint32_t count = 0;
  for (const auto& name : known.empty() ? examples.member_names() : known) {
    if (known.empty() && count == users) break;
    if (!known.empty() && !examples.has_member(name)) continue;
    if (add_posts(examples.open_group(name), path, name, vocabulary, per_user, count, found))
      ++count;
  }
  require(!known.empty() || count == users,
          "{}: {} users have posts with a known tag, but data.first_users = {}; lower it", path,
          count, users);
  require(count > 0, "{}: none of the users who train has a post with a known tag; leave it out",
          path);
  return found;
}

}  // namespace

PostVocabulary read_post_vocabulary(const std::string& word_counts, std::size_t words,
                                    const std::string& tag_counts, std::size_t tags) {
  return {reading(word_counts, [&] { return read_words(word_counts, words); }),
          reading(tag_counts, [&] { return read_tags(tag_counts, tags); })};
}

Posts read_posts(const std::string& path, const PostVocabulary& vocabulary, std::size_t users,
                 std::size_t per_user, const std::vector<std::string>& known) {
  require_data_file(path);
  auto found = found_in_hdf5(
      path,
      "expected groups examples/USER of texts as in files of TensorFlow Federated; fetch it again",
      [&] { return find_posts(path, vocabulary, users, per_user, known); });
  Posts posts;
  posts.rows.columns = vocabulary.words.size();
  posts.rows.start.assign(found.start.begin(), found.start.end());
  posts.rows.column = std::move(found.column);
  posts.rows.value.assign(found.value.begin(), found.value.end());
  posts.label = std::move(found.label);
  posts.user = std::move(found.user);
  posts.users = found.user_names();
  posts.untagged = found.untagged;
  return posts;
}

}  // namespace trilemma
