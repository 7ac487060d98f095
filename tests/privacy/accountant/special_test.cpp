// Special functions against values with 50 digits (mpmath).

#include "privacy/accountant/special.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace trilemma::accounting::special_test {

constexpr double inf = std::numeric_limits<double>::infinity();
using Values = std::pair<double, double>[];

void expect_near(double found, double wanted, double tolerance, double at) {
  EXPECT_NEAR(found, wanted, tolerance * std::abs(wanted)) << "at " << at;
}

TEST(SpecialFunctions, Erfcx) {
  constexpr Values values = {{-26.0, 7.6577249314905683515e+293},
                             {-5.0, 144009798674.66104041},
                             {-1.0, 5.0089800807622834663},
                             {-0.1, 1.1236433541992094807},
                             {0.0, 1.0},
                             {1.0e-10, 0.9999999998871620833},
                             {0.5, 0.61569034419292587487},
                             {1.0, 0.42758357615580700441},
                             {3.0, 0.17900115118138995042},
                             {10.0, 0.056140992743822585858},
                             {24.9999, 0.022549662487547063095},
                             {25.0, 0.022549572432641358944},
                             {25.0001, 0.022549482378454371723},
                             {100.0, 0.0056416137829894329036},
                             {1e8, 5.6418958354775625874e-9},
                             {1e200, 5.6418958354775628695e-201}};
  for (const auto& [x, wanted] : values) expect_near(erfcx(x), wanted, 2e-15, x);
  EXPECT_EQ(erfcx(-28), inf);
  EXPECT_EQ(erfcx(inf), 0);
}

TEST(SpecialFunctions, LogNormalCdf) {
  constexpr Values values = {{-1e5, -5000000012.4318639983},    {-1000.0, -500007.82669481218431},
                             {-40.0, -804.60844201375378817},   {-38.0, -726.5572160188201301},
                             {-10.0, -53.231285150512470578},   {-5.0, -15.064998393988725736},
                             {-1.0, -1.8410216450092635058},    {-0.001, -0.69394538346696517879},
                             {0.0, -0.69314718055994530942},    {0.5, -0.36894641528865639307},
                             {3.0, -0.0013508099647481937988},  {8.0, -6.2209605742717860585e-16},
                             {20.0, -2.7536241186062336951e-89}};
  for (const auto& [t, wanted] : values) {
    expect_near(log_normal_cdf(t), wanted, 2e-14, t);
  }
  EXPECT_EQ(log_normal_cdf(-inf), -inf);
  EXPECT_EQ(log_normal_cdf(inf), 0);
}

TEST(SpecialFunctions, NormalUpperQuantile) {
  constexpr Values values = {{1e-300, 37.047096299361199237}, {1e-30, 11.46402468844361572},
                             {1e-9, 5.9978070150076868614},   {0.01, 2.3263478740408410931},
                             {0.3, 0.52440051270804081597},   {0.7, -0.52440051270804065631},
                             {0.99, -2.3263478740408407676}};
  for (const auto& [p, wanted] : values) expect_near(normal_upper_quantile(p), wanted, 2e-15, p);
  EXPECT_EQ(normal_upper_quantile(0.5), 0);
}

TEST(SpecialFunctions, SumsAndDifferencesOfLogarithms) {
  EXPECT_EQ(log_add(-inf, -inf), -inf);
  EXPECT_EQ(log_add(-3, -inf), -3);
  EXPECT_EQ(log_add(-inf, 700), 700);
  EXPECT_DOUBLE_EQ(log_add(1000, 1000), 1000 + std::log(2.0));
  EXPECT_DOUBLE_EQ(log_add(-1000, -1001), -1000 + std::log1p(std::exp(-1.0)));
  EXPECT_EQ(log_subtract(5, 5), -inf);
  EXPECT_EQ(log_subtract(5, -inf), 5);
  EXPECT_EQ(log_subtract(-inf, -inf), -inf);
  EXPECT_DOUBLE_EQ(log_subtract(2000, 1999), 2000 + std::log1p(-std::exp(-1.0)));
  // 1 - e^-1e-12 keeps its digits.
  EXPECT_NEAR(log_subtract(0, -1e-12), std::log(1e-12), 1e-11);
}

}  // namespace trilemma::accounting::special_test
