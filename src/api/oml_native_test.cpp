// SPDX-License-Identifier: Apache-2.0
// Hot loops as machine code against the interpreter alone: the same bits, the same errors at the same lines.
#include "api/oml_native.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "base/folders_for_tests.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

// Counts what is compiled, so that a test knows that something was.
class CountingCompiler final : public oml::NativeCompiler {
 public:
  std::unique_ptr<oml::NativeCode> compile(const std::string& text) override {
    auto code = inner_->compile(text);
    made += code ? 1 : 0;
    failed += code ? 0 : 1;
    if (!code) last_failed = text;
    return code;
  }
  int made = 0, failed = 0;
  std::string last_failed;

 private:
  std::shared_ptr<oml::NativeCompiler> inner_ = oml_compiler();
};

// What a script prints, and its error.
std::string run_script(const std::string& script, const std::shared_ptr<oml::NativeCompiler>& native) {
  std::string printed;
  oml::InterpreterOptions options;
  options.output = [&](std::string_view part) { printed += part; };
  options.native = native;
  oml::Interpreter interpreter(options);
  const oml::RunResult result = interpreter.run_text(script, "script.oml");
  return printed + result.error_text;
}

// Both ways; returns how many pieces were compiled.
int expect_same(const std::string& script) {
  const auto native = std::make_shared<CountingCompiler>();
  EXPECT_EQ(run_script(script, nullptr), run_script(script, native)) << script;
  EXPECT_EQ(native->failed, 0) << native->last_failed;
  return native->made;
}

TEST(HotLoops, SumsSievesFillsAndCallsAreCompiled) {
  EXPECT_EQ(expect_same("s = 0; for k = 1:20000\n s = s + k * 0.5;\nend\nprintf('%.17g %g', s, k);"), 1);
  EXPECT_GE(
      expect_same(
          "n = 30000; p = ones(1, n); p(1) = 0; k = 2;\nwhile k * k <= n\n if p(k)\n  m = k * k;\n  while m <= n\n"
          "   p(m) = 0;\n   m = m + k;\n  end\n end\n k = k + 1;\nend\nprintf('%g', sum(p));"),
      1);
  EXPECT_GE(
      expect_same(
          "a = zeros(100, 120);\nfor i = 1:100\n for j = 1:120\n  a(i, j) = i + 0.5 * j;\n end\nend\nprintf('%.17g "
          "', sum(a));"),
      1);
  EXPECT_GE(expect_same("function r = fib(n)\n if n < 2\n  r = n;\n else\n  r = fib(n - 1) + fib(n - 2);\n end\nend\n"
                        "printf('%g', fib(20));"),
            1);
  EXPECT_GE(
      expect_same(
          "function r = collatz(n)\n r = 0;\n while n ~= 1\n  if mod(n, 2) == 0\n   n = n / 2;\n  else\n   n = 3 * n "
          "+ 1;\n  end\n  r = r + 1;\n end\nend\nbest = 0;\nfor k = 1:8000\n best = max(best, collatz(k));\nend\n"
          "printf('%g', best);"),
      1);
}

// Kinds of variables survive: truth values stay so, and a variable may be one or the other.
TEST(HotLoops, ATextIsCompiledOnceInASession) {
  const auto compiler = oml_compiler();
  const std::string text = "long hot(void* c) { return 7; }";
  auto first = compiler->compile(text);
  ASSERT_NE(first, nullptr);
  void* const address = first->function(0);
  const auto second = compiler->compile(text);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->function(0), address);
  first.reset();
  // Ever new texts push out what nobody holds, not what is in use.
  for (int k = 0; k < 300; ++k)
    EXPECT_NE(compiler->compile(fmt::format("long hot(void* c) {{ return {}; }}", 100 + k)), nullptr);
  EXPECT_EQ(reinterpret_cast<long (*)(void*)>(second->function(0))(nullptr), 7);
  EXPECT_EQ(compiler->compile("this is no C"), nullptr);
  EXPECT_EQ(compiler->compile("this is no C"), nullptr);
}

// The scripts that are measured: their results behind the time, in all digits.
TEST(HotLoops, ScriptsOfTheBenchmarkGiveTheSameBits) {
  for (const char* name : {"fib", "sum", "sieve", "fill", "mandelbrot", "nbody"}) {
    const std::string script = source_folder() + "/bench/oml/" + name + ".oml";
    std::ifstream in(script);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    ASSERT_FALSE(text.empty()) << script;
    const auto result = [](const std::string& printed) { return printed.substr(printed.find(' ')); };
    const auto native = std::make_shared<CountingCompiler>();
    EXPECT_EQ(result(run_script(text, nullptr)), result(run_script(text, native))) << name;
    EXPECT_GT(native->made, 0) << name;
  }
}

