// SPDX-License-Identifier: Apache-2.0
// Exported Python packages as people use them: published numbers, many instances, wheels, environments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/export_python.h"
#include "base/folders_for_tests.h"
#include "output_of.h"
#include "run_model.h"

namespace orrery::tests::exported_python_test {
namespace {

namespace fs = std::filesystem;

// One that has numpy; Debian's first.
std::string python() {
  for (const char* name : {"/usr/bin/python3", "python3"}) {
    if (output_of(fmt::format("{} -c 'import numpy'", name)).empty()) return std::string(name) + " -B";
  }
  return {};
}

class ExportedPython : public testing::Test {
 protected:
  void SetUp() override {
    python_ = python();
    if (python_.empty()) GTEST_SKIP() << "python3-numpy is not installed";
    folder_ = fs::absolute(cache_of_this_process()) / "exported_python";
    fs::remove_all(folder_);
  }

  void build(const std::string& file, const std::string& name, const std::string& block = "") {
    api::ExportRequest request;
    request.run.file = source_folder() + "/examples/" + file;
    request.block = block;
    request.name = name;
    request.out = (folder_ / name).string();
    Diagnostics diagnostics;
    ASSERT_TRUE(api::export_python(request, diagnostics)) << to_text(diagnostics);
  }
  std::string run(const std::string& name, const std::string& script) const {
    std::ofstream(folder_ / name / "script.py") << script;
    return output_of(fmt::format("cd {}/{} && {} script.py", folder_.string(), name, python_));
  }

