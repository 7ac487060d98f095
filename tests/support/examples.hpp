#pragma once
// The parts of tests/examples, which the pages docs/how-to/add-a-*.md show. They are in no table.

#include "compress/compressor.hpp"
#include "data/partition.hpp"
#include "data/source.hpp"
#include "method/method.hpp"
#include "problem/problem.hpp"

namespace trilemma {

Row<MethodMaker> fedadagrad_method();
Row<CompressorMaker> largest_share_compressor();
Row<ProblemMaker> median_problem();
Row<SourceMaker> clusters_source();
Row<PartitionMaker> dealt_partition();

}  // namespace trilemma
