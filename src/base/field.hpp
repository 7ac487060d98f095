#pragma once
// Tables of fields. One table describes a group of values; by it they are written, read, compared,
// sent, shown and listed by `trilemma reference run-file`.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/state.hpp"

namespace trilemma {

/// Value of a field; its alternative is the type of the attribute.
using FieldValue = std::variant<std::string, double, std::int64_t, bool, std::vector<std::string>>;

/// How `trilemma verify` compares a recorded value with the value that follows from the
/// configuration.
enum class Compared {
  exactly,   ///< must be equal
  account,   ///< equal up to the rounding of accountants on different processors
  work,      ///< details of the accounting: equal if the accountant has the same version
  rounds,    ///< results of the rounds: compared with the columns of the file
  repeated,  ///< depends on the data: compared only with a repeated run
  nowhere    ///< not compared by the table
};

/// Types of fields, in the order of the alternatives of FieldValue.
enum class FieldType { text, number, whole, flag, texts };
/// Returns the FieldType of the C++ type T.
template <class T>
constexpr FieldType field_type_of() {
  if constexpr (std::is_same_v<T, bool>) return FieldType::flag;
  if constexpr (std::is_same_v<T, double>) return FieldType::number;
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldType::whole;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return FieldType::texts;
  return FieldType::text;
}

/// A field of values of type `Record`, stored as the attribute `name`: all that the program
/// declares about it. `trilemma verify` checks presence, range and value by it.
template <class Record>
struct Field {
  std::string name;
  const char* units;  ///< "1" = none
  const char* help;   ///< description in the reference
  Compared compared = Compared::exactly;
  FieldType type = FieldType::text;
  std::function<FieldValue(const Record&)> get;
  std::function<void(Record&, FieldValue)> set = {};  ///< empty = the field is not read
  bool is_optional = false;  ///< files of older programs, or of runs that it is not about, lack it
  double least = -std::numeric_limits<double>::infinity();  ///< of a number, unless it is NaN
  double most = std::numeric_limits<double>::infinity();

  Field optional() const {
    Field result = *this;
    result.is_optional = true;
    return result;
  }
  /// Returns the field with a range. Without an upper end, a value is finite.
  Field between(double low, double high) const {
    Field result = *this;
    result.least = low;
    result.most = high;
    return result;
  }
  Field at_least(double low) const { return between(low, std::numeric_limits<double>::max()); }
};

template <class Record>
using Fields = std::vector<Field<Record>>;

/// Returns the field that is stored in `member`.
template <class Record, class T>
Field<Record> field(std::string name, T Record::*member, const char* units, const char* help,
                    Compared compared = Compared::exactly) {
  return {std::move(name),
          units,
          help,
          compared,
          field_type_of<T>(),
          [member](const Record& record) { return FieldValue(record.*member); },
          [member](Record& record, FieldValue value) {
            record.*member = std::get<T>(std::move(value));
          }};
}

/// Returns a field whose value, of type T, `derived` returns. It is written, but not read.
template <class T, class Record>
Field<Record> computed(std::string name, const char* units, const char* help, Compared compared,
                       T (*derived)(const Record&)) {
  return {
      std::move(name), units, help, compared, field_type_of<T>(), [derived](const Record& record) {
        return FieldValue(derived(record));
      }};
}

/// Name and value of an attribute.
using NamedValue = std::pair<std::string, FieldValue>;

/// Returns whether two values are equal. Numbers may differ by the relative `tolerance`; NaN equals
/// NaN.
bool same_value(const FieldValue& a, const FieldValue& b, double tolerance);

/// Saves or restores a value of any type of field.
template <class T>
void persist_value(State& state, T& value) {
  if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    std::uint64_t count = value.size();
    state.value(count);
    if (state.restores()) value.resize(static_cast<std::size_t>(count));
    for (std::string& text : value) persist_value(state, text);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (state.restores()) value.clear();
    state.values(value);
  } else {
    state.value(value);
  }
}
/// Saves or restores the fields of `record` that are read.
template <class Record>
void persist_fields(State& state, const Fields<Record>& fields, Record& record) {
  for (const auto& field : fields) {
    if (!field.set) continue;
    FieldValue value = field.get(record);
    std::visit([&state](auto& one) { persist_value(state, one); }, value);
    if (state.restores()) field.set(record, std::move(value));
  }
}

/// A row of the reference page.
struct FieldRow {
  std::string name, type, units, help;
};
/// Returns the type of an attribute in the reference: "text", "float64", ...
const char* name(FieldType type);

/// Returns the rows of the reference page for a table of fields.
template <class Record>
std::vector<FieldRow> rows_of(const Fields<Record>& fields) {
  std::vector<FieldRow> rows;
  for (const auto& field : fields)
    rows.push_back({field.name, name(field.type), field.units, field.help});
  return rows;
}

}  // namespace trilemma
