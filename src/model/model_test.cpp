// SPDX-License-Identifier: Apache-2.0
// Loading, canonical writing and every diagnostic of .orr files.
#include "model/model.h"
#include "base/folders_for_tests.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "model/closest_name.h"
#include "model/fields.h"
#include "model/limits.h"
#include "model/sample_test.h"

namespace orrery::model {
namespace {

struct Parsed {
  std::optional<Model> model;
  Diagnostics diagnostics;
};

Parsed parse_text(std::string_view text) {
  Parsed result;
  result.model = parse(text, "test.orr", result.diagnostics);
  return result;
}

std::string file_text(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Model, ReadsTheSample) {
  const Parsed parsed = parse_text(sample_text);
  ASSERT_TRUE(parsed.model) << to_text(parsed.diagnostics);
  const Model& model = *parsed.model;
  EXPECT_EQ(model.name, "bouncing_ball");
  EXPECT_EQ(model.settings.stop.text, "30");
  EXPECT_EQ(model.settings.stop.line, 5);
  EXPECT_EQ(model.settings.tolerances.at(0).block, "/Plant/Integral");
  EXPECT_EQ(model.root.context, (std::vector<std::string>{"g = 9.81;", "e = 0.9; % \"loss\""}));
  EXPECT_EQ(model.initialization, std::vector<std::string>{"n = 3;"});
  EXPECT_EQ(model.initialization_line, 10);
  EXPECT_EQ(model.root.context_line, 13);
  ASSERT_EQ(model.root.blocks.size(), 4u);
  const BlockInstance& ball = model.root.blocks[0];
  EXPECT_EQ(ball.line, 17);
  EXPECT_EQ(ball.find_parameter("x0")->value, "[10; 0]");
  EXPECT_EQ(ball.find_parameter("y0"), nullptr);
  const BlockInstance& plant = model.root.blocks[2];
  ASSERT_TRUE(plant.diagram);
  ASSERT_EQ(plant.diagram->mask.size(), 3u);
  EXPECT_EQ(plant.diagram->mask[0].prompt, "Stiffness");
  EXPECT_EQ(plant.diagram->mask[0].value, "1");
  EXPECT_EQ(plant.diagram->mask[1].name, "m");
  EXPECT_EQ(plant.diagram->mask[1].line, 25);
  EXPECT_EQ(plant.diagram->mask[0].valid, "k > 0");
  EXPECT_EQ(plant.diagram->mask[2].choices, (std::vector<std::string>{"linear", "cubic"}));
  EXPECT_TRUE(plant.diagram->atomic);
  EXPECT_EQ(plant.diagram->for_each, ForEach::columns);
  EXPECT_EQ(plant.diagram->blocks[0].line, 29);
  EXPECT_EQ(plant.diagram->blocks[0].activation, Activation::always);
  ASSERT_EQ(model.root.links.size(), 2u);
  EXPECT_FALSE(model.root.links[0].activation);
  EXPECT_TRUE(model.root.links[1].activation);
  EXPECT_EQ(model.root.links[0].to, (std::vector<PortRef>{{"Scope", 1}, {"Ground", 1}}));
  EXPECT_EQ(model.root.layout[0].width, 60);
}

TEST(Model, CanonicalTextIsByteStable) {
  const Parsed parsed = parse_text(sample_text);
  ASSERT_TRUE(parsed.model);
  EXPECT_EQ(write(*parsed.model), sample_text);
}

TEST(Model, CanonicalisationIsIdempotent) {
  const Parsed loose = parse_text(R"({"layout":{"A":[1.50,-0.0,1e3,0.1]},"blocks":[{"parameters":{"k":1.50,"n":-3,
    "b":true,"t":"tab\tand \u00e9 \u0001 \ud83d\ude00"},"type":"Gain","name":"A"}],"links":[],"simulation":{"stop":1e2},
    "orrery":1})");
  ASSERT_TRUE(loose.model) << to_text(loose.diagnostics);
  EXPECT_EQ(loose.model->root.blocks[0].find_parameter("n")->line, 1);
  EXPECT_EQ(loose.model->root.blocks[0].find_parameter("b")->line, 2);
  const std::string once = write(*loose.model);
  EXPECT_EQ(
      once,
      "{\n  \"orrery\": 2,\n  \"simulation\": {\"stop\": \"1e2\"},\n  \"blocks\": [\n"
      "    {\"name\": \"A\", \"type\": \"Gain\", \"parameters\": {\"k\": \"1.50\", \"n\": \"-3\", \"b\": \"true\", "
      "\"t\": \"tab\\tand é \\u0001 😀\"}}\n  ],\n  \"links\": [],\n  \"layout\": {\n"
      "    \"A\": [1.5, 0, 1000, 0.1]\n  }\n}\n");
  const Parsed again = parse_text(once);
  ASSERT_TRUE(again.model);
  EXPECT_EQ(write(*again.model), once);
}

