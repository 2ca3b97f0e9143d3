// SPDX-License-Identifier: Apache-2.0
// The matrix expressions of Activate, chapter 2, on signals.
#include <gtest/gtest.h>

#include <cmath>

#include "api/oml_evaluator.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::matrix_expression_test {
namespace {

// The value of a MatrixExpression of constant inputs that the compiler cannot know: they come from integrators of zero.
struct Outcome {
  std::vector<double> values;  // column by column
  std::string error;
};

Outcome value_of(const std::string& expression, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& context = {}) {
  model::Model model = diagram("stop 0.5");
  model.root.context = context;
  const auto add = [&](const std::string& name, const std::string& type, std::vector<model::Parameter> parameters) {
    model::BlockInstance block;
    block.name = name;
    block.type = type;
    block.parameters = std::move(parameters);
    model.root.blocks.push_back(std::move(block));
  };
  const auto link = [&](const std::string& from, const std::string& to) {
    model::Link l;
    l.from = port_of(from);
    l.to = {port_of(to)};
    model.root.links.push_back(std::move(l));
  };
  std::string quoted = "'";
  for (const char c : expression) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  add("e", "MatrixExpression", {{"expression", quoted + "'", 0}, {"inputs", std::to_string(inputs.size()), 0}});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::string n = std::to_string(k + 1);
    add("zero" + n, "Constant", {{"value", "0*(" + inputs[k] + ")", 0}});
    add("x" + n, "Integral", {{"x0", inputs[k], 0}});
    link("zero" + n + ":1", "x" + n + ":1");
    link("x" + n + ":1", "e:" + n);
  }
  add("out", "Scope", {});
  link("e:1", "out:1");
  const ModelRun run = run_model(model, {});
  Outcome outcome;
  if (run.diagnostics.has_errors()) outcome.error = to_text(run.diagnostics);
  const bool shows = run.compiled && run.recording.rows() > 0;
  for (std::size_t c = 0; shows && c < run.recording.names.size(); ++c) {
    outcome.values.push_back(run.recording.value(run.recording.rows() - 1, c));
  }
  return outcome;
}

using Numbers = std::vector<double>;

Numbers value(const std::string& expression, const std::vector<std::string>& inputs,
              const std::vector<std::string>& context = {}) {
  const Outcome outcome = value_of(expression, inputs, context);
  EXPECT_EQ(outcome.error, "") << expression;
  return outcome.values;
}

