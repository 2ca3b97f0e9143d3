// SPDX-License-Identifier: Apache-2.0
// However the program ends, the next start finds nothing left: no folder, no process, no torn result.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

  // Everything that takes a while and leaves something.
  std::vector<std::vector<std::string>> works() const {
    const std::string shorter =
        write("model/short.orr", R"({"orrery": 2, "name": "s", "simulation": {"stop": "2", "hmax": "0.01"},
 "context": ["k = 1;"], "blocks": [{"name": "I", "type": "Integral"}, {"name": "S", "type": "Scope"},
 {"name": "C", "type": "Constant", "parameters": {"value": "k"}}],
 "links": [{"from": "C:1", "to": ["I:1"]}, {"from": "I:1", "to": ["S:1"]}]})");
    const std::string search = write("model/search.opt",
                                     "model short.orr\nvariable k = 3 from 1 to 9\nminimise (final(/I) - 3)^2\n"
                                     "method genetic\ntolerance 1e-300\nevaluations 1000000\n");
    std::vector<std::string> both = long_model();
    both.insert(both.end(), {"--out", file("out.h5"), "--events", file("events.csv")});
    return {long_model(),
            long_run(true),
            long_run(false),
            endless_saving(),
            both,
            {"run", test_fmu_folder() + "/van_der_pol_2.fmu", "--stop", "1e4", "--quiet", "--record", file("calls")},
            {"sweep", shorter, "--quiet", "--sample", "k=uniform(0,1)", "--runs", "1000000", "--fresh", "--out",
             file("sweep.csv")},
            {"sweep", shorter, "--quiet", "--vary", "k=1:20", "--fresh", "--out", file("sweep.h5")},
            {"optimise", search, "--quiet", "--out", file("best.json"), "--points", file("points")},
            {"export", "c", shorter, "--quiet", "--out", file("exported")},
            {"export", "fmu", shorter, "--quiet", "--out", file("exported.fmu")},
            {"export", "python", shorter, "--quiet", "--out", file("package")},
            {"picture", shorter, "-o", file("picture.svg")},
            {"serve", shorter, "--no-browser"}};
  }

  // What has its name is whole; what is not has the name of a part.
  void expect_no_torn_results(const std::string& which) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string path = entry.path().string(), ending = entry.path().extension().string();
      if (!entry.is_regular_file() || contains(path, "/cache/") || contains(path, "/model/")) continue;
      bool whole = true;
      if (ending == ".csv") expect_whole(path);
      if (ending == ".h5")
        whole = contains(orrery({"oml", "-e", "hdf5read('" + path + "', 'none');"}).out, "there is no variable");
      if (ending == ".fmu") whole = orrery({"fmu", "info", path}).code == 0;
      if (ending == ".json") whole = read(path).ends_with("}\n");
      if (ending == ".svg") whole = contains(read(path), "</svg>");
      if (ending == ".c" || ending == ".py" || ending == ".h") whole = read(path).ends_with("\n");
      EXPECT_TRUE(whole) << which << ": " << path;
    }
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

// A limit on the size of files is what a full disk is.
TEST_F(Ends, AFullDiskIsAnError) {
  const std::string place = file("full"), model = long_model()[1], fmu = test_fmu_folder() + "/van_der_pol_2.fmu";
  fs::create_directories(place);
  const auto code = [&](const std::string& words) {
    const int status = std::system(
        ("trap '' XFSZ; ulimit -f 16; cd '" + place + "'; '" + orrery_binary() + "' " + words + " > /dev/null 2>&1")
            .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  for (const std::string& words :
       {"run '" + model + "' --stop 100 --quiet --out a.csv", "run '" + model + "' --stop 100 --quiet --out a.h5",
        "run '" + fmu + "' --stop 1e4 --quiet --record calls",
        "sweep '" + works()[6][1] + "' --vary k=1:3000 --out s.csv",
        std::string("oml -e \"x = rand(100); save('x.mat', 'x');\""),
        std::string("oml -e \"x = rand(100); save('y.mat', 'x', '-v5');\""),
        std::string("oml -e \"dlmwrite('x.csv', rand(100));\""),
        std::string("oml -e \"f = fopen('x.txt', 'w'); fprintf(f, '%d,', 1:1e5); fclose(f);\""),
        std::string("oml -e \"f = fopen('x.txt', 'w'); fprintf(f, '%d,', 1:1e5); fclose('all');\""),
        std::string("oml -e \"f = fopen('x.txt', 'w'); fprintf(f, '%d,', 1:1e5);\"")}) {
    EXPECT_EQ(code(words), 1) << words;
  }
  EXPECT_EQ(code("oml -e \"f = fopen('x.txt', 'w'); fprintf(f, '%d,', 1:1e5); r = fclose(f); exit(r + 8);\""), 7);
  for (const auto& entry : fs::directory_iterator(place))
    EXPECT_FALSE(entry.path().extension() == ".mat" || entry.path().extension() == ".h5") << entry;
}

// Nothing takes the place of a pipe or a device.
TEST_F(Ends, DevicesStayDevices) {
  const std::string pipe = file("pipe"), ball = example("bouncing_ball");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"edit", ball, "--do", "title x", "-o", pipe},
                                                {"merge", ball, ball, ball, "-o", pipe},
                                                {"picture", ball, "-o", pipe}}) {
    ASSERT_EQ(std::system(("cat '" + pipe + "' > '" + file("got") + "' &").c_str()), 0);
    EXPECT_EQ(orrery(words).code, 0) << words[0];
    EXPECT_TRUE(fs::is_fifo(pipe)) << words[0];
    for (int k = 0; k < 500 && read(file("got")).empty(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(read(file("got")).empty()) << words[0];
  }
  // Points of a search lie beside its specification, where a link may wait for them.
  const std::string victim = write("victim.txt", "precious"), search = works()[8][1];
  fs::create_symlink(victim, search + ".points");
  EXPECT_EQ(orrery({"optimise", search, "--quiet"}).code, 1);
  EXPECT_EQ(read(victim), "precious");
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
  const auto all = works();
  for (int k = 0; k < kills; ++k) {
    const int signal = signals[static_cast<std::size_t>(k) % signals.size()];
    const std::size_t kind = random() % all.size();
    const std::string which = fmt::format("signal {} of {} {}, number {}", signal, all[kind][0], all[kind][1], k);
    const pid_t child = start(all[kind]);
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
    expect_no_torn_results(which);
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
