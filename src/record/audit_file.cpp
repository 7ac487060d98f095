#include "record/audit_file.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

#include "core/version.hpp"
#include "files/write_lock.hpp"
#include "h5/h5.hpp"
#include "record/standing.hpp"

namespace trilemma {
namespace {

constexpr const char* schema = "trilemma-audit";

void write_fact(hid_t group, const AuditFact& fact) {
  auto one = [&](auto value) {
    h5::write_array(group, fact.name, h5::type_of<decltype(value)>(), 1, &value, fact.units,
                    fact.description);
  };
  if (const auto* text = std::get_if<std::string>(&fact.value))
    h5::write_text(group, fact.name, {*text}, true, fact.description);
  else if (const auto* flag = std::get_if<bool>(&fact.value))
    one(static_cast<std::uint8_t>(*flag ? 1 : 0));
  else if (const auto* count = std::get_if<std::int64_t>(&fact.value))
    one(*count);
  else
    one(std::get<double>(fact.value));
}

std::string partial(const std::string& path) { return path + ".partial"; }

// The right to write; what is there under the temporary name has to be of this kind.
WriteLock lock(const std::string& path, bool overwrite) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  try {
    WriteLock lock(partial(path));
    check_replaceable(path, Standing::audit, "an audit file", overwrite);
    const Standing found = what_stands_at(partial(path), h5::Reading::unlocked);
    require(found == Standing::nothing || found == Standing::audit,
            "{}: there is something that is not an audit file; move it away, or choose another "
            "--output",
            partial(path));
    return lock;
  } catch (const LibraryError&) {
    throw UserError(
        fmt::format("{}: cannot be written; choose another --output or fix the permissions of {}",
                    path, folder.empty() ? "." : folder.string()));
  }
}

}  // namespace

std::string to_json(const AuditRecord& record) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& fact : record.facts)
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

void check_audit_path(const std::string& path, bool overwrite) { lock(path, overwrite); }

void write_audit_file(const std::string& path, const AuditRecord& record, bool overwrite) {
  const WriteLock held = lock(path, overwrite);
  {
    h5::Handle file = h5::create_file(partial(path));
    h5::set_attribute(file.get(), "schema", std::string(schema));
    h5::set_attribute<std::int64_t>(file.get(), "schema_version", audit_file_schema_version);
    h5::set_attribute(file.get(), "program_version", std::string(program_version()));
    {
      const h5::Handle facts = h5::create_group(file.get(), "facts");
      for (const auto& fact : record.facts) write_fact(facts.get(), fact);
      const h5::Handle runs = h5::create_group(file.get(), "runs");
      for (const auto& column : record.columns)
        h5::write_array(runs.get(), column.name, h5::type_of<double>(), column.value.size(),
                        column.value.data(), column.units, column.description);
    }
    file.close("close " + partial(path));
  }
  std::filesystem::rename(partial(path), path);
}

}  // namespace trilemma