TEST(Model, NumberAtTheEndOfALineKeepsItsLine) {
  const Parsed parsed = parse_text(
      "{\"orrery\": 2, \"blocks\": [{\"name\": \"A\", \"type\": \"T\", \"parameters\": {\n"
      "\"a\": 1\n,\"b\":\n2}}]}");
  ASSERT_TRUE(parsed.model);
  EXPECT_EQ(parsed.model->root.blocks[0].parameters[0].line, 2);
  EXPECT_EQ(parsed.model->root.blocks[0].parameters[1].line, 3);
}

struct Fault {
  const char* code;
  int line;
  const char* text;
  const char* help = "";  // a part of the help text
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.code << ' ' << fault.text; }

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsReportedWithItsLine) {
  const Fault& fault = GetParam();
  const Parsed parsed = parse_text(fault.text);
  EXPECT_FALSE(parsed.model);
  ASSERT_FALSE(parsed.diagnostics.all().empty());
  const Diagnostic& first = parsed.diagnostics.all()[0];
  EXPECT_EQ(first.code, fault.code) << to_text(parsed.diagnostics);
  EXPECT_EQ(first.place.line, fault.line) << to_text(parsed.diagnostics);
  EXPECT_EQ(first.place.file, "test.orr");
  EXPECT_NE(first.help.find(fault.help), std::string::npos) << first.help;
  EXPECT_EQ(parsed.diagnostics.all().size(), 1u) << to_text(parsed.diagnostics);
}

#define BLOCK_A "{\"name\": \"Alpha\", \"type\": \"Gain\"}"

