#include "record/report_file.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

#include "base/durable.hpp"
#include "base/version.hpp"
#include "base/write_error.hpp"
#include "base/write_lock.hpp"
#include "h5/h5.hpp"
#include "record/machine_record.hpp"

namespace trilemma {
namespace {

void write_fact(const h5::Group& group, const Fact& fact) {
  auto one = [&](auto value) {
    group.write_array(fact.name, std::vector{value}, fact.units, fact.description);
  };
  if (const auto* text = std::get_if<std::string>(&fact.value))
    group.write_text(fact.name, *text, fact.description);
  else if (const auto* flag = std::get_if<bool>(&fact.value))
    one(static_cast<std::uint8_t>(*flag ? 1 : 0));
  else if (const auto* count = std::get_if<std::int64_t>(&fact.value))
    one(*count);
  else
    one(std::get<double>(fact.value));
}

void write_content(const std::string& path, const ReportKind& kind, const Report& report) {
  h5::File file = h5::File::create(path);
  file.set_attribute("schema", std::string(kind.schema));
  file.set_attribute<std::int64_t>("schema_version", kind.version);
  file.set_attribute("program_version", std::string(program_version()));
  {
    const h5::Group facts = file.create_group("facts");
    for (const auto& fact : report.facts) write_fact(facts, fact);
  }
  if (report.machine) write_machine(file.create_group("environment"), *report.machine);
  for (const auto& table : report.tables) {
    const h5::Group group = file.create_group(table.name);
    for (const auto& column : table.columns)
      group.write_array(column.name, column.value, column.units, column.description);
  }
  file.close("close " + path);
}

std::string partial(const std::string& path) { return path + ".partial"; }

// Takes the lock for writing. Throws UserError if the temporary name belongs to a file of another
// kind.
WriteLock lock(const std::string& path, const ReportKind& kind, bool overwrite) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  try {
    WriteLock lock(partial(path));
    check_replaceable(path, kind.status, kind.name, overwrite);
    const OutputStatus found = output_status(partial(path), h5::Reading::unlocked);
    require(found == OutputStatus::nothing || found == kind.status,
            "{}: there is something that is not {}; move it away, or choose another --output",
            partial(path), kind.name);
    return lock;
  } catch (const WriteError& error) {
    throw UserError(write_problem(path + ": cannot be written", error.error(), "--output"));
  }
}

}  // namespace

void Report::text(const char* name, std::string value, const char* description) {
  facts.push_back({name, "text", description, std::move(value)});
}
void Report::number(const char* name, double value, const char* units, const char* description) {
  facts.push_back({name, units, description, value});
}
void Report::flag(const char* name, bool value, const char* description) {
  facts.push_back({name, "1", description, value});
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& fact : report.facts)
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
            json[fact.name] =
                std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
          else
            json[fact.name] = value;
        },
        fact.value);
  return json.dump(2);
}

void check_report_path(const std::string& path, const ReportKind& kind, bool overwrite) {
  lock(path, kind, overwrite);
}

void write_report(const std::string& path, const ReportKind& kind, const Report& report,
                  bool overwrite) {
  const WriteLock held = lock(path, kind, overwrite);
  try {
    write_content(partial(path), kind, report);
    publish(partial(path), path);
  } catch (const WriteError& error) {
    std::error_code ignored;
    std::filesystem::remove(partial(path), ignored);
    throw UserError(write_problem(path + ": cannot be written", error.error(), "--output"));
  }
}

}  // namespace trilemma
