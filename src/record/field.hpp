#pragma once
// Fields as attributes of HDF5 objects.

#include <optional>

#include "base/field.hpp"
#include "h5/h5.hpp"

namespace trilemma {

/// Writes the attribute `name` with the type of `value`; a flag becomes a byte.
void write_value(const h5::Object& to, const std::string& name, const FieldValue& value);
/// Reads the attribute `name`. Throws h5::FileError if it is missing or not of `type`.
FieldValue read_value(const h5::Object& from, const std::string& name, FieldType type);
/// Reads the attribute `name` of any type; flags are read as whole numbers.
FieldValue read_any_value(const h5::Object& from, const std::string& name);

/// Writes all fields of `record` as attributes.
template <class Record>
void write_fields(const h5::Object& to, const Fields<Record>& fields, const Record& record) {
  for (const auto& field : fields) write_value(to, field.name, field.get(record));
}

/// Reads a record from the attributes of all `fields`; nullopt where the first of them is missing,
/// as in a file of an older program.
template <class Record>
std::optional<Record> read_fields(const h5::Object& from, const Fields<Record>& fields) {
  if (!from.has_attribute(fields.front().name)) return std::nullopt;
  Record record;
  for (const auto& field : fields) field.set(record, read_value(from, field.name, field.type));
  return record;
}

}  // namespace trilemma
