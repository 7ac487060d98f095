#include "data/cifar.hpp"

#include "data/data_file.hpp"

namespace trilemma {
namespace {

void add(const std::string& file, const CifarVersion& version, Dataset& data, DenseRows& rows) {
  const std::string wanted = std::string(version.name) + " in its binary version";
  const std::string content = data_file_content(file, {FileFormat::idx}, wanted.c_str());
  const std::size_t labels = version.classes.size();
  const std::size_t record_bytes = labels + cifar_features;
  require(content.size() % record_bytes == 0,
          "{}: {} bytes are not a whole number of records of {} bytes, as {} has; fetch it again",
          file, content.size(), record_bytes, version.name);
  for (std::size_t at = 0; at < content.size(); at += record_bytes) {
    for (std::size_t i = 0; i < labels; ++i) {
      const auto label = static_cast<std::uint8_t>(content[at + i]);
      require(label < version.classes[i],
              "{}: label {} at record {}, but {} has labels 0 to {} there; is it another file?",
              file, label, at / record_bytes, version.name, version.classes[i] - 1);
    }
    data.label.push_back(static_cast<std::uint8_t>(content[at + version.used]));
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(at + labels);
    rows.byte.insert(rows.byte.end(), first, first + cifar_features);
  }
}

}  // namespace

CifarVersion cifar10() { return {"CIFAR-10", {10}, 0}; }
CifarVersion cifar100_fine() { return {"CIFAR-100", {20, 100}, 1}; }
CifarVersion cifar100_coarse() { return {"CIFAR-100", {20, 100}, 0}; }

Dataset read_cifar(const std::vector<std::string>& files, const CifarVersion& version) {
  Dataset data;
  data.classes = version.used_classes();
  DenseRows rows;
  rows.columns = cifar_features;
  for (const auto& file : files) reading(file, [&] { add(file, version, data, rows); });
  data.rows = std::move(rows);
  return data;
}

}  // namespace trilemma
