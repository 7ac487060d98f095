#include "tests/support/layouts.hpp"

#include <cmath>

#include "numeric/draws.hpp"

namespace trilemma::testing {
namespace {

std::int32_t random_level(const Layout& layout, Stream& stream) {
  if (layout.level == LevelCode::sign) return stream.below(2) == 0 ? -1 : 1;
  if (layout.level == LevelCode::words)
    return static_cast<std::int32_t>(stream.below(2 * layout.levels)) -
           static_cast<std::int32_t>(layout.levels);
  if (stream.below(3) != 0) return 0;
  return static_cast<std::int32_t>(stream.below(2 * layout.levels + 1)) -
         static_cast<std::int32_t>(layout.levels);
}

}  // namespace

Message random_message(const Layout& layout, Stream& stream) {
  Message m;
  auto value = [&] {
    return static_cast<real>(
        std::ldexp(stream.below(2) == 0 ? -1.0 : 1.0, static_cast<int>(stream.below(30)) - 20));
  };
  const std::size_t entries =
      layout.varies ? stream.below(static_cast<std::uint32_t>(layout.count + 1)) : layout.count;
  for (std::size_t i = 0; i < layout.scalars; ++i) m.scalar.push_back(value());
  if (layout.index != IndexCode::all && layout.index != IndexCode::keyed)
    SubsetDraw()({stream.word(), Purpose::data}, layout.dimension, entries, m.index);
  for (std::size_t i = 0; i < entries; ++i) {
    if (layout.levels == 0)
      m.value.push_back(value());
    else
      m.level.push_back(random_level(layout, stream));
  }
  return m;
}

std::vector<Layout> all_layouts() {
  std::vector<Layout> all;
  for (const auto index : {IndexCode::all, IndexCode::keyed, IndexCode::fixed, IndexCode::rice,
                           IndexCode::bitmap, IndexCode::smallest})
    for (const bool varies : {false, true})
      for (const std::size_t dimension : {1U, 2U, 7U, 64U, 65U, 1000U})
        for (const std::size_t scalars : {0U, 2U}) {
          Layout layout{.dimension = dimension,
                        .count = index == IndexCode::all ? dimension : (dimension + 2) / 3,
                        .index = index,
                        .scalars = scalars,
                        .varies = varies};
          for (const auto format :
               {ValueFormat::float32, ValueFormat::float64, ValueFormat::bfloat16,
                ValueFormat::float16, ValueFormat::natural}) {
            layout.value = format;
            all.push_back(layout);
          }
          layout.value = ValueFormat::float32;
          for (const auto& [code, levels] :
               std::initializer_list<std::pair<LevelCode, std::uint32_t>>{
                   {LevelCode::fixed, 1},
                   {LevelCode::fixed, 100},
                   {LevelCode::gamma, 1},
                   {LevelCode::gamma, 70000},
                   {LevelCode::runs, 5},
                   {LevelCode::rans, 1},
                   {LevelCode::rans, 4095},
                   {LevelCode::trits, 1},
                   {LevelCode::sign, 1},
                   {LevelCode::words, 8},
                   {LevelCode::words, 1U << 23U}}) {
            layout.level = code;
            layout.levels = levels;
            all.push_back(layout);
          }
        }
  return all;
}

}  // namespace trilemma::testing
