// SPDX-License-Identifier: Apache-2.0
// Runs every script of tests/oml and compares its output with the expectation written in its comments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/folders_for_tests.h"
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

const fs::path folder = fs::path(source_folder()) / "tests" / "oml";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> script_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".oml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class OmlScripts : public testing::TestWithParam<std::string> {};

TEST_P(OmlScripts, PrintWhatTheyPromise) {
  const std::string text = text_of(folder / (GetParam() + ".oml"));
  const Expectation e = read_expectation(text);
  std::string output;
  InterpreterOptions options;
  options.output = [&](std::string_view s) { output += s; };
  options.max_steps = 50000000;
  Interpreter oml(options);
  oml.search_path.push_back((folder / "functions").string());
  oml.path_changed();
  const RunResult result = oml.run_text(text, GetParam() + ".oml");
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

INSTANTIATE_TEST_SUITE_P(All, OmlScripts, testing::ValuesIn(script_names()),
                         [](const auto& script) { return script.param; });

// Names in the code of a script; comments and what strings hold do not count.
void collect_names(const std::string& text, std::set<std::string>& names) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::string word;
    bool quoted = false;
    char before = ' ';
    for (std::size_t k = 0; k <= line.size(); ++k) {
      const char c = k < line.size() ? line[k] : ' ';
      if (c == '\'' && (quoted || !(std::isalnum(static_cast<unsigned char>(before)) || before == ')' ||
                                    before == ']' || before == '}' || before == '\'' || before == '.')))
        quoted = !quoted;
      else if (c == '%' && !quoted)
        break;
      const bool part = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
      if (part && !quoted) {
        word += c;
      } else if (!word.empty()) {
        names.insert(word);
        word.clear();
      }
      before = c;
    }
    if (!word.empty()) names.insert(word);
  }
}

// Functions that end the process or wait for somebody, and those that need a diagram: tested where they can be.
const std::set<std::string> tested_elsewhere = {"exit", "quit", "AddToBase", "GetFromBase", "superclass_call"};

TEST(OmlCoverage, EveryBuiltinIsUsedInATestScript) {
  std::set<std::string> names;
  for (const std::string& script : script_names()) collect_names(text_of(folder / (script + ".oml")), names);
  collect_names(text_of(folder / "functions" / "same.oml"), names);
  std::string missing;
  for (const BuiltinFamily& family : builtin_families())
    for (const Builtin& b : family)
      if (names.count(b.name) == 0 && tested_elsewhere.count(b.name) == 0) missing += std::string(" ") + b.name;
  EXPECT_EQ(missing, "") << "these builtins need a test in tests/oml";
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
