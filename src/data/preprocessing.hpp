#pragma once
// Transformations of the records by a source, as values: what a claim excludes follows from these
// values and never from the text of a setting.

namespace trilemma {

/// How features (and real targets of CSV files) are scaled.
enum class Scaling {
  none,      ///< as read
  spectral,  ///< divided by a multiple of the spectral norm of all training records
  standard,  ///< mean 0 and variance 1 over all training records
  channels,  ///< by colour plane: minus a stated number, divided by a stated number
};

/// Treatment of a value that a record lacks.
enum class MissingValues {
  refuse,  ///< the file is refused
  drop,    ///< the record is dropped, whatever other records hold
  mean,    ///< replaced by the mean of the feature over all training records
};

/// All transformations of the records by a source.
struct Preprocessing {
  Scaling scaling = Scaling::none;
  MissingValues missing = MissingValues::refuse;
  bool has_word_features = false;  ///< one feature for each word that occurs in any record
  bool chooses_users = false;      ///< which users take part depends on their records
  bool has_bias = false;           ///< a constant feature is appended
};

/// Returns the value of the setting `data.scaling` or `data.missing`: "none", "spectral", ...
const char* name(Scaling scaling);
const char* name(MissingValues missing);

/// Returns whether the scaling depends on all training records, so that no claim covers it.
bool looks_at_all_records(Scaling scaling);
/// Returns whether the treatment of a record depends on other records.
bool looks_at_all_records(MissingValues missing);

}  // namespace trilemma
