// SPDX-License-Identifier: Apache-2.0
// Code that people write, with the machine's compiler and in memory where there is none.
#include "native/user_code.h"

#include <gtest/gtest.h>

namespace orrery::native {
namespace {

TEST(UserCode, IsCompiledInMemoryWhereThereIsNoCompiler) {
  const UserText text = {"double twice(double);",
                         "twice.h",
                         "#include <math.h>\n#include \"twice.h\"\ndouble twice(double x) { return 2 * sqrt(x); }",
                         "double sqrt(double);\n",
                         {},
                         "/nowhere/cc"};
  std::string messages;
  const auto code = compile_user_code(text, messages);
  ASSERT_TRUE(code) << messages;
  ASSERT_NE(code->memory, nullptr);
  const auto twice = reinterpret_cast<double (*)(double)>(code->symbol("twice"));
  ASSERT_NE(twice, nullptr);
  EXPECT_EQ(twice(9), 6);
  EXPECT_EQ(code->symbol("thrice"), nullptr);
}

TEST(UserCode, SaysWhatIsWrong) {
  std::string messages;
  EXPECT_FALSE(compile_user_code({"", "x.h", "int f( {", "", {}, "/nowhere/cc"}, messages));
  EXPECT_FALSE(messages.empty());
}

}  // namespace
}  // namespace orrery::native
