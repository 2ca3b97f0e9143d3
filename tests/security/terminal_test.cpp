// SPDX-License-Identifier: Apache-2.0
// Names and messages of others are shown on the terminal, not sent to it.
#include <gtest/gtest.h>

#include "hostile_model.h"

namespace orrery::tests::terminal_test {
namespace {

class Terminals : public HostileModel {};

TEST_F(Terminals, NamesWithSequencesAreRefusedAndNotSent) {
  const std::string evil = "\\u001b]0;title\\u0007\\u001b[2J\\u009b31m";
  const std::string name = write("evil.orr", R"({"orrery": 1, "name": ")" + evil + R"(", "blocks": [{"name": ")" +
                                                 evil + R"(", "type": "Gain", "parameters": {"k": "nonsense"}}]})");
  for (const char* command : {"check", "run"}) {
    const Outcome outcome = orrery({command, name});
    EXPECT_EQ(outcome.code, 1);
    for (const char* bad : {"\x1b", "\x07", "\xc2\x9b"})
      EXPECT_FALSE(contains(outcome.out + outcome.err, bad)) << outcome.err;
  }
}

TEST_F(Terminals, WhatScriptsOfModelsSayIsShown) {
  for (const std::string line :
       {"disp(char([27 '[31mred']));", "error(char([27 '[31mred']));", "warning(char([27 '[31mred']));",
        "x = undefined_name_;  % \\u009b", "printf('%s', char([27 '[31m']));"}) {
    const Outcome outcome = orrery({"run", model({line}), "--quiet"});
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b")) << line << outcome.err;
    EXPECT_TRUE(line[0] == 'x' || contains(outcome.err, "\\x1b[31m")) << line << outcome.err;
  }
}

// Names of files may come from somebody else by a pattern of the shell.
TEST_F(Terminals, WordsOfTheCommandLineAreShown) {
  const std::string evil = "\x1b[31m\x07";
  fs::create_directories(file("d" + evil));
  const std::string name = file("d" + evil + "/m" + evil + ".orr");
  fs::copy_file(example("bouncing_ball"), name);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"bad" + evil},
                                                {"run", "--bad" + evil},
                                                {"run", name, "--set", evil},
                                                {"run", name, "--allow", evil},
                                                {"run", name, "more" + evil},
                                                {"check", name + "none"},
                                                {"check", name},
                                                {"run", name, "--solver", evil},
                                                {"run", name, "--out", file("none" + evil + "/x.csv")},
                                                {"show", "block", evil},
                                                {"fmu", "info", name},
                                                {"fmu", "replay", name},
                                                {"diff", name, name + "none"},
                                                {"trust", name},
                                                {"trust", "--list"},
                                                {"edit", name, evil},
                                                {"library", "install", evil},
                                                {"new", "block", "--kind", "c", evil},
                                                {"fmt", name},
                                                {"sweep", name, "--vary", evil},
                                                {"sweep", name, "--vary", "g=" + evil},
                                                {"sweep", name, "--vary", "g=1:2", "--keep", evil},
                                                {"sweep", name, "--table", write("t.csv", evil + ",g\n1,2\n")},
                                                {"optimise", write("s.opt", "model " + evil + "\n" + evil + "\n")},
                                                {"trim", name, "--free", evil},
                                                {"linearise", name, "--block", evil},
                                                {"exec", name, evil},
                                                {"export", "c", name, "--block", evil, "--out", file("e" + evil)},
                                                {"export", "fmu", name, "--name", evil, "--out", file("e" + evil)},
                                                {"picture", name, "--diagram", evil},
                                                {"edit", name, "--do", evil},
                                                {"check", write("d.csl", "PROGRAM " + evil + "\ny = '" + evil + "\n")},
                                                {"acsl", file("d.csl"), write("d.cmd", "SET " + evil + " = 1\n")},
                                                {"convert", file("d.csl"), file("d" + evil)},
                                                {"run", name, "--input", file("t.csv"), "--quiet"}}) {
    const Outcome outcome = orrery(words);
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b")) << words[0] << outcome.err;
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\x07")) << words[0] << outcome.err;
  }
}

}  // namespace
}  // namespace orrery::tests::terminal_test
