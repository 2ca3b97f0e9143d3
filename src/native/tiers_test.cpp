// SPDX-License-Identifier: Apache-2.0
// The cache and the C compiler: hits, damage, absence, stopping; and that no trouble there reaches the user.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "native/cache.h"
#include "native/compare_tiers.h"
#include "native/first_tier.h"
#include "program/expr.h"

namespace orrery::native {
namespace {

namespace fs = std::filesystem;
using program::Expr;

class Tiers : public testing::Test {
 protected:
  Tiers() {
    program.add_origin({"/Gain", "Gain", 0});
    SlotId in = program.add_slot({.name = "u", .type = {}});
    Expr u{&program.graph, program.read(in)};
    procedure.name = "gain";
    procedure.stores.push_back({.target = Store::Target::output, .value = (u * 3 + 1).id()});
    layout = lay_out(program);
    options.cache_directory = directory.string();
  }
  std::shared_ptr<Code> make() { return compile(program, layout, {procedure}, options, diagnostics); }
  static double call(const Code& code) {
    double memory[2] = {5, 0}, y = 0;
    code.function(0)(0, memory, &y, reinterpret_cast<std::byte*>(memory), 0);
    return y;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory)) found.push_back(entry.path());
    return found;
  }
  static std::string script(const fs::path& path, const std::string& body) {
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  Program program;
  Procedure procedure;
  program::Layout layout;
  CompileOptions options;
  Diagnostics diagnostics;
  TemporaryDirectory temporary;
  fs::path directory = temporary.path;
};

TEST_F(Tiers, SecondArrivesAndIsFoundInTheCache) {
  auto code = make();
  ASSERT_TRUE(code);
  EXPECT_EQ(code->tier(), Tier::first);
  EXPECT_FALSE(code->poll());
  EXPECT_EQ(call(*code), 16);
  code->request_second_tier();
  code->request_second_tier();
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!code->poll() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(code->tier(), Tier::second);
  EXPECT_FALSE(code->from_cache());
  EXPECT_GT(code->second_tier_seconds(), 0);
  EXPECT_EQ(call(*code), 16);
  ASSERT_EQ(files().size(), 1u) << "temporary files are gone";
  auto again = make();
  EXPECT_EQ(again->tier(), Tier::second);
  EXPECT_TRUE(again->from_cache());
  EXPECT_EQ(again->first_tier_seconds(), 0);
  EXPECT_EQ(call(*again), 16);
}

TEST_F(Tiers, DamagedEntriesAreMadeAnew) {
  options.wait_for_second = true;
  ASSERT_EQ(make()->tier(), Tier::second);
  fs::path entry = files().at(0);
  for (double part : {0.0, 0.5, 0.999}) {
    fs::resize_file(entry, static_cast<std::uintmax_t>(part * static_cast<double>(fs::file_size(entry))));
    auto code = make();
    EXPECT_FALSE(code->from_cache());
    EXPECT_EQ(code->tier(), Tier::second);
    EXPECT_EQ(call(*code), 16);
    EXPECT_TRUE(is_intact(entry));
  }
}

TEST_F(Tiers, NoCompilerIsNoError) {
  options.compiler = "/nonexistent/cc";
  auto code = make();
  ASSERT_TRUE(code);
  EXPECT_FALSE(code->wait());
  EXPECT_EQ(code->tier(), Tier::first);
  EXPECT_EQ(code->second_tier_note(), "no C compiler was found");
  EXPECT_FALSE(code->lacks_cache_folder());
  EXPECT_EQ(call(*code), 16);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST_F(Tiers, UnwritableCacheIsNoError) {
  options.cache_directory = "/proc/orrery";
  auto code = make();
  ASSERT_TRUE(code);
  EXPECT_FALSE(code->wait());
  EXPECT_NE(code->second_tier_note().find("cannot be written"), std::string::npos);
  EXPECT_TRUE(code->lacks_cache_folder());
  EXPECT_EQ(call(*code), 16);
}

// Planted code must not run: not from a folder that others can write, nor through a link, nor from a file of others.
TEST_F(Tiers, FoldersOfOthersAreRefused) {
  const auto refused = [&](const char* words) {
    auto code = make();
    ASSERT_TRUE(code);
    EXPECT_EQ(code->tier(), Tier::first);
    EXPECT_FALSE(code->wait());
    EXPECT_TRUE(code->lacks_cache_folder());
    EXPECT_NE(code->second_tier_note().find(words), std::string::npos) << code->second_tier_note();
    EXPECT_EQ(call(*code), 16);
  };
  fs::create_directories(directory / "cache");
  options.cache_directory = (directory / "cache").string();
  options.wait_for_second = true;
  EXPECT_EQ(make()->tier(), Tier::second);
  EXPECT_EQ(fs::status(options.cache_directory).permissions(), fs::perms::owner_all);
  for (const fs::perms who : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(options.cache_directory, who, fs::perm_options::add);
    refused("others can write");
    fs::permissions(options.cache_directory, fs::perms::owner_all);
    fs::permissions(directory, who, fs::perm_options::add);
    refused("others can rename");
    fs::permissions(directory, fs::perms::owner_all);
  }
  EXPECT_TRUE(make()->from_cache());
  fs::create_symlink(directory / "cache", directory / "link");
  options.cache_directory = (directory / "link").string();
  refused("it is a link");
  if (::geteuid() == 0) {
    fs::create_directories(directory / "theirs");
    ASSERT_EQ(::chown((directory / "theirs").c_str(), 65534, 65534), 0);
    options.cache_directory = (directory / "theirs").string();
    refused("belongs to another user");
  }
}

TEST_F(Tiers, FilesOfOthersAreNotLoaded) {
  options.wait_for_second = true;
  ASSERT_EQ(make()->tier(), Tier::second);
  const fs::path entry = files().at(0);
  ASSERT_TRUE(is_intact(entry));
  fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(is_intact(entry));
  fs::permissions(entry, fs::perms::owner_all);
  ASSERT_TRUE(is_intact(entry));
  fs::create_hard_link(entry, temporary.path / "second_name");
  EXPECT_FALSE(is_intact(entry));
  fs::remove(temporary.path / "second_name");
  fs::rename(entry, temporary.path / "moved");
  fs::create_symlink(temporary.path / "moved", entry);
  EXPECT_FALSE(is_intact(entry));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown((temporary.path / "moved").c_str(), 65534, 65534), 0);
    EXPECT_FALSE(is_intact(temporary.path / "moved"));
  }
}

