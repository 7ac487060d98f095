#pragma once
// Reports of commands other than runs, as JSON and as a small HDF5 file: audits
// (docs/how-to/audit-a-run.md) and measured networks (docs/how-to/measure-a-network.md).

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "machine/facts.hpp"
#include "record/output_status.hpp"

namespace trilemma {

/// A single value of a report. NaN means not applicable.
struct Fact {
  std::string name, units, description;
  std::variant<std::string, double, std::int64_t, bool> value;
};

/// A column of a table.
struct ReportColumn {
  std::string name, units, description;
  std::vector<double> value;
};

/// Columns of equal length.
struct ReportTable {
  std::string name;
  std::vector<ReportColumn> columns;
};

/// Single values and tables, in the order in which they are written.
struct Report {
  std::vector<Fact> facts;
  std::vector<ReportTable> tables;
  std::optional<MachineRecord> machine = {};  ///< written to /environment

  /// Append a fact of one type.
  void text(const char* name, std::string value, const char* description);
  void number(const char* name, double value, const char* units, const char* description);
  template <class Whole>
  void count(const char* name, Whole value, const char* units, const char* description) {
    facts.push_back({name, units, description, static_cast<std::int64_t>(value)});
  }
  void flag(const char* name, bool value, const char* description);
};

/// Kind of a report file: its schema, and its name in messages.
struct ReportKind {
  OutputStatus status;
  const char* schema;
  std::int64_t version;
  const char* name;  ///< with its article
};
inline constexpr ReportKind audit_report_kind{OutputStatus::audit, "trilemma-audit", 2,
                                              "an audit file"};
inline constexpr ReportKind network_report_kind{OutputStatus::network, "trilemma-network", 2,
                                                "a network file"};

/// Returns the facts as one JSON object; NaN and infinite numbers become null.
std::string to_json(const Report& report);

/// Throws UserError if `path` cannot be written, or if something exists there, except a file of
/// `kind` with `overwrite`.
void check_report_path(const std::string& path, const ReportKind& kind, bool overwrite);

/// Writes /facts/* and a group for each table, each data set with units and description. The file
/// is written under a temporary name, so that `path` never holds an incomplete file.
void write_report(const std::string& path, const ReportKind& kind, const Report& report,
                  bool overwrite);

}  // namespace trilemma
