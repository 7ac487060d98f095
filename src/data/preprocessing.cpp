#include "data/preprocessing.hpp"

#include <stdexcept>
#include <string>

namespace trilemma {
namespace {

template <class Value>
Value value_named(std::string_view wanted, std::initializer_list<Value> values) {
  for (const Value value : values)
    if (wanted == name(value)) return value;
  throw std::logic_error("no preprocessing is called " + std::string(wanted));
}

}  // namespace

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

Scaling scaling_named(std::string_view name) {
  return value_named(name,
                     {Scaling::none, Scaling::spectral, Scaling::standard, Scaling::channels});
}

MissingValues missing_values_named(std::string_view name) {
  return value_named(name, {MissingValues::refuse, MissingValues::drop, MissingValues::mean});
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