INSTANTIATE_TEST_SUITE_P(
    Model, FaultTest,
    testing::Values(
        Fault{"json-syntax", 2, "{\"orrery\": 2,\n \"blocks\": [}\n}"}, Fault{"json-syntax", 1, "", "ends too early"},
        Fault{"json-syntax", 1, "{\"orrery\": 2, // one\n\"blocks\": []}", "about"},
        Fault{"json-syntax", 2, "{\"orrery\": 2,\n// one\n\"blocks\": []}", "about"},
        Fault{"json-syntax", 2, "{\"orrery\": 2,\n'blocks': []}", "double quotes"},
        Fault{"json-syntax", 2, "{\"orrery\": 2, \"blocks\": [" BLOCK_A ",\n]}", "remove it"},
        Fault{"json-syntax", 1, "{\"orrery\": 2, \"name\": \"a"},
        Fault{"json-syntax", 1, "{\"orrery\": 2, \"layout\": {\"A\": [1e999, 0, 0, 0]}}"},
        Fault{"json-syntax", 2, "{\"orrery\": 2}\n {}"},
        Fault{"unknown-field", 2, "{\"orrery\": 2,\n\"block\": [{\"a\": [[]]}]}", "\"blocks\""},
        Fault{"unknown-field", 2, "{\"orrery\": 2,\n\"wheels\": 4}", "known here are orrery, name"},
        Fault{"unknown-field", 1, "{\"orrery\": 2, \"simulation\": {\"stopp\": \"1\"}}", "\"stop\""},
        Fault{"missing-field", 1, "{\"blocks\": []\n}", "orrery"},
        Fault{"missing-field", 2, "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"A\"\n}]}"},
        Fault{"missing-field", 2, "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n{\"to\": [\"Alpha:1\"]}]}"},
        Fault{"missing-field", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n"
              "{\"from\": \"Alpha:1\", \"to\": []}]}"},
        Fault{"wrong-kind", 2, "{\"orrery\": 2,\n\"blocks\": {\"a\": [1, {}]}}"},
        Fault{"wrong-kind", 1, "{\"orrery\": \"1\"}"}, Fault{"wrong-kind", 2, "\n[1, 2]"},
        Fault{"wrong-kind", 1, "null"},
        Fault{"wrong-kind", 2,
              "{\"orrery\": 2, \"blocks\": [{\"name\": \"A\", \"type\": \"T\", \"parameters\": {\n"
              "\"k\": [1, 2]}}]}",
              "[1 2; 3 4]"},
        Fault{"wrong-kind", 1, "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"layout\": {\"Alpha\": [1, 2, 3]}}",
              "width"},
        Fault{"bad-port-reference", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n"
              "{\"from\": \"Alpha\", \"to\": [\"Alpha:1\"]}]}",
              "Gain:1"},
        Fault{"bad-port-reference", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n"
              "{\"from\": \"Alpha:1\", \"to\": [\"Alpha:0\"]}]}"},
        Fault{"bad-port-reference", 1,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": ["
              "{\"from\": \"Alpha:1x\", \"to\": [\"Alpha:1\"]}]}"},
        Fault{"duplicate-block", 2, "{\"orrery\": 2, \"blocks\": [" BLOCK_A ",\n" BLOCK_A "]}"},
        Fault{"duplicate-field", 2, "{\"orrery\": 2, \"name\": \"a\",\n\"name\": \"b\"}"},
        Fault{"duplicate-field", 3,
              "{\"orrery\": 2, \"blocks\": [{\"name\": \"A\", \"type\": \"T\", \"parameters\": {\n"
              "\"k\": 1,\n\"k\": 2}}]}"},
        Fault{"duplicate-field", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n"
              "{\"from\": \"Alpha:1\", \"event\": \"Alpha:1\", \"to\": [\"Alpha:1\"]}]}"},
        Fault{"duplicate-field", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"layout\": {\"Alpha\": [1, 2, 3, 4],\n"
              "\"Alpha\": [1, 2, 3, 4]}}"},
        Fault{"unsupported-version", 2, "{\n\"orrery\": 7, \"wheels\": 4}", "newer"},
        Fault{"dangling-link", 2,
              "{\"orrery\": 2, \"blocks\": [" BLOCK_A "], \"links\": [\n"
              "{\"from\": \"Alpha:1\", \"to\": [\"Alhpa:1\"]}]}",
              "\"Alpha\""},
        Fault{"bad-name", 2, "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"a/b\", \"type\": \"T\"}]}"},
        Fault{"bad-name", 2, "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"a:b\", \"type\": \"T\"}]}"},
        Fault{"bad-name", 2, "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"\", \"type\": \"T\"}]}"},
        Fault{"bad-name", 2, "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"a\\nb\", \"type\": \"T\"}]}"},
        Fault{"bad-name", 1, "{\"orrery\": 2, \"simulation\": {\"tolerances\": {\"Plant\": \"1\"}}}", "/Plant"},
        Fault{"unknown-value", 2,
              "{\"orrery\": 2, \"blocks\": [\n{\"name\": \"A\", \"type\": \"T\", "
              "\"activation\": \"never\"}]}",
              "always"},
        Fault{"invalid-utf8", 2, "{\"orrery\": 2,\n\"name\": \"\xff\"}", "UTF-8"}));

