// SPDX-License-Identifier: Apache-2.0
// Random OML expressions give the same numbers when the interpreter computes them and when it is run on signals and the
// expressions it yields become native code: to the last bit element by element, to 1e-12 where sums are involved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "api/oml_evaluator.h"
#include "blocks/parameters.h"
#include "blocks/tracer.h"
#include "native/code.h"
#include "oml/convert.h"
#include "program/procedure.h"
#include "run_model.h"
#include "trace/oml_values.h"

namespace orrery::tests::oml_property_test {
namespace {

using program::Scalar;
using program::Type;

struct Input {
  const char* name;
  Type type;
};
constexpr Input inputs[] = {{"a", {Scalar::f64, 1, 1}}, {"b", {Scalar::f64, 1, 1}}, {"u", {Scalar::f64, 3, 1}},
                            {"v", {Scalar::f64, 3, 1}}, {"r", {Scalar::f64, 1, 3}}, {"M", {Scalar::f64, 3, 3}},
                            {"N", {Scalar::f64, 3, 3}}};

// Texts of expressions of a wanted size.
class ScriptGenerator {
 public:
  explicit ScriptGenerator(unsigned seed) : random_(seed) {}

  // Only operations that work on each element for itself, or move elements about.
  std::string exact(int rows, int cols, int depth) {
    if (depth == 0) return leaf(rows, cols);
    const std::string x = exact(rows, cols, depth - 1);
    const std::string y = pick(3) == 0 ? exact(1, 1, depth - 1) : exact(rows, cols, depth - 1);
    switch (pick(24)) {
      case 0: return fmt::format("({} + {})", x, y);
      case 1: return fmt::format("({} - {})", x, y);
      case 2: return fmt::format("({} .* {})", x, y);
      case 3: return fmt::format("({} ./ {})", x, y);
      case 4: return fmt::format("(-{})", x);
      case 5: return fmt::format("{}({})", one_of({"sin", "cos", "tan", "atan", "tanh", "exp", "asinh", "cosh"}), x);
      case 6: return fmt::format("{}(abs({}))", one_of({"sqrt", "log", "log10"}), x);
      case 7: return fmt::format("{}({})", one_of({"floor", "ceil", "round", "fix", "abs", "sign"}), x);
      case 8: return fmt::format("{}({}, {})", one_of({"atan2", "hypot"}), x, y);
      case 9: return fmt::format("({}).^{}", x, one_of({"2", "3", "0", "-1"}));
      case 10: return fmt::format("(abs({})).^({})", x, y);
      case 11: return fmt::format("({} {} {})", x, one_of({"<", "<=", ">", ">=", "==", "~="}), y);
      case 12: return fmt::format("(({}) {} ({}))", x, one_of({"&", "|"}), y);
      case 13: return fmt::format("(~({}))", x);
      case 14: return fmt::format("If_exp({} > {}, {}, {})", x, y, y, x);
      case 15: return fmt::format(".if {} .then {} .else {} .end", x, y, leaf(1, 1));
      case 16: return fmt::format(".switch sign({}) .case 1, {} .case 0, 3 .otherwise {} .end", x, y, x);
      case 17: return rows == 1 && cols == 1 ? part() : fmt::format("({}')'", x);
      case 18: return rows == 3 && cols == 1 ? fmt::format("[{}; {}]", exact(1, 1, depth - 1), part_of_two()) : x;
      case 19: return rows == cols && rows == 3 ? fmt::format("{}({})", one_of({"triu", "tril", "fliplr"}), x) : x;
      case 20: return rows == 3 && cols == 1 ? fmt::format("(({})(2) := {})", x, exact(1, 1, depth - 1)) : x;
      // Of whole divisors only: the interpreter forgives rounding errors of quotients by fractions.
      case 21: return fmt::format("{}({}, {})", one_of({"mod", "rem"}), x, one_of({"2", "3", "-2"}));
      case 22: return fmt::format("({}({}, {}) + 0)", one_of({"min", "max"}), x, y);  // of 0 and -0 either may be taken
      default: return rows == 1 && cols == 3 ? fmt::format("reshape({}, 1, 3)", exact(3, 1, depth - 1)) : x;
    }
  }

