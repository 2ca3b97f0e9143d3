// SPDX-License-Identifier: Apache-2.0
// `orrery fmu crosscheck`: a small collection with one FMU of every verdict.
#include <algorithm>

#include "command_line.h"

namespace orrery::tests {
namespace {

class Crosscheck : public CommandLine {
 protected:
  // NAME.fmu below a folder of the collection, with the reference beside it.
  void put(const std::string& place, const std::string& fmu, const std::string& reference,
           const std::string& options = "") const {
    const std::string folder = file("fmus/" + place);
    fs::create_directories(folder);
    fs::copy_file(test_fmu_folder() + "/" + fmu + ".fmu", folder + "/X.fmu");
    if (!reference.empty()) std::ofstream(folder + "/X_ref.csv") << reference;
    if (!options.empty()) std::ofstream(folder + "/X_ref.opt") << options;
  }
  // exp(-t) from 0 to 10, as dahlquist has it, and scaled.
  static std::string decay(double scale, const char* name = "x") {
    std::string text = std::string("\"time\",\"") + name + "\"\n";
    for (int k = 0; k <= 50; ++k) {
      text += std::to_string(0.2 * k) + "," + std::to_string(scale * std::exp(-0.2 * k)) + "\n";
    }
    return text;
  }
};

TEST_F(Crosscheck, EveryFmuHasItsVerdict) {
  put("2.0/me/A", "dahlquist_2", decay(1));
  put("2.0/me/B", "dahlquist_2", decay(1.1));
  put("2.0/me/C", "dahlquist_2", decay(1, "other"));
  put("2.0/me/D", "van_der_pol_2", "");
  put("2.0/cs/E", "crash_2", decay(1));
  put("2.0/cs/F", "hang_2", decay(1));
  put("2.0/cs/G", "quirk_absent_library_2", decay(1));
  put("1.0/me/H", "dahlquist_1_cs", decay(1));
  const Outcome outcome =
      orrery({"fmu", "crosscheck", file("fmus"), "--report", file("out.html"), "--time-limit", "3", "--jobs", "2"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto expect_row = [&](const std::string& name, const std::string& words) {
    const std::size_t at = outcome.out.find(name);
    ASSERT_NE(at, std::string::npos) << name << "\n" << outcome.out;
    const std::string line = outcome.out.substr(at, outcome.out.find('\n', at) - at);
    EXPECT_NE(line.find(words), std::string::npos) << line;
  };
  expect_row("2.0/me/A/X.fmu", "agrees");
  expect_row("2.0/me/B/X.fmu", "differs");
  expect_row("2.0/me/C/X.fmu", "other is not among the results");
  expect_row("2.0/me/D/X.fmu", "runs, no reference");
  expect_row("2.0/cs/E/X.fmu", "crashed");
  expect_row("2.0/cs/F/X.fmu", "out of time");
  expect_row("2.0/cs/G/X.fmu", "failed");
  expect_row("1.0/me/H/X.fmu", "unusable");
  EXPECT_NE(outcome.out.find("1 of 7 with a reference agree; 8 runs"), std::string::npos) << outcome.out;
  const std::string page = read(file("out.html"));
  EXPECT_NE(page.find("<b>1 of 7</b>"), std::string::npos);
  // Two differ, and one of them has a curve to show.
  EXPECT_NE(page.find("href=\"#r"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("<svg", page.find("<svg") + 1), std::string::npos);
}

TEST_F(Crosscheck, ExitCodesAreForMachines) {
  put("me/A", "dahlquist_2", decay(1), "StopTime, 10\nStepSize, 0.2\nRelTol, 1e-6\n");
  put("me/B", "dahlquist_2", decay(1.1));
  const std::string fmus = file("fmus");
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus, "--only", "me/A"}).code, 0);
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus, "--only", "me/A", "--safe"}).code, 0);
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus}).code, 1);
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus, "--at-least", "1"}).code, 0);
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus, "--tolerance", "0.2"}).code, 0);
  EXPECT_EQ(orrery({"fmu", "crosscheck", fmus, "--tube", "0.2"}).code, 0);
  const Outcome none = orrery({"fmu", "crosscheck", fmus + "/nowhere"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("fmi-no-fmus"), std::string::npos);
  EXPECT_EQ(orrery({"fmu", "crosscheck"}).code, 2);
}

// Rows are those of the reference, and an array may stand in one cell.
TEST_F(Crosscheck, ResultsFollowTheHabitsOfReferences) {
  put("A", "state_space_3", "time,y\n0,0\n0.5,0\n1.25,0\n");
  const Outcome outcome =
      orrery({"run", file("fmus/A/X.fmu"), "--kind", "me", "--array-cells", "--out", file("y.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string rows = read(file("y.csv"));
  EXPECT_EQ(rows.substr(0, rows.find('\n')), "time,y");
  EXPECT_NE(rows.find("\n0,1 2 3\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("\n1.25,"), std::string::npos) << rows;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 5) << rows;  // names, three times, the end
}

}  // namespace
}  // namespace orrery::tests
