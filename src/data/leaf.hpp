#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "data/labels.hpp"

namespace trilemma {

/// Maps names of users to their numbers.
using UserNumbers = std::map<std::string, std::uint32_t>;

/// An integer label that is not a class.
class LabelOutside : public UserError {
  using UserError::UserError;
};

/// Which users are included.
enum class UserRule {
  strict,  ///< the listed users, who must all have training records
  listed,  ///< the listed users; test users need no training records
  common,  ///< the users with training records, in training and tests
  all,     ///< all users in user_data who have records, listed or not
};

/// What reading found in addition to the records.
struct LeafReading {
  UserRule rule = UserRule::listed;
  LabelCount labels{};
  std::vector<std::string> notes{};
  std::size_t lost = 0;               ///< nonzero numbers that became 0 as `real`
  bool has_images = false;            ///< records are names of images instead of numbers
  std::vector<std::string> images{};  ///< these names, by record
};

/// Reads files of the LEAF benchmark (JSON with `users`, `num_samples` and `user_data[user].x/y`,
/// plain, packed with gzip, or inside a ZIP archive) one after the other into dense rows of reals.
/// Users are numbered in the order of the files; if `users` is not empty, as for a test set, new
/// users are handled by the rule, and if there are any, the records belong to no user. Refuses,
/// naming file and user: text that is not JSON of this form, a repeated user, a number of records
/// other than `num_samples`, a number of values other than `features`, values that are not finite
/// numbers, labels without a class. `features` = 0: the number in the first record. Without
/// `classes`, labels are only counted. With `reading.has_images`, records are names of images, as
/// in CelebA: rows have `features` columns and no values. An image that comes twice is refused.
Dataset read_leaf(const std::vector<std::string>& files, std::size_t features,
                  const std::optional<ClassMap>& classes, UserNumbers& users, LeafReading& reading);

}  // namespace trilemma
