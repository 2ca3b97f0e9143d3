// SPDX-License-Identifier: Apache-2.0
// Problems of Activate, chapters 4 and 6, by scripts over simulations: shooting, a static system, the car with a limit.
// Blocks and contexts solve the same ones elsewhere (BookExamples.Chapter4, Contexts.Shooting…, OptimizationBlock.…).
#include <gtest/gtest.h>

#include <numbers>

#include "command_line.h"

namespace orrery::tests::scripted_shooting {
namespace {

class ScriptedShooting : public CommandLine {
 protected:
  // The numbers that a script prints.
  std::vector<double> numbers(const std::string& script) {
    const Outcome said = orrery({"oml", write("s.oml", script)});
    EXPECT_EQ(said.code, 0) << said.err;
    std::istringstream text(said.out);
    std::vector<double> result;
    for (double value; text >> value;) result.push_back(value);
    return result;
  }
  std::string open(const std::string& file) { return "ev = vssCreateEvaluator('" + file + "');\n"; }
};

// s' = v, v' = -0.1 |v|^1.5 v - (0, 9.8), v(0) = 1000 (cos theta, sin theta): it is to land at 9.
TEST_F(ScriptedShooting, TheProjectileLandsAtItsDistance) {
  const std::string model = write("shot.orr", R"({"orrery": 2, "name": "shot", "context": ["theta = pi/3;"],
    "simulation": {"stop": "10", "rtol": "1e-10", "atol": "1e-12"},
    "blocks": [
      {"name": "v", "type": "Integral", "parameters": {"x0": "1000*[cos(theta);sin(theta)]"}},
      {"name": "s", "type": "Integral", "parameters": {"x0": "[0;0]"}},
      {"name": "a", "type": "MatrixExpression", "parameters": {"expression": "'-0.1*(u1(1)^2+u1(2)^2)^0.75*u1-[0;9.8]'"}},
      {"name": "y", "type": "MatrixExpression", "parameters": {"expression": "'u1(2)'"}},
      {"name": "Landed", "type": "ZeroCross", "parameters": {"direction": "'down'"}},
      {"name": "End", "type": "End"},
      {"name": "Show", "type": "Scope"}],
    "links": [{"from": "v:1", "to": ["s:1", "a:1"]}, {"from": "a:1", "to": ["v:1"]}, {"from": "s:1", "to": ["y:1", "Show:1"]},
      {"from": "y:1", "to": ["Landed:1"]}, {"event": "Landed:1", "to": ["End:1"]}]})");
  const auto found = numbers(open(model) + R"(
function g = miss(ev, theta)
  r = vssRunSimulation(ev, struct('theta', theta), getnewenv);
  g = r.data(end, 1) - 9;
end
theta = fsolve(@(t) miss(ev, t), pi/3, optimset('TolFun', 1e-12, 'TolX', 1e-12));
r = vssRunSimulation(ev, struct('theta', theta), getnewenv);
printf('%.12g %.12g', theta, r.final_time);
)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0], 0.807945387372, 1e-7);
  EXPECT_NEAR(found[1], 1.903765366, 1e-6);
}

// The geodesic of Grusin: p = (lambda(0), mu) = (1, pi), cost 1.
TEST_F(ScriptedShooting, TheGeodesicClosesAtOne) {
  const std::string model = write("arc.orr", R"({"orrery": 2, "name": "arc", "context": ["lambda0 = 1;", "mu = 1;"],
    "simulation": {"stop": "1", "rtol": "1e-11", "atol": "1e-12"},
    "blocks": [
      {"name": "x1", "type": "Integral"}, {"name": "x2", "type": "Integral"},
      {"name": "lambda", "type": "Integral", "parameters": {"x0": "lambda0"}},
      {"name": "f2", "type": "MathExpression", "parameters": {"expression": "'mu*u1^2'"}},
      {"name": "f3", "type": "MathExpression", "parameters": {"expression": "'-mu^2*u1'"}},
      {"name": "Show", "type": "Scope", "parameters": {"inputs": "2"}}],
    "links": [{"from": "lambda:1", "to": ["x1:1"]}, {"from": "x1:1", "to": ["f2:1", "f3:1", "Show:1"]},
      {"from": "f2:1", "to": ["x2:1"]}, {"from": "f3:1", "to": ["lambda:1"]}, {"from": "x2:1", "to": ["Show:2"]}]})");
  const auto found = numbers(open(model) + R"(
function g = miss(ev, p)
  r = vssRunSimulation(ev, struct('lambda0', p(1), 'mu', p(2)), getnewenv);
  g = [r.data(end, 1); r.data(end, 2) - 1/(2*pi)];
end
p = fsolve(@(p) miss(ev, p), [1.2; 2.8], optimset('TolFun', 1e-12, 'TolX', 1e-12));
printf('%.12g ', p);
)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0], 1, 1e-7);
  EXPECT_NEAR(found[1], std::numbers::pi, 1e-7);
}

