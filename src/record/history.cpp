#include "record/history.hpp"

#include "h5/h5_read.hpp"
#include "record/run_identity.hpp"

namespace trilemma {
namespace {

template <class T>
h5::Handle column(hid_t group, const char* name, const char* units, const char* description) {
  return h5::create_growing(group, name, h5::type_of<T>(), {}, units, description);
}

template <class T>
void append_one(const h5::Handle& dataset, T value) {
  h5::append(dataset, h5::type_of<T>(), {}, 1, &value);
}

}  // namespace

StartRecord start_record(const RunIdentity& id, std::int64_t round) {
  std::string lines;
  for (const auto& [name, text] : id.environment) lines += fmt::format("{}: {}\n", name, text);
  return {round, id.ranks, lines};
}

History History::create(hid_t file) {
  History h;
  const h5::Handle starts = h5::create_group(file, "starts");
  h.start_round_ = column<std::int64_t>(starts.get(), "round", "1", "rounds done at this start");
  h.start_ranks_ = column<std::int64_t>(starts.get(), "ranks", "1", "MPI ranks from here on");
  h.start_environment_ =
      h5::create_growing_texts(starts.get(), "environment", "where and how this start was made");
  const h5::Handle checkpoints = h5::create_group(file, "checkpoints");
  h.round_ = column<std::int64_t>(checkpoints.get(), "round", "1", "rounds in the checkpoint");
  h.bytes_ = column<std::uint64_t>(checkpoints.get(), "bytes", "byte", "size of the file");
  h.seconds_ = column<double>(checkpoints.get(), "seconds", "s", "time it took on rank 0");
  return h;
}

History History::open(hid_t file) {
  History h;
  h.start_round_ = h5::open_dataset(file, "starts/round");
  h.start_ranks_ = h5::open_dataset(file, "starts/ranks");
  h.start_environment_ = h5::open_dataset(file, "starts/environment");
  h.round_ = h5::open_dataset(file, "checkpoints/round");
  h.bytes_ = h5::open_dataset(file, "checkpoints/bytes");
  h.seconds_ = h5::open_dataset(file, "checkpoints/seconds");
  return h;
}

void History::add(const StartRecord& start) {
  append_one(start_round_, start.round);
  append_one(start_ranks_, start.ranks);
  h5::append_text(start_environment_, start.environment);
}

void History::add(const CheckpointRecord& checkpoint) {
  append_one(round_, checkpoint.round);
  append_one(bytes_, checkpoint.bytes);
  append_one(seconds_, checkpoint.seconds);
}

void History::close(const std::string& what) {
  for (h5::Handle* handle : all()) handle->close(what);
}

void History::leak() {
  for (h5::Handle* handle : all()) handle->leak();
}

}  // namespace trilemma
