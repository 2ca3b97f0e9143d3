// SPDX-License-Identifier: Apache-2.0
// The executable on diagrams: picture, edit, diff, merge, git-setup and scripts that make models again.
#include <nlohmann/json.hpp>
#include <random>

#include "command_line.h"

namespace orrery::tests::edit_cli_test {
namespace {

class EditCommandLine : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    ::setenv("XDG_STATE_HOME", file("state").c_str(), 1);
  }

  std::string copy(const std::string& name, const std::string& as) const {
    fs::copy_file(example(name), file(as), fs::copy_options::overwrite_existing);
    return file(as);
  }

  int shell(const std::string& command) const {
    return std::system(("cd '" + folder_ + "' && (" + command + ") > shell.txt 2>&1").c_str());
  }

  static std::string python_with_module() {
    return "ORRERY='" + orrery_binary() + "' PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + source_folder() +
           "/python' python3";
  }
};

TEST_F(EditCommandLine, DrawsPictures) {
  const std::string out = file("ball.svg");
  ASSERT_EQ(orrery({"picture", example("bouncing_ball"), "-o", out}).code, 0);
  const std::string once = read(out);
  EXPECT_NE(once.find("−9.81"), std::string::npos);  // evaluated
  ASSERT_EQ(orrery({"picture", example("bouncing_ball"), "-o", out}).code, 0);
  EXPECT_EQ(read(out), once);
  const Outcome all = orrery({"picture", example("queue"), "--all", file("all"), "--theme", "dark"});
  EXPECT_EQ(all.code, 0);
  EXPECT_TRUE(fs::exists(file("all/queue.svg")) && fs::exists(file("all/queue.Service.svg")));
  EXPECT_EQ(orrery({"picture", example("queue"), "--diagram", "/Servise"}).code, 1);
  if (std::system("command -v rsvg-convert > /dev/null") == 0) {
    ASSERT_EQ(orrery({"picture", example("bouncing_ball"), "-o", file("ball.png"), "--values"}).code, 0);
    EXPECT_EQ(read(file("ball.png")).substr(1, 3), "PNG");
  }
}

TEST_F(EditCommandLine, EditsModels) {
  const std::string model = copy("bouncing_ball", "ball.orr"), before = read(model);
  ASSERT_EQ(orrery({"edit", model, "--do", "add Gain as K at 100,300 k=2", "--do", "connect Split:1 K:1"}).code, 0);
  EXPECT_NE(read(model).find(R"({"name": "K", "type": "Gain", "parameters": {"k": "2"}})"), std::string::npos);
  EXPECT_EQ(orrery({"check", model}).code, 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "remove K"}).code, 0);
  EXPECT_EQ(read(model), before);
  // A command that fails leaves the file as it was.
  const Outcome failed = orrery({"edit", model, "--do", "rename Ball Kugel", "--do", "remove Nothing"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.err.find("error[bad-edit]"), std::string::npos);
  EXPECT_EQ(read(model), before);
  const std::string script = write(
      "build.txt", "# a remark\nadd Constant as C value=3\nadd Display as D\nconnect C:1 D:1\nundo\nredo\narrange\n");
  ASSERT_EQ(orrery({"edit", file("new.orr"), "--new", "--script", script}).code, 0);
  EXPECT_EQ(orrery({"run", file("new.orr"), "--quiet"}).code, 0);
  EXPECT_EQ(orrery({"fmt", "--check", file("new.orr")}).code, 0);
}

TEST_F(EditCommandLine, BlocksThatAreOffCountAsAbsent) {
  const std::string model = write("off.orr", R"({"orrery": 1, "simulation": {"stop": "1"}, "blocks": [
    {"name": "A", "type": "Constant", "parameters": {"value": "3"}}, {"name": "B", "type": "Constant", "parameters": {"value": "4"}},
    {"name": "Broken", "type": "NoSuchType", "off": true}, {"name": "S", "type": "Sum"}, {"name": "D", "type": "Display"}],
    "links": [{"from": "A:1", "to": ["S:1"]}, {"from": "B:1", "to": ["S:2"]}, {"from": "S:1", "to": ["D:1"]}, {"from": "Broken:1", "to": ["Broken:2"]}]})");
  EXPECT_EQ(orrery({"check", model}).code, 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "off B"}).code, 0);
  const Outcome outcome = orrery({"check", model});
  EXPECT_NE((outcome.out + outcome.err).find("/S"), std::string::npos);  // as an unconnected input is told
}

