#pragma once
// Settings of the records: data source, partition, problem and start model.

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the sections `data`, `partition` and `problem`. Values that the settings leave open are
/// determined from the files of `folder` unless it is nullptr.
void read_data(const Settings& settings, Plan& plan, DataFolder* folder);
/// Sets the number of clients to the number of users of the data if the partition is natural and
/// the settings do not set `clients`. Must be called once `clients` has been read.
void settle_clients(Settings& settings, Plan& plan, DataFolder* folder);
/// Throws UserError if a private run, or one with minibatches of one record, would use batch
/// normalisation. Must be called once `local` and `privacy` have been read.
void check_batch_normalisation(const Settings& settings, const Plan& plan);
/// Reads the section `start`.
void read_start(const Settings& settings, Plan& plan);
/// Throws UserError if hidden units would start at zero. Called for experiments that a user names
/// only, since a run file of an earlier version may have such a start.
void refuse_zero_start(const Settings& settings, const Plan& plan);

}  // namespace trilemma
