#include "federation/start_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/file_format.hpp"
#include "base/line_reader.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "experiment/read_plan.hpp"
#include "record/output_status.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

std::vector<double> random_numbers(const StartPlan& start, const Key& key, std::size_t dimension) {
  if (is_by_layer(start.law)) return draw_layers(start.layers, start.law, key, dimension);
  std::vector<double> z(dimension, 0.0);
  if (start.scale == 0 || start.law == StartLaw::zero) return z;
  if (start.law == StartLaw::uniform) {
    Stream stream(key);
    for (double& value : z) value = stream.uniform();
  } else {
    normals(key, 0, z);
  }
  return z;
}

Vector random_start(const StartPlan& start, std::uint64_t seed, std::size_t dimension,
                    const Optimum* optimum) {
  const auto z = random_numbers(start, {seed, Purpose::init, 0, 0}, dimension);
  const double scale = has_own_size(start.law) ? 1 : start.scale;
  Vector x(dimension);
  for (std::size_t j = 0; j < dimension; ++j)
    x[j] = static_cast<real>((optimum == nullptr ? 0 : optimum->x[j]) + scale * z[j]);
  return x;
}

constexpr std::size_t longest_line = 4096;

// Parses numbers as written by Python's float.hex() and printf's %a.
bool is_hexadecimal(std::string_view text, double& value) {
  const bool is_negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
  text.remove_prefix(2);
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::hex);
  if (is_negative) value = -value;
  return error == std::errc() && end == last && !text.starts_with('-') &&
         std::isfinite(static_cast<real>(value));
}

// Returns the numbers of a text file.
Vector numbers_of(const NamedFile& file, std::size_t dimension) {
  const std::string& path = file.path();
  Vector x(dimension, real{0});
  refuse_foreign(path, std::string_view(file.content()).substr(0, format_bytes), {},
                 "a run file or text with one number per line",
                 "write its numbers as text, one per line, as numpy.savetxt does");
  LineReader lines(path, file.content(), longest_line);
  std::size_t count = 0;
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    const std::string_view number = trimmed(line.substr(0, line.find('#')));
    if (number.empty()) continue;
    double value = 0;
    require(is_number(number, value) || is_hexadecimal(number, value),
            "{}: expected one number, found \"{}\"; fix the line", lines.place(), shown(line, 40));
    if (count < dimension) x[count] = static_cast<real>(value);
    ++count;
  }
  require(count == dimension,
          "{}: {} numbers, but the model has {} coordinates; give another start.file", path, count,
          dimension);
  return x;
}

// Returns the final model of a run.
Vector model_of_run(const std::string& path, std::size_t dimension) {
  const RunModel run = read_run_model(path);
  const StateShape shape = recorded_plan(run.config, {}, path).shape();
  require(shape.model == dimension,
          "{}: a model of {} coordinates, but this run's model has {}; give another start.file",
          path, shape.model, dimension);
  require(
      run.state.size() == shape.state,
      "{}: /model/final has {} numbers, but the file's configuration requires {}; use another copy",
      path, run.state.size(), shape.state);
  Vector room;
  const ConstView model = shape.common(run.state, room);
  for (std::size_t j = 0; j < dimension; ++j)
    require(std::isfinite(model[j]),
            "{}: coordinate {} of its model is {}; give the file of a run that did not diverge",
            path, j, model[j]);
  return {model.begin(), model.end()};
}

}  // namespace

Vector start_model(const StartPlan& start, std::uint64_t seed, std::size_t dimension,
                   const Optimum* optimum) {
  if (!start.file.is_set()) return random_start(start, seed, dimension, optimum);
  const std::string& path = start.file.path();
  std::error_code ignored;
  if (output_status(std::filesystem::weakly_canonical(path, ignored).string()) != OutputStatus::run)
    return numbers_of(start.file, dimension);
  Vector model = model_of_run(path, dimension);
  start.file.require_same();
  return model;
}

Vector start_model(const StartPlan& start, std::uint64_t seed, const Problem& problem,
                   const Optimum* optimum) {
  if (start.law != StartLaw::own || start.file.is_set())
    return start_model(start, seed, problem.dimension(), optimum);
  const std::vector<double> x = problem.own_start(seed);
  Vector model(x.size());
  std::ranges::transform(x, model.begin(), [](double value) { return static_cast<real>(value); });
  return model;
}

void require_gradient(const StartPlan& start, ConstView model) {
  const std::string stuck = stuck_layer(start.layers, model);
  require(stuck.empty(), "{}: {}; give {}",
          start.file.is_set() ? start.file.path() : std::string("[start]"), stuck,
          start.file.is_set() ? "another start.file" : "another start.scale or start.law");
}

}  // namespace trilemma
