// SPDX-License-Identifier: Apache-2.0
// The procedures of exported models as text, reviewed by eye: tests/golden/*.c. ORRERY_UPDATE_GOLDEN=1 writes them
// anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "api/export_model.h"
#include "base/folders_for_tests.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::exported_golden_test {
namespace {

// What comes before the tables, without the file it was made from.
std::string procedures_of(const code_export::CModel& model) {
  const std::string text = model.source.substr(0, model.source.find("static const " + model.name + " "));
  return "// SPDX-License-Identifier: MIT-0\n// What is exported of a model, before its tables.\n" +
         text.substr(text.find("#include"));
}

void compare(const std::string& name, const model::Model& model) {
  api::ExportRequest request;
  request.name = name;
  request.run.allow = Capabilities::all();
  Diagnostics diagnostics;
  const auto made = api::c_model_of(model, request, diagnostics);
  ASSERT_TRUE(made) << to_text(diagnostics);
  const std::string file = source_folder() + "/tests/golden/" + name + ".c", text = procedures_of(*made);
  if (std::getenv("ORRERY_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ostringstream wanted;
  wanted << std::ifstream(file).rdbuf();
  EXPECT_EQ(text, wanted.str()) << file;
}

model::Model example_model(const std::string& file) {
  Diagnostics diagnostics;
  auto model = api::open_model(source_folder() + "/examples/" + file, diagnostics);
  EXPECT_TRUE(model) << to_text(diagnostics);
  return model ? std::move(*model) : model::Model{};
}

TEST(ExportedGolden, MoonLander) { compare("moon_lander", example_model("export/moon_lander.orr")); }
TEST(ExportedGolden, Fibonacci) { compare("fibonacci", example_model("export/fibonacci.orr")); }
TEST(ExportedGolden, TemperatureController) { compare("temperature", example_model("export/temperature.orr")); }
TEST(ExportedGolden, LowPass) { compare("low_pass", example_model("oml/low_pass.orr")); }

TEST(ExportedGolden, PNorm) {
  model::Model model = diagram(
      "stop 1\nu: Input size=[2,1]\nf: PCustomBlock code=norm params=struct('P',[2,1;1,2])\ny: Output\nu:1 -> f:1\nf:1 "
      "-> y:1\n");
  model.root.context = {"function block = norm(block, flag)", "if flag == 1",
                        "block.io{2} = block.io{1}'*block.params.P*block.io{1};", "end", "end"};
  compare("p_norm", model);
}

TEST(ExportedGolden, Sine) {
  model::Model model = diagram(
      "stop 1\nu: Input\nf: MathExpression expression='M*sin(2*pi*f0*u1+asin(y0/M))'\ny: Output\nu:1 -> f:1\nf:1 -> "
      "y:1\n");
  model.root.context = {"M = 1; y0 = 0.5; f0 = 10;"};
  compare("sine", model);
}

}  // namespace
}  // namespace orrery::tests::exported_golden_test
