#include "comm/ranks.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "comm/message_batcher.hpp"
#include "comm/mpi_check.hpp"

namespace trilemma {

Ranks::Ranks(const Placement& placement, Communicator communicator)
    : communicator_(communicator), updates_(communicator), letters_(std::move(communicator)) {
  host(placement);
}

void Ranks::host(const Placement& placement) {
  place_ = placement;
  everyone_ = {};
  for (int r = 0; r < place_.size; ++r) {
    everyone_.count.push_back(place_.count(r));
    everyone_.start.push_back(place_.first(r));
  }
  present_ = everyone_;
}

void Ranks::form_nodes(int ranks_per_node) {
  if (communicator_.is_null()) return;
  const int lowest = ranks_per_node > 0 ? place_.rank / ranks_per_node * ranks_per_node
                                        : communicator_.lowest_on_machine();
  node_.clear();
  for (const double of_rank : gather_by_rank(std::array{static_cast<double>(lowest)}, Use::control))
    node_.push_back(static_cast<int>(of_rank));
  nodes_ = broadcast_number(static_cast<int>(std::set<int>(node_.begin(), node_.end()).size()),
                            Use::control);
  within_node_ = communicator_.split(lowest);
  leaders_ = communicator_.split(lowest == place_.rank ? 0 : 1);
}

// Valid on rank 0, which knows all nodes.
std::uint64_t Ranks::ranks_elsewhere() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(node_, [](int node) { return node > 0; }));
}

void Ranks::book_between_nodes(Use use, std::uint64_t bytes) {
  if (use == Use::up) ledger_.book_up_between_nodes(bytes);
}

void Ranks::reduce(std::span<double> values, Use use) {
  communicator_.reduce(values, entry(use));
  book_between_nodes(use, ranks_elsewhere() * values.size_bytes());
}

void Ranks::largest(std::span<int> values, Use use) {
  communicator_.largest(values, entry(use));
  book_between_nodes(use, ranks_elsewhere() * 2 * values.size_bytes());
}

void Ranks::unite(std::span<std::uint64_t> bits, Use use) {
  communicator_.unite(bits, entry(use));
  book_between_nodes(use, ranks_elsewhere() * 2 * bits.size_bytes());
}

void Ranks::reduce_by_node(std::span<double> values, Use use) {
  if (communicator_.is_null()) return;
  // Rank 0 counts for all ranks, so the counts of the other communicators at their own roots are
  // dropped.
  Ledger unused;
  within_node_.reduce(values, {unused, use});
  if (within_node_.rank() == 0) leaders_.reduce(values, {unused, use});
  if (place_.rank != 0) return;
  const std::uint64_t others = node_.size() - 1;
  const auto leaders = static_cast<std::uint64_t>(leaders_.size() - 1);
  ledger_.book(use, others * values.size_bytes());
  book_between_nodes(use, leaders * values.size_bytes());
}

void Ranks::broadcast(View model, Use use) {
  communicator_.broadcast(std::as_writable_bytes(model), entry(use));
}

std::span<std::byte> Ranks::room(Bytes& all, const Shares& shares) const {
  if (place_.rank != 0) return {};
  const std::size_t size = shares.unit * shares.total();
  if (all.size() < size) all.resize(size);
  return std::span(all).first(size);
}

std::span<const double> Ranks::gather_by_client(std::span<const double> mine, std::size_t each) {
  return gather_rows(mine, each, everyone_.count);
}

std::span<const double> Ranks::gather_rows(std::span<const double> mine, std::size_t width,
                                           const std::vector<int>& rows) {
  if (communicator_.is_null()) return mine;
  const Shares shares = Shares::in_rank_order(width * sizeof(double), rows);
  const auto all = room(numbers_, shares);
  communicator_.gather(std::as_bytes(mine), shares, all, entry(Use::evaluation));
  return {reinterpret_cast<const double*>(all.data()), all.size() / sizeof(double)};
}

