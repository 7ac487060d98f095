#include "record/model_record.hpp"

namespace trilemma {
namespace {

const Fields<ModelRecord> model_table = {
    field("own_model_name", &ModelRecord::name, "1", "what the model calls itself"),
    field("own_model_sha256", &ModelRecord::sum, "1", "SHA-256 of the file `problem.library`"),
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

const Fields<ModelRecord>& model_fields() { return model_table; }

}  // namespace trilemma