// No time passes: A p + 0.1 p^3 = b with the solution (1, 2, -1, 0.5).
TEST_F(ScriptedShooting, AStaticSystemIsSolved) {
  const std::string model = write("root.orr", R"({"orrery": 2, "name": "root",
    "context": ["p = [-1; -1; -1; -1];", "A = [4 1 0 0; 1 4 1 0; 0 1 4 1; 0 0 1 4];", "q = [1; 2; -1; 0.5];", "b = A*q + 0.1*q.^3;"],
    "simulation": {"stop": "0"},
    "blocks": [{"name": "P", "type": "Constant", "parameters": {"value": "p"}},
      {"name": "G", "type": "MatrixExpression", "parameters": {"expression": "'A*u1+0.1*u1.^3-b'"}},
      {"name": "Show", "type": "Scope"}],
    "links": [{"from": "P:1", "to": ["G:1"]}, {"from": "G:1", "to": ["Show:1"]}]})");
  const auto found = numbers(open(model) + R"(
function g = value_of(ev, p)
  r = vssRunSimulation(ev, struct('p', p), getnewenv);
  g = r.data(end, :)';
end
printf('%.12g ', fsolve(@(p) value_of(ev, p), -ones(4, 1), optimset('TolFun', 1e-12, 'TolX', 1e-12)));
)");
  const double expected[] = {1, 2, -1, 0.5};
  ASSERT_EQ(found.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-8);
}

// The car: 1000 m, the way in 30 s, and 100 km/h with at most 5500 turns a minute (that without the limit is
// ScriptedSearch.TheCarByAnEvaluatorThatIsCompiledOnce).
TEST_F(ScriptedShooting, TheCarReachesItsOptima) {
  const auto found = numbers(open(examples + "optimise/car.orr") + R"(
function [t, r] = drive(ev, p, goal)
  env = getnewenv;
  r = vssRunSimulation(ev, struct('T', p(1:4), 'gear', p(5:9), 'goal', goal), env);
  Tf = getenvvalue(env, 'Tf');
  t = 100;
  if ~isempty(Tf.ch{1}.data)
    t = Tf.ch{1}.data(end);
  end
end
function x = signal(r, name)
  x = r.data(:, find(strcmp(r.names, name)));
end
function d = way(ev, p)
  [t, r] = drive(ev, p, 2);
  d = -interp1(r.time + 1e-12*(1:numel(r.time))', signal(r, '/Show.distance'), 30, 'spline');
end
function [c, ceq] = limit(ev, p)
  [t, r] = drive(ev, p, 1);
  c = max(signal(r, '/Show.rpm'))/1000 - 5.5;
  ceq = [];
end
p0 = [4 4 4 4 3.2 1.8 1.3 1 0.8];
low = 0.1*ones(1, 9);
high = 20*ones(1, 9);
[p, f] = fmincon(@(p) drive(ev, p, 2), p0, [], [], [], [], low, high);
[q, g] = fmincon(@(p) way(ev, p), p0, [], [], [], [], low, high);
near = [0.9 1.6 2.7 4.3 4.5 2.7 1.8 1.3 1.03];
[w, h] = fmincon(@(p) drive(ev, p, 1), near, [], [], [], [], low, high, @(p) limit(ev, p));
printf('%.9g ', f, g, h, limit(ev, w));
)");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[0], 36.5175636154, 1e-3);
  EXPECT_NEAR(found[1], -752.36303878, 0.05);
  EXPECT_NEAR(found[2], 15.8723084318, 1e-3);
  EXPECT_LT(found[3], 1e-6);
}

// 21.1: the same by the script that the diagram of the car has in it: 37.5330 s before it was run, 36.5176 s after.
TEST_F(ScriptedShooting, TheScriptInTheDiagramOfTheCar) {
  const std::string model = examples + "book/ch21_car_exec.orr";
  const auto last_time = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", model, "--quiet", "--out", file("r.csv")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome said = orrery(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return series("r.csv").time.back();
  };
  EXPECT_NEAR(last_time({}), 37.5329632675, 1e-5);
  EXPECT_NEAR(last_time({"--exec", "Search"}), 36.5175636154, 1e-3);
}

}  // namespace
}  // namespace orrery::tests::scripted_shooting
