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

}  // namespace
}  // namespace orrery::tests::terminal_test
