#include "data/leaf.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/check.hpp"
#include "core/file_content.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

using Json = nlohmann::json;

std::vector<ZipEntry> documents(const std::string& file) {
  if (file.ends_with(".zip")) {
    auto entries = read_zip(file, ".json");
    for (auto& entry : entries) entry.name = file + ":" + entry.name;
    return entries;
  }
  require(std::filesystem::is_regular_file(file),
          "{}: no such data file; `scripts/get-data` downloads the known ones, or set --data-dir",
          file);
  return {{file, file_content(file)}};
}

Json parse(const ZipEntry& document) {
  try {
    return Json::parse(document.content);
  } catch (const Json::parse_error& error) {
    throw UserError(
        fmt::format("{}: no JSON from byte {} on; fetch it again", document.name, error.byte));
  }
}

class Reader {
 public:
  Reader(std::size_t features, int classes, UserNumbers& users)
      : features_(features), classes_(classes), users_(users), is_open_(users.empty()) {
    rows_.columns = features;
    data_.classes = classes;
  }

  void add(const ZipEntry& document) {
    name_ = document.name;
    const Json json = parse(document);
    const Json& users = member(json, "users", "");
    const Json& counts = member(json, "num_samples", "");
    const Json& data = member(json, "user_data", "");
    require(users.is_array() && counts.is_array() && users.size() == counts.size(),
            "{}: users and num_samples are not lists of the same length; fetch it again", name_);
    for (std::size_t i = 0; i < users.size(); ++i) {
      require(users[i].is_string(), "{}: users[{}] is no text; fetch it again", name_, i);
      const auto user = users[i].get<std::string>();
      const std::size_t before = data_.size();
      add_user(user, member(data, user, "user_data"));
      require(counts[i].is_number_integer() && counts[i] == data_.size() - before,
              "{}: user \"{}\" has {} records, but num_samples says {}; fetch it again", name_,
              user, data_.size() - before, counts[i].dump());
    }
  }

  Dataset finish() {
    require(data_.size() > 0, "{}: no record in the file; fetch it again", name_);
    data_.rows = std::move(rows_);
    return std::move(data_);
  }

 private:
  const Json& member(const Json& of, const std::string& key, const std::string& where) const {
    require(of.is_object() && of.contains(key),
            "{}: {}\"{}\" is missing, which files of LEAF have; is it another one?", name_,
            where.empty() ? "" : where + " of ", key);
    return of[key];
  }

  std::uint32_t number(const std::string& user) {
    require(seen_.insert(user).second, "{}: user \"{}\" comes twice; leave one out", name_, user);
    if (is_open_) return users_.emplace(user, users_.size()).first->second;
    const auto at = users_.find(user);
    require(at != users_.end(), "{}: user \"{}\" is in no training file; leave the user out", name_,
            user);
    return at->second;
  }

  void add_user(const std::string& user, const Json& data) {
    const Json& x = member(data, "x", "user " + user);
    const Json& y = member(data, "y", "user " + user);
    require(x.is_array() && y.is_array() && x.size() == y.size(),
            "{}: user \"{}\": x and y are not lists of the same length; fetch it again", name_,
            user);
    const std::uint32_t own = number(user);
    for (std::size_t i = 0; i < x.size(); ++i) {
      add_row(x[i], user, i);
      data_.label.push_back(label(y[i], user, i));
      data_.user.push_back(own);
    }
  }

  void add_row(const Json& row, const std::string& user, std::size_t record) {
    require(row.is_array() && row.size() == features_,
            "{}: user \"{}\", record {}: {} values, but data.features = {}; set data.features",
            name_, user, record, row.is_array() ? row.size() : 1, features_);
    for (const auto& value : row) {
      const auto found = value.is_number() ? value.get<real>() : static_cast<real>(NAN);
      require(std::isfinite(found), "{}: user \"{}\", record {}: {} is no finite number; mend it",
              name_, user, record, value.dump());
      rows_.value.push_back(found);
    }
  }

  std::int32_t label(const Json& value, const std::string& user, std::size_t record) const {
    // Some files hold labels as 3.0.
    const double found = value.is_number() ? value.get<double>() : -1;
    require(
        found >= 0 && found < classes_ && found == std::floor(found),
        "{}: user \"{}\", record {}: label {} is no whole number below data.classes = {}; raise "
        "data.classes",
        name_, user, record, value.dump(), classes_);
    return static_cast<std::int32_t>(found);
  }

  std::size_t features_;
  int classes_;
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
    for (const auto& document : documents(file)) reader.add(document);
  return reader.finish();
}

}  // namespace trilemma
