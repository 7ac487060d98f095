#pragma once
// A checkpoint: the bytes of the run file after a round, and the state of all parts. Each is an
// HDF5 file F.h5.checkpoint-ROUND in the folder of the run file F.h5, written under a temporary
// name and renamed. All its data are data sets of bytes, with one checksum over all of them.

#include "base/sha256.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class State;

inline constexpr std::int64_t checkpoint_schema_version = 6;
/// The data set of the checksum. Its name contains the version, which distinguishes a file of
/// another version from a file whose version attribute is damaged.
inline constexpr const char* checkpoint_sum_set = "sha256_of_version_6";

/// Path and round of a checkpoint on the disk.
struct CheckpointName {
  std::string path;
  std::int64_t round = 0;
};

/// The experiment that wrote a checkpoint.
struct CheckpointIdentity {
  std::string fingerprint;
  std::string data_files;  ///< checksums, as in /environment/data_files of the run file
};

/// The data set `head` of a checkpoint.
struct CheckpointHead {
  CheckpointIdentity identity;
  std::int64_t round = 0;
  std::string real;      ///< type `real` of the program that wrote it
  std::string revision;  ///< source revision of that program

  void persist(State& state);
};

/// Returns the path of the checkpoint after `round`.
std::string checkpoint_of(const std::string& run_file, std::int64_t round);
/// Returns the temporary path of a checkpoint while it is written.
std::string unfinished_checkpoint_of(const std::string& run_file);
/// Returns the checkpoints of a run file, newest first.
std::vector<CheckpointName> checkpoints_of(const std::string& run_file);
/// Returns the fingerprint of the experiment that wrote a checkpoint; empty if it cannot be read.
std::string checkpoint_fingerprint(const std::string& path);
/// Deletes the checkpoints that a run after `round` rounds no longer needs: all but the `keep`
/// newest up to `round`, and later ones, which it skipped as damaged. Keeps the one of round
/// `spared`.
void prune_checkpoints(const std::string& run_file, std::size_t keep, std::int64_t round,
                       std::int64_t spared = -1);
/// Returns the temporary path of the run file that this process extracts from a checkpoint.
std::string extraction_of(const std::string& run_file);
/// Deletes all checkpoints except that of round `kept`, an unfinished one, and run files that
/// killed processes have extracted.
void remove_checkpoints(const std::string& run_file, std::int64_t kept = -1);

/// Writes one checkpoint: first the state of each client in order, then the rest.
class CheckpointWriter {
 public:
  /// Begins a checkpoint after `round` of the run whose file is `partial`, which must be flushed.
  CheckpointWriter(const std::string& run_file, const std::string& partial,
                   const CheckpointIdentity& identity, std::int64_t round);
  /// Deletes the file of an unfinished checkpoint.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Adds the state of the next client.
  void add_client(std::span<const std::byte> state);
  /// Adds the state that all ranks share and the server's state, flushes the file to the disk and
  /// renames it. Returns its size in bytes.
  std::uint64_t finish(std::span<const std::byte> common, std::span<const std::byte> server);

 private:
  void copy_run_file(const std::string& partial);
  void append(const h5::Dataset& set, std::span<const std::byte> bytes);
  void end(h5::Dataset& set);
  void add_whole(const char* name, const char* description, std::span<const std::byte> bytes);
  void write_pending();

  std::string path_, temporary_;
  h5::File file_;
  h5::Dataset clients_;
  Sha256 sum_;
  Bytes pending_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t end_ = 0;
  std::uint64_t written_ = 0;  ///< bytes of the current data set written so far
  bool is_published_ = false;
};

/// A checkpoint is damaged; an older one may be usable.
class DamagedCheckpoint : public UserError {
  using UserError::UserError;
};

/// Reads a checkpoint. Throws DamagedCheckpoint if it is damaged, and UserError if it has another
/// schema version. A separate process verifies the checksum first, so that a damaged file is never
/// used.
class CheckpointReader {
 public:
  explicit CheckpointReader(const CheckpointName& name);

  const CheckpointName& name() const { return name_; }
  std::int64_t round() const { return head_.round; }
  /// Returns the SHA-256 of the settings of the experiment that wrote the checkpoint.
  const std::string& fingerprint() const { return head_.identity.fingerprint; }
  /// Returns the checksums of the data files, as in /environment/data_files of the run file.
  const std::string& data_files() const { return head_.identity.data_files; }
  const std::string& real() const { return head_.real; }
  const std::string& revision() const { return head_.revision; }
  const Bytes& common() const { return common_; }
  const Bytes& server() const { return server_; }
  std::size_t clients() const { return ends_.size(); }
  /// Reads and returns the state of client `number`.
  Bytes client(std::size_t number) const;
  /// Writes the run file in the checkpoint to `path`, which must not exist.
  void extract_run_file(const std::string& path) const;

 private:
  void read();

  CheckpointName name_;
  CheckpointHead head_;
  h5::File file_;
  h5::Dataset clients_;
  std::vector<std::uint64_t> ends_;
  Bytes common_, server_;
};

}  // namespace trilemma
