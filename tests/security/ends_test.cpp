// SPDX-License-Identifier: Apache-2.0
// However the program ends, the next start finds nothing left: no folder, no process, no torn result.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <random>
#include <thread>

#include "hostile_model.h"

namespace orrery::tests::ends_test {
namespace {

class Ends : public HostileModel {
 protected:
  void SetUp() override {
    HostileModel::SetUp();
    fs::create_directories(file("tmp"));
    ::setenv("TMPDIR", file("tmp").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    HostileModel::TearDown();
  }

  std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(file("tmp"))) names.push_back(entry.path().filename().string());
    return names;
  }

  // Processes of ours, by the folder in their environment or the FMU in their memory: those that still run in it.
  int processes() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(::getpid())) continue;
      const std::string environment = read("/proc/" + name + "/environ");
      if (contains(environment, "TMPDIR=" + file("tmp")) && !contains(read("/proc/" + name + "/stat"), ") Z ")) ++count;
    }
    return count;
  }

  // A run that takes a while, with an FMU that has a folder and, where it is safe, processes of its own.
  std::vector<std::string> long_run(bool safe) const {
    std::vector<std::string> words = {"run",        test_fmu_folder() + "/van_der_pol_2.fmu",
                                      "--stop",     "1e7",
                                      "--interval", "1e4",
                                      "--out",      file("out.csv"),
                                      "--quiet"};
    if (safe) words.emplace_back("--safe");
    return words;
  }
  std::vector<std::string> long_model() const {
    write("model/long.orr", R"({"orrery": 1, "name": "l", "simulation": {"stop": "1e9", "hmax": "0.01"},
 "blocks": [{"name": "I", "type": "Integral"}, {"name": "C", "type": "Constant"}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["I:1"]}, {"from": "I:1", "to": ["S:1"]}]})");
    return {"run", file("model/long.orr"), "--out", file("out.csv"), "--quiet"};
  }

  std::vector<std::string> endless_saving() const {
    return {"oml", "-e",
            "x = rand(200); while true, save('" + file("saved.mat") + "', 'x'); dlmwrite('" + file("saved.csv") +
                "', x(1:20, :)); end"};
  }

  // Every line of a table is whole.
  static void expect_whole(const std::string& path) {
    if (!fs::exists(path)) return;
    const std::string text = read(path);
    if (text.empty()) return;
    EXPECT_EQ(text.back(), '\n') << path;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const auto columns = std::count(line.begin(), line.end(), ',');
    while (std::getline(lines, line)) ASSERT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
  }
};

TEST_F(Ends, EverySignalKeepsTheResultsSoFar) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    fs::remove(file("out.csv"));
    const pid_t child = start(long_model());
    let_compute(child, 0.3);
    const Outcome outcome = terminate(child, signal);
    EXPECT_EQ(outcome.code, 130) << signal << outcome.err;
    EXPECT_TRUE(fs::exists(file("out.csv"))) << signal;
    expect_whole(file("out.csv"));
    for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_NE(entry.path().extension(), ".part") << entry;
  }
}

TEST_F(Ends, SignalsLeaveNoFolderOfAnFmu) {
  for (const bool safe : {false, true}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      const pid_t child = start(long_run(safe));
      let_compute(child, 0.2);
      const Outcome outcome = terminate(child, signal);
      EXPECT_EQ(outcome.code, 130) << signal << safe << outcome.err;
      EXPECT_TRUE(folders().empty()) << signal << safe;
    }
  }
}

