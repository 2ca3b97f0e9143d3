// SPDX-License-Identifier: Apache-2.0
// Every capability: a model that wants it is refused by every command, with the line, and works when it is allowed.
#include <gtest/gtest.h>

#include "api/model.h"
#include "api/oml_evaluator.h"
#include "api/session.h"
#include "hostile_model.h"

namespace orrery::tests::consent_test {
namespace {

class ConsentOfModels : public HostileModel {
 protected:
  // Refused at this line of the model file by check, show and run; done by none of them; done when it is allowed.
  void expect_asked(const std::string& line, const std::string& capability, const std::string& trace = {}) {
    const std::string file_name = model({"a = 1;", line});
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check"}, {"run", "--quiet"}, {"show", "program"}, {"show", "code"}}) {
      std::vector<std::string> words = command;
      words.push_back(file_name);
      const Outcome refused = orrery(words);
      EXPECT_EQ(refused.code, 1) << line << refused.err;
      EXPECT_TRUE(contains(refused.err, "error[needs-consent]")) << line << refused.err;
      EXPECT_TRUE(contains(refused.err, "--allow " + capability)) << line << refused.err;
      EXPECT_TRUE(contains(refused.err, "at line 2, column")) << line << refused.err;
      EXPECT_FALSE(!trace.empty() && fs::exists(trace)) << line;
      words.insert(words.end(), {"--allow", capability});
      if (command[0] != "check" && command[0] != "run") continue;
      const Outcome allowed = orrery(words);
      EXPECT_EQ(allowed.code, 0) << line << allowed.err;
      EXPECT_TRUE(trace.empty() || fs::exists(trace)) << line;
      if (!trace.empty()) fs::remove_all(trace);
    }
  }
};

TEST_F(ConsentOfModels, Write) {
  const std::string made = file("outside/made"), kept = file("outside/secret.txt");
  expect_asked("f = fopen('" + made + "', 'w'); fclose(f);", "write", made);
  expect_asked("f = fopen('" + made + "', 'a+'); fclose(f);", "write", made);
  expect_asked("save('" + made + "', 'a');", "write", made);
  expect_asked("csvwrite('" + made + "', 1);", "write", made);
  expect_asked("mkdir('" + made + "');", "write", made);
  expect_asked("plot(1:3); print('" + made + ".svg');", "write", made + ".svg");
  const std::string refused = orrery({"run", model({"delete('" + kept + "');"})}).err;
  EXPECT_TRUE(contains(refused, "needs-consent") && fs::exists(kept)) << refused;
  EXPECT_TRUE(contains(orrery({"run", model({"rename('" + kept + "', 'x');"})}).err, "needs-consent"));
}

TEST_F(ConsentOfModels, Environment) {
  expect_asked("setenv('CC', '/bin/false');", "environment");
  expect_asked("x = getenv('HOME');", "environment");
  expect_asked("cd('/');", "environment");
}

TEST_F(ConsentOfModels, ReadElsewhere) {
  const std::string secret = file("outside/secret.txt");
  expect_asked("x = fileread('" + secret + "');", "read");
  expect_asked("x = load('" + secret + "');", "read");
  expect_asked("x = dlmread('" + secret + "');", "read");
  expect_asked("f = fopen('" + secret + "');", "read");
  expect_asked("x = isfile('" + secret + "');", "read");
  expect_asked("x = exist('" + secret + "');", "read");
  expect_asked("addpath('" + file("outside") + "');", "read");
  fs::create_symlink(secret, file("model/link.txt"));
  expect_asked("x = fileread('" + file("model/link.txt") + "');", "read");
  const std::string other = write("outside/o.orr", R"({"orrery": 1, "name": "o"})");
  expect_asked("bdeLoadModel('" + other + "');", "read");
}

// A library that the model names itself is a folder elsewhere; no name of a block leads out of a library.
TEST_F(ConsentOfModels, LibrariesElsewhere) {
  for (const char* folder : {"outside/lib/B", "outside/x", "model/own/B"}) fs::create_directories(file(folder));
  const std::string block = R"({"orrery": 2, "name": "B", "blocks": [{"name": "C", "type": "Constant"}]})";
  for (const char* name : {"outside/lib/B/B.orr", "outside/x/x.orr", "model/own/B/B.orr"}) write(name, block);
  for (const char* folder : {"outside/lib", "model/own"})
    write(folder + std::string("/library.json"), R"({"library": "lib", "version": 1, "key": "k"})");
  const auto uses = [&](const std::string& path, const std::string& type) {
    return write("model/l.orr",
                 fmt::format(R"({{"orrery": 2, "name": "m", "libraries": [{{"name": "lib", "path": "{}"}}],
 "blocks": [{{"name": "B", "type": "{}"}}]}})",
                             path, type));
  };
  const Outcome elsewhere = orrery({"check", uses("../outside/lib", "lib/B")});
  EXPECT_TRUE(contains(elsewhere.err, "error[needs-consent]: /B")) << elsewhere.err;
  const Outcome allowed = orrery({"check", uses("../outside/lib", "lib/B"), "--allow", "read"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  const Outcome own = orrery({"check", uses("own", "lib/B")});
  EXPECT_EQ(own.code, 0) << own.err;
  const Outcome out = orrery({"check", uses("own", "lib/../../../outside/x")});
  EXPECT_TRUE(contains(out.err, "unknown-block")) << out.err;
}

TEST_F(ConsentOfModels, FilesOfItsFolderNeedNone) {
  write("model/data.csv", "1,2\n");
  const std::string name = file("model/data.csv");
  const Outcome outcome =
      orrery({"run", "--quiet",
              model({"x = csvread('" + name + "');", "f = fopen('" + name + "'); fclose(f);", "y = x(2);"})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ConsentOfModels, NativeCodeOfScripts) {
  expect_asked("r = fmurun('" + test_fmu_folder() + "/dahlquist_2.fmu');", "native");
}

TEST_F(ConsentOfModels, NativeCodeOfBlocks) {
  fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
  const std::string name = model({}, fmu_block("d.fmu"));
  for (const char* command : {"check", "run"}) {
    const Outcome refused = orrery({command, name});
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_TRUE(contains(refused.err, "error[needs-consent]: /F: the model wants to run native code: fmu"))
        << refused.err;
    EXPECT_TRUE(contains(refused.err, "--allow native")) << refused.err;
    const Outcome allowed = orrery({command, name, "--allow", "native"});
    EXPECT_EQ(allowed.code, 0) << allowed.err;
  }
  // The description of an FMU elsewhere is a file elsewhere.
  const Outcome elsewhere = orrery({"check", model({}, fmu_block(test_fmu_folder() + "/dahlquist_2.fmu"))});
  EXPECT_TRUE(contains(elsewhere.err, "error[needs-consent]: /F")) << elsewhere.err;
}

// The C texts of a source FMU are not even compiled by check.
TEST_F(ConsentOfModels, CheckNeverRunsNativeCode) {
  fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
  const std::string name = model({}, fmu_block("d.fmu"));
  const std::string log = file("calls.txt");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", name}, {"show", "program", name}, {"show", "variables", name}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--allow", "all"});
    ::setenv("TMPDIR", "/none/such", 1);  // an FMU that is run needs a folder to be unpacked to
    const Outcome outcome = orrery(all);
    ::unsetenv("TMPDIR");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

// Wherever a text stands: parameters, contexts, texts of blocks, masks.
TEST_F(ConsentOfModels, EveryTextOfAModelIsAScript) {
  const std::string reads = "numel(fileread('" + file("outside/secret.txt") + "'))";
  const auto block = [&](const std::string& type, const std::string& parameter, const std::string& value) {
    return fmt::format(R"({{"name": "B", "type": "{}", "parameters": {{"{}": {}}}}})", type, parameter, quoted(value));
  };
  for (const std::string& text :
       {block("Constant", "value", reads), block("Gain", "k", reads),
        block("MathExpression", "expression",
              "'" + fmt::format("u1+numel(fileread(''{}''))", file("outside/secret.txt")) + "'")}) {
    const Outcome outcome = orrery({"check", model({}, text)});
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_TRUE(contains(outcome.err, "needs-consent")) << text << outcome.err;
  }
  const Outcome set = orrery({"check", model({"k = 1;"}), "--set", "k=" + reads});
  EXPECT_TRUE(contains(set.err, "needs-consent")) << set.err;
}

TEST_F(ConsentOfModels, NothingInAScriptCatchesARefusal) {
  const std::string wanted = "setenv('X', '1')";
  for (const std::string& line :
       {"try, " + wanted + "; catch e, a = 2; end", "eval(\"" + wanted + "\", \"a = 2;\");",
        std::string("x = cellfun(@(n) setenv(n, '1'), {'X'}, 'ErrorHandler', @(varargin) 1);"),
        std::string("x = str2num(\"getenv('X')\");"), std::string("s = evalc(\"") + wanted + "\");",
        std::string("f = str2func('setenv'); f('X', '1');"), std::string("feval('setenv', 'X', '1');"),
        std::string("x = fzero(@(x) numel(getenv('X')), 0);")}) {
    const Outcome outcome = orrery({"run", "--quiet", model({line})});
    EXPECT_EQ(outcome.code, 1) << line << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "needs-consent")) << line << outcome.err;
  }
}

