// The rules of verification for columns (src/run/column_rules.hpp): each is that of a column that
// runs declare, and agrees with its declaration.

#include "run/column_rules.hpp"

#include <gtest/gtest.h>

#include <set>

#include "experiment/read_plan.hpp"
#include "run/run_loop.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::column_rules_test {

// The columns of a run with these settings.
std::vector<Metric> metrics_of(const std::vector<std::string>& more) {
  Plan plan = read_plan(Settings::from_text(testing::tiny_experiment, "tiny.toml", more));
  const Placement place{.clients = static_cast<int>(plan.clients)};
  Assembly parts = assemble(plan, place, "");
  Ranks ranks(Placement{});
  const RunLoop loop(plan, parts, ranks, place);
  const auto declared = parts.metric_log->metrics();
  return {declared.begin(), declared.end()};
}

TEST(ColumnRules, AgreeWithTheDeclarations) {
  std::set<std::string> unused;
  for (const auto& rule : column_rules()) EXPECT_TRUE(unused.emplace(rule.name).second);
  for (const auto& more : {std::vector<std::string>{},
                           {"method=favano"},
                           {"method=favano", "clock.time=real"},
                           {"method=dsgd", "evaluate.nodes=all"},
                           {"method=pmtl"}})
    for (const Metric& metric : metrics_of(more)) {
      const std::string name =
          std::string(metric.depends_on_ranks ? "mpi/" : "rounds/") + metric.name;
      const auto rule = std::ranges::find(column_rules(), name, &ColumnRule::name);
      if (rule == column_rules().end()) continue;  // checked by what the column says of itself
      EXPECT_EQ(rule->course == Course::count, metric.is_count()) << name;
      EXPECT_TRUE(rule->provenance == metric.provenance) << name;
      unused.erase(name);
    }
  EXPECT_TRUE(unused.empty()) << *unused.begin();
}

TEST(ColumnRules, OrderColumnsThatHaveRules) {
  for (const auto& [lower, upper] : column_orders())
    for (const auto name : {lower, upper})
      EXPECT_NE(std::ranges::find(column_rules(), name, &ColumnRule::name), column_rules().end());
}

}  // namespace trilemma::column_rules_test
