#include "data/leaf.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/file_tree.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

using Json = nlohmann::json;

// Typical files of LEAF have some 100 MB.
constexpr std::size_t most_bytes_of_users = std::size_t{1} << 30U;

using Visit = std::function<void(const std::string& name, const std::string& content)>;

// Calls visit for each document of a file.
void each_document(const std::string& file, const Visit& visit) {
  if (!file.ends_with(".zip")) return visit(file, data_file_content(file, {}, "JSON of LEAF"));
  ZipArchive(file, ".json").each(most_bytes_of_users, [&](const ZipEntry& entry) {
    visit(file + ":" + shown(entry.name), entry.content);
  });
}

// Follows the keys of a document, to name the user at which it ends.
class KeyTrail : public Json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (depth_ == 2) user_ = name;  // of user_data
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  const std::string& user() const { return user_; }

 private:
  int depth_ = 0;
  std::string user_;
};

// Python's json.dumps writes NaN and Infinity, which JSON does not allow.
void refuse_nan(const std::string& name, const std::string& content, std::size_t byte) {
  const std::size_t at = byte > 0 ? byte - 1 : 0;
  for (const std::string_view word : {"NaN", "Infinity"}) {
    if (content.compare(std::min(at, content.size()), word.size(), word) != 0) continue;
    KeyTrail trail;
    Json::sax_parse(content.substr(0, at), &trail, Json::input_format_t::json, false);
    throw UserError(fmt::format(
        "{}: user \"{}\": {}, which is no number of JSON, though Python's json.dumps writes it; "
        "remove the record, or put a number in its place",
        name, shown(trail.user(), 40), word));
  }
}

Json parse(const std::string& name, const std::string& content) {
  try {
    return Json::parse(content);
  } catch (const Json::parse_error& error) {
    refuse_nan(name, content, error.byte);
    throw UserError(fmt::format("{}: no JSON from byte {} on; fetch it again", name, error.byte));
  } catch (const Json::out_of_range&) {
    throw UserError(fmt::format(
        "{}: a number is too large for a double; fix it, or fetch the file again", name));
  }
}

// Returns a value for a message; lists and objects may be nested to any depth.
std::string described(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return shown(value.dump(-1, ' ', false, Json::error_handler_t::replace), 20);
}

// Adds a note "4 users (a, b, c, ...) WHAT" if there are any users.
void describe_users(const std::vector<std::string>& users, const char* what, LeafReading& reading) {
  constexpr std::size_t most = 3;
  if (users.empty()) return;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(most, users.size()); ++i)
    named.push_back(fmt::format("\"{}\"", shown(users[i], 40)));
  if (users.size() > most) named.emplace_back("...");
  reading.notes.push_back(fmt::format("{} ({}) {}; data.users decides",
                                      counted(users.size(), "user"), join(named), what));
}

class LeafParser {
 public:
  LeafParser(std::size_t features, const std::optional<ClassMap>& classes, UserNumbers& users,
             LeafReading& reading)
      : features_(features),
        classes_(classes),
        users_(users),
        is_open_(users.empty()),
        reading_(reading) {}

  void add(const std::string& name, const std::string& content) {
    name_ = name;
    const Json json = parse(name, content);
    const Json& users = member(json, "users", "");
    const Json& counts = member(json, "num_samples", "");
    const Json& data = member(json, "user_data", "");
    require(users.is_array() && counts.is_array() && users.size() == counts.size(),
            "{}: users and num_samples are not lists of the same length; fetch it again", name_);
    std::set<std::string> listed;
    for (std::size_t i = 0; i < users.size(); ++i) {
      require(users[i].is_string(), "{}: users[{}] is not text; fetch it again", name_, i);
      const auto user = users[i].get<std::string>();
      listed.insert(user);
      const std::size_t found = add_user(user, member(data, user, "user_data"));
      require(counts[i].is_number_integer() && counts[i] == found,
              "{}: user \"{}\" has {} records, but num_samples says {}; fetch it again", name_,
              shown(user), found, described(counts[i]));
    }
    add_unlisted(data, listed);
  }

  Dataset finish() {
    describe_users(unlisted_,
                   reading_.rule == UserRule::all ? "are in no list of users, and are used"
                                                  : "are in no list of users, and left out",
                   reading_);
    describe_users(empty_, "have no records, and are left out", reading_);
    describe_users(skipped_, "have no training records, and are left out of the tests", reading_);
    describe_users(new_, "have no training records: the test records are one set for all clients",
                   reading_);
    require(data_.size() > 0, "{}: no record in the file; fetch it again", name_);
    if (!new_.empty()) data_.user.clear();
    rows_.columns = features_;
    data_.classes = classes_ ? classes_->classes() : 0;
    data_.rows = std::move(rows_);
    return std::move(data_);
  }

 private:
  const Json& member(const Json& of, const std::string& key, const std::string& where) const {
    require(of.is_object() && of.contains(key),
            "{}: {}\"{}\" is missing, which files of LEAF have; is it another one?", name_,
            where.empty() ? "" : where + " of ", shown(key));
    return of[key];
  }

  void add_unlisted(const Json& data, const std::set<std::string>& listed) {
    if (!data.is_object()) return;
    for (const auto& entry : data.items()) {
      if (listed.contains(entry.key())) continue;
      require(reading_.rule != UserRule::strict,
              "{}: user \"{}\" is in user_data, but not in users; set data.users = \"listed\" to "
              "leave such users out, or \"all\" to use them",
              name_, shown(entry.key(), 40));
      unlisted_.push_back(entry.key());
      if (reading_.rule == UserRule::all) add_user(entry.key(), entry.value());
    }
  }