TEST(HotLoops, KindsAreThoseOfTheInterpreter) {
  EXPECT_EQ(
      expect_same(
          "f = false; g = 0; h = true;\nfor k = 1:9000\n if k == 8000\n  f = k > 3;\n  g = h;\n end\n c = f;\n if k == "
          "8500, late = k; end\nend\nprintf('%s %s %s %s %d', class(f), class(g), class(c), class(late), late);"),
      1);
  EXPECT_EQ(
      expect_same("w = true(1, 50); n = 0;\nfor k = 1:9000\n i = mod(k, 50) + 1;\n w(i) = ~w(i);\n n = n + w(i);\nend\n"
                  "printf('%s %d %d', class(w), n, w);"),
      1);
}

// What the code was not made for: the interpreter goes on at that statement, within whatever stands around it.
TEST(HotLoops, SurprisesAreTakenOver) {
  // Growing, a complex root, a type that changes, at the first and later statements of nested blocks.
  EXPECT_GE(
      expect_same(
          "x = zeros(1, 3); s = 0;\nfor i = 1:300\n for j = 1:30\n  if j > 3\n   s = s + 1;\n   x(i) = s;\n   s = s + "
          "x(i);\n  end\n end\n s = s - 1;\nend\nprintf('%.17g ', s, numel(x), x(300));"),
      1);
  EXPECT_GE(expect_same("z = 0; s = 0;\nfor k = 1:9000\n q = 8000 - k;\n z = sqrt(q);\n s = s + "
                        "real(z);\nend\ndisp(z); printf('%.17g', "
                        "s);"),
            0);
  EXPECT_GE(expect_same("s = 0; k = 0;\nwhile k < 9000\n k = k + 1;\n s = s + sqrt(8900 - k);\nend\ndisp(s);"), 1);
  EXPECT_GE(expect_same("s = 0;\nfor k = 1:9000\n s = s + (8500 - k) ^ 0.5;\nend\ndisp(s);"), 1);
  EXPECT_GE(
      expect_same(
          "a = zeros(1, 5); s = 0;\nfor k = 1:9000\n j = 1 + (k == 7000) * 0.5;\n try\n  s = s + a(j);\n catch e\n  "
          "disp(e.message);\n end\nend\n"),
      0);
}

TEST(HotLoops, ErrorsHaveTheirLines) {
  EXPECT_GE(expect_same("a = ones(1, 8000);\ns = 0;\nfor k = 1:9000\n  t = k;\n  s = s + a(k);\nend\n"), 1);
  EXPECT_GE(expect_same("s = 0;\nfor k = 1:9000\n  if k > 8000\n    s = s + never_set;\n  end\n  s = s + 1;\nend\n"),
            0);
  EXPECT_GE(expect_same("function r = deep(n)\n r = 1 + deep(n + 1);\nend\nx = deep(1);\n"), 0);
  EXPECT_GE(
      expect_same(
          "function r = some(n)\n if n < 5000\n  r = n;\n end\nend\ns = 0;\nfor k = 1:9000\n s = s + some(k);\nend\n"),
      1);
}

TEST(HotLoops, JumpsAreThoseOfTheLanguage) {
  EXPECT_GE(expect_same("s = 0;\nfor k = 1:9000\n if mod(k, 3) == 0\n  continue\n end\n for j = k:-2:k - 9\n  if j < k "
                        "- 4\n   break\n"
                        "  end\n  s = s + j;\n end\n if s > 1e8\n  break\n end\nend\nprintf('%.17g %d %d', s, k, j);"),
            1);
  EXPECT_GE(
      expect_same(
          "function r = first(n)\n r = 0;\n for k = 1:9000\n  r = r + k;\n  if r > n\n   return\n  end\n end\nend\n"
          "printf('%g ', first(2e7), first(1e9), first(10));"),
      1);
  EXPECT_GE(expect_same("n = 0;\nfor k = 0.1:0.1:900\n n = n + k;\nend\nprintf('%.17g %.17g', n, k);"), 1);
  EXPECT_GE(expect_same("n = 0;\nfor i = 1:4500\n for j = 2:1\n  n = 1;\n end\nend\ndisp(n); disp(exist('j'));"), 1);
}

TEST(HotLoops, AnInterruptIsSeenAtOnce) {
  for (const char* loop :
       {"x = 0;\nwhile true\n x = x + 1;\nend", "x = 0;\nfor i = 1:1e9\n for j = 1:1e9\n  x = x + j;\n end\nend",
        "function r = f(n)\n r = 0;\n while n > 0\n  r = r + 1;\n end\nend\nfor k = 1:5000\n f(0);\nend\nf(1);"}) {
    std::atomic<bool> stop{false};
    oml::InterpreterOptions options;
    options.interrupt = &stop;
    options.native = oml_compiler();
    oml::Interpreter interpreter(options);
    std::chrono::steady_clock::time_point asked;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    static_cast<void>(interpreter.run_text(loop));
    const double late = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    other.join();
    EXPECT_LT(late, 5) << loop;  // 0.1 s on a machine of one's own
  }
}

