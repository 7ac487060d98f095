#pragma once
// The settings of the records: where they come from, who has which, what is fitted to them and from
// which model on.

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the sections `data`, `partition` and `problem`; what the settings leave open is found in
/// the files of `folder`, where that is given.
void read_data(const Settings& settings, Plan& plan, DataFolder* folder);
/// Sets the number of clients to that of the users of the data, where these are the clients and the
/// settings leave `clients` out. To be called once the latter has been read.
void settle_clients(Settings& settings, Plan& plan, DataFolder* folder);
/// Reads the section `start`.
void read_start(const Settings& settings, Plan& plan);
/// Refuses to train hidden units from zero, in an experiment that a user names; a run file of an
/// earlier version may have such a start.
void refuse_zero_start(const Settings& settings, const Plan& plan);

}  // namespace trilemma
