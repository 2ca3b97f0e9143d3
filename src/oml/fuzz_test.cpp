// SPDX-License-Identifier: Apache-2.0
// Mutated scripts, always the same ones: whatever happens, the interpreter neither crashes nor hangs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "base/folders_for_tests.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / "tests" / "oml")) {
    if (entry.path().extension() != ".oml") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    out.push_back(text.str());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string mutated(std::string s, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"end",    "(",    ")",   "[",   "]",         "{",   "}",
                                                  "'",      ";",    ",",   "=",   ":",         "@",   "...",
                                                  "%{",     "\xff", "\0",  "1e9", "function ", "if ", "while 1 ",
                                                  "for k=", "~",    ".",   "''",  "end end",   "x(",  "{:}",
                                                  "(:)",    "-1",   "NaN", "[]"};
  const auto pick = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random()) % n; };
  for (std::size_t k = 0, n = 1 + pick(4); k < n; ++k) {
    const std::size_t at = pick(s.size());
    switch (pick(5)) {
      case 0: s.erase(at, 1 + pick(20)); break;
      case 1: s.insert(at, pieces[pick(pieces.size())]); break;
      case 2: s.insert(at, s.substr(pick(s.size()), 1 + pick(40))); break;
      case 3:
        if (!s.empty()) s[at] = static_cast<char>(random());
        break;
      default: s.resize(at);
    }
  }
  return s;
}

// Of a long script some lines, so that a turn takes little time.
std::string part_of(const std::string& script, std::mt19937& random) {
  constexpr std::size_t longest = 3000;
  if (script.size() <= longest) return script;
  const std::size_t line = script.find('\n', static_cast<std::size_t>(random()) % (script.size() - longest));
  return script.substr(line + 1, longest);
}

TEST(OmlFuzz, MutatedScriptsNeitherCrashNorHang) {
  std::mt19937 random(20240607);
  const std::vector<std::string> all = seeds();
  ASSERT_FALSE(all.empty());
  for (int turn = 0; turn < 1500; ++turn) {
    const std::string script = mutated(part_of(all[static_cast<std::size_t>(random()) % all.size()], random), random);
    InterpreterOptions options;
    std::size_t printed = 0;
    options.output = [&](std::string_view s) { printed += s.size(); };
    options.max_steps = 20000;
    options.memory_limit = std::size_t{64} << 20;
    options.max_call_depth = 100;
    options.consent = {};
    Interpreter oml(options);
    const RunResult r = oml.run_text(script, "fuzz.oml");
    EXPECT_TRUE(r.ok || !r.error_text.empty() || r.exit_code != 0);
  }
}

// Arguments of every kind, fitting or not.
TEST(OmlFuzz, BuiltinsSurviveAnyArguments) {
  static const std::vector<std::string> pool = {"[]",
                                                "0",
                                                "1",
                                                "-1",
                                                "2.5",
                                                "NaN",
                                                "Inf",
                                                "[1 2 3]",
                                                "[1;2]",
                                                "magic(3)",
                                                "'abc'",
                                                "''",
                                                "{}",
                                                "{1,'a'}",
                                                "struct()",
                                                "struct('a',1)",
                                                "@sin",
                                                "@(x) x",
                                                "true",
                                                "1+2i",
                                                "sparse(1)",
                                                "zeros(0,3)",
                                                "ones(2,2,2)",
                                                "int8(5)",
                                                "1e10",
                                                "':'",
                                                "[1 0]>0",
                                                "'x'",
                                                "1:5",
                                                "{'a','b'}",
                                                "[NaN 1;2 Inf]",
                                                "3",
                                                "'linear'",
                                                "1e-300",
                                                "[2 3]",
                                                "struct('a',{1,2})",
                                                "@(x,y) x+y",
                                                "['ab';'cd']",
                                                "uint8([1 2])",
                                                "-Inf",
                                                "cell(2,2)",
                                                "2^53",
                                                "sparse([1 0;0 2])"};
  // They end the process, wait, or change what later turns need.
  static const std::set<std::string> left_out = {"exit", "quit", "pause", "cd", "setenv"};
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (const BuiltinFamily& family : builtin_families()) {
    for (const Builtin& b : family) {
      if (left_out.count(b.name) != 0) continue;
      std::string script;
      for (int turn = 0; turn < 15; ++turn) {
        const int most = b.max_args >= 0 ? b.max_args : b.min_args + 3;
        const int count = b.min_args + static_cast<int>(pick(static_cast<std::size_t>(most - b.min_args + 1)));
        std::string call = std::string(b.name) + "(";
        for (int k = 0; k < count; ++k) call += (k > 0 ? "," : "") + pool[pick(pool.size())];
        static const char* const outputs[] = {"", "r = ", "[r, q] = ", "[r, q, w] = "};
        script += std::string("try, ") + outputs[pick(4)] + call + "); catch e, end\n";
      }
      SCOPED_TRACE(script);
      InterpreterOptions options;
      options.output = [](std::string_view) {};
      options.max_steps = 200000;
      options.memory_limit = std::size_t{64} << 20;
      options.consent = {};
      Interpreter oml(options);
      oml.run_text(script, "fuzz.oml");
    }
  }
}

TEST(OmlFuzz, HostileTexts) {
  const std::vector<std::string> texts = {std::string(100000, '('),
                                          std::string(100000, '['),
                                          std::string(100000, '-') + "1",
                                          "x = " + std::string(5000, '~') + "1",
                                          std::string("\xff\xfe\x00\x80", 4),
                                          "a.b.c.d(1).e{3}.f = 1; a",
                                          "@(x) @(y) @(z) x",
                                          "f = @() f(); f()",
                                          "regexp(repmat('a', 1, 5000), '(a*)*b')",
                                          "x = 1; x{3} = 2",
                                          "cellfun(@(x) error('a'), {1,2,3})",
                                          "eval(repmat('eval(''', 1, 500))",
                                          "s = struct(); for k=1:100, s = struct('s', s); end, s;",
                                          "[a, b, c] = deal(1)",
                                          "zeros(2,3)(:,:,:,1)(5)",
                                          "'abc'(7)",
                                          "1:1e15;",
                                          "x = 1:1e15; x(5)"};
  for (const std::string& text : texts) {
    InterpreterOptions options;
    options.output = [](std::string_view) {};
    options.max_steps = 100000;
    options.memory_limit = std::size_t{64} << 20;
    Interpreter oml(options);
    oml.run_text(text);
  }
}

}  // namespace
}  // namespace orrery::oml
