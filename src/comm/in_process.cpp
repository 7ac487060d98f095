#include "comm/exchange.hpp"

namespace trilemma {
namespace {

// The server and all clients share memory: every exchange is the identity.
class InProcess final : public Exchange {
 public:
  explicit InProcess(std::size_t clients) : clients_(clients) {}
  void broadcast_model(View) override {}
  void broadcast_for_evaluation(View) override {}
  Packets gather_messages(const Packets& mine, Coordinates) override { return mine; }
  std::span<const double> gather_by_client(std::span<const double> mine, std::size_t) override {
    return mine;
  }
  std::span<const double> gather_rows(std::span<const double> mine, std::size_t,
                                      const std::vector<int>&) override {
    return mine;
  }
  std::vector<double> gather_by_rank(std::span<const double> mine, Use) override {
    return {mine.begin(), mine.end()};
  }
  std::vector<std::string> gather_text(const std::string& mine) override { return {mine}; }
  int broadcast_number(int value, Use) override { return value; }
  void broadcast_bytes(Bytes&) override {}
  void collect(const std::function<Bytes(std::size_t)>& make,
               const std::function<void(std::size_t, const Bytes&)>& take) override {
    for (std::size_t client = 0; client < clients_; ++client) take(client, make(client));
  }
  void distribute(const std::function<Bytes(std::size_t)>& give,
                  const std::function<void(std::size_t, const Bytes&)>& take) override {
    for (std::size_t client = 0; client < clients_; ++client) take(client, give(client));
  }
  int smallest(int value) override { return value; }
  void barrier() override {}

 private:
  std::size_t clients_;
};

}  // namespace

std::unique_ptr<Exchange> make_in_process_exchange(std::size_t clients) {
  return std::make_unique<InProcess>(clients);
}

}  // namespace trilemma