TEST_F(Tiers, FailingCompilerIsNoError) {
  fs::create_directories(directory);
  options.compiler = script(directory / "cc", "echo sorry >&2; exit 3");
  auto code = make();
  EXPECT_FALSE(code->wait());
  EXPECT_NE(code->second_tier_note().find("sorry"), std::string::npos) << code->second_tier_note();
  EXPECT_EQ(call(*code), 16);
  EXPECT_EQ(files().size(), 1u) << "only the compiler is left";
}

TEST_F(Tiers, DestructorStopsTheCompiler) {
  fs::create_directories(directory);
  options.compiler = script(directory / "cc", "sleep 100 & wait");
  auto begin = std::chrono::steady_clock::now();
  {
    auto code = make();
    code->request_second_tier();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST_F(Tiers, ManyProgramsAtOnce) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([this] {
      for (int n = 0; n < 5; ++n) {
        Diagnostics own;
        auto code = compile(program, layout, {procedure}, options, own);
        EXPECT_EQ(call(*code), 16);
        EXPECT_TRUE(code->wait());
        EXPECT_EQ(call(*code), 16);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Tiers, CacheIsBounded) {
  fs::create_directories(directory);
  for (int k = 0; k < 10; ++k) {
    fs::path file = directory / (std::to_string(k) + ".so");
    std::ofstream(file) << std::string(100, 'x');
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(10 - k));
  }
  prune_cache(directory, 6, 1000000);
  EXPECT_EQ(files().size(), 6u);
  prune_cache(directory, 6, 250);
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(fs::exists(directory / "9.so"));
  EXPECT_NE(content_hash("a"), content_hash("b"));
  EXPECT_NE(content_hash(std::string(8, '\0')), content_hash(std::string(9, '\0')));
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");  // as `xxh128sum` prints it
}

TEST_F(Tiers, LibtccTellsWhatItRefuses) {
  std::string messages;
  EXPECT_FALSE(compile_in_memory("int f( {", messages));
  EXPECT_NE(messages.find("error"), std::string::npos);
}

}  // namespace
}  // namespace orrery::native
