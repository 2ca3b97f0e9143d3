// SPDX-License-Identifier: Apache-2.0
// Libraries of blocks and skeletons of new blocks, from the command line and from OML.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/libraries.h"
#include "api/new_block.h"
#include "base/folders_for_tests.h"
#include "command_line.h"
#include "semantics.h"

namespace orrery::tests::user_library_test {
namespace {

class NewBlockOnTheCommandLine : public CommandLine {};

class Libraries : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = cache_of_this_process() + "/libraries_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/models");
    setenv("ORRERY_LIBRARIES", (folder_ + "/installed.json").c_str(), 1);
    std::ofstream(folder_ + "/plant.orr") << R"({
  "orrery": 1,
  "blocks": [
    {"name": "Amp", "type": "SuperBlock", "about": "amplifies", "parameters": {"k": "7"}, "diagram": {
      "mask": [
        {"name": "k", "prompt": "Factor", "default": "1", "valid": "k > 0"}
      ],
      "blocks": [
        {"name": "u", "type": "Input"},
        {"name": "g", "type": "Gain", "parameters": {"k": "k"}},
        {"name": "y", "type": "Output"}
      ],
      "links": [
        {"from": "u:1", "to": ["g:1"]},
        {"from": "g:1", "to": ["y:1"]}
      ]
    }}
  ],
  "links": []
})";
    ASSERT_TRUE(api::create_library("electronics", folder_, d_)) << to_text(d_);
    ASSERT_TRUE(api::add_to_library(lib(), folder_ + "/plant.orr", "/Amp", "Basic/Amplifier", d_)) << to_text(d_);
    ASSERT_TRUE(api::refresh_library(lib(), d_)) << to_text(d_);
  }
  void TearDown() override { unsetenv("ORRERY_LIBRARIES"); }

  std::string lib() const { return folder_ + "/electronics"; }
  // A model in a folder of its own that uses the block.
  ModelRun use(std::vector<model::LibraryNeed> needs, const std::string& type = "electronics/Basic/Amplifier") const {
    model::Model model = diagram("stop 1\n c: Constant value=5\n out: Scope\n c:1 -> a:1\n a:1 -> out:1");
    model.file = folder_ + "/models/model.orr";
    model.libraries = std::move(needs);
    model::BlockInstance block;
    block.name = "a";
    block.type = type;
    model.root.blocks.push_back(std::move(block));
    return run_model(model, {});
  }
  // Of library.json.
  std::string field(const std::string& name) const {
    std::ifstream file(lib() + "/library.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find("\"" + name + "\": ") + name.size() + 4;
    std::string value = text.substr(at, text.find_first_of(",\n", at) - at);
    std::erase(value, '"');
    return value;
  }
  static std::string first_code(const ModelRun& run) {
    for (const Diagnostic& d : run.diagnostics.all()) {
      if (d.severity == Severity::error) return d.code;
    }
    return {};
  }

  std::string folder_;
  Diagnostics d_;
};

TEST_F(Libraries, ByRelativePathAndInstalled) {
  EXPECT_EQ(first_code(use({})), "missing-library");
  EXPECT_EQ(last(use({{"electronics", "1", "../electronics", ""}}), "/out.1"), 35);
  ASSERT_TRUE(api::install_library(lib(), d_)) << to_text(d_);
  EXPECT_EQ(last(use({}), "/out.1"), 35);
  EXPECT_NE(api::installed_text().find("electronics/Basic/Amplifier"), std::string::npos);
  EXPECT_EQ(first_code(use({}, "electronics/Basic/Nothing")), "unknown-block");
  ASSERT_TRUE(api::uninstall_library("electronics", d_));
  EXPECT_EQ(first_code(use({})), "missing-library");
  EXPECT_FALSE(api::uninstall_library("electronics", d_));
}

