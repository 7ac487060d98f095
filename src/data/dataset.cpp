#include "data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/prefetch.hpp"
#include "numeric/elementwise.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

SparseRows::Groups select_rows(const SparseRows::Groups& groups, Coordinates chosen) {
  constexpr std::size_t size = SparseRows::Groups::size;
  SparseRows::Groups out;
  out.value = groups.value;
  out.start.reserve(chosen.size() + 1);
  out.start.push_back(0);
  for (const auto row : chosen)
    out.start.push_back(out.start.back() + groups.start[row + 1] - groups.start[row]);
  out.column.reserve(size * out.start.back());
  for (const auto row : chosen) {
    const auto at = [&](std::size_t group) {
      return groups.column.begin() + static_cast<std::ptrdiff_t>(size * group);
    };
    out.column.insert(out.column.end(), at(groups.start[row]), at(groups.start[row + 1]));
  }
  if (groups.bits.empty()) return out;
  out.words = groups.words;
  out.bits.reserve(out.words * chosen.size() + 1);
  for (const auto row : chosen) {
    const auto first = groups.bits.begin() + static_cast<std::ptrdiff_t>(out.words * row);
    out.bits.insert(out.bits.end(), first, first + static_cast<std::ptrdiff_t>(out.words));
  }
  out.bits.push_back(0);
  return out;
}

SparseRows select_rows(const SparseRows& rows, Coordinates chosen) {
  SparseRows out;
  out.columns = rows.columns;
  if (rows.are_grouped()) {
    out.groups = select_rows(rows.groups, chosen);
    out.start = std::vector<std::size_t>();  // assigning {} would keep the memory
    return out;
  }
  // Reserves exact sizes: with a hundred thousand clients, twice the memory would matter.
  std::size_t entries = 0;
  for (const auto row : chosen) entries += rows.start[row + 1] - rows.start[row];
  out.start.reserve(chosen.size() + 1);
  out.column.reserve(entries);
  out.value.reserve(entries);
  for (const auto row : chosen) out.append_row(rows, row);
  return out;
}

template <class Values>
void copy_rows(const Values& from, std::size_t columns, Coordinates chosen, Values& to) {
  if (from.empty()) return;
  to.reserve(chosen.size() * columns);
  for (const auto row : chosen) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * columns);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(columns));
  }
}

DenseRows select_rows(const DenseRows& rows, Coordinates chosen) {
  DenseRows out;
  out.columns = rows.columns;
  out.scale = rows.scale;
  out.shift = rows.shift;
  out.planes = rows.planes;
  copy_rows(rows.byte, rows.columns, chosen, out.byte);
  copy_rows(rows.value, rows.columns, chosen, out.value);
  return out;
}

void planes_from_bytes(std::span<const DenseRows::PlaneScale> planes,
                       std::span<const std::uint8_t> from, View to) {
  const std::size_t size = from.size() / planes.size();
  for (std::size_t p = 0; p < planes.size(); ++p)
    from_bytes(from.subspan(p * size, size), static_cast<real>(planes[p].scale),
               static_cast<real>(planes[p].shift), to.subspan(p * size, size));
}

}  // namespace

void SparseRows::append_row(const SparseRows& from, std::size_t row) {
  expect(!are_grouped() && !from.are_grouped(), "rows that are grouped already");
  const auto first = static_cast<std::ptrdiff_t>(from.start[row]);
  const auto last = static_cast<std::ptrdiff_t>(from.start[row + 1]);
  column.insert(column.end(), from.column.begin() + first, from.column.begin() + last);
  value.insert(value.end(), from.value.begin() + first, from.value.begin() + last);
  start.push_back(column.size());
}

