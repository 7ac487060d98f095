#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "data/labels.hpp"

namespace trilemma {

/// Numbers of the users by name.
using UserNumbers = std::map<std::string, std::uint32_t>;

/// A label that is a whole number, but none of a class.
class LabelOutside : public UserError {
  using UserError::UserError;
};

/// Which users are used.
enum class UserRule {
  strict,  ///< those of the lists, who all have training records
  listed,  ///< those of the lists; test users need no training records
  common,  ///< those with training records, in training and tests
  all,     ///< all of user_data who have records, listed or not
};

/// What was found besides the records.
struct LeafReading {
  UserRule rule = UserRule::listed;
  LabelCount labels{};
  std::vector<std::string> notes{};
  std::size_t lost = 0;  ///< numbers nearer to 0 than a `real` can be, which become 0
};

/// Reads files of the LEAF benchmark (JSON with `users`, `num_samples` and `user_data[user].x/y`,
/// as it is, packed with gzip or inside a ZIP archive) one after the other into dense rows of
/// reals. `users` are numbered in the order of the files; where it is not empty, as for a test set,
/// new ones are treated by the rule, and where there are any the records belong to no user.
/// Refuses, with file and user: what is no JSON of this form, a user twice, another number of
/// records than `num_samples`, of values than `features`, values that are not finite numbers, other
/// labels. `features` = 0: as many as the first record has. No `classes`: labels are counted alone.
Dataset read_leaf(const std::vector<std::string>& files, std::size_t features,
                  const std::optional<ClassMap>& classes, UserNumbers& users, LeafReading& reading);

}  // namespace trilemma