// A model that another one runs may do what that one may.
TEST_F(ConsentOfModels, ModelsRunByScriptsInherit) {
  fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
  const std::string inner = model({"setenv('X', '1');"}, fmu_block("d.fmu"), "inner.orr");
  const std::string run = "r = vssRunSimulation('" + inner + "');";
  EXPECT_TRUE(contains(orrery({"run", model({run})}).err, "needs-consent"));
  EXPECT_TRUE(contains(orrery({"run", model({run}), "--allow", "environment"}).err, "--allow native"));
  const Outcome both = orrery({"run", "--quiet", model({run}), "--allow", "environment,native"});
  EXPECT_EQ(both.code, 0) << both.err;
  const Outcome script = orrery({"oml", "-e", run + " setenv('Y', '2'); disp(getenv('Y'))"});
  EXPECT_EQ(script.code, 0) << script.out << script.err;
}

TEST_F(ConsentOfModels, UnknownCapabilitiesAreUsageErrors) {
  const Outcome outcome = orrery({"run", "x.orr", "--allow", "write,everything"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "there is no everything")) << outcome.err;
}

// Programs that embed the engine, and the evaluator behind all of it.
TEST_F(ConsentOfModels, TheFrontDoorAllowsNothingByItself) {
  fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
  Diagnostics diagnostics;
  const auto opened = api::Model::open(model({}, fmu_block("d.fmu")), diagnostics);
  ASSERT_TRUE(opened) << to_text(diagnostics);
  EXPECT_FALSE(opened->compile({}, diagnostics));
  EXPECT_TRUE(contains(to_text(diagnostics), "needs-consent")) << to_text(diagnostics);
  Diagnostics allowed;
  EXPECT_TRUE(opened->compile({.allow = Capability::native}, allowed)) << to_text(allowed);

  Diagnostics refused;
  api::make_evaluator()->run({"setenv('X', '1');"}, {"m.orr", 3, 0, {}, "context"}, refused);
  ASSERT_EQ(refused.error_count(), 1);
  EXPECT_EQ(refused.all()[0].code, "needs-consent");
  EXPECT_EQ(refused.all()[0].place.line, 3);
}

