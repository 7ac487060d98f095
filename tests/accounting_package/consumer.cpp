#include <privacy/accountant/accountant.hpp>

#include <cstdio>

int main() {
  using namespace trilemma::accounting;
  const Composition releases{Relation::add_remove, {{Sampling::poisson, 0.01, 1, 1000}}};
  const Result result = epsilon(releases, 1e-5);
  std::printf("%.6f %s\n", result.value, result.method.c_str());
  return result.lower < 1.82823666652 && result.value > 1.82823666652 && result.value < 1.83 ? 0
                                                                                             : 1;
}
