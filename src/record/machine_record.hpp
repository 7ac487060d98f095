#pragma once

#include "h5/h5.hpp"
#include "machine/facts.hpp"

namespace trilemma {

/// Writes the machine of a run into the group /environment: /environment/ranks, /environment/nodes
/// and the variables (docs/reference/run-file.md). A column of texts is stored as its different
/// values (NAME_value) and the index of each rank's or node's value (NAME), so that the size for
/// many equal ranks is eight bytes per rank and column.
void write_machine(const h5::Group& environment, const MachineRecord& record);

}  // namespace trilemma