// The second one ends it at once, and still nothing is left.
TEST_F(Ends, ASecondSignalEndsAtOnce) {
  const pid_t child = start({"run", test_fmu_folder() + "/hang_2.fmu", "--kind", "cs", "--quiet"});
  for (int k = 0; k < 500 && folders().empty(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  let_compute(child, 0.5);
  ::kill(child, SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Outcome outcome = terminate(child, SIGTERM);
  EXPECT_EQ(outcome.code, -SIGTERM) << outcome.err;
  EXPECT_TRUE(folders().empty());
}

TEST_F(Ends, AClosedPipeIsAnEnd) {
  const std::string script =
      write("pipe.sh", "'" + orrery_binary() + "' run '" + long_model()[1] +
                           "' --stop 100 --out - --quiet 2>/dev/null | head -1 > /dev/null\nexit ${PIPESTATUS[0]}\n");
  const int status = std::system(("bash '" + script + "'").c_str());
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST_F(Ends, AFullOutputIsAnError) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP();
  const auto code = [&](const std::string& words) {
    const int status = std::system(("'" + orrery_binary() + "' " + words + " 2>/dev/null").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::string fmu = test_fmu_folder() + "/quirk_talkative_2.fmu";
  EXPECT_NE(code("show blocks > /dev/full"), 0);
  EXPECT_NE(code("run '" + example("bouncing_ball") + "' > /dev/full"), 0);
  EXPECT_NE(code("run '" + example("bouncing_ball") + "' --quiet --out /dev/full"), 0);
  EXPECT_NE(code("run '" + example("bouncing_ball") + "' --quiet --events /dev/full"), 0);
  EXPECT_NE(code("run '" + fmu + "' --kind cs --quiet --log /dev/full"), 0);
  EXPECT_NE(code("run '" + fmu + "' --kind cs --quiet --record /dev/full"), 0);
  EXPECT_NE(code("oml -e 'disp(1)' > /dev/full"), 0);
}

// kill -9 and every signal that can be caught, at moments that nobody chose; ORRERY_KILLS says how many (200 in the
// long form).
TEST_F(Ends, AtRandomMoments) {
  const char* asked = std::getenv("ORRERY_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 24;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::mt19937 random(20261118);
  std::vector<int> signals = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGABRT, SIGSEGV, SIGBUS,
                              SIGFPE,  SIGILL,  SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
                              SIGPROF, SIGXCPU, SIGXFSZ, SIGPIPE, SIGPOLL, SIGSYS};
  const auto most = signals.size();
  for (std::size_t k = 0; k < most; ++k) signals.insert(signals.begin() + static_cast<std::ptrdiff_t>(2 * k), SIGKILL);
  for (int k = 0; k < kills; ++k) {
    const int signal = signals[static_cast<std::size_t>(k) % signals.size()], kind = static_cast<int>(random() % 4);
    const std::string which = fmt::format("signal {} of a run of kind {}, number {}", signal, kind, k);
    const pid_t child = start(kind == 0 ? long_model() : kind == 3 ? endless_saving() : long_run(kind == 1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 400'000));
    ::kill(child, signal);
    for (int wait = 0; wait < 300 && seconds_computed(child) < INFINITY; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(signal == SIGPIPE || seconds_computed(child) == INFINITY) << which << " goes on";
    ::kill(child, SIGKILL);
    finish(child);
    for (int wait = 0; wait < 200 && processes() > 0; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(processes(), 0) << which;
    ASSERT_EQ(orrery({"version"}).code, 0);  // the next start
    EXPECT_TRUE(folders().empty()) << which;
    expect_whole(file("out.csv"));
    expect_whole(file("saved.csv"));
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".part" && contains(entry.path().string(), "out.csv"))
        expect_whole(entry.path().string());
    }
  }
  // What was saved is whole, and the next file of the same name removes what was left beside it.
  const Outcome last = orrery({"oml", "-e",
                               "if isfile('" + file("saved.mat") + "'), s = load('" + file("saved.mat") +
                                   "'); disp(isequal(size(s.x), [200 200])), end, x = 1; save('" + file("saved.mat") +
                                   "', 'x'); dlmwrite('" + file("saved.csv") + "', x);"});
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  EXPECT_FALSE(contains(last.out, "0")) << last.out;
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_FALSE(contains(entry.path().string(), "saved.") && entry.path().extension() == ".part") << entry;
}

}  // namespace
}  // namespace orrery::tests::ends_test
