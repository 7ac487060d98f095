#include "data/image_scaling.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/scaling.hpp"

namespace trilemma {
namespace {

std::string list_of_numbers(const std::vector<double>& values) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(fmt::format("{:.6g}", value));
  return values.size() == 1 ? words.front() : fmt::format("({})", join(words));
}

void scale_planes(const ImageScaling& how, DenseRows& rows) {
  const std::size_t planes = how.means.size();
  const std::size_t size = rows.columns / planes;
  if (!rows.value.empty()) {
    for (std::size_t i = 0; i < rows.value.size(); ++i) {
      const std::size_t plane = i % rows.columns / size;
      rows.value[i] = static_cast<real>((static_cast<double>(rows.value[i]) - how.means[plane]) /
                                        how.deviations[plane]);
    }
    return;
  }
  rows.planes.clear();
  for (std::size_t p = 0; p < planes; ++p)
    rows.planes.push_back({1.0 / (255.0 * how.deviations[p]), -how.means[p] / how.deviations[p]});
  if (planes > 1) return;
  // One plane is an affine scale of all bytes, which is faster.
  rows.scale = rows.planes.front().scale;
  rows.shift = rows.planes.front().shift;
  rows.planes.clear();
}

}  // namespace

void ImageScaling::read(Reader& r, std::size_t planes) {
  r("scaling", kind,
    {{name(Scaling::none), Scaling::none, "a byte is byte / 255"},
     {name(Scaling::standard), Scaling::standard,
      "minus one mean, divided by one standard deviation, of all training records"},
     {name(Scaling::channels), Scaling::channels,
      "by colour plane, minus channel_means, divided by channel_deviations, which are stated"}},
    "feature scaling of training and test data");
  if (!r.when(kind == Scaling::channels)) return;
  const Range numbers{.low = -1e6, .high = 1e6};
  r("channel_means", means, numbers, "mean of each colour plane, where a byte is byte / 255");
  const Range divisors{.low = 1e-6, .high = 1e6};
  r("channel_deviations", deviations, divisors, "divisor of each colour plane");
  if (kind != Scaling::channels) return;
  if (means.empty())
    r.refuse("channel_means", "data.scaling = \"channels\" needs one number by colour plane");
  if (planes > 0 && means.size() != planes)
    r.refuse("channel_means",
             fmt::format("expected {}, one by colour plane", counted(planes, "number")));
  if (deviations.size() != means.size())
    r.refuse("channel_deviations", fmt::format("expected {}, as many as data.channel_means has",
                                               counted(means.size(), "number")));
}

void ImageScaling::apply(TrainTest& data) const {
  if (kind != Scaling::channels) {
    data.scaling = scale_features(data, kind);
    return;
  }
  const std::size_t features = data.train.features();
  require(features % means.size() == 0,
          "data.channel_means: {} for images of {} pixels, which are not a whole number by plane; "
          "state one number by colour plane",
          counted(means.size(), "number"), features);
  for (auto* set : {&data.train, &data.test})
    if (auto* rows = std::get_if<DenseRows>(&set->rows); rows != nullptr)
      scale_planes(*this, *rows);
  data.scaling =
      fmt::format("minus {}, divided by {}", list_of_numbers(means), list_of_numbers(deviations));
}

}  // namespace trilemma