TEST(ModelFaults, SyntaxErrorsNameTheColumn) {
  const Parsed parsed = parse_text("{\n  \"n\xc3\xa9\" 1}");
  const Diagnostic& last = parsed.diagnostics.all().back();
  EXPECT_EQ(last.code, "json-syntax");
  EXPECT_EQ(last.place.line, 2);
  EXPECT_EQ(last.place.column, 8);
  EXPECT_NE(last.message.find("expected ':'"), std::string::npos) << last.message;
}

TEST(ModelFaults, SeveralAtOnceFromTheTopWithBlockPaths) {
  const Parsed parsed = parse_text(R"({"orrery": 2,
    "blocks": [
      {"name": "P", "type": "SuperBlock", "diagram": {
        "blocks": [{"name": "Q", "tpye": "Gain"}],
        "links": [{"from": "R:1", "to": ["Q:1"]}]}}
    ],
    "links": [{"from": "P:1", "to": ["X:1"]}]})");
  std::vector<std::pair<std::string, int>> found;
  for (const Diagnostic& diagnostic : parsed.diagnostics.all()) {
    found.emplace_back(diagnostic.code + " " + diagnostic.place.block, diagnostic.place.line);
  }
  const std::vector<std::pair<std::string, int>> wanted = {
      {"unknown-field /P/Q", 4}, {"missing-field /P/Q", 4}, {"dangling-link /P", 5}, {"dangling-link ", 7}};
  EXPECT_EQ(found, wanted);
}

TEST(ModelFaults, StaleLayoutOnlyWarns) {
  const Parsed parsed = parse_text("{\"orrery\": 2,\n\"layout\": {\"A\": [0, 0, 1, 1]}}");
  EXPECT_TRUE(parsed.model);
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].code, "dangling-layout");
  EXPECT_EQ(parsed.diagnostics.all()[0].place.line, 2);
}

TEST(ModelFaults, NulIsNotTheEndOfTheFile) {
  EXPECT_EQ(parse_text(std::string_view("{\"orrery\": 2}\0 x", 17)).diagnostics.all()[0].code, "json-syntax");
}

std::string nested(int depth) {
  std::string text = "{\"orrery\": 2, ";
  for (int i = 0; i < depth; ++i) text += "\"blocks\": [{\"name\": \"S\", \"type\": \"SuperBlock\", \"diagram\": {";
  for (int i = 0; i < depth; ++i) text += "}}]";
  return text + "}";
}

TEST(ModelFaults, NestingIsLimited) {
  const Parsed fits = parse_text(nested(deepest_nesting));
  ASSERT_TRUE(fits.model) << to_text(fits.diagnostics);
  const std::string canonical = write(*fits.model);
  EXPECT_EQ(write(*parse_text(canonical).model), canonical);
  EXPECT_EQ(parse_text(nested(deepest_nesting + 1)).diagnostics.all().back().code, "nesting-too-deep");
  const Parsed brackets = parse_text("{\"x\": " + std::string(1'000'000, '['));
  EXPECT_EQ(brackets.diagnostics.all().back().code, "nesting-too-deep");
}

TEST(ModelFaults, StopsAfterManyErrors) {
  std::string text = "{\"orrery\": 2, \"blocks\": [";
  for (int i = 0; i < 1000; ++i) text += std::string(i ? "," : "") + "\n{\"name\": \"A\"}";
  const Parsed parsed = parse_text(text + "]}");
  EXPECT_EQ(parsed.diagnostics.error_count(), most_errors + 1);
  EXPECT_EQ(parsed.diagnostics.all().back().code, "too-many-errors");
}