TEST_F(EditCommandLine, ComparesModels) {
  const std::string a = copy("sampled_controller", "a.orr"), b = copy("sampled_controller", "b.orr");
  ASSERT_EQ(orrery({"edit", b, "--do", "arrange"}).code, 0);
  const Outcome same = orrery({"diff", a, b});
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.out, "");
  ASSERT_EQ(orrery({"edit", b, "--do", "rename Motor Drive", "--do", "set Drive num=2"}).code, 0);
  const Outcome differ = orrery({"diff", a, b, "--picture", file("d.html")});
  EXPECT_EQ(differ.code, 1);
  EXPECT_EQ(differ.out, "~ /Drive: was called Motor\n~ /Drive: parameter num: 1 -> 2\n");
  EXPECT_NE(read(file("d.html")).find("<svg"), std::string::npos);
  const auto json = nlohmann::json::parse(orrery({"diff", a, b, "--json"}).out);
  EXPECT_EQ(json.size(), 2u);
  EXPECT_EQ(orrery({"diff", a, file("missing.orr")}).code, 2);
}

TEST_F(EditCommandLine, GitMergesByMeaning) {
  if (std::system("command -v git > /dev/null") != 0) GTEST_SKIP() << "no git";
  const std::string git = "git -c user.name=t -c user.email=t@example.org ";
  ASSERT_EQ(shell("git init -q -b main ."), 0);
  ASSERT_EQ(orrery({"git-setup", folder_}).code, 0);
  const std::string model = copy("bouncing_ball", "m.orr");
  ASSERT_EQ(shell("git add .gitattributes m.orr && " + git + "commit -qm base"), 0);
  // Neighbouring lines on both sides: a conflict for any tool that compares lines.
  ASSERT_EQ(shell("git checkout -qb theirs"), 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "set Ground direction=\"'both'\"", "--do", "add Display as D2", "--do",
                    "connect Split:2 D2:1"})
                .code,
            0);
  ASSERT_EQ(shell(git + "commit -qam theirs && git checkout -q main"), 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "rename Ground Floor", "--do", "add Display as D1", "--do",
                    "connect Split:1 D1:1"})
                .code,
            0);
  ASSERT_EQ(shell(git + "commit -qam ours"), 0);
  ASSERT_EQ(shell(git + "merge -q -m merged theirs"), 0) << read(file("shell.txt"));
  const std::string merged = read(model);
  EXPECT_NE(
      merged.find(
          R"("name": "Floor", "type": "ZeroCross", "about": "the height falls through zero", "parameters": {"direction": "'both'"})"),
      std::string::npos)
      << merged;
  EXPECT_NE(merged.find("\"D1\""), std::string::npos);
  EXPECT_NE(merged.find("\"D2\""), std::string::npos);
  EXPECT_EQ(orrery({"check", model}).code, 0);
  // A true conflict: git says so, and the file still opens.
  ASSERT_EQ(shell("git checkout -qb other"), 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "set Gravity value=1"}).code, 0);
  ASSERT_EQ(shell(git + "commit -qam other && git checkout -q main"), 0);
  ASSERT_EQ(orrery({"edit", model, "--do", "set Gravity value=2"}).code, 0);
  ASSERT_EQ(shell(git + "commit -qam main2"), 0);
  EXPECT_NE(shell(git + "merge -q -m merged2 other"), 0);
  EXPECT_NE(read(model).find("CONFLICT /Gravity: parameter value: ours 2, theirs 1, before -g"), std::string::npos);
  EXPECT_EQ(orrery({"check", model}).code, 0);
}

