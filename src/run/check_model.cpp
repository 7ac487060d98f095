#include "run/check_model.hpp"

#include <algorithm>
#include <filesystem>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "comm/collectively.hpp"
#include "experiment/client_records.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/words.hpp"
#include "federation/start_model.hpp"
#include "run/own_model.hpp"

namespace trilemma {
namespace {

constexpr double long_check = 10;  // seconds from which the check announces its time

ModelAnswer answer_of(const CheckModelOptions& options, std::string& digest, bool announces) {
  DataFolder data(data_folder(options.data_folder));
  require_experiment(options.file);
  const Settings settings = Settings::from_file(options.file, options.overrides);
  const Plan plan = read_plan(settings, &data);
  const auto problem = plan.problem.make();
  OwnModel* const model = problem->as_own_model();
  require(model != nullptr,
          "{}: problem.kind is not \"plugin\", so there is no model to check; name an experiment "
          "with a model of your own",
          options.file);
  const PartitionedData records = partition_records(plan, data_folder(options.data_folder));
  // One record alone would not show whether records are mixed.
  Dataset first = records.data.train.select(
      *std::ranges::max_element(records.partition.client, {}, &std::vector<std::uint32_t>::size));
  first.prepare();
  const Vector x = start_model(plan.start, plan.seed, *plan.problem);
  ModelAnswer found;
  found.file = model->file().path();
  found.sum = model->file().sum();
  found.name = model->name();
  found.parameters = model->dimension();
  found.records = std::min<std::size_t>(8, first.size());
  found.promises = promises_of(*model, first, x);
  const double each = seconds_of_loss(*model, first, x);
  if (announces && each * slope_losses > long_check)
    fmt::print(stderr,
               "trilemma: note: a loss of {} takes {:.2g} s, and the comparison of slopes computes "
               "{} of them, which takes some {:.0f} s; --seconds limits it\n",
               counted(found.records, "record"), each, slope_losses, each * slope_losses);
  const double end = now_seconds() + options.seconds;
  found.slopes = slope_error(*model, first, x, [end] { return now_seconds() >= end; });
  digest = digest_of(*model, first, x);
  const auto second = plan.problem.make();
  found.renews = digest_of(*second->as_own_model(), first, x) == digest;
  found.origins = model->origins();
  return found;
}

int check_on_rank(const CheckModelOptions& options,
                  const std::function<void(const ModelAnswer&)>& print, const Session& session) {
  Ranks ranks(session.place(), session.communicator());
  ModelAnswer found;
  std::string digest;
  int code = collectively(ranks, [&] {
    try {
      found = answer_of(options, digest, session.rank() == 0);
    } catch (const RunFailure& failure) {
      throw UserError(failure.what());
    }
  });
  if (code != 0) return code;
  const auto digests = ranks.gather_text(digest);
  found.origins = origins_everywhere(found.origins, ranks);
  const auto everywhere = [&](bool& promise) { promise = ranks.smallest(promise ? 1 : 0) == 1; };
  for (bool* promise :
       {&found.promises.repeats, &found.promises.adds_up, &found.promises.separates, &found.renews})
    everywhere(*promise);
  if (session.rank() == 0) {
    found.ranks = session.size();
    for (const std::string& one : digests) found.agree &= one == digest;
    print(found);
    code = found.holds() ? 0 : found.keeps() ? exit_claim_unchecked : exit_claim_fails;
  }
  return ranks.broadcast_number(code, Use::control);
}

std::string line(const std::string& promise, bool holds, const std::string& words) {
  return fmt::format("  {:<44} {:<4} {}\n", promise, holds ? "yes" : "NO", words);
}

}  // namespace

std::string to_text(const ModelAnswer& a) {
  std::string text = fmt::format("{}: {}, {} parameters, on {}; SHA-256 {}\n",
                                 std::filesystem::path(a.file).filename().string(), a.name,
                                 a.parameters, counted(a.records, "record"), a.sum);
  if (!a.origins.packages.empty())
    text += fmt::format("  computed by {}\n", printable(join(a.origins.packages)));
  for (const std::string& module : a.origins.modules)
    text += fmt::format("  imports a module of your own: SHA-256 {}\n", printable(module));
  const std::string slope = "the gradient is the derivative of the loss";
  text += a.slopes.is_complete || !a.follows_slope()
              ? line(slope, a.follows_slope(),
                     fmt::format("largest error {:.2g} along {}; limit {:g}", a.slopes.largest,
                                 counted(a.slopes.directions, "direction"), largest_slope_error))
              : fmt::format("  not checked: {}; the time sufficed for {} of 64\n", slope,
                            counted(a.slopes.directions, "direction"));
  text += line("the same call gives the same bits", a.promises.repeats,
               "needed for bit-identical results; no dropout, no random numbers");
  text += line("a second model gives the same bits", a.renews, "needed for resuming a run");
  text += line("gradients of records add up to the batch's", a.promises.adds_up,
               "gradient() returns sums, not means");
  text += line("a record's gradient depends on it alone", a.promises.separates,
               "needed for bounds of records, and so for their privacy");
  text += a.ranks > 1
              ? line(fmt::format("the same bits on {} ranks", a.ranks), a.agree, "")
              : "  not checked: the same bits on all ranks; start this with mpirun -n 3, with "
                "--oversubscribe on fewer cores\n";
  return text;
}

int check_model(const CheckModelOptions& options,
                const std::function<void(const ModelAnswer&)>& print, int argc, char** argv) {
  Session session(argc, argv);
  return run_on_rank(session, [&] { return check_on_rank(options, print, session); });
}

}  // namespace trilemma
