// SPDX-License-Identifier: Apache-2.0
// Names and messages of others are shown on the terminal, not sent to it.
#include <gtest/gtest.h>

#include "hostile_model.h"

namespace orrery::tests::terminal_test {
namespace {

class Terminals : public HostileModel {};

TEST_F(Terminals, SequencesOfModelsAreShown) {
  const std::string evil = "\\u001b]0;title\\u0007\\u001b[2J\\u009b31m";
  const std::string name =
      write("evil.orr", R"({"orrery": 1, "name": ")" + evil + R"(", "simulation": {"stop": "1"},
 "initialization": ["disp(char(27)); warning('\u001b[31mred');"],
 "blocks": [{"name": ")" + evil +
                            R"(", "type": "Gain", "parameters": {"k": "nonsense"}}, {"name": "C", "type": "Constant"},
 {"name": "S", "type": "Scope"}], "links": [{"from": "C:1", "to": [")" +
                            "S:1" + R"("]}]})");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", name}, {"run", name}, {"show", "program", name}}) {
    const Outcome outcome = orrery(words);
    for (const std::string& text : {outcome.out, outcome.err}) {
      for (const char* bad : {"\x1b", "\x07", "\xc2\x9b"}) EXPECT_FALSE(contains(text, bad)) << words[0];
    }
    EXPECT_TRUE(contains(outcome.err, "\\x1b")) << outcome.err;
  }
}

TEST_F(Terminals, SequencesOfGoodModelsAreShownToo) {
  const std::string name = write("evil.orr", R"({"orrery": 1, "name": "m", "simulation": {"stop": "1"},
 "blocks": [{"name": "\u001b[2Jname", "type": "Constant"}, {"name": "B\u009b31m", "type": "Scope"}],
 "links": [{"from": "\u001b[2Jname:1", "to": ["B\u009b31m:1"]}]})");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", name},
                                                {"show", "program", name},
                                                {"show", "variables", name},
                                                {"show", "schedule", name}}) {
    const Outcome outcome = orrery(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* bad : {"\x1b", "\xc2\x9b"})
      EXPECT_FALSE(contains(outcome.out + outcome.err, bad)) << words[0] << outcome.out;
  }
}

}  // namespace
}  // namespace orrery::tests::terminal_test
