#include "record/run_identity.hpp"

#include "base/version.hpp"
#include "record/partition_group.hpp"
#include "record/privacy_group.hpp"

namespace trilemma {
namespace {

// What depends on the number of rounds, and what is said with it.
void write_claim(hid_t file, const RunIdentity& id) {
  h5::set_attribute(file, "schema", std::string("trilemma-run"));
  h5::set_attribute<std::int64_t>(file, "schema_version", run_file_schema_version);
  h5::set_attribute(file, "program_version", std::string(program_version()));
  h5::set_attribute<std::uint8_t>(file, "complete", 0);
  h5::set_attribute(file, "failure", std::string());
  h5::set_attribute(file, "fingerprint", id.fingerprint);
  const std::pair<const char*, const std::string*> texts[] = {
      {"name", &id.name},       {"method", &id.method},       {"mode", &id.mode},
      {"problem", &id.problem}, {"data", &id.data},           {"compressor", &id.compressor},
      {"bound", &id.bound},     {"mechanism", &id.mechanism}, {"claim", &id.claim},
  };
  for (const auto& [name, text] : texts) h5::set_attribute(file, name, *text);
  h5::set_attribute(file, "claim_status", std::string(name(id.claim_status)));
  h5::set_attribute(file, "scaling", id.scaling);
  h5::set_attribute(file, "compressor_kind", id.compressor_kind);
  h5::set_attribute(file, "compressor_label", id.compressor_label);
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"seed", id.seed},           {"rounds", id.rounds}, {"clients", id.clients},
      {"dimension", id.dimension}, {"ranks", id.ranks},
  };
  for (const auto& [name, number] : numbers) h5::set_attribute(file, name, number);
  h5::set_attribute(file, "extended_from", id.extended_from);
  h5::set_attribute(file, "noise_sigma", id.noise_sigma);
  h5::set_attribute(file, "epsilon_nominal", id.epsilon_nominal);
  h5::set_attribute(file, "delta", id.delta);
  h5::set_attribute(file, "baseline_score", id.baseline_score);
  h5::set_attribute(file, "baseline_personal_score", id.baseline_personal_score);
  h5::set_attribute(file, planned_bits::up, id.planned_bits_up);
  h5::set_attribute(file, planned_bits::down, id.planned_bits_down);
  h5::set_attribute(file, planned_bits::down_before, id.planned_bits_down_before);
  h5::write_text(file, "config", {id.config}, true, "resolved configuration, as TOML");
  write_privacy(file, id.privacy);
}

}  // namespace

void write_identity(hid_t file, const RunIdentity& id) {
  write_claim(file, id);
  write_partition(file, id.partition);
  const h5::Handle environment = h5::create_group(file, "environment");
  for (const auto& [name, text] : id.environment)
    h5::write_text(environment.get(), name, {text}, true,
                   "where and how the run was made: " + name);
  h5::write_array(environment.get(), "vector_bits", h5::type_of<std::int64_t>(),
                  id.vector_bits.size(), id.vector_bits.data(), "bit",
                  "width of the registers that each rank computes with");
  write_asked_placement(environment.get(), id.nodes);
  write_simulation(environment.get(), id.nodes);
  write_nodes(h5::create_group(file, "phases").get(), id.nodes);
}

void renew_identity(hid_t file, const RunIdentity& id) {
  for (const char* name : {"config", "privacy"}) h5::remove_member(file, name);
  write_claim(file, id);
}

}  // namespace trilemma
