#pragma once

#include <string>
#include <vector>

#include "experiment/read_plan.hpp"

namespace trilemma {

/// Keys that the file, the files under it and the layers of the chosen method and mode set and
/// that read_plan() has not read; in the order of the files.
std::vector<std::string> unread_keys(const Settings& settings);

/// Those of them that look like a mistake: keys of the layer of the chosen method, and of the file
/// itself unless it is made for several methods (it has layers of its own, or the command line
/// chooses a method or another part). Keys of files under it are left to those.
std::vector<std::string> suspicious_keys(const Settings& settings);

/// The parts that read a key, as "compressor bernoulli"; empty where no single part has it.
std::string readers_of(const std::string& key);

/// Keys for a message, each with the parts that read it.
std::string with_readers(const std::vector<std::string>& keys);

/// read_plan() for an experiment that a user names: where a key of the command line is refused
/// because nothing reads it, the sentence says which parts do.
Plan read_named_plan(const Settings& settings, DataFolder* data);

}  // namespace trilemma
