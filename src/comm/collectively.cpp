#include "comm/collectively.hpp"

#include <cstdio>

#include "base/check.hpp"
#include "base/output.hpp"
#include "base/progress_line.hpp"
#include "base/text.hpp"
#include "comm/node_map.hpp"

namespace trilemma {

void report_failure(const std::string& sentence, const std::string& file) {
  end_progress_line();
  fmt::print(stderr, "trilemma: {}\n", printable(sentence));
  if (file.empty()) return;
  try {
    write_file(file, sentence + '\n');
  } catch (const WriteError& error) {
    fmt::print(stderr, "trilemma: warning: the reason was not written to a file: {}\n",
               printable(error.what()));
  }
}

int collectively(Ranks& ranks, const std::function<void()>& step, const std::string& failure_file) {
  const Placement& place = ranks.place();
  std::string problem;
  int code = 0;
  try {
    step();
  } catch (const UserError& error) {
    problem = error.what();
    code = exit_user;
  } catch (const std::exception& error) {
    problem = fmt::format("{} (rank {})", error.what(), place.rank);
    code = exit_internal;
  }
  const int first = ranks.smallest(code == 0 ? place.size : place.rank);
  if (first == place.size) return 0;
  if (first == place.rank) report_failure(problem, failure_file);
  return -ranks.smallest(-code);
}

int same_everywhere(Ranks& ranks, const std::string& mine, const std::string& failure_file) {
  const auto all = ranks.gather_text(mine);  // complete on rank 0 only
  const auto compare = [&] {
    for (std::size_t r = 1; r < all.size(); ++r)
      require(all[r] == all[0], "rank {} has {}, rank 0 has {}; give all ranks the same files", r,
              all[r], all[0]);
  };
  return collectively(ranks, compare, failure_file);
}

int placed_as_asked(Ranks& ranks, const std::vector<std::string>& hosts,
                    const std::string& failure_file) {
  const auto compare = [&] {
    const auto asked = asked_placement();
    const std::string problem =
        asked && ranks.place().rank == 0 ? placement_problem(*asked, hosts) : "";
    if (problem.empty()) return;
    require(asked->only_marks, "{}", problem);
    fmt::print(stderr, "trilemma: warning: {}\n", printable(problem));
  };
  return collectively(ranks, compare, failure_file);
}

int run_on_rank(const Session& session, const std::function<int()>& work,
                const std::string& failure_file) {
  try {
    return work();
  } catch (const std::exception& error) {
    report_failure(fmt::format("rank {}: {}", session.rank(), error.what()), failure_file);
    if (session.size() > 1) Session::abort(exit_internal);
    return exit_internal;
  }
}

}  // namespace trilemma
