#include "record/contact_log.hpp"

#include <cmath>

#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_contacts = 1U << 30U;

// Visits all lists with their names, units and descriptions.
template <class Log, class Visit>
void each_list(Log& log, Visit visit) {
  visit(log.round, "round", "round", "server step that the contact belongs to");
  visit(log.client, "client", "1", "client that the server has met");
  visit(log.number, "number", "1", "of the client's pieces of work");
  visit(log.start, "start", "round", "server steps behind the model that it has worked at");
  visit(log.steps, "local_steps", "step", "local steps that it has done");
  visit(log.factor, "factor", "1", "1 / alpha, on its progress");
  visit(log.weight, "weight", "1", "in the server step, for its staleness");
  visit(log.time, "time", "s", "since the start, when the server step ended");
}

// Clients, server steps and local steps are counted in 32 bits.
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
    require(file.has_member("contacts"),
            "{}: records no contacts; only runs with clock.time = \"real\" do, and all others are "
            "repeated by their configuration",
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
