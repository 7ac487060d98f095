
#include "machine/facts.hpp"
#include "machine/time_record.hpp"
#include "record/columns.hpp"
#include "record/content_sum.hpp"
#include "record/graph_record.hpp"
#include "record/model_record.hpp"
#include "record/privacy_record.hpp"
#include "record/run_identity.hpp"
#include "record/summary.hpp"
#include "record/theory_record.hpp"
#include "run/declared_metrics.hpp"
#include "run/identity.hpp"
#include "run/partition_report.hpp"

namespace trilemma {
namespace {

std::string section(const std::string& title, const std::string& text,
                    const std::vector<FieldRow>& rows) {
  std::string out = "\n## " + title + "\n\n";
  if (!text.empty()) out += text + "\n\n";
  out += "| name | type | unit | meaning |\n| --- | --- | --- | --- |\n";
  for (const auto& row : rows)
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.type, row.units, row.help);
  return out;
}

template <class T>
std::vector<T> both(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<FieldRow> root_rows() {
  auto rows = both(rows_of(head_fields()), rows_of(identity_fields()));
  rows.push_back({content_sum_attribute, name(FieldType::text), "1",
                  "checksum of the content of a complete file "
                  "([run-file.md](run-file.md#content_sha256))"});
  return rows;
}

std::string machine_sections() {
  const std::string unknown = "NaN and `not available`: the system does not report it.";
  return section("`/environment/ranks`",
                 "Data sets with a value for each rank of the first start. A column of texts is "
                 "stored as the index (int64) of each rank's value in NAME_value, the different "
                 "texts. " +
                     unknown,
                 rows_of(rank_fields())) +
         section("`/environment/nodes`",
                 "The same for each node, in the order of their first ranks. " + unknown,
                 rows_of(node_fields()));
}

// Returns the columns of /mpi, or those of /rounds, in files of these runs.
std::vector<FieldRow> column_rows(Metric::Runs runs, bool is_mpi = false) {
  std::vector<FieldRow> rows;
  for (const Metric& metric : declared_metrics(2, simulated_units))
    if (metric.runs == runs && metric.depends_on_ranks == is_mpi)
      rows.push_back({metric.name, metric.is_count() ? "uint64" : "float64", metric.units,
                      metric.description});
  return rows;
}

std::string column_sections() {
  using enum Metric::Runs;
  const std::pair<Metric::Runs, const char*> kinds[] = {
      {with_server, "of methods with a server"},
      {own_models, "of methods with a model of each client"},
      {timed, "of methods on the clock"},
      {simulated, "on the simulated clock"},
      {real, "in real time"},
      {decentralised, "of decentralised methods"},
      {evaluates_nodes, "of decentralised methods with `evaluate.nodes`"}};
  std::string out =
      section("Attributes of columns",
              "Each column of `/rounds` and `/mpi` describes itself. `trilemma verify` compares "
              "these attributes with the declarations of the program, from which it takes the "
              "ranges. Files of older programs have fewer of them.",
              rows_of(metric_fields())) +
      section("Columns of `/rounds`",
              "[run-file-columns.md](run-file-columns.md) explains some of them. In addition, "
              "`round` (int64) is the number of rounds done; 0 is the start.",
              column_rows(all));
  for (const auto& [runs, title] : kinds)
    out += section(std::string("Columns of `/rounds` ") + title, "", column_rows(runs));
  return out + section("Columns of `/mpi`", "", column_rows(all, true)) +
         section("Columns of `/mpi` of decentralised methods", "",
                 column_rows(decentralised, true));
}

// Attributes of the root that only some files have.
std::string optional_sections(const std::string& nan) {
  return section(
             "Root, theory of the method",
             "The bound of the theorem on the utility, and its constants "
             "([methods.md](methods.md#theory-of-soteriafl)). Only methods with a corollary have "
             "these attributes, and files of older programs do not. " +
                 nan,
             rows_of(theory_fields())) +
         section("Root, graph of the nodes",
                 "Only files of decentralised methods have these attributes, which `trilemma "
                 "graph` prints too ([graphs.md](graphs.md)).",
                 rows_of(graph_fields())) +
         section("Root, model of one's own",
                 "Only files of runs with `problem.kind = \"plugin\"` have these attributes "
                 "([bring-your-own-model.md](../how-to/bring-your-own-model.md)).",
                 rows_of(model_fields()));
}

}  // namespace

std::string run_file_reference() {
  const std::string nan = "NaN and empty texts: not applicable.";
  return fmt::format(
             "# Attributes and columns of a run file, schema version {}\n\n"
             "`trilemma reference run-file` prints this page. [run-file.md](run-file.md) "
             "describes the file and its data sets.\n",
             run_file_schema_version) +
         section("Root", "", root_rows()) + optional_sections(nan) +
         section("`/privacy`",
                 "What the claim rests on; `trilemma verify` derives it again from `/config` and "
                 "compares ([verify-a-run.md](../how-to/verify-a-run.md) says what that "
                 "does not show). " +
                     nan,
                 rows_of(privacy_fields())) +
         section("`/partition`", "", both(rows_of(partition_fields()), distribution_rows())) +
         section("`/environment`, texts",
                 "Data sets of the first start. They are texts of one value each.",
                 rows_of(environment_fields())) +
         machine_sections() +
         section("`/environment`, requested placement",
                 "Attributes that are there where a job script asked for a placement of the ranks "
                 "([submit.md](submit.md#placement-of-the-ranks)); `node` of `/phases` has the "
                 "one obtained.",
                 rows_of(asked_fields())) +
         section(
             "`/environment`, exchange of client messages",
             "Attributes on `exchange.up` ([exchange.md](exchange.md)). Files of older programs "
             "do not have them.",
             rows_of(uplink_fields())) +
         section("`/environment`, simulation",
                 "Attributes that are there where ranks were simulated "
                 "([simulate-ranks.md](../how-to/simulate-ranks.md)).",
                 rows_of(simulated_fields())) +
         section("`/environment`, evidence of time",
                 "Attributes that say whether the times of the run may be compared with those of "
                 "others ([run-file.md](run-file.md#are-the-times-evidence)). Files of older "
                 "programs do not have them.",
                 rows_of(time_fields())) +
         column_sections() +
         section(
             "`trilemma show --json`",
             "The object has the attributes of the root and those on evidence of time under their "
             "names, and these values; "
             "numbers that are not known are null. `restarts`, `bits_up`, `bits_down`, "
             "`other_columns`, `seconds_per_phase` and `joules_per_phase` are lists and objects.",
             rows_of(summary_fields()));
}

}  // namespace trilemma
