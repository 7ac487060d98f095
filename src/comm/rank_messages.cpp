// Part of Ranks: transport of client messages to rank 0, and of letters between rank 0 and the
// others.

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "comm/mpi_check.hpp"
#include "comm/ranks.hpp"

namespace trilemma {
namespace {

constexpr int letter_tag = 15;

// A rank may be rounds ahead of rank 0, which must receive only messages of its own round. MPI
// guarantees tags up to 32767.
int update_tag(std::uint32_t round) {
  constexpr std::uint32_t tags = 32'000;
  return letter_tag + 1 + static_cast<int>(round % tags);
}

}  // namespace

Packets Ranks::gather_messages(const Packets& mine, Coordinates participants) {
  if (communicator_.is_null()) return mine;
  count_by_rank(participants);
  if (mine.varies()) return gather_varying(mine, participants.size());
  present_.unit = mine.each();
  const auto all = room(messages_, present_);
  communicator_.gather(mine.bytes(), in_bytes(present_), all, entry(Use::up));
  for (std::size_t r = 0; r < node_.size(); ++r)
    if (node_[r] > 0)
      book_between_nodes(Use::up, present_.unit * static_cast<std::uint64_t>(present_.count[r]));
  return Packets::equal(all, mine.each());
}

// Returns `shares` with counts in bytes if they fit MPI's int counts, which avoids creating an MPI
// type. Ranks may decide differently.
const Shares& Ranks::in_bytes(const Shares& shares) {
  const auto pieces = static_cast<std::uint64_t>(shares.total());
  if (shares.unit * pieces > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    return shares;
  const auto times = [&](int pieces_of_rank) {
    return pieces_of_rank * static_cast<int>(shares.unit);
  };
  bytes_.unit = 1;
  bytes_.count.resize(shares.count.size());
  bytes_.start.resize(shares.start.size());
  std::ranges::transform(shares.count, bytes_.count.begin(), times);
  std::ranges::transform(shares.start, bytes_.start.begin(), times);
  return bytes_;
}

// Gathers the ends of the messages within the bytes of their rank first, then the bytes.
Packets Ranks::gather_varying(const Packets& mine, std::size_t participants) {
  present_.unit = sizeof(std::uint64_t);
  ends_.resize(place_.rank == 0 ? participants : 0);
  communicator_.gather(std::as_bytes(mine.ends()), present_,
                       std::as_writable_bytes(std::span(ends_)), entry(Use::up));
  bytes_.count.assign(present_.count.size(), 0);
  bytes_.start.assign(present_.count.size(), 0);
  bytes_.count[static_cast<std::size_t>(place_.rank)] = mpi_count(mine.bytes().size());
  std::uint64_t total = 0;
  for (std::size_t r = 0; place_.rank == 0 && r < present_.count.size(); ++r) {
    const auto own = std::span(ends_).subspan(static_cast<std::size_t>(present_.start[r]),
                                              static_cast<std::size_t>(present_.count[r]));
    bytes_.start[r] = mpi_count(total);
    bytes_.count[r] = own.empty() ? 0 : mpi_count(own.back());
    for (auto& end : own) end += total;
    total += static_cast<std::uint64_t>(bytes_.count[r]);
  }
  const auto all = room(messages_, bytes_);
  communicator_.gather(mine.bytes(), bytes_, all, entry(Use::up));
  for (std::size_t r = 0; r < node_.size(); ++r)
    if (node_[r] > 0)
      book_between_nodes(Use::up,
                         sizeof(std::uint64_t) * static_cast<std::uint64_t>(present_.count[r]) +
                             static_cast<std::uint64_t>(bytes_.count[r]));
  return Packets::varying(all, ends_);
}

Packets Ranks::relay_messages(const Packets& mine, std::uint64_t& sent) {
  if (communicator_.is_null()) return mine;
  const Ledger kept = ledger_;
  std::vector<std::uint32_t> everyone(static_cast<std::size_t>(place_.clients));
  std::iota(everyone.begin(), everyone.end(), 0U);
  gather_messages(mine, everyone);
  std::size_t bytes = everyone.size() * mine.each();
  if (mine.varies()) {
    ends_.resize(everyone.size());
    communicator_.broadcast(std::as_writable_bytes(std::span(ends_)), entry(Use::down));
    bytes = ends_.back();
  }
  messages_.resize(bytes);
  communicator_.broadcast(messages_, entry(Use::down));
  ledger_ = kept;
  const std::size_t of_ends = mine.varies() ? sizeof(std::uint64_t) : 0;
  sent += place_.rank == 0
              ? static_cast<std::uint64_t>(place_.size - 1) * (bytes + of_ends * everyone.size())
              : mine.bytes().size() + of_ends * mine.ends().size();
  return mine.varies() ? Packets::varying(messages_, ends_)
                       : Packets::equal(messages_, mine.each());
}

void Ranks::post_messages(std::uint32_t round, const Packets& ready) {
  const bool is_empty = ready.varies() ? ready.ends().empty() : ready.bytes().empty();
  if (communicator_.is_null() || place_.rank == 0 || is_empty) return;
  if (ready.varies())
    updates_.send(0, update_tag(round), {{std::as_bytes(ready.ends()), Use::up}}, ledger_);
  updates_.send(0, update_tag(round), {{ready.bytes(), Use::up}}, ledger_);
}

// Uses the next element of pieces_, which only grows, so that rounds do not allocate.
void Ranks::receive_piece(int from, std::uint32_t round, std::size_t bytes, bool sizes_vary) {
  if (arrived_ == pieces_.size()) pieces_.emplace_back();
  Piece& piece = pieces_[arrived_++];
  if (sizes_vary) {
    piece.ends.resize(bytes / sizeof(std::uint64_t));
    updates_.receive(std::as_writable_bytes(std::span(piece.ends)), entry(Use::up));
    bytes = updates_.wait(update_tag(round), from).bytes;
  }
  piece.bytes.resize(bytes);
  updates_.receive(piece.bytes, entry(Use::up));
}

void Ranks::receive_messages(std::uint32_t round, bool sizes_vary, std::size_t each,
                             Coordinates participants,
                             const std::function<void(std::size_t, const Packets&)>& take) {
  if (communicator_.is_null() || (!sizes_vary && each == 0)) return;
  if (place_.rank != 0) return updates_.finish();
  count_by_rank(participants);
  arrived_ = 0;
  taken_.assign(present_.count.size(), 0);
  std::size_t missing = participants.size() - static_cast<std::size_t>(present_.count[0]);
  while (missing > 0) {
    const AsyncChannel::Envelope envelope = updates_.wait(update_tag(round));
    receive_piece(envelope.from, round, envelope.bytes, sizes_vary);
    const Piece& piece = pieces_[arrived_ - 1];
    const auto from = static_cast<std::size_t>(envelope.from);
    const std::size_t number = sizes_vary ? piece.ends.size() : piece.bytes.size() / each;
    if (node_.size() > from && node_[from] > 0)
      book_between_nodes(Use::up, piece.bytes.size() + piece.ends.size() * sizeof(std::uint64_t));
    take(
        static_cast<std::size_t>(present_.start[from]) + taken_[from],
        sizes_vary ? Packets::varying(piece.bytes, piece.ends) : Packets::equal(piece.bytes, each));
    taken_[from] += number;
    missing -= number;
  }
}

void Ranks::send_to_peer(int to, std::uint32_t step, std::span<const std::byte> first,
                         std::span<const std::byte> second) {
  Ledger unused;
  updates_.send(to, update_tag(step), {{first, Use::up}, {second, Use::up}}, unused);
}

void Ranks::receive_from_peer(int from, std::uint32_t step, Bytes& bytes) {
  updates_.receive_next(update_tag(step), from, bytes);
}

void Ranks::broadcast_from(int from, View model, Use use) {
  const auto bytes = std::as_writable_bytes(model);
  if (from != 0 && place_.rank == from) {
    send_to_peer(0, 0, bytes, {});
    finish_peers();
  }
  if (from != 0 && place_.rank == 0) {
    Bytes arrived;
    receive_from_peer(from, 0, arrived);
    expect(arrived.size() == bytes.size(), "a model of another size");
    std::ranges::copy(arrived, bytes.begin());
    ledger_.book(use, bytes.size());
  }
  broadcast(model, use);
}

void Ranks::send_letter(int to, std::span<const std::byte> letter,
                        std::span<const std::byte> model) {
  letters_.send(to, letter_tag, {{letter, Use::control}, {model, Use::down}}, ledger_);
}

int Ranks::next_letter(Bytes& bytes) {
  const auto envelope = letters_.poll(letter_tag);
  if (!envelope) return -1;
  bytes.resize(envelope->bytes);
  letters_.receive(bytes, entry(Use::control));
  return envelope->from;
}

// Relies on clients being hosted in ascending blocks.
void Ranks::count_by_rank(Coordinates participants) {
  if (participants.size() == static_cast<std::size_t>(place_.clients)) {
    present_ = everyone_;
    return;
  }
  auto next = participants.begin();
  for (std::size_t r = 0; r < present_.count.size(); ++r) {
    const auto end = static_cast<std::uint32_t>(everyone_.start[r] + everyone_.count[r]);
    const auto last = std::partition_point(next, participants.end(),
                                           [end](std::uint32_t client) { return client < end; });
    present_.start[r] = static_cast<int>(next - participants.begin());
    present_.count[r] = everyone_.count[r] == 0 ? 0 : static_cast<int>(last - next);
    if (everyone_.count[r] > 0) next = last;
  }
}

}  // namespace trilemma