class RecordedTrust : public HostileModel {};

TEST_F(RecordedTrust, HoldsUntilATextChanges) {
  fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
  const std::string name = model({"setenv('X', '1');"}, fmu_block("d.fmu"));
  EXPECT_EQ(orrery({"check", name}).code, 1);
  ASSERT_EQ(orrery({"trust", name}).code, 0);
  EXPECT_EQ(fs::status(file("config/orrery/trust")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(orrery({"run", name, "--quiet"}).code, 0);
  EXPECT_TRUE(contains(orrery({"trust", "--list"}).out, "(holds)"));
  write("model/data.csv", "1,2\n");  // data are no texts that run
  EXPECT_EQ(orrery({"check", name}).code, 0);
  write("model/f.oml", "function f()\nend\n");
  const Outcome changed = orrery({"check", name});
  EXPECT_EQ(changed.code, 1);
  EXPECT_TRUE(contains(changed.err, "has changed since")) << changed.err;
  EXPECT_TRUE(contains(orrery({"trust", "--list"}).out, "has changed since"));
  ASSERT_EQ(orrery({"trust", file("model"), "--allow", "native"}).code, 0);  // the whole folder, not all of it
  EXPECT_TRUE(contains(orrery({"check", name}).err, "--allow environment"));
  const std::string other = model({}, fmu_block("d.fmu"), "other.orr");
  EXPECT_EQ(orrery({"check", other}).code, 1);  // it is new
  ASSERT_EQ(orrery({"trust", file("model"), "--allow", "native"}).code, 0);
  EXPECT_EQ(orrery({"check", other}).code, 0);
  ASSERT_EQ(orrery({"trust", file("model"), "--remove"}).code, 0);
  EXPECT_EQ(orrery({"check", other}).code, 1);
  EXPECT_EQ(orrery({"trust", file("model"), "--remove"}).code, 1);
  EXPECT_EQ(orrery({"trust", file("none")}).code, 1);
  EXPECT_EQ(orrery({"trust"}).code, 2);
}

TEST_F(RecordedTrust, IsIgnoredWhereOthersCanWriteIt) {
  const std::string name = model({"setenv('X', '1');"});
  ASSERT_EQ(orrery({"trust", name}).code, 0);
  const std::string records = file("config/orrery/trust");
  EXPECT_EQ(orrery({"check", name}).code, 0);
  fs::permissions(records, fs::perms::group_write, fs::perm_options::add);
  Outcome outcome = orrery({"check", name});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "trust-ignored")) << outcome.err;
  fs::permissions(records, fs::perms::group_write, fs::perm_options::remove);
  std::ofstream(records, std::ios::app) << "nonsense\n";
  EXPECT_TRUE(contains(orrery({"check", name}).err, "damaged"));
  fs::rename(records, file("elsewhere"));
  fs::create_symlink(file("elsewhere"), records);
  EXPECT_TRUE(contains(orrery({"check", name}).err, "is a link"));
}

}  // namespace
}  // namespace orrery::tests::consent_test
