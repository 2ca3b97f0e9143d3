// SPDX-License-Identifier: Apache-2.0
// Editing: commands do what they say, nothing else changes, undo and journals give back every byte.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "edit/random_edits_test.h"
#include "edit/script.h"
#include "edit/words.h"
#include "picture/large_sheet_for_tests.h"
#include "picture/make_scene.h"
#include "picture/update_scene.h"

namespace orrery::edit {
namespace {

std::string file_text(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string temporary(const std::string& name) {
  return testing::TempDir() + "orrery_edit_" + std::to_string(::getpid()) + "_" + name;
}

bool does(Document& document, const std::string& command) {
  Diagnostics diagnostics;
  const bool good = perform_text(document, command, diagnostics);
  EXPECT_EQ(good, !diagnostics.has_errors()) << command << "\n" << to_text(diagnostics);
  return good;
}

// The lines of the text that differ from the original, without layout.
std::vector<std::string> new_lines(const Document& document) {
  std::set<std::string> before;
  std::vector<std::string> lines;
  std::stringstream a{std::string(edited_text)}, b(document.text());
  for (std::string line; std::getline(a, line);) before.insert(line);
  for (std::string line; std::getline(b, line);) {
    if (!before.contains(line)) lines.push_back(line);
  }
  return lines;
}

TEST(Edit, SampleIsCanonical) { EXPECT_EQ(Document(edited_model()).text(), edited_text); }

TEST(Edit, RenameChangesLinksLayoutBendsAndSettings) {
  Document document(edited_model());
  ASSERT_TRUE(does(document, "rename Plant Motor"));
  const model::Model& model = document.model();
  EXPECT_EQ(model.root.links[3].to[0].block, "Motor");
  EXPECT_EQ(model.root.links[4].from.block, "Motor");
  EXPECT_EQ(model.root.bends[0].from.block, "Motor");
  EXPECT_EQ(model.settings.tolerances[0].block, "/Motor/X");
  ASSERT_TRUE(does(document, "rename E Error"));
  EXPECT_EQ(model.root.layout[1].block, "Error");
  ASSERT_TRUE(document.undo() && document.undo());
  EXPECT_EQ(document.text(), edited_text);
}

TEST(Edit, ACommandChangesItsLinesOnly) {
  Document document(edited_model());
  ASSERT_TRUE(does(document, "set K k=3"));
  EXPECT_EQ(new_lines(document).size(), 1u);
  ASSERT_TRUE(does(document, "move R by 10,0"));
  EXPECT_EQ(document.model().root.layout[0].x, 10);
}

TEST(Edit, FailuresAreToldAndChangeNothing) {
  Document document(edited_model());
  for (const char* command : {"ad Gain",
                              "add Gane",
                              "remove Nothing",
                              "connect R:1 E:1",
                              "connect K:1 E:1",
                              "rename K Plant",
                              "rename K a/b",
                              "set K q=1",
                              "move K by 1",
                              "group G R Plant/X",
                              "ungroup K",
                              "paste \"{\"",
                              "add Gain at 1,2,3,4,5",
                              "turn K sideways",
                              "simulation stopp=3",
                              "set K \"k=1",
                              "bend R:1 S:1 1,1",
                              "reorder K to 99",
                              "note at 1,2 x",
                              "move K to 1e9,1e400",
                              "mask Plant k k",
                              "options / atomic=true",
                              "options Plant atomic=maybe",
                              "options Plant for_each=rows count=3",
                              "options Plant",
                              "program Nothing x",
                              "library l colour=3",
                              "unlibrary l",
                              "context in Nothing x"}) {
    EXPECT_FALSE(does(document, command)) << command;
    EXPECT_EQ(document.text(), edited_text) << command;
  }
}

TEST(Edit, GroupAndUngroupKeepTheMeaning) {
  Document document(edited_model());
  ASSERT_TRUE(does(document, "group Controller H K"));
  const model::Diagram& root = document.model().root;
  ASSERT_EQ(root.blocks.back().name, "Controller");
  const model::Diagram& inside = *root.blocks.back().diagram;
  EXPECT_EQ(inside.blocks.size(), 5u);  // two blocks, Input, Output, EventInput
  EXPECT_EQ(inside.links.size(), 4u);
  bool driven = false;
  for (const model::Link& link : root.links)
    driven = driven || (link.activation && link.to[0] == model::PortRef{"Controller", 1});
  EXPECT_TRUE(driven);
  ASSERT_TRUE(does(document, "ungroup Controller"));
  std::set<std::string> branches, before;
  for (const model::Link& link : document.model().root.links) {
    for (const auto& to : link.to) branches.insert(model::branch_text({link.activation, link.from, to, {}, 0}));
  }
  const model::Model original = edited_model();
  for (const model::Link& link : original.root.links) {
    for (const auto& to : link.to) before.insert(model::branch_text({link.activation, link.from, to, {}, 0}));
  }
  EXPECT_EQ(branches, before);
}

TEST(Edit, UnitsRepetitionsProgramsAndLibraries) {
  Document document(edited_model());
  for (const char* command : {"options Plant atomic=true", "options Plant for_each=columns \"count=n + 1\"",
                              "program Plant \"x = 1;\" \"y = 2;\"", "library rail version=2",
                              "library other path=../o key=k", "library rail version=3"}) {
    ASSERT_TRUE(does(document, command)) << command;
  }
  const model::Diagram& plant = *document.model().root.blocks[3].diagram;
  EXPECT_TRUE(plant.atomic);
  EXPECT_EQ(plant.for_each, model::ForEach::columns);
  EXPECT_EQ(plant.count, "n + 1");
  EXPECT_EQ(plant.program, (std::vector<std::string>{"x = 1;", "y = 2;"}));
  ASSERT_EQ(document.model().libraries.size(), 2u);
  EXPECT_EQ(document.model().libraries[0].version, "3");
  EXPECT_EQ(document.model().libraries[1].key, "k");
  EXPECT_FALSE(does(document, "ungroup Plant")) << "its blocks alone mean something else";
  ASSERT_TRUE(does(document, "options Plant atomic=false for_each=none") && does(document, "program Plant"));
  ASSERT_TRUE(does(document, "unlibrary rail") && does(document, "unlibrary other"));
  EXPECT_EQ(document.text(), edited_text);
  EXPECT_TRUE(does(document, "ungroup Plant"));
}

TEST(Edit, AutoMaskFindsTheNamesThatAreUsed) {
  Document document(edited_model());
  ASSERT_TRUE(does(document, "set Plant/X \"x0=2*x_start + sin(w0*pi) + s.q\""));
  ASSERT_TRUE(does(document, "automask Plant"));
  std::vector<std::string> names;
  for (const auto& parameter : document.model().root.blocks[3].diagram->mask) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x_start", "w0", "s"}));
}

// A mask hides what is outside: without `e` among its parameters the inside would silently see the constant.
TEST(Edit, AutoMaskTakesConstantsThatTheModelHasRenamed) {
  Document document(edited_model());
  ASSERT_TRUE(does(document, "context in / \"e = 0.9;\""));
  ASSERT_TRUE(does(document, "set Plant/X \"x0=e*pi\""));
  ASSERT_TRUE(does(document, "automask Plant"));
  std::vector<std::string> names;
  for (const auto& parameter : document.model().root.blocks[3].diagram->mask) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"e"}));
}

