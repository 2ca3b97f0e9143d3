// SPDX-License-Identifier: Apache-2.0
// Runs every script of tests/oml and compares its output with the expectation written in its comments.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::vector<std::string> lines;
  std::string error;  // part of the error text; empty: none
};

std::string trimmed(std::string s) {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\r' || s.back() == '\n')) s.pop_back();
  return s;
}

// "% expect: text" is one line of output; "% expect error: text" is part of the final error.
Expectation read_expectation(const std::string& text) {
  Expectation e;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t at = line.find("% expect:"), bad = line.find("% expect error: ");
    if (at != std::string::npos)
      e.lines.push_back(trimmed(line.substr(std::min(at + 10, line.size()))));
    else if (bad != std::string::npos)
      e.error = trimmed(line.substr(bad + 16));
  }
  return e;
}

TEST(OmlScripts, PrintWhatTheyPromise) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ORRERY_SOURCE_DIR) / "tests" / "oml")) {
    if (entry.path().extension() != ".oml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    const Expectation e = read_expectation(text.str());
    std::string output;
    InterpreterOptions options;
    options.output = [&](std::string_view s) { output += s; };
    options.max_steps = 50000000;
    Interpreter oml(options);
    const RunResult result = oml.run_text(text.str(), entry.path().filename().string());
    std::vector<std::string> lines;
    std::istringstream out(output);
    for (std::string line; std::getline(out, line);) lines.push_back(trimmed(line));
    ASSERT_EQ(lines.size(), e.lines.size()) << output << result.error_text;
    for (std::size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(lines[k], e.lines[k]) << "output line " << k + 1;
    if (e.error.empty())
      EXPECT_TRUE(result.ok) << result.error_text;
    else
      EXPECT_NE(result.error_text.find(e.error), std::string::npos) << result.error_text;
  }
  EXPECT_GT(count, 10);
}

TEST(OmlHelp, EveryBuiltinHasHelpThatStartsWithItsName) {
  int count = 0;
  for (const BuiltinFamily& family : builtin_families()) {
    for (const Builtin& b : family) {
      ++count;
      const std::string help = b.help;
      EXPECT_NE(help.find(b.name), std::string::npos) << b.name;
      EXPECT_GT(help.size(), std::string(b.name).size() + 5) << b.name;
      EXPECT_EQ(find_builtin(b.name), &b) << b.name << " is defined twice";
    }
  }
  EXPECT_GT(count, 500);
}

}  // namespace
}  // namespace orrery::oml