void SparseRows::group_columns() {
  constexpr std::size_t widest = 65535;  // columns and the padding must fit in 16 bits
  constexpr std::size_t most = std::size_t{1} << 32U;
  const auto differs = [](real a, real b) { return a != b || std::signbit(a) != std::signbit(b); };
  const bool is_same = std::adjacent_find(value.begin(), value.end(), differs) == value.end();
  if (are_grouped() || value.empty() || !is_same || columns > widest ||
      value.size() + rows() > most)
    return;
  Groups found;
  found.value = value.front();
  Vector().swap(value);  // frees the memory before the groups are allocated
  found.start.reserve(start.size());
  found.start.push_back(0);
  for (std::size_t r = 0; r < rows(); ++r) {
    const std::size_t entries = start[r + 1] - start[r];
    const std::size_t count = (entries + Groups::size - 1) / Groups::size;
    found.start.push_back(static_cast<std::uint32_t>(found.start.back() + count));
  }
  found.column.assign(Groups::size * found.start.back(), static_cast<std::uint16_t>(columns));
  for (std::size_t r = 0; r < rows(); ++r)
    for (std::size_t e = start[r], to = Groups::size * found.start[r]; e < start[r + 1]; ++e)
      found.column[to++] = static_cast<std::uint16_t>(column[e]);
  found.fill_bits(columns);
  SparseRows grouped;
  grouped.columns = columns;
  grouped.groups = std::move(found);
  grouped.start = std::vector<std::size_t>();
  *this = std::move(grouped);
}

// Sums over bits have their own order, so the decision must be the same on every rank: a source
// that loads parts has rows of equal size. Bits are read 128 at a time, hence the even number of
// words, and up to one word past the last byte of a row, hence one extra word at the end.
void SparseRows::Groups::fill_bits(std::size_t columns) {
  constexpr std::size_t most_columns_by_entry = 16;  // of a row
  if (columns * (start.size() - 1) > most_columns_by_entry * column.size()) return;
  words = 2 * ((columns + 127) / 128);
  bits.assign(words * (start.size() - 1) + 1, 0);
  for (std::size_t r = 0; r + 1 < start.size(); ++r)
    for (const std::size_t j : row(r))
      if (j < columns) bits[r * words + j / 64] |= std::uint64_t{1} << (j % 64);
}

void DenseRows::gather(Coordinates rows, View out) const {
  expect(out.size() == rows.size() * columns, "gather: wrong size");
  const real factor = static_cast<real>(scale);
  const real offset = static_cast<real>(shift);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    real* to = out.data() + r * columns;
    if (byte.empty()) {
      std::copy_n(value.data() + rows[r] * columns, columns, to);
    } else {
      const std::span from(byte.data() + rows[r] * columns, columns);
      if (planes.empty())
        from_bytes(from, factor, offset, View(to, columns));
      else
        planes_from_bytes(planes, from, View(to, columns));
    }
  }
}

real DenseRows::black(std::size_t column) const {
  if (byte.empty()) return 0;
  if (planes.empty()) return static_cast<real>(shift);
  return static_cast<real>(planes[column / (columns / planes.size())].shift);
}

std::size_t Dataset::features() const {
  return std::visit([](const auto& part) { return part.columns; }, rows);
}

Dataset Dataset::select(Coordinates chosen) const {
  std::vector<std::uint32_t> of_chosen;
  if (!row.empty())
    for (const auto record : chosen) {
      expect(row[record] < row.size(), "select: a record without a row");
      of_chosen.push_back(row[record]);
    }
  Dataset out;
  out.classes = classes;
  out.target_scale = target_scale;
  out.rows = std::visit(
      [&](const auto& part) -> std::variant<SparseRows, DenseRows> {
        return select_rows(part, row.empty() ? chosen : Coordinates(of_chosen));
      },
      rows);
  out.label.reserve(chosen.size());
  for (const auto row : chosen) out.label.push_back(label[row]);
  if (!target.empty())
    for (const auto row : chosen) out.target.push_back(target[row]);
  if (!user.empty())
    for (const auto row : chosen) out.user.push_back(user[row]);
  return out;
}

