// SPDX-License-Identifier: Apache-2.0
// The embedding interface: environments, diagnostics, limits, in-place updates and symbolic operands.
#include "oml/interpreter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "oml/convert.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

struct Silent {
  Silent() : oml(make()) {}
  InterpreterOptions make() {
    InterpreterOptions o;
    o.output = [this](std::string_view s) { output += s; };
    return o;
  }
  std::string output;
  Interpreter oml;
};

TEST(Interpreter, EvaluatesExpressionsInNestedEnvironments) {
  Silent s;
  auto outer = s.oml.make_environment();
  auto inner = s.oml.make_environment(outer);
  outer->set("k", Value(3.0));
  ASSERT_TRUE(s.oml.run_text_in(inner, "m = k * 2; v(3) = k;").ok);
  Diagnostics d;
  EXPECT_EQ(to_double(*s.oml.evaluate(inner, "m + k", d)), 9.0);
  EXPECT_EQ(outer->get("m"), nullptr);
  ASSERT_TRUE(s.oml.run_text_in(inner, "k = 5;").ok);
  EXPECT_EQ(to_double(*outer->get("k")), 3.0);
  EXPECT_EQ(to_double(*s.oml.evaluate(inner, "k", d)), 5.0);
  EXPECT_FALSE(d.has_errors());
  // Part of an outer variable written inside becomes an inner copy.
  outer->set("w", Value::row({1, 2, 3}));
  ASSERT_TRUE(s.oml.run_text_in(inner, "w(2) = 9;").ok);
  EXPECT_EQ(to_vector(*outer->get("w"))[1], 2.0);
  EXPECT_EQ(to_vector(*inner->get("w"))[1], 9.0);
}

TEST(Interpreter, ReportsErrorsWithLineAndColumn) {
  Silent s;
  Diagnostics d;
  EXPECT_FALSE(s.oml.evaluate(s.oml.base(), "1 + nosuch(2)", d).has_value());
  ASSERT_EQ(d.error_count(), 1);
  EXPECT_EQ(d.all()[0].place.column, 5);
  Diagnostics syntax;
  EXPECT_FALSE(s.oml.evaluate(s.oml.base(), "1 + ]", syntax).has_value());
  EXPECT_EQ(syntax.all()[0].code, "oml-syntax");
  EXPECT_EQ(syntax.all()[0].place.column, 5);
  Diagnostics undefined;
  EXPECT_FALSE(s.oml.evaluate(s.oml.base(), "1 + nothing_at_all", undefined).has_value());
  EXPECT_EQ(undefined.all()[0].code, "oml-undefined");
  EXPECT_EQ(undefined.all()[0].place.port, "nothing_at_all");
  Diagnostics said;  // the kind of an error is not read from its message
  EXPECT_FALSE(s.oml.evaluate(s.oml.base(), "error('Unknown function: x')", said).has_value());
  EXPECT_EQ(said.all()[0].code, "oml-error");
  const RunResult r = s.oml.run_text("x = 1;\n\ny = x + [1 2 3] * [4 5 6];\n", "a.oml");
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.diagnostics.all()[0].place.line, 3);
  EXPECT_NE(r.error_text.find("at line number 3 in file a.oml"), std::string::npos) << r.error_text;
}

TEST(Interpreter, VerboseErrorsShowWhoCalled) {
  Silent s;
  const char* const text = "function a()\n b(1);\nend\nfunction b(x)\n c = x;\n error('deep');\nend\na()";
  const std::string line = "Error: deep in function b at line number 6 in file t.oml";
  EXPECT_EQ(s.oml.run_text(text, "t.oml").error_text, line);
  const std::string callers = "\n  in function a at line number 2 in file t.oml\n  at line number 8 in file t.oml";
  EXPECT_EQ(s.oml.run_text(std::string("verbose(1);") + text, "t.oml").error_text, line + callers);
  // What is caught has no trace, and neither has lasterr.
  EXPECT_EQ(s.oml.run_text("try, a(), catch e, assert(e.message, 'Error: deep'), end").error_text, "");
  EXPECT_EQ(s.oml.run_text("verbose(0); assert(lasterr(), '" + line + "')").error_text, "");
}

