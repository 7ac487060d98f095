#pragma once
// What mutated inputs are given to: one harness for each format that the program reads.

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "numeric/random.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::fuzz {

/// Reads a good input and refuses a bad one by a UserError; any other exception is a finding, as
/// is a crash, a hang, or much memory. Files are written into the folder.
using Reader = std::function<void(const std::string& input, const testing::TempFolder& folder)>;

/// Makes another input out of one of the corpus, the same for the same stream.
using Change = std::function<std::string(std::string input, const std::vector<std::string>& corpus,
                                         Stream& stream)>;

struct Harness {
  std::vector<std::string> corpus;  ///< good inputs: at least one reader takes each
  std::vector<Reader> readers;      ///< every input goes to all of them
  Change change;
};

struct Format {
  const char* name;
  const char* summary;
  Harness (*make)();
};

/// All harnesses.
std::span<const Format> formats();

/// Throws unless what was read is what its reader promises.
inline void promise(bool kept, const std::string& what) {
  if (!kept) throw std::logic_error("promised otherwise: " + what);
}

Harness libsvm_harness();
Harness csv_harness();
Harness leaf_harness();
Harness start_harness();
Harness arrays_harness();
Harness idx_harness();
Harness cifar_harness();
Harness omniglot_harness();
Harness jpeg_harness();
Harness tiny_imagenet_harness();
Harness posts_harness();
Harness post_lists_harness();
Harness settings_harness();
Harness sweep_harness();
Harness run_file_harness();
Harness checkpoint_harness();
Harness message_harness();
Harness network_harness();

}  // namespace trilemma::fuzz
