#include "record/content_sum.hpp"

#include <algorithm>
#include <bit>

#include "base/sha256.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "h5/h5_check.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr const char* summed[] = {"checkpoints", "classes", "config", "contacts",
                                  "environment", "model",   "mpi",    "partition",
                                  "phases",      "privacy", "rounds", "starts"};
constexpr const char* phase_times = "/phases/seconds";
constexpr int deepest = 4;
constexpr hsize_t values_at_once = hsize_t{1} << 18U;

// Every part goes in with its length or in a fixed width, so that no two contents look the same.
class Sum {
 public:
  void add(std::uint64_t number) {
    std::byte bytes[sizeof number];
    for (std::size_t i = 0; i < sizeof number; ++i)
      bytes[i] = static_cast<std::byte>(number >> (8 * i) & 0xFFU);
    sum_.add(bytes);
  }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    sum_.add(std::as_bytes(std::span(text)));
  }
  void add_bytes(std::span<const std::byte> bytes) { sum_.add(bytes); }
  std::string finish() { return sum_.finish(); }

 private:
  Sha256 sum_;
};

std::string word(h5::Kind kind) {
  switch (kind) {
    case h5::Kind::text:
      return "text";
    case h5::Kind::floating:
      return "floating";
    case h5::Kind::integer:
      return "integer";
    case h5::Kind::natural:
      break;
  }
  return "natural";
}

void add_attributes(Sum& sum, hid_t object, const std::string& path) {
  for (const auto& name : h5::attribute_names(object)) {
    if (name == content_sum_attribute) continue;
    const h5::Value value = h5::attribute(object, name);
    sum.add(path + "@" + name);
    sum.add(word(static_cast<h5::Kind>(value.index())));
    if (const auto* text = std::get_if<std::string>(&value))
      sum.add(*text);
    else if (const auto* number = std::get_if<double>(&value))
      sum.add(std::bit_cast<std::uint64_t>(*number));
    else if (const auto* integer = std::get_if<std::int64_t>(&value))
      sum.add(static_cast<std::uint64_t>(*integer));
    else
      sum.add(std::get<std::uint64_t>(value));
  }
}

// Numbers as little-endian values of 64 bits.
void add_numbers(Sum& sum, const h5::Handle& dataset, const std::vector<hsize_t>& extents) {
  const h5::Kind kind = h5::kind(dataset);
  const hid_t type = kind == h5::Kind::floating  ? H5T_IEEE_F64LE
                     : kind == h5::Kind::integer ? H5T_STD_I64LE
                                                 : H5T_STD_U64LE;
  hsize_t width = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) width *= extents[i];
  const hsize_t rows = std::max<hsize_t>(1, values_at_once / std::max<hsize_t>(1, width));
  for (hsize_t at = 0; width > 0 && at < extents[0]; at += rows) {
    const hsize_t count = std::min(rows, extents[0] - at);
    Bytes bytes(static_cast<std::size_t>(count * width) * sizeof(std::uint64_t));
    h5::read_rows(dataset, extents, at, count, type, bytes.data());
    sum.add_bytes(bytes);
  }
}

void add_dataset(Sum& sum, hid_t parent, const std::string& name, const std::string& path) {
  const h5::Handle dataset = h5::open_dataset(parent, name);
  const h5::Kind kind = h5::kind(dataset);
  const auto extents = path == phase_times ? phase_extents(dataset) : h5::stored_extents(dataset);
  sum.add(path);
  sum.add(word(kind));
  sum.add(static_cast<std::uint64_t>(extents.size()));
  for (const hsize_t extent : extents) sum.add(static_cast<std::uint64_t>(extent));
  add_attributes(sum, dataset.get(), path);
  if (kind == h5::Kind::text) {
    for (const auto& line : h5::read_texts(parent, name)) sum.add(line);
    return;
  }
  if (extents.empty()) h5::refuse(dataset.get(), "", "a single number where a column is expected");
  add_numbers(sum, dataset, extents);
}

void add_member(Sum& sum, hid_t parent, const std::string& name, const std::string& path,
                int depth) {
  if (!h5::is_group(parent, name)) return add_dataset(sum, parent, name, path);
  if (depth > deepest) h5::refuse(parent, name, "groups within groups");
  const h5::Handle group = h5::open_group(parent, name);
  add_attributes(sum, group.get(), path);
  for (const auto& member : h5::member_names(group.get()))
    add_member(sum, group.get(), member, path + "/" + member, depth + 1);
}

}  // namespace

std::string content_sum(hid_t file) {
  Sum sum;
  add_attributes(sum, file, "/");
  for (const char* part : summed)
    if (h5::has_member(file, part)) add_member(sum, file, part, std::string("/") + part, 0);
  return sum.finish();
}

const char* name(Content content) {
  switch (content) {
    case Content::whole:
      return "whole";
    case Content::changed:
      return "changed";
    case Content::unsummed:
      break;
  }
  return "unsummed";
}

Content content_of(hid_t file) {
  if (!h5::has_attribute(file, content_sum_attribute)) return Content::unsummed;
  return h5::text_attribute(file, content_sum_attribute) == content_sum(file) ? Content::whole
                                                                              : Content::changed;
}

std::string changed_content(const std::string& path) {
  return fmt::format(
      "{}: its content has changed since it was written ({} says so); take a copy that is whole, "
      "or run it again",
      path, content_sum_attribute);
}

std::string check_content(const std::string& path) {
  try {
    const Bytes bytes = read_in_subprocess(path, [&path] {
      Bytes out;
      Content content = content_of(open_run_file(path).get());
      State::saving(out).value(content);
      return out;
    });
    Content content = Content::changed;
    State::restoring(bytes).value(content);
    if (content != Content::changed) return {};
  } catch (const UserError& error) {
    return error.what();
  }
  return changed_content(path);
}

}  // namespace trilemma
