// SPDX-License-Identifier: Apache-2.0
// The C of a controller on a small machine: compiled for ARM without an operating system, it gives the bits of the
// host.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "api/export_model.h"
#include "base/environment.h"
#include "base/folders_for_tests.h"
#include "output_of.h"
#include "run_model.h"

namespace orrery::tests::exported_embedded_test {
namespace {

namespace fs = std::filesystem;

// A plant of two numbers around the controller; every command as the bits of a double.
constexpr const char* loop_text = R"(
#include <stdio.h>
#include <string.h>
#include "controller.h"
static controller_instance one;
int main(void) {
  double level = 0, rate = 0;
  unsigned noise = 1;
  controller_begin(&one, NULL, NULL);
  orr_initialise(&one.run);
  for (int k = 0; k < 200; ++k) {
    double set = k < 100 ? 0.7 : -0.4, reading, command;
    unsigned long long bits;
    noise = noise * 1664525u + 1013904223u;
    reading = level + (double)(noise >> 16) * 1e-7;
    orr_set_input(&one.run, 0, &set, NULL);
    orr_set_input(&one.run, 1, &reading, NULL);
    orr_activate(&one.run, 1);
    orr_advance(&one.run, one.run.t);
    command = orr_column_value(&one.run, controller_model.output[0].column);
    rate += 0.1 * (command - rate);
    level += 0.2 * rate - 0.02 * level;
    memcpy(&bits, &command, sizeof bits);
    printf("%08lx%08lx\n", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
  }
  return 0;
}
)";

TEST(ExportedEmbedded, AControllerHasTheBitsOfTheHostOnArm) {
  api::ExportRequest request;
  request.run.file = source_folder() + "/examples/export/controller.orr";
  const fs::path folder = fs::path(cache_of_this_process()) / "exported_embedded";
  fs::remove_all(folder);
  request.out = folder.string();
  request.target = "no-libm";
  request.program = false;
  Diagnostics diagnostics;
  ASSERT_TRUE(api::export_c(request, diagnostics)) << to_text(diagnostics);
  std::ofstream(folder / "loop.c") << loop_text;
  const std::string flags = "-std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -ffp-contract=off -fno-builtin";
  const std::string sources = "loop.c controller.c orrery_rt.c -lm";
  const std::string here =
      output_of(fmt::format("cd {} && cc -O2 {} -o here {} && ./here", folder.string(), flags, sources));
  EXPECT_EQ(std::count(here.begin(), here.end(), '\n'), 200) << here.substr(0, 500);
  EXPECT_NE(here.find("3ff0000000000000\n"), std::string::npos);  // at its upper limit for a while
  if (find_program("arm-none-eabi-gcc").empty() || find_program("qemu-arm").empty())
    GTEST_SKIP() << "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-user are not installed";
  const std::string there = output_of(fmt::format(
      "cd {} && arm-none-eabi-gcc -Os -mcpu=cortex-a9 --specs=rdimon.specs {} -o there {} && qemu-arm ./there",
      folder.string(), flags, sources));
  EXPECT_EQ(there, here);
  // For a processor without floating point the model itself, without the run-time, is small.
  EXPECT_EQ(output_of(fmt::format("cd {} && arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m0 {} -c controller.c && "
                                  "test $(arm-none-eabi-size controller.o | tail -1 | cut -f1) -lt 3000",
                                  folder.string(), flags)),
            "");
}

}  // namespace
}  // namespace orrery::tests::exported_embedded_test