void DenseRows::Census::take_in(std::span<const std::uint8_t> bytes) {
  count += bytes.size();
  for (const std::uint64_t byte : bytes) {
    sum += byte;
    squares += byte * byte;
  }
}

void DenseRows::Census::take_in(ConstView values) {
  count += values.size();
  for (const double value : values) {
    value_sum += value;
    value_squares += value * value;
  }
}

void Dataset::keep(const std::vector<bool>& chosen) {
  if (chosen.empty()) return;
  std::uint32_t next = 0;
  for (const bool kept : chosen) row.push_back(kept ? next++ : no_row);
}

std::size_t Dataset::kept() const {
  const auto without = std::count(row.begin(), row.end(), no_row);
  return size() - static_cast<std::size_t>(without);
}

void DenseRows::index_nonzeros() {
  const auto zeros = static_cast<std::size_t>(std::count(byte.begin(), byte.end(), 0));
  constexpr std::size_t widest = 65536;
  if (byte.empty() || !planes.empty() || columns > widest ||
      10 * (byte.size() - zeros) > 4 * byte.size())
    return;
  nonzeros = {};
  nonzeros.start.assign(1, 0);
  nonzeros.column.reserve(byte.size() - zeros);
  nonzeros.byte.reserve(byte.size() - zeros);
  for (std::size_t r = 0; r < rows(); ++r) {
    const std::uint8_t* row = byte.data() + r * columns;
    for (std::size_t j = 0; j < columns; ++j) {
      if (row[j] == 0) continue;
      nonzeros.column.push_back(static_cast<std::uint16_t>(j));
      nonzeros.byte.push_back(row[j]);
    }
    nonzeros.start.push_back(nonzeros.byte.size());
  }
}

void Dataset::prefetch_header() const { prefetch_lines(std::span<const Dataset>(this, 1)); }

void Dataset::prefetch_shard() const {
  prefetch_lines<std::int32_t>(label);
  prefetch_lines<double>(row_norm);
  if (const auto* sparse = std::get_if<SparseRows>(&rows); sparse != nullptr)
    prefetch_lines<std::uint64_t>(sparse->groups.bits);
}

void Dataset::prepare() {
  row_norm.assign(size(), 0.0);
  if (auto* sparse = std::get_if<SparseRows>(&rows); sparse != nullptr) {
    Vector row;
    for (std::size_t r = 0; r < size(); ++r) {
      row.clear();
      sparse->each(r, [&row](std::uint32_t, real value) { row.push_back(value); });
      row_norm[r] = euclidean_norm(ConstView(row));
    }
    sparse->group_columns();
  } else {
    auto& dense = std::get<DenseRows>(rows);
    dense.index_nonzeros();
    Vector row(dense.columns);
    for (std::uint32_t r = 0; r < size(); ++r) {
      dense.gather({&r, 1}, row);
      row_norm[r] = euclidean_norm(ConstView(row));
    }
  }
  has_finite_norms = std::all_of(row_norm.begin(), row_norm.end(),
                                 [](double norm) { return std::isfinite(norm); });
}

void Dataset::make_dense() {
  const auto sparse = std::get<SparseRows>(std::move(rows));
  DenseRows dense;
  dense.columns = sparse.columns;
  dense.value.resize(sparse.rows() * sparse.columns);
  for (std::size_t r = 0; r < sparse.rows(); ++r)
    sparse.each(
        r, [&](std::uint32_t column, real one) { dense.value[r * sparse.columns + column] = one; });
  rows = std::move(dense);
  if (classes == 2)
    for (auto& one : label) one = one > 0 ? 1 : 0;
}

void Dataset::truncate(std::size_t count) {
  if (count >= size()) return;
  std::vector<std::uint32_t> first(count);
  std::iota(first.begin(), first.end(), 0U);
  *this = select(first);
}

}  // namespace trilemma