// All commands undone give the text of the beginning; redone, that of the end; and the text always opens.
TEST(Edit, RandomCommandsUndoneGiveTheSameText) {
  const char* wanted = std::getenv("ORRERY_EDIT_SEQUENCES");  // for longer runs by hand
  const int sequences = wanted != nullptr ? std::atoi(wanted) : 1'500;
  std::mt19937 random(7);
  int done = 0, refused = 0;
  const std::string journal = temporary("sequence");
  for (int s = 0; s < sequences; ++s) {
    Document document(edited_model());
    Diagnostics kept;
    // Files are slow: one in five of the short run.
    const bool keeps = wanted != nullptr || s % 5 == 0;
    ASSERT_TRUE(!keeps || document.keep_journal(journal, kept)) << to_text(kept);
    const std::size_t length = 1 + random() % 12;
    for (std::size_t k = 0; k < length; ++k) {
      Diagnostics diagnostics;
      const std::string command = random_command(document.model(), random);
      perform_text(document, command, diagnostics) ? ++done : ++refused;
    }
    const std::string end = document.text();
    Diagnostics diagnostics;
    const auto again = model::parse(end, "again.orr", diagnostics);
    ASSERT_TRUE(again) << to_text(diagnostics) << end;
    ASSERT_EQ(model::write(*again), end);
    if (keeps) {
      auto replayed = Document::recover(journal, kept);
      ASSERT_TRUE(replayed) << to_text(kept);
      ASSERT_EQ(replayed->text(), end) << s;
      while (replayed->undo()) {
      }
      ASSERT_EQ(replayed->text(), edited_text) << s;
    }
    while (document.undo()) {
    }
    ASSERT_EQ(document.text(), edited_text) << s;
    while (document.redo()) {
    }
    ASSERT_EQ(document.text(), end) << s;
  }
  EXPECT_GT(done, sequences * 2);
  EXPECT_GT(refused, sequences / 2);
  std::filesystem::remove(journal);
}

