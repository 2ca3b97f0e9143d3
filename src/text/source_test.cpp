// SPDX-License-Identifier: Apache-2.0
#include "text/source.h"

#include <gtest/gtest.h>

#include "text/scan.h"

namespace orrery::text {

TEST(Source, KnowsWhereOffsetsAre) {
  const Source source("a.csl", "one\ntwo\r\n\nfour");
  EXPECT_EQ(source.lines(), 4);
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "four");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.position(0), (Position{1, 1}));
  EXPECT_EQ(source.position(3), (Position{1, 4}));
  EXPECT_EQ(source.position(4), (Position{2, 1}));
  EXPECT_EQ(source.position(12), (Position{4, 3}));
  EXPECT_EQ(source.position(14), (Position{4, 5}));
}

TEST(Source, ShowsTheLineWithACaret) {
  const Source source("a.csl", "x = 1\n\ty = x +* 2\n");
  Diagnostics diagnostics;
  source.error(diagnostics, "syntax", {2, 9}, "a value is missing", "write one");
  EXPECT_EQ(to_text(diagnostics),
            "a.csl:2:9: error[syntax]: a value is missing\n"
            "     2 | \ty = x +* 2\n"
            "       | \t       ^\n"
            "  help: write one\n");
}

TEST(Source, CutsLongLinesAroundTheColumn) {
  const std::string line = std::string(500, 'a') + "!" + std::string(500, 'b');
  const auto shown = excerpt(line, {3, 501});
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].size(), 107U);
  EXPECT_EQ(shown[0][shown[1].size() - 1], '!');
}

TEST(Source, CountsCharactersNotBytesUnderTheLine) {
  const auto shown = excerpt("ää = 1", {1, 6});  // bytes 1-4 are two letters, byte 6 is the sign
  EXPECT_EQ(shown[1], "     |    ^");
}

TEST(Scan, QuotedTextsAndNumbers) {
  EXPECT_EQ(scan_quoted("'it''s' x", 0)->value, "it's");
  EXPECT_EQ(scan_quoted("'it''s' x", 0)->length, 7U);
  EXPECT_FALSE(scan_quoted("'open\n'", 0));
  EXPECT_EQ(number_of("1.5D-3"), 1.5e-3);
  EXPECT_EQ(number_of("1."), 1.0);
  EXPECT_EQ(number_of(".5"), 0.5);
  EXPECT_FALSE(number_of("1.5.2"));
  EXPECT_FALSE(number_of("1e999"));
}

}  // namespace orrery::text