TEST_F(EditCommandLine, ScriptsMakeTheSameBytes) {
  std::vector<std::string> models;
  for (const auto& entry : fs::recursive_directory_iterator(examples)) {
    if (entry.path().extension() == ".orr") models.push_back(entry.path().string());
  }
  write(
      "all.orr",
      R"({"orrery": 1, "name": "it's", "initialization": ["a = 1;", "b = 'x';"], "blocks": [{"name": "P q", "type": "SuperBlock", "icon": "a\nb", "off": true, "activation": "initial",
    "diagram": {"mask": [{"name": "k", "prompt": "Größe", "default": "1"}, {"name": "m"}], "context": ["z = \"q\";\t% tab"], "blocks": [{"name": "G", "type": "Gain"}]}}, {"name": "A", "type": "Gain"}],
    "links": [{"from": "A:1", "to": ["A:1"], "name": "n"}, {"from": "A:1", "to": ["P q:1"]}], "notes": [{"text": "", "at": [1, 2, 3.5, 4]}],
    "layout": {"A": [0.1, -2, 1e+20, 0, "up"]}, "bends": {"A:1>A:1": [[1, 2.5], [3, 4]]}})");
  write(
      "kinds.orr",
      R"({"orrery": 2, "name": "u", "libraries": [{"name": "rail", "version": "2", "path": "../l", "key": "k"}, {"name": "other"}],
    "mask": [{"name": "top", "prompt": "of a file that others include", "default": "1"}], "blocks": [
    {"name": "P", "type": "SuperBlock", "diagram": {"atomic": true, "for_each": "columns", "count": "n + 1", "mask": [
      {"name": "k", "prompt": "Kind", "kind": "choice", "choices": ["a", "it's"], "default": "'a'", "visible": "m > 0", "valid": "true", "message": "no\nway"},
      {"name": "m", "kind": "check"}], "program": ["b = bdeAddBlock('Gain');", "% \"end\""], "blocks": []}},
    {"name": "Q", "type": "rail/Level/Block"}], "links": [], "bends": {}})");
  for (const char* name : {"all.orr", "kinds.orr"}) {
    const Outcome formatted = orrery({"fmt", file(name)});
    ASSERT_EQ(formatted.code, 0) << formatted.err;
    models.push_back(file(name));
  }
  const bool python = std::system("command -v python3 > /dev/null") == 0;
  for (const std::string& model : models) {
    const std::string name = fs::path(model).filename().string();
    const Outcome script = orrery({"show", "script", model});
    ASSERT_EQ(script.code, 0);
    fs::create_directories(file("again"));
    write("again/build.oml", script.out);
    ASSERT_EQ(shell("cd again && '" + orrery_binary() + "' oml build.oml"), 0) << model << read(file("shell.txt"));
    EXPECT_EQ(read(file("again/" + name)), read(model)) << model;
    if (!python) continue;
    const Outcome in_python = orrery({"show", "script", model, "--python"});
    ASSERT_EQ(in_python.code, 0);
    write("again/build.py", in_python.out);
    fs::remove(file("again/" + name));
    ASSERT_EQ(shell("cd again && " + python_with_module() + " build.py"), 0) << model << read(file("shell.txt"));
    EXPECT_EQ(read(file("again/" + name)), read(model)) << model;
  }
}

TEST_F(EditCommandLine, ScriptsEditModels) {
  const std::string model = copy("bouncing_ball", "ball.orr");
  const std::string script =
      write("s.oml", "m = bdeOpenModel('" + model +
                         "');\n"
                         "g = bdeFindBlocks(m, 'Scope');\nassert(numel(g), 2);\n"
                         "bdeAddBlock(m, '/K', 'Gain', {'k', '3'});\nbdeConnect(m, '/Split:1', '/K:1');\n"
                         "bdeSetParameter(m, '/K', 'k', '4');\nassert(bdeGetParameter(m, '/K', 'k'), '4');\n"
                         "p = bdeGroup(m, {'/K', '/Split'}, 'Views');\nassert(p, '/Views');\n"
                         "bdeEdit(m, 'arrange');\nbdeSave(m);\n");
  const Outcome outcome = orrery({"oml", script});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(orrery({"check", model}).code, 0);
}