// A scene that is brought up to date is the one that would be made anew from it, and what it replaced gives back the
// old.
TEST(Edit, ScenesThatFollowAreThoseMadeAnew) {
  std::mt19937 random(23);
  int followed = 0;
  for (int s = 0; s < 30; ++s) {
    model::Model model = edited_model();
    if (s % 3 == 0) model.root = picture::large_diagram(60);
    if (s % 5 != 4) model.root.layout = picture::arranged_layout(model.root, "", {}, picture::Arrange::all);
    Document document(std::move(model));
    picture::Scene scene = picture::make_scene(document.model().root, "", {});
    for (int k = 0; k < 40; ++k) {
      const bool quick = random() % 3 == 0;
      const auto follow = [&](const std::vector<Operation>& operations) {
        const model::Diagram& root = document.model().root;
        const picture::Scene anew = picture::remake_scene(scene, root, "", {}, quick);
        const picture::Scene old = scene;
        const auto replaced = replaced_blocks(operations, "");
        auto before = replaced ? picture::update_scene(scene, root, "", {}, *replaced, quick) : std::nullopt;
        if (!before) {
          ASSERT_EQ(scene, old);
          if (!quick) scene = anew;
          return;
        }
        ++followed;
        ASSERT_EQ(scene, anew) << operation_text(operations[0]);
        if (!quick) return;
        picture::restore(scene, std::move(*before));
        ASSERT_EQ(scene, old);
      };
      Diagnostics diagnostics;
      const std::string command = random_command(document.model(), random);
      if (quick) {
        document.attempt([&](Edit& edit) { run_steps(edit, {*split_words(command)}); }, follow, diagnostics);
      } else if (random() % 6 == 0 && document.undo_count() > 0) {
        const auto operations = document.history().back().inverses;
        document.undo();
        follow(operations);
      } else if (const std::size_t revision = document.revision();
                 perform_text(document, command, diagnostics) && document.revision() > revision) {
        follow(document.history().back().operations);
      }
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(followed, 200);
}

// A journal cut anywhere gives a state that was, and no whole entry is lost.
TEST(Journal, EveryPrefixIsAStateThatWas) {
  std::mt19937 random(11);
  for (int s = 0; s < 15; ++s) {
    const std::string path = temporary("journal"), cut = temporary("cut");
    Diagnostics diagnostics;
    Document document(edited_model());
    ASSERT_TRUE(document.keep_journal(path, diagnostics));
    std::vector<std::pair<std::size_t, std::string>> states{{std::filesystem::file_size(path), document.text()}};
    for (int k = 0; k < 12; ++k) {
      const auto kind = random() % 5;
      if (kind == 0)
        document.undo();
      else if (kind == 1)
        document.redo();
      else
        static_cast<void>(perform_text(document, random_command(document.model(), random), diagnostics));
      const std::size_t size = std::filesystem::file_size(path);
      if (size > states.back().first) states.emplace_back(size, document.text());
    }
    const std::string all = file_text(path);
    for (std::size_t end = states[0].first; end <= all.size(); end += 1 + random() % 40) {
      std::ofstream(cut, std::ios::binary) << all.substr(0, end);
      Diagnostics ignored;
      const auto recovered = Document::recover(cut, ignored);
      ASSERT_TRUE(recovered);
      std::size_t last = 0;
      while (last + 1 < states.size() && states[last + 1].first <= end) ++last;
      ASSERT_EQ(recovered->text(), states[last].second) << "cut at " << end;
    }
    std::filesystem::remove(path);
    std::filesystem::remove(cut);
  }
}

TEST(Journal, SurvivesKill) {
  for (int round = 0; round < 6; ++round) {
    const std::string path = temporary("killed");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Diagnostics diagnostics;
      Document document(edited_model());
      static_cast<void>(document.keep_journal(path, diagnostics));
      for (int k = 0;; ++k) {
        static_cast<void>(perform_text(document, "add Gain as N" + std::to_string(k), diagnostics));
        // What is told outside has been kept before.
        if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    for (int k = 0; k < 5 + 7 * round; ++k) ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[1]);
    std::size_t told = static_cast<std::size_t>(5 + 7 * round);
    while (::read(ends[0], &byte, 1) == 1) ++told;
    ::close(ends[0]);
    Diagnostics diagnostics;
    const auto recovered = Document::recover(path, diagnostics);
    ASSERT_TRUE(recovered);
    EXPECT_GE(recovered->undo_count(), told);
    EXPECT_LE(recovered->undo_count(), told + 1);
    std::filesystem::remove(path);
  }
}

TEST(Journal, DamageIsNoHarm) {
  const std::string path = temporary("damaged");
  Diagnostics diagnostics;
  Document document(edited_model());
  ASSERT_TRUE(document.keep_journal(path, diagnostics));
  ASSERT_TRUE(does(document, "set K k=3") && does(document, "remove S") && does(document, "add Gain"));
  const std::string all = file_text(path);
  std::mt19937 random(3);
  for (int k = 0; k < 300; ++k) {
    std::string text = all;
    for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random() & 0x7f);
    std::ofstream(path, std::ios::binary) << text;
    Diagnostics ignored;
    const auto recovered = Document::recover(path, ignored);
    if (!recovered) continue;
    Diagnostics found;
    ASSERT_TRUE(model::parse(recovered->text(), "r.orr", found)) << to_text(found);
  }
  std::filesystem::remove(path);
}

TEST(Script, NamesEverything) {
  const std::string script = script_of(edited_model(), "x.orr");
  const std::string python = script_of(edited_model(), "x.orr", ScriptLanguage::python);
  for (const char* part :
       {"m = Model(\"edited\")", "m.add_block(\"/K\", \"Gain\", {\"k\": \"k\"}, about=\"controller\")",
        "m.add_activation_link(\"/\", \"C:1\", [\"H:1\"])", "m.place(\"/E\", [120, 5, 30, 30])"}) {
    EXPECT_NE(python.find(part), std::string::npos) << part << "\n" << python;
  }
  for (const char* part : {"bdeNewModel('edited')", "bdeSetTolerance(m, '/Plant/X', '1e-9')", "'/Plant/X', 'Integral'",
                           "bdeAddActivationLink", "bdeBend", "'y'"}) {
    EXPECT_NE(script.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace orrery::edit
