#include "data/tiny_imagenet.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/line_reader.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

constexpr const char* list_of_classes = "wnids.txt";
constexpr const char* annotations = "val/val_annotations.txt";
constexpr std::size_t most_bytes_of_list = std::size_t{64} << 20U;

bool is_jpeg_name(std::string_view name) {
  return name.ends_with(".JPEG") || name.ends_with(".jpeg") || name.ends_with(".jpg");
}

}  // namespace

TinyImageNet::TinyImageNet(const std::string& path) : tree_(open_tree(path, list_of_classes)) {
  std::set<std::string> seen;
  const std::string place = tree_->place(list_of_classes);
  const std::string list = tree_->content(list_of_classes, most_bytes_of_list);
  LineReader lines(place, list);
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty()) continue;
    require(is_plain_name(line), "{}: \"{}\" is no name of a class; fetch it again", lines.place(),
            shown(line, 40));
    require(seen.emplace(line).second, "{}: class {} comes twice; fetch it again", lines.place(),
            shown(line, 40));
    classes_.emplace_back(line);
  }
  require(classes_.size() >= 2, "{}: fewer than 2 classes; is it another file?", place);
}

ImageList TinyImageNet::training(int classes, std::size_t most) const {
  ImageList found;
  found.records.classes = classes;
  found.records.rows = no_images(tiny_imagenet_features);
  for (std::int32_t label = 0; label < classes; ++label) {
    const std::string folder = "train/" + classes_[static_cast<std::size_t>(label)] + "/images/";
    std::size_t count = 0;
    for (auto& name : tree_->names(folder)) {
      if (!is_jpeg_name(name) || (most > 0 && count == most)) continue;
      found.names.push_back(std::move(name));
      found.records.label.push_back(label);
      ++count;
    }
    require(count > 0, "{}: no image *.JPEG there; fetch it again", tree_->place(folder));
  }
  return found;
}

ImageList TinyImageNet::sorted_validation(int classes,
                                          const std::vector<std::string>& names) const {
  ImageList found;
  found.records.classes = classes;
  found.records.rows = no_images(tiny_imagenet_features);
  for (std::int32_t label = 0; label < classes; ++label) {
    const std::string folder = "val/" + classes_[static_cast<std::size_t>(label)] + "/";
    const std::size_t before = found.names.size();
    for (const auto& name : names)
      if (name.starts_with(folder) && is_jpeg_name(name)) found.names.push_back(name);
    found.records.label.resize(found.names.size(), label);
    require(found.names.size() > before,
            "{}: no image *.JPEG there, nor in val/images; fetch it again, or set data.validation "
            "= false",
            tree_->place(folder));
  }
  return found;
}

ImageList TinyImageNet::validation(int classes) const {
  const auto names = tree_->names("val/");
  const auto is_image = [](const std::string& name) { return name.starts_with("val/images/"); };
  if (std::ranges::none_of(names, is_image)) return sorted_validation(classes, names);
  std::map<std::string_view, std::int32_t> number;
  for (const auto& one : classes_) number.emplace(one, static_cast<std::int32_t>(number.size()));
  const std::string place = tree_->place(annotations);
  const std::string list = tree_->content(annotations, most_bytes_of_list);
  std::map<std::string, std::int32_t> label;  // by image
  LineReader lines(place, list);
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty()) continue;
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view image = line.substr(0, end);
    const std::string_view rest = line.substr(std::min(end + 1, line.size()));
    const auto found = number.find(rest.substr(0, rest.find('\t')));
    require(is_plain_name(image) && found != number.end(),
            "{}: \"{}\" does not begin with an image and a class of {}; fetch it again",
            lines.place(), shown(line, 60), list_of_classes);
    require(label.emplace(image, found->second).second, "{}: image {} comes twice; fetch it again",
            lines.place(), shown(image, 40));
  }
  std::vector<std::pair<std::int32_t, std::string_view>> order;
  for (const auto& [image, one] : label)
    if (one < classes) order.emplace_back(one, image);
  std::ranges::sort(order);
  ImageList found;
  found.records.classes = classes;
  found.records.rows = no_images(tiny_imagenet_features);
  for (const auto& [one, image] : order) {
    found.names.push_back("val/images/" + std::string(image));
    found.records.label.push_back(one);
  }
  return found;
}

Dataset TinyImageNet::read(const ImageList& images, const std::vector<bool>& chosen,
                           bool counts_all) const {
  const auto check_size = [](const std::string& place, const Picture& image) {
    constexpr std::size_t side = tiny_imagenet_side;
    require(image.width == side && image.height == side,
            "{}: {} x {} pixels, not {} x {}; is it another data set?", place, image.width,
            image.height, side, side);
    return image;
  };
  return decode_images(*tree_, images, chosen, counts_all, check_size,
                       "lower data.classes or data.per_class");
}

}  // namespace trilemma