TEST_F(EditCommandLine, PythonEditsModels) {
  if (std::system("command -v python3 > /dev/null") != 0) GTEST_SKIP() << "no python3";
  const std::string model = copy("bouncing_ball", "ball.orr");
  write("edit.py",
        "from orrery import Model, OrreryError\n"
        "m = Model.open('ball.orr')\n"
        "assert m.find_blocks('Scope') == ['/Height', '/Speed'], m.find_blocks('Scope')\n"
        "m.add_block('/K', 'Gain', {'k': '3'}, about=\"it's\")\n"
        "m.connect('/Split:1', ['/K:1'])\n"
        "m.set_parameter('/K', 'k', '4')\n"
        "assert m.get_parameter('/K', 'k') == '4'\n"
        "assert m.group(['/K', '/Split'], 'Views') == '/Views'\n"
        "m.set_atomic('/Views', True)\n"
        "m.save()\n"
        "m.set_parameter('/Nothing', 'k', '4')\n"
        "try:\n"
        "    m.save('other.orr')\n"
        "except OrreryError as error:\n"
        "    assert 'edit.py:11' in str(error) and 'Nothing' in str(error), error\n"
        "else:\n"
        "    raise SystemExit('a mistake passed')\n"
        "m.save('other.orr')\n");
  ASSERT_EQ(shell(python_with_module() + " edit.py"), 0) << read(file("shell.txt"));
  EXPECT_EQ(read(file("other.orr")), read(model));
  EXPECT_NE(read(model).find("\"atomic\": true"), std::string::npos);
}

// Damaged files and wild commands: an exit code, a message, never a crash.
TEST_F(EditCommandLine, FuzzedInputsAreToldWhatIsWrong) {
  std::mt19937 random(23);
  const std::string good = read(example("queue"));
  const char* wanted = std::getenv("ORRERY_FUZZ_CASES");  // for longer runs by hand
  const int cases = wanted != nullptr ? std::atoi(wanted) : 25;
  for (int k = 0; k < cases; ++k) {
    std::string text = good;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random() & 0xff); break;
        case 1: text.erase(at, random() % 40); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
      }
    }
    const std::string bad = write("bad.orr", text), base = example("queue");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"picture", bad, "-o", file("x.svg")},
          {"diff", base, bad, "--picture", file("x.html"), "-q"},
          {"merge", base, bad, base, "-o", file("x.orr")},
          {"edit", bad, "--dry-run", "--do", "arrange", "--do", "group G Length Area"},
          {"show", "script", bad}}) {
      const Outcome outcome = orrery(words);
      EXPECT_TRUE(outcome.code == 0 || outcome.code == 1 || outcome.code == 2)
          << outcome.code << " " << words[0] << "\n"
          << text;
      if (outcome.code != 0 && words[0] != "diff" && words[0] != "merge") {
        EXPECT_NE(outcome.err.find("error["), std::string::npos) << words[0];
      }
    }
  }
}

TEST_F(EditCommandLine, EditsThatWereNotSavedAreRecovered) {
  const std::string model = copy("bouncing_ball", "ball.orr");
  // A script that goes on and on, killed in the middle.
  std::string commands;
  for (int k = 0; k < 20000; ++k) commands += "add Gain as N" + std::to_string(k) + "\n";
  const pid_t child = start({"edit", model, "--script", write("long.txt", commands)});
  let_compute(child, 0.3);
  ::kill(child, SIGKILL);
  finish(child);
  const Outcome refused = orrery({"edit", model, "--do", "arrange"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("error[unsaved-edits]"), std::string::npos);
  ASSERT_EQ(orrery({"edit", model, "--recover"}).code, 0);
  EXPECT_NE(read(model).find("\"N0\""), std::string::npos);
  EXPECT_EQ(orrery({"edit", model, "--do", "remove N0"}).code, 0);
}

}  // namespace
}  // namespace orrery::tests::edit_cli_test