TEST(Model, LoadsAHundredThousandBlocksQuickly) {
  std::string text = "{\"orrery\": 2, \"blocks\": [";
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const std::string name = "Block" + std::to_string(i);
    text +=
        (i ? ",\n" : "\n") + ("{\"name\": \"" + name) + R"(", "type": "Gain", "parameters": {"k": "2*pi", "n": 3}})";
  }
  text += "], \"links\": [";
  for (int i = 1; i < count; ++i) {
    text += (i > 1 ? ",\n" : "\n") + ("{\"from\": \"Block" + std::to_string(i - 1)) + ":1\", \"to\": [\"Block" +
            std::to_string(i) + ":1\"]}";
  }
  text += "]}";
  const Parsed parsed = parse_text(text);
  ASSERT_TRUE(parsed.model);
  EXPECT_EQ(parsed.model->root.blocks.back().line, count + 1);
}

class FileTest : public testing::Test {
 protected:
  FileTest() { std::filesystem::create_directories(folder); }
  ~FileTest() override { std::filesystem::remove_all(folder); }
  const std::string folder = testing::TempDir() + "orrery_model_" + std::to_string(::getpid());
  Diagnostics diagnostics;
};

TEST_F(FileTest, MissingFileNamesPathAndReason) {
  EXPECT_FALSE(load(folder + "/none.orr", diagnostics));
  EXPECT_EQ(diagnostics.all()[0].code, "file-unreadable");
  EXPECT_EQ(diagnostics.all()[0].message, "cannot read " + folder + "/none.orr: No such file or directory");
  EXPECT_FALSE(load(folder, diagnostics));
  EXPECT_EQ(diagnostics.all()[1].code, "file-unreadable");
}

TEST_F(FileTest, HugeFileIsRefusedUnread) {
  const std::string path = folder + "/huge.orr";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, largest_file + 1);
  EXPECT_FALSE(load(path, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].code, "file-too-large");
}

TEST_F(FileTest, SaveReplacesTheFileAndKeepsItsModeAndLinks) {
  const std::string path = folder + "/model.orr";
  const std::string link = folder + "/link.orr";
  std::ofstream(path) << "old";
  ::chmod(path.c_str(), 0640);
  std::filesystem::create_symlink("model.orr", link);
  const Parsed parsed = parse_text(sample_text);
  ASSERT_TRUE(save(*parsed.model, link, diagnostics));
  EXPECT_EQ(file_text(path), sample_text);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  struct stat status = {};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777u, 0640u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  const std::optional<Model> loaded = load(path, diagnostics);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->file, path);
  EXPECT_FALSE(save(*loaded, folder + "/none/model.orr", diagnostics));
  EXPECT_EQ(diagnostics.all()[0].code, "file-unwritable");
}

std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

std::set<std::string> known(Container container) {
  std::set<std::string> keys;
  for (const Field& field : fields_of(container)) keys.emplace(field.name);
  return keys;
}

// The one error or warning of a model with these two ends of a file.
std::string code_of(const std::string& layout) {
  Diagnostics diagnostics;
  const auto model =
      parse(R"({"orrery": 1, "blocks": [{"name": "A", "type": "Gain"}], "links": [{"from": "A:1", "to": ["A:1"]}], )" +
                layout + "}",
            "m.orr", diagnostics);
  return diagnostics.all().size() == 1 ? diagnostics.all()[0].code : std::to_string(diagnostics.all().size());
}

// A name beside the target that leads elsewhere, as somebody else might have put there.
TEST_F(FileTest, SavingIsNotLedElsewhere) {
  const std::string path = folder + "/model.orr", victim = folder + "/victim";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, path + "." + std::to_string(::getpid()) + ".part");
  ASSERT_TRUE(save(*parse_text(sample_text).model, path, diagnostics));
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(file_text(victim), "precious");
}

