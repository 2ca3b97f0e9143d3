// SPDX-License-Identifier: Apache-2.0
// Sweeps: grids, samples, tables, what is kept, failures, going on after a kill; against closed forms and single runs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "api/run.h"
#include "api/sweep.h"
#include "command_line.h"

namespace orrery::tests::sweeps {
namespace {

// x' = -k x, x(0) = a: x(2) = a exp(-2 k); its integral is known as well.
const char* const decay = R"({
  "orrery": 2, "name": "decay",
  "context": ["k = 1;", "a = 2;"],
  "simulation": {"stop": "2", "rtol": "1e-10", "solver": "dopri"},
  "blocks": [
    {"name": "Rate", "type": "Gain", "parameters": {"k": "-k"}},
    {"name": "x", "type": "Integral", "parameters": {"x0": "a"}},
    {"name": "Scope", "type": "Scope"}
  ],
  "links": [
    {"from": "Rate:1", "to": ["x:1"]},
    {"from": "x:1", "to": ["Rate:1", "Scope:1"]}
  ]
})";

class Sweep : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("orrery_sweep_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    write("decay.orr", decay);
    request_.run.file = path("decay.orr");
    request_.out = path("r.csv");
    request_.jobs = 2;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  static std::string bytes(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  api::SweepResult run() {
    diagnostics_ = {};
    return api::sweep(request_, diagnostics_);
  }
  // Column by name; the column of failures is left out.
  std::vector<double> column(const std::string& name) {
    std::istringstream lines(bytes(request_.out));
    std::string line;
    std::getline(lines, line);
    const auto cells = [](const std::string& text) {
      std::vector<std::string> list(1);
      for (const char c : text) {
        if (c == ',')
          list.emplace_back();
        else if (c != '"')
          list.back() += c;
      }
      return list;
    };
    const auto names = cells(line);
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    std::vector<double> numbers;
    while (std::getline(lines, line)) {
      const std::string cell = cells(line)[static_cast<std::size_t>(at)];
      numbers.push_back(cell.empty() ? NAN : std::stod(cell));
    }
    return numbers;
  }
  std::string said() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics_.all())
      text += diagnostic.code + ": " + diagnostic.message + " " + diagnostic.help + "\n";
    return text;
  }

  std::filesystem::path folder_;
  api::SweepRequest request_;
  Diagnostics diagnostics_;
};

TEST_F(Sweep, AGridGivesTheClosedForm) {
  request_.vary = {"k=linspace(0.5,2,4)", "a=[1 3]"};
  request_.keep = {"end=final(/x)", "mean(/x)", "rms(/x)", "fall = first(/x) - min(/x)", "area=trapz(t, /x)"};
  const api::SweepResult result = run();
  ASSERT_TRUE(result.started) << said();
  EXPECT_EQ(result.runs, 8u);
  EXPECT_EQ(result.failed(), 0u);
  const auto k = column("k"), a = column("a"), end = column("end"), mean = column("mean(/x)"), rms = column("rms(/x)"),
             fall = column("fall"), area = column("area");
  ASSERT_EQ(end.size(), 8u) << said();
  EXPECT_EQ(k[0], 0.5);
  EXPECT_EQ(a[1], 3);  // the last list changes fastest
  for (std::size_t r = 0; r < 8; ++r) {
    const double exact = a[r] * std::exp(-2 * k[r]);
    EXPECT_NEAR(end[r], exact, 1e-8);
    EXPECT_NEAR(fall[r], a[r] - exact, 1e-8);
    // Straight lines between accepted points: their error is that of the trapezoidal rule.
    EXPECT_NEAR(mean[r], (a[r] - exact) / k[r] / 2, 2e-3 * a[r]);
    EXPECT_NEAR(area[r], 2 * mean[r], 1e-12);
    EXPECT_NEAR(rms[r], std::sqrt((a[r] * a[r] - exact * exact) / (2 * k[r]) / 2), 2e-3 * a[r]);
  }
  EXPECT_FALSE(std::filesystem::exists(request_.out + ".runs"));
}

