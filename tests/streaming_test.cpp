// SPDX-License-Identifier: Apache-2.0
// Results that go to files while the run goes on: little memory, readable files after a kill, honest words when a disk
// is full, choices of rows and columns.
#include <hdf5.h>

#include <chrono>
#include <thread>

#include "api/choose_columns.h"
#include "api/picture_sink.h"
#include "api/session.h"
#include "base/folders_for_tests.h"
#include "command_line.h"
#include "sim/callback_sink.h"
#include "sim/options.h"

namespace orrery::tests::streaming_test {
namespace {

struct Table {
  std::size_t columns = 0;
  std::vector<double> values;  // row by row; the first is the time
  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

// The matrix of what is continuous; without columns where the file cannot be read.
Table read_mtsf(const std::string& path) {
  Table table;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return table;
  const hid_t set = H5Dopen2(file, "/Results/Continuous/H5T_NATIVE_DOUBLE", H5P_DEFAULT);
  const hid_t description = H5Dopen2(file, "/ModelDescription/Variables", H5P_DEFAULT);
  if (set >= 0 && description >= 0) {
    const hid_t space = H5Dget_space(set);
    hsize_t shape[2] = {};
    H5Sget_simple_extent_dims(space, shape, nullptr);
    table.values.resize(shape[0] * shape[1]);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()) >= 0) {
      table.columns = shape[1];
    }
    H5Sclose(space);
    H5Dclose(set);
    H5Dclose(description);
  }
  H5Fclose(file);
  return table;
}

void expect_same(const io::TimeSeries& series, const Table& table, std::size_t rows) {
  ASSERT_EQ(table.columns, series.columns.size() + 1);
  ASSERT_GE(table.rows(), rows);
  ASSERT_GE(series.time.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    ASSERT_EQ(table.values[row * table.columns], series.time[row]) << row;
    for (std::size_t k = 0; k < series.columns.size(); ++k) {
      ASSERT_EQ(table.values[row * table.columns + k + 1], series.columns[k][row]) << row;
    }
  }
}

class Streaming : public CommandLine {
 protected:
  // The largest resident size of a process, in MB, and its exit code.
  double peak_of(const std::vector<std::string>& arguments) const {
    const pid_t child = start(arguments);
    double peak = 0;
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
      std::ifstream status("/proc/" + std::to_string(child) + "/status");
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) peak = std::max(peak, std::stod(line.substr(6)) / 1024);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return peak;
  }

  std::string part(const std::string& name, pid_t child) const { return name + "." + std::to_string(child) + ".part"; }

  // Ends a run without warning, a few seconds after it began to write.
  pid_t killed(const std::vector<std::string>& arguments) const {
    const pid_t child = start(arguments);
    let_compute(child, 0.5);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    ::kill(child, SIGKILL);
    finish(child);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // a last line that was cut is taken away
    return child;
  }
};

// Two million rows of four numbers are 66 MB, and were kept.
TEST_F(Streaming, MemoryDoesNotGrowWithTheRows) {
  const auto run = [&](const char* interval) {
    return peak_of({"run", example("lorenz"), "--interval", interval, "--out", file("l.csv"), "--out", file("l.h5"),
                    "--plot", file("l.svg"), "--quiet"});
  };
  const double few = run("2e-3"), many = run("2e-5");
  EXPECT_LT(many, few + 30);
  EXPECT_EQ(read_mtsf(file("l.h5")).rows(), 2000001u);
}

TEST_F(Streaming, LeavesReadableFilesWhenItIsKilled) {
  const pid_t child = killed(
      {"run", example("lorenz"), "--stop", "1e9", "--interval", "0.01", "--out", file("l.csv"), "--out", file("l.h5")});
  EXPECT_FALSE(fs::exists(file("l.csv")));
  EXPECT_FALSE(fs::exists(file("l.h5")));
  const std::string text = read(file(part("l.csv", child)));
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  const io::TimeSeries series = this->series(part("l.csv", child));
  const Table table = read_mtsf(file(part("l.h5", child)));
  // The first flush comes with the first block; those that follow are what makes the difference.
  EXPECT_GT(table.rows(), 3 * 4096u);
  EXPECT_GT(series.time.size(), 3 * 4096u);
  expect_same(series, table, std::min(table.rows(), series.time.size()));
}

