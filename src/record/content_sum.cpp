#include "record/content_sum.hpp"

#include <algorithm>
#include <bit>

#include "base/sha256.hpp"
#include "h5/h5.hpp"
#include "record/phase_times.hpp"

namespace trilemma {
namespace {

constexpr const char* summed[] = {"checkpoints", "classes", "config", "contacts",
                                  "environment", "model",   "mpi",    "partition",
                                  "phases",      "privacy", "rounds", "starts"};
constexpr const char* phase_times = "/phases/seconds";
constexpr int deepest = 4;
constexpr std::uint64_t values_at_once = std::uint64_t{1} << 18U;

// Adds every part with its length or in a fixed width, so that no two contents give the same bytes.
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

void add_attributes(Sum& sum, const h5::Object& object, const std::string& path) {
  for (const auto& name : object.attribute_names()) {
    if (name == content_sum_attribute) continue;
    const h5::Value value = object.attribute(name);
    sum.add(path + "@" + name);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      sum.add(std::string("texts"));
      sum.add(static_cast<std::uint64_t>(texts->size()));
      for (const auto& text : *texts) sum.add(text);
      continue;
    }
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

// Adds numbers as little-endian values of 64 bits.
void add_numbers(Sum& sum, const h5::Dataset& dataset, const h5::Extents& extents) {
  std::uint64_t width = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) width *= extents[i];
  const std::uint64_t rows =
      std::max<std::uint64_t>(1, values_at_once / std::max<std::uint64_t>(1, width));
  for (std::uint64_t at = 0; width > 0 && at < extents[0]; at += rows) {
    const std::uint64_t count = std::min(rows, extents[0] - at);
    sum.add_bytes(dataset.read_wide(extents, at, count));
  }
}

void add_dataset(Sum& sum, const h5::Group& parent, const std::string& name,
                 const std::string& path) {
  const h5::Dataset dataset = parent.open_dataset(name);
  const h5::Kind kind = dataset.kind();
  const auto extents = path == phase_times ? phase_extents(dataset) : dataset.stored_extents();
  sum.add(path);
  sum.add(word(kind));
  sum.add(static_cast<std::uint64_t>(extents.size()));
  for (const std::uint64_t extent : extents) sum.add(extent);
  add_attributes(sum, dataset, path);
  if (kind == h5::Kind::text) {
    for (const auto& line : parent.read_texts(name)) sum.add(line);
    return;
  }
  if (extents.empty()) dataset.refuse("", "a single number where a column is expected");
  add_numbers(sum, dataset, extents);
}

void add_member(Sum& sum, const h5::Group& parent, const std::string& name, const std::string& path,
                int depth) {
  if (!parent.is_group(name)) return add_dataset(sum, parent, name, path);
  if (depth > deepest) parent.refuse(name, "groups within groups");
  const h5::Group group = parent.open_group(name);
  add_attributes(sum, group, path);
  for (const auto& member : group.member_names())
    add_member(sum, group, member, path + "/" + member, depth + 1);
}

}  // namespace

std::string content_sum(const h5::Group& file) {
  Sum sum;
  add_attributes(sum, file, "/");
  for (const char* part : summed)
    if (file.has_member(part)) add_member(sum, file, part, std::string("/") + part, 0);
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

Content content_of(const h5::Group& file) {
  if (!file.has_attribute(content_sum_attribute)) return Content::unsummed;
  return file.text_attribute(content_sum_attribute) == content_sum(file) ? Content::whole
                                                                         : Content::changed;
}

std::string changed_content(const std::string& path) {
  return fmt::format(
      "{}: its content has changed since it was written ({} says so); take a copy that is whole, "
      "or run it again",
      path, content_sum_attribute);
}

}  // namespace trilemma
