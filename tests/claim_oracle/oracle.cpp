#include "tests/claim_oracle/oracle.hpp"

#include <algorithm>
#include <cmath>

#include "base/types.hpp"

namespace trilemma::claims {
namespace {

/// A gradient that is long enough comes as near to the smooth bound as one likes.
bool bounds_records(const Facts& f) {
  return f.bound == "clip-record" || f.bound == "smooth-clip-record";
}

bool replaces(const Facts& f) { return f.relation == "replace_one"; }

/// One client in a round, its step left open. Draws of participants that the view does not see hide
/// it; draws that it sees only take rounds away.
Signal client_signal(const Facts& f, const Machine& machine) {
  const bool seen = f.view == "V_server" || (f.rng == "chacha20" && machine.public_participants) ||
                    (f.participation == "fixed-size" && f.view == "V_others") ||
                    f.participation == "drop-outs";
  Signal s;
  s.replaced = replaces(f);
  s.exact_size = f.participation == "fixed-size";
  (seen ? s.known : s.hidden) = f.share();
  return s;
}

/// The signal where the noises of all clients add up. Under masks the noises of the others may be
/// missing at the only coordinate of the unit, or be there at all of them.
std::vector<Signal> summed_signals(const Facts& f, Signal s) {
  const auto n = static_cast<double>(f.clients - f.missing);
  Signal alone = s;
  s.single = f.clients == 1 && f.gain <= 1 && f.joint == "none";
  s.step = f.threshold / (std::sqrt(n * f.gain) * f.sigma);
  if (f.trial_step > 0) s.step = f.trial_step;
  if (f.gain <= 1) return {s};
  alone.step = f.threshold / f.sigma;
  alone.known *= std::pow(1 - 1 / f.gain, n - 1) / f.gain;
  return {s, alone};
}

/// Signals of one client at the place where the claim's view looks.
std::vector<Signal> client_signals(const Facts& f, const Machine& machine) {
  Signal s = client_signal(f, machine);
  if (f.part > 0) {  // each coordinate is a release of its own
    s.step = f.part / (static_cast<double>(f.clients) * f.sigma);
    s.hidden = f.mask_rate;
    return {s};
  }
  if (f.noise_at == "server") {
    s.step = f.threshold / (f.expected() * f.sigma);
    return masked(s, f.gain, true);
  }
  // In the blocks of naive-dp-mtl the noise of their client is alone.
  if (f.view == "V_aggregate" && f.method != "naive-dp-mtl") return summed_signals(f, s);
  // Shuffled messages show their sum.
  if (f.view == "V_shuffled") return summed_signals(f, s);
  s.step = f.threshold / f.sigma;
  return masked(s, f.gain, false);
}

void attack_clients(Attacks& all, const Facts& f, const Machine& machine, long rounds) {
  rounds *= f.part > 0 ? f.full_parts : 1;
  for (const Signal& s : client_signals(f, machine)) {
    weigh_rounds(all, "the signal of one client", s, rounds);
    exceed_cut(all, s, machine.noise_cut, rounds);
    if (!f.keeps_private_state() || f.participation != "fixed-size") continue;
    Signal seen = s;
    seen.known *= seen.hidden;
    seen.hidden = 1;
    weigh_rounds(all, "state of clients that moves with draws of fixed size", seen, rounds, true);
  }
}

/// One record through the minibatch: SGD's G/b.
void attack_minibatch(Attacks& all, const Facts& f, const Machine& machine, long rounds,
                      const Signal& s) {
  if (f.sampling == "with-replacement") {
    weigh_rounds(all, "one record drawn several times",
                 repeated_pair(f.batch, f.least, s.step, s.replaced), rounds, s.known);
    return;
  }
  weigh_rounds(all, "one record in the minibatch", s, rounds);
  exceed_cut(all, s, machine.noise_cut, rounds);
}

/// One record of SVRG or SAGA. Its gradient is the same everywhere: only the mean of all records
/// shows it, by `s`. Or it is opposite at the snapshot and at the models since: then the
/// minibatch's part is 2G/b. SAGA's table takes in what is drawn, so the latter lasts for a round.
void attack_differences(Attacks& all, const Facts& f, const Machine& machine, long rounds,
                        const Signal& s, double rate) {
  weigh_rounds(all, "one record in the mean of all", s, rounds);
  exceed_cut(all, s, machine.noise_cut, rounds);
  if (rounds < 2) return;
  const double sampled = 2 * s.step * static_cast<double>(f.least) / static_cast<double>(f.batch);
  const long times = f.estimator() == "svrg" ? rounds - 1 : 1;
  if (f.sampling != "with-replacement")
    for (const bool replaced : {false, s.replaced})  // to replace by nothing is one way to replace
      weigh_rounds(all, "one record whose gradient has turned round",
                   opposed_pair(rate, sampled, s.step, replaced), times, s.known);
  if (f.estimator() != "saga" || f.sampling != "without-replacement") return;
  Signal seen = s;
  seen.step = sampled;
  seen.known *= rate;
  weigh_rounds(all, "table that moves with draws of fixed size", seen, rounds, true);
}

/// The regulariser's gradient, at most 9 / (8 sqrt 3) times its weight in a coordinate, is there
/// before the noise: the record's part is rounded to a multiple of its ulp, so that it may count as
/// a whole one.
void attack_rounding(Attacks& all, const Facts& f, long rounds, double rate) {
  if (rounds < 2) return;  // the start model may be 0, where the regulariser has no gradient
  const auto value = static_cast<real>(9 / (8 * std::sqrt(3.0)) * f.regulariser);
  const double ulp = static_cast<double>(std::nextafter(value, 2 * value) - value);
  Signal s;
  s.step = ulp / f.sigma;
  s.hidden = rate;
  s.known = f.share() / f.gain;
  weigh_rounds(all, "a record's part rounded to an ulp of the regulariser's", s, 1);
}

/// SPIDER and recursive momentum. In anchors a record shows by its gradient; between them it shows
/// most if its gradient turns from round to round, and the noise grows with that: by the ratio of
/// the minibatches, or as the closed form says.
void attack_recursion(Attacks& all, const Facts& f, const Machine& machine, long rounds, Signal s) {
  const auto m = static_cast<double>(f.least);
  const long anchors = f.period > 0 ? (rounds + f.period - 1) / f.period : std::min(rounds, 1L);
  const auto one = static_cast<double>(f.anchor_batch), b = static_cast<double>(f.batch);
  const double later =
      f.calibration == "paper"
          ? std::sqrt(static_cast<double>(std::min(std::max(f.period, 1L), f.rounds)))
          : one / b;
  const double step = s.step * b;
  s.exact_size = f.sampling == "without-replacement";
  s.step = step / one;
  s.hidden = std::min(1.0, one / m);
  weigh_rounds(all, "one record in anchors", s, anchors);
  exceed_cut(all, s, machine.noise_cut, anchors);
  s.step = step / (b * later);
  s.hidden = std::min(1.0, b / m);
  if (rounds > anchors) weigh_rounds(all, "one record between anchors", s, rounds - anchors);
}

/// Only the model before a round that is drawn is seen, and theory has no better account of it than
/// the mean over this draw, here with the least of every eighth of the rounds.
void attack_output(Attacks& all, const Facts& f, const Signal& s, long rounds) {
  Attacks parts;
  for (long i = 1; i < 8; ++i) {
    const long least = i * rounds / 8;
    if (least > 0) weigh_rounds(parts, "", s, least);
  }
  if (f.sampling == "with-replacement") return;
  all.push_back({"a model after a random number of rounds",
                 [parts](double epsilon) {
                   double sum = 0;
                   for (const Attack& part : parts) sum += part.delta(epsilon) / 8;
                   return sum;
                 },
                 true});
}

void attack_records(Attacks& all, const Facts& f, const Machine& machine, long rounds) {
  const auto m = static_cast<double>(f.least), b = static_cast<double>(f.batch);
  const bool whole = f.estimator() == "gd";
  const double rate = whole ? 1 : std::min(1.0, b / m);
  Signal s;
  s.replaced = replaces(f);
  s.known = f.share();
  const bool differences = f.estimator() == "svrg" || f.estimator() == "saga";
  s.step = f.threshold / ((whole || differences ? m : b) * f.sigma);
  if (f.noise_at == "server") s.step /= f.expected();
  if (f.fresh != 1 || (f.anchor_batch > 0 && f.anchor_batch != f.batch))
    return f.sampling == "with-replacement" ? void() : attack_recursion(all, f, machine, rounds, s);
  if (f.view == "V_output") {
    s.hidden = rate;
    return attack_output(all, f, s, rounds);
  }
  for (Signal seen : masked(s, f.gain, false)) {
    if (differences) {
      attack_differences(all, f, machine, rounds, seen, rate);
      continue;
    }
    seen.hidden = rate;
    seen.exact_size = f.sampling == "without-replacement";
    attack_minibatch(all, f, machine, rounds, seen);
  }
  if (machine.regulariser_before_noise && f.regulariser > 0) attack_rounding(all, f, rounds, rate);
}

/// The finished estimate is clipped: one record whose gradient has no bound takes it from one end
/// of the ball to the other, whatever the minibatch. Through a mean of all records it always does.
void attack_estimates(Attacks& all, const Facts& f, const Machine& machine, long rounds) {
  if (f.problem != "linear" && f.problem != "mean") return;
  Signal s;
  s.step = 2 * f.threshold / f.sigma;
  s.known = f.share();
  if (f.estimator() == "sgd" && f.sampling != "with-replacement")
    s.hidden = std::min(1.0, static_cast<double>(f.batch) / static_cast<double>(f.least));
  if (f.estimator() == "sgd" && f.sampling == "with-replacement")
    s.hidden = 1 - binomial(f.batch, 1 / static_cast<double>(f.least), 0);
  for (const Signal& seen : masked(s, f.gain, false)) {
    weigh_rounds(all, "one record in a finished estimate", seen, rounds);
    exceed_cut(all, seen, machine.noise_cut, rounds);
  }
}

}  // namespace

Attacks attacks(const Facts& f, const Machine& machine, long rounds) {
  Attacks all;
  if (!(f.sigma > 0))
    all.push_back({"no noise", [](double) { return 1.0; }});
  else if (f.protects_clients())
    attack_clients(all, f, machine, rounds);
  else if (bounds_records(f))
    attack_records(all, f, machine, rounds);
  else if (f.bound == "clip-estimator")
    attack_estimates(all, f, machine, rounds);
  return all;
}

std::string refusal(const Facts& f) {
  const bool clients = f.protects_clients();
  if (!clients && !bounds_records(f)) return "nothing bounds what one unit does";
  if (!(f.sigma > 0)) return "there is no noise";
  if (!(f.delta > 0)) return "there is no delta";
  if (f.noise_mode == "total_norm") return "the noise is spread over the coordinates";
  const double units = static_cast<double>(clients ? f.clients : f.most);
  if (f.delta * units >= 1) return "delta allows to publish a unit";
  if (f.noise_at == "server" && ((!clients && !f.is_central()) || f.view == "V_server"))
    return "messages carry no noise";
  if (f.noise_at == "client" && clients) {
    if (f.relation == "add_remove") return "a client that is absent adds no noise";
    if (f.view != "V_server" && f.participation != "full" &&
        !(f.participation == "drop-outs" && f.is_hidden))
      return "the noise of the sum varies with who takes part";
  }
  return "";
}

const Attack* refutes(const Attacks& attacks, double epsilon, double delta) {
  for (const Attack& attack : attacks)
    if (attack.delta(epsilon) > delta) return &attack;
  return nullptr;
}

double least_epsilon(const Attacks& attacks, double delta) {
  double most = 0;
  for (const Attack& attack : attacks) most = std::max(most, epsilon_of(attack.delta, delta));
  return most;
}

}  // namespace trilemma::claims
