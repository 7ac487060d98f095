#include "claim/theorems.hpp"

#include <cmath>

namespace trilemma {
namespace {

using accounting::Relation;
using accounting::Sampling;

// Set of values of a property to which a row applies; by default all.
template <class T>
class Among {
 public:
  constexpr Among() = default;
  constexpr Among(T value) : mask_(1U << static_cast<unsigned>(value)) {}  // NOLINT: reads well
  constexpr Among(T a, T b) : mask_(Among(a).mask_ | Among(b).mask_) {}
  constexpr bool holds(T value) const {
    return (mask_ & (1U << static_cast<unsigned>(value))) != 0;
  }

 private:
  unsigned mask_ = ~0U;
};

struct CaseRow {
  Among<Unit> unit{};
  Among<Adversary> view{};
  Among<Place> place{};
  Among<Relation> relation{};
  Among<RecordDraw> records{};
  Among<Draw> clients{};
  Among<bool> state_moves{};
  Among<bool> remembers_draws{};
  Among<Generator> generator{};
  Among<bool> spares_noise{};
  Among<Cover> cover{};
  Theorem theorem{};
};

constexpr Theorem refused(const char* why) {
  return {nullptr, nullptr, Counting::every_round, why};
}

constexpr Theorem gaussian{"Gaussian mechanism in every round, adaptive composition",
                           "Balle and Wang 2018; Dong, Roth and Su 2022", Counting::every_round,
                           nullptr};
// State that changes with the draws is covered: conditioned on all other coins and all earlier
// releases, each round is a mixture over the unit's coin and its state, which the dominating pair
// of one round dominates.
constexpr Theorem poisson{"Gaussian mechanism on Poisson samples, dominating pairs",
                          "Zhu, Dong and Wang 2022", Counting::hidden, nullptr};
// The paper covers units that are added or removed. For a replaced unit, the dominating pair is
// (1-q) N(0) + q N(1) against (1-q) N(0) + q N(-1): a numerical search found no pair of vectors
// that exceeds it.
constexpr Theorem poisson_replaced{
    "Gaussian mechanism on Poisson samples, dominating pairs",
    "Zhu, Dong and Wang 2022 for one unit added or removed; for a replaced unit the pair is two "
    "mixtures on either side of the common part, examined numerically",
    Counting::hidden, nullptr};
constexpr Theorem fixed_size{"Gaussian mechanism on samples of a fixed size, dominating pairs",
                             "Zhu, Dong and Wang 2022, theorem 11", Counting::hidden, nullptr};
constexpr Theorem known_draws{
    "Gaussian mechanism in the rounds of a unit, whose number is known and binomial",
    "Dong, Roth and Su 2022, mixed over public draws", Counting::revealed, nullptr};

// Given the coordinates of all other clients, each coordinate of the sum is a Gaussian release on a
// Poisson sample of a sign, independently of all other coordinates. A replaced client mixes signs
// +c and -c in both data sets, and by joint convexity the worst mixtures are the signs themselves,
// opposed: the pair for one number needs no search.
constexpr Theorem masked_signs{
    "Gaussian mechanism on Poisson samples of the signs of every coordinate, dominating pairs",
    "Chen, Song, Ozgur and Kairouz 2023; Zhu, Dong and Wang 2022", Counting::hidden, nullptr};

// Given the blocks of all other clients, each block of the sum is a Gaussian release on a Poisson
// sample of a vector within the bound of blocks.
constexpr Theorem masked_blocks{
    "Gaussian mechanism on Poisson samples of every block of coordinates, dominating pairs",
    "Asi, Feldman, Keller, Rothblum and Talwar 2025; Zhu, Dong and Wang 2022", Counting::hidden,
    nullptr};

// As for poisson_replaced, with a block of a client for a unit.
constexpr Theorem masked_blocks_replaced{
    "Gaussian mechanism on Poisson samples of every block of coordinates, dominating pairs",
    "Asi, Feldman, Keller, Rothblum and Talwar 2025; Zhu, Dong and Wang 2022 for one client added "
    "or removed; for a replaced client the pair is two mixtures on either side of the common part, "
    "examined numerically",
    Counting::hidden, nullptr};

// A trial with a probability between the ends is a mixture of trials with those of the ends, so all
// values of the other clients are covered by those with K trials at the upper end, for every K.
constexpr Theorem random_trials{
    "Poisson-binomial mechanism, dominating pairs of a coordinate for all values of the others",
    "Chen, Ozgur and Kairouz 2022; Zhu, Dong and Wang 2022", Counting::every_round, nullptr};
constexpr Theorem local_messages{
    "randomised messages, adaptive composition of their dominating pair",
    "Kairouz, Oh and Viswanath 2015; Zhu, Dong and Wang 2022", Counting::every_round, nullptr};

// What a client sends depends on its records, on models, and on draws that may be revealed, but not
// on the coins of its earlier messages: there are no memories. Given all these, each round is
// dominated by the pair for any messages of the others.
constexpr Theorem shuffled_messages{
    "shuffled randomised messages, adaptive composition of the dominating pair of clones",
    "Feldman, McMillan and Talwar 2022, theorem 3.2; Zhu, Dong and Wang 2022",
    Counting::every_round, nullptr};

constexpr Among<Cover> masks{Cover::masked_signs, Cover::masked_blocks};

// The first row that fits applies.
constexpr CaseRow table[] = {
    // --- A whole client, each message of which is private alone ---
    {.unit = Unit::client,
     .view = Adversary::server,
     .place = Place::client,
     .relation = {Relation::zero_out, Relation::replace_one},
     .cover = Cover::local_messages,
     .theorem = local_messages},
    {.unit = Unit::client,
     .view = Adversary::shuffled,
     .place = Place::client,
     .relation = {Relation::zero_out, Relation::replace_one},
     .clients = Draw::everyone,
     .cover = Cover::local_messages,
     .theorem = shuffled_messages},
    {.cover = Cover::local_messages,
     .theorem = refused("messages that are private alone have a claim for one client, set to zero "
                        "or replaced, against whoever sees every message or, where every client "
                        "takes part, all messages without their senders")},
    {.view = Adversary::shuffled,
     .theorem =
         refused("only shuffled messages each of which is private alone have a theorem here")},
    {.unit = Unit::client,
     .view = Adversary::output,
     .theorem = refused("no method that protects clients withholds the models before the last")},
    {.view = Adversary::output,
     .place = Place::client,
     .theorem = refused("only a trusted server can withhold the models before the last")},
    // --- Signs of coordinates, or blocks of coordinates, drawn in secret ---
    {.unit = Unit::record,
     .cover = masks,
     .theorem = refused("parts that clients draw protect whole clients only")},
    {.view = {Adversary::server, Adversary::others},
     .cover = masks,
     .theorem = refused("the claim is about whoever sees sums, and neither messages nor the parts "
                        "that clients have drawn")},
    {.place = Place::client,
     .cover = masks,
     .theorem = refused("a client sends a part of its update only, which its own noise does not "
                        "hide")},
    {.relation = Relation::zero_out,
     .cover = Cover::masked_signs,
     .theorem = refused("a client whose update is zero sends random signs, and no theorem compares "
                        "them with others")},
    {.generator = {Generator::secret, Generator::seed_known},
     .cover = masks,
     .theorem = refused("the parts are drawn from the seed, which is not assumed secret")},
    {.clients = Draw::everyone, .cover = Cover::masked_signs, .theorem = masked_signs},
    {.relation = Relation::replace_one,
     .clients = Draw::everyone,
     .cover = Cover::masked_blocks,
     .theorem = masked_blocks_replaced},
    {.clients = Draw::everyone, .cover = Cover::masked_blocks, .theorem = masked_blocks},
    {.cover = masks,
     .theorem = refused("no theorem here covers draws of clients and of parts together")},
    // --- Counts of random trials ---
    {.unit = Unit::record,
     .cover = Cover::random_trials,
     .theorem = refused("counts of trials protect whole clients only")},
    {.view = {Adversary::server, Adversary::others},
     .cover = Cover::random_trials,
     .theorem = refused("the trials of all clients hide those of one in their sum, and whoever "
                        "sees messages sees them apart")},
    {.place = Place::server,
     .cover = Cover::random_trials,
     .theorem = refused("the trials of clients are their noise, and the server adds none")},
    {.relation = Relation::add_remove,
     .cover = Cover::random_trials,
     .theorem = refused("a client that is absent makes no trials, so that less noise is left")},
    {.clients = Draw::everyone, .cover = Cover::random_trials, .theorem = random_trials},
    {.clients = Draw::dropping,
     .spares_noise = true,
     .cover = Cover::random_trials,
     .theorem = random_trials},
    {.cover = Cover::random_trials,
     .theorem = refused("fewer participants make fewer trials, and their number varies")},
    // --- One record: its client perturbs what it sends, or a trusted server the mean. Given the
    // draws of all other records and clients, the mean is that of the record's client plus a
    // constant. ---
    {.unit = Unit::record,
     .view = Adversary::server,
     .place = Place::server,
     .theorem = refused("the server gets messages without noise")},
    {.unit = Unit::record,
     .view = Adversary::others,
     .place = Place::server,
     .theorem = refused("clients have no models of their own")},
    {.unit = Unit::record,
     .view = {Adversary::aggregate, Adversary::others},
     .place = Place::client,
     .theorem =
         refused("its client's own noise protects a record, against an adversary who sees every "
                 "message; sums over clients are not accounted")},
    {.unit = Unit::record,
     .records = RecordDraw::shuffled,
     .theorem =
         refused("no theorem here covers records in shuffled minibatches; set local.sampling = "
                 "poisson")},
    {.unit = Unit::record,
     .records = RecordDraw::fixed_size,
     .remembers_draws = true,
     .theorem = refused("the table of SAGA remembers earlier draws, and no theorem covers that for "
                        "draws of a fixed size")},
    {.unit = Unit::record,
     .relation = {Relation::add_remove, Relation::zero_out},
     .records = RecordDraw::fixed_size,
     .theorem =
         refused("minibatches of a fixed size (without-replacement) have a theorem for replaced "
                 "records only; set privacy.relation = replace_one, or local.sampling = "
                 "poisson")},
    {.unit = Unit::record, .records = RecordDraw::fixed_size, .theorem = fixed_size},
    {.unit = Unit::record,
     .relation = Relation::replace_one,
     .records = RecordDraw::poisson,
     .theorem = poisson_replaced},
    {.unit = Unit::record, .records = RecordDraw::poisson, .theorem = poisson},
    {.unit = Unit::record, .records = {RecordDraw::all, RecordDraw::repeated}, .theorem = gaussian},
    // --- A whole client that perturbs what it sends ---
    {.unit = Unit::client,
     .place = Place::client,
     .relation = Relation::add_remove,
     .theorem = refused("a client that is absent adds no noise")},
    {.unit = Unit::client, .view = Adversary::server, .place = Place::client, .theorem = gaussian},
    {.unit = Unit::client,
     .view = Adversary::aggregate,
     .place = Place::client,
     .clients = Draw::everyone,
     .theorem = gaussian},
    // The run stops where more clients drop out than planned; whoever else is left only adds noise.
    {.unit = Unit::client,
     .view = Adversary::aggregate,
     .place = Place::client,
     .clients = Draw::dropping,
     .spares_noise = true,
     .theorem = gaussian},
    {.unit = Unit::client,
     .place = Place::client,
     .theorem = refused("noise at the clients varies with the number of participants, and no "
                        "theorem covers its sum")},
    // --- A whole client, and a trusted server that perturbs the mean ---
    {.unit = Unit::client,
     .view = Adversary::server,
     .place = Place::server,
     .theorem = refused("the server gets messages without noise")},
    {.unit = Unit::client,
     .relation = Relation::add_remove,
     .clients = Draw::fixed_size,
     .theorem = refused(
         "with a fixed number of participants (fixed-size), adding or removing a client "
         "changes the draws of all others; set privacy.relation = replace_one or zero_out, or "
         "participation.kind = poisson")},
    // Who drops out does not depend on the data, and may be known.
    {.unit = Unit::client, .clients = {Draw::everyone, Draw::dropping}, .theorem = gaussian},
    // The seed determines the draws of every round.
    {.unit = Unit::client, .generator = Generator::seed_known, .theorem = gaussian},
    {.unit = Unit::client,
     .relation = Relation::replace_one,
     .clients = Draw::independent,
     .theorem = poisson_replaced},
    {.unit = Unit::client, .clients = Draw::independent, .theorem = poisson},
    // All other clients together know which of them participated, and so whether this client did.
    {.unit = Unit::client,
     .view = Adversary::others,
     .clients = Draw::fixed_size,
     .theorem = known_draws},
    // The dominating pair for samples of a fixed size covers queries without state and replaced
    // units only.
    {.unit = Unit::client,
     .clients = Draw::fixed_size,
     .state_moves = true,
     .theorem = known_draws},
    {.unit = Unit::client,
     .relation = Relation::zero_out,
     .clients = Draw::fixed_size,
     .theorem = known_draws},
    {.unit = Unit::client, .clients = Draw::fixed_size, .theorem = fixed_size},
    {.theorem = refused("no theorem is known for this combination")},
};

bool fits(const CaseRow& row, const ClaimCase& kind) {
  return row.unit.holds(kind.unit) && row.view.holds(kind.view) && row.place.holds(kind.place) &&
         row.relation.holds(kind.relation) && row.records.holds(kind.records) &&
         row.clients.holds(kind.clients) && row.state_moves.holds(kind.state_moves) &&
         row.remembers_draws.holds(kind.remembers_draws) && row.generator.holds(kind.generator) &&
         row.spares_noise.holds(kind.spares_noise) && row.cover.holds(kind.cover);
}

// Fills in the release of one record of a client, which sends a vector in every round, alone or as
// a part of the mean that the server releases. A record that can occur several times in a minibatch
// is counted as often.
void release_records(const ClaimInputs& f, Counting counting, double batch, double occurrences,
                     Release& r) {
  if (f.kind.place == Place::server) {
    r.sensitivity.sampled /= f.participants;
    r.sensitivity.full /= f.participants;
  }
  if (f.kind.records == RecordDraw::all || r.sensitivity.sampled == 0) return;
  if (counting != Counting::hidden) {
    r.sensitivity.full += r.sensitivity.sampled * occurrences;
    r.sensitivity.sampled = 0;
    return;
  }
  r.sampling = f.kind.records == RecordDraw::poisson ? Sampling::poisson : Sampling::fixed_wor;
  r.rate = batch / static_cast<double>(f.shards.least);
}

// Returns the release of the later rounds of one record.
Release later_release(const ClaimInputs& f, Counting counting) {
  Release r{.sensitivity = f.later->sensitivity, .noise = f.later->noise, .times = f.later->rounds};
  release_records(f, counting, f.later->batch, f.later->occurrences, r);
  return r;
}

// Returns whether the releases differ in nothing but their number. The noise multiplier and the
// rate are all that is accounted.
bool costs_the_same(const Release& a, const Release& b) {
  return a.sampling == b.sampling && a.rate == b.rate && a.sensitivity == b.sensitivity &&
         a.noise == b.noise;
}

// Fills in the release of a whole client. Its own noise covers its message or, together with the
// noise of all others, the sum; the server's noise covers the mean.
void release_clients(const ClaimInputs& f, Counting counting, Release& r) {
  r.sensitivity = {};
  if (f.kind.place == Place::client) {
    const bool in_sum = f.kind.view == Adversary::aggregate && f.noise_is_shared;
    r.sensitivity.full =
        in_sum ? f.sensitivity.full / std::sqrt(f.participants) : f.sensitivity.full;
    return;
  }
  const double moved = f.sensitivity.full / f.participants;
  if (f.masks) {
    r.sensitivity.sampled = moved;
    r.sampling = Sampling::poisson;
    r.rate = f.masks->rate;
    r.coordinates = f.masks->releases;
    r.range = f.masks->range;
    return;
  }
  if (counting == Counting::every_round) {
    r.sensitivity.full = moved;
    return;
  }
  r.sensitivity.sampled = moved;
  r.sampling = counting == Counting::revealed        ? Sampling::revealed
               : f.kind.clients == Draw::independent ? Sampling::poisson
                                                     : Sampling::fixed_wor;
  r.rate = f.participants / f.clients;
}

}  // namespace

const Theorem& theorem_for(const ClaimCase& kind) {
  for (const CaseRow& row : table)
    if (fits(row, kind)) return row.theorem;
  return std::end(table)[-1].theorem;
}

Releases releases_of(const ClaimInputs& f) {
  const Counting counting = theorem_for(f.kind).counting;
  Release of_a_round;
  of_a_round.times = f.contacts.value_or(f.rounds);
  of_a_round.sensitivity = f.sensitivity;
  if (f.kind.unit == Unit::client)
    release_clients(f, counting, of_a_round);
  else
    release_records(f, counting, f.batch, f.occurrences, of_a_round);
  Releases all{f.kind.relation, {of_a_round}, f.stops};
  if (!f.later) return all;
  const Release later = later_release(f, counting);
  if (costs_the_same(of_a_round, later)) return all;
  all.list[0].times -= later.times;
  all.list.push_back(later);
  return all;
}

const char* name(Adversary view) {
  constexpr const char* names[] = {"V_server", "V_aggregate", "V_others", "V_output", "V_shuffled"};
  return names[static_cast<int>(view)];
}
const char* name(Unit unit) { return unit == Unit::client ? "client" : "record"; }
const char* name(Place place) { return place == Place::server ? "server" : "client"; }
const char* name(Generator generator) {
  return generator == Generator::simulation ? "philox4x32-10" : "chacha20";
}

}  // namespace trilemma
