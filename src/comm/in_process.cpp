#include "comm/exchange.hpp"

namespace trilemma {
namespace {

// The server and all clients share memory: every exchange is the identity.
class InProcess final : public Exchange {
 public:
  void broadcast_model(View) override {}
  void broadcast_for_evaluation(View) override {}
  std::span<const std::byte> gather_messages(std::span<const std::byte> mine,
                                             std::size_t) override {
    return mine;
  }
  std::span<const double> gather_by_client(std::span<const double> mine, std::size_t) override {
    return mine;
  }
  std::vector<double> gather_by_rank(std::span<const double> mine) override {
    return {mine.begin(), mine.end()};
  }
  std::vector<std::string> gather_text(const std::string& mine) override { return {mine}; }
  int broadcast_number(int value) override { return value; }
  int smallest(int value) override { return value; }
  void barrier() override {}
};

}  // namespace

std::unique_ptr<Exchange> make_in_process_exchange() { return std::make_unique<InProcess>(); }

}  // namespace trilemma
