#include "record/run_identity.hpp"

#include "base/version.hpp"
#include "record/partition_group.hpp"
#include "record/privacy_group.hpp"

namespace trilemma {
namespace {

// What depends on the number of rounds, and what is said with it.
void write_claim(const h5::Group& file, const RunIdentity& id) {
  file.set_attribute("schema", std::string("trilemma-run"));
  file.set_attribute<std::int64_t>("schema_version", run_file_schema_version);
  file.set_attribute("program_version", std::string(program_version()));
  file.set_attribute<std::uint8_t>("complete", 0);
  file.set_attribute("failure", std::string());
  file.set_attribute("fingerprint", id.fingerprint);
  const std::pair<const char*, const std::string*> texts[] = {
      {"name", &id.name},       {"method", &id.method},       {"mode", &id.mode},
      {"problem", &id.problem}, {"data", &id.data},           {"compressor", &id.compressor},
      {"bound", &id.bound},     {"mechanism", &id.mechanism}, {"claim", &id.claim},
  };
  for (const auto& [name, text] : texts) file.set_attribute(name, *text);
  file.set_attribute("claim_status", std::string(name(id.claim_status)));
  file.set_attribute("scaling", id.scaling);
  file.set_attribute("compressor_kind", id.compressor_kind);
  file.set_attribute("compressor_label", id.compressor_label);
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"seed", id.seed},           {"rounds", id.rounds}, {"clients", id.clients},
      {"dimension", id.dimension}, {"ranks", id.ranks},
  };
  for (const auto& [name, number] : numbers) file.set_attribute(name, number);
  file.set_attribute("extended_from", id.extended_from);
  file.set_attribute("noise_sigma", id.noise_sigma);
  file.set_attribute("epsilon_nominal", id.epsilon_nominal);
  file.set_attribute("delta", id.delta);
  file.set_attribute("baseline_score", id.baseline_score);
  file.set_attribute("baseline_personal_score", id.baseline_personal_score);
  file.set_attribute(planned_bits::up, id.planned_bits_up);
  file.set_attribute(planned_bits::down, id.planned_bits_down);
  file.set_attribute(planned_bits::down_before, id.planned_bits_down_before);
  file.write_text("config", id.config, "resolved configuration, as TOML");
  write_privacy(file, id.privacy);
}

}  // namespace

void write_identity(const h5::Group& file, const RunIdentity& id) {
  write_claim(file, id);
  write_partition(file, id.partition);
  const h5::Group environment = file.create_group("environment");
  for (const auto& [name, text] : id.environment)
    environment.write_text(name, text, "where and how the run was made: " + name);
  environment.write_array("vector_bits", id.vector_bits, "bit",
                          "width of the registers that each rank computes with");
  write_asked_placement(environment, id.nodes);
  write_simulation(environment, id.nodes);
  write_nodes(file.create_group("phases"), id.nodes);
}

void renew_identity(const h5::Group& file, const RunIdentity& id) {
  for (const char* name : {"config", "privacy"}) file.remove_member(name);
  write_claim(file, id);
}

}  // namespace trilemma
