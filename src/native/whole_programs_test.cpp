// SPDX-License-Identifier: Apache-2.0
// Random whole Programs keep the rules, can be printed, and all their procedures give equal bits by evaluation, by
// libtcc and by the C compiler.
#include "native/compare_tiers.h"
#include "passes/make_procedures.h"
#include "passes/random_program.h"
#include "program/print.h"
#include "program/verify.h"

namespace orrery::native {
namespace {

double past_of_whole_programs(void*, int history, int what, int order, int element, int present, const double* a) {
  return history + 10 * what - order + 0.5 * element + a[0] * 0.25 - a[1] * present + a[2] / 3 + a[3];
}

class WholePrograms : public testing::TestWithParam<unsigned> {};

TEST_P(WholePrograms, AgreeInAllTiers) {
  const unsigned seed = GetParam();
  Program program = passes::RandomProgram(seed, seed % 3 != 0).make();
  ASSERT_EQ(verify(program), std::vector<std::string>{});
  const std::string text = to_text(program);
  for (const char* part : {"invariants", "guesses of the start", "found at the start", "checks of the start",
                           "the start is continued by", "at the start", "past0", "else fail", "else warn"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const passes::Procedures cut = passes::make_procedures(program);
  EXPECT_GT(cut.invariants, 0u);
  EXPECT_GT(cut.assertions, 0u);
  EXPECT_GT(cut.guesses, 0u);
  EXPECT_GT(cut.checks, 0u);
  EXPECT_EQ(cut.start_loops.size(), 2u);
  ASSERT_EQ(verify(program), std::vector<std::string>{}) << "procedures change no rule";
  std::size_t outputs = 0;
  for (const Procedure& procedure : cut.all) {
    for (const Store& store : procedure.stores) {
      if (store.target == Store::Target::output)
        outputs = std::max(outputs, store.index + doubles_of(program.graph.type(store.value)));
    }
  }
  compare_tiers(
      program, cut.all,
      {.outputs = outputs, .runs = 12, .second_tier = seed % 4 == 1, .past = {&past_of_whole_programs, nullptr}});
}

INSTANTIATE_TEST_SUITE_P(Seeds, WholePrograms, testing::Range(1u, 25u));

}  // namespace
}  // namespace orrery::native
