#include "experiment/client_records.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "data/data_file.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

// Draws the share of all records that is reserved for tests. The key has purpose data and round 6.
void draw_tests(const Plan& plan, TrainTest& data) {
  const std::size_t count = plan.drawn_for_tests(data.train.size());
  if (count == 0) return;
  auto order = first_numbers(data.train.size());
  shuffle(order, {plan.data_seed, Purpose::data, 0, 6});
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(order.begin(), cut);
  std::sort(cut, order.end());
  data.test = data.train.select(Coordinates(order).first(count));
  data.train = data.train.select(Coordinates(order).subspan(count));
}

// Removes from `records` those that the client holds out for tests, and returns them: a random
// choice, or the last records in the order of the source.
std::vector<std::uint32_t> hold_out(const Plan& plan, std::size_t client,
                                    std::vector<std::uint32_t>& records) {
  const auto count = static_cast<std::size_t>(plan.held_out * static_cast<double>(records.size()));
  auto chosen = records;
  if (plan.held_out_last) {
    std::sort(chosen.begin(), chosen.end(), std::greater<>());
  } else {
    shuffle(chosen, {plan.data_seed, Purpose::data, static_cast<std::uint32_t>(client), 5});
  }
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  std::erase_if(records, [&](std::uint32_t r) {
    return std::binary_search(chosen.begin(), chosen.end(), r);
  });
  return chosen;
}

// Finds the test records of each client: held-out records, or the client's records in the test set
// of a source whose users are the clients.
void find_test(const Plan& plan, const TrainTest& data, PartitionedData& out) {
  auto& clients = out.partition.client;
  if (plan.held_out > 0) {
    out.test_is_held_out = true;
    for (std::size_t c = 0; c < clients.size(); ++c)
      out.test.push_back(hold_out(plan, c, clients[c]));
  } else if (plan.partition->follows_users() && !data.test.user.empty()) {
    out.test.resize(clients.size());
    for (std::uint32_t r = 0; r < data.test.size(); ++r)
      if (data.test.user[r] < clients.size()) out.test[data.test.user[r]].push_back(r);
  }
}

// Returns the records of all clients, in an order that depends only on the set of records.
std::vector<std::uint32_t> training_records(const Partition& partition) {
  std::size_t count = 0;
  for (const auto& records : partition.client) count += records.size();
  std::vector<std::uint32_t> training;
  training.reserve(count);
  for (const auto& records : partition.client)
    training.insert(training.end(), records.begin(), records.end());
  std::sort(training.begin(), training.end());
  return training;
}

}  // namespace

void assign_records(const Plan& plan, const TrainTest& data, PartitionedData& out) {
  plan.problem->check(data.train);
  out.partition =
      plan.partition->partition(data.train, static_cast<std::size_t>(plan.clients), plan.data_seed);
  find_test(plan, data, out);
}

void scale_records(const Plan& plan, PartitionedData& out) {
  plan.source->scale(out.data, plan.source->scales_by_training() ? training_records(out.partition)
                                                                 : std::vector<std::uint32_t>());
  for (Dataset* set : {&out.data.train, &out.data.test}) {
    if (set->size() > 0) plan.problem->check(*set);
    if (auto* rows = std::get_if<SparseRows>(&set->rows); rows != nullptr) rows->group_columns();
  }
}

void refuse_renumbering(const Plan& plan, const TrainTest& data) {
  require(!plan.privacy.strict || data.renumbered.empty(),
          "{}, which uses all records: privacy.strict forbids it; list them in "
          "data.class_labels, or write them as classes in the file",
          data.renumbered);
}

std::string data_state(const Plan& plan, const std::string& data_folder) {
  std::string text;
  const auto add = [&text](const std::string& path) {
    struct stat found = {};  // zeros if the file is missing: reading it reports why
    ::stat(path.c_str(), &found);
    text += fmt::format("{} {} {} {} {}.{:09}\n", path, found.st_dev, found.st_ino, found.st_size,
                        found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
  };
  for (const auto& name : plan.source->files()) {
    const std::string path = path_in(data_folder, name);
    add(path);
    if (!names_folder(name) || !is_folder(path)) continue;
    for (const auto& file : files_below(path)) add(path_in(path, file));
  }
  return text;
}

PartitionedData partition_records(const Plan& plan, const std::string& data_folder) {
  PartitionedData out;
  out.files_state = data_state(plan, data_folder);
  out.data = reading(plan.source->description(),
                     [&] { return plan.source->load(data_folder, plan.data_seed); });
  refuse_renumbering(plan, out.data);
  draw_tests(plan, out.data);
  assign_records(plan, out.data, out);
  scale_records(plan, out);
  return out;
}

}  // namespace trilemma