TEST(Interpreter, LimitsMemoryDepthAndSteps) {
  Silent s;
  EXPECT_NE(s.oml.run_text("zeros(1e9)").error_text.find("out of memory"), std::string::npos);
  EXPECT_NE(s.oml.run_text("a = zeros(1e5); b = a + 1;").error_text.find("out of memory"), std::string::npos);
  EXPECT_NE(s.oml.run_text("function f()\n f();\nend\nf()").error_text.find("call depth"), std::string::npos);
  InterpreterOptions little;
  little.memory_limit = std::size_t{64} << 20;
  Interpreter small(little);
  EXPECT_NE(small.run_text("x = 'a'; while true, x = [x x]; end").error_text.find("out of memory"), std::string::npos);
  InterpreterOptions o;
  o.max_steps = 1000;
  Interpreter limited(o);
  EXPECT_EQ(limited.run_text("while true\nend").exit_code, 130);
  std::atomic<bool> stop{false};
  InterpreterOptions p;
  p.interrupt = &stop;
  Interpreter interruptible(p);
  std::thread timer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  EXPECT_EQ(interruptible.run_text("try, while true, end, catch, end").exit_code, 130);
  timer.join();
}

// Backtracking without end, many cheap starts of a match, and hulls with very many facets.
TEST(Interpreter, LimitsSearchesAndHulls) {
  Silent s;
  const auto error_of = [&](const char* text) { return s.oml.run_text(text).error_text; };
  EXPECT_NE(error_of("regexp(repmat('a', 1, 60), '(a+)+[bc]')").find("takes too long"), std::string::npos);
  EXPECT_NE(error_of("regexp(repmat('a', 1, 20000), 'a*a*[bc]')").find("takes too long"), std::string::npos);
  EXPECT_TRUE(s.oml.run_text("x = regexp(repmat('ab', 1, 50000), '(a|b)*', 'end');").ok);
  InterpreterOptions o;
  o.max_steps = 30;
  EXPECT_EQ(Interpreter(o).run_text("try, regexp(repmat('a', 1, 60), '(a+)+[bc]'), catch, end").exit_code, 130);
  EXPECT_EQ(Interpreter(o).run_text("try, convhulln(rand(500, 6)), catch, end").exit_code, 130);
}

TEST(Interpreter, UpdatesArraysInPlace) {
  Silent s;
  ASSERT_TRUE(s.oml.run_text("a = zeros(1, 1000); b = a; b(1) = 5;").ok);
  const void* before = s.oml.base()->get("b")->heap();
  ASSERT_TRUE(s.oml.run_text("for k = 1:1000\n b(k) = k; end").ok);
  EXPECT_EQ(s.oml.base()->get("b")->heap(), before);
  EXPECT_EQ(to_vector(*s.oml.base()->get("a"))[0], 0.0);
  EXPECT_EQ(to_vector(*s.oml.base()->get("b"))[999], 1000.0);
}

TEST(Interpreter, ExitCodeOfExit) {
  Silent s;
  EXPECT_EQ(s.oml.run_text("exit(3); disp(1)").exit_code, 3);
  EXPECT_TRUE(s.output.empty());
}

// Records the operations it takes part in as text.
struct Recorded : SymbolicValue {
  explicit Recorded(std::string t) : name(std::move(t)) {}
  std::string name;
  Index rows() const override { return 1; }
  Index cols() const override { return 1; }
  std::string text() const override { return name; }
  static std::string show(const Value& v) {
    return v.kind() == Kind::symbolic ? v.symbolic().text() : format_number(to_double(v), {});
  }
  Value binary(BinaryOp op, const Value& a, const Value& b) const override {
    return Value(new Recorded("(" + show(a) + " " + symbol_of(op) + " " + show(b) + ")"));
  }
  Value unary(UnaryOp op, const Value& a) const override { return Value(new Recorded(symbol_of(op) + show(a))); }
  std::optional<Values> call(Interpreter&, const std::string& builtin, const Values& arguments, int) const override {
    return Values{Value(new Recorded(builtin + "(" + show(arguments[0]) + ")"))};
  }
  Value index(const Value& self, const Values&) const override { return self; }
  Value assign(const Value& target, const Values&, const Value&) const override { return target; }
  Value remove(const Value& target, const Values&) const override { return target; }
  Value concatenate(const Values& parts, bool) const override { return parts[0]; }
};

TEST(Interpreter, FreesEnvironmentsThatHoldThemselves) {
  std::weak_ptr<Environment> base, made;
  {
    Silent s;
    base = s.oml.base();
    made = s.oml.make_environment();
    const RunResult result = s.oml.run_text("e = getnewenv(); setenvvalue(e, 'me', e); b = getbaseenv(); f = @() b;");
    EXPECT_TRUE(result.ok) << result.error_text;
    EXPECT_FALSE(base.expired());
  }
  EXPECT_TRUE(base.expired());
  EXPECT_TRUE(made.expired());
}

