#include "data/image_list.hpp"

#include "base/text.hpp"
#include "machine/limits.hpp"

namespace trilemma {

DenseRows no_images(std::size_t features) {
  DenseRows rows;
  rows.columns = features;
  return rows;
}

Dataset decode_images(const FileTree& tree, const ImageList& images,
                      const std::vector<bool>& chosen, bool counts_all, const FitPicture& fit,
                      const std::string& fewer) {
  constexpr std::size_t most_bytes_of_image = std::size_t{16} << 20U;
  Dataset data = images.records;
  const std::size_t features = data.features();
  data.keep(chosen);
  require_memory(counted(data.kept(), "image"),
                 static_cast<double>(data.kept()) * static_cast<double>(features), fewer);
  DenseRows rows = no_images(features);
  rows.byte.reserve(data.kept() * features);
  for (std::size_t r = 0; r < images.names.size(); ++r) {
    if (!data.has_row(r) && !counts_all) continue;
    const std::string& name = images.names[r];
    const std::string place = tree.place(name);
    const Picture image = fit(place, read_jpeg(place, tree.content(name, most_bytes_of_image)));
    expect(image.bytes.size() == features, "an image of the size of the records");
    if (counts_all) rows.census.take_in(image.bytes);
    if (data.has_row(r)) rows.byte.insert(rows.byte.end(), image.bytes.begin(), image.bytes.end());
  }
  data.rows = std::move(rows);
  return data;
}

}  // namespace trilemma
