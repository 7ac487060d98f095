#pragma once
// Reports of audits as JSON and as a small HDF5 file (docs/audit.md).

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trilemma {

/// One fact of an audit. NaN: not applicable.
struct AuditFact {
  std::string name, units, description;
  std::variant<std::string, double, std::int64_t, bool> value;
};

/// A column: one value per run, or per canary.
struct AuditColumn {
  std::string name, units, description;
  std::vector<double> value;
};

/// Everything that an audit reports.
struct AuditRecord {
  std::vector<AuditFact> facts;
  std::vector<AuditColumn> columns;
};

inline constexpr std::int64_t audit_file_schema_version = 2;

/// The facts as one JSON object; NaN and infinite numbers become null.
std::string to_json(const AuditRecord& record);

/// Refuses a path that cannot be written, or where something stands: an audit file is replaced if
/// `overwrite` says so, anything else never.
void check_audit_path(const std::string& path, bool overwrite);

/// Writes /facts/* and /runs/*, each data set with units and description; under a temporary name
/// first, so that the file is whole or not there.
void write_audit_file(const std::string& path, const AuditRecord& record, bool overwrite);

}  // namespace trilemma
