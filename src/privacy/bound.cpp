#include "privacy/bound.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementwise.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

// For thresholds in this range, bounded values stay far from the smallest and the largest numbers,
// where rounding errors are no longer small relative to the values.
constexpr Range thresholds{.low = 1e-20, .high = 1e20};

struct RecordOptions {
  double threshold = 1;
  void read(Reader& r) { r("threshold", threshold, thresholds, "G: norm bound of a gradient"); }
};

// Returns the norm of z. A vector without a finite norm could hide values of any size: it becomes
// zero, and its norm counts as infinite.
double norm_or_zero(View z) {
  const double length = euclidean_norm(ConstView(z));
  if (std::isfinite(length)) return length;
  std::fill(z.begin(), z.end(), real{0});
  return std::numeric_limits<double>::infinity();
}

// Multiplies z by to / from. A factor outside the range of normal numbers would be wrong by up to
// half of itself as `real`.
void shrink(View z, double to, double from) {
  const double factor = to / from;
  if (factor >= static_cast<double>(std::numeric_limits<real>::min()) &&
      factor <= static_cast<double>(std::numeric_limits<real>::max())) {
    scale(z, static_cast<real>(factor));
  } else {
    for (auto& value : z) value = static_cast<real>(static_cast<double>(value) / from * to);
  }
}

// Each record's gradient is clipped to G where it is computed (room local), so this bound has
// nothing left to do.
class ClipRecord : public Bound {
 public:
  explicit ClipRecord(double threshold) : threshold_(threshold) {}
  std::string description() const override {
    return fmt::format("each record clipped to {}", threshold_);
  }
  double record_threshold() const final { return threshold_; }
  bool clips() const override { return true; }
  Bounds what() const final { return Bounds::record; }
  double threshold() const final { return threshold_; }

 private:
  double threshold_;
};

// The same with G z / (G + ||z||) for every gradient z (Li and Chi 2023, PORTER): its norm is below
// G, and it has the direction of z and never a kink.
class SmoothClipRecord final : public ClipRecord {
 public:
  using ClipRecord::ClipRecord;
  std::string description() const override {
    return fmt::format("each record's gradient z turned into {0} z / ({0} + |z|)", threshold());
  }
  bool clips() const override { return false; }
  bool smooths_records() const override { return true; }
};

// The finished vector, regulariser included, is clipped to G, as in the script published with
// [SOT]. One record can change the direction of the whole vector, so averaging over the minibatch
// does not reduce its influence.
class ClipEstimator final : public Bound {
 public:
  explicit ClipEstimator(double threshold) : threshold_(threshold) {}
  std::string description() const override {
    return fmt::format("finished vector clipped to {}", threshold_);
  }
  bool clips() const override { return true; }
  double threshold() const override { return threshold_; }
  // Two vectors of norm G are up to 2G apart, whatever the relation.
  Sensitivity sensitivity(const Sensitivity&, double distance) const override {
    return {.sampled = 0, .full = 2 * threshold_ / distance};
  }
  Bounds what() const override { return Bounds::estimator; }
  bool bounds_public_part() const override { return true; }
  std::string objection() const override {
    return "the finished estimator is clipped, not each record's gradient";
  }

 private:
  double limit(View u) const override { return clip(u, threshold_); }
  double threshold_;
};

enum class Part { update, message };

// The whole vector that a client sends is bounded, whatever it contains: this limits the influence
// of a client, not of one of its records. Adding or removing a client changes the sum by at most C.
class ClientBound : public Bound {
 public:
  ClientBound(double threshold, Part part) : threshold_(threshold), part_(part) {}
  double threshold() const final { return threshold_; }
  Sensitivity sensitivity(const Sensitivity&, double) const final { return {.full = threshold_}; }
  Bounds what() const final { return Bounds::client; }
  bool bounds_public_part() const final { return true; }
  bool bounds_message() const final { return part_ == Part::message; }

 protected:
  const char* subject() const {
    return bounds_message() ? "what is sent of each client's update" : "each client's update";
  }

 private:
  double threshold_;
  Part part_;
};

class ClipClient final : public ClientBound {
 public:
  using ClientBound::ClientBound;
  std::string description() const override {
    return fmt::format("{} clipped to {}", subject(), threshold());
  }
  bool clips() const override { return true; }