TEST(MatrixExpression, BasicOperatorsAndFunctions) {
  EXPECT_EQ(value("u1'*u2", {"[1;2]", "[3;4]"}), Numbers{11});
  EXPECT_EQ(value("A*u1+u2", {"[1;2]", "1"}, {"A = [1 2; 3 4];"}), (Numbers{6, 12}));
  EXPECT_EQ(value("(u1.*u2)./(u1.^2+u2.^2)", {"[1 2]", "[1 1]"}), (Numbers{0.5, 0.4}));
  EXPECT_EQ(value("u1>3", {"[1 5; 4 3]"}), (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(value("sin(u1)", {"[0 1]"}), (Numbers{0, std::sin(1.0)}));
  EXPECT_EQ(value("u1 <> 3", {"[3 4]"}), (Numbers{0, 1}));
  EXPECT_EQ(value("and(u1) + 10*or(u1)", {"[0 1]"}), Numbers{10});
  EXPECT_EQ(value("int(u1)", {"[-1.5 2.7]"}), (Numbers{-1, 2}));
}

TEST(MatrixExpression, Choices) {
  EXPECT_EQ(value(".if u1<0 .then u1 .else 0 .end", {"[1 -2 3]"}), (Numbers{0, -2, 0}));
  EXPECT_EQ(value(".if u1>3 .then 3 .else u1 .end", {"[1 5]"}), (Numbers{1, 3}));
  // As the book prints it: the .end left out.
  EXPECT_EQ(value(".switch u1 .case a, u1 .case b, -u1 .otherwise 0", {"[1 2 3]"}, {"a = 1; b = 2;"}),
            (Numbers{1, -2, 0}));
  EXPECT_EQ(value("min(u1,3)", {"[1 5]"}), (Numbers{1, 3}));
}

TEST(MatrixExpression, ConstructionExtractionAssignment) {
  EXPECT_EQ(value("[u1,1;u2]", {"[1 2]", "[3 4 5]"}), (Numbers{1, 3, 2, 4, 1, 5}));
  EXPECT_EQ(value("u1([1,3],2)", {"[1 2;3 4;5 6]"}), (Numbers{2, 6}));
  EXPECT_EQ(value("u1([1,1,1,2,2,2],[1,2])", {"[1 2;3 4]"}), (Numbers{1, 1, 1, 3, 3, 3, 2, 2, 2, 4, 4, 4}));
  EXPECT_EQ(value("u1(2:n)", {"[1 2;3 4]"}, {"n = 3;"}), (Numbers{3, 2}));
  EXPECT_EQ(value("[u1(1,end);u2(end-1,:)']", {"[1 2;3 4]", "[5 6;7 8]"}), (Numbers{2, 5, 6}));
  EXPECT_EQ(value("u1($)", {"[1 2;3 4]"}), Numbers{4});
  EXPECT_EQ(value("u1(:,1):=3", {"[1 2;3 4]"}), (Numbers{3, 3, 2, 4}));
  EXPECT_EQ(value("u1(:,[1,3]):=[]", {"[1 2 3;4 5 6]"}), (Numbers{2, 5}));
  EXPECT_EQ(value("(C*u1*u2)(1,2)", {"[1 2;3 4]", "[1 1;0 1]"}, {"C = [2 0; 0 1];"}), Numbers{6});
  EXPECT_EQ(value("[inv([u1,u2])(1,:)*u2,u2(1)]'(2)", {"[1;2]", "[3;4]"}), Numbers{3});
  EXPECT_EQ(value("u1 (end) + [1:5]", {"[7 9]"}), (Numbers{10, 11, 12, 13, 14}));
}

TEST(MatrixExpression, IndicesThatAreSignals) {
  EXPECT_EQ(value("u2(u1(end) + [1:3])", {"[0 2]", "[10;20;30;40;50]"}), (Numbers{30, 40, 50}));
  EXPECT_EQ(value("u2(u1, 2)", {"3", "[1 2;3 4;5 6]"}), Numbers{6});
  EXPECT_EQ(value("u2(:, u1)", {"2", "[1 2;3 4;5 6]"}), (Numbers{2, 4, 6}));
  EXPECT_EQ(value("u2(u1, u1)", {"2", "[1 2;3 4]"}), Numbers{4});
  EXPECT_EQ(value("[10 20 30](u1)", {"2"}), Numbers{20});
  EXPECT_EQ(value("u2(u1) := 7", {"2", "[1 2 3]"}), (Numbers{1, 7, 3}));
  EXPECT_EQ(value("u2(u1, :) := [7 8]", {"2", "[1 2;3 4]"}), (Numbers{1, 7, 2, 8}));
  EXPECT_NE(value_of("u2(u1)", {"4", "[1 2 3]"}).error.find("index-outside"), std::string::npos);
}

TEST(MatrixExpression, FunctionsOfTheContextOnConstants) {
  EXPECT_EQ(value("[u1; f(size(u1,2))]", {"[1 2]"}, {"f = @(n) 10*ones(1, n);"}), (Numbers{1, 10, 2, 10}));
  EXPECT_EQ(value("f(1, \"row\") *u1", {"2"}, {"function r = f(n, kind), if strcmp(kind, 'row'), r = [n 2]; end, end"}),
            (Numbers{2, 4}));
  EXPECT_EQ(value("u1*numel(tf2ss([1],[1 2 3]))", {"1"}), Numbers{4});
}

TEST(MatrixExpression, MatrixFunctions) {
  EXPECT_EQ(value("det(u1)", {"[1 2;3 4]"}), Numbers{-2});
  EXPECT_EQ(value("diag(u1)", {"[1 2]"}), (Numbers{1, 0, 0, 2}));
  EXPECT_EQ(value("sum(u1,2)", {"[1 2;3 4]"}), (Numbers{3, 7}));
  EXPECT_EQ(value("sum(u1,1)", {"[1 2;3 4]"}), (Numbers{4, 6}));
  EXPECT_EQ(value("max(u1)", {"[1 5;3 4]"}), (Numbers{3, 5}));
  EXPECT_EQ(value("min(u1)", {"[1 5 3]"}), Numbers{1});
  EXPECT_EQ(value("[size(u1), size(u1,1), size(u1,2)]", {"[1 2;3 4;5 6]"}), (Numbers{3, 2, 3, 2}));
  EXPECT_NEAR(value("expm(u1)", {"[0 1;0 0]"}).at(2), 1, 1e-15);
}

// The output is not a number: an error that names the block and the part of the formula, in continuous time and at
// events. Branches that are not taken, and inputs that have no value themselves, are not to blame.
TEST(MatrixExpression, AnOutputThatIsNoNumberEndsTheRun) {
  const auto error = [](const std::string& expression, const std::string& input) {
    return value_of(expression, {input}).error;
  };
  const auto blames = [&](const std::string& expression, const std::string& input, const std::string& part) {
    const std::string found = error(expression, input);
    EXPECT_NE(found.find("/e: the output is not a number, because of " + part), std::string::npos) << found;
  };
  blames("1+2*log(u1)", "-1", "log(u1)");
  blames("[1,sqrt(u1)]", "-1", "sqrt(u1)");
  blames("acos(u1-2)*2", "-1", "acos(u1 - 2)");
  blames("u1/u1", "0", "u1 / u1");
  blames("u1^0.5", "-4", "pow(u1, 0.5)");
  blames("sqrt(-1-u1(2)) + inv([u1(1) 1;1 1])(1,1)", "[1;0]", "sqrt(");
  blames(".if u1>0 .then log(u1) .else 0 .end + sqrt(u1)", "-1", "sqrt(u1)");  // log(u1) is not taken
  blames("If_exp(u1>0, u1, NaN)", "-1", "nan");
  EXPECT_EQ(error("u1/(u1+1)", "0"), "");
  EXPECT_EQ(error("1/u1", "0"), "");  // infinite, which is a warning
  EXPECT_EQ(error(".if u1>0 .then log(u1) .else 0 .end", "-1"), "");
}

TEST(MatrixExpression, AnOutputThatIsNoNumberEndsTheRunAtItsInstant) {
  const auto end_of = [](const std::string& text) {
    const ModelRun run = run_model(diagram(text), {});
    for (const Diagnostic& d : run.diagnostics.all()) {
      if (d.severity == Severity::error) return std::pair{d.place.block + ": " + d.message, d.time.value_or(-1)};
    }
    return std::pair{std::string(), -1.0};
  };
  const std::string because = "/e: the output is not a number, because of ";
  const auto ticks = end_of(
      "stop 4\nc: SampleClock period=1\nk: Counter\ne: MathExpression expression='sqrt(2.5-u1)'\no: Scope\nc:1 => "
      "k:1\nk:1 -> e:1\ne:1 -> o:1");
  EXPECT_EQ(ticks, (std::pair{because + "sqrt(2.5 - u1)", 3.0}));
  // Nothing shows it and no state depends on it.
  const auto unseen = end_of(
      "stop 4\nhmax 0.01\nt: Time\nx: Integral\no: Scope\ne: MathExpression expression='log(2-u1)'\nz: "
      "CompareToConstant\nt:1 -> x:1 e:1\nx:1 -> o:1\ne:1 -> z:1");
  EXPECT_EQ(unseen.first, because + "log(2 - u1)");
  EXPECT_NEAR(unseen.second, 2, 0.1);  // every few steps where nobody sees it
  // Before its first activation the source of an input has no value; a protected root has one also beyond its corner.
  EXPECT_EQ(end_of("stop 2\nc: SampleClock period=1 offset=0.5\nw: SineWaveGenerator\nh: SampleHold\nt: Time\ne: "
                   "MathExpression inputs=2 expression='sqrt(abs(u1))/(1+u2)'\no: Scope\nw:1 -> h:1\nc:1 => h:1\nh:1 "
                   "-> e:1\nt:1 -> e:2\ne:1 -> o:1")
                .first,
            "");
  EXPECT_EQ(end_of("stop 9\nw: SineWaveGenerator\ne: MathExpression expression='sqrt(max(u1,0))'\nx: Integral\no: "
                   "Scope inputs=2\nw:1 -> e:1\ne:1 -> x:1 o:2\nx:1 -> o:1")
                .first,
            "");
}

// A comparison with what is not a number is false: the activation would leave through the wrong output.
TEST(MatrixExpression, AConditionThatIsNoNumberEndsTheRun) {
  const auto end_of = [](const std::string& expressions) {
    const ModelRun run = run_model(diagram("stop 4\nc: SampleClock period=1\nt: Time\nh: SampleHold\ne: IfExpressions "
                                           "expressions=" +
                                           expressions +
                                           "\no: EventScope inputs=3\nc:1 => h:1\nt:1 -> h:1\nh:1 -> "
                                           "e:1\ne:1 => o:1\ne:2 => o:2\ne:3 => o:3"),
                                   {});
    for (const Diagnostic& d : run.diagnostics.all()) {
      if (d.severity == Severity::error) return std::pair{d.place.block + ": " + d.message, d.time.value_or(-1)};
    }
    return std::pair{std::string(), -1.0};
  };
  const std::string because = "/e: a condition is not a number, because of ";
  EXPECT_EQ(end_of("{'sqrt(1.5-u1)>9','u1>9'}"), (std::pair{because + "sqrt(1.5 - u1)", 2.0}));
  EXPECT_EQ(end_of("{'u1>9','log(1.5-u1)'}"), (std::pair{because + "log(1.5 - u1)", 2.0}));
  // The second is asked only where the first does not hold, and a branch that is not taken is not to blame.
  EXPECT_EQ(end_of("{'u1>1','log(1.5-u1)>0'}").first, "");
  EXPECT_EQ(end_of("{'If_exp(u1>1,1,sqrt(1.5-u1)>0)','u1>9'}").first, "");
}

// What needs the value of a signal before the simulation is refused, with its place and a way out.
TEST(MatrixExpression, RefusesSizesAndControlFlowBySignals) {
  for (const char* text : {"[1:u1]", "[u1(end)+1:u1(end)+5]", "ones(u1,1)", "u1(u1>3)", "u1(u1>3) := 3",
                           "zeros(2)(:,u1) := []", "eig([u1 1;1 u1])", "find(u1)"}) {
    const Outcome outcome = value_of(text, {"[1;2]"});
    EXPECT_NE(outcome.error.find("bad-parameter"), std::string::npos) << text << "\n" << outcome.error;
    EXPECT_NE(outcome.error.find("/e parameter expression"), std::string::npos) << text << "\n" << outcome.error;
    EXPECT_NE(outcome.error.find("column "), std::string::npos) << text << "\n" << outcome.error;
  }
  EXPECT_NE(value_of("[1:u1]", {"1"}).error.find("u + (1:5)"), std::string::npos);
}

}  // namespace
}  // namespace orrery::tests::matrix_expression_test