TEST(Drawing, KeepsTurnsBendsNotesAndWhatIsOff) {
  Diagnostics diagnostics;
  const auto model = parse(sample_text, "m.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  EXPECT_EQ(model->root.layout[1].flow, Flow::left);
  EXPECT_EQ(model->root.blocks[2].diagram->layout[0].flow, Flow::up);
  EXPECT_TRUE(model->root.blocks[3].off);
  EXPECT_EQ(model->root.blocks[2].icon, "spring\nk = {k}");
  ASSERT_EQ(model->root.bends.size(), 2u);
  EXPECT_FALSE(model->root.bends[0].activation);
  EXPECT_EQ(model->root.bends[0].points, (std::vector<Point>{{300, 100}, {300, 90}}));
  EXPECT_TRUE(model->root.bends[1].activation);
  EXPECT_EQ(model->root.bends[1].to, (PortRef{"Ball", 1}));
  ASSERT_EQ(model->root.notes.size(), 1u);
  EXPECT_EQ(model->root.notes[0].y, -40.5);
  EXPECT_EQ(write(*model), sample_text);
}

TEST(Drawing, WrongDrawingDataIsLocated) {
  EXPECT_EQ(code_of(R"("layout": {"A": [0, 0, 1, 1, "flip"]})"), "0");
  EXPECT_EQ(code_of(R"("layout": {"A": [0, 0, 1, 1, "left"]})"), "unknown-value");
  EXPECT_EQ(code_of(R"("layout": {"A": [0, 0, 1, 1, 1]})"), "wrong-kind");
  EXPECT_EQ(code_of(R"("layout": {"A": [0, 0, 1]})"), "wrong-kind");
  EXPECT_EQ(code_of(R"("bends": {"A:1>A:1": []})"), "0");
  EXPECT_EQ(code_of(R"("bends": {"A:1!>A:1": [[1, 2]]})"), "dangling-layout");
  EXPECT_EQ(code_of(R"("bends": {"A:1>A:1": [[1]]})"), "wrong-kind");
  EXPECT_EQ(code_of(R"("bends": {"A:1-A:1": [[1, 2]]})"), "bad-port-reference");
  EXPECT_EQ(code_of(R"("bends": {"A:1>A:1": [], "A:1>A:1": []})"), "duplicate-field");
  EXPECT_EQ(code_of(R"("notes": [{"text": "a"}])"), "missing-field");
  EXPECT_EQ(code_of(R"("notes": [{"text": "a", "at": [1, 2, 3, 4, 5]}])"), "wrong-kind");
}

TEST(Schema, NamesTheFieldsOfTheLoader) {
  const auto schema = nlohmann::json::parse(file_text(source_folder() + "/docs/orr.schema.json"));
  const auto& parts = schema.at("$defs");
  EXPECT_EQ(keys_of(schema.at("properties")), known(Container::file));
  EXPECT_EQ(keys_of(parts.at("simulation").at("properties")), known(Container::simulation));
  EXPECT_EQ(keys_of(parts.at("diagram").at("properties")), known(Container::diagram));
  EXPECT_EQ(keys_of(parts.at("block").at("properties")), known(Container::block));
  EXPECT_EQ(keys_of(parts.at("link").at("properties")), known(Container::link));
  EXPECT_EQ(keys_of(parts.at("mask_parameter").at("properties")), known(Container::mask_parameter));
  EXPECT_EQ(keys_of(parts.at("note").at("properties")), known(Container::note));
  EXPECT_EQ(keys_of(parts.at("library").at("properties")), known(Container::library));
}

TEST(Schema, DescribesTheSettingsAsTheirTableDoes) {
  const auto schema = nlohmann::json::parse(file_text(source_folder() + "/docs/orr.schema.json"));
  const auto& properties = schema.at("$defs").at("simulation").at("properties");
  for (const SettingInfo& info : setting_table()) {
    const auto& property = properties.at(std::string(info.name));
    EXPECT_EQ(property.at("description"), std::string(info.about) + ".") << info.name;
    EXPECT_EQ(property.value("default", ""), info.default_text) << info.name;
  }
}

TEST(Settings, EveryRowHasTheMembersOfItsType) {
  std::set<std::string_view> names;
  for (const SettingInfo& info : setting_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_setting(info.name), &info);
    EXPECT_EQ(info.number == nullptr, info.type == SettingType::word) << info.name;
    EXPECT_EQ(info.word == nullptr, info.type != SettingType::word) << info.name;
    Settings settings;
    (settings.*info.text).text = "7";
    for (const SettingInfo& other : setting_table()) {
      EXPECT_EQ((settings.*other.text).empty(), &other != &info) << info.name << other.name;
    }
  }
  EXPECT_EQ(find_setting("stopp"), nullptr);
}

