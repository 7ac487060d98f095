#include "record/checkpoint_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/durable.hpp"
#include "base/output.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace trilemma {
namespace {

// Client states are written in pieces of about so many bytes.
constexpr std::size_t block = std::size_t{1} << 20U;

// Hands on a data set of bytes, piece by piece.
template <class Take>
void each_piece(const h5::Handle& set, Take take) {
  const hsize_t size = h5::byte_count(set);
  for (hsize_t at = 0; at < size; at += block)
    take(h5::read_byte_range(set, at, std::min<hsize_t>(block, size - at)));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

Bytes whole_set(hid_t file, const char* name) {
  const h5::Handle set = h5::open_dataset(file, name);
  return h5::read_byte_range(set, 0, h5::byte_count(set));
}

CheckpointHead head_of(hid_t file) {
  const Bytes bytes = whole_set(file, "head");
  State state = State::restoring(bytes);
  CheckpointHead head;
  head.persist(state);
  state.finish();
  return head;
}

// The length of every set goes into the sum as well: what ends one cannot begin the next.
void add_length(Sha256& sum, std::uint64_t length) {
  sum.add(std::as_bytes(std::span(&length, 1)));
}

// The sum is over the data sets in the order in which they were written.
constexpr const char* sets[] = {"head", "run_file", "clients", "client_ends", "common", "server"};

std::string sum_of(hid_t file) {
  Sha256 sum;
  for (const char* name : sets) {
    const h5::Handle set = h5::open_dataset(file, name);
    each_piece(set, [&](const Bytes& piece) { sum.add(piece); });
    add_length(sum, h5::byte_count(set));
  }
  return sum.finish();
}

// Sums a checkpoint of this schema version; returns the version.
std::int64_t check_whole(const std::string& path) {
  constexpr std::int64_t most_versions = 1000;
  const h5::Handle file = h5::open_file(path);
  const auto version = h5::integer_attribute(file.get(), "schema_version", 1, most_versions);
  if (version != checkpoint_schema_version && !h5::has_member(file.get(), checkpoint_sum_set))
    return version;
  const Bytes recorded = whole_set(file.get(), checkpoint_sum_set);
  const std::string sum = sum_of(file.get());
  const auto expected = std::as_bytes(std::span(sum));
  if (version != checkpoint_schema_version ||
      !std::equal(recorded.begin(), recorded.end(), expected.begin(), expected.end()))
    throw LibraryError("its checksum is wrong");
  return version;
}

}  // namespace

void CheckpointHead::persist(State& state) {
  state.values(identity.fingerprint);
  state.values(identity.data_files);
  state.value(round);
  state.values(real);
  state.values(revision);
}

std::string checkpoint_fingerprint(const std::string& path) {
  try {
    return head_of(h5::open_file(path).get()).identity.fingerprint;
  } catch (const std::exception&) {
    return {};
  }
}

CheckpointWriter::CheckpointWriter(const std::string& run_file, const std::string& partial,
                                   const CheckpointIdentity& identity, std::int64_t round)
    : path_(checkpoint_of(run_file, round)), temporary_(unfinished_checkpoint_of(run_file)) {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  try {
    // Only the owner may read it: where noise comes from a secret, the file holds it.
    file_ = h5::create_private_file(temporary_);
    const hid_t file = file_.get();
    h5::set_fixed_attribute(file, "schema", "trilemma-checkpoint");
    h5::set_attribute(file, "schema_version", checkpoint_schema_version);
    CheckpointHead head{identity, round, real_name, git_revision()};
    Bytes bytes;
    State state = State::saving(bytes);
    head.persist(state);
    add_whole("head", "which run and which round", bytes);
    copy_run_file(partial);
    clients_ =
        h5::create_growing_bytes(file, "clients", "states of all clients, one after the other");
  } catch (...) {
    std::filesystem::remove(temporary_, ignored);
    throw;
  }
}

CheckpointWriter::~CheckpointWriter() {
  std::error_code ignored;
  if (!is_published_) std::filesystem::remove(temporary_, ignored);
}

void CheckpointWriter::append(const h5::Handle& set, std::span<const std::byte> bytes) {
  h5::append(set, h5::type_of<std::uint8_t>(), {}, bytes.size(), bytes.data());
  sum_.add(bytes);
  written_ += bytes.size();
}

// Closing writes what HDF5 has kept back; only a checked close notices a full disk.
void CheckpointWriter::end(h5::Handle& set) {
  add_length(sum_, std::exchange(written_, 0));
  set.close("write " + temporary_);
}

void CheckpointWriter::add_whole(const char* name, const char* description,
                                 std::span<const std::byte> bytes) {
  h5::Handle set = h5::create_growing_bytes(file_.get(), name, description);
  append(set, bytes);
  end(set);
}

void CheckpointWriter::copy_run_file(const std::string& partial) {
  h5::Handle copy =
      h5::create_growing_bytes(file_.get(), "run_file", "bytes of the run file as it stood");
  std::ifstream in(partial, std::ios::binary);
  for (Bytes piece(block); in.good();) {
    in.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
    append(copy, std::span(piece).first(static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof() || written_ != std::filesystem::file_size(partial))
    throw LibraryError(fmt::format("cannot read {} for a checkpoint", partial));
  end(copy);
}

void CheckpointWriter::add_client(std::span<const std::byte> state) {
  end_ += state.size();
  ends_.push_back(end_);
  pending_.insert(pending_.end(), state.begin(), state.end());
  if (pending_.size() >= block) write_pending();
}

void CheckpointWriter::write_pending() {
  append(clients_, pending_);
  pending_.clear();
}

std::uint64_t CheckpointWriter::finish(std::span<const std::byte> common,
                                       std::span<const std::byte> server) {
  write_pending();
  end(clients_);
  add_whole("client_ends", "end of each client's state in `clients`, as uint64", bytes_of(ends_));
  add_whole("common", "counters, model and what all clients share", common);
  add_whole("server", "state of the server", server);
  const std::string sum = sum_.finish();
  h5::Handle set =
      h5::create_growing_bytes(file_.get(), checkpoint_sum_set, "over all other data sets");
  h5::append(set, h5::type_of<std::uint8_t>(), {}, sum.size(), sum.data());
  set.close("write " + temporary_);
  h5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "write " + temporary_);
  file_.close("close " + temporary_);
  publish(temporary_, path_);
  is_published_ = true;
  return std::filesystem::file_size(path_);
}

CheckpointReader::CheckpointReader(const CheckpointName& name) : name_(name) {
  std::int64_t version = 0;
  try {
    const Bytes found = read_in_subprocess(name.path, [&name] {
      Bytes out;
      std::int64_t number = check_whole(name.path);
      State::saving(out).value(number);
      return out;
    });
    State::restoring(found).value(version);
    if (version == checkpoint_schema_version) read();
  } catch (const std::exception& error) {
    throw DamagedCheckpoint(
        fmt::format("{}: damaged checkpoint ({})", name.path, printable(error.what())));
  }
  require(
      version == checkpoint_schema_version,
      "{}: checkpoint of schema version {}, this program reads {}; resume with the program that "
      "wrote it, or choose another --output",
      name.path, version, checkpoint_schema_version);
}

void CheckpointReader::read() {
  file_ = h5::open_file(name_.path);
  head_ = head_of(file_.get());
  if (head_.round != name_.round) throw LibraryError(fmt::format("it is of round {}", head_.round));
  clients_ = h5::open_dataset(file_.get(), "clients");
  const Bytes ends = whole_set(file_.get(), "client_ends");
  ends_.resize(ends.size() / sizeof(std::uint64_t));
  std::memcpy(ends_.data(), ends.data(), ends_.size() * sizeof(std::uint64_t));
  if (!std::is_sorted(ends_.begin(), ends_.end()) ||
      (ends_.empty() ? 0 : ends_.back()) != h5::byte_count(clients_))
    throw LibraryError("the states of its clients do not fit its list of them");
  common_ = whole_set(file_.get(), "common");
  server_ = whole_set(file_.get(), "server");
}

Bytes CheckpointReader::client(std::size_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : ends_.at(number - 1);
  return h5::read_byte_range(clients_, begin, ends_.at(number) - begin);
}

void CheckpointReader::extract_run_file(const std::string& path) const {
  OutputFile out(path);
  each_piece(h5::open_dataset(file_.get(), "run_file"),
             [&](const Bytes& piece) { out.write(piece); });
  out.close();
}

}  // namespace trilemma
