#include "data/array_files.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/data_stream.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

class NumpyFile final : public ArrayFile {
 public:
  explicit NumpyFile(std::string path) : path_(std::move(path)) {}
  std::vector<std::string> names() const override { return {}; }
  RawArray open(const std::string&) const override {
    const auto stream = std::make_shared<DataStream>(path_);
    return open_numpy(
        path_, [stream](char* to, std::size_t most) { return stream->read(to, most); },
        stream->most_bytes());
  }

 private:
  std::string path_;
};

class NumpyArchive final : public ArrayFile {
 public:
  explicit NumpyArchive(const std::string& path) : path_(path), archive_(path, suffix) {}
  std::vector<std::string> names() const override {
    std::vector<std::string> names = archive_.names();
    for (auto& name : names) name.resize(name.size() - suffix.size());
    return names;
  }
  RawArray open(const std::string& name) const override {
    constexpr std::size_t most = std::size_t{1} << 40U;
    const auto content = std::make_shared<const std::string>(
        reading(path_, [&] { return archive_.content(name + suffix, most); }));
    const auto at = std::make_shared<std::size_t>(0);
    RawArray array = open_numpy(
        path_ + ":" + shown(name),
        [content, at](char* to, std::size_t count) {
          count = std::min(count, content->size() - *at);
          std::memcpy(to, content->data() + *at, count);
          *at += count;
          return count;
        },
        content->size());
    array.held = content->size();
    return array;
  }

 private:
  inline static const std::string suffix = ".npy";
  std::string path_;
  ZipArchive archive_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_array_file(const std::string& path) {
  const DataStream stream(path);
  stream.refuse_others(
      {FileFormat::numpy, FileFormat::numpy_zip, FileFormat::zip, FileFormat::hdf5},
      "a file of arrays");
  const FileFormat format = format_of(stream.begin());
  require(!stream.is_packed() || format == FileFormat::numpy,
          "{}: packed with gzip; unpack it with gunzip", path);
  if (format == FileFormat::numpy) return std::make_unique<NumpyFile>(path);
  if (format == FileFormat::hdf5) return open_hdf5_arrays(path);
  require(format != FileFormat::unknown,
          "{}: no file of arrays; .npy, .npz and HDF5 are read by data.source = \"arrays\"", path);
  return std::make_unique<NumpyArchive>(path);
}

}  // namespace trilemma
