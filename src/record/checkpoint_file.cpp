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

// Client states are written in blocks of about this number of bytes.
constexpr std::size_t block = std::size_t{1} << 20U;

// Calls take(bytes) for each block of a data set of bytes, in order.
template <class Take>
void each_piece(const h5::Dataset& set, Take take) {
  const std::uint64_t size = set.byte_count();
  for (std::uint64_t at = 0; at < size; at += block)
    take(set.read_byte_range(at, std::min<std::uint64_t>(block, size - at)));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

Bytes whole_set(const h5::Group& file, const char* name) {
  const h5::Dataset set = file.open_dataset(name);
  return set.read_byte_range(0, set.byte_count());
}

CheckpointHead head_of(const h5::Group& file) {
  const Bytes bytes = whole_set(file, "head");
  State state = State::restoring(bytes);
  CheckpointHead head;
  head.persist(state);
  state.finish();
  return head;
}

// Adds the length of a data set to the sum, so that no byte can move from one set to the next
// unnoticed.
void add_length(Sha256& sum, std::uint64_t length) {
  sum.add(std::as_bytes(std::span(&length, 1)));
}

// The data sets in the order in which they are written and summed.
constexpr const char* sets[] = {"head", "run_file", "clients", "client_ends", "common", "server"};

std::string sum_of(const h5::Group& file) {
  Sha256 sum;
  for (const char* name : sets) {
    const h5::Dataset set = file.open_dataset(name);
    each_piece(set, [&](const Bytes& piece) { sum.add(piece); });
    add_length(sum, set.byte_count());
  }
  return sum.finish();
}

// Returns the schema version of a checkpoint. Throws if it is this program's and the checksum is
// wrong.
std::int64_t check_whole(const std::string& path) {
  constexpr std::int64_t most_versions = 1000;
  const h5::File file = h5::File::open(path);
  const auto version = file.integer_attribute("schema_version", 1, most_versions);
  if (version != checkpoint_schema_version && !file.has_member(checkpoint_sum_set)) return version;
  const Bytes recorded = whole_set(file, checkpoint_sum_set);
  const std::string sum = sum_of(file);
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
    return head_of(h5::File::open(path)).identity.fingerprint;
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
    file_ = h5::File::create_private(temporary_);
    const h5::File& file = file_;
    file.set_fixed_attribute("schema", "trilemma-checkpoint");
    file.set_attribute("schema_version", checkpoint_schema_version);
    CheckpointHead head{identity, round, real_name, git_revision()};
    Bytes bytes;
    State state = State::saving(bytes);
    head.persist(state);
    add_whole("head", "identity of the run, and the round", bytes);
    copy_run_file(partial);
    clients_ = file.create_growing_bytes("clients", "states of all clients, in client order");
  } catch (...) {
    std::filesystem::remove(temporary_, ignored);
    throw;
  }
}

CheckpointWriter::~CheckpointWriter() {
  std::error_code ignored;
  if (!is_published_) std::filesystem::remove(temporary_, ignored);
}

void CheckpointWriter::append(const h5::Dataset& set, std::span<const std::byte> bytes) {
  set.append_bytes(bytes);
  sum_.add(bytes);
  written_ += bytes.size();
}

// Closes a data set and checks for failure: HDF5 writes its last values, and meets a full disk,
// here.
void CheckpointWriter::end(h5::Dataset& set) {
  add_length(sum_, std::exchange(written_, 0));
  set.close("write " + temporary_);
}

void CheckpointWriter::add_whole(const char* name, const char* description,
                                 std::span<const std::byte> bytes) {
  h5::Dataset set = file_.create_growing_bytes(name, description);
  append(set, bytes);
  end(set);
}

void CheckpointWriter::copy_run_file(const std::string& partial) {
  h5::Dataset copy =
      file_.create_growing_bytes("run_file", "bytes of the run file after this round");
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
  add_whole("common", "counters, model and state that all clients share", common);
  add_whole("server", "state of the server", server);
  const std::string sum = sum_.finish();
  h5::Dataset set = file_.create_growing_bytes(checkpoint_sum_set, "over all other data sets");
  set.append_bytes(std::as_bytes(std::span(sum)));
  set.close("write " + temporary_);
  file_.flush("write " + temporary_);
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
  file_ = h5::File::open(name_.path);
  head_ = head_of(file_);
  if (head_.round != name_.round) throw LibraryError(fmt::format("it is of round {}", head_.round));
  clients_ = file_.open_dataset("clients");
  const Bytes ends = whole_set(file_, "client_ends");
  ends_.resize(ends.size() / sizeof(std::uint64_t));
  std::memcpy(ends_.data(), ends.data(), ends_.size() * sizeof(std::uint64_t));
  if (!std::is_sorted(ends_.begin(), ends_.end()) ||
      (ends_.empty() ? 0 : ends_.back()) != clients_.byte_count())
    throw LibraryError("the length of `clients` does not agree with `client_ends`");
  common_ = whole_set(file_, "common");
  server_ = whole_set(file_, "server");
}

Bytes CheckpointReader::client(std::size_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : ends_.at(number - 1);
  return clients_.read_byte_range(begin, ends_.at(number) - begin);
}

void CheckpointReader::extract_run_file(const std::string& path) const {
  OutputFile out(path);
  each_piece(file_.open_dataset("run_file"), [&](const Bytes& piece) { out.write(piece); });
  out.close();
}

}  // namespace trilemma
