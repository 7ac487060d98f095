#include "record/checkpoint_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "record/durable.hpp"
#include "record/version.hpp"

namespace trilemma {
namespace {

// Client states are written in pieces of about so many bytes.
constexpr std::size_t block = std::size_t{1} << 20U;
constexpr const char* infix = ".checkpoint-";
constexpr const char* unfinished = ".checkpoint.unfinished";
constexpr const char* extracted = ".extracted-";

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// The number at the end of a name, the round of a checkpoint's; -1 for other names.
std::int64_t number_of(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem)) return -1;
  std::int64_t number = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + stem.size(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

// The files beside a run file whose names are its own, `middle` and a number, with that number.
std::vector<CheckpointName> numbered(const std::string& run_file, const char* middle) {
  std::vector<CheckpointName> found;
  const std::string stem = std::filesystem::path(run_file).filename().string() + middle;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(run_file), ignored)) {
    const auto number = number_of(entry.path().filename().string(), stem);
    if (number >= 0 && entry.is_regular_file())
      found.push_back({run_file + middle + std::to_string(number), number});
  }
  return found;
}

// Only the owner may read it: where noise comes from a secret, the file holds it.
h5::Handle create_for_owner(const std::string& path) {
  h5::Handle file = h5::create_file(path);
  chmod(path.c_str(), S_IRUSR | S_IWUSR);
  return file;
}

// Hands on a data set of bytes, piece by piece.
template <class Take>
void each_piece(const h5::Handle& set, Take take) {
  const hsize_t size = h5::length(set);
  for (hsize_t at = 0; at < size; at += block)
    take(h5::read_byte_range(set, at, std::min<hsize_t>(block, size - at)));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

std::string checkpoint_fingerprint(const std::string& path) {
  try {
    return h5::text_attribute(h5::open_file(path).get(), "fingerprint");
  } catch (const LibraryError&) {
    return {};
  }
}

std::vector<CheckpointName> checkpoints_of(const std::string& run_file) {
  auto found = numbered(run_file, infix);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.round > b.round; });
  return found;
}

void prune_checkpoints(const std::string& run_file, std::size_t keep, std::int64_t round) {
  std::size_t kept = 0;
  for (const auto& name : checkpoints_of(run_file))
    if (name.round > round || ++kept > keep) std::filesystem::remove(name.path);
}

std::string extraction_of(const std::string& run_file) {
  return run_file + extracted + std::to_string(getpid());
}

void remove_checkpoints(const std::string& run_file) {
  for (const auto& left : numbered(run_file, extracted)) std::filesystem::remove(left.path);
  for (const auto& name : checkpoints_of(run_file)) std::filesystem::remove(name.path);
  std::filesystem::remove(run_file + unfinished);
}

