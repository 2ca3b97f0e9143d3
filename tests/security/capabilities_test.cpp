// SPDX-License-Identifier: Apache-2.0
// The whole table: who wants what, which command, which place of a model. Each is refused with its place and the way to
// allow it, does nothing then, and works when it is allowed.
#include <gtest/gtest.h>

#include "api/model_functions.h"
#include "api/oml_evaluator.h"
#include "hostile_model.h"

namespace orrery::tests::capabilities_test {
namespace {

struct Wish {
  std::string capability;
  std::string words;       // OML
  std::string trace = {};  // a file that is there when it was done
};

struct Model {
  std::string who;  // for messages of the test
  std::string file;
  std::string place;   // what the refusal says of it
  std::string wanted;  // which capability
  std::string trace = {};
  bool when_compiled = true;  // else the run is what asks
  bool loads = true;          // false: when it is allowed, what is missing is found out
};

class CapabilityTable : public HostileModel {
 protected:
  void SetUp() override {
    HostileModel::SetUp();
    fs::copy_file(test_fmu_folder() + "/dahlquist_2.fmu", file("model/d.fmu"));
    wishes_ = {{"write", "f = fopen('" + file("outside/made") + "', 'w'); fclose(f);", file("outside/made")},
               {"write", "q = bdeNewModel('a'); bdeSave(q, '" + file("outside/made") + "');", file("outside/made")},
               {"read", "t = fileread('" + file("outside/secret.txt") + "');"},
               {"read", "q = bdeOpenModel('" + write("outside/o.orr", R"({"orrery": 2, "name": "o"})") + "');"},
               {"environment", "setenv('ORRERY_TABLE', '1');"},
               {"native", "r = fmurun('" + file("model/d.fmu") + "', 'stop', 0.1);"}};
  }

  std::string block(const std::string& type, const std::vector<std::pair<std::string, std::string>>& parameters) const {
    std::string list;
    for (const auto& [name, text] : parameters) list += (list.empty() ? "" : ", ") + quoted(name) + ": " + quoted(text);
    return fmt::format(R"({{"name": "B", "type": "{}", "parameters": {{{}}}}})", type, list);
  }

