// SPDX-License-Identifier: Apache-2.0
// Files made to do harm: good ones, damaged in many ways. Whatever is in them, there is an answer and no crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

#include "hostile_model.h"

namespace orrery::tests::hostile_files_test {
namespace {

// How many of each kind; ORRERY_HOSTILE multiplies it.
int amount(int usual) {
  const char* asked = std::getenv("ORRERY_HOSTILE");
  return asked != nullptr ? usual * std::max(std::atoi(asked), 1) : usual;
}

// Changes bytes, cuts, doubles, and puts numbers where sizes may be.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
  static constexpr std::uint64_t numbers[] = {0, 1, 0x7f, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0}};
  for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
    switch (random() % 5) {
      case 0: bytes[place()] = static_cast<char>(random()); break;
      case 1: bytes.resize(place()); break;
      case 2: bytes.insert(place(), bytes.substr(place(), random() % 64)); break;
      case 3: bytes.erase(place(), random() % 16); break;
      default: {
        const std::uint64_t number = numbers[random() % std::size(numbers)];
        const std::size_t size = random() % 2 == 0 ? 4 : 8, at = place() & ~std::size_t{3};
        if (at + size <= bytes.size()) bytes.replace(at, size, reinterpret_cast<const char*>(&number), size);
      }
    }
    if (bytes.empty()) bytes = "x";
  }
  return bytes;
}

class HostileFiles : public HostileModel {
 protected:
  void damage(const std::string& good, int count, const std::string& ending,
              const std::function<void(const std::string&)>& use) const {
    std::mt19937 random(7);
    const std::string bytes = read(good);
    ASSERT_FALSE(bytes.empty()) << good;
    for (int k = 0; k < count; ++k) {
      const std::string name = file(fmt::format("bad{}{}", k, ending));
      std::ofstream(name, std::ios::binary) << damaged(bytes, random);
      use(name);
    }
  }
  // Exit codes are answers; signals are none.
  void expect_answer(const std::vector<std::string>& words) const {
    const Outcome outcome = orrery(words);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.code << " " << words.back() << "\n" << outcome.err;
    EXPECT_FALSE(contains(outcome.err, "terminate called")) << outcome.err;
    EXPECT_TRUE(outcome.code == 0 || contains(outcome.err, "error[")) << outcome.err;
  }
};

TEST_F(HostileFiles, MatFiles) {
  for (const char* form : {"-v5", "-v7", "-v7.3"}) {
    const std::string good = file(std::string("good") + form + ".mat");
    ASSERT_EQ(
        orrery(
            {"oml", "-e",
             "a = magic(5); b = 'text'; c = {1, 'two', [3 4]}; s.f = 1; s.g = {2}; p = sparse([1 0; 0 2]); z = 1+2i; "
             "l = true; i = int8(3); save('" +
                 good + "', '" + form + "');"})
            .code,
        0);
    std::string script = "n = 0;\n";
    damage(good, amount(form == std::string("-v7.3") ? 30 : 60), form + std::string(".mat"),
           [&](const std::string& name) { script += "try, s = load('" + name + "'); catch e, n = n + 1; end\n"; });
    script += "printf('survived %d errors\\n', n);\n";
    const Outcome outcome = orrery({"oml", write("load.oml", script)});
    EXPECT_EQ(outcome.code, 0) << form << outcome.out << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "survived")) << form << outcome.out << outcome.err;
    const Outcome same = orrery({"oml", "-e",
                                 "s = load('" + good +
                                     "'); disp(isequal(s.a, magic(5)) && s.c{3}(2) == 4 && strcmp(s.b, 'text') && "
                                     "full(s.p(2, 2)) == 2 && s.z == 1+2i && s.l && s.s.g{1} == 2)"});
    EXPECT_EQ(same.out, "1\n") << form << same.err;
  }
}

TEST_F(HostileFiles, Recordings) {
  ASSERT_EQ(orrery({"run", test_fmu_folder() + "/bouncing_ball_2.fmu", "--quiet", "--stop", "0.5", "--record",
                    file("good.calls")})
                .code,
            0);
  damage(file("good.calls"), amount(40), ".calls", [&](const std::string& name) {
    expect_answer({"fmu", "replay", name});
    expect_answer({"fmu", "replay", name, "--print"});
  });
}

TEST_F(HostileFiles, Archives) {
  damage(test_fmu_folder() + "/bouncing_ball_2.fmu", amount(40), ".fmu", [&](const std::string& name) {
    expect_answer({"fmu", "info", name});
  });
}

// One packed file under a thousand names.
TEST_F(HostileFiles, ArchivesWhoseFilesOverlap) {
  std::string bytes = read(test_fmu_folder() + "/bouncing_ball_2.fmu");
  const std::size_t end = bytes.rfind("PK\x05\x06");
  std::uint32_t size = 0, start = 0;
  std::memcpy(&size, &bytes[end + 12], 4);
  std::memcpy(&start, &bytes[end + 16], 4);
  const std::string directory = bytes.substr(start, size);
  std::uint16_t entries = 0;
  std::memcpy(&entries, &bytes[end + 10], 2);
  std::string all, tail = bytes.substr(end);
  const int copies = 1000;
  for (int k = 0; k < copies; ++k) {
    std::string copy = directory;
    const std::size_t name = copy.find("modelDescription.xml");
    if (k > 0 && name != std::string::npos) copy.replace(name, 4, fmt::format("{:04}", k));
    all += copy;
  }
  const auto count = static_cast<std::uint16_t>(entries * copies);
  const auto length = static_cast<std::uint32_t>(all.size());
  std::memcpy(&tail[8], &count, 2);
  std::memcpy(&tail[10], &count, 2);
  std::memcpy(&tail[12], &length, 4);
  std::ofstream(file("overlap.fmu"), std::ios::binary) << bytes.substr(0, start) + all + tail;
  const Outcome outcome = orrery({"fmu", "info", file("overlap.fmu")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "error[fmi-")) << outcome.err;
}

TEST_F(HostileFiles, Models) {
  for (const char* name : {"bouncing_ball", "sampled_controller", "queue"}) {
    damage(example(name), amount(20), ".orr", [&](const std::string& bad) { expect_answer({"check", bad}); });
  }
}

TEST_F(HostileFiles, Tables) {
  write("good.csv", "time,u\n0,1\n0.5,2\n1,\"3\"\n");
  damage(file("good.csv"), amount(40), ".csv", [&](const std::string& name) {
    expect_answer({"run", test_fmu_folder() + "/input_integral_2.fmu", "--quiet", "--stop", "0.1", "--input", name});
  });
}

TEST_F(HostileFiles, ScriptsChooseNoCompiler) {
  const std::string evil = write("outside/evil.sh", "#!/bin/sh\ntouch '" + file("outside/ran") + "'\nexit 1\n");
  fs::permissions(evil, fs::perms::owner_all);
  const std::string name = model({"setenv('CC', '" + evil + "');", "setenv('PATH', '" + file("outside") + "');"});
  EXPECT_TRUE(contains(orrery({"run", "--quiet", "--tier", "second", name}).err, "needs-consent"));
  const Outcome allowed = orrery({"run", "--quiet", "--tier", "second", name, "--allow", "environment"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_FALSE(fs::exists(file("outside/ran")));
}

}  // namespace
}  // namespace orrery::tests::hostile_files_test
