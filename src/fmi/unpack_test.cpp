// SPDX-License-Identifier: Apache-2.0
// Hostile archives: what they must not do.
#include "fmi/unpack.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fmi/archive_for_tests.h"

namespace orrery::fmi {
namespace {

namespace fs = std::filesystem;

bool has_unpack_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.code == code) return true;
  }
  return false;
}

TEST(SafeName, RefusesWhatLeavesTheFolder) {
  for (const char* name : {"../a", "a/../../b", "/etc/passwd", "\\a", "C:\\a", "..\\a", "", ".", "./", ".."}) {
    EXPECT_FALSE(safe_name(name)) << name;
  }
  EXPECT_FALSE(safe_name(std::string("a\0b", 3)));
  EXPECT_FALSE(safe_name(std::string(300, 'a')));
  EXPECT_EQ(safe_name("a\\b//c/./d"), "a/b/c/d");
}

TEST(Archive, DoesNotWriteOutsideNorFollowLinks) {
  TestFile file("hostile.zip");
  file.write_zip({{"good.txt", "fine"},
                  {"../evil.txt", "bad"},
                  {"/tmp/orrery_evil.txt", "bad"},
                  {"link", "/tmp", true},
                  {"link/through.txt", "bad"},
                  {"folder\\windows.txt", "fine"}});
  Diagnostics diagnostics;
  const auto archive = Archive::open(file.path(), diagnostics);
  ASSERT_TRUE(archive);
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-unsafe-entry"));
  EXPECT_EQ(archive->refused().size(), 3u);
  const auto folder = TemporaryFolder::create(diagnostics);
  ASSERT_TRUE(folder);
  EXPECT_TRUE(archive->unpack(
      folder->path(), [](std::string_view) { return true; }, diagnostics))
      << to_text(diagnostics);
  EXPECT_TRUE(fs::exists(folder->path() + "/good.txt"));
  EXPECT_TRUE(fs::exists(folder->path() + "/folder/windows.txt"));
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(folder->path() + "/link")));
  EXPECT_FALSE(fs::exists(fs::path(folder->path()).parent_path() / "evil.txt"));
  EXPECT_FALSE(fs::exists("/tmp/orrery_evil.txt"));
  EXPECT_FALSE(fs::exists("/tmp/through.txt"));
}

TEST(Archive, StopsBombs) {
  TestFile file("bomb.zip");
  file.write_zip({{"modelDescription.xml", std::string(4 << 20, 'x')}});
  Diagnostics diagnostics;
  UnpackLimits limits;
  limits.ratio = 10;
  limits.free_bytes = 1 << 20;
  const auto archive = Archive::open(file.path(), diagnostics, limits);
  ASSERT_TRUE(archive);
  EXPECT_FALSE(archive->read("modelDescription.xml", diagnostics));
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-archive-limit"));
  limits.files = 0;
  EXPECT_FALSE(Archive::open(file.path(), diagnostics, limits));
}

TEST(Archive, SaysWhatIsWrongWithOthers) {
  Diagnostics diagnostics;
  TestFile file("no.zip");
  EXPECT_FALSE(Archive::open(file.path(), diagnostics));
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-no-file"));
  file.write("this is no archive");
  EXPECT_FALSE(Archive::open(file.path(), diagnostics));
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-bad-archive"));
  file.write_zip({{"a", "b"}});
  const auto archive = Archive::open(file.path(), diagnostics);
  ASSERT_TRUE(archive);
  EXPECT_FALSE(archive->read("modelDescription.xml", diagnostics));
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-missing-file"));
}

TEST(Archive, AFolderAroundTheFmuIsLeftOut) {
  Diagnostics diagnostics;
  TestFile file("folder.fmu");
  file.write_zip({{"Model/resources/a.txt", "a"}, {"Model/modelDescription.xml", "<x/>"}});
  const auto archive = Archive::open(file.path(), diagnostics);
  ASSERT_TRUE(archive);
  EXPECT_TRUE(has_unpack_code(diagnostics, "fmi-inner-folder"));
  EXPECT_EQ(archive->read("modelDescription.xml", diagnostics), "<x/>");
  EXPECT_TRUE(archive->has("resources/a.txt"));
  file.write_zip({{"Model/modelDescription.xml", "<x/>"}, {"other/a.txt", "a"}});  // whose folder would it be?
  const auto mixed = Archive::open(file.path(), diagnostics);
  ASSERT_TRUE(mixed);
  EXPECT_FALSE(mixed->has("modelDescription.xml"));
}

TEST(TemporaryFolder, Vanishes) {
  Diagnostics diagnostics;
  std::string path;
  {
    const auto folder = TemporaryFolder::create(diagnostics);
    path = folder->path();
    std::ofstream(path + "/file") << "text";
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace orrery::fmi
