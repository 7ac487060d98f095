#include "machine/load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string>

#include "base/clock.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

// Linux counts what the processors do in steps of 10 ms.
constexpr double shortest_seconds = 0.2;
// A mask of processors is sent as numbers of this many bits.
constexpr std::size_t bits_of_word = 32;
constexpr std::size_t words = Processors{}.size() / bits_of_word;
constexpr std::size_t numbers = 6;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Returns the number of "cpu12"; -1 for other words, also for "cpu" alone.
long processor_of(const std::string& word) {
  constexpr std::size_t most_digits = 6;
  if (!word.starts_with("cpu") || word.size() == 3 || word.size() > 3 + most_digits) return -1;
  for (std::size_t i = 3; i < word.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(word[i])) == 0) return -1;
  return std::stol(word.substr(3));
}

// The ranks of one node.
struct NodeLoad {
  std::int64_t ranks = 0;
  double cores = not_known;    ///< that the ranks may use
  double granted = not_known;  ///< the same, within the limit of the control group
  double others = not_known;   ///< cores that others used
  double steal = not_known;

  double left() const { return cores - static_cast<double>(ranks) - others; }
};

// Returns the processor seconds of the union of the usable processors: those of a rank that may use
// all of them, otherwise the sum over the different sets.
ProcessorSeconds machine_of(const std::vector<RankLoad>& ranks, const Processors& all) {
  ProcessorSeconds sum;
  std::vector<Processors> counted;
  for (const RankLoad& rank : ranks) {
    if (rank.usable == all) return rank.machine;
    if (std::ranges::find(counted, rank.usable) != counted.end()) continue;
    counted.push_back(rank.usable);
    sum.busy += rank.machine.busy;
    sum.stolen += rank.machine.stolen;
  }
  return sum;
}

NodeLoad node_load(const std::vector<RankLoad>& ranks) {
  NodeLoad node{.ranks = static_cast<std::int64_t>(ranks.size())};
  Processors all;
  double own = 0;
  double seconds = 0;
  double granted = 0;
  for (const RankLoad& rank : ranks) {
    all |= rank.usable;
    own += rank.own;
    seconds = std::max(seconds, rank.seconds);
    granted = std::max(granted, rank.granted);
  }
  if (all.none()) return node;
  node.cores = static_cast<double>(all.count());
  node.granted = std::min(node.cores, granted);
  const ProcessorSeconds machine = machine_of(ranks, all);
  // Some containers show a /proc/stat that counts nothing.
  const bool counts = machine.busy >= own / 2;
  if (seconds < shortest_seconds || !counts) return node;
  node.others = std::max(0.0, machine.busy - own) / seconds;
  const double wanted = machine.busy + machine.stolen;
  node.steal = wanted > 0 ? machine.stolen / wanted : 0;
  return node;
}

double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? not_known : std::max(a, b);
}

}  // namespace

ProcessorSeconds processor_seconds(std::string_view stat, const Processors& which,
                                   double ticks_per_second) {
  ProcessorSeconds sum;
  bool is_known = false;
  std::istringstream text{std::string(stat)};
  for (std::string line; std::getline(text, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const long number = processor_of(name);
    if (number < 0 || static_cast<std::size_t>(number) >= which.size() ||
        !which[static_cast<std::size_t>(number)])
      continue;
    double user = 0, nice = 0, system = 0, idle = 0, disk = 0, irq = 0, soft_irq = 0, stolen = 0;
    if (!(words >> user >> nice >> system >> idle >> disk >> irq >> soft_irq >> stolen)) continue;
    sum.busy += user + nice + system + irq + soft_irq;
    sum.stolen += stolen;
    is_known = true;
  }
  if (!is_known || !(ticks_per_second > 0)) return {not_known, not_known};
  return {sum.busy / ticks_per_second, sum.stolen / ticks_per_second};
}

CpuUse cpu_use(const Processors& which) {
  CpuUse use;
  use.at = now_seconds();
  std::ostringstream stat;
  stat << std::ifstream("/proc/stat").rdbuf();
  use.machine = processor_seconds(stat.str(), which, static_cast<double>(sysconf(_SC_CLK_TCK)));
  rusage own{};
  use.own = getrusage(RUSAGE_SELF, &own) == 0 ? seconds_of(own.ru_utime) + seconds_of(own.ru_stime)
                                              : not_known;
  double running = 0;
  double waiting = 0;
  use.waiting =
      std::ifstream("/proc/self/schedstat") >> running >> waiting ? 1e-9 * waiting : not_known;
  return use;
}

std::size_t RankLoad::packed_size() { return words + numbers; }

std::vector<double> RankLoad::packed() const {
  std::vector<double> out;
  for (std::size_t w = 0; w < words; ++w) {
    double word = 0;
    for (std::size_t i = 0; i < bits_of_word; ++i)
      if (usable[w * bits_of_word + i]) word += std::ldexp(1.0, static_cast<int>(i));
    out.push_back(word);
  }
  out.insert(out.end(), {granted, seconds, machine.busy, machine.stolen, own, waiting});
  return out;
}

RankLoad RankLoad::unpacked(std::span<const double> from) {
  RankLoad load;
  for (std::size_t w = 0; w < words; ++w) {
    const auto word = static_cast<std::uint64_t>(from[w]);
    for (std::size_t i = 0; i < bits_of_word; ++i)
      load.usable[w * bits_of_word + i] = (word >> i & 1U) != 0;
  }
  const auto rest = from.subspan(words);
  std::size_t at = 0;
  for (double* value : {&load.granted, &load.seconds, &load.machine.busy, &load.machine.stolen,
                        &load.own, &load.waiting})
    *value = rest[at++];
  return load;
}

void LoadMeter::start() {
  usable_ = usable_processors();
  granted_ = granted_cores();
  begin_ = cpu_use(usable_);
}

RankLoad LoadMeter::load() const {
  const CpuUse end = cpu_use(usable_);
  return {.usable = usable_,
          .granted = granted_,
          .seconds = end.at - begin_.at,
          .machine = {end.machine.busy - begin_.machine.busy,
                      end.machine.stolen - begin_.machine.stolen},
          .own = end.own - begin_.own,
          .waiting = end.waiting - begin_.waiting};
}

TimeRecord time_record(const std::vector<RankLoad>& ranks, const std::vector<std::int64_t>& node,
                       std::int64_t rounds) {
  TimeRecord record;
  record.timed_rounds = rounds;
  record.waiting_share = 0;
  record.steal_share = 0;
  record.cores_per_rank = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  bool is_first = true;
  for (std::int64_t n = 0; n <= *std::ranges::max_element(node); ++n) {
    std::vector<RankLoad> here;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (node[r] == n) here.push_back(ranks[r]);
    if (here.empty()) continue;
    const NodeLoad load = node_load(here);
    record.cores_per_rank =
        -worse(-record.cores_per_rank, -load.granted / static_cast<double>(load.ranks));
    record.steal_share = worse(record.steal_share, load.steal);
    // A node without a known load is worse than any other.
    if (is_first || std::isnan(load.left()) || load.left() < least) {
      record.node_cores = load.cores;
      record.node_ranks = load.ranks;
      record.load_from_others = load.others;
      least = std::isnan(load.left()) ? -std::numeric_limits<double>::infinity() : load.left();
    }
    is_first = false;
  }
  // The clock is read just before the waiting time.
  for (const RankLoad& rank : ranks)
    record.waiting_share =
        worse(record.waiting_share,
              rank.seconds > 0 ? std::min(rank.waiting / rank.seconds, 1.0) : not_known);
  record.status = judged(record);
  return record;
}

}  // namespace trilemma
