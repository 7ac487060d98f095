#include "record/contact_log.hpp"

#include <cmath>

#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_contacts = 1U << 30U;

// Calls visit(list, name, units, description) for every list.
template <class Log, class Visit>
void each_list(Log& log, Visit visit) {
  visit(log.round, "round", "round", "server step that the contact belongs to");
  visit(log.client, "client", "1", "client whose update it is");
  visit(log.number, "number", "1", "number of the client's local job");
  visit(log.start, "start", "round",
        "base version: number of server steps done when its model was given to the job");
  visit(log.steps, "local_steps", "step", "local steps behind the update");
  visit(log.factor, "factor", "1", "factor 1 / alpha of the update");
  visit(log.weight, "weight", "1", "weight of the update in the server step, by its staleness");
  visit(log.time, "time", "s", "end of the server step, since the start");
}

// Clients, server steps and local steps are 32-bit numbers.
void check_whole(const h5::Group& file, const std::string& path,
                 const std::vector<double>& values) {
  constexpr double most = 4294967295;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && values[i] <= most && values[i] == std::floor(values[i])))
      file.refuse(path, fmt::format("contact {} has {}, where a whole number below 2^32 belongs", i,
                                    values[i]));
}

}  // namespace

void write_contacts(const h5::Group& file, const ContactLog& log) {
  if (file.has_member("contacts")) file.remove_member("contacts");
  const h5::Group group = file.create_group("contacts");
  each_list(log, [&](const auto& list, const char* name, const char* units, const char* words) {
    group.write_array(name, list, units, words);
  });
}

ContactLog read_contacts_of(const h5::Group& file) {
  ContactLog log;
  each_list(log, [&](auto& list, const char* name, const char*, const char*) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    const std::string path = std::string("contacts/") + name;
    const auto values = file.read_numbers(path, most_contacts);
    if (std::is_integral_v<T>) check_whole(file, path, values);
    list.assign(values.begin(), values.end());
    if (list.size() != log.size())
      file.refuse(path,
                  fmt::format("{} values where there are {} contacts", list.size(), log.size()));
  });
  return log;
}

ContactLog read_contacts(const std::string& path) {
  const Bytes bytes = read_in_subprocess(path, [&] {
    const h5::File file = open_run_file(path);
    require(
        file.has_member("contacts"),
        "{}: records no contacts; only runs with clock.time = \"real\" do, and all others can be "
        "repeated from their configuration",
        path);
    ContactLog log = read_contacts_of(file);
    Bytes out;
    State state = State::saving(out);
    each_list(log, [&](auto& list, const char*, const char*, const char*) { state.values(list); });
    return out;
  });
  ContactLog log;
  State state = State::restoring(bytes);
  each_list(log, [&](auto& list, const char*, const char*, const char*) { state.values(list); });
  return log;
}

}  // namespace trilemma