  // One operation with sums in it, on top of exact ones; kept well-conditioned, so that 1e-12 means something.
  std::string inexact() {
    const std::string column = tame(3, 1), row = tame(1, 3), matrix = tame(3, 3), other = tame(3, 3);
    switch (pick(14)) {
      case 0: return fmt::format("({}) * ({})", matrix, column);
      case 1: return fmt::format("({}) * ({}) - ({})", matrix, other, other);
      case 2: return fmt::format("(5*eye(3) + ({})) \\ ({})", matrix, column);
      case 3: return fmt::format("({}) / (5*eye(3) + ({}))", row, matrix);
      case 4: return fmt::format("inv(5*eye(3) + ({}))", matrix);
      case 5: return fmt::format("det(5*eye(3) + ({}))", matrix);
      case 6: return fmt::format("{}({})", one_of({"sum", "mean", "cumsum", "cumprod", "prod"}), matrix);
      case 7: return fmt::format("{}({}, 2)", one_of({"sum", "mean", "cumsum", "prod"}), matrix);
      case 8: return fmt::format("norm({})", column);
      case 9: return fmt::format("expm(0.3*({}))", matrix);
      case 10: return fmt::format("({})^3", matrix);
      case 11: return fmt::format("dot({}, {}) + trace({})", column, tame(3, 1), other);
      case 12: return fmt::format("kron({}, {})", row, column);
      default: return fmt::format("polyval([1 -2 3], {}) + cross({}, {})", column, column, tame(3, 1));
    }
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string one_of(std::initializer_list<const char*> names) {
    return *(names.begin() + pick(static_cast<int>(names.size())));
  }
  std::string tame(int rows, int cols) { return fmt::format("min(max(tanh({}), -1), 1)", exact(rows, cols, 2)); }
  std::string part() { return one_of({"u(2)", "M(1,3)", "r(end)", "v($)", "M(end,1)", "N(2)"}); }
  std::string part_of_two() { return one_of({"u(1:2)", "v([3 1])", "M(2:end,2)", "N([1 3],1)", "r([1 1])'"}); }
  std::string leaf(int rows, int cols) {
    if (rows == 3 && cols == 3) return one_of({"M", "N", "M'", "[u, v, r']", "diag(u)", "repmat(r, 3, 1)"});
    if (rows == 3) return one_of({"u", "v", "r'", "M(:,2)", "N(1,:)'", "[a; b; 1]", "flipud(u)"});
    if (cols == 3) return one_of({"r", "u'", "M(3,:)", "[a, 2, b]", "v(:)'"});
    return pick(3) == 0 ? part() : one_of({"a", "b", "0.5", "2", "-3", "a"});
  }

  std::mt19937 random_;
};

// Many expressions of one graph as one procedure.
class Batch {
 public:
  Batch() {
    program_.add_origin({"batch", "model", 0});
    for (const Input& input : inputs) {
      const auto slot = program_.add_slot({input.name, input.type, program::SlotKind::signal, 0});
      signals_.push_back({input.name, {&program_.graph, program_.read(slot)}});
    }
  }

  void add(const std::string& text, bool exact) {
    try {
      const program::Expr value = evaluator_.tracer()->trace(text, signals_, program_.graph).as(Scalar::f64);
      items_.push_back({text, exact, value.type(), size_});
      procedure_.stores.push_back({program::Store::Target::output, size_, value.id(), program::no_expr, 0});
      size_ += static_cast<std::uint32_t>(value.size());
    } catch (const blocks::ParameterError& error) {
      ADD_FAILURE() << text << ": " << error.message;
    }
  }

