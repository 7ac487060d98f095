// Checkpoints on the disk (src/record/checkpoint_file.hpp).

#include "record/checkpoint_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "h5/library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::checkpoint_file_test {

using testing::TempFolder;

Bytes bytes_from(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A checkpoint with a run file of some blocks and two clients, one of which has no state.
std::string write_checkpoint(const TempFolder& folder, std::int64_t round,
                             const std::string& fingerprint = "f") {
  const std::string partial = folder.write("run.h5.partial", std::string(3'000'000, 'p') + "end");
  CheckpointWriter writer(folder.at("run.h5"), partial, {fingerprint, "sums"}, round);
  writer.add_client({});
  writer.add_client(bytes_from("second"));
  EXPECT_GT(writer.finish(bytes_from("common"), bytes_from("server")), 3'000'000U);
  return folder.at("run.h5.checkpoint-" + std::to_string(round));
}

TEST(CheckpointFile, GivesBackWhatWasWritten) {
  const TempFolder folder;
  const std::string path = write_checkpoint(folder, 12);
  const CheckpointReader reader({path, 12});
  EXPECT_EQ(reader.round(), 12);
  EXPECT_EQ(reader.fingerprint(), "f");
  EXPECT_EQ(reader.real(), real_name);
  EXPECT_EQ(reader.clients(), 2U);
  EXPECT_EQ(reader.common(), bytes_from("common"));
  EXPECT_EQ(reader.server(), bytes_from("server"));
  EXPECT_EQ(reader.client(0), Bytes{});
  EXPECT_EQ(reader.client(1), bytes_from("second"));
  EXPECT_EQ(reader.data_files(), "sums");
  reader.extract_run_file(folder.at("again"));
  EXPECT_EQ(testing::bytes_of(folder.at("again")), testing::bytes_of(folder.at("run.h5.partial")));
}

TEST(CheckpointFile, IsForItsOwnerAlone) {
  const TempFolder folder;
  struct stat status {};
  ASSERT_EQ(stat(write_checkpoint(folder, 1).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(CheckpointFile, TheNewestComeFirstAndTheOldestGo) {
  const TempFolder folder;
  for (const int round : {5, 40, 9}) write_checkpoint(folder, round);
  folder.write("run.h5.checkpoint-x", "not one");
  folder.write("other.h5.checkpoint-99", "of another run");
  std::vector<std::int64_t> rounds;
  for (const auto& name : checkpoints_of(folder.at("run.h5"))) rounds.push_back(name.round);
  EXPECT_EQ(rounds, (std::vector<std::int64_t>{40, 9, 5}));
  prune_checkpoints(folder.at("run.h5"), 2, 40);
  EXPECT_EQ(checkpoints_of(folder.at("run.h5")).size(), 2U);
  EXPECT_EQ(checkpoints_of(folder.at("run.h5")).back().round, 9);
  EXPECT_TRUE(std::filesystem::exists(folder.at("other.h5.checkpoint-99")));
}

// A run that went back to an older one has no use for what it passed over.
TEST(CheckpointFile, LaterOnesGoToo) {
  const TempFolder folder;
  for (const int round : {5, 9, 40}) write_checkpoint(folder, round);
  prune_checkpoints(folder.at("run.h5"), 1, 9);
  const auto left = checkpoints_of(folder.at("run.h5"));
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().round, 9);
  for (const char* left : {"run.h5.checkpoint.unfinished", "run.h5.extracted-77"})
    folder.write(left, "x");
  folder.write("run.h5.extracted-by-hand", "x");
  remove_checkpoints(folder.at("run.h5"));
  EXPECT_TRUE(checkpoints_of(folder.at("run.h5")).empty());
  EXPECT_FALSE(std::filesystem::exists(folder.at("run.h5.checkpoint.unfinished")));
  EXPECT_FALSE(std::filesystem::exists(folder.at("run.h5.extracted-77")));
  EXPECT_TRUE(std::filesystem::exists(folder.at("run.h5.extracted-by-hand")));
}

TEST(CheckpointFile, ALostRunFileIsNoticed) {
  const TempFolder folder;
  EXPECT_THROW(CheckpointWriter(folder.at("run.h5"), folder.at("no such file"), {"f", ""}, 3),
               std::exception);
  EXPECT_FALSE(std::filesystem::exists(folder.at("run.h5.checkpoint.unfinished")));
}

TEST(CheckpointFile, AnUnfinishedOneLeavesNothing) {
  const TempFolder folder;
  const std::string partial = folder.write("run.h5.partial", "x");
  { const CheckpointWriter writer(folder.at("run.h5"), partial, {"f", ""}, 3); }
  EXPECT_TRUE(checkpoints_of(folder.at("run.h5")).empty());
  EXPECT_FALSE(std::filesystem::exists(folder.at("run.h5.checkpoint.unfinished")));
}

TEST(CheckpointFile, EveryDamageIsFound) {
  const TempFolder folder;
  const std::string path = write_checkpoint(folder, 7);
  const auto whole = testing::bytes_of(path);
  // One bit in the data of the run file, of the clients, of the common state.
  for (const char* mark : {"pppppppp", "second", "common", "server"}) {
    auto bytes = whole;
    const std::string text(bytes.begin(), bytes.end());
    // The last occurrence is data; names and descriptions stand before them.
    bytes[text.rfind(mark)] ^= 1U;
    folder.write("run.h5.checkpoint-7", bytes);
    EXPECT_THROW(CheckpointReader({path, 7}), DamagedCheckpoint) << mark;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, whole.size() - 1}) {
    folder.write("run.h5.checkpoint-7", std::span(whole).first(size));
    EXPECT_THROW(CheckpointReader({path, 7}), DamagedCheckpoint) << size;
  }
}

// What says of which run and round it is, too: every byte of the head, and the name.
TEST(CheckpointFile, ItsHeadIsPartOfTheSum) {
  const TempFolder folder;
  const std::string path = write_checkpoint(folder, 7, "fingerprint");
  EXPECT_EQ(checkpoint_fingerprint(path), "fingerprint");
  const auto whole = testing::bytes_of(path);
  const std::string text(whole.begin(), whole.end());
  for (const char* mark : {"fingerprint", "sums", real_name}) {
    auto bytes = whole;
    bytes[text.rfind(mark)] ^= 1U;
    folder.write("run.h5.checkpoint-7", bytes);
    EXPECT_THROW(CheckpointReader({path, 7}), DamagedCheckpoint) << mark;
  }
  folder.write("run.h5.checkpoint-8", whole);
  testing::expect_parts(testing::refusal([&] {
                          CheckpointReader({folder.at("run.h5.checkpoint-8"), 8});
                        }),
                        {"checkpoint-8: damaged", "of round 7"});
}

// The length of a data set is compared with the file before a byte of it is read or summed.
TEST(CheckpointFile, ExtentsAreNotBelieved) {
  const TempFolder folder;
  for (const char* name :
       {"head", "run_file", "clients", "client_ends", "common", "server", checkpoint_sum_set}) {
    const std::string path = write_checkpoint(folder, 7);
    {
      const h5::File file = h5::File::change(path);
      const h5::Dataset set = file.open_dataset(name);
      const hsize_t extent = hsize_t{1} << 56U;
      ASSERT_GE(H5Dset_extent(set.id(), &extent), 0);
    }
    testing::expect_parts(testing::refusal([&] {
                            CheckpointReader({path, 7});
                          }),
                          {"checkpoint-7: damaged", std::string("/") + name, "72057594037927936"});
  }
}

// Version 2 had a checksum too, in a set called sha256.
TEST(CheckpointFile, AnotherVersionIsNoDamage) {
  EXPECT_TRUE(
      std::string(checkpoint_sum_set).ends_with(fmt::format("_{}", checkpoint_schema_version)));
  for (const std::int64_t version : {std::int64_t{2}, std::int64_t{99}}) {
    const TempFolder folder;
    const std::string path = folder.at("run.h5.checkpoint-7");
    {
      const h5::File file = h5::File::create(path);
      file.set_attribute<std::int64_t>("schema_version", version);
      file.create_growing_bytes("sha256", "over all other data sets");
    }
    try {
      const CheckpointReader reader({path, 7});
      ADD_FAILURE() << "not refused";
    } catch (const DamagedCheckpoint& error) {
      ADD_FAILURE() << error.what();
    } catch (const UserError& error) {
      testing::expect_parts(error.what(), {fmt::format("schema version {}", version),
                                           fmt::format("reads {}", checkpoint_schema_version)});
    }
  }
}

}  // namespace trilemma::checkpoint_file_test
