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

TEST(ReferenceOptions, NumbersThatMeanNothingAreLeftOut) {
  RunOptions options = taken("StartTime,0.0\nStopTime,2\nStepSize,0\nRelTol,1\nOutputIntervalLength,0.02\n");
  EXPECT_EQ(options.step, 0.02);
  EXPECT_FALSE(options.rtol);
  options = taken("StopTime, soon\n\n,,\nRelTol, 0\n");
  EXPECT_FALSE(options.stop);
  EXPECT_FALSE(options.rtol);
}

TEST(ReferenceOptions, WhatTheUserSaysCounts) {
  RunOptions asked;
  asked.stop = 3;
  EXPECT_EQ(taken("StopTime, 1\nStepSize, 0.1\n", asked).stop, 3);
  RunOptions options;
  EXPECT_EQ(take_reference_options("/nowhere/x.fmu", options), "");
}

}  // namespace
}  // namespace orrery::fmi