TEST_F(Sweep, EveryRunIsTheSingleRunBitForBitWhateverTheThreads) {
  request_.run.file = examples + "bouncing_ball.orr";
  request_.run.settings.stop.text = "4";
  request_.samples = {"e=uniform(0.7,0.95)"};
  request_.samples_each = 1000;
  Diagnostics diagnostics;
  auto model = api::Model::open(request_.run.file, diagnostics);
  ASSERT_TRUE(model);
  const auto names = model->compile(diagnostics);
  ASSERT_TRUE(names);
  const api::SweepResult two = run();
  ASSERT_TRUE(two.started) << said();
  const std::string first = bytes(request_.out);
  request_.jobs = 1;
  run();
  EXPECT_TRUE(bytes(request_.out) == first);
  const auto e = column("e");
  const std::string probe = names->probes()[0].name;
  const auto kept = column(probe);
  ASSERT_TRUE(model->set("stop", "4"));
  const auto compiled = model->compile({.vary = {"e"}}, diagnostics);
  ASSERT_TRUE(compiled);
  ASSERT_EQ(e.size(), 1000u);
  for (std::size_t r = 0; r < e.size(); ++r) {
    api::Run single = compiled->start();
    ASSERT_TRUE(single.set_parameter("e", e[r]));
    single.run();
    const api::Results results = single.results();
    EXPECT_EQ(results.value(results.rows() - 1, results.column(probe)), kept[r]) << r;
  }
}

TEST_F(Sweep, SamplesHaveTheMomentsOfTheirDistribution) {
  request_.samples = {"k=normal(1,0.2)", "a=uniform(1,3)"};
  request_.samples_each = 2000;
  request_.sampling = math::Sampling::sobol;
  request_.keep = {"x0=first(/x)"};
  const api::SweepResult result = run();
  ASSERT_TRUE(result.started) << said();
  EXPECT_NEAR(result.statistics[0].mean, 1, 1e-3);
  EXPECT_NEAR(result.statistics[0].deviation, 0.2, 2e-3);
  EXPECT_NEAR(result.statistics[0].high, 1 + 0.2 * 1.6448536269514722, 5e-3);
  EXPECT_NEAR(result.statistics[1].deviation, std::sqrt(1.0 / 3), 2e-3);
  EXPECT_NEAR(result.statistics[2].mean, 2, 2e-3);
}

TEST_F(Sweep, ATableGivesSetsOfValues) {
  write("sets.csv", "k,a\n1,2\n0.5,4\n");
  request_.tables = {path("sets.csv")};
  request_.keep = {"final(/x)"};
  ASSERT_TRUE(run().started) << said();
  const auto end = column("final(/x)");
  ASSERT_EQ(end.size(), 2u);
  EXPECT_NEAR(end[0], 2 * std::exp(-2), 1e-8);
  EXPECT_NEAR(end[1], 4 * std::exp(-1), 1e-8);
}

TEST_F(Sweep, AFailedRunIsRecordedAndTheOthersGoOn) {
  request_.run.file = examples + "bouncing_ball.orr";
  request_.run.settings.stop.text = "10";
  request_.vary = {"e=[0.9 0.5 0.8]"};  // with 0.5 the bounces accumulate before t = 5
  const api::SweepResult result = run();
  ASSERT_TRUE(result.started) << said();
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].first, "zeno");
  EXPECT_EQ(result.failures[0].second, 1u);
  EXPECT_NE(bytes(request_.out).find("\n2,zeno,0.5,"), std::string::npos) << bytes(request_.out);
}

TEST_F(Sweep, KilledAndRepeatedTheFileHasTheSameBytes) {
  for (const char* name : {"r.csv", "r.h5"}) {
    request_.out = path(name);
    request_.vary = {"k=linspace(0.1,3,3000)"};
    request_.keep = {"final(/x)", "mean(/x)"};
    ASSERT_TRUE(run().started) << said();
    const std::string whole = bytes(request_.out);
    ASSERT_GT(whole.size(), 3000u);
    std::filesystem::remove(request_.out);
    for (int round = 0; round < 4; ++round) {
      const pid_t child = ::fork();
      if (child == 0) {
        run();
        ::_exit(0);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + 15 * round));
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    const api::SweepResult result = run();
    ASSERT_TRUE(result.started) << said();
    EXPECT_TRUE(bytes(request_.out) == whole) << name;
    EXPECT_FALSE(std::filesystem::exists(request_.out + ".runs"));
  }
}

