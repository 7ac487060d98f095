#include "run/checkpointer.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace trilemma {

Checkpointer::Checkpointer(const CheckpointPlan& plan, Assembly& parts, Ranks& ranks, RunFile* file,
                           Driver& driver)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      file_(file),
      driver_(driver),
      saved_(now_seconds()) {}

bool Checkpointer::due_by_rounds() const { return is_due_at(driver_.step()); }

bool Checkpointer::is_due_at(std::uint32_t step) const {
  return plan_.rounds > 0 && step > 0 && step % plan_.rounds == 0;
}

bool Checkpointer::due_by_time() const {
  constexpr double most_share = 0.05;
  return plan_.seconds > 0 &&
         now_seconds() - saved_ >= std::max(plan_.seconds, duration_ / most_share);
}

void Checkpointer::save() {
  const double begin = now_seconds();
  std::unique_ptr<CheckpointWriter> writer;
  if (file_ != nullptr) writer = file_->checkpoint(driver_.step());
  ranks_.collect(
      [this](std::size_t slot) {
        Bytes bytes;
        State state = State::saving(bytes);
        driver_.persist(slot, state);
        return bytes;
      },
      [&writer](std::size_t, const Bytes& bytes) { writer->add_client(bytes); });
  if (writer != nullptr) {
    Bytes common;
    State state = State::saving(common);
    driver_.persist(state);
    Bytes server;
    State of_server = State::saving(server);
    persist_server(of_server);
    const std::uint64_t size = writer->finish(common, server);
    prune_checkpoints(file_->path(), static_cast<std::size_t>(plan_.keep), driver_.step(),
                      plan_.spared);
    file_->add(CheckpointRecord{driver_.step(), size, now_seconds() - begin});
  }
  saved_ = now_seconds();
  duration_ = saved_ - begin;
}

void Checkpointer::restore(const CheckpointReader* checkpoint) {
  Bytes common;
  if (checkpoint != nullptr) common = checkpoint->common();
  ranks_.broadcast_bytes(common);
  State state = State::restoring(common);
  driver_.persist(state);
  state.finish();
  if (parts_.server != nullptr) {
    const Ledger of_this_start = ranks_.ledger();
    State of_server = State::restoring(checkpoint->server());
    persist_server(of_server);
    of_server.finish();
    ranks_.ledger().add(of_this_start);
  }
  ranks_.distribute([checkpoint](std::size_t client) { return checkpoint->client(client); },
                    [this](std::size_t slot, const Bytes& bytes) {
                      State of_client = State::restoring(bytes);
                      driver_.persist(slot, of_client);
                      of_client.finish();
                    });
  saved_ = now_seconds();
}

// Saves or restores the state that only rank 0 has.
void Checkpointer::persist_server(State& state) {
  driver_.persist_server(state);
  parts_.evaluator->persist(state);
  parts_.metric_log->persist(state);
  state.value(ranks_.ledger());
}

}  // namespace trilemma
