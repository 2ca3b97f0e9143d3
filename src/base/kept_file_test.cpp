// SPDX-License-Identifier: Apache-2.0
// Files that outlive their process: who may write them, and what is read back.
#include "base/kept_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace orrery {
namespace {

TEST(KeptFile, HoldsWhatWasWrittenAndKeepsOthersOut) {
  const std::string path = testing::TempDir() + "kept_file_test.bin";
  std::filesystem::remove(path);
  Diagnostics diagnostics;
  bool busy = false;
  {
    const auto file = KeptFile::open(path, busy, diagnostics);
    ASSERT_TRUE(file) << to_text(diagnostics);
    EXPECT_EQ(file->write("abcdef", 0), 0);
    EXPECT_EQ(file->write("xy", 10), 0);
    EXPECT_EQ(file->read(1, 3), "bcd");
    EXPECT_EQ(file->read_all(), std::string("abcdef\0\0\0\0xy", 12));
    EXPECT_FALSE(KeptFile::open(path, busy, diagnostics));
    EXPECT_TRUE(busy);
    EXPECT_EQ(file->cut(4), 0);
  }
  const auto again = KeptFile::open(path, busy, diagnostics);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->read_all(), "abcd");
  again->remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(KeptFile, FollowsNoLinks) {
  const std::string link = testing::TempDir() + "kept_file_test.link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/dev/null", link);
  Diagnostics diagnostics;
  bool busy = true;
  EXPECT_FALSE(KeptFile::open(link, busy, diagnostics));
  EXPECT_FALSE(busy);
  EXPECT_EQ(diagnostics.all().back().code, "output-unwritable");
  std::filesystem::remove(link);
}

}  // namespace
}  // namespace orrery
