#pragma once
// Layouts of messages, and messages that they hold.

#include "numeric/random.hpp"
#include "wire/layout.hpp"

namespace trilemma::testing {

/// Every kind of index, value and level, at several sizes.
std::vector<Layout> all_layouts();

/// Its values are such that every format holds them.
Message random_message(const Layout& layout, Stream& stream);

}  // namespace trilemma::testing
