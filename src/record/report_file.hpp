#pragma once
// What a command that makes no run reports, as JSON and as a small HDF5 file: audits
// (docs/audit.md) and measured networks (docs/network.md).

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "record/output_status.hpp"

namespace trilemma {

/// NaN: not applicable.
struct Fact {
  std::string name, units, description;
  std::variant<std::string, double, std::int64_t, bool> value;
};

struct ReportColumn {
  std::string name, units, description;
  std::vector<double> value;
};

/// Columns of one length.
struct ReportTable {
  std::string name;
  std::vector<ReportColumn> columns;
};

struct Report {
  std::vector<Fact> facts;
  std::vector<ReportTable> tables;

  void text(const char* name, std::string value, const char* description);
  void number(const char* name, double value, const char* units, const char* description);
  template <class Whole>
  void count(const char* name, Whole value, const char* units, const char* description) {
    facts.push_back({name, units, description, static_cast<std::int64_t>(value)});
  }
  void flag(const char* name, bool value, const char* description);
};

/// What kind of report a file holds: its schema, and what sentences call it.
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

/// The facts as one JSON object; NaN and infinite numbers become null.
std::string to_json(const Report& report);

/// Refuses a path that cannot be written, or where something stands: a file of this kind is
/// replaced if `overwrite` says so, anything else never.
void check_report_path(const std::string& path, const ReportKind& kind, bool overwrite);

/// Writes /facts/* and a group for each table, each data set with units and description; under a
/// temporary name first, so that the file is whole or not there.
void write_report(const std::string& path, const ReportKind& kind, const Report& report,
                  bool overwrite);

}  // namespace trilemma
