#include "record/run_identity.hpp"

#include "base/version.hpp"
#include "record/privacy_group.hpp"

namespace trilemma {
namespace {

const Fields<RunFileHead> head_table = {
    field("schema", &RunFileHead::schema, "1", "`trilemma-run`"),
    field("schema_version", &RunFileHead::schema_version, "1",
          "version of the schema; readers refuse other versions"),
    field("program_version", &RunFileHead::program_version, "1",
          "version of the program that wrote the file"),
    field("complete", &RunFileHead::complete, "1", "1 once all rounds are in the file"),
    field("failure", &RunFileHead::failure, "1",
          "empty, or round and cause of the stop (withheld under `privacy.strict`)"),
    field("wall_seconds", &RunFileHead::wall_seconds, "s",
          "duration of the rounds with evaluation, recording and checkpoints, summed over restarts "
          "(without the rounds that were repeated); NaN in a complete file under "
          "`privacy.strict`"),
    field("fingerprint", &RunFileHead::fingerprint, "1",
          "SHA-256 over the settings that determine the results: all but placement "
          "(`server_hosts`, `hosting`), the uplink (`exchange.up`), timing, checkpoints and "
          "watchdog; files that settings name (`start.file`, `clock.file`) count by their SHA-256, "
          "not by their names"),
};

// What depends on the number of rounds, and what is written with it.
void write_claim(const h5::Group& file, const RunIdentity& id) {
  RunFileHead head;
  head.program_version = program_version();
  head.fingerprint = id.fingerprint;
  write_fields(file, head_table, head);
  for (const auto& [name, value] : id.attributes) write_value(file, name, value);
  file.write_text("config", id.config, "resolved configuration, as TOML");
  write_privacy(file, id.privacy);
}

}  // namespace

const Fields<RunFileHead>& head_fields() { return head_table; }

void write_identity(const h5::Group& file, const RunIdentity& id) {
  write_claim(file, id);
  write_partition(file, id.partition);
  const h5::Group environment = file.create_group("environment");
  for (const auto& [name, text, help] : id.environment) environment.write_text(name, text, help);
  environment.write_array("vector_bits", id.vector_bits, "bit",
                          "width of the registers that each rank computes with");
  write_placement(environment, id.nodes);
  write_nodes(file.create_group("phases"), id.nodes);
}

void renew_identity(const h5::Group& file, const RunIdentity& id) {
  for (const char* name : {"config", "privacy"}) file.remove_member(name);
  write_claim(file, id);
}

}  // namespace trilemma
