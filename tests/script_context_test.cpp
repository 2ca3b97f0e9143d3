// SPDX-License-Identifier: Apache-2.0
// Variables that scripts hand to models (Activate, 6.4): when they take effect, and what a change of structure costs.
#include <gtest/gtest.h>

#include <fstream>

#include "api/model_functions.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::tests::script_context {
namespace {

class ScriptContext : public ::testing::Test {
 protected:
  ScriptContext() {
    oml::InterpreterOptions options;
    options.consent.allowed = Capabilities::all();
    options.output = [this](std::string_view text) { said_ += text; };
    options.families = api::model_families();
    interpreter_ = std::make_unique<oml::Interpreter>(std::move(options));
  }
  // A model that shows T, U and w.
  void use(const std::string& initialization, const std::string& context) {
    const std::string file = testing::TempDir() + "script_context.orr";
    std::ofstream(file) << R"({"orrery": 2, "name": "order", "simulation": {"stop": "1"},
      "initialization": [)" + initialization +
                               R"(], "context": [)" + context + R"(],
      "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "[T; U; w]"}},
                 {"name": "S", "type": "SignalOut", "parameters": {"name": "'s'"}}],
      "links": [{"from": "C:1", "to": ["S:1"]}]})";
    run("ev = vssCreateEvaluator('" + file + "');");
  }
  void run(const std::string& script) {
    const auto outcome = interpreter_->run_text(script);
    ASSERT_TRUE(outcome.ok) << to_text(outcome.diagnostics);
  }
  std::vector<double> numbers(const std::string& expression) {
    Diagnostics diagnostics;
    const auto value = interpreter_->evaluate(interpreter_->base(), expression, diagnostics);
    EXPECT_TRUE(value) << to_text(diagnostics);
    return value ? oml::to_vector(*value) : std::vector<double>{};
  }
  int told(const std::string& text) const {
    int count = 0;
    for (std::size_t at = said_.find(text); at != std::string::npos; at = said_.find(text, at + 1)) ++count;
    return count;
  }
  using Numbers = std::vector<double>;

  std::unique_ptr<oml::Interpreter> interpreter_;
  std::string said_;
};

// What the initialization has computed stays, what the context computes follows; the first run compiles, others do not.
TEST_F(ScriptContext, ReplacesWhatTheInitializationLeft) {
  use(R"("T = 2;", "U = 3*T;")", R"("w = T + U;")");
  run("a = vssRunSimulation(ev); x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{2, 6, 8}));
  run("b = vssRunSimulation(ev, struct('T', 5)); x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{5, 6, 11}));
  run("c = vssRunSimulation(ev, struct('T', 7)); x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{7, 6, 13}));
  EXPECT_EQ(numbers("[b.compiled c.compiled]"), (Numbers{1, 0}));
  EXPECT_EQ(told("the initialization of order computes with T"), 1) << said_;
  // The same from the texts of the model, with settings of its own.
  run("d = vssRunSimulation(ev, struct('T', 7), getbaseenv, struct('stop', 2)); x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{7, 6, 13}));
  EXPECT_EQ(numbers("d.compiled"), Numbers{1});
  EXPECT_EQ(numbers("~isempty(strfind(d.reason, 'settings'))"), Numbers{1});
}

// Variables of the context keep what a script gives them, and so does what only a script defines.
TEST_F(ScriptContext, HoldsInTheContext) {
  use(R"("U = 3*q;")", R"("T = 2;", "w = T + U;")");
  run("vssRunSimulation(ev, struct('T', 5, 'q', 2)); x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{5, 6, 11}));
  EXPECT_EQ(said_, "");
}

// Another value of what decides the structure is compiled, and told once; other values of the rest are not.
TEST_F(ScriptContext, TellsWhatAStructureCosts) {
  use(R"("n = 2;")", R"("T = 2;", "U = sum(ones(n, 1));", "w = T + U;")");
  run("for k = 1:4, r{k} = vssRunSimulation(ev, struct('n', 3, 'T', k)); end; x = s.ch{1}.data(:, end);");
  EXPECT_EQ(numbers("x"), (Numbers{4, 3, 7}));
  EXPECT_EQ(numbers("cellfun(@(q) q.compiled, r)"), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(said_, "");
  run("p = vssRunSimulation(ev, struct('n', 5, 'T', 1)); x = s.ch{1}.data(:, end);"
      "q = vssRunSimulation(ev, struct('n', 3, 'T', 9)); y = s.ch{1}.data(:, end);"
      "o = vssRunSimulation(ev, struct('n', 6, 'T', 1));");
  EXPECT_EQ(numbers("x"), (Numbers{1, 5, 6}));
  EXPECT_EQ(numbers("y"), (Numbers{9, 3, 12}));
  EXPECT_EQ(numbers("[p.compiled q.compiled o.compiled]"), (Numbers{1, 0, 1}));
  EXPECT_EQ(told("the structure depends on n"), 1) << said_;
}

}  // namespace
}  // namespace orrery::tests::script_context
