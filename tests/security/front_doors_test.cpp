// SPDX-License-Identifier: Apache-2.0
// Every command that takes a model, times every capability, times every place of a script: refused with the words that
// allow it, nothing done; done when it is allowed. And the texts that stand beside a model: specifications.
#include <gtest/gtest.h>

#include "hostile_model.h"

namespace orrery::tests::front_doors_test {
namespace {

class FrontDoors : public HostileModel {
 protected:
  void SetUp() override {
    HostileModel::SetUp();
    fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
    made_ = file("outside/made");
    for (const char* folder : {"model/lib/B", "work"}) fs::create_directories(file(folder));
    write("model/lib/library.json", R"({"library": "lib", "version": 1, "key": "k"})");
    write("outside/o.orr", R"({"orrery": 2, "name": "o"})");
  }

  struct Wish {
    std::string capability, words;
  };
  std::vector<Wish> wishes() const {
    return {{"write", "f = fopen('" + made_ + "', 'w'); fclose(f);"},
            {"read", "t = fileread('" + file("outside/secret.txt") + "');"},
            {"environment", "setenv('ORRERY_DOORS', '1');"},
            {"native", "r = fmurun('" + file("model/d.fmu") + "', 'stop', 0.1);"}};
  }

  // A model that all commands can do something with; the lines and the block are what is hostile in it.
  std::string plant(const std::string& initialization, const std::string& context = {},
                    const std::string& block = {}) const {
    return write(
        "model/plant.orr",
        fmt::format(
            R"({{"orrery": 2, "name": "m", "simulation": {{"stop": "0.1"}}, "initialization": ["a = 1;", {}], "context": ["k = 2;", {}],
 "libraries": [{{"name": "lib", "path": "lib"}}],
 "blocks": [{{"name": "I", "type": "Integral"}}, {{"name": "S", "type": "Scope"}}, {{"name": "A", "type": "Anim2D"}},
  {{"name": "P", "type": "SuperBlock", "diagram": {{"blocks": [{{"name": "In", "type": "Input"}},
   {{"name": "G", "type": "Gain", "parameters": {{"k": "-k*a"}}}}, {{"name": "Out", "type": "Output"}}],
   "links": [{{"from": "In:1", "to": ["G:1"]}}, {{"from": "G:1", "to": ["Out:1"]}}]}}}}{}{}],
 "links": [{{"from": "P:1", "to": ["I:1"]}}, {{"from": "I:1", "to": ["S:1", "P:1"]}}]}})",
            quoted(initialization), quoted(context), block.empty() ? "" : ", ", block));
  }

  struct Door {
    std::string name;
    std::vector<std::string> words;
    bool evaluates = true;  // the texts of the model; else nothing of them ever runs
    bool slow = false;
  };
  std::vector<Door> doors(const std::string& model) const {
    const std::string work = file("work/");
    write("model/s.opt", "model plant.orr\nvariable k = 2 from 1 to 3\nminimise final(/I)\nevaluations 3\n");
    return {{"run", {"run", "--quiet", model}},
            {"check", {"check", model}},
            {"check --units", {"check", "--units", model}},
            {"check --explain-start", {"check", "--explain-start", model}},
            {"show program", {"show", "program", model}},
            {"show schedule", {"show", "schedule", model}},
            {"show variables", {"show", "variables", model}},
            {"show code", {"show", "code", model}},
            {"linearise", {"linearise", model}},
            {"trim", {"trim", model}},
            {"sweep", {"sweep", model, "--quiet", "--vary", "k=1:2", "--fresh", "--out", work + "s.csv"}},
            {"optimise", {"optimise", file("model/s.opt"), "--quiet", "--fresh"}},
            {"picture --anim", {"picture", model, "--anim", "0.1", "-o", work + "a.svg"}},
            {"export c", {"export", "c", model, "--quiet", "--out", work + "c"}},
            {"export python", {"export", "python", model, "--quiet", "--out", work + "python"}},
            {"export block", {"export", "block", model, "--block", "/P", "--quiet", "--out", work + "b.orr"}},
            {"export fmu", {"export", "fmu", model, "--quiet", "--out", work + "e.fmu"}, true, true},
            {"show script", {"show", "script", model}, false},
            {"picture", {"picture", model, "--values", "-o", work + "p.svg"}, false},
            {"edit", {"edit", model, "--do", "title x", "-o", work + "e.orr"}, false},
            {"diff", {"diff", model, file("outside/o.orr")}, false},
            {"merge", {"merge", model, model, model, "-o", work + "m.orr"}, false},
            {"library add", {"library", "add", file("model/lib"), model, "New"}, false},
            {"fmt", {"fmt", "--check", model}, false}};
  }

  void expect_asked(const Door& door, const Wish& wish, bool also_allowed) const {
    const std::string who = door.name + ", " + wish.capability;
    const Outcome refused = orrery(door.words);
    EXPECT_FALSE(fs::exists(made_)) << who;
    if (!door.evaluates) {
      EXPECT_LE(refused.code, 1) << who << refused.err;
      EXPECT_FALSE(contains(refused.err, "needs-consent")) << who << refused.err;
      return;
    }
    EXPECT_EQ(refused.code, 1) << who << refused.err;
    EXPECT_TRUE(contains(refused.err, "error[needs-consent]")) << who << refused.err;
    EXPECT_TRUE(contains(refused.err, "--allow " + wish.capability)) << who << refused.err;
    if (!also_allowed) return;
    std::vector<std::string> words = door.words;
    words.insert(words.end(), {"--allow", wish.capability});
    const Outcome allowed = orrery(words);
    EXPECT_EQ(allowed.code, 0) << who << allowed.err;
    EXPECT_EQ(fs::exists(made_), wish.capability == "write") << who << allowed.err;
    fs::remove(made_);
  }

  std::string made_;
};

