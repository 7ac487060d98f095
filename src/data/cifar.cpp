#include "data/cifar.hpp"

#include "data/data_file.hpp"

namespace trilemma {
namespace {

constexpr std::size_t record_bytes = 1 + cifar_features;

void add(const std::string& file, Dataset& data, DenseRows& rows) {
  const std::string content =
      data_file_content(file, {FileFormat::idx}, "CIFAR-10 in its binary version");
  require(content.size() % record_bytes == 0,
          "{}: {} bytes are not a whole number of records of {} bytes; fetch it again", file,
          content.size(), record_bytes);
  for (std::size_t at = 0; at < content.size(); at += record_bytes) {
    const auto label = static_cast<std::uint8_t>(content[at]);
    require(label < cifar_classes,
            "{}: label {} at record {}, but CIFAR-10 has labels 0 to 9; is it another file?", file,
            label, at / record_bytes);
    data.label.push_back(label);
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(at + 1);
    rows.byte.insert(rows.byte.end(), first, first + cifar_features);
  }
}

}  // namespace

Dataset read_cifar(const std::vector<std::string>& files) {
  Dataset data;
  data.classes = cifar_classes;
  DenseRows rows;
  rows.columns = cifar_features;
  for (const auto& file : files) reading(file, [&] { add(file, data, rows); });
  data.rows = std::move(rows);
  return data;
}

}  // namespace trilemma
