// SPDX-License-Identifier: Apache-2.0
// Options beside an FMU: taken where nothing else is said.
#include "fmi/reference_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace orrery::fmi {
namespace {

RunOptions taken(const std::string& text, RunOptions options = {}) {
  const std::string base = testing::TempDir() + "orrery_options_" + std::to_string(getpid());
  std::ofstream(base + "_ref.opt", std::ios::binary) << text;
  const std::string words = take_reference_options(base + ".fmu", options);
  std::remove((base + "_ref.opt").c_str());
  EXPECT_EQ(words.empty(), !options.start && !options.stop && !options.step && !options.rtol);
  return options;
}

TEST(ReferenceOptions, AreReadInAnyOrder) {
  const RunOptions options =
      taken("StepSize, 1E-003\r\n\"StopTime\",1.5\r\nRelTol, 1e-5\r\nExtra, 7\r\nStartTime, -0.5");
  EXPECT_EQ(options.start, -0.5);
  EXPECT_EQ(options.stop, 1.5);
  EXPECT_EQ(options.step, 1e-3);
  EXPECT_EQ(options.rtol, 1e-5);
}

TEST(ReferenceOptions, RemarksArePassedOver) {
  const RunOptions options = taken(
      "# by hand\nStartTime, 0.5   // in seconds\nStopTime, 5.0 // seconds\nStepSize, 0.25 // 0.0 means: the tool "
      "chooses\n");
  EXPECT_EQ(options.start, 0.5);
  EXPECT_EQ(options.stop, 5);
  EXPECT_EQ(options.step, 0.25);
}

TEST(ReferenceOptions, NumbersThatMeanNothingAreLeftOut) {
  RunOptions options = taken("StartTime,0.0\nStopTime,2\nStepSize,0\nRelTol,1\nOutputIntervalLength,0.02\n");
  EXPECT_EQ(options.step, 0.02);
  EXPECT_FALSE(options.rtol);
  options = taken("StopTime, soon\n\n,,\nRelTol, 0\n");
  EXPECT_FALSE(options.stop);
  EXPECT_FALSE(options.rtol);
}

TEST(ReferenceOptions, InputsAndVariablesAreFoundBesideTheFmu) {
  const std::string base = testing::TempDir() + "orrery_options_" + std::to_string(getpid());
  std::ofstream(base + "_in.csv") << "time,u\n0,1\n";
  RunOptions options;
  EXPECT_EQ(take_reference_options(base + ".fmu", options), "");  // a table alone may be anything
  std::ofstream(base + "_ref.csv") << "\"Time\" ,\"A[1,2]\", clutch1.w_rel\r\n0,1,2\r\n";
  EXPECT_NE(take_reference_options(base + ".fmu", options), "");
  EXPECT_EQ(options.input, base + "_in.csv");
  ASSERT_EQ(options.also.size(), 2u);
  EXPECT_EQ(options.also[0], "A[1,2]");
  RunOptions asked;
  asked.input = "mine.csv";
  asked.variables = {"x"};
  take_reference_options(base + ".fmu", asked);
  EXPECT_EQ(asked.input, "mine.csv");
  EXPECT_TRUE(asked.also.empty());
  std::remove((base + "_in.csv").c_str());
  std::remove((base + "_ref.csv").c_str());
}

TEST(ReferenceOptions, WhatTheUserSaysCounts) {
  RunOptions asked;
  asked.stop = 3;
  EXPECT_EQ(taken("StopTime, 1\nStepSize, 0.1\n", asked).stop, 3);
  RunOptions options;
  EXPECT_EQ(take_reference_options("/nowhere/x.fmu", options), "");
}

// Rows are those of the reference, unless others are asked for.
TEST(ReferenceOptions, TimesOfTheReferenceAreTaken) {
  const std::string base = testing::TempDir() + "orrery_times_" + std::to_string(getpid());
  std::ofstream(base + "_ref.csv") << "time,name\n0,a b\n0.25,\n0.25,1\n1e+000,2";
  RunOptions options;
  EXPECT_NE(take_reference_options(base + ".fmu", options).find("4 times"), std::string::npos);
  EXPECT_EQ(options.row_times, (std::vector<double>{0, 0.25, 0.25, 1}));
  for (const bool interval : {true, false}) {
    RunOptions asked;
    (interval ? asked.interval : asked.step) = 0.1;
    take_reference_options(base + ".fmu", asked);
    EXPECT_TRUE(asked.row_times.empty());
    EXPECT_EQ(asked.also, std::vector<std::string>{"name"});
  }
  std::remove((base + "_ref.csv").c_str());
}

}  // namespace
}  // namespace orrery::fmi
