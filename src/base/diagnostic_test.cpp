// SPDX-License-Identifier: Apache-2.0
// Tests of the text and JSON forms of diagnostics.
#include "base/diagnostic.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace orrery {
namespace {

Diagnostic error_at(Place place) { return {Severity::error, "some-code", std::move(place), "message", "", {}, {}}; }

TEST(Diagnostic, TextNamesFileAndPosition) {
  EXPECT_EQ(to_text(error_at({"plant.orr", 12, 3, "", ""})), "plant.orr:12:3: error[some-code]: message\n");
  EXPECT_EQ(to_text(error_at({"plant.orr", 12, 0, "", ""})), "plant.orr:12: error[some-code]: message\n");
  EXPECT_EQ(to_text(error_at({"plant.orr", 0, 0, "", ""})), "plant.orr: error[some-code]: message\n");
  EXPECT_EQ(to_text(error_at({})), "error[some-code]: message\n");
}

TEST(Diagnostic, ColumnWithoutLineIsNotPrinted) {
  EXPECT_EQ(to_text(error_at({"plant.orr", 0, 7, "", ""})), "plant.orr: error[some-code]: message\n");
}

TEST(Diagnostic, TextNamesBlockAndPort) {
  EXPECT_EQ(to_text(error_at({"", 0, 0, "/Plant/Mass", ""})), "error[some-code]: /Plant/Mass: message\n");
  EXPECT_EQ(to_text(error_at({"", 0, 0, "/Plant/Mass", "input 1"})),
            "error[some-code]: /Plant/Mass input 1: message\n");
  EXPECT_EQ(to_text(error_at({"", 0, 0, "", "parameter k"})), "error[some-code]: parameter k: message\n");
}

TEST(Diagnostic, TextHoldsNotesHelpAndTime) {
  Diagnostic d = error_at({"plant.orr", 0, 0, "/Mass", ""});
  d.severity = Severity::warning;
  d.notes = {"first note", "second note"};
  d.help = "do this";
  d.time = 0.1;
  EXPECT_EQ(to_text(d),
            "plant.orr: warning[some-code]: /Mass: message (at t = 0.1)\n"
            "  first note\n"
            "  second note\n"
            "  help: do this\n");
}

TEST(Diagnostics, CountsOnlyErrors) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.warning("w", {}, "a warning");
  diagnostics.add({Severity::note, "n", {}, "a note", "", {}, {}});
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.error("e", {}, "an error").notes.push_back("more");
  diagnostics.error("f", {}, "another", "help");
  EXPECT_EQ(diagnostics.error_count(), 2);
  EXPECT_EQ(diagnostics.all().size(), 4u);
  EXPECT_EQ(to_text(diagnostics),
            "warning[w]: a warning\n"
            "note[n]: a note\n"
            "error[e]: an error\n"
            "  more\n"
            "error[f]: another\n"
            "  help: help\n");
}

TEST(Diagnostics, JsonHoldsEveryField) {
  Diagnostics diagnostics;
  Diagnostic& d = diagnostics.error("some-code", {"plant.orr", 12, 3, "/Mass", "input 1"}, "message", "do this");
  d.notes = {"a note"};
  d.time = 2.5;
  diagnostics.warning("other-code", {}, "no place");
  const auto list = nlohmann::json::parse(to_json(diagnostics));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], nlohmann::json::parse(R"({"severity": "error", "code": "some-code", "file": "plant.orr",
    "line": 12, "column": 3, "block": "/Mass", "port": "input 1", "message": "message", "help": "do this",
    "notes": ["a note"], "time": 2.5})"));
  EXPECT_EQ(list[1]["severity"], "warning");
  EXPECT_FALSE(list[1].contains("time"));
}

TEST(Diagnostics, JsonSurvivesQuotesAndBrokenText) {
  EXPECT_EQ(to_json(Diagnostics{}), "[]");
  Diagnostics diagnostics;
  diagnostics.error("quoted", {}, "a \"name\"\nand a line");
  diagnostics.error("broken", {}, "bytes \xff that are not UTF-8");
  const auto list = nlohmann::json::parse(to_json(diagnostics));
  EXPECT_EQ(list[0]["message"], "a \"name\"\nand a line");
  EXPECT_EQ(list[1]["message"], "bytes \xEF\xBF\xBD that are not UTF-8");
}

}  // namespace
}  // namespace orrery
