#include "method/paper_noise.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/mechanism.hpp"

namespace trilemma {

double sot_noise(const NoiseFacts& f) {
  return paper_sigma(f.constant, f.threshold, f.rounds, f.delta, f.records, f.epsilon);
}

double central_noise(const NoiseFacts& f) {
  return paper_sigma(f.constant, f.threshold, f.rounds, f.delta, f.clients * f.records, f.epsilon);
}

double random_round_noise(const NoiseFacts& f) {
  const double records = f.clients * f.records;
  return std::sqrt(std::log(records / f.delta)) *
         paper_sigma(f.constant, f.threshold, f.rounds, f.delta, records, f.epsilon);
}

double spider_noise(const NoiseFacts& f) {
  return paper_sigma(f.constant, f.threshold, std::max(f.rounds / f.period, 1.0), f.delta,
                     f.records, f.epsilon);
}

double norm_noise(const NoiseFacts& f) {
  const double on_mean =
      paper_sigma(f.constant, f.threshold, f.rounds, f.delta, f.clients, f.epsilon);
  return f.at_server ? on_mean : std::sqrt(f.participants) * on_mean;
}

double nec_noise(const NoiseFacts& f) {
  const double on_client = f.constant * f.participants / f.clients *
                           paper_sigma(1, f.threshold, f.rounds, f.delta, 1, f.epsilon);
  return f.at_server ? on_client / std::sqrt(f.participants) : on_client;
}

}  // namespace trilemma
