// SPDX-License-Identifier: Apache-2.0
// What reaches a terminal and what is only shown.
#include "base/printable.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Printable, TextsStayAsTheyAre) {
  for (const char* text : {"", "plain text: 1 + 2", "two\nlines\tand a tab", "größe, Δt → ∞, 速度, 😀"})
    EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable_line("a\nb\tc"), "a\\x0ab\\x09c");
}

TEST(Printable, SequencesAreShown) {
  EXPECT_EQ(printable("a\x1b[31mred\x1b]0;title\x07"), "a\\x1b[31mred\\x1b]0;title\\x07");
  EXPECT_EQ(printable("\r\b\x7f"), "\\x0d\\x08\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "\\u202eabc");  // writes from right to left
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
}

TEST(Printable, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // a long form of a control character
}

}  // namespace
}  // namespace orrery
