// SPDX-License-Identifier: Apache-2.0
// Typical mistakes in ACSL programs, with the whole text of what is said of them.
#include "program_run.h"

namespace orrery::tests::acsl_mistakes_test {
namespace {

struct Mistake {
  const char* name;
  const char* text;
  const char* messages;
};

std::string wrapped(const std::string& equations) {
  return "PROGRAM\nDYNAMIC\nDERIVATIVE\n" + equations + "\nEND\ntermt(t .ge. 1.)\nEND\nEND\n";
}

std::string messages_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto model = api::Model::read(text, "a.csl", diagnostics);
  EXPECT_EQ(model.has_value(), !diagnostics.has_errors());
  return to_text(diagnostics);
}

const Mistake mistakes[] = {
#include "acsl_mistakes.inc"
};

TEST(AcslMistakes, AreToldWithTheLineAndWhatToDo) {
  EXPECT_GE(std::size(mistakes), 30U);
  for (const Mistake& mistake : mistakes) {
    const std::string text =
        std::string_view(mistake.text).starts_with("PROGRAM") ? mistake.text : wrapped(mistake.text);
    EXPECT_EQ(messages_of(text), mistake.messages) << mistake.name;
  }
}

TEST(AcslMistakes, OfSyntaxHaveARemedy) {
  for (const char* line : {"y = 2. +",
                           "y = * 3.",
                           "y = (2.",
                           "y = f(1.,,2.)",
                           "= 3.",
                           "y 3.",
                           "constant",
                           "constant a",
                           "constant a =",
                           "table f",
                           "table f, 1",
                           "table f, 1, 2 / 1., 2., 3., 4.",
                           "schedule",
                           "schedule d",
                           "termt",
                           "termt(",
                           "procedural(x = y",
                           "go to",
                           "do",
                           "do 10 i",
                           "if (t",
                           "if (t .gt. 1.) then",
                           "3 = y",
                           "y = x(",
                           "y = 1. 2.",
                           "y = .foo. 2.",
                           "integer",
                           "dimension a(",
                           "call",
                           "cinterval"}) {
    Diagnostics diagnostics;
    api::Model::read(wrapped(line), "a.csl", diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      EXPECT_FALSE(diagnostic.code == "syntax" && diagnostic.help.empty()) << line << "\n" << to_text(diagnostic);
    }
  }
}

// After a mistake reading goes on: each is reported once.
TEST(AcslMistakes, SeveralAreReportedAtOnce) {
  Diagnostics diagnostics;
  api::Model::read(wrapped("x = integ(-x 1.0)\ny = 2 +\nz = (3\nw = sin(1., 2.)"), "a.csl", diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 3);  // the fourth is looked for when all can be read
}

TEST(AcslMistakes, FunctionsGiveAValue) {
  Diagnostics diagnostics;
  EXPECT_FALSE(api::Model::read(wrapped("y = f(t)") + "FUNCTION f(x)\ng = x\nEND\n", "a.csl", diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U) << to_text(diagnostics);
  EXPECT_EQ(diagnostics.all()[0].code, "no-result");
}

}  // namespace
}  // namespace orrery::tests::acsl_mistakes_test
