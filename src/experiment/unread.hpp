#pragma once

#include <string>
#include <vector>

#include "experiment/read_plan.hpp"

namespace trilemma {

/// Returns the keys that the file, its bases and the layers of the chosen method and mode set and
/// that read_plan() has not read, in the order of the files.
std::vector<std::string> unread_keys(const Settings& settings);

/// Returns the unread keys that are probably mistakes: keys of the layer of the chosen method, and
/// of the file itself unless it is intended for several methods (it has layers, or the command line
/// chooses a method or another part). Keys of its bases are not reported.
std::vector<std::string> suspicious_keys(const Settings& settings);

/// Returns the parts that read `key`, such as "compressor bernoulli"; empty if no part in
/// particular reads it.
std::string readers_of(const std::string& key);

/// Lists `keys` for a message, each with the parts that read it.
std::string with_readers(const std::vector<std::string>& keys);

/// Reads the plan of an experiment that a user names. If a key of the command line is refused
/// because it is not read, the message names the parts that read it.
Plan read_named_plan(const Settings& settings, DataFolder* data);

}  // namespace trilemma