  // Each place of a model that holds a script, for each wish of a script.
  std::vector<Model> scripts() const {
    std::vector<Model> all;
    for (const Wish& wish : wishes_) {
      const std::string number = std::to_string(all.size());
      const auto add = [&](const std::string& who, const std::string& path, const std::string& place, bool compiled) {
        all.push_back({who + ": " + wish.words, path, place, wish.capability, wish.trace, compiled});
      };
      add("initialization", model({"a = 1;", wish.words}, {}, "i" + number + ".orr"), "at line 2, column", true);
      const std::string function = "function y = g(), " + wish.words + " y = 1; end";
      const std::string gain = block("Gain", {{"k", "g()"}});
      add("parameter", model({function}, gain, "p" + number + ".orr"), "", true);
      const std::string context = fmt::format(
          R"({{"orrery": 2, "name": "c", "simulation": {{"stop": "0.1"}}, "context": ["a = 1;", {}],
 "blocks": [{{"name": "C", "type": "Constant"}}]}})",
          quoted(wish.words));
      add("context", write("model/c" + number + ".orr", context), "at line 2, column", true);
      const std::string code =
          "function f(block, flag)\nif flag == 1\n" + wish.words + "\nvssSetOutputData(block, 1, 1);\n" + "end\nend";
      const std::string oml = fmt::format(
          R"({{"orrery": 2, "name": "o", "simulation": {{"stop": "0.1"}},
 "blocks": [{}, {{"name": "S", "type": "Scope"}}], "links": [{{"from": "B:1", "to": ["S:1"]}}]}})",
          block("OmlCustomBlock", {{"code", code}, {"insizes", "[]"}, {"outsizes", "[1 1]"}}));
      add("OmlCustomBlock", write("model/o" + number + ".orr", oml), "/B", false);
    }
    return all;
  }

  std::vector<Model> machine_code() const {
    const std::string c =
        "#include \"vss_block4.h\"\nvoid f(vss_block* block, int flag) { (void)block; (void)flag; }\n";
    write("model/f.c", c);
    write("model/none.so", "no library");
    const std::string none = "[]";
    return {
        {"FMU", model({}, fmu_block("d.fmu"), "fmu.orr"), "/F", "native"},
        {"CCustomBlock with a text",
         model({}, block("CCustomBlock", {{"code", c}, {"function", "'f'"}, {"insizes", none}, {"outsizes", none}}),
               "c_text.orr"),
         "/B", "native"},
        {"CCustomBlock in a process of its own",
         model({},
               block("CCustomBlock",
                     {{"code", c}, {"function", "'f'"}, {"insizes", none}, {"outsizes", none}, {"safe", "1"}}),
               "c_safe.orr"),
         "/B", "native"},
        {"CCustomBlock with a file",
         model({},
               block("CCustomBlock", {{"source", "'f.c'"}, {"function", "'f'"}, {"insizes", none}, {"outsizes", none}}),
               "c_file.orr"),
         "/B", "native"},
        {"CCustomBlock with a library",
         model({},
               block("CCustomBlock",
                     {{"library", "'none.so'"}, {"function", "'f'"}, {"insizes", none}, {"outsizes", none}}),
               "c_library.orr"),
         "/B",
         "native",
         {},
         true,
         false},
        {"CppBlock",
         model({}, block("CppBlock", {{"library", "'none.so'"}, {"block", "'x'"}}), "cpp.orr"),
         "/B",
         "native",
         {},
         true,
         false}};
  }

  void expect_asked(const Model& given) const {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check"}, {"run", "--quiet"}, {"show", "program"}}) {
      if (!given.when_compiled && command[0] != "run") continue;
      const std::string who = given.who + " with " + command[0];
      std::vector<std::string> words = command;
      words.push_back(given.file);
      const Outcome refused = orrery(words);
      EXPECT_EQ(refused.code, 1) << who << refused.err;
      EXPECT_TRUE(contains(refused.err, "error[needs-consent]")) << who << refused.err;
      EXPECT_TRUE(contains(refused.err, "the model wants to ")) << who << refused.err;
      EXPECT_TRUE(contains(refused.err, given.place)) << who << refused.err;
      EXPECT_TRUE(contains(refused.err, "--allow " + given.wanted)) << who << refused.err;
      EXPECT_FALSE(!given.trace.empty() && fs::exists(given.trace)) << who;
      // All others do not help: only native has all in it, and writing does not need reading.
      if (command[0] == "show") continue;
      for (const char* other : {"read", "write", "shell", "environment", "network"}) {
        if (other == given.wanted || command[0] != "check") continue;
        std::vector<std::string> more = words;
        more.insert(more.end(), {"--allow", other});
        EXPECT_EQ(orrery(more).code, 1) << who << " with " << other;
        EXPECT_FALSE(!given.trace.empty() && fs::exists(given.trace)) << who;
      }
      words.insert(words.end(), {"--allow", given.wanted});
      const Outcome allowed = orrery(words);
      EXPECT_FALSE(contains(allowed.err, "needs-consent")) << who << allowed.err;
      EXPECT_TRUE(!given.loads || allowed.code == 0) << who << allowed.err;
      EXPECT_TRUE(given.trace.empty() || fs::exists(given.trace)) << who << allowed.err;
      if (!given.trace.empty()) fs::remove(given.trace);
    }
  }
  std::vector<Wish> wishes_;
};

TEST_F(CapabilityTable, ScriptsInEveryPlace) {
  for (const Model& each : scripts()) expect_asked(each);
}

TEST_F(CapabilityTable, EveryKindOfMachineCode) {
  for (const Model& each : machine_code()) expect_asked(each);
}