TEST_F(Sweep, AnotherSweepDoesNotGoOnWithTheRunsOfThisOne) {
  std::atomic<bool> stop = false;
  request_.run.interrupt = &stop;
  request_.progress = [&stop](std::size_t, std::size_t) { stop = true; };
  request_.vary = {"k=linspace(1,2,20000)"};
  EXPECT_TRUE(run().interrupted);
  EXPECT_FALSE(std::filesystem::exists(request_.out));
  request_.progress = {};
  stop = false;
  request_.vary = {"k=[1 3]"};
  EXPECT_FALSE(run().started);
  EXPECT_NE(said().find("sweep-differs"), std::string::npos) << said();
  request_.fresh = true;
  EXPECT_TRUE(run().started) << said();
}

// x(0) = v(1) v(2): one element is varied, the other stays. All elements at once are not what one number means.
TEST_F(Sweep, ElementsOfMatricesAreVariedByThemselves) {
  std::string text = decay;
  text.replace(text.find("a = 2;"), 6, "v = [2 3]; a = v(1)*v(2);");
  write("decay.orr", text);
  request_.vary = {"v(2)=[5 7 0]"};
  request_.keep = {"begin=first(/x)", "small=log(first(/x))"};
  const api::SweepResult result = run();
  ASSERT_TRUE(result.started) << said();
  EXPECT_EQ(column("begin"), (std::vector<double>{10, 14, 0}));
  // log(0) is told of, and left out of the statistics.
  EXPECT_EQ(result.statistics.back().strange, 1u);
  EXPECT_NEAR(result.statistics.back().mean, (std::log(10.0) + std::log(14.0)) / 2, 1e-12);
  EXPECT_TRUE(contains(api::sweep_text(result), "small: 1 of 3 values are infinite")) << api::sweep_text(result);
  request_.out = path("other.csv");
  request_.vary = {"v=[5 7]"};
  EXPECT_FALSE(run().started);
  EXPECT_TRUE(contains(said(), "v has 2 elements")) << said();
  request_.vary = {"v(0)=[5 7]"};
  EXPECT_FALSE(run().started);
  request_.vary = {"v(3)=[5 7]"};
  EXPECT_FALSE(run().started);
  EXPECT_TRUE(contains(said(), "unknown-parameter")) << said();
}

TEST_F(Sweep, MistakesAreNamed) {
  const auto expect = [&](const std::string& code) {
    request_.out.clear();
    EXPECT_FALSE(run().started);
    EXPECT_NE(said().find(code), std::string::npos) << code << " in " << said();
    request_.vary = request_.samples = request_.tables = request_.keep = {};
    request_.samples_each = 0;
  };
  expect("nothing to vary");
  request_.vary = {"k"};
  expect("not NAME=VALUES");
  request_.vary = {"k=[]"};
  expect("the list is empty");
  request_.vary = {"k=undefined_thing"};
  expect("bad-option");
  request_.vary = {"k=[1 nan]"};
  expect("not a number");
  request_.vary = {"nothing=[1 2]"};
  expect("unknown-parameter");
  request_.vary = {"k=1:1e5", "a=1:1e5"};
  expect("too-many-points");
  request_.vary = {"k=[1 2]", "k=[3 4]"};
  expect("varied twice");
  request_.samples = {"k=gauss(1,2)"};
  request_.samples_each = 3;
  expect("no distribution");
  request_.samples = {"k=normal(1,-2)"};
  request_.samples_each = 3;
  expect("does not allow");
  request_.samples = {"k=normal(1,2)"};
  expect("--runs");
  request_.vary = {"k=[1 2]"};
  request_.keep = {"max(/Nothing)"};
  expect("unknown-signal");
  request_.vary = {"k=[1 2]"};
  request_.keep = {"3+4"};
  expect("no signal");
  request_.vary = {"k=[1 2]"};
  request_.keep = {"max(/x) +"};
  expect("--keep");
  request_.vary = {"k=[1 2]"};
  request_.keep = {"/x"};
  expect("no single number");
  request_.tables = {path("missing.csv")};
  expect("missing.csv");
}

