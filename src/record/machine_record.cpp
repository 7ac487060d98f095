#include "record/machine_record.hpp"

#include <map>

namespace trilemma {
namespace {

// Writes a column of texts as its different values and the index of each element's value.
void write_text_column(const h5::Group& group, const std::string& name, const char* help,
                       const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  std::map<std::string, std::int64_t> number;
  std::vector<std::int64_t> index;
  for (const auto& text : texts) {
    const auto [found, is_new] = number.emplace(text, static_cast<std::int64_t>(values.size()));
    if (is_new) values.push_back(text);
    index.push_back(found->second);
  }
  group.write_array(name, index, "1",
                    std::string("index of the value in ") + name + "_value: " + help);
  group.write_texts(name + "_value", values, help);
}

template <class Element>
void write_columns(const h5::Group& group, const Fields<Element>& fields,
                   const std::vector<Element>& elements) {
  for (const auto& field : fields) {
    std::vector<std::string> texts;
    std::vector<double> numbers;
    for (const Element& one : elements) {
      const FieldValue value = field.get(one);
      if (field.type == FieldType::text)
        texts.push_back(std::get<std::string>(value));
      else
        numbers.push_back(std::get<double>(value));
    }
    if (field.type == FieldType::text)
      write_text_column(group, field.name, field.help, texts);
    else
      group.write_array(field.name, numbers, field.units, field.help);
  }
}

}  // namespace

void write_machine(const h5::Group& environment, const MachineRecord& record) {
  write_columns(environment.create_group("ranks"), rank_fields(), record.ranks);
  write_columns(environment.create_group("nodes"), node_fields(), record.nodes);
  environment.write_texts("variables", record.variables,
                          "environment variables of rank 0 that launchers, MPI, BLAS, OpenMP, "
                          "Slurm and this program read, lines NAME=VALUE");
  environment.write_texts(
      "mpi_variables", record.mpi_variables.value_or(std::vector<std::string>{not_available}),
      "control variables of the MPI library (MPI_T) of rank 0 that differ from the value that "
      "they have without environment and parameter files, lines NAME=VALUE");
}

}  // namespace trilemma
