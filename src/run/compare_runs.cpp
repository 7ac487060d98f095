#include "run/compare_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "comm/collectively.hpp"
#include "record/class_scores.hpp"
#include "record/run_reader.hpp"
#include "run/file_check.hpp"
#include "run/identity.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_compared = std::uint64_t{1} << 33U;

void persist_value(State& state, Difference::Value& value) {
  bool is_text = std::holds_alternative<std::string>(value);
  const auto* written = std::get_if<std::string>(&value);
  const auto* counted = std::get_if<double>(&value);
  std::string text = written != nullptr ? *written : "";
  double number = counted != nullptr ? *counted : 0;
  state.value(is_text);
  state.values(text);
  state.value(number);
  if (is_text)
    value = text;
  else
    value = number;
}

void persist_all(State& state, std::vector<Difference>& all) {
  std::uint64_t count = all.size();
  state.value(count);
  all.resize(static_cast<std::size_t>(count));
  for (Difference& difference : all) {
    state.value(difference.kind);
    state.values(difference.field);
    persist_value(state, difference.recorded);
    persist_value(state, difference.expected);
    std::uint64_t row = difference.row.value_or(0);
    bool has_row = difference.row.has_value();
    state.value(has_row);
    state.value(row);
    if (has_row) difference.row = row;
  }
}

class Comparison {
 public:
  Comparison(const std::string& recorded, const std::string& made)
      : recorded_(open_run_file(recorded)), made_(open_run_file(made)) {
    extended_from_ = recorded_.number_attribute("extended_from");
    const char* revision = "environment/git_revision";
    same_build_ = recorded_.has_member(revision) &&
                  recorded_.read_text(revision) == made_.read_text(revision);
  }

  void columns(std::span<const Metric> metrics, MadeAgain how) {
    for (const Metric& metric : metrics) {
      const bool is_of_rank_0 =
          metric.kind == Metric::Kind::gauge || metric.kind == Metric::Kind::count;
      if (metric.depends_on_ranks || (how == MadeAgain::replay && !is_of_rank_0)) continue;
      const std::string name = metric.name;
      const bool is_time = how == MadeAgain::replay && name == "simulated_time";
      column("rounds/" + (is_time ? "real_time" : name), "rounds/" + name);
    }
    column("rounds/round", "rounds/round");
  }

  // Compares what the columns of both files say of themselves, if one program has declared them.
  void column_attributes() {
    if (!same_build_) return;
    for (const std::string group : {"rounds", "mpi", "classes"}) {
      if (!made_.has_member(group) || !recorded_.has_member(group)) continue;
      for (const auto& member : made_.open_group(group).member_names()) {
        const std::string name = group + "/" + member;
        if (!recorded_.has_member(name)) continue;
        const h5::Dataset there = recorded_.open_dataset(name), here = made_.open_dataset(name);
        for (const auto& attribute_name : here.attribute_names())
          attribute(there, here, attribute_name, "/" + name + "@" + attribute_name);
      }
    }
  }

  // An extended run keeps the evaluation at the end of the shorter run.
  void column(const std::string& name, const std::string& made_name) {
    const bool may_have_more = extended_from_ > 0;
    if (may_have_more && name == "rounds/utility") return;
    // Another build may record less; the checks of the file itself know how much less.
    if (!same_build_ && !recorded_.has_member(name)) return;
    numbers(name, made_name, may_have_more);
  }

  void numbers(const std::string& name, const std::string& made_name, bool skips_unknown = false) {
    if (!made_.has_member(made_name)) return;
    if (!recorded_.has_member(name)) {
      found_.push_back({.kind = Mismatch::missing, .field = "/" + name});
      return;
    }
    const auto there = recorded_.read_numbers(name, most_compared);
    const auto here = made_.read_numbers(made_name, most_compared);
    if (there.size() != here.size())
      return add("number of values of /" + name, static_cast<double>(there.size()),
                 static_cast<double>(here.size()));
    for (std::size_t row = 0; row < here.size(); ++row) {
      if (same_number(there[row], here[row], 0) || (skips_unknown && std::isnan(here[row])))
        continue;
      add("/" + name, there[row], here[row]);
      found_.back().row = row;
      return;
    }
  }

