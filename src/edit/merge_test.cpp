// SPDX-License-Identifier: Apache-2.0
// Comparing and merging: exactly what changed, and changes of both sides together.
#include <gtest/gtest.h>

#include "edit/compare.h"
#include "edit/diff_picture.h"
#include "edit/merge.h"
#include "edit/random_edits_test.h"

namespace orrery::edit {
namespace {

model::Model after(const std::vector<std::string>& commands, const model::Model& start) {
  Document document(model::copy_of(start));
  for (const std::string& command : commands) {
    Diagnostics diagnostics;
    EXPECT_TRUE(perform_text(document, command, diagnostics)) << command << to_text(diagnostics);
  }
  return model::copy_of(document.model());
}
model::Model after(const std::vector<std::string>& commands) { return after(commands, edited_model()); }

void expect_opens(const model::Model& model) {
  Diagnostics diagnostics;
  const std::string text = model::write(model);
  const auto again = model::parse(text, "m.orr", diagnostics);
  ASSERT_TRUE(again) << to_text(diagnostics) << text;
  EXPECT_EQ(model::write(*again), text);
}

TEST(Compare, LayoutAloneIsNoDifference) {
  const auto moved = after({"move R by 50,50", "arrange", "turn K flip"});
  EXPECT_TRUE(compare(edited_model(), moved).empty()) << differences_text(compare(edited_model(), moved));
  EXPECT_FALSE(compare(edited_model(), moved, {true}).empty());
}

TEST(Compare, MovedRenamedAndOneParameterIsExactlyThat) {
  const auto changed = after({"move K by 50,50", "rename K Controller", "set Controller k=3"});
  EXPECT_EQ(differences_text(compare(edited_model(), changed)),
            "~ /Controller: was called K\n~ /Controller: parameter k: k -> 3\n");
}

TEST(Compare, NamesWhatChanged) {
  const auto changed =
      after({"remove S", "add Gain as New", "connect K:1 New:1", "context \"k = 2;\" \"m = 1;\"", "simulation stop=20",
             "set Plant/X x0=5", "off H", "disconnect R:1 E:1", "note at 0,0,10,10 hello"});
  const std::string text = differences_text(compare(edited_model(), changed));
  for (const char* line : {"- /S (Scope)\n", "+ /New (Gain)\n", "+ /: link K:1 -> New:1\n", "- /: link R:1 -> E:1\n",
                           "+ /: context line 2: m = 1;\n", "~ /: setting stop: 10 -> 20\n",
                           "~ /Plant/X: parameter x0: 1 -> 5\n", "~ /H: off: false -> true\n", "+ /: note: hello\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  }
  EXPECT_NE(differences_json(compare(edited_model(), changed)).find("\"kind\": \"removed\""), std::string::npos);
}

TEST(Compare, PicturesShowChanges) {
  const auto a = edited_model(), b = after({"remove S", "add Gain as New", "set K k=3"});
  const auto differences = compare(a, b);
  const std::string page = diff_html({&a, {}, "a"}, {&b, {}, "b"}, differences),
                    svg = diff_svg({&a, {}, "a"}, {&b, {}, "b"}, differences);
  for (const std::string& text : {page, svg}) {
    EXPECT_NE(text.find("body mathematics added"), std::string::npos);
    EXPECT_NE(text.find(" removed"), std::string::npos);
    EXPECT_NE(text.find("k: k → 3"), std::string::npos);
  }
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org/2000/svg"));
}

TEST(Merge, TakesBothSides) {
  const auto base = edited_model();
  const auto merged = merge(base, after({"set K k=3", "rename Plant Motor"}),
                            after({"set Plant/X x0=7", "add Scope as T", "connect Plant:1 T:1"}));
  EXPECT_TRUE(merged.conflicts.empty());
  expect_opens(merged.model);
  const auto expected =
      after({"set K k=3", "set Plant/X x0=7", "add Scope as T", "connect Plant:1 T:1", "rename Plant Motor"});
  EXPECT_EQ(differences_text(compare(expected, merged.model)), "");
}

TEST(Merge, NamesConflictsAndOpens) {
  const auto base = edited_model();
  const auto merged =
      merge(base, after({"set K k=3", "remove S", "context \"k = 3;\"", "move R by 1,1"}),
            after({"set K k=4", "about S changed", "context \"k = 4;\"", "move R by 2,2", "set Plant/X x0=2"}));
  expect_opens(merged.model);
  std::string text;
  for (const Conflict& conflict : merged.conflicts) text += conflict_text(conflict) + "\n";
  EXPECT_EQ(text,
            "/K: parameter k: ours 3, theirs 4, before k\n"
            "/S: block: ours removed, theirs changed, before present\n"
            "/: context: ours k = 3;, theirs k = 4;, before k = 2;\n");
  // As notes on the sheet, and everything else is merged.
  EXPECT_EQ(merged.model.root.notes.size(), 3u);
  EXPECT_EQ(merged.model.root.blocks[3].diagram->blocks[1].parameters[0].value, "2");
}

TEST(Merge, SameInputFromTwoSides) {
  const auto base = after({"add Gain as A", "add Gain as B", "add Scope as T"});
  const auto merged = merge(base, after({"connect A:1 T:1"}, base), after({"connect B:1 T:1"}, base));
  ASSERT_EQ(merged.conflicts.size(), 1u);
  EXPECT_EQ(conflict_text(merged.conflicts[0]),
            "/T: input 1: ours driven by A:1, theirs driven by B:1, before (nothing)");
  expect_opens(merged.model);
}

// Changes of different blocks on the two sides: the merge is what both of them one after the other give.
TEST(Merge, GeneratedCasesHaveTheKnownResult) {
  std::mt19937 random(5);
  const auto change = [&](char side, int k) -> std::vector<std::string> {
    const std::string s(1, side), n = std::to_string(k), own = side == 'o' ? "P" : "Q";
    switch (random() % 12) {
      case 0: return {"set " + own + "1 k=" + n};
      case 1: return {"rename " + own + "2 New" + s + n};
      case 2: return {"add Gain as Added" + s + n, "connect " + own + "1:1 Added" + s + n + ":1"};
      case 3: return {"remove " + own + "3"};
      case 4: return {"disconnect " + own + "1:1 " + own + "4:1"};
      case 5: return {"about " + own + "1 \"by " + s + n + "\""};
      case 6: return {"off " + own + "1"};
      case 7: return {"move " + own + "1 by 10,10", "move " + own + "4 by 20,0"};
      case 8: return {"simulation " + std::string(side == 'o' ? "stop" : "rtol") + "=" + n};
      case 9: return {"set " + own + "S/X x0=" + n, "rename " + own + "S " + own + "Inner" + n};
      case 10:
        return {"add Scope as View" + s + n, "connect " + own + "4:1 View" + s + n + ":1",
                "name " + own + "4:1 sig" + s};
      default: return {"context in " + own + "S \"c = " + n + ";\""};
    }
  };
  std::vector<std::string> build;
  for (const std::string p : {"P", "Q"}) {
    for (const char* line :
         {"add Gain as ?1 k=0", "add Gain as ?2 k=1", "add Gain as ?3 k=2", "add Gain as ?4 k=3",
          "add SuperBlock as ?S", "add Integral as X in ?S x0=0", "connect ?1:1 ?4:1", "connect ?2:1 ?3:1"}) {
      std::string command = line;
      for (std::size_t at; (at = command.find('?')) != std::string::npos;) command.replace(at, 1, p);
      build.push_back(command);
    }
  }
  const auto base = after(build);
  for (int k = 0; k < 200; ++k) {
    std::vector<std::string> ours, theirs;
    // Each kind of change once: a block can be renamed or removed only once.
    for (int i = 0; i < 3; ++i) {
      const auto try_add = [&](std::vector<std::string>& list, char side) {
        auto more = change(side, k * 10 + i);
        auto all = list;
        all.insert(all.end(), more.begin(), more.end());
        Document document(model::copy_of(base));
        Diagnostics diagnostics;
        bool good = true;
        for (const std::string& command : all) good = good && perform_text(document, command, diagnostics);
        if (good) list = std::move(all);
      };
      try_add(ours, 'o');
      try_add(theirs, 't');
    }
    auto both = ours;
    both.insert(both.end(), theirs.begin(), theirs.end());
    const auto expected = after(both, base);
    const auto merged = merge(base, after(ours, base), after(theirs, base));
    std::string told;
    for (const std::string& command : both) told += command + "\n";
    for (const Conflict& conflict : merged.conflicts) told += "conflict " + conflict_text(conflict) + "\n";
    EXPECT_TRUE(merged.conflicts.empty()) << told;
    EXPECT_EQ(differences_text(compare(expected, merged.model)), "") << told;
    expect_opens(merged.model);
  }
}

// Whatever the two sides did, the result opens, and a side that did nothing decides nothing.
TEST(Merge, RandomSidesAlwaysOpen) {
  std::mt19937 random(17);
  for (int k = 0; k < 300; ++k) {
    const auto side = [&] {
      Document document(edited_model());
      for (int i = 0; i < 6; ++i) {
        Diagnostics diagnostics;
        static_cast<void>(perform_text(document, random_command(document.model(), random), diagnostics));
      }
      return model::copy_of(document.model());
    };
    const auto base = edited_model(), ours = side(), theirs = side();
    expect_opens(merge(base, ours, theirs).model);
    const auto one = merge(base, ours, base), other = merge(base, base, theirs);
    EXPECT_TRUE(one.conflicts.empty() && other.conflicts.empty());
    EXPECT_EQ(differences_text(compare(ours, one.model)), "");
    EXPECT_EQ(differences_text(compare(theirs, other.model)), "");
  }
}

}  // namespace
}  // namespace orrery::edit
