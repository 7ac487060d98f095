#include "data/preprocessing.hpp"

namespace trilemma {

// The switches have no default: a new value does not compile until its name and its effect on
// claims are decided.

const char* name(Scaling scaling) {
  switch (scaling) {
    case Scaling::none:
      return "none";
    case Scaling::spectral:
      return "spectral";
    case Scaling::standard:
      return "standard";
    case Scaling::channels:
      return "channels";
  }
  return "";
}

const char* name(MissingValues missing) {
  switch (missing) {
    case MissingValues::refuse:
      return "refuse";
    case MissingValues::drop:
      return "drop";
    case MissingValues::mean:
      return "mean";
  }
  return "";
}

bool looks_at_all_records(Scaling scaling) {
  switch (scaling) {
    case Scaling::none:
    case Scaling::channels:
      return false;
    case Scaling::spectral:
    case Scaling::standard:
      return true;
  }
  return true;
}

bool looks_at_all_records(MissingValues missing) {
  switch (missing) {
    case MissingValues::refuse:
    case MissingValues::drop:
      return false;
    case MissingValues::mean:
      return true;
  }
  return true;
}

}  // namespace trilemma
