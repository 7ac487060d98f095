#pragma once
// Regions of the code that a profiler tells apart, through Caliper (-DTRILEMMA_CALIPER=ON).

#ifdef TRILEMMA_CALIPER
#include <caliper/cali.h>
#endif

namespace trilemma {

#ifdef TRILEMMA_CALIPER
/// Marks its scope as the region `name` of the profile. The names are not those of the phases: a
/// phase is named when it ends, a region must be named when it begins.
class Region {
 public:
  explicit Region(const char* name) : name_(name) { cali_begin_region(name_); }
  ~Region() { cali_end_region(name_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
};
#else
/// Does nothing in a build without a profiler.
class [[maybe_unused]] Region {
 public:
  explicit Region(const char* /*name*/) {}
};
#endif

}  // namespace trilemma
