// The metrics that verification and the reference page collect without a run
// (src/run/declared_metrics.hpp) are those that the parts of a run declare.

#include "run/declared_metrics.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "experiment/read_plan.hpp"
#include "record/columns.hpp"
#include "run/run_loop.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::declared_metrics_test {

using Attributes = std::map<std::string, FieldValue>;

// The attributes of metrics by the paths of their columns, and the column that is nowhere smaller.
std::map<std::string, Attributes> attributes_of(std::span<const Metric> metrics) {
  std::map<std::string, Attributes> found;
  for (const Metric& metric : metrics) {
    auto& attributes = found[metric.path()];
    for (const auto& field : metric_fields()) attributes[field.name] = field.get(metric);
    attributes["never_above"] = std::string(metric.never_above);
  }
  return found;
}

Plan plan_of(const std::vector<std::string>& more) {
  return read_plan(Settings::from_text(testing::tiny_experiment, "tiny.toml", more));
}

Plan hidden_sums() {
  std::string experiment = testing::tiny_experiment;
  const std::string sigma = "sigma = 0.05";
  experiment.replace(experiment.find(sigma), sigma.size(), "epsilon = 4.0\ndelta = 1e-3");
  return read_plan(
      Settings::from_text(experiment, "tiny.toml",
                          {"method=dp-fedavg-clip", "joint.kind=skellam", "secagg.kind=counted"}));
}

const std::vector<std::string> kinds_of_runs[] = {{},
                                                  {"method=favano"},
                                                  {"method=favano", "clock.time=real"},
                                                  {"method=dsgd", "evaluate.nodes=all"},
                                                  {"method=dsgd"},
                                                  {"method=pmtl"}};

TEST(DeclaredMetrics, AreThoseOfTheParts) {
  std::set<std::string> unused;
  for (const Metric& metric : declared_metrics(2, "1")) unused.insert(metric.path());
  std::vector<Plan> plans{hidden_sums()};
  for (const auto& more : kinds_of_runs) plans.push_back(plan_of(more));
  for (Plan& plan : plans) {
    const Placement place{.clients = static_cast<int>(plan.clients)};
    Assembly parts = assemble(plan, place, "");
    Ranks ranks(Placement{});
    const RunLoop loop(plan, parts, ranks, place);
    const auto made = attributes_of(parts.metric_log->metrics());
    EXPECT_EQ(attributes_of(declared_metrics(plan, false)), made);
    for (const auto& [path, attributes] : made) unused.erase(path);
  }
  EXPECT_TRUE(unused.empty()) << *unused.begin();
}

TEST(DeclaredMetrics, AreOrderedByColumnsOfTheirGroup) {
  const auto all = attributes_of(declared_metrics(2, "1"));
  for (const auto& [path, attributes] : all) {
    const auto above = std::get<std::string>(attributes.at("never_above"));
    EXPECT_TRUE(above.empty() || all.contains(path.substr(0, path.find('/') + 1) + above)) << path;
  }
}

TEST(DeclaredMetrics, HaveScoresBetweenZeroAndOneIfRecordsHaveClasses) {
  const auto attribute = [](std::size_t classes, const char* name) {
    return attributes_of(declared_metrics(classes, "1")).at("rounds/client_score_q10").at(name);
  };
  EXPECT_EQ(attribute(2, "most"), FieldValue(1.0));
  EXPECT_EQ(attribute(2, "better"), FieldValue("higher"));
  EXPECT_EQ(attribute(0, "most"), FieldValue(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(attribute(0, "better"), FieldValue("lower"));
}

}  // namespace trilemma::declared_metrics_test
