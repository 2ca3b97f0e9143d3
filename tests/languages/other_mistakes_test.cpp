// SPDX-License-Identifier: Apache-2.0
// Typical mistakes in DARE-P, DESIRE and CSMP programs, with the whole text of what is said of them.
#include "program_run.h"

namespace orrery::tests::other_mistakes_test {
namespace {

struct Mistake {
  const char* name;
  const char* text;
  const char* messages;
};

const Mistake darep_mistakes[] = {
#include "darep_mistakes.inc"
};
const Mistake desire_mistakes[] = {
#include "desire_mistakes.inc"
};
const Mistake csmp_mistakes[] = {
#include "csmp_mistakes.inc"
};

template <std::size_t count>
void expect_messages(const Mistake (&mistakes)[count], const std::string& file) {
  EXPECT_GE(count, 30U);
  for (const Mistake& mistake : mistakes) {
    Diagnostics diagnostics;
    const auto model = api::Model::read(mistake.text, file, diagnostics);
    EXPECT_TRUE(diagnostics.has_errors()) << mistake.name;
    EXPECT_EQ(to_text(diagnostics), mistake.messages) << mistake.name;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      EXPECT_FALSE(diagnostic.help.empty() && diagnostic.code == "syntax") << mistake.name;
    }
  }
}

TEST(DarepMistakes, AreToldWithTheLineAndWhatToDo) { expect_messages(darep_mistakes, "a.drp"); }
TEST(DesireMistakes, AreToldWithTheLineAndWhatToDo) { expect_messages(desire_mistakes, "a.des"); }
TEST(CsmpMistakes, AreToldWithTheLineAndWhatToDo) { expect_messages(csmp_mistakes, "a.csmp"); }

}  // namespace
}  // namespace orrery::tests::other_mistakes_test
