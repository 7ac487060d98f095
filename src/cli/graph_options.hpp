#pragma once
// Options of commands on graphs of nodes.

#include <CLI/CLI.hpp>

#include <functional>

#include "experiment/graph_answer.hpp"

namespace trilemma {

/// Adds the options that describe a graph beyond its kind and number of nodes: weights, rows,
/// probability, file, seed. Parsing writes to `question`, which must outlive `app`.
void add_graph_options(CLI::App& app, GraphQuestion& question);

/// Calls `answer`. In its UserErrors, a mistake of a setting has no place, since no file holds the
/// setting.
void without_place(const std::function<void()>& answer);

}  // namespace trilemma
