#pragma once

#include <map>
#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Numbers of the users by name.
using UserNumbers = std::map<std::string, std::uint32_t>;

/// Reads files of the LEAF benchmark (JSON with `users`, `num_samples` and `user_data[user].x/y`,
/// as it is or inside a ZIP archive) one after the other into dense rows of reals. Labels are whole
/// numbers 0 .. classes - 1. `users` are numbered in the order of
/// the files; where it is not empty, as for a test set, others are refused. Refuses, with file and
/// user: what is no JSON of this form, a user twice, another number of records than `num_samples`,
/// of values than `features`, values that are not finite numbers, other labels.
/// `features` = 0: as many as the first record has; `classes` = 0: as many as the largest label
/// wants.
Dataset read_leaf(const std::vector<std::string>& files, std::size_t features, int classes,
                  UserNumbers& users);

}  // namespace trilemma