  void compile(native::Tier tier) {
    procedure_.name = "batch";
    layout_ = program::lay_out(program_);
    native::CompileOptions options;
    options.second_tier = options.wait_for_second = tier == native::Tier::second;
    options.cache_directory = cache_of_this_process();
    Diagnostics diagnostics;
    native::reserve_workspace(program_, {procedure_}, layout_);
    code_ = native::compile(program_, layout_, {procedure_}, options, diagnostics);
    ASSERT_NE(code_, nullptr) << to_text(diagnostics);
    if (tier == native::Tier::second) {
      ASSERT_TRUE(code_->wait());
      code_->poll();
    }
  }

  // One set of values for the inputs; both ways.
  void compare(std::mt19937& random) {
    auto memory = program::initial_memory(program_, layout_);
    const auto scope = evaluator_.interpreter().make_environment();
    for (std::size_t k = 0; k < std::size(inputs); ++k) {
      program::Value value = program::Value::matrix(inputs[k].type.rows, inputs[k].type.cols);
      for (std::size_t e = 0; e < value.real.size(); ++e) {
        // Halves and whole numbers are likely: relations and rounding meet their borders.
        const double x = std::uniform_real_distribution<>(-3, 3)(random);
        value.real[e] = random() % 3 == 0 ? std::round(2 * x) / 2 : x;
        program::write_number(Scalar::f64, memory.data() + layout_.offset[k] + 8 * e, value.real[e]);
      }
      scope->set(inputs[k].name, trace::to_oml(value));
    }
    std::vector<double> y(size_);
    code_->function(0)(0, nullptr, y.data(), memory.data(), 0);
    for (const Item& item : items_) {
      Diagnostics diagnostics;
      const auto value = evaluator_.interpreter().evaluate(scope, item.text, diagnostics);
      ASSERT_TRUE(value) << item.text << ": " << to_text(diagnostics);
      const auto number = trace::from_oml(*value);
      if (!number || number->is_complex()) continue;  // signals are real: the root of a negative number is NaN
      check(item, *number, y);
    }
  }

  int compared = 0;

 private:
  struct Item {
    std::string text;
    bool exact;
    Type type;
    std::uint32_t first;
  };

  void check(const Item& item, const program::Value& expected, const std::vector<double>& y) {
    ASSERT_EQ(expected.rows, item.type.rows) << item.text;
    ASSERT_EQ(expected.cols, item.type.cols) << item.text;
    double scale = 0;
    for (const double x : expected.real) scale = std::fmax(scale, std::fabs(x));
    for (std::size_t e = 0; e < expected.real.size(); ++e) {
      const double x = expected.real[e], found = y[item.first + e];
      ++compared;
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(found)) << item.text << ": " << found;
      } else if (item.exact) {
        EXPECT_EQ(std::memcmp(&x, &found, sizeof x), 0) << fmt::format("{}: {:a} and {:a}", item.text, x, found);
      } else {
        EXPECT_NEAR(x, found, 1e-12 * std::fmax(scale, 1)) << item.text;
      }
    }
  }

  api::OmlEvaluator evaluator_;
  program::Program program_;
  std::vector<blocks::NamedSignal> signals_;
  program::Procedure procedure_;
  program::Layout layout_;
  std::shared_ptr<native::Code> code_;
  std::vector<Item> items_;
  std::uint32_t size_ = 0;
};

class OmlOnSignals : public testing::TestWithParam<int> {};

TEST_P(OmlOnSignals, GivesTheNumbersOfTheInterpreter) {
  ScriptGenerator generator(static_cast<unsigned>(GetParam()));
  Batch batch;
  for (int k = 0; k < 60; ++k) {
    const int shape = k % 4;
    batch.add(generator.exact(shape < 2 ? 3 : 1, shape % 2 == 0 ? 1 : 3, 1 + k % 4), true);
    if (k % 2 == 0) batch.add(generator.inexact(), false);
  }
  batch.compile(GetParam() == 0 ? native::Tier::second : native::Tier::first);
  std::mt19937 random(static_cast<unsigned>(GetParam()) + 1000);
  for (int k = 0; k < 20; ++k) batch.compare(random);
  EXPECT_GT(batch.compared, 2000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OmlOnSignals, testing::Range(0, 12));

}  // namespace
}  // namespace orrery::tests::oml_property_test