// Random programs: scalars, arrays that grow now and then, conditions, loops, calls.
class RandomScript {
 public:
  explicit RandomScript(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string t = "function r = f(x, y)\n r = x;\n if " + condition("x", "y") +
                    "\n  r = y - x / 3;\n end\n n = 0;\n while n < 3 && r " + "> -50\n  r = r - " +
                    expression(1, "x", "y") + ";\n  n = n + 1;\n end\n r = min(max(r, -1e6), 1e6);\nend\n";
    t += "a = 1; b = -2.5; c = 0.25; d = true; p = (1:20) / 7; q = ones(4, 5); w = false(1, 9);\n";
    t += "for k = 1:6000\n" + block(2) + "end\n";
    return t +
           "printf('%.17g ', a, b, c, d, k, p, q, w);\nprintf('%s ', class(a), class(b), class(c), class(d), "
           "class(w));\n";
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string one(std::initializer_list<const char*> words) {
    return *(words.begin() + pick(static_cast<int>(words.size())));
  }
  std::string leaf(const char* x, const char* y) {
    switch (pick(x == nullptr ? 6 : 3)) {
      case 0: return fmt::format("{}", pick(9) - 4 + 0.5 * pick(2));
      case 1: return x != nullptr ? x : one({"a", "b", "c"});
      case 2: return y != nullptr ? y : one({"a", "b", "c", "d", "k"});
      case 3: return "p(" + subscript(20) + ")";
      case 4: return "q(" + subscript(4) + ", " + subscript(5) + ")";
      default: return "w(" + subscript(9) + ")";
    }
  }
  std::string subscript(int n) {
    switch (pick(8)) {
      case 0: return "end";
      case 1: return fmt::format("mod(k, {}) + 1", n);
      case 2: return fmt::format("mod(floor(abs(a)), {}) + 1", n);
      default: return fmt::format("{}", 1 + pick(n));
    }
  }
  std::string expression(int depth, const char* x = nullptr, const char* y = nullptr) {
    if (depth == 0) return leaf(x, y);
    const auto part = [&] { return expression(depth - 1, x, y); };
    switch (pick(9)) {
      case 0: return "(" + part() + " + " + part() + ")";
      case 1: return "(" + part() + " - " + part() + ")";
      case 2: return "(" + part() + " * 0.5)";
      case 3: return "(" + part() + " / (1 + abs(" + part() + ")))";
      case 4: return "mod(0 + " + part() + ", 7)";
      case 5: return "floor(0 + " + part() + ")";
      case 6: return "min(0 + " + part() + ", 0 + " + part() + ")";
      case 7: return x == nullptr ? "f(0 + " + part() + ", k)" : "(-" + part() + ")";
      default: return "sin(0 + " + part() + ")";
    }
  }
  std::string condition(const char* x = nullptr, const char* y = nullptr) {
    const std::string first = expression(1, x, y) + one({" < ", " >= ", " == ", " ~= "}) + expression(1, x, y);
    switch (pick(4)) {
      case 0: return first + one({" && ", " || "}) + expression(0, x, y) + " > 0";
      case 1: return "~(" + first + ")";
      default: return first;
    }
  }
  std::string statement(int depth) {
    switch (pick(depth > 0 ? 9 : 6)) {
      case 0: return "a = mod(" + expression(2) + ", 1000);\n";
      case 1: return "b = " + expression(1) + ";\n";
      case 2: return "p(" + subscript(20) + ") = 0 + " + expression(1) + ";\n";
      case 3: return "q(" + subscript(4) + ", " + subscript(5) + ") = " + expression(1) + ";\n";
      case 4: return "d = " + condition() + ";\n";
      case 5: return "w(" + subscript(9) + ") = " + condition() + ";\n";
      case 6: return "if " + condition() + "\n" + block(depth - 1) + "else\n" + block(depth - 1) + "end\n";
      case 7:
        return "for j = 1:" + std::to_string(1 + pick(4)) + "\n" + block(depth - 1) +
               "c = c + j / 8;\nend\nc = mod(c, 3);\n";
      default:
        return pick(3) == 0 ? "if k == 5000 + " + std::to_string(pick(900)) + "\n p(end + 1) = k;\nend\n"
                            : "if k > 5990\n c = d;\nelse\n c = 0 + c;\nend\n";
    }
  }
  std::string block(int depth) {
    std::string t;
    for (int k = 1 + pick(3); k > 0; --k) t += statement(depth);
    return t;
  }

  std::mt19937 random_;
};

// ORRERY_HOT_SCRIPTS: how many.
TEST(HotLoops, RandomScriptsGiveTheSameBits) {
  const char* const wanted = std::getenv("ORRERY_HOT_SCRIPTS");
  const int scripts = wanted != nullptr ? std::atoi(wanted) : 40;
  int compiled = 0;
  for (int seed = 1; seed <= scripts && !testing::Test::HasFailure(); ++seed) {
    compiled += expect_same(RandomScript(static_cast<unsigned>(seed)).text()) > 0 ? 1 : 0;
  }
  EXPECT_GT(compiled, scripts / 2);
}

}  // namespace
}  // namespace orrery::api