TEST(ClosestName, SuggestsOnlyNearNames) {
  const std::string_view names[] = {"Gain", "Sum", "Integral"};
  EXPECT_EQ(closest_name("gain", names), "Gain");
  EXPECT_EQ(closest_name("Intergal", names), "Integral");
  EXPECT_EQ(closest_name("Transformer", names), "");
}

// What a model of the first version means, written for the present one.
TEST(Upgrade, OldModelsKeepTheirMeaning) {
  const auto upgraded = [](const std::string& type, const std::string& parameters) {
    const Parsed parsed = parse_text("{\"orrery\": 1, \"blocks\": [{\"name\": \"A\", \"type\": \"" + type +
                                     "\", \"parameters\": {" + parameters + "}}]}");
    const std::string text = write(*parsed.model);
    EXPECT_NE(text.find("\"orrery\": 2"), std::string::npos);
    const std::size_t from = text.find("\"type\"");
    return text.substr(from, text.find('\n', from) - from);
  };
  EXPECT_EQ(upgraded("RepeatActivation", ""), R"x("type": "RepeatActivation", "parameters": {"when": "'nonzero'"}})x");
  EXPECT_EQ(upgraded("SelectInput", R"("inputs": "3")"),
            R"x("type": "SelectInput", "parameters": {"inputs": "3", "priority": "'highest'"}})x");
  EXPECT_EQ(upgraded("EventGenerate", R"("times": "[1 2]")"),
            R"x("type": "EventGenerate", "parameters": {"times": "[1 2]", "outputs": "'one'"}})x");
  EXPECT_EQ(upgraded("Random", R"("a": "-1", "b": "1")"),
            R"x("type": "Random", "parameters": {"a": "-1", "b": "(1) - (-1)"}})x");
  EXPECT_EQ(upgraded("Random", R"("distribution": "'normal'", "a": "-1")"),
            R"x("type": "Random", "parameters": {"distribution": "'normal'", "a": "-1"}})x");
  EXPECT_EQ(upgraded("SquareWaveGenerator", R"("amplitude": "2", "duty": "0.3")"),
            R"x("type": "SquareWaveGenerator", "parameters": {"duty": "100*(0.3)", "first": "(0) + (2)", )x"
            R"x("second": "(0) - (2)", "before": "'wave'"}})x");
  EXPECT_EQ(upgraded("Sum", R"("signs": "'-'")"), R"x("type": "Gain", "parameters": {"k": "-1"}})x");
  EXPECT_EQ(upgraded("Sum", R"("signs": "'+-'")"), R"x("type": "Sum", "parameters": {"signs": "'+-'"}})x");
  EXPECT_EQ(upgraded("Product", R"("signs": "'/'")"),
            R"x("type": "MathFunc", "parameters": {"function": "'reciprocal'"}})x");
}

TEST(Upgrade, LeavesPresentModelsAlone) {
  const std::string text = R"({"orrery": 2, "blocks": [{"name": "A", "type": "SelectInput"}]})";
  const Parsed parsed = parse_text(text);
  EXPECT_TRUE(parsed.model->root.blocks[0].parameters.empty());
}

}  // namespace
}  // namespace orrery::model