TEST_F(FrontDoors, EveryCommandAsksForEveryCapability) {
  for (const Wish& wish : wishes()) {
    for (const Door& door : doors(plant(wish.words))) expect_asked(door, wish, !door.slow);
  }
}

// What others have written and the model takes in: included files, blocks of a library, contexts of super blocks.
TEST_F(FrontDoors, EveryPlaceOfAScriptAsks) {
  const auto block = [](const std::string& type, const std::string& parameters = {}) {
    return fmt::format(R"({{"name": "D", "type": "{}", "parameters": {{{}}}}})", type, parameters);
  };
  for (const Wish& wish : wishes()) {
    for (const char* part : {"initialization", "context"}) {
      const std::string text =
          fmt::format(R"({{"orrery": 2, "name": "B", "{}": [{}], "blocks": [{{"name": "C", "type": "Constant"}}]}})",
                      part, quoted(wish.words));
      write("model/part.orr", text);
      write("model/lib/B/B.orr", text);
      const std::string inner = fmt::format(
          R"({{"name": "D", "type": "SuperBlock", "diagram": {{"context": [{}], "blocks": []}}}})", quoted(wish.words));
      for (const std::string& each : {block("IncludeDiagram", R"("file": "'part.orr'")"), block("lib/B"), inner}) {
        const std::string model = plant("", "", each);
        for (const Door& door : {Door{"run", {"run", "--quiet", model}}, Door{"check", {"check", model}}})
          expect_asked(door, wish, true);
      }
    }
    expect_asked({"context", {"check", plant("", wish.words)}}, wish, true);
    const std::string script =
        fmt::format(R"({{"name": "X", "type": "ExecOMLScript", "parameters": {{"script": {}}}}})", quoted(wish.words));
    const std::string model = plant("", "", script);
    expect_asked({"exec", {"exec", model, "/X", "--quiet"}}, wish, true);
    expect_asked({"run --exec", {"run", model, "--quiet", "--exec", "/X"}}, wish, true);
    EXPECT_EQ(orrery({"check", model}).code, 0) << "nobody has asked for the script";
    EXPECT_FALSE(fs::exists(made_));
  }
}

