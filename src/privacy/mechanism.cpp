#include "privacy/mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementwise.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

class None final : public Mechanism {
 public:
  std::string description() const override { return "none"; }
  double sigma() const override { return 0; }

 private:
  void perturb(ConstView u, Support at, const Key&, View out, double) override {
    if (at.is_all() && out.data() == u.data()) return;
    if (at.is_all())
      std::copy(u.begin(), u.end(), out.begin());
    else
      at.each(u.size(), [&](std::size_t i, std::size_t j) { out[i] = u[j]; });
  }
};

// Gaussian mechanism. The fused multiply-add of add_noise makes whole vectors and single
// coordinates bit-identical.
class Gaussian final : public Mechanism {
 public:
  explicit Gaussian(double sigma) : sigma_(sigma) {}
  std::string description() const override {
    return fmt::format("gaussian, sigma = {:.9g}", sigma_);
  }
  double sigma() const override { return sigma_; }

 private:
  void perturb(ConstView u, Support at, const Key& key, View out, double factor) override {
    const double sigma = sigma_ * factor;
    noise_.resize(out.size());
    if (at.is_all()) {
      normals(key, 0, noise_);
      add_noise(sigma, noise_, u, out);
    } else {
      normals_at(key, at.list(), noise_);
      add_noise_at(sigma, noise_, u, at.list(), out);
    }
  }

  double sigma_;
  std::vector<double> noise_;
};

}  // namespace

std::unique_ptr<Mechanism> make_gaussian(double sigma) {
  if (sigma == 0) return std::make_unique<None>();
  return std::make_unique<Gaussian>(sigma);
}

double perturb_mean(std::span<double> mean, Support at, double sigma, const Key& key,
                    std::vector<double>& numbers) {
  if (sigma == 0) return 0;
  numbers.resize(at.size(mean.size()));
  if (at.is_all()) {
    normals(key, 0, numbers);
    add_noise(sigma, numbers, mean);
  } else {
    normals_at(key, at.list(), numbers);
    add_noise_at(sigma, numbers, at.list(), mean);
  }
  return sigma * std::sqrt(norm_squared<double>(numbers));
}

double truncation_delta(double releases, double numbers, double shift) {
  const double room = std::max(0.0, largest_normal() - shift);
  return std::min(1.0, 2 * releases * numbers * std::exp(-room * room / 2));
}

double paper_sigma(double constant, double threshold, double rounds, double delta, double records,
                   double epsilon) {
  return threshold * std::sqrt(constant * rounds * std::log(1.0 / delta)) / (records * epsilon);
}

}  // namespace trilemma