TEST_F(Libraries, VersionsAndKeys) {
  const std::string key = field("key");
  EXPECT_EQ(field("version"), "1");
  EXPECT_EQ(first_code(use({{"electronics", "2", "../electronics", ""}})), "old-library");
  EXPECT_EQ(first_code(use({{"electronics", "", "../electronics", "someone-else"}})), "other-library");
  EXPECT_EQ(first_code(use({{"electronics", "", "../nowhere", ""}})), "missing-library");
  ASSERT_TRUE(api::lock_library(lib(), d_)) << to_text(d_);
  EXPECT_FALSE(api::add_to_library(lib(), folder_ + "/plant.orr", "/Amp", "Other", d_));
  EXPECT_EQ(d_.all().back().code, "locked-library");
  ASSERT_TRUE(api::unlock_library(lib(), d_));
  EXPECT_EQ(field("version"), "2");
  EXPECT_NE(field("key"), key);
  EXPECT_EQ(last(use({{"electronics", "2", "../electronics", key}}), "/out.1"), 35);
  Diagnostics bad;
  std::ofstream(lib() + "/library.json") << "{}";
  EXPECT_FALSE(api::refresh_library(lib(), bad));
  EXPECT_EQ(bad.all()[0].code, "bad-library");
}

TEST_F(Libraries, HavePaletteAndPages) {
  EXPECT_TRUE(fs::exists(lib() + "/palettes/electronics.orr"));
  EXPECT_TRUE(fs::exists(lib() + "/docs/Basic/Amplifier.html"));
  EXPECT_TRUE(fs::exists(lib() + "/docs/index.html"));
  const auto palette = model::load(lib() + "/palettes/electronics.orr", d_);
  ASSERT_TRUE(palette) << to_text(d_);
  EXPECT_EQ(palette->root.blocks.at(0).type, "electronics/Basic/Amplifier");
}

TEST_F(Libraries, FromOml) {
  api::OmlEvaluator evaluator;
  Diagnostics found;
  evaluator.run({fmt::format("vssCreateEmptyLibrary('second', '{}');", folder_),
                 fmt::format("vssAddBlockToLibrary({{'{0}/plant.orr', '/Amp'}}, '{0}/second/Level/Amp');", folder_),
                 fmt::format("vssRefreshLibrary('{}/second');", folder_),
                 fmt::format("vssInstallLibrary('{}/second');", folder_)},
                {"script", 1, 0, {}, "context"}, found);
  EXPECT_FALSE(found.has_errors()) << to_text(found);
  EXPECT_EQ(last(use({}, "second/Level/Amp"), "/out.1"), 35);
}

TEST(NewBlock, SkeletonsRunTheirTests) {
  const std::string folder = cache_of_this_process() + "/skeletons";
  for (const std::string kind : {"c", "oml", "p"}) {
    Diagnostics diagnostics;
    ASSERT_TRUE(api::new_block(kind, "my_" + kind, folder, diagnostics)) << to_text(diagnostics);
    api::RunRequest request;
    request.file = fmt::format("{0}/my_{1}/my_{1}_test.orr", folder, kind);
    request.tier = api::TierChoice::first;
    request.allow = Capability::native;
    const api::RunResult result = api::run(request);
    EXPECT_FALSE(result.failed()) << kind << to_text(result.diagnostics);
    EXPECT_TRUE(result.diagnostics.all().empty()) << kind << to_text(result.diagnostics);
    EXPECT_FALSE(api::new_block(kind, "my_" + kind, folder, diagnostics));  // it is there
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(api::new_block("c", "no good", folder, diagnostics));
}

// The library is built as users build theirs, against the sources, and loaded by the program.
TEST_F(NewBlockOnTheCommandLine, InCppIsBuiltAndLoaded) {
  const std::string& folder = folder_;
  ASSERT_EQ(orrery({"new", "block", "--kind", "cpp", "--in", folder, "my_cpp"}).code, 0);
  const std::string build = fmt::format(
      "cd {0}/my_cpp && c++ -std=c++20 -O0 -fPIC -shared -I{1}/src -o my_cpp.so my_cpp.cpp", folder, source_folder());
  ASSERT_EQ(std::system(build.c_str()), 0);
  const Outcome run = orrery({"run", "--allow", "native", folder + "/my_cpp/my_cpp_test.orr"});
  EXPECT_EQ(run.code, 0) << run.err;
  // One that was built for something else is refused.
  std::ofstream(folder + "/my_cpp/other.cpp")
      << "struct L { unsigned i; unsigned long l; void* t; unsigned long n; };"
         "extern \"C\" const L* orrery_blocks() { static L l{999, 1, 0, 0}; return &l; }";
  ASSERT_EQ(std::system(fmt::format("cd {}/my_cpp && c++ -fPIC -shared -o my_cpp.so other.cpp", folder).c_str()), 0);
  const Outcome refused = orrery({"run", "--allow", "native", folder + "/my_cpp/my_cpp_test.orr"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("another version"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace orrery::tests::user_library_test