std::vector<double> Ranks::gather_by_rank(std::span<const double> mine, Use use) {
  std::vector<double> all(place_.rank == 0 ? mine.size() * static_cast<std::size_t>(place_.size)
                                           : 0);
  communicator_.gather(mine, all, entry(use));
  return all;
}

std::vector<std::string> Ranks::gather_text(const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(place_.size);
  const auto lengths =
      gather_by_rank(std::vector<double>{static_cast<double>(mine.size())}, Use::control);
  std::vector<int> count(ranks);
  std::ranges::transform(lengths, count.begin(), [](double n) { return static_cast<int>(n); });
  count[static_cast<std::size_t>(place_.rank)] = mpi_count(mine.size());
  const Shares shares = Shares::in_rank_order(1, std::move(count));
  Bytes all;
  communicator_.gather(std::as_bytes(std::span(mine)), shares, room(all, shares),
                       entry(Use::control));
  std::vector<std::string> texts;
  for (std::size_t r = 0; place_.rank == 0 && r < ranks; ++r)
    texts.emplace_back(reinterpret_cast<const char*>(all.data()) + shares.start[r],
                       static_cast<std::size_t>(shares.count[r]));
  return texts;
}

int Ranks::broadcast_number(int value, Use use) {
  communicator_.broadcast(std::as_writable_bytes(std::span(&value, 1)), entry(use));
  return value;
}

void Ranks::broadcast_bytes(Bytes& bytes, Use use) {
  std::uint64_t size = bytes.size();
  communicator_.broadcast(std::as_writable_bytes(std::span(&size, 1)), entry(use));
  bytes.resize(size);
  communicator_.broadcast(bytes, entry(use));
}

void Ranks::collect(const std::function<Bytes(std::size_t)>& make,
                    const std::function<void(std::size_t, const Bytes&)>& take) {
  if (place_.rank != 0) {
    MessageBatcher batcher([this](Bytes& bytes) { send(bytes, 0); });
    for (std::size_t slot = 0; slot < slots(place_.rank); ++slot) batcher.put(make(slot));
    batcher.flush();
    return;
  }
  for (int r = 0; r < place_.size; ++r) {
    MessageBatcher batcher([this, r] { return receive(r); });
    for (std::size_t slot = 0; slot < slots(r); ++slot)
      take(static_cast<std::size_t>(place_.first(r)) + slot, r == 0 ? make(slot) : batcher.next());
  }
}

void Ranks::distribute(const std::function<Bytes(std::size_t)>& give,
                       const std::function<void(std::size_t, const Bytes&)>& take) {
  if (place_.rank != 0) {
    MessageBatcher batcher([this] { return receive(0); });
    for (std::size_t slot = 0; slot < slots(place_.rank); ++slot) take(slot, batcher.next());
    return;
  }
  for (int r = 0; r < place_.size; ++r) {
    MessageBatcher batcher([this, r](Bytes& bytes) { send(bytes, r); });
    for (std::size_t slot = 0; slot < slots(r); ++slot) {
      const Bytes bytes = give(static_cast<std::size_t>(place_.first(r)) + slot);
      r == 0 ? take(slot, bytes) : batcher.put(bytes);
    }
    batcher.flush();
  }
}

// Sends the size first, then the bytes.
void Ranks::send(const Bytes& bytes, int to) {
  const std::uint64_t size = bytes.size();
  communicator_.send(std::as_bytes(std::span(&size, 1)), to, entry(Use::control));
  communicator_.send(bytes, to, entry(Use::control));
}

Bytes Ranks::receive(int from) {
  std::uint64_t size = 0;
  communicator_.receive(std::as_writable_bytes(std::span(&size, 1)), from, entry(Use::control));
  Bytes bytes(size);
  communicator_.receive(bytes, from, entry(Use::control));
  return bytes;
}

int Ranks::smallest(int value) { return communicator_.smallest(value, entry(Use::control)); }

}  // namespace trilemma
