// SPDX-License-Identifier: Apache-2.0
// The spacecraft of two bodies (Activate, 7.2.3 to 7.4): its linear model, what of it can be controlled, its flight.
// The numbers were computed from the Lagrangian by an independent program.
#include <gtest/gtest.h>

#include "command_line.h"

namespace orrery::tests::spacecraft {
namespace {

class Spacecraft : public CommandLine {
 protected:
  // What a script prints, as numbers.
  std::vector<double> numbers(const std::string& script) {
    const std::string begin = "[A, B, C] = vssLinearizeSuperBlock('" + example("book/ch7_spacecraft") +
                              "', 'Spacecraft', 1, 1, 0);\nshow = @(x) printf('%.12g ', x);\n";
    const Outcome said = orrery({"oml", write("s.oml", begin + script)});
    EXPECT_EQ(said.code, 0) << said.err;
    std::istringstream text(said.out);
    std::vector<double> result;
    for (double value; text >> value;) result.push_back(value);
    return result;
  }
};

// Order of the states: x y z phi theta psi alpha beta, then their rates.
TEST_F(Spacecraft, LinearModelIsThatOfTheLagrangian) {
  const auto found = numbers(
      "show([A(9,5) A(9,7) B(9,2) A(13,7) B(13,2) A(15,7) B(15,2) A(10,4) A(10,8) B(10,3) A(12,8) B(12,3) A(16,8) "
      "B(16,3) "
      "B(11,1)]);\nE = A; E(9,[5 7]) = 0; E([13 15],7) = 0; E(10,[4 8]) = 0; E([12 16],8) = 0; E(1:8,9:16) = 0;\n"
      "show(max(abs(E(:)))); show(norm(C - eye(16)));");
  const double expected[] = {10,
                             -4.767123288,
                             -0.115068493,
                             -0.821917808,
                             -0.023287671,
                             2.164383562,
                             0.041324201,
                             -10,
                             -14.767123288,
                             -0.115068493,
                             -1.342465753,
                             -0.018036530,
                             2.164383562,
                             0.041324201,
                             1.0 / 12,
                             0,
                             0};
  ASSERT_EQ(found.size(), std::size(expected));
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-9) << k;
}

TEST_F(Spacecraft, FourteenOfSixteenCanBeControlled) {
  const auto found = numbers(
      "[nc, U] = contr(A, B);\nshow(nc(1)); show(max(max(abs(U([6 14],1:14)))));\n"
      "c = [1 5 7 9 13 15]; show(place(A(c,c), B(c,2), -2*ones(1,6))); show(place(A([3 11],[3 11]), B([3 11],1), [-2 "
      "-2]));");
  ASSERT_EQ(found.size(), 10u);
  EXPECT_EQ(found[0], 14);
  EXPECT_LT(found[1], 1e-9);  // psi and its rate are what is lost
  const double gains[] = {389.333333, 18882.666667, 13229.480663, 1168, 22581.333333, 16268.110498, 48, 48};
  for (std::size_t k = 0; k < std::size(gains); ++k) EXPECT_NEAR(found[k + 2] / gains[k], 1, 1e-6) << k;
}

TEST_F(Spacecraft, RisesGoesAsideAndComesDown) {
  const Outcome said = orrery({"run", example("book/ch7_spacecraft"), "--out", file("r.csv"), "--quiet"});
  ASSERT_EQ(said.code, 0) << said.err;
  const io::TimeSeries path = series("r.csv");
  const auto at = [&](double t, std::size_t column) {
    std::size_t row = 0;
    while (row + 1 < path.time.size() && path.time[row + 1] <= t) ++row;
    return path.columns[column][row];
  };
  EXPECT_NEAR(at(14.9, 2), 1, 1e-2);
  EXPECT_NEAR(at(29.9, 0), 1, 1e-2);
  EXPECT_NEAR(at(29.9, 1), -1, 1e-2);
  EXPECT_NEAR(at(100, 0), 1, 1e-6);
  EXPECT_NEAR(at(100, 1), -1, 1e-6);
  EXPECT_NEAR(at(100, 2), 0, 1e-6);
  EXPECT_NE(at(100, 5), 0);  // psi drifts a little, and nothing turns it back
  EXPECT_LT(std::abs(at(100, 5)), 1e-3);
}

}  // namespace
}  // namespace orrery::tests::spacecraft