TEST(Interpreter, HandsSymbolicOperandsTheirOperations) {
  Silent s;
  s.oml.base()->set("u", Value(new Recorded("u")));
  Diagnostics d;
  const auto v = s.oml.evaluate(s.oml.base(), "-sin(2 * u) + 3 ^ 2", d);
  ASSERT_TRUE(v.has_value());
  EXPECT_EQ(v->symbolic().text(), "(-sin((2 * u)) + 9)");
  EXPECT_EQ(s.oml.evaluate(s.oml.base(), "u && 1", d)->symbolic().text(), "(u & 1)");
  EXPECT_EQ(s.oml.evaluate(s.oml.base(), "1 && u", d)->symbolic().text(), "(u ~= 0)");
  EXPECT_EQ(s.oml.evaluate(s.oml.base(), "0 && u", d)->number(), 0);
  for (const char* text : {"if u, end", "while u, end", "switch u, case 1, end", "1:u", "zeros(2)(1:u)"}) {
    const RunResult result = s.oml.run_text(std::string("x = 1;\n") + text);
    EXPECT_NE(result.error_text.find("depends on a signal"), std::string::npos) << text << ": " << result.error_text;
    EXPECT_EQ(result.diagnostics.all()[0].place.line, 2) << text;
  }
}

// How long a text runs on after the interrupt flag was raised.
double seconds_after_interrupt(const std::string& text) {
  std::atomic<bool> flag{false};
  InterpreterOptions options;
  options.interrupt = &flag;
  options.output = [](std::string_view) {};
  Interpreter oml(options);
  using Clock = std::chrono::steady_clock;
  Clock::time_point raised;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    raised = Clock::now();
    flag = true;
  });
  const RunResult result = oml.run_text(text);
  const Clock::time_point ended = Clock::now();
  user.join();
  EXPECT_EQ(result.exit_code, 130) << text << ": " << result.error_text;
  return std::chrono::duration<double>(ended - raised).count();
}

// Soon on a machine of one's own; the limit is a guard against those that would not end for minutes.
TEST(OmlInterrupt, IsSeenInsideLongBuiltins) {
  for (const char* text : {"for k = 1:100, svd(rand(1200)); end", "sort(rand(1, 1e7));", "x = sprintf('%d ', 1:2e7);",
                           "xcorr(rand(1, 2e5));", "for k = 1:1e12, k; end", "[u, s, v] = svd(rand(1500));"}) {
    EXPECT_LT(seconds_after_interrupt(text), 100) << text;
  }
}

TEST(OmlMemory, TextsAndFilesObeyTheLimit) {
  InterpreterOptions options;
  options.memory_limit = std::size_t{100} << 20;
  options.output = [](std::string_view) {};
  for (const char* text :
       {"x = sprintf('%50d', 1:1e7);", "fileread('/dev/zero');", "f = fopen('/dev/zero'); fgetl(f);",
        "f = fopen('/dev/zero'); fread(f);", "x = repmat('ab', 1, 1e9);", "strrep(blanks(5e6), ' ', blanks(100));"}) {
    Interpreter oml(options);
    const RunResult result = oml.run_text(text);
    EXPECT_FALSE(result.ok) << text;
    EXPECT_NE(result.error_text.find("memory"), std::string::npos) << text << ": " << result.error_text;
  }
}

TEST(OmlArguments, HelpAndWordsComeFromTheRow) {
  const Builtin* find = find_builtin("find");
  ASSERT_NE(find, nullptr);
  EXPECT_EQ(argument_words(find->arguments), (std::vector<std::string>{"first", "last"}));
  EXPECT_NE(argument_help(find->arguments).find("'first' or 'last'"), std::string::npos);
}

TEST(OmlArguments, EveryRowSaysWhatItsArgumentsMayBe) {
  for (const BuiltinFamily& family : builtin_families()) {
    for (const Builtin& b : family) {
      if (b.max_args == 0) continue;
      EXPECT_GT(b.arguments.count, 0) << b.name;
      EXPECT_NE(argument_help(b.arguments), "") << b.name;
      if (b.max_args > 0) {
        EXPECT_LE(b.arguments.count, b.max_args) << b.name;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::oml