// The evaluator that all front ends have behind them.
TEST_F(CapabilityTable, TheEvaluator) {
  for (const Wish& wish : wishes_) {
    std::string unknown;
    const auto allowed = parse_capabilities(wish.capability, unknown);
    ASSERT_TRUE(allowed);
    for (const bool may : {false, true}) {
      api::OmlEvaluator evaluator(Consent::of_model(file("model/m.orr"), may ? *allowed : Capabilities()));
      Diagnostics diagnostics;
      evaluator.run({"a = 1;", wish.words}, {"m.orr", 3, 0, {}, "context"}, diagnostics);
      EXPECT_EQ(diagnostics.has_errors(), !may) << wish.words << to_text(diagnostics);
      EXPECT_EQ(contains(to_text(diagnostics), "--allow " + wish.capability), !may) << to_text(diagnostics);
      EXPECT_TRUE(may || diagnostics.all().at(0).place.line == 4) << to_text(diagnostics);
      EXPECT_TRUE(wish.trace.empty() || fs::exists(wish.trace) == may) << wish.words;
    }
    if (!wish.trace.empty()) fs::remove(wish.trace);
  }
}

// Nothing that a script can call starts programs or reaches other machines: these names have no meaning.
TEST_F(CapabilityTable, NoFunctionStartsProgramsOrReachesOtherMachines) {
  for (const char* name :
       {"system",  "dos",      "unix",    "shell_cmd", "popen",       "spawn",     "exec", "fork",
        "urlread", "urlwrite", "webread", "websave",   "webwrite",    "tcpclient", "java", "javaObject",
        "py",      "python",   "perl",    "mex",       "loadlibrary", "dlopen"}) {
    api::OmlEvaluator evaluator(Consent::everything());
    Diagnostics diagnostics;
    evaluator.run({fmt::format("x = {}('true');", name)}, {"m.orr", 1, 0, {}, "context"}, diagnostics);
    EXPECT_TRUE(contains(to_text(diagnostics), "undefined-name")) << name << to_text(diagnostics);
  }
}

// Whatever a function is called: with paths for arguments it makes, changes and removes nothing elsewhere, and what is
// there does not come back. For those that forget to ask.
TEST_F(CapabilityTable, NoFunctionReachesElsewhere) {
  const std::string token = "token_of_the_user";
  const std::string secret = write("outside/secret.txt", token + "\n"),
                    other = write("outside/numbers.csv", "31415926,2\n");
  const std::string saved = write("outside/o.orr", R"({"orrery": 2, "name": ")" + token + R"("})");
  const auto outside = [&] {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(file("outside")))
      all += entry.path().string() + "=" + (entry.is_regular_file() ? read(entry.path()) : "") + ";";
    return all;
  };
  const std::string before = outside();
  std::string said;
  oml::InterpreterOptions options;
  options.output = [&](std::string_view text) { said += text; };
  options.consent = Consent::of_model(file("model/m.orr"), {});
  options.families = api::model_families();
  options.most_seconds = 300;
  oml::Interpreter interpreter(options);
  std::vector<std::string> names;
  const auto add = [&](const oml::BuiltinFamily& family) {
    for (const oml::Builtin& builtin : family) names.emplace_back(builtin.name);
  };
  for (const oml::BuiltinFamily& family : oml::builtin_families()) add(family);
  for (const oml::BuiltinFamily& family : options.families) add(family);
  ASSERT_GT(names.size(), 700U);
  const std::string made = file("outside/made");
  for (const std::string& name : names) {
    if (name == "exit" || name == "quit" || name == "input" || name == "keyboard" || name == "pause") continue;
    for (const std::string& path : {secret, other, saved, made, file("outside")}) {
      for (const std::string& arguments :
           {fmt::format("'{}'", path), fmt::format("'{}', 1", path), fmt::format("1, '{}'", path),
            fmt::format("'{}', 'w'", path), fmt::format("bdeNewModel('a'), '{}'", path),
            fmt::format("'{0}', '{0}'", path)}) {
        said.clear();
        static_cast<void>(interpreter.run_text(fmt::format("x_ = {0}({1});", name, arguments), "m.oml"));
        static_cast<void>(interpreter.run_text("x_", "m.oml"));
        ASSERT_FALSE(contains(said, "31415926") || (contains(said, token) && path != file("outside")))
            << name << "(" << arguments << ") shows what is in a file elsewhere:\n"
            << said;
      }
      ASSERT_EQ(outside(), before) << name << " has changed something elsewhere";
    }
  }
}

}  // namespace
}  // namespace orrery::tests::capabilities_test
