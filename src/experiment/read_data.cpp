#include <cmath>

#include "experiment/sections.hpp"
#include "problem/layers/layer_list.hpp"

namespace trilemma {
namespace {

// Reads the share of test records, for sources without test records of their own.
void read_test_share(Settings& data, Plan& plan) {
  plan.test_share = data.number(
      "test_share", 0.0, {.low = 0, .high = 1, .high_open = true},
      "share of the records drawn for tests, for records without users and without a test file");
  if (plan.test_share == 0) return;
  if (plan.source->has_users())
    data.refuse("test_share",
                "the records belong to users, which hold out some of theirs for tests: set "
                "partition.held_out instead");
  if (plan.source->has_tests())
    data.refuse("test_share",
                "there are test records already; leave it out, or leave the test file out (\"\")");
}

// Refuses properties of the problem that only methods with local steps allow.
void require_fitting_method(const Settings& problem, const Plan& plan) {
  if (plan.takes_steps()) return;
  if (plan.problem->as_batch_normalised() != nullptr)
    problem.refuse(
        "layers",
        fmt::format("{}; choose groupnorm{}",
                    plan.method.noise
                        ? std::string("with batchnorm the gradient of a record depends on the "
                                      "others of its minibatch, so that no bound on a record holds")
                        : fmt::format("batchnorm normalises over the minibatch of a local step, "
                                      "and {} takes none",
                                      plan.method_name),
                    plan.method.noise ? "" : ", or a method with local steps, such as fedavg"));
  if (plan.problem->mixes_records())
    problem.refuse(
        "quantise",
        fmt::format(
            "levels depend on all records of a minibatch, so no bound on a single record holds; "
            "choose none, or a method with local steps instead of {}",
            plan.method_name));
  if (plan.problem->augments_records())
    problem.refuse(
        problem.has("crop") ? "crop" : "flip",
        fmt::format("changes the images of local steps, which {} does not take; leave it "
                    "out, or choose a method with local steps, such as fedavg",
                    plan.method_name));
}

}  // namespace

void check_batch_normalisation(const Settings& s, const Plan& plan) {
  if (plan.problem->as_batch_normalised() == nullptr) return;
  if (plan.method.noise && plan.privacy.sigma != 0.0)
    s.section("problem").refuse(
        "layers",
        "with batchnorm the gradient of a record depends on the others of its minibatch, so that no "
        "bound on a record holds, and test scores would use means and variances of training records, "
        "to which no noise is added; choose groupnorm, or a run without noise");
  if (plan.method.steps.is_pass)
    s.section("local").refuse(
        "solver",
        "takes steps on single records, and batchnorm normalises over several; choose sgd, or "
        "groupnorm in problem.layers");
  if (plan.uses_batch && plan.batch < 2)
    s.section("local").refuse(
        "batch",
        "batchnorm normalises over several records; set 2 or more, or choose groupnorm in "
        "problem.layers");
}

void read_data(const Settings& s, Plan& plan, DataFolder* folder) {
  Settings data = s.section("data");
  const auto& source = choose(sources(), data, "source", "synthetic", "source of the records");
  plan.data_seed = static_cast<std::uint64_t>(
      data.integer("seed", 1, at_least(0), "seed of generated data and of shuffled partitions"));
  auto records = source.make(data);
  plan.found_keys = records->open();
  const auto decided = records->decided_by_records();
  plan.found_keys.insert(plan.found_keys.end(), decided.begin(), decided.end());
  if (folder != nullptr) folder->settle(*records, data);
  refuse_open(*records, data);
  // Real targets are a property of the file format and reveal nothing about the records.
  if (records->classes() == 0) std::erase(plan.found_keys, "classes");
  plan.source = std::move(records);
  read_test_share(data, plan);
  Settings partition = s.section("partition");
  const auto& cutting =
      choose(partitions(), partition, "kind", plan.source->has_users() ? "natural" : "shuffled",
             "partition of the records over the clients");
  plan.partition = cutting.make(partition);
  plan.partition_kind = cutting.name;
  plan.held_out = partition.number(
      "held_out", 0.0, {.low = 0, .high = 1, .high_open = true},
      "share of its records that each client holds out for tests, instead of the common test set");
  plan.held_out_last =
      partition.choice(
          "held_out_by", "random", {"random", "last"},
          "which records are held out: drawn at random, or the client's last in the order of the "
          "source") == "last";
  if (plan.held_out > 0 && plan.test_share > 0)
    partition.refuse("held_out", "data.test_share is set too; give one of the two");
  const auto rows = static_cast<long>(plan.known_records());
  if (rows > 0 && plan.clients > rows)
    s.refuse("clients", fmt::format("more clients than the {} records; lower clients", rows));
  Settings problem = s.section("problem");
  const char* usual = problem.has("layers")         ? "layers"
                      : plan.source->classes() == 0 ? "linear"
                      : plan.source->sparse()       ? "logistic"
                                                    : "network";
  for (const LayerPreset& preset : layer_presets())
    if (problem.says("kind", preset.name))
      problem.refuse("kind", fmt::format("a list of layers; set problem.kind = \"layers\" and "
                                         "problem.layers = \"{}\"",
                                         preset.name));
  const auto& kind =
      choose(problems(), problem, "kind", usual,
             "objective; by default layers if problem.layers is given, linear for real "
             "targets, logistic for sparse records, otherwise network");
  const DataShape shape{plan.source->features(), plan.source->classes(), plan.source->sparse()};
  plan.problem = Choice<Problem>([make = kind.read(problem), shape] { return make(shape); });
  require_fitting_method(problem, plan);
  constexpr double most = 4294967295.0;
  require(
      static_cast<double>(plan.shape().state) <= most,
      "problem: {} model coordinates; at most 2^32 - 1 can be addressed, lower data.features or "
      "problem.hidden, or take smaller problem.layers",
      plan.shape().state);
}

// Reads the settings of the records in a copy, because the document itself reads them later.
void settle_clients(Settings& s, Plan& plan, DataFolder* folder) {
  if (s.has("clients")) return;
  const Settings scratch = s.copy();
  Settings data = scratch.section("data");
  auto source = choose(sources(), data, "source", "synthetic", "source of the records").make(data);
  if (!source->has_users()) return;
  Settings partition = scratch.section("partition");
  const auto& cutting = choose(partitions(), partition, "kind", "natural",
                               "partition of the records over the clients");
  if (!cutting.make(partition)->follows_users()) return;
  require(
      folder != nullptr,
      "{}: clients: not set, so it follows from the data, which are not read here; set the value",
      s.file());
  folder->settle(*source, data);
  plan.clients = static_cast<long>(folder->users(*source, data));
  plan.found_clients = true;
  s.resolve("clients", plan.clients);
}

namespace {

// Returns the default law of the start: that of the problem, unless start.file, start.at or
// start.scale describe a start.
StartLaw usual_law(const Settings& start, const Plan& plan) {
  const StartLaw usual = plan.problem->usual_start();
  const bool is_described = plan.start.file.is_set() || plan.start.at_optimum || start.has("scale");
  // "normal" has the scale 0 by default, which is the zero start, and lets start.scale be given
  // without start.law.
  const bool is_drawn = is_by_layer(usual) || usual == StartLaw::own;
  return is_described || !is_drawn ? StartLaw::normal : usual;
}

void check_law(const Settings& start, const Plan& plan) {
  const StartLaw law = plan.start.law;
  if (!has_own_size(law)) return;
  if (plan.start.file.is_set())
    start.refuse("law", "start.file is set too; give one of the two, or law = \"normal\"");
  if (start.has("scale"))
    start.refuse("scale", fmt::format("start.law = \"{}\" has a size of its own; leave it out, or "
                                      "choose start.law = \"normal\"",
                                      start_law_name(law)));
  if (law == StartLaw::own && plan.problem->usual_start() != StartLaw::own)
    start.refuse("law",
                 "only a model of your own (problem.kind = \"plugin\") has a start of its own; "
                 "choose another law, or leave it out");
  if (is_by_layer(law) && plan.start.layers.empty())
    start.refuse("law",
                 "this problem has no layers; choose normal with start.scale, or leave it out");
  if (law != StartLaw::zero && plan.start.at_optimum)
    start.refuse("law", "start.at is set too; give one of the two");
}

}  // namespace

void read_start(const Settings& s, Plan& plan) {
  Settings start = s.section("start");
  plan.start.layers = plan.problem->start_layers();
  plan.start.file = start.file(
      "file",
      "start model: the final model of a run file, or text with one number per line; empty = "
      "random or zero start");
  plan.start.at_optimum =
      start.choice("at", "zero", {"zero", "optimum"},
                   "centre of the start: zero, or the minimiser where it is known") == "optimum";
  std::string law = start_law_name(usual_law(start, plan));
  Reader r(start);
  r("law", law, start_laws(),
    "random numbers: normal, N(0,1), or uniform on (0,1), both times scale; zero; own: what a "
    "plugin draws; or by layer of a network: he, glorot, or fan-in, as in PyTorch; default: what "
    "the problem declares (network and cnn by layer, plugin its own, unless scale or file is set; "
    "the others zero, as normal with scale 0)");
  plan.start.law =
      static_cast<StartLaw>(std::ranges::find(start_laws(), law) - start_laws().begin());
  check_law(start, plan);
  if (start.when(!has_own_size(plan.start.law)))
    plan.start.scale = start.number("scale", 0.0, at_least(0),
                                    "factor of the random numbers that are added to the centre");
  if (plan.start.file.is_set() && plan.start.scale != 0)
    start.refuse("scale", "start.file is set too; give one of the two");
  if (plan.start.file.is_set() && plan.start.at_optimum)
    start.refuse("at", "start.file is set too; give one of the two");
}

void refuse_zero_start(const Settings& s, const Plan& plan) {
  const StartPlan& start = plan.start;
  if (!start.has_hidden() || start.file.is_set() || is_by_layer(start.law)) return;
  if (start.law != StartLaw::zero && start.scale != 0) return;
  const Settings section = s.section("start");
  section.refuse(
      section.has("scale") ? "scale" : "law",
      fmt::format(
          "from zero, all hidden units would stay equal and the problem would not be learnt; "
          "leave out start.scale and start.law, which gives \"{}\", or set start.scale to more "
          "than 0",
          start_law_name(plan.problem->usual_start())));
}

std::size_t Plan::drawn_for_tests(std::size_t records) const {
  if (test_share == 0 || records == 0) return 0;
  const auto count =
      static_cast<std::size_t>(std::lround(test_share * static_cast<double>(records)));
  require(count > 0 && count < records,
          "data.test_share = {:g}: {} of {} records for tests; choose another share", test_share,
          count, records);
  return count;
}

}  // namespace trilemma