 private:
  double limit(View u) const override { return clip(u, threshold()); }
};

class NormaliseClient final : public ClientBound {
 public:
  using ClientBound::ClientBound;
  std::string description() const override {
    return fmt::format("{} normalised to {}", subject(), threshold());
  }

 private:
  double limit(View u) const override { return smooth_normalise(u, threshold(), 0); }
};

class SmoothNormaliseClient final : public ClientBound {
 public:
  SmoothNormaliseClient(double threshold, Part part, double alpha)
      : ClientBound(threshold, part), alpha_(alpha) {}
  std::string description() const override {
    return fmt::format("{} z turned into {} z / ({} + |z|)", subject(), threshold(), alpha_);
  }

 private:
  double limit(View u) const override { return smooth_normalise(u, threshold(), alpha_); }
  double alpha_;
};

class NoBound final : public Bound {
 public:
  std::string description() const override { return "none"; }
  double threshold() const override { return std::numeric_limits<double>::infinity(); }
  Bounds what() const override { return Bounds::nothing; }
  std::string objection() const override { return "gradients are not bounded"; }
};

template <class Kind>
std::unique_ptr<Bound> make_record(const RecordOptions& options) {
  return std::make_unique<Kind>(options.threshold);
}

struct ClientOptions {
  double threshold = 1;
  Part part = Part::update;
  void read(Reader& r) {
    r("threshold", threshold, thresholds, "C: norm bound of a client's update");
    r("of", part,
      {{"update", Part::update, "a client's whole update"},
       {"message", Part::message,
        "its coordinates that are sent, before the compressor scales them"}},
      "vector bounded by C");
  }
};
template <class Kind>
std::unique_ptr<Bound> make_client(const ClientOptions& options) {
  return std::make_unique<Kind>(options.threshold, options.part);
}

struct SmoothOptions {
  ClientOptions client;
  double alpha = 0.01;
  void read(Reader& r) {
    client.read(r);
    r("alpha", alpha, at_least(0), "alpha of smoothed normalisation z / (alpha + |z|)");
  }
};
std::unique_ptr<Bound> make_smooth_client(const SmoothOptions& options) {
  return std::make_unique<SmoothNormaliseClient>(options.client.threshold, options.client.part,
                                                 options.alpha);
}

std::unique_ptr<Bound> make_none() { return std::make_unique<NoBound>(); }

}  // namespace

const char* name(Bounds what) {
  switch (what) {
    case Bounds::record:
      return "record";
    case Bounds::estimator:
      return "estimator";
    case Bounds::client:
      return "client";
    case Bounds::nothing:
      break;
  }
  return "nothing";
}

std::span<const Row<BoundMaker>> bounds() {
  static const Row<BoundMaker> table[] = {
      part_with_settings(
          "clip-record",
          "every record's gradient is clipped to G, as the privacy analysis requires",
          make_record<ClipRecord>),
      part_with_settings("smooth-clip-record",
                         "every record's gradient z becomes G z / (G + |z|), shorter than G",
                         make_record<SmoothClipRecord>),
      part_with_settings("clip-estimator", "the finished vector is clipped to G: not a private run",
                         make_record<ClipEstimator>),
      part_with_settings("clip-client",
                         "each client's update is clipped to C: privacy of whole clients",
                         make_client<ClipClient>),
      part_with_settings("normalise-client",
                         "each client's update gets norm C: privacy of whole clients",
                         make_client<NormaliseClient>),
      part_with_settings(
          "smooth-normalise-client",
          "each client's update z becomes C z / (alpha + |z|): privacy of whole clients",
          make_smooth_client),
      part_without_settings("none", "no bound: not a private run", make_none),
  };
  return table;
}

double clip(View z, double threshold) {
  const double length = norm_or_zero(z);
  if (length <= threshold || std::isinf(length)) return length;
  shrink(z, threshold, length);
  return length;
}

double smooth_normalise(View z, double threshold, double alpha) {
  const double length = norm_or_zero(z);
  // Such a short vector is far below any threshold; its norm may have few correct digits.
  constexpr double shortest = 1e-150;
  if (length < shortest || std::isinf(length)) return length;
  shrink(z, threshold, alpha + length);
  return length;
}

}  // namespace trilemma