// Lanes: the same steps with the same rounding, so the same bytes.
TEST_F(Sweep, LanesWriteTheBytesOfSingleRuns) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  request_.run.file = examples + "lorenz.orr";
  request_.run.settings.stop.text = "20";
  request_.run.settings.rtol.text = "1e-6";
  request_.run.settings.solver.text = "dopri";
  request_.samples = {"rho=uniform(0.5,30)", "sigma=uniform(5,15)"};
  request_.samples_each = 203;
  request_.keep = {"final(/Scope.x)", "max(/Scope.z)", "mean(/Scope.y)", "first(/Scope.x)"};
  ASSERT_TRUE(run().started) << said();
  const std::string alone = bytes(request_.out);
  request_.lanes = true;
  for (const int jobs : {1, 2}) {
    request_.jobs = jobs;
    ASSERT_TRUE(run().started) << said();
    EXPECT_EQ(said(), "");
    EXPECT_TRUE(bytes(request_.out) == alone) << jobs;
  }
}

// Functions of the library, time, more than eight states, runs that fail: all of it as without lanes.
TEST_F(Sweep, LanesKnowFunctionsTimeAndFailures) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  std::string blocks, links;
  for (int k = 0; k < 10; ++k) {
    const std::string n = std::to_string(k), next = std::to_string((k + 1) % 10);
    blocks += "{\"name\": \"x" + n + "\", \"type\": \"Integral\", \"parameters\": {\"x0\": \"a/" +
              std::to_string(k + 1) + "\"}},\n{\"name\": \"f" + n +
              "\", \"type\": \"MathExpression\", \"parameters\": {\"inputs\": \"2\", \"expression\": "
              "\"'sin(u2)-a*u1+exp(-u1*u1)+b*u1*u1'\"}},\n";
    links += std::string(k > 0 ? ",\n" : "") + "{\"from\": \"x" + n + ":1\", \"to\": [\"f" + n + ":1\", \"f" + next +
             ":2\"" + (k == 0 ? ", \"Scope:1\"" : "") + "]},\n{\"from\": \"f" + n + ":1\", \"to\": [\"x" + n + ":1\"]}";
  }
  write("ten.orr", R"({"orrery": 2, "name": "ten", "context": ["a = 1;", "b = 0;"],
  "simulation": {"stop": "3", "rtol": "1e-7", "solver": "dopri"}, "blocks": [)" +
                       blocks + R"({"name": "Scope", "type": "Scope"}], "links": [)" + links + "]}");
  request_.run.file = path("ten.orr");
  request_.vary = {"a=linspace(0.5,2,9)", "b=[0 0.1 3]"};  // with the last the solution has no end
  const api::SweepResult single = run();
  ASSERT_TRUE(single.started) << said();
  EXPECT_GT(single.failed(), 0u);
  const std::string alone = bytes(request_.out);
  request_.lanes = true;
  ASSERT_TRUE(run().started) << said();
  EXPECT_EQ(said(), "");
  EXPECT_TRUE(bytes(request_.out) == alone);
}

TEST_F(Sweep, LanesAreRefusedWhereTheyDoNotFit) {
  request_.run.file = examples + "bouncing_ball.orr";
  request_.run.settings.stop.text = "1";
  request_.vary = {"e=[0.7 0.8]"};
  request_.lanes = true;
  const api::SweepResult result = run();
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.failed(), 0u);
  EXPECT_NE(said().find("no-lanes"), std::string::npos);
}

}  // namespace
}  // namespace orrery::tests::sweeps