  // Returns the number of the user; nullopt if their records are not used.
  std::optional<std::uint32_t> number(const std::string& user) {
    if (is_open_) return users_.emplace(user, users_.size()).first->second;
    const auto at = users_.find(user);
    if (at != users_.end()) return at->second;
    require(reading_.rule != UserRule::strict,
            "{}: user \"{}\" is in no training file; set data.users = \"listed\" to test on new "
            "users, or \"common\" to leave them out",
            name_, shown(user, 40));
    (reading_.rule == UserRule::common ? skipped_ : new_).push_back(user);
    if (reading_.rule == UserRule::common) return {};
    return 0;
  }

  // Returns whether a user without records is skipped.
  bool is_passed_over(const std::string& user, std::size_t records) {
    if (records > 0) return false;
    require(!is_open_ || reading_.rule == UserRule::common || reading_.rule == UserRule::all,
            "{}: user \"{}\" has no records to train on; set data.users = \"common\" to leave out "
            "users without any",
            name_, shown(user, 40));
    empty_.push_back(user);
    return true;
  }

  // Adds the records of a user and returns their number.
  std::size_t add_user(const std::string& user, const Json& data) {
    const Json& x = member(data, "x", "user " + shown(user));
    const Json& y = member(data, "y", "user " + shown(user));
    require(x.is_array() && y.is_array() && x.size() == y.size(),
            "{}: user \"{}\": x and y are not lists of the same length; fetch it again", name_,
            shown(user));
    require(seen_.insert(user).second, "{}: user \"{}\" comes twice; leave one out", name_,
            shown(user));
    if (is_passed_over(user, x.size())) return 0;
    const auto own = number(user);
    for (std::size_t i = 0; own && i < x.size(); ++i) {
      add_row(x[i], user, i);
      data_.label.push_back(label(y[i], user, i));
      data_.user.push_back(*own);
    }
    return x.size();
  }

  void add_image(const Json& row, const std::string& user, std::size_t record) {
    const auto image = row.is_string() ? row.get<std::string>() : std::string();
    require(is_plain_name(image),
            "{}: user \"{}\", record {}: {} is no name of an image; leave out "
            "data.images if records are numbers",
            name_, shown(user), record, described(row));
    require(seen_images_.insert(image).second,
            "{}: user \"{}\", record {}: image \"{}\" comes twice; leave one out", name_,
            shown(user), record, shown(image, 40));
    reading_.images.push_back(image);
  }

  void add_row(const Json& row, const std::string& user, std::size_t record) {
    if (reading_.has_images) return add_image(row, user, record);
    require(!row.is_string() && (!row.is_array() || row.empty() || !row[0].is_string()),
            "{}: user \"{}\", record {}: text, and only numbers are read; set data.images if it "
            "names an image; encode other text first, and set data.source = \"arrays\" for what "
            "comes out",
            name_, shown(user), record);
    if (features_ == 0 && row.is_array()) features_ = row.size();
    require(row.is_array() && row.size() == features_ && features_ > 0,
            "{}: user \"{}\", record {}: {} values, but data.features = {}; set data.features",
            name_, shown(user), record, row.is_array() ? row.size() : 1, features_);
    for (const auto& value : row) {
      const auto found = value.is_number() ? value.get<real>() : static_cast<real>(NAN);
      if (!std::isfinite(found))
        throw UserError(fmt::format("{}: user \"{}\", record {}: {}", name_, shown(user), record,
                                    value.is_number()
                                        ? number_problem(value.get<double>(), "fix it")
                                        : described(value) + " is not a finite number; fix it"));
      if (found == 0 && value.get<double>() != 0) ++reading_.lost;
      rows_.value.push_back(found);
    }
  }

  std::int32_t label(const Json& value, const std::string& user, std::size_t record) {
    constexpr double most = 9e15;  // integers up to this are exact as doubles
    // Some files store labels as 3.0.
    const double found = value.is_number() ? value.get<double>() : NAN;
    const bool is_whole = std::abs(found) <= most && found == std::floor(found);
    const auto whole = static_cast<std::int64_t>(is_whole ? found : 0);
    const auto number =
        classes_ && is_whole ? classes_->number(whole) : std::optional<std::int32_t>();
    const auto place = [&] {
      return fmt::format("{}: user \"{}\", record {}: label {}", name_, shown(user), record,
                         described(value));
    };
    if (!is_whole) throw UserError(place() + " is not a whole number; fix it");
    if (classes_ && !number)
      throw LabelOutside(fmt::format("{} is not a whole number {}; fix it, or state other classes",
                                     place(), classes_->expected()));
    reading_.labels.add(whole);
    return number.value_or(0);
  }

  std::size_t features_;                    ///< 0: taken from the first record
  const std::optional<ClassMap>& classes_;  ///< nullopt: labels are only counted
  UserNumbers& users_;
  bool is_open_;  ///< whether new users are numbered as they occur
  LeafReading& reading_;
  std::set<std::string> seen_, seen_images_;
  std::vector<std::string> unlisted_, empty_, skipped_, new_;
  std::string name_;
  DenseRows rows_;
  Dataset data_;
};

}  // namespace

Dataset read_leaf(const std::vector<std::string>& files, std::size_t features,
                  const std::optional<ClassMap>& classes, UserNumbers& users, LeafReading& found) {
  LeafParser reader(features, classes, users, found);
  for (const auto& file : files)
    reading(file, [&] {
      each_document(file,
                    [&](const auto& name, const auto& content) { reader.add(name, content); });
    });
  return reader.finish();
}

}  // namespace trilemma
