// SPDX-License-Identifier: Apache-2.0
// The commands that README and docs show, as they stand there, one document after the other, each in a folder with the
// files it speaks of; and the code they show is the code that is compiled.
#include <algorithm>
#include <cctype>

#include "command_line.h"

namespace orrery::tests::docs_commands_test {
namespace {

// They speak of files that the reader has, of placeholders, or do not come back.
const char* const left_out[] = {"X.fmu", "with_fmu", "MODEL", "SPEC", "FILE", "serve", "crosscheck", "examples/fmu"};

class DocsCommands : public CommandLine {
 protected:
  // A folder as the documents assume it: the program, the examples, a few small models.
  void prepare() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/build");
    fs::create_symlink(orrery_binary(), file("build/orrery"));
    fs::create_directory_symlink(source_folder() + "/examples", file("examples"));
    const std::string small = R"({"orrery": 2, "name": "m", "blocks": [
      {"name": "Integral", "type": "Integral"}, {"name": "Scope", "type": "Scope"}], "links": []})";
    for (const char* name : {"m.orr", "model.orr", "old.orr", "new.orr", "base.orr", "ours.orr", "theirs.orr"})
      write(name, small);
    write("build.txt", "add Gain as K\n");
    write("plant.orr", R"({"orrery": 2, "name": "plant", "blocks": [
      {"name": "Servo", "type": "SuperBlock", "diagram": {"blocks": [
        {"name": "u", "type": "Input"}, {"name": "i", "type": "Integral"}, {"name": "y", "type": "Output"}],
        "links": [{"from": "u:1", "to": ["i:1"]}, {"from": "i:1", "to": ["y:1"]}]}}], "links": []})");
  }
};

TEST_F(DocsCommands, Work) {
  std::vector<std::string> documents{source_folder() + "/README.md"};
  for (const auto& entry : fs::directory_iterator(source_folder() + "/docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  std::sort(documents.begin(), documents.end());
  int tried = 0;
  for (const std::string& document : documents) {
    prepare();
    std::istringstream lines(read(document));
    std::string line;
    while (std::getline(lines, line)) {
      if (!line.starts_with("    build/orrery ") && !line.starts_with("    orrery ")) continue;
      const bool skipped = std::any_of(std::begin(left_out), std::end(left_out),
                                       [&](const char* word) { return line.find(word) != std::string::npos; });
      if (skipped) continue;
      ++tried;
      if (line.starts_with("    build/orrery edit new.orr") || line.starts_with("    orrery edit new.orr"))
        fs::remove(file("new.orr"));
      const std::string command = "cd '" + folder_ + "' && export HOME='" + folder_ + "' XDG_STATE_HOME='" + folder_ +
                                  "/state' XDG_DATA_HOME='" + folder_ + "/data' PATH='" + folder_ +
                                  "/build':\"$PATH\" && (" + line + "\n) > shell.txt 2>&1 < /dev/null";
      const int status = std::system(command.c_str());
      // diff says with 1 that files differ.
      const int most = line.find("orrery diff") == std::string::npos ? 0 : 1;
      EXPECT_TRUE(WEXITSTATUS(status) <= most) << document << ": " << line << "\n" << read(file("shell.txt"));
    }
  }
  EXPECT_GT(tried, 30);
}

std::string without_blanks(const std::string& text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
               [](unsigned char c) { return std::isspace(c) == 0; });
  return kept;
}

std::vector<std::string> code_in(const std::string& document, const std::string& language) {
  std::vector<std::string> found;
  for (std::size_t at = document.find("```" + language + "\n"); at != std::string::npos;
       at = document.find("```" + language + "\n", at)) {
    at += language.size() + 4;
    found.push_back(document.substr(at, document.find("```", at) - at));
  }
  return found;
}

// Whole block types in the page on writing blocks are those of the library; the program in the page on embedding is the
// example, which is compiled and run elsewhere.
TEST_F(DocsCommands, ShowCodeThatExists) {
  std::string library;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "/src/blocks")) {
    if (entry.path().extension() == ".cpp") library += without_blanks(read(entry.path()));
  }
  int types = 0;
  for (const std::string& code : code_in(read(source_folder() + "/docs/writing_blocks.md"), "cpp")) {
    if (code.find("const BlockType") == std::string::npos) continue;
    ++types;
    EXPECT_NE(library.find(without_blanks(code)), std::string::npos) << code;
  }
  EXPECT_GE(types, 2);
  const auto programs = code_in(read(source_folder() + "/docs/embedding.md"), "cpp");
  ASSERT_FALSE(programs.empty());
  EXPECT_NE(without_blanks(read(examples + "embed/main.cpp")).find(without_blanks(programs[0])), std::string::npos);
}

// The mask and the program of the page on super blocks, in models.
TEST_F(DocsCommands, SuperBlocksOfThePageWork) {
  const std::string page = read(source_folder() + "/docs/super_blocks.md");
  const auto masks = code_in(page, "json"), programs = code_in(page, "matlab");
  ASSERT_TRUE(masks.size() == 1 && programs.size() == 1);
  const auto model = [&](const std::string& parameters, const std::string& inside) {
    return R"({"orrery": 2, "name": "m", "simulation": {"stop": "3"}, "blocks": [
      {"name": "Clock", "type": "SampleClock"}, {"name": "Count", "type": "Counter"},
      {"name": "S", "type": "SuperBlock", "parameters": {)" +
           parameters + R"(}, "diagram": {)" + inside + R"(}}, {"name": "Scope", "type": "Scope"}],
      "links": [{"event": "Clock:1", "to": ["Count:1"]}, {"from": "Count:1", "to": ["S:1"]},
      {"from": "S:1", "to": ["Scope:1"]}]})";
  };
  const std::string gain = R"(, "blocks": [{"name": "u", "type": "Input"},
      {"name": "g", "type": "Gain", "parameters": {"k": "k"}}, {"name": "y", "type": "Output"}],
      "links": [{"from": "u:1", "to": ["g:1"]}, {"from": "g:1", "to": ["y:1"]}])";
  const std::string good = write("mask.orr", model(R"("k": "3", "law": "'cubic'", "fast": "true")", masks[0] + gain));
  EXPECT_EQ(orrery({"run", good, "--quiet"}).code, 0);
  const Outcome bad = orrery({"run", write("bad.orr", model(R"("k": "-3")", masks[0] + gain)), "--quiet"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("must pull"), std::string::npos) << bad.err;
  std::string lines;
  std::istringstream text(programs[0]);
  for (std::string line; std::getline(text, line);) lines += (lines.empty() ? "\"" : ", \"") + line + "\"";
  const std::string made = R"("mask": [{"name": "n", "prompt": "number", "default": "2"},
      {"name": "z0", "prompt": "begin", "default": "[5 6]"}], "program": [)" +
                           lines + R"(], "blocks": [], "links": [])";
  const Outcome run = orrery({"run", write("made.orr", model("", made)), "--quiet", "--out", "-"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("\n3,2"), std::string::npos) << run.out;  // one tick late
}

}  // namespace
}  // namespace orrery::tests::docs_commands_test
