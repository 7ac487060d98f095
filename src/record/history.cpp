#include "record/history.hpp"

#include "h5/h5.hpp"
#include "record/run_identity.hpp"

namespace trilemma {
namespace {

template <class T>
h5::Dataset column(const h5::Group& group, const char* name, const char* units,
                   const char* description) {
  return group.create_growing<T>(name, {}, units, description);
}

template <class T>
void append_one(const h5::Dataset& dataset, T value) {
  dataset.append({}, 1, &value);
}

}  // namespace

StartRecord start_record(const RunIdentity& id, std::int64_t round) {
  std::string lines;
  for (const auto& one : id.environment) lines += fmt::format("{}: {}\n", one.name, one.text);
  return {round, id.ranks, lines};
}

History History::create(const h5::Group& file) {
  History h;
  const h5::Group starts = file.create_group("starts");
  h.start_round_ = column<std::int64_t>(starts, "round", "1", "rounds done before this start");
  h.start_ranks_ = column<std::int64_t>(starts, "ranks", "1", "MPI ranks from here on");
  h.start_environment_ = starts.create_growing_texts(
      "environment", "/environment at this start, as lines \"name: text\"");
  const h5::Group checkpoints = file.create_group("checkpoints");
  h.round_ = column<std::int64_t>(checkpoints, "round", "1", "rounds in the checkpoint");
  h.bytes_ = column<std::uint64_t>(checkpoints, "bytes", "byte", "size of the file");
  h.seconds_ = column<double>(checkpoints, "seconds", "s", "time to write it, on rank 0");
  return h;
}

History History::open(const h5::Group& file) {
  History h;
  h.start_round_ = file.open_dataset("starts/round");
  h.start_ranks_ = file.open_dataset("starts/ranks");
  h.start_environment_ = file.open_dataset("starts/environment");
  h.round_ = file.open_dataset("checkpoints/round");
  h.bytes_ = file.open_dataset("checkpoints/bytes");
  h.seconds_ = file.open_dataset("checkpoints/seconds");
  return h;
}

void History::add(const StartRecord& start) {
  append_one(start_round_, start.round);
  append_one(start_ranks_, start.ranks);
  start_environment_.append_text(start.environment);
}

void History::add(const CheckpointRecord& checkpoint) {
  append_one(round_, checkpoint.round);
  append_one(bytes_, checkpoint.bytes);
  append_one(seconds_, checkpoint.seconds);
}

void History::close(const std::string& what) {
  for (h5::Dataset* set : all()) set->close(what);
}

void History::leak() {
  for (h5::Dataset* set : all()) set->leak();
}

}  // namespace trilemma
