// SPDX-License-Identifier: Apache-2.0
// Sets of capabilities, and which files lie below a model's folder.
#include "base/consent.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace orrery {
namespace {

namespace fs = std::filesystem;

TEST(Consent, SetsHaveTexts) {
  EXPECT_EQ(to_text(Capabilities()), "");
  EXPECT_EQ(to_text(Capability::native | Capability::read), "read,native");
  std::string unknown;
  EXPECT_EQ(parse_capabilities("read,native", unknown), Capability::native | Capability::read);
  EXPECT_EQ(parse_capabilities("", unknown), Capabilities());
  EXPECT_EQ(parse_capabilities("all", unknown), Capabilities::all());
  EXPECT_FALSE(parse_capabilities("read,everything", unknown));
  EXPECT_EQ(unknown, "everything");
  for (int k = 0; k < capability_count; ++k) {
    const auto one = static_cast<Capability>(k);
    EXPECT_EQ(parse_capabilities(name_of(one), unknown), Capabilities(one));
    EXPECT_TRUE(Capabilities::all().has(one));
    EXPECT_FALSE(Capabilities().has(one));
  }
}

class BelowTheFolder : public testing::Test {
 protected:
  void SetUp() override {
    top_ = fs::path(testing::TempDir()) / ("consent_" + std::to_string(::getpid()));
    fs::create_directories(top_ / "model" / "data");
    fs::create_directories(top_ / "model" / ".git");
    for (const char* name : {"secret.txt", "model/m.orr", "model/data/a.csv", "model/.git/config", "model/.key"})
      std::ofstream(top_ / name) << "x";
    fs::create_symlink(top_ / "secret.txt", top_ / "model" / "link.csv");
    fs::create_symlink(top_ / "model" / "data" / "a.csv", top_ / "model" / "good.csv");
    ::mkfifo((top_ / "model" / "pipe").c_str(), 0600);
    consent_ = Consent::of_model((top_ / "model" / "m.orr").string(), {});
  }
  void TearDown() override { fs::remove_all(top_); }
  bool may(const std::string& name) const { return consent_.may_read((top_ / name).string()); }

  fs::path top_;
  Consent consent_;
};

TEST_F(BelowTheFolder, OrdinaryFilesAreReadAndOthersAreNot) {
  EXPECT_TRUE(may("model/data/a.csv"));
  EXPECT_TRUE(may("model/data/../m.orr"));
  EXPECT_TRUE(may("model/data/missing.csv"));
  EXPECT_TRUE(may("model/good.csv"));
  EXPECT_TRUE(may("model"));
  EXPECT_FALSE(may("secret.txt"));
  EXPECT_FALSE(may("model/../secret.txt"));
  EXPECT_FALSE(may("model/link.csv"));  // leads out
  EXPECT_FALSE(may("model/.git/config"));
  EXPECT_FALSE(may("model/.key"));
  EXPECT_FALSE(may("model/pipe"));
  EXPECT_FALSE(may("modelling/x.csv"));
  EXPECT_FALSE(consent_.may_read("/dev/zero"));
  EXPECT_FALSE(consent_.may_read(""));
}

TEST_F(BelowTheFolder, WithoutAFolderNothingIs) {
  EXPECT_FALSE(Consent{}.may_read((top_ / "model/data/a.csv").string()));
  EXPECT_TRUE(Consent{Capability::read}.may_read("/etc/hostname"));
  EXPECT_TRUE(Consent{Capability::native}.may_read("/etc/hostname"));
  EXPECT_FALSE(Consent{Capability::write}.may_read("/etc/hostname"));
}

TEST(Consent, ARefusalSaysHowToAllowIt) {
  Consent consent = Consent::of_model("/m/plant.orr", {});
  consent.note = "trust was recorded";
  const Diagnostic d = refusal(consent, Capability::write, {"/m/plant.orr", 4, 0, {}, {}}, "save('x')");
  EXPECT_EQ(d.code, "needs-consent");
  EXPECT_EQ(d.message, "the model wants to write files: save('x'), which it may not");
  EXPECT_EQ(d.help, "if you trust it, allow it with --allow write, or from now on with: orrery trust /m/plant.orr");
  EXPECT_EQ(d.notes, std::vector<std::string>{"trust was recorded"});
}

}  // namespace
}  // namespace orrery