// Rows that come slowly do not wait for a block to be full.
TEST_F(Streaming, LosesAtMostASecondWhenItIsKilled) {
  const pid_t child = killed({"run", example("bouncing_ball"), "--set", "e=1", "--stop", "1e9", "--interval", "1e5",
                              "--out", file("b.csv"), "--out", file("b.h5"), "--events", file("e.csv")});
  const std::size_t rows = series(part("b.csv", child)).time.size();
  EXPECT_GT(rows, 1u);
  EXPECT_LT(rows, 4096u);
  EXPECT_GT(read_mtsf(file(part("b.h5", child))).rows(), 1u);
  const std::string events = read(file(part("e.csv", child)));
  ASSERT_TRUE(events.starts_with("time,cause,block"));
  EXPECT_EQ(events.back(), '\n');
  EXPECT_GT(std::count(events.begin(), events.end(), '\n'), 1000);
}

// The limit of the size of a file does what a full disk does.
TEST_F(Streaming, KeepsWhatFittedOnTheDisk) {
  for (const std::string name : {"l.csv", "l.h5"}) {
    const std::string command = "ulimit -f 4000; trap '' XFSZ; " + orrery_binary() + " run " + example("lorenz") +
                                " --interval 1e-4 --out " + file(name) + " > " + file("out.txt") + " 2> " +
                                file("err.txt");
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
    const std::string said = read(file("err.txt"));
    EXPECT_TRUE(contains(said, "output-unwritable")) << said;
    EXPECT_EQ(read(file("out.txt")), "");
    EXPECT_FALSE(fs::exists(file(name)));
    const std::size_t at = said.find("; the ");
    ASSERT_NE(at, std::string::npos) << said;
    const std::size_t rows = std::stoul(said.substr(at + 6));
    const std::size_t where = said.find(file(name) + ".");
    ASSERT_NE(where, std::string::npos) << said;
    const std::string left = said.substr(where, said.find(".part", where) + 5 - where);
    EXPECT_GT(rows, 4000u);
    if (name == "l.csv") {
      EXPECT_EQ(series(fs::path(left).filename()).time.size(), rows);
    } else {
      EXPECT_EQ(read_mtsf(left).rows(), rows);
    }
  }
}

TEST_F(Streaming, SaysHowMuchAFullDeviceHasTaken) {
  fs::create_symlink("/dev/full", file("x.h5"));
  for (const std::string& name : {std::string("/dev/full"), file("x.h5")}) {
    const Outcome full = orrery({"run", example("lorenz"), "--out", name, "--out", file("good.csv")});
    EXPECT_EQ(full.code, 1);
    EXPECT_TRUE(contains(full.err, "cannot write " + name + ": No space left on device\n")) << full.err;
    EXPECT_FALSE(contains(full.out, name)) << full.out;
    EXPECT_GT(series("good.csv").time.size(), 0u);  // what came before is kept
  }
}

