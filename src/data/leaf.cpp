#include "data/leaf.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/text.hpp"
#include "data/data_file.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

using Json = nlohmann::json;

// Files of LEAF have some 100 MB.
constexpr std::size_t most_bytes_of_users = std::size_t{1} << 30U;

using Visit = std::function<void(const std::string& name, const std::string& content)>;

// The documents of a file, one after the other.
void each_document(const std::string& file, const Visit& visit) {
  if (!file.ends_with(".zip")) return visit(file, data_file_content(file, {}, "JSON of LEAF"));
  ZipArchive(file, ".json").each(most_bytes_of_users, [&](const ZipEntry& entry) {
    visit(file + ":" + shown(entry.name), entry.content);
  });
}

Json parse(const std::string& name, const std::string& content) {
  try {
    return Json::parse(content);
  } catch (const Json::parse_error& error) {
    throw UserError(fmt::format("{}: no JSON from byte {} on; fetch it again", name, error.byte));
  } catch (const Json::out_of_range&) {
    throw UserError(fmt::format(
        "{}: a number is too large for a double; fix it, or fetch the file again", name));
  }
}

// A value for a message; lists and objects may be of any depth.
std::string described(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return shown(value.dump(-1, ' ', false, Json::error_handler_t::replace), 20);
}

class Reader {
 public:
  Reader(std::size_t features, int classes, UserNumbers& users)
      : features_(features), classes_(classes), users_(users), is_open_(users.empty()) {}

  void add(const std::string& name, const std::string& content) {
    name_ = name;
    const Json json = parse(name, content);
    const Json& users = member(json, "users", "");
    const Json& counts = member(json, "num_samples", "");
    const Json& data = member(json, "user_data", "");
    require(users.is_array() && counts.is_array() && users.size() == counts.size(),
            "{}: users and num_samples are not lists of the same length; fetch it again", name_);
    for (std::size_t i = 0; i < users.size(); ++i) {
      require(users[i].is_string(), "{}: users[{}] is not text; fetch it again", name_, i);
      const auto user = users[i].get<std::string>();
      const std::size_t before = data_.size();
      add_user(user, member(data, user, "user_data"));
      require(counts[i].is_number_integer() && counts[i] == data_.size() - before,
              "{}: user \"{}\" has {} records, but num_samples says {}; fetch it again", name_,
              shown(user), data_.size() - before, described(counts[i]));
    }
  }

  Dataset finish() {
    require(data_.size() > 0, "{}: no record in the file; fetch it again", name_);
    rows_.columns = features_;
    data_.classes = classes_ > 0 ? classes_ : 1 + largest_;
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

  std::uint32_t number(const std::string& user) {
    require(seen_.insert(user).second, "{}: user \"{}\" comes twice; leave one out", name_,
            shown(user));
    if (is_open_) return users_.emplace(user, users_.size()).first->second;
    const auto at = users_.find(user);
    require(at != users_.end(), "{}: user \"{}\" is in no training file; leave the user out", name_,
            shown(user));
    return at->second;
  }

  void add_user(const std::string& user, const Json& data) {
    const Json& x = member(data, "x", "user " + shown(user));
    const Json& y = member(data, "y", "user " + shown(user));
    require(x.is_array() && y.is_array() && x.size() == y.size(),
            "{}: user \"{}\": x and y are not lists of the same length; fetch it again", name_,
            shown(user));
    const std::uint32_t own = number(user);
    for (std::size_t i = 0; i < x.size(); ++i) {
      add_row(x[i], user, i);
      data_.label.push_back(label(y[i], user, i));
      data_.user.push_back(own);
    }
  }

  void add_row(const Json& row, const std::string& user, std::size_t record) {
    if (features_ == 0 && row.is_array()) features_ = row.size();
    require(row.is_array() && row.size() == features_ && features_ > 0,
            "{}: user \"{}\", record {}: {} values, but data.features = {}; set data.features",
            name_, shown(user), record, row.is_array() ? row.size() : 1, features_);
    for (const auto& value : row) {
      const auto found = value.is_number() ? value.get<real>() : static_cast<real>(NAN);
      if (!std::isfinite(found))
        throw UserError(fmt::format("{}: user \"{}\", record {}: {} is not a finite number; fix it",
                                    name_, shown(user), record, described(value)));
      rows_.value.push_back(found);
    }
  }

  std::int32_t label(const Json& value, const std::string& user, std::size_t record) {
    // Some files hold labels as 3.0.
    const double found = value.is_number() ? value.get<double>() : -1;
    const int most = classes_ > 0 ? classes_ : most_classes;
    if (!(found >= 0 && found < most && found == std::floor(found)))
      throw UserError(fmt::format(
          "{}: user \"{}\", record {}: label {} is not a whole number below data.classes = {}; "
          "raise data.classes",
          name_, shown(user), record, described(value), most));
    largest_ = std::max(largest_, static_cast<std::int32_t>(found));
    return static_cast<std::int32_t>(found);
  }

  static constexpr int most_classes = 1'000'000;

  std::size_t features_;  ///< 0: the first record tells
  int classes_;           ///< 0: the labels tell
  std::int32_t largest_ = 0;
  UserNumbers& users_;
  bool is_open_;  ///< users are numbered as they come
  std::set<std::string> seen_;
  std::string name_;
  DenseRows rows_;
  Dataset data_;
};

}  // namespace

Dataset read_leaf(const std::vector<std::string>& files, std::size_t features, int classes,
                  UserNumbers& users) {
  Reader reader(features, classes, users);
  for (const auto& file : files)
    reading(file, [&] {
      each_document(file,
                    [&](const auto& name, const auto& content) { reader.add(name, content); });
    });
  return reader.finish();
}

}  // namespace trilemma