  // Compares accuracies by class at the states that both runs have evaluated.
  void classes() {
    const ClassTable there = read_classes(recorded_);
    const ClassTable here = read_classes(made_);
    for (std::size_t row = 0; row < here.round.size(); ++row) {
      const auto same = std::ranges::find(there.round, here.round[row]);
      if (same == there.round.end()) continue;
      const auto& recorded = there.accuracy[static_cast<std::size_t>(same - there.round.begin())];
      const auto& made = here.accuracy[row];
      for (std::size_t c = 0; c < std::max(recorded.size(), made.size()); ++c) {
        const double a = c < recorded.size() ? recorded[c] : no_number;
        const double b = c < made.size() ? made[c] : no_number;
        if (same_number(a, b, 0)) continue;
        add("/classes/accuracy", a, b);
        found_.back().row = row;
        return;
      }
    }
  }

  // Compares attributes of a group.
  void attributes(const std::string& group, const std::vector<std::string>& names) {
    const h5::Group there = recorded_.open_group(group);
    const h5::Group here = made_.open_group(group);
    for (const auto& name : names) attribute(there, here, name, "/" + group + "@" + name);
  }
  // Compares attributes of the root.
  void attributes(const std::vector<std::string>& names) {
    for (const auto& name : names) attribute(recorded_, made_, name, name);
  }

  std::vector<std::string> attributes_of(const std::string& group) const {
    return made_.open_group(group).attribute_names();
  }
  std::vector<Difference> take() { return std::move(found_); }

 private:
  void attribute(const h5::Object& there, const h5::Object& here, const std::string& name,
                 const std::string& field) {
    if (!there.has_attribute(name)) {
      found_.push_back({.kind = Mismatch::missing, .field = field});
      return;
    }
    const FieldValue a = read_any_value(there, name);
    const FieldValue b = read_any_value(here, name);
    if (!same_value(a, b, 0)) add(field, difference_value(a), difference_value(b));
  }
  void add(const std::string& field, Difference::Value recorded, Difference::Value made) {
    found_.push_back({.kind = Mismatch::rerun,
                      .field = field,
                      .recorded = std::move(recorded),
                      .expected = std::move(made)});
  }

  h5::File recorded_, made_;
  double extended_from_ = 0;
  bool same_build_ = false;  // whether both files were made by one revision of the program
  std::vector<Difference> found_;
};

// Names of the fields that are compared in this way.
template <class Record>
std::vector<std::string> names_of(const Fields<Record>& fields, Compared compared) {
  std::vector<std::string> names;
  for (const auto& field : fields)
    if (field.compared == compared) names.push_back(field.name);
  return names;
}

}  // namespace

int compare_with_recorded(const RunOptions& options, const std::string& made,
                          std::span<const Metric> metrics) {
  auto found = run_differences(options.file, made, metrics,
                               options.replays ? MadeAgain::replay : MadeAgain::rerun);
  if (options.compared) options.compared(std::move(found));
  if (options.repeats) return 0;
  if (found.empty()) {
    print("{}: the same final model and the same columns of rank 0, to the bit\n", options.file);
    return 0;
  }
  report_failure(fmt::format("{}: {}; take another copy", options.file, in_words(found)),
                 options.failure_file);
  return exit_failed_run;
}

std::vector<Difference> run_differences(const std::string& recorded, const std::string& made,
                                        std::span<const Metric> metrics, MadeAgain how) {
  constexpr unsigned seconds = 300;
  const Bytes bytes = read_in_subprocess(
      recorded,
      [&] {
        Comparison compare(recorded, made);
        compare.columns(metrics, how);
        compare.classes();
        if (how == MadeAgain::rerun) compare.column_attributes();
        for (const char* name :
             {"model/start", "model/final", "partition/records", "partition/held_out"})
          compare.numbers(name, name);
        std::vector<std::string> partition = compare.attributes_of("partition");
        for (const auto& name : names_of(partition_fields(), Compared::nowhere))
          std::erase(partition, name);
        compare.attributes("partition", partition);
        if (how == MadeAgain::rerun) {
          compare.attributes(names_of(identity_fields(), Compared::repeated));
          compare.attributes("privacy", names_of(privacy_fields(), Compared::rounds));
        }
        std::vector<Difference> found = compare.take();
        Bytes out;
        State state = State::saving(out);
        persist_all(state, found);
        return out;
      },
      seconds);
  std::vector<Difference> found;
  State state = State::restoring(bytes);
  persist_all(state, found);
  return found;
}

}  // namespace trilemma
