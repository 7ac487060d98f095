#include "record/columns.hpp"

#include "h5/h5_read.hpp"

namespace trilemma {

hid_t Columns::Column::type() const {
  return metric.is_count() ? h5::type_of<std::uint64_t>() : h5::type_of<double>();
}

std::size_t cell_of(std::string_view name, std::span<const Metric> metrics) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  if (found == metrics.end()) throw LibraryError(fmt::format("no metric is called {}", name));
  return static_cast<std::size_t>(found - metrics.begin());
}

Columns::Columns(std::span<const Metric> metrics, Provenances withheld) {
  for (std::size_t cell = 0; cell < metrics.size(); ++cell)
    if (!metrics[cell].provenance.meets(withheld))
      columns_.push_back({cell, metrics[cell], {}, {}});
}

void Columns::create(hid_t file) {
  const h5::Handle rounds = h5::create_group(file, "rounds");
  const h5::Handle mpi = h5::create_group(file, "mpi");
  round_set_ = h5::create_growing(rounds.get(), "round", h5::type_of<std::int64_t>(), {}, "1",
                                  "rounds done; 0 is the start");
  for (Column& column : columns_)
    column.set = h5::create_growing((column.metric.depends_on_ranks ? mpi : rounds).get(),
                                    column.metric.name, column.type(), {}, column.metric.units,
                                    column.metric.description);
}

void Columns::open(hid_t file) {
  round_set_ = h5::open_dataset(file, "rounds/round");
  for (Column& column : columns_)
    column.set =
        h5::open_dataset(file, std::string(column.metric.depends_on_ranks ? "mpi/" : "rounds/") +
                                   column.metric.name);
}

void Columns::add(const MetricRow& row) {
  round_.push_back(row.round);
  for (Column& column : columns_) column.pending.push_back(row.cells[column.cell]);
}

void Columns::write() {
  if (round_.empty()) return;
  h5::append(round_set_, h5::type_of<std::int64_t>(), {}, round_.size(), round_.data());
  for (Column& column : columns_) {
    h5::append(column.set, column.type(), {}, column.pending.size(), column.pending.data());
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
