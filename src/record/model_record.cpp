#include "record/model_record.hpp"

namespace trilemma {
namespace {

const Fields<ModelRecord> model_table = {
    field("own_model_name", &ModelRecord::name, "1", "what the model calls itself"),
    field("own_model_sha256", &ModelRecord::sum, "1", "SHA-256 of the file `problem.library`"),
    field("own_model_packages", &ModelRecord::packages, "1",
          "Python and where it is installed, then NumPy, SciPy, PyTorch, JAX and TensorFlow with "
          "their versions, as far as they were imported; of all ranks, if they differ; of a "
          "resumed run those of its first start; none unless the model is in Python"),
    field("own_model_modules", &ModelRecord::modules, "1",
          "\"SHA-256  path\" of each module that the model had imported when its trial at the "
          "start ended, if it belongs neither to Python nor to an installed package; a run does "
          "not resume if one has changed; none unless the model is in Python"),
    field("own_model_repeats", &ModelRecord::repeats, "1",
          "1 if the same calls gave the same bits on the first records of every rank, so that "
          "results can be bit-identical on any number of ranks"),
    field("own_model_adds_up", &ModelRecord::adds_up, "1",
          "1 if the gradients of these records added up to that of their batch"),
    field("own_model_separates", &ModelRecord::separates, "1",
          "1 if the gradient of a record did not depend on the records processed with it, which a "
          "bound of records requires"),
};

}  // namespace

std::vector<std::string> broken_promises(const ModelRecord& record) {
  std::vector<std::string> found;
  if (!record.repeats)
    found.emplace_back("the same call gives different results; results differ from run to run");
  if (!record.adds_up)
    found.emplace_back(
        "the gradients of records do not add up to that of their batch; does gradient() return "
        "sums, not means?");
  if (!record.separates)
    found.emplace_back(
        "the gradient of a record depends on the records processed with it; no bound on a record "
        "holds");
  return found;
}

std::string module_lines(const ModelRecord& record) {
  std::string lines;
  for (const std::string& module : record.modules) lines += module + '\n';
  return lines;
}

const Fields<ModelRecord>& model_fields() { return model_table; }

}  // namespace trilemma