// A specification is mailed as a model is.
TEST_F(FrontDoors, SpecificationsAreData) {
  plant("");
  write("model/f.oml", "function y = f(x), y = x; end\nf0 = fopen('" + made_ + "', 'w'); fclose(f0);\n");
  write("outside/f.oml", "function y = f(x), y = x; end\n");
  write("outside/data.csv", "time,x\n0,1\n0.1,2\n");
  write("outside/plant.orr", read(file("model/plant.orr")));
  const std::string opened = "numel(num2str(fopen('" + made_ + "', 'w')))";
  struct Spec {
    std::string capability, text;
  };
  const std::string common = "variable k = 2 from 1 to 3\nevaluations 3\n";
  for (const Spec& spec : std::vector<Spec>{
           {"write", "model plant.orr\nminimise final(/I)\nvariable k = " + opened + " from 0 to 3\nevaluations 3\n"},
           {"write", "model plant.orr\nminimise final(/I)\nvariable k = 2 from " + opened + " to 3\nevaluations 3\n"},
           {"environment", "model plant.orr\nminimise final(/I) + numel(getenv('HOME'))\n" + common},
           {"environment",
            "model plant.orr\nminimise final(/I)\nsubject to max(/I) <= numel(getenv('HOME'))\n" + common},
           {"write", "model plant.orr\nminimise f(final(/I))\nscript f.oml\n" + common},
           {"write", "model plant.orr\nminimise final(/I)\nset a = " + opened + "\n" + common},
           {"write", "model plant.orr\nminimise final(/I)\nsimulation stop = " + opened + "\n" + common},
           {"read", "model plant.orr\nminimise f(final(/I))\nscript ../outside/f.oml\n" + common},
           {"read", "model ../outside/plant.orr\nminimise final(/I)\n" + common},
           {"read", "model plant.orr\nfit /I to x\nexperiment ../outside/data.csv\n" + common}}) {
    const std::string name = write("model/hostile.opt", spec.text);
    const std::vector<std::string> words = {"optimise", name, "--quiet", "--fresh"};
    const Outcome refused = orrery(words);
    EXPECT_EQ(refused.code, 1) << spec.text;
    EXPECT_FALSE(fs::exists(made_)) << spec.text;
    EXPECT_TRUE(contains(refused.err, "needs-consent")) << spec.text << refused.err;
    EXPECT_TRUE(contains(refused.err, "--allow " + spec.capability)) << spec.text << refused.err;
    const Outcome allowed = orrery({"optimise", name, "--quiet", "--fresh", "--allow", spec.capability});
    EXPECT_FALSE(contains(allowed.err, "needs-consent")) << spec.text << allowed.err;
    EXPECT_EQ(fs::exists(made_), spec.capability == "write") << spec.text << allowed.err;
    fs::remove(made_);
  }
}

// Texts of options come with no model; they compute, whoever typed them.
TEST_F(FrontDoors, TextsOfOptionsCompute) {
  const std::string model = plant(""), opened = "fopen('" + made_ + "', 'w')";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"trim", model, "--free", "k=" + opened},
        {"sweep", model, "--quiet", "--vary", "k=" + opened},
        {"sweep", model, "--quiet", "--sample", "k=normal(1," + opened + ")", "--runs", "2"},
        {"sweep", model, "--quiet", "--vary", "k=1:2", "--keep", "max(/I)+" + opened}}) {
    EXPECT_EQ(orrery(words).code, 1) << words[0];
    EXPECT_FALSE(fs::exists(made_)) << words[0];
  }
}

// Pages of a library hold names of others.
TEST_F(FrontDoors, PagesOfLibrariesHoldNoMarkup) {
  const std::string name = "x\" onmouseover=\"alert(1)<b>";
  fs::create_directories(file("model/lib/" + name));
  write("model/lib/" + name + "/" + name + ".orr",
        R"({"orrery": 2, "name": "x", "about": "<script>1</script>", "blocks": []})");
  orrery({"library", "document", file("model/lib")});
  const std::string index = read(file("model/lib/docs/index.html"));
  EXPECT_FALSE(contains(index, "x\" on") || contains(index, "<script>") || contains(index, "<b>")) << index;
  // Neither do links in it lead to files that are locked or unlocked.
  fs::create_symlink(file("outside/secret.txt"), file("model/lib/link.txt"));
  fs::permissions(file("outside/secret.txt"), fs::perms::owner_read);
  orrery({"library", "lock", file("model/lib")});
  orrery({"library", "unlock", file("model/lib")});
  EXPECT_EQ(fs::status(file("outside/secret.txt")).permissions(), fs::perms::owner_read);
}

}  // namespace
}  // namespace orrery::tests::front_doors_test
