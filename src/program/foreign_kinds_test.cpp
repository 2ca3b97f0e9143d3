// SPDX-License-Identifier: Apache-2.0
// Foreign objects go to whoever knows their kind, with the settings it knows.
#include "program/foreign_kinds.h"

#include <gtest/gtest.h>

namespace orrery::program {
namespace {

TEST(ForeignKinds, OpenByNameWithKnownSettings) {
  using enum ForeignSetting::Type;
  std::vector<std::string> opened;
  const auto kind = [&](std::string name, std::vector<ForeignSetting> settings) {
    return ForeignKind{name, std::move(settings), [&opened, name](const auto&, const auto&, const auto&, auto&) {
                         opened.push_back(name);
                         return std::unique_ptr<ForeignInstance>();
                       }};
  };
  const OpenForeign open =
      open_by_kind({kind("a", {{"order", whole_number}, {"fast", flag}, {"name", text, true}}), kind("b", {})}, {});
  Diagnostics diagnostics;
  open({"b", 0, {}, {}}, {}, {}, diagnostics);
  open({"a", 0, {{"order", "3"}, {"name", "x"}, {"name", "y"}, {"fast", "1"}}, {}}, {}, {}, diagnostics);
  EXPECT_EQ(opened, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(diagnostics.all().empty());
  EXPECT_EQ(open({"c", 0, {}, {}}, {}, {"model.orr", 3, 0, {}, {}}, diagnostics), nullptr);
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(diagnostics.all()[0].code, "no-foreign-code");
  EXPECT_EQ(diagnostics.all()[0].place.line, 3);
  EXPECT_DEATH(open({"b", 0, {{"order", "3"}}, {}}, {}, {}, diagnostics), "");
  EXPECT_DEATH(open({"a", 0, {{"order", "fast"}}, {}}, {}, {}, diagnostics), "");
  EXPECT_DEATH(open({"a", 0, {{"order", "1"}, {"order", "2"}}, {}}, {}, {}, diagnostics), "");
}

}  // namespace
}  // namespace orrery::program