CheckpointWriter::CheckpointWriter(const std::string& run_file, const std::string& partial,
                                   const CheckpointIdentity& identity, std::int64_t round)
    : path_(run_file + infix + std::to_string(round)), temporary_(run_file + unfinished) {
  try {
    file_ = create_for_owner(temporary_);
    const hid_t file = file_.get();
    h5::set_attribute(file, "schema", std::string("trilemma-checkpoint"));
    h5::set_attribute(file, "schema_version", checkpoint_schema_version);
    h5::set_attribute(file, "round", round);
    h5::set_attribute(file, "real", std::string(real_name));
    h5::set_attribute(file, "git_revision", std::string(git_revision()));
    h5::set_attribute(file, "fingerprint", identity.fingerprint);
    h5::set_attribute(file, "data_files", identity.data_files);
    copy_run_file(partial);
    clients_ =
        h5::create_growing_bytes(file, "clients", "states of all clients, one after the other");
  } catch (...) {
    std::error_code ignored;
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
}

// Closing writes what HDF5 has kept back; only a checked close notices a full disk.
void CheckpointWriter::add_whole(const char* name, const char* description,
                                 std::span<const std::byte> bytes) {
  h5::Handle set = h5::create_growing_bytes(file_.get(), name, description);
  append(set, bytes);
  set.close("write " + temporary_);
}

void CheckpointWriter::copy_run_file(const std::string& partial) {
  h5::Handle copy =
      h5::create_growing_bytes(file_.get(), "run_file", "bytes of the run file as it stood");
  std::ifstream in(partial, std::ios::binary);
  for (Bytes piece(block); in.good();) {
    in.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
    append(copy, std::span(piece).first(static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof() || h5::length(copy) != std::filesystem::file_size(partial))
    throw LibraryError(fmt::format("cannot read {} for a checkpoint", partial));
  copy.close("write " + temporary_);
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
  clients_.close("write " + temporary_);
  add_whole("client_ends", "end of each client's state in `clients`, as uint64", bytes_of(ends_));
  add_whole("common", "counters, model and what all clients share", common);
  add_whole("server", "state of the server", server);
  h5::set_attribute(file_.get(), "sha256", sum_.finish());
  h5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "write " + temporary_);
  file_.close("close " + temporary_);
  publish(temporary_, path_);
  is_published_ = true;
  return std::filesystem::file_size(path_);
}

CheckpointReader::CheckpointReader(const CheckpointName& name, const std::string& fingerprint)
    : name_(name) {
  try {
    file_ = h5::open_file(name.path);
    check_identity(fingerprint);
    check_content();
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw DamagedCheckpoint(fmt::format("{}: damaged checkpoint ({})", name.path, error.what()));
  }
}

void CheckpointReader::check_identity(const std::string& fingerprint) {
  const std::string& path = name_.path;
  const auto version =
      static_cast<std::int64_t>(h5::number_attribute(file_.get(), "schema_version"));
  require(version == checkpoint_schema_version,
          "{}: checkpoint of schema version {}, this program reads {}; go on with the program that "
          "wrote it, or choose another --output",
          path, version, checkpoint_schema_version);
  require(h5::text_attribute(file_.get(), "fingerprint") == fingerprint,
          "{}: checkpoint of an experiment with other settings; go on with those, or choose "
          "another --output",
          path);
  const std::string width = h5::text_attribute(file_.get(), "real");
  require(
      width == real_name,
      "{}: written by a program with {} numbers, this one has {}; go on with the other program, "
      "or choose another --output",
      path, width, real_name);
  revision_ = h5::text_attribute(file_.get(), "git_revision");
  data_files_ = h5::text_attribute(file_.get(), "data_files");
}

// The sum is over the data sets in the order in which they were written.
void CheckpointReader::check_content() {
  Sha256 sum;
  const auto read_whole = [&](const char* name) {
    Bytes bytes;
    each_piece(h5::open_dataset(file_.get(), name), [&](const Bytes& piece) {
      sum.add(piece);
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return bytes;
  };
  each_piece(h5::open_dataset(file_.get(), "run_file"),
             [&](const Bytes& piece) { sum.add(piece); });
  clients_ = h5::open_dataset(file_.get(), "clients");
  each_piece(clients_, [&](const Bytes& piece) { sum.add(piece); });
  const Bytes ends = read_whole("client_ends");
  ends_.resize(ends.size() / sizeof(std::uint64_t));
  std::memcpy(ends_.data(), ends.data(), ends_.size() * sizeof(std::uint64_t));
  common_ = read_whole("common");
  server_ = read_whole("server");
  if (sum.finish() != h5::text_attribute(file_.get(), "sha256"))
    throw LibraryError("its checksum is wrong");
}

Bytes CheckpointReader::client(std::size_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : ends_.at(number - 1);
  return h5::read_byte_range(clients_, begin, ends_.at(number) - begin);
}

void CheckpointReader::extract_run_file(const std::string& path) const {
  std::ofstream out(path, std::ios::binary);
  each_piece(h5::open_dataset(file_.get(), "run_file"), [&out](const Bytes& piece) {
    out.write(reinterpret_cast<const char*>(piece.data()),
              static_cast<std::streamsize>(piece.size()));
  });
  out.close();
  if (!out) throw LibraryError(fmt::format("cannot write {}", path));
}

}  // namespace trilemma
