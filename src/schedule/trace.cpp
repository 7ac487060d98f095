#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/line_reader.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {
namespace {

constexpr std::size_t longest_line = 4096;

double number_at(std::string_view text, const LineReader& lines) {
  double value = 0;
  require(is_number(text, value),
          "{}: '{}' is not a number; a line holds a client's number and a time, as in 3,1.25",
          lines.place(), shown(text, 40));
  return value;
}

// Reads lines CLIENT,TIME; a first line that begins with "client" is a header. Returns the times by
// client.
std::vector<std::vector<double>> read_trace(const NamedFile& file, std::uint32_t clients) {
  const std::string& path = file.path();
  LineReader lines(path, file.content(), longest_line);
  std::vector<std::vector<double>> times(clients);
  while (lines.next()) {
    const std::string_view text = trimmed(lines.line());
    if (text.empty() || (lines.number() == 1 && text.starts_with("client"))) continue;
    const std::size_t comma = text.find(',');
    require(comma != std::string::npos,
            "{}: '{}' has no comma; a line holds a client's number and a time, as in 3,1.25",
            lines.place(), shown(text, 40));
    const double client = number_at(text.substr(0, comma), lines);
    const double time = number_at(text.substr(comma + 1), lines);
    require(client >= 0 && client < clients && client == std::floor(client),
            "{}: client {:g}; the clients of this experiment are 0 to {}", lines.place(), client,
            clients - 1);
    require(time > 0, "{}: a step of time {:g}; times are above 0", lines.place(), time);
    times[static_cast<std::size_t>(client)].push_back(time);
  }
  for (std::size_t client = 0; client < times.size(); ++client)
    require(!times[client].empty(), "{}: no time for client {}; each of the {} clients needs one",
            path, client, clients);
  return times;
}

// A step takes the time of a random measured step of the same client.
class Trace final : public StepTime {
 public:
  explicit Trace(std::vector<std::vector<double>> times) : times_(std::move(times)) {
    for (const auto& own : times_)
      mean_.push_back(std::accumulate(own.begin(), own.end(), 0.0) /
                      static_cast<double>(own.size()));
  }
  double draw(std::uint32_t client, Stream& stream) const override {
    const auto& own = times_[client];
    return own[stream.below(static_cast<std::uint32_t>(own.size()))];
  }
  double mean(std::uint32_t client) const override { return mean_[client]; }
  double sum_at_most(std::uint32_t, long, double) const override {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::uint32_t speed_class(std::uint32_t client) const override { return client; }

 private:
  std::vector<std::vector<double>> times_;
  std::vector<double> mean_;
};

struct TraceOptions {
  NamedFile file;
  void read(Reader& r) {
    file = r.settings().file("file", "measured times of local steps, lines CLIENT,TIME");
  }
};

std::unique_ptr<StepTime> make_trace(const TraceOptions& options, const Settings& clock,
                                     std::uint64_t, std::uint32_t clients) {
  if (!options.file.is_set()) clock.refuse("file", "the law trace reads it; name a file");
  return std::make_unique<Trace>(read_trace(options.file, clients));
}

}  // namespace

Row<StepTimeMaker> trace_step_time() {
  return part_with_settings("trace", "times drawn from the client's measured times in a file",
                            make_trace);
}

}  // namespace trilemma
