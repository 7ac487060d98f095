#include "record/columns.hpp"

#include "h5/h5.hpp"

namespace trilemma {

h5::Number Columns::Column::type() const {
  return metric.is_count() ? h5::Number::u64 : h5::Number::f64;
}

std::size_t cell_of(std::string_view name, std::span<const Metric> metrics) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  if (found == metrics.end()) throw LibraryError(fmt::format("there is no metric called {}", name));
  return static_cast<std::size_t>(found - metrics.begin());
}

Columns::Columns(std::span<const Metric> metrics, Provenances withheld) {
  for (std::size_t cell = 0; cell < metrics.size(); ++cell)
    if (!metrics[cell].provenance.meets(withheld))
      columns_.push_back({cell, metrics[cell], {}, {}});
    else
      withheld_.push_back(metrics[cell]);
}

namespace {

std::vector<std::string> provenance_names(const Metric& metric) {
  const Provenances set = metric.provenance;
  std::vector<std::string> names;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(last_provenance); ++i)
    if (set.holds(static_cast<Provenance>(i))) names.emplace_back(name(static_cast<Provenance>(i)));
  return names;
}

}  // namespace

const Fields<Metric>& metric_fields() {
  using Texts = std::vector<std::string>;
  constexpr auto exactly = Compared::exactly;
  static const Fields<Metric> fields = {
      computed<std::string, Metric>("units", "1", "unit of the values", exactly,
                                    [](const Metric& m) -> std::string { return m.units; }),
      computed<std::string, Metric>("description", "1", "meaning of the values", exactly,
                                    [](const Metric& m) -> std::string { return m.description; }),
      computed<Texts, Metric>(metric_attributes::provenance, "1",
                              "what the values may reveal; decides whether a claim covers them and "
                              "`privacy.strict` withholds them",
                              exactly, provenance_names),
      computed<std::string, Metric>("better", "1", "`higher`, `lower` or `neither`", exactly,
                                    [](const Metric& m) -> std::string { return name(m.better); }),
      computed<bool, Metric>(metric_attributes::shown, "1",
                             "1 if `trilemma show` prints the last value", exactly,
                             [](const Metric& m) { return m.is_shown; }),
      computed<double, Metric>("least", "1", "smallest possible value", exactly,
                               [](const Metric& m) { return m.least; }),
      computed<double, Metric>("most", "1", "largest possible value", exactly,
                               [](const Metric& m) { return m.most; }),
      computed<std::string, Metric>(
          "course", "1",
          "`cumulative`: an integer that never decreases; `monotone`: a number "
          "that never decreases; or `free`",
          exactly, [](const Metric& m) -> std::string { return name(m.course()); }),
      computed<bool, Metric>("evaluated", "1",
                             "1 if only evaluated states have a number, others NaN", exactly,
                             [](const Metric& m) { return m.is_evaluated; }),
      computed<std::string, Metric>(
          "runs", "1",
          "runs that have the column: `all`, `with_server`, `own_models`, "
          "`timed` (`simulated` or `real`), `decentralised` or "
          "`evaluates_nodes`",
          exactly, [](const Metric& m) -> std::string { return name(m.runs); })};
  return fields;
}

void Columns::create(const h5::Group& file) {
  const h5::Group rounds = file.create_group("rounds");
  const h5::Group mpi = file.create_group("mpi");
  round_set_ = rounds.create_growing<std::int64_t>("round", {}, "1", "rounds done; 0 is the start");
  std::vector<std::string> names[] = {{"round"}, {}};
  std::vector<std::string> withheld[2];
  for (Column& column : columns_) {
    const Metric& metric = column.metric;
    const h5::Group& group = metric.depends_on_ranks ? mpi : rounds;
    column.set =
        group.create_growing(metric.name, column.type(), {}, metric.units, metric.description);
    write_fields(column.set, metric_fields(), metric);
    names[metric.depends_on_ranks ? 1 : 0].emplace_back(metric.name);
  }
  for (const Metric& metric : withheld_)
    withheld[metric.depends_on_ranks ? 1 : 0].emplace_back(metric.name);
  const h5::Group* groups[] = {&rounds, &mpi};
  for (std::size_t i = 0; i < std::size(groups); ++i) {
    groups[i]->set_attribute(metric_attributes::columns, names[i]);
    groups[i]->set_attribute(metric_attributes::withheld, withheld[i]);
  }
}

void Columns::open(const h5::Group& file) {
  round_set_ = file.open_dataset("rounds/round");
  for (Column& column : columns_) column.set = file.open_dataset(column.metric.path());
}

void Columns::add(const MetricRow& row) {
  round_.push_back(row.round);
  for (Column& column : columns_) column.pending.push_back(row.cells[column.cell]);
}

void Columns::write() {
  if (round_.empty()) return;
  round_set_.append({}, round_.size(), round_.data());
  for (Column& column : columns_) {
    column.set.append({}, column.pending.size(), column.type(), column.pending.data());
    column.pending.clear();
  }
  round_.clear();
}

void Columns::close(const std::string& what) {
  round_set_.close(what);
  for (Column& column : columns_) column.set.close(what);
}

void Columns::leak() {
  round_set_.leak();
  for (Column& column : columns_) column.set.leak();
}

}  // namespace trilemma