  fs::path folder_;
  std::string python_;
};

// The numbers that the book prints for its lander (Extended Definitions, 22.2.4), to the last digit.
TEST_F(ExportedPython, TheMoonLanderLandsAsInTheBook) {
  build("export/moon_lander.orr", "moon_lander");
  EXPECT_EQ(run("moon_lander", R"(
import moon_lander
moon_lander.init()
print(*moon_lander.step([0.4], 1, 0.1))
print(*moon_lander.step([0.8], 2, 0.1))
moon_lander.finish()
)"),
            "0.0 579.5629558289684 -20.951173656529186 14.2\n"
            "0.0 560.1158292334636 -17.52201210385048 12.599999999999998\n");
  // What holds for every package, and the example.
  EXPECT_NE(output_of(fmt::format("cd {}/moon_lander && {} -m unittest", folder_.string(), python_)).find("\nOK"),
            std::string::npos);
  const std::string rows = output_of(fmt::format("cd {}/moon_lander && {} example.py", folder_.string(), python_));
  EXPECT_TRUE(rows.starts_with("time,status,altitude,speed,fuel\n0.1")) << rows.substr(0, 200);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 101);
}

TEST_F(ExportedPython, ActivationsGiveFibonaccisNumbers) {
  build("export/fibonacci.orr", "fibonacci");
  EXPECT_EQ(
      run("fibonacci", R"(
import fibonacci
fibonacci.init()
print(*[int(fibonacci.reset(t=t)[0]) for t in range(17)])
print(*fibonacci.Simulation().simulate(17, dt=1.0, activate="Next")[:, 0].astype(int))
print(int(fibonacci.reset(t=0)[0]), int(fibonacci.reset(t=1)[0]))
)"),
      "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987\n0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987\n0 1\n");
}

// Parameters for each instance; the law is that of examples/export/temperature.orr, here as rk4 by hand.
TEST_F(ExportedPython, InstancesHaveParametersOfTheirOwn) {
  build("export/temperature.orr", "room", "/Room");
  EXPECT_EQ(run("room", R"(
import numpy, room
air = numpy.where(numpy.arange(400) % 40 < 20, 3.0, 11.0)
tref, gap = numpy.array([20.0, 22.0, 25.0]), numpy.array([12.0, 9.0, 30.0])
many = room.Simulation(count=3, Tref=tref, gap=gap)
y = many.simulate(400, air, 0.05)
column = [port.name for port in room.OUTPUTS].index("room")
for k in range(3):
    x = 10.0
    for row in range(400):
        def f(t):
            return 0.1 * (air[row] - t) + 2.5 * (t < tref[k]) * (t < air[row] + gap[k])
        h = 0.05
        k1 = f(x); k2 = f(x + h * k1 / 2); k3 = f(x + h * k2 / 2); k4 = f(x + h * k3)
        x += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        assert abs(y[k, row, column] - x) < 1e-9, (k, row, y[k, row], x)
    one = room.Simulation(Tref=tref[k], gap=gap[k]).simulate(400, air, 0.05)
    assert (one == y[k]).all()
assert abs(y[0, -1, column] - y[1, -1, column]) > 0.1
for wrong in (lambda: room.Simulation(tref=1), lambda: room.Simulation(count=0), lambda: many.simulate(4, air, 0.05),
              lambda: many.simulate(400, air.astype(numpy.float32), 0.05), lambda: room.Simulation(count=2, gap=gap),
              lambda: many.step({"nothing": 1}), lambda: many.step([1, 2])):
    try:
        wrong()
    except (TypeError, ValueError, KeyError):
        continue
    raise AssertionError("accepted")
print("good")
)"),
            "good\n");
}

// Gymnasium is not in Debian: what the class uses of it stands in.
TEST_F(ExportedPython, EnvironmentsFollowGymnasium) {
  build("export/moon_lander.orr", "moon_lander");
  EXPECT_EQ(run("moon_lander", R"(
import sys, types, numpy
import moon_lander
try:
    moon_lander.Environment
except ImportError as missing:
    print(missing)
else:
    print("Environment needs the package gymnasium: pip install gymnasium")
class Env:
    def reset(self, *, seed=None):
        self.np_random = numpy.random.default_rng(seed)
class Box:
    def __init__(self, low, high, shape, dtype):
        self.shape = shape
gymnasium = types.ModuleType("gymnasium")
gymnasium.Env, gymnasium.spaces = Env, types.SimpleNamespace(Box=Box)
sys.modules.pop("moon_lander.environment", None)
sys.modules["gymnasium"] = gymnasium
world = moon_lander.Environment(reward=lambda before, action, after: before[3] - after[3], dt=1.0, longest=3,
                                done=lambda seen: seen[0] != 0)
print(world.action_space.shape, world.observation_space.shape)
for episode in range(2):
    seen, info = world.reset(seed=1)
    print(*seen)
    over = truncated = False
    while not over and not truncated:
        seen, reward, over, truncated, info = world.step([0.4])
        print(round(seen[3], 9), round(reward, 9), over, truncated, round(info["time"], 9))
)"),
            "Environment needs the package gymnasium: pip install gymnasium\n(1,) (4,)\n"
            "0.0 600.0 -20.0 15.0\n14.2 0.8 False False 1.0\n13.4 0.8 False False 2.0\n12.6 0.8 False True 3.0\n"
            "0.0 600.0 -20.0 15.0\n14.2 0.8 False False 1.0\n13.4 0.8 False False 2.0\n12.6 0.8 False True 3.0\n");
}

// Without any network: the tools of Debian only.
TEST_F(ExportedPython, WheelsAreBuiltAndLoaded) {
  if (!output_of(python_ + " -c 'import setuptools, wheel'").empty())
    GTEST_SKIP() << "python3-setuptools and python3-wheel are not installed";
  build("export/fibonacci.orr", "fibonacci");
  const std::string at = (folder_ / "fibonacci").string();
  const std::string said =
      output_of(fmt::format("cd {} && rm fibonacci/*.so && {} setup.py -q bdist_wheel", at, python_));
  ASSERT_EQ(said.find("(status"), std::string::npos) << said;
  EXPECT_EQ(
      output_of(fmt::format("cd {} && {} -m zipfile -e dist/*.whl {}/installed && cd / && PYTHONPATH={}/installed "
                            "{} -c \"import fibonacci; print(fibonacci.Simulation().simulate(8, dt=1.0, "
                            "activate=True)[-1, 0])\"",
                            at, python_, at, at, python_)),
      "13.0\n");
}

TEST(ExportPython, NamesThatPythonHasAreOthers) {
  api::ExportRequest request;
  request.run.file = source_folder() + "/examples/export/fibonacci.orr";
  request.name = "import";
  request.out = (fs::path(cache_of_this_process()) / "exported_python" / "names").string();
  Diagnostics diagnostics;
  const auto said = api::export_python(request, diagnostics);
  ASSERT_TRUE(said) << to_text(diagnostics);
  EXPECT_NE(said->find("import_model/__init__.py"), std::string::npos) << *said;
}

}  // namespace
}  // namespace orrery::tests::exported_python_test
