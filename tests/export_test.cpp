// SPDX-License-Identifier: Apache-2.0
// Blocks that write files, read them, tell the time and make texts.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "semantics.h"

namespace orrery::tests::export_test {
namespace {

std::string scratch(const std::string& name) {
  std::filesystem::create_directories(cache_of_this_process());
  return cache_of_this_process() + "/" + name;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ModelRun run_well(const std::string& text) {
  ModelRun result = run_model(diagram(text), {});
  EXPECT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  return result;
}

const std::string sampled = R"(
  stop 1
  c: SampleClock period=0.25
  t: Time
  h: SampleHold
  s: MatrixGain K=[10;20]
  t:1 -> h:1
  c:1 => h:1
  h:1 -> s:1
)";

// The file has exactly the rows of the activations, and reads back as the same signal.
TEST(Exporters, WriteWhatTheirActivationsSay) {
  const std::string csv = scratch("a.csv"), text = scratch("a.txt"), mat = scratch("a.mat"), hdf = scratch("a.h5");
  run_well(sampled + "e: ToCSV inputs=2 names='h,v' file='" + csv + "'\nf: ToText file='" + text +
           "' separator=';' header=1\ng: ToMat variable='sig' file='" + mat + "'\nq: ToHDF names='v' file='" + hdf +
           "'\nh:1 -> e:1\ns:1 -> e:2 f:1 g:1 q:1");
  EXPECT_EQ(text_of(csv), "time,h,v[1],v[2]\n0,0,0,0\n0.25,0.25,2.5,5\n0.5,0.5,5,10\n0.75,0.75,7.5,15\n1,1,10,20\n");
  EXPECT_EQ(text_of(text), "time;u1[1];u1[2]\n0;0;0\n0.25;2.5;5\n0.5;5;10\n0.75;7.5;15\n1;10;20\n");
  const auto back = run_well("stop 1\na: FromCSV skip=1 after='hold' file='" + csv +
                             "'\nb: FromText skip=1 after='hold' separator=';' file='" + text +
                             "'\nc: FromMat variable='sig' after='hold' file='" + mat +
                             "'\nd: FromHDF variable='v[1],v[2]' after='hold' file='" + hdf +
                             "'\ne: FromHDF variable='/Results/Discrete/H5T_NATIVE_DOUBLE' time=1 columns=2 file='" +
                             hdf + "'\nout: Scope inputs=4\na:1 -> out:1\nb:1 -> out:2\nc:1 -> out:3\nd:1 -> out:4");
  for (std::size_t r = 0; r < back.recording.rows(); ++r) {
    const double t = back.recording.time[r];
    EXPECT_NEAR(back.recording.value(r, back.recording.column("/out.1[1]")), t, 1e-12);
    for (const char* column : {"/out.1[3]", "/out.2[2]", "/out.3[2]", "/out.4[2]"})
      EXPECT_NEAR(back.recording.value(r, back.recording.column(column)), 20 * t, 1e-12) << column;
  }
}

// In continuous time: the rows of the run.
TEST(Exporters, WriteEveryStepInContinuousTime) {
  const std::string csv = scratch("b.csv");
  const auto result = run_well("stop 2\nt: SineWaveGenerator\ni: Integral\nout: Scope\ne: ToCSV file='" + csv +
                               "'\nt:1 -> i:1\ni:1 -> e:1 out:1");
  std::istringstream lines(text_of(csv));
  std::string line;
  std::size_t rows = 0;
  std::getline(lines, line);
  EXPECT_EQ(line, "time,u1");
  while (std::getline(lines, line)) {
    const std::size_t comma = line.find(',');
    EXPECT_EQ(std::stod(line), result.recording.time[rows]);
    EXPECT_EQ(std::stod(line.substr(comma + 1)), result.recording.value(rows, 0));
    ++rows;
  }
  EXPECT_EQ(rows, result.recording.rows());
  EXPECT_EQ(result.recording.names.size(), 1u);  // exporters are no columns of the results
}

TEST(Exporters, NeedConsentAndAFile) {
  RunSetup setup;
  setup.allow = {};
  const auto codes = [](const ModelRun& run) {
    std::string found;
    for (const Diagnostic& d : run.diagnostics.all()) {
      if (d.severity == Severity::error) found += d.code + " " + d.place.block + ";";
    }
    return found;
  };
  const std::string file = scratch("c.csv");
  EXPECT_EQ(codes(run_model(diagram("stop 1\nt: Time\ne: ToCSV file='" + file + "'\nt:1 -> e:1"), setup)),
            "needs-consent /e;");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(codes(run_model(diagram("stop 1\nt: Time\ne: ToCSV\nt:1 -> e:1"), {})), "bad-parameter /e;");
  EXPECT_NE(codes(run_model(diagram("stop 1\nt: Time\ne: ToCSV file='/no/such/folder/x.csv'\nt:1 -> e:1"), {})), "");
  EXPECT_EQ(
      codes(run_model(
          diagram("stop 1\nt: Time\ne: ToCSV file='" + file + "'\nf: ToText file='" + file + "'\nt:1 -> e:1 f:1"), {})),
      "output-unwritable /f;");
  EXPECT_EQ(codes(run_model(diagram("stop 1\na: FromHDF file='" + scratch("none.h5") + "'\no: Scope\na:1 -> o:1"), {})),
            "bad-parameter /a;");
}

TEST(RealTime, GoesForwardAndIsReadAtActivations) {
  const auto result = run_well(
      "stop 1\nc: SampleClock period=0.1\nr: RealTime\nd: DiscreteDelay\ne: Sum signs='+-'\nout: "
      "Scope inputs=2\nc:1 => r:1\nr:1 -> d:1 e:1 out:1\nd:1 -> e:2\ne:1 -> out:2");
  double before = 0;
  for (std::size_t r = 0; r < result.recording.rows(); ++r) {
    const double now = result.recording.value(r, 0), step = result.recording.value(r, 1);
    if (std::isnan(now) || now == before) continue;  // before the first tick, and left of each: the one before
    EXPECT_GT(now, before);
    EXPECT_LT(now, 600);
    EXPECT_EQ(step, now - before);  // one reading for all who read it in the instant
    before = now;
  }
  EXPECT_GT(before, 0);
}

TEST(FormattedString, IsWhatPrintfWrites) {
  const auto result = run_well(
      "stop 1\na: Constant value=3.14159\nb: Constant value=int32(-42)\nf: FormattedString text='x=%6.2f,n=%05d%%' "
      "length=20\nout: Scope\na:1 -> f:1\nb:1 -> f:2\nf:1 -> out:1");
  std::string text;
  for (int k = 1; k <= 20; ++k) {
    const double code = last(result, "/out.1[" + std::to_string(k) + "]");
    if (code != 0) text += static_cast<char>(code);
  }
  char expected[40];
  std::snprintf(expected, sizeof expected, "x=%6.2f,n=%05d%%", 3.14159, -42);
  EXPECT_EQ(text, expected);
  for (const char* bad : {"%*d", "%n", "%s", "%", "%999999999d"}) {
    const auto run = run_model(diagram(std::string("stop 1\nf: FormattedString text='") + bad + "'"), {});
    EXPECT_TRUE(run.diagnostics.has_errors()) << bad;
  }
}

}  // namespace
}  // namespace orrery::tests::export_test
