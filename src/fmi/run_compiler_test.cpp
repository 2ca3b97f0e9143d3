// SPDX-License-Identifier: Apache-2.0
// The compiler of source FMUs: its ends and its limits.
#include "fmi/run_compiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fmi/archive_for_tests.h"

namespace orrery::fmi {
namespace {

TEST(RunCompiler, TellsHowItEnded) {
  const TestFile output("compiler.txt");
  EXPECT_EQ(run_compiler({"true"}, output.path()), CompilerEnd::good);
  EXPECT_EQ(run_compiler({"false"}, output.path()), CompilerEnd::failed);
  EXPECT_EQ(run_compiler({"no-such-compiler"}, output.path()), CompilerEnd::missing);
  EXPECT_EQ(run_compiler({"sh", "-c", "kill -SEGV $$"}, output.path()), CompilerEnd::killed);
  EXPECT_EQ(run_compiler({"sh", "-c", "echo words; echo more >&2"}, output.path()), CompilerEnd::good);
  std::stringstream words;
  words << std::ifstream(output.path()).rdbuf();
  EXPECT_EQ(words.str(), "words\nmore\n");
}

TEST(RunCompiler, HasLimits) {
  const TestFile output("compiler.txt"), large("large");
  CompilerLimits limits;
  limits.seconds = 0.3;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run_compiler({"sh", "-c", "sleep 600 & sleep 600"}, output.path(), limits), CompilerEnd::late);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  limits = {};
  limits.file_bytes = 1000;
  EXPECT_NE(run_compiler({"dd", "if=/dev/zero", "of=" + large.path(), "bs=100", "count=100"}, output.path(), limits),
            CompilerEnd::good);
  EXPECT_LE(std::filesystem::file_size(large.path()), 1000u);
#if !defined(__SANITIZE_ADDRESS__)
  limits = {};
  limits.memory_bytes = 50 << 20;
  EXPECT_NE(run_compiler({"dd", "if=/dev/zero", "of=/dev/null", "bs=100M", "count=1"}, output.path(), limits),
            CompilerEnd::good);
#endif
}

}  // namespace
}  // namespace orrery::fmi