TEST_F(Streaming, WritesSeveralFilesAtOnce) {
  const Outcome outcome =
      orrery({"run", example("lorenz"), "--out", file("a.csv"), "--out", file("a.h5"), "--out", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_TRUE(outcome.out == read(file("a.csv")));
  const io::TimeSeries all = series("a.csv");
  expect_same(all, read_mtsf(file("a.h5")), all.time.size());
}

TEST_F(Streaming, ChoosesRowsAndColumns) {
  ASSERT_EQ(orrery({"run", example("lorenz"), "--out", file("all.csv")}).code, 0);
  const Outcome outcome = orrery({"run", example("lorenz"), "--only", "Scope.x,*.z", "--decimate", "100", "--out",
                                  file("some.csv"), "--out", file("some.h5")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const io::TimeSeries all = series("all.csv"), some = series("some.csv");
  EXPECT_EQ(some.names, (std::vector<std::string>{"/Scope.x", "/Scope.z"}));
  const std::size_t last = all.time.size() - 1, rows = last / 100 + 1 + (last % 100 != 0 ? 1 : 0);
  ASSERT_EQ(some.time.size(), rows);
  EXPECT_TRUE(contains(outcome.out, "some.csv: " + std::to_string(rows) + " rows of 2 signals")) << outcome.out;
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t row = std::min(100 * k, last);
    EXPECT_EQ(some.time[k], all.time[row]);
    EXPECT_EQ(some.columns[0][k], all.columns[0][row]);
    EXPECT_EQ(some.columns[1][k], all.columns[2][row]);
  }
  expect_same(some, read_mtsf(file("some.h5")), rows);
}

TEST_F(Streaming, RefusesChoicesThatMeanNothing) {
  const Outcome unknown = orrery({"run", example("lorenz"), "--only", "*.w", "--out", file("x.csv")});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.err, "error[unknown-column]")) << unknown.err;
  EXPECT_FALSE(fs::exists(file("x.csv")));
  EXPECT_EQ(orrery({"run", example("lorenz"), "--decimate", "10"}).code, 2);
  EXPECT_EQ(orrery({"run", example("lorenz"), "--decimate", "0", "--out", file("x.csv")}).code, 2);
  EXPECT_EQ(orrery({"run", example("lorenz"), "--out", file("x.csv"), "--out", file("x.csv")}).code, 2);
}

// Of a model that begins again only the last run counts, also where the first has gone to a pipe already.
TEST_F(Streaming, ForgetsRunsThatBeginAgain) {
  const std::string model = write("again.orr", R"({"orrery": 1, "context": ["n = __counter__"],
      "simulation": {"stop": "2"}, "blocks": [
      {"name": "t", "type": "Time"},
      {"name": "n", "type": "Constant", "parameters": {"value": "n"}},
      {"name": "clock", "type": "EventGenerate", "parameters": {"times": "8 * (n >= 3) + 1"
}
},
      {"name": "end", "type": "End", "parameters": {"action": "'restart'"}}],
      "links": [{"event": "clock:1", "to": ["end:1"]}]
})");
  const std::vector<std::string> common{"run", model, "--vars", "n", "--interval", "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return orrery(more);
  };
  const Outcome outcome =
      with({"--out", "-", "--out", file("a.csv"), "--out", file("a.h5"), "--events", file("e.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "time,/n\n0,3\n1,3\n2,3\n");
  EXPECT_EQ(read(file("a.csv")), outcome.out);
  EXPECT_EQ(read_mtsf(file("a.h5")).rows(), 3u);
  EXPECT_EQ(event_times("e.csv", "initial", "").size(), 1u);
}

TEST(Columns, MatchPatterns) {
  EXPECT_TRUE(api::matches_column("/Scope.x", "/Scope.x"));
  EXPECT_TRUE(api::matches_column("Scope.x", "/Scope.x"));
  EXPECT_TRUE(api::matches_column("*", ""));
  EXPECT_TRUE(api::matches_column("*x*y", "/axbxcy"));
  EXPECT_TRUE(api::matches_column("/A[?,*]", "/A[1,12]"));
  EXPECT_TRUE(api::matches_column("/A[1]", "/A[1]"));
  EXPECT_FALSE(api::matches_column("/A[1]", "/A1"));
  EXPECT_FALSE(api::matches_column("", "/A"));
  EXPECT_FALSE(api::matches_column("*x*y", "/axbxcyz"));
  EXPECT_FALSE(api::matches_column("A?", "/A"));
}

TEST(Curves, KeepTheirExtremesInLittleRoom) {
  api::ReducedCurve curve(1000);
  for (int k = 0; k < 1000000; ++k) {
    const double value = k == 123456 ? 5 : k == 654321 ? -5 : k == 500000 ? NAN : std::sin(1e-3 * k);
    curve.add(1e-3 * k, value);
  }
  ASSERT_LE(curve.time().size(), 1000u);
  EXPECT_TRUE(std::is_sorted(curve.time().begin(), curve.time().end()));
  EXPECT_EQ(curve.time().front(), 0);
  EXPECT_EQ(curve.time().back(), 999.999);
  const auto at = [&](double value) {
    const auto found = std::find(curve.value().begin(), curve.value().end(), value);
    return found == curve.value().end() ? NAN : curve.time()[static_cast<std::size_t>(found - curve.value().begin())];
  };
  EXPECT_DOUBLE_EQ(at(5), 123.456);
  EXPECT_DOUBLE_EQ(at(-5), 654.321);
  EXPECT_EQ(std::count_if(curve.value().begin(), curve.value().end(), [](double x) { return std::isnan(x); }), 1);
}

// A function sees every row once, in order, and can end the run.
TEST(Sinks, CallAFunction) {
  for (const std::size_t most : {SIZE_MAX, std::size_t{10000}}) {
    std::size_t rows = 0;
    bool in_order = true, ended = false;
    sim::CallbackSink sink([&](const sim::Block& block) {
      in_order = in_order && block.first_row == rows;
      rows += block.rows();
      ended = block.last;
      return rows < most;
    });
    api::RunRequest request;
    request.file = example("lorenz");
    request.interval = 1e-3;
    request.sinks = {&sink};
    const api::RunResult result = api::run(request);
    EXPECT_TRUE(in_order);
    EXPECT_TRUE(ended);
    EXPECT_EQ(rows, result.report.rows);
    EXPECT_EQ(result.recording.rows(), 0u);
    EXPECT_EQ(result.report.end, most == SIZE_MAX ? sim::End::reached_stop : sim::End::failed);
    EXPECT_EQ(rows == 40001u, most == SIZE_MAX);
    EXPECT_LT(rows, most == SIZE_MAX ? SIZE_MAX : 20000u);
  }
}

}  // namespace
}  // namespace orrery::tests::streaming_test
