#pragma once
// Tables of fields. A group of attributes is one list, by which it is written, read, compared,
// shown and described in docs/reference/run-file-fields.md.

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// Value of a field; its alternative is the type of the attribute.
using FieldValue = std::variant<std::string, double, std::int64_t, bool, std::vector<std::string>>;

/// How verification compares a recorded value with the one that follows from the configuration.
enum class Compared {
  exactly,
  account,   ///< within the difference of accounting on two processors
  work,      ///< details of the accounting: only for an accountant of the same version
  rounds,    ///< results of the rounds: against the columns of the file
  repeated,  ///< depends on the data: only a repeated run has the same value
  nowhere    ///< not by the table; a check of its own may look at it
};

/// Types of fields, in the order of the alternatives of FieldValue.
enum class FieldType { text, number, whole, flag, texts };
template <class T>
constexpr FieldType field_type_of() {
  if constexpr (std::is_same_v<T, bool>) return FieldType::flag;
  if constexpr (std::is_same_v<T, double>) return FieldType::number;
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldType::whole;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return FieldType::texts;
  return FieldType::text;
}

/// A field of the values of type `Record`. Its name is that of the attribute.
template <class Record>
struct Field {
  std::string name;
  const char* units;  ///< "1" where it has none
  const char* help;   ///< what the reference says
  Compared compared = Compared::exactly;
  FieldType type = FieldType::text;
  std::function<FieldValue(const Record&)> get;
  std::function<void(Record&, FieldValue)> set = {};  ///< empty: not read into the record
};

template <class Record>
using Fields = std::vector<Field<Record>>;

/// The field of the member `member`.
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

/// The field whose value, of type T, `get` computes.
template <class T, class Record>
Field<Record> computed(std::string name, const char* units, const char* help, Compared compared,
                       T (*get)(const Record&)) {
  return {std::move(name), units, help, compared, field_type_of<T>(), [get](const Record& record) {
            return FieldValue(get(record));
          }};
}

/// The name and the value of an attribute.
using NamedValue = std::pair<std::string, FieldValue>;

/// Writes an attribute with the type of `value`; a flag is a byte.
void write_value(const h5::Object& to, const std::string& name, const FieldValue& value);
/// Reads an attribute. Throws h5::FileError where it is missing or of another type.
FieldValue read_value(const h5::Object& from, const std::string& name, FieldType type);
/// Reads an attribute of any type; flags are read as whole numbers.
FieldValue read_any_value(const h5::Object& from, const std::string& name);

/// Whether two values are equal: numbers within the relative `tolerance`, NaN equal to NaN.
bool same_value(const FieldValue& a, const FieldValue& b, double tolerance);

template <class Record>
void write_fields(const h5::Object& to, const Fields<Record>& fields, const Record& record) {
  for (const auto& field : fields) write_value(to, field.name, field.get(record));
}

template <class Record>
void read_fields(const h5::Object& from, const Fields<Record>& fields, Record& record) {
  for (const auto& field : fields)
    if (field.set) field.set(record, read_value(from, field.name, field.type));
}

/// A row of the reference: name, type, units and meaning of a field.
struct FieldRow {
  std::string name, type, units, help;
};
/// Returns the type of an attribute in the reference: "text", "float64", ...
const char* name(FieldType type);

/// The rows of a table of fields.
template <class Record>
std::vector<FieldRow> rows_of(const Fields<Record>& fields) {
  std::vector<FieldRow> rows;
  for (const auto& field : fields)
    rows.push_back({field.name, name(field.type), field.units, field.help});
  return rows;
}

}  // namespace trilemma
