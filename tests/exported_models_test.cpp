// SPDX-License-Identifier: Apache-2.0
// Exported C as people use it: published numbers, short texts without warnings, parameters, instances, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/export_model.h"
#include "base/folders_for_tests.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::exported_models_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* strict = "-std=c99 -O1 -Wall -Wextra -Wconversion -pedantic -Werror";
constexpr const char* bits = "-ffp-contract=off -fno-builtin -fno-math-errno -fno-strict-aliasing -fwrapv";

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  return status == 0 ? text : text + fmt::format("(status {})", status);
}

fs::path folder_of(const std::string& name) {
  const fs::path folder = fs::path(cache_of_this_process()) / "exported_models" / name;
  fs::remove_all(folder);
  return folder;
}

std::string example(const std::string& file) { return source_folder() + "/examples/" + file; }

// Exports a model of the examples and compiles it; the folder.
fs::path build(const std::string& file, const std::string& name, const std::string& block = "",
               std::vector<std::string> vary = {}) {
  api::ExportRequest request;
  request.run.file = example(file);
  request.run.vary = std::move(vary);
  request.block = block;
  request.name = name;
  const fs::path folder = folder_of(name);
  request.out = folder.string();
  Diagnostics diagnostics;
  EXPECT_TRUE(api::export_c(request, diagnostics)) << to_text(diagnostics);
  EXPECT_EQ(output_of(fmt::format("cd {0} && cc {1} {2} -o {3} main.c {3}.c orrery_rt.c -lm 2>&1", folder.string(),
                                  strict, bits, name)),
            "");
  return folder;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The lines of one function, without its head and its end.
std::vector<std::string> body_of(const std::string& source, const std::string& function) {
  std::vector<std::string> lines;
  const auto begin = source.find("void " + function + "(");
  if (begin == std::string::npos) return lines;
  std::istringstream text(source.substr(begin, source.find("\n}\n", begin) - begin));
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) lines.push_back(line);
  return lines;
}

// The dialogue and the numbers of the book's moon lander (Extended Definitions, 22.2.3).
TEST(ExportedModels, TheMoonLanderAnswersAsInTheBook) {
  const fs::path folder = build("export/moon_lander.orr", "moon_lander");
  const std::string said = output_of(fmt::format("printf '3.2 6.8 0' | {}/moon_lander --dialog", folder.string()));
  const std::string expected =
      "inputs at time 0.000000\ninput 1 of type double[1]? outputs at time 0.000000\n"
      "output 1 of type double[1]: 0.000000\noutput 2 of type double[1]: 600.000000\n"
      "output 3 of type double[1]: -20.000000\noutput 4 of type double[1]: 15.000000\n"
      "inputs at time 0.100000\ninput 1 of type double[1]? outputs at time 0.100000\n"
      "output 1 of type double[1]: 0.000000\noutput 2 of type double[1]: 598.000000\n"
      "output 3 of type double[1]: -17.300000\noutput 4 of type double[1]: 14.360000\n";
  EXPECT_EQ(said.substr(0, expected.size()), expected);
  // Steps of 0.1 with u = 0.4 until 1, then 0.8 until 2: all digits of an independent computation.
  std::ofstream(folder / "play.c") << R"(
#include <stdio.h>
#include "moon_lander.h"
static moon_lander_instance one;
int main(void) {
  double u = 0.4;
  int end;
  orr_options options = moon_lander_model.options;
  options.nominal = 1; /* x += 0.1 * rate, as in the book's loop */
  moon_lander_begin(&one, &options, NULL);
  orr_set_input(&one.run, 0, &u, NULL);
  end = orr_advance_exactly(&one.run, 1);
  printf("%d %.17g %.17g %.17g\n", end, one.memory.x.Altitude_x, one.memory.x.Speed_x, one.memory.x.Fuel_x);
  u = 0.8;
  orr_set_input(&one.run, 0, &u, NULL);
  end = orr_advance_exactly(&one.run, 2);
  printf("%d %.17g %.17g %.17g\n", end, one.memory.x.Altitude_x, one.memory.x.Speed_x, one.memory.x.Fuel_x);
  return 0;
}
)";
  const std::string played = output_of(fmt::format(
      "cd {} && cc {} {} -o play play.c moon_lander.c orrery_rt.c -lm 2>&1 && ./play", folder.string(), strict, bits));
  EXPECT_EQ(played, fmt::format("5 {:.17g} {:.17g} {:.17g}\n5 {:.17g} {:.17g} {:.17g}\n", 579.5629558289684,
                                -20.951173656529186, 14.2, 560.1158292334636, -17.52201210385048, 12.599999999999998));
}

TEST(ExportedModels, FibonaccisNumbersComeOneByOne) {
  const fs::path folder = build("export/fibonacci.orr", "fibonacci");
  EXPECT_LE(body_of(text_of(folder / "fibonacci.c"), "fibonacci_on_Next").size(), 10u);
  std::ofstream(folder / "play.c") << R"(
#include <stdio.h>
#include "fibonacci.h"
static fibonacci_instance one, other, saved;
static unsigned char bytes[1 << 16];
int main(void) {
  fibonacci_begin(&one, NULL, NULL);
  fibonacci_begin(&other, NULL, NULL);
  fibonacci_begin(&saved, NULL, NULL);
  orr_initialise(&one.run);
  orr_initialise(&other.run);
  for (int k = 0; k < 17; ++k) {
    if (k == 5 && orr_saved_size(&fibonacci_model) <= sizeof bytes) orr_save(&one.run, bytes);
    orr_activate(&one.run, 1);
    orr_advance(&one.run, one.run.t);
    printf("%g ", one.memory.number);
    if (k < 3) {
      orr_activate(&other.run, 1);
      orr_advance(&other.run, other.run.t);
    }
  }
  printf("and %g", other.memory.number);
  orr_restore(&saved.run, bytes);
  orr_activate(&saved.run, 1);
  orr_advance(&saved.run, saved.run.t);
  printf(" again %g", saved.memory.number);
  orr_copy(&other.run, &saved.run);
  orr_activate(&other.run, 1);
  orr_advance(&other.run, other.run.t);
  printf(" %g\n", other.memory.number);
  return 0;
}
)";
  EXPECT_EQ(output_of(fmt::format("cd {} && cc {} {} -o play play.c fibonacci.c orrery_rt.c -lm 2>&1 && ./play",
                                  folder.string(), strict, bits)),
            "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 and 1 again 5 8\n");
}

// butter and tf2ss were run when the model was compiled: only their numbers are left (the book prints 10 digits).
TEST(ExportedModels, TheLowPassIsAFewLinesOfNumbers) {
  const fs::path folder = build("oml/low_pass.orr", "low_pass");
  const std::string source = text_of(folder / "low_pass.c");
  const auto body = body_of(source, "low_pass_on_tick");
  const auto statements = std::ranges::count_if(body, [](const std::string& line) {
    return line.find(" = ") != std::string::npos || line.find(" v") != std::string::npos;
  });
  EXPECT_LE(statements, 20) << fmt::format("{}", fmt::join(body, "\n"));
  for (const char* digits : {"3.18063854887", "3.86119434899", "2.11215535511", "0.438265142261"})
    EXPECT_NE(source.find(digits), std::string::npos) << digits;
  for (const char* name : {"butter", "tf2ss", "inv("}) EXPECT_EQ(source.find(name), std::string::npos);
}

std::optional<code_export::CModel> exported(const model::Model& model, Diagnostics& diagnostics,
                                            std::vector<std::string> vary = {}) {
  api::ExportRequest request;
  request.name = "model";
  request.run.allow = Capabilities::all();
  request.run.vary = std::move(vary);
  return api::c_model_of(model, request, diagnostics);
}

// Constants are propagated over the diagram: M sin(2 pi f0 u + asin(y0/M)) is one statement.
TEST(ExportedModels, ASineIsOneLine) {
  model::Model model = diagram(
      "stop 1\nu: Input\nf: MathExpression expression='M*sin(2*pi*f0*u1+asin(y0/M))'\ny: Output\nu:1 -> f:1\nf:1 -> "
      "y:1\n");
  model.root.context = {"M = 1; y0 = 0.5; f0 = 10;"};
  Diagnostics diagnostics;
  const auto made = exported(model, diagnostics);
  ASSERT_TRUE(made) << to_text(diagnostics);
  EXPECT_NE(made->source.find("0.5235987755982989"), std::string::npos) << made->source;
  EXPECT_EQ(made->source.find("asin"), std::string::npos);
  const auto body = body_of(made->source, "model_outputs");
  EXPECT_EQ(std::ranges::count_if(body, [](const std::string& line) { return line.find("sin(") != std::string::npos; }),
            1);
}

TEST(ExportedModels, ANormByAMatrixIsOneFormula) {
  model::Model model = diagram(
      "stop 1\nu: Input size=[2,1]\nf: PCustomBlock code=norm params=struct('P',[2,1;1,2])\ny: Output\nu:1 -> f:1\nf:1 "
      "-> y:1\n");
  model.root.context = {"function block = norm(block, flag)", "if flag == 1",
                        "block.io{2} = block.io{1}'*block.params.P*block.io{1};", "end", "end"};
  Diagnostics diagnostics;
  const auto made = exported(model, diagnostics);
  ASSERT_TRUE(made) << to_text(diagnostics);
  const fs::path folder = folder_of("norm");
  fs::create_directories(folder);
  std::ofstream(folder / "model.h") << made->header;
  std::ofstream(folder / "model.c") << made->source;
  for (const auto& file : code_export::runtime_files()) std::ofstream(folder / file.name) << file.text;
  std::ofstream(folder / "play.c") << R"(
#include <stdio.h>
#include "model.h"
static model_instance one;
int main(void) {
  const double v[2] = {3, -1};
  model_begin(&one, NULL, NULL);
  orr_set_input(&one.run, 0, v, NULL);
  orr_initialise(&one.run);
  orr_outputs(&one.run);
  printf("%.17g\n", orr_column_value(&one.run, model_model.output[0].column));
  return 0;
}
)";
  EXPECT_EQ(output_of(fmt::format("cd {} && cc {} {} -o play play.c model.c orrery_rt.c -lm 2>&1 && ./play",
                                  folder.string(), strict, bits)),
            "14\n");
}

// What stands in the values of a mask stays a parameter, and other values give what a new run gives.
TEST(ExportedModels, MaskedBlocksKeepTheirParameters) {
  const fs::path folder = build("export/temperature.orr", "room", "/Room");
  std::ofstream(folder / "play.c") << R"(
#include <math.h>
#include <stdio.h>
#include "room.h"
static room_instance one;
int main(int argc, char **argv) {
  (void)argv;
  room_begin(&one, NULL, NULL);
  if (argc > 1) {
    one.memory.p.Tref = 22;
    one.memory.p.gap = 9;
  }
  for (int k = 0; k < 400; ++k) {
    const double air = k % 40 < 20 ? 3 : 11; /* held over the step */
    orr_set_input(&one.run, 0, &air, NULL);
    if (orr_advance(&one.run, 0.05 * (k + 1)) != ORR_PAUSED) return 1;
  }
  printf("%.17g\n", one.memory.x.Room_Temperature_x);
  return 0;
}
)";
  const std::string command =
      fmt::format("cd {} && cc {} {} -o play play.c room.c orrery_rt.c -lm 2>&1", folder.string(), strict, bits);
  ASSERT_EQ(output_of(command), "");
  // The same by hand: rk4 on T' = 0.1 (air - T) + 2.5 [T < Tref] [T < air + gap], the input held over each step.
  const auto by_hand = [](double wanted, double above) {
    double x = 10;
    for (int k = 0; k < 400; ++k) {
      const double air = k % 40 < 20 ? 3 : 11, h = 0.05 * (k + 1) - 0.05 * k;
      const auto f = [&](double T) {
        const double on = (T < wanted ? 1.0 : 0.0) * (T < air + above ? 1.0 : 0.0);
        return 0.1 * (air - T) + 2.5 * on;
      };
      const double k1 = f(x), k2 = f(x + h * (0.5 * k1)), k3 = f(x + h * (0.5 * k2)), k4 = f(x + h * k3);
      x = x + h * (1.0 / 6 * k1 + 1.0 / 3 * k2 + 1.0 / 3 * k3 + 1.0 / 6 * k4);
    }
    return x;
  };
  const auto number = [&](const std::string& arguments) {
    return std::strtod(output_of(fmt::format("{}/play{}", folder.string(), arguments)).c_str(), nullptr);
  };
  EXPECT_NEAR(number(""), by_hand(20, 12), 1e-12);
  EXPECT_NEAR(number(" x"), by_hand(22, 9), 1e-12);
  EXPECT_GT(std::abs(by_hand(20, 12) - by_hand(22, 9)), 0.1);
}

TEST(ExportedModels, ParametersFollowTheirFormulas) {
  model::Model model = diagram(
      "stop 2\nsolver rk4\nstep 0.1\nx: Integral x0=a*2\ng: Gain k=-b^2\ns: Scope\nx:1 -> g:1 s:1\ng:1 -> x:1\n");
  model.root.context = {"a = 3; b = 0.5;"};
  Diagnostics diagnostics;
  const auto made = exported(model, diagnostics, {"a", "b"});
  ASSERT_TRUE(made) << to_text(diagnostics);
  const fs::path folder = folder_of("formulas");
  fs::create_directories(folder);
  for (const auto& file : code_export::c_project(*made, true)) std::ofstream(folder / file.name) << file.text;
  ASSERT_EQ(output_of(fmt::format("cd {} && cc {} {} -o model main.c model.c orrery_rt.c -lm 2>&1", folder.string(),
                                  strict, bits)),
            "");
  model.root.context = {"a = 5; b = 1.25;"};
  api::OmlEvaluator evaluator(Consent::everything());
  const api::RunResult again = api::run(model, {}, evaluator);
  const std::string said = output_of(fmt::format("{}/model a=5 b=1.25 | tail -1", folder.string()));
  EXPECT_EQ(said, fmt::format("2,{:.17g}\n", again.recording.value(again.recording.rows() - 1, 0)));
}

// What the book allows on exposable parameters (22.5): other values of them give what a new run gives.
TEST(ExportedModels, FormulasOfExposableParametersGoOut) {
  const auto model_with = [](const std::string& values) {
    model::Model model = diagram(
        "stop 1\nsolver euler\nstep 0.5\na: Constant value=X+Y\nb: Constant value=sin(Z)^2\nc: Constant "
        "value=X(1,:)*X(:,1)\nd: Constant value=[X,Y]'\ne: Constant value=s\nf: Constant "
        "value=max(0,X)-floor(Y/2)\nt: Time\no: Scope inputs=7\na:1 -> o:1\nb:1 -> o:2\nc:1 -> o:3\nd:1 -> o:4\ne:1 "
        "-> o:5\nf:1 -> o:6\nt:1 -> o:7\n");
    model.root.context = {values, "Z = X.*Y;", "if isscalar(X)", "s = 1;", "else", "s = 2*X(end,end);", "end"};
    return model;
  };
  Diagnostics diagnostics;
  const auto made =
      exported(model_with("X = exposable('X', [1 2; 3 4]); Y = exposable('Y', [5 -6; 0.5 0.25]);"), diagnostics);
  ASSERT_TRUE(made) << to_text(diagnostics);
  const fs::path folder = folder_of("exposable");
  fs::create_directories(folder);
  for (const auto& file : code_export::c_project(*made, true)) std::ofstream(folder / file.name) << file.text;
  ASSERT_EQ(output_of(fmt::format("cd {} && cc {} {} -o model main.c model.c orrery_rt.c -lm 2>&1", folder.string(),
                                  strict, bits)),
            "");
  const auto expected = [](model::Model model) {
    api::OmlEvaluator evaluator(Consent::everything());
    const api::RunResult run = api::run(model, {}, evaluator);
    std::string text = "1";
    for (std::size_t k = 0; k < run.recording.columns.size(); ++k)
      text += fmt::format(",{:.17g}", run.recording.value(run.recording.rows() - 1, k));
    return text + "\n";
  };
  const auto said = [&](const std::string& values) {
    return output_of(fmt::format("{}/model {} | tail -1", folder.string(), values));
  };
  // Products of constant matrices are those of a library; a few roundings are allowed.
  const auto near = [](const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    std::string x, y;
    int count = 0;
    for (; std::getline(left, x, ',') && std::getline(right, y, ','); ++count)
      EXPECT_NEAR(std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr), 1e-14) << a << b;
    EXPECT_EQ(count, 24) << a << b;
  };
  near(said(""), expected(model_with("X = [1 2; 3 4]; Y = [5 -6; 0.5 0.25];")));
  near(said("'X=-0.5 7 1.5 3' 'Y=2 8 -1 9'"), expected(model_with("X = [-0.5 1.5; 7 3]; Y = [2 -1; 8 9];")));
}

// And what it does not: sizes, eigenvalues and conditions that follow from one.
TEST(ExportRefusals, NameFormulasThatCannotFollowAParameter) {
  for (const char* line :
       {"s = eig(X);", "s = eye(X, 2);", "if X > 0, s = 1; else, s = 2; end", "s = cheby1(X, 3, 0.5);"}) {
    model::Model model = diagram("stop 1\na: Constant value=sum(s(:))\nt: Scope\na:1 -> t:1\n");
    model.root.context = {"X = exposable('X', 2);", line};
    Diagnostics diagnostics;
    const auto made = exported(model, diagnostics);
    const std::string text = to_text(diagnostics);
    if (made) {
      EXPECT_TRUE(made->program.parameters.empty()) << line;
      EXPECT_NE(text.find("warning[export-parameter]"), std::string::npos) << line << text;
      EXPECT_NE(text.find("X is no parameter of the exported code"), std::string::npos) << line << text;
    } else {
      EXPECT_NE(text.find("OML computes "), std::string::npos) << line << text;
    }
  }
}

// 30 models with one to five blocks that cannot go: each is named, with its reason.
TEST(ExportRefusals, NameEveryBlockAndWhy) {
  struct Bad {
    const char *block, *reason;
  };
  const Bad bad[] = {
      {"FixedDelay T=0.3", "past"},         {"VariableDelay", "past"},    {"RealTime", "inside Orrery"},
      {"FormattedString", "inside Orrery"}, {"FixedDelay T=0.7", "past"},
  };
  for (int mask = 1; mask <= 30; ++mask) {
    std::string text = "stop 1\nu: SineWaveGenerator\nc: SampleClock period=0.1\ng: Gain k=2\nu:1 -> g:1\n";
    std::vector<std::pair<std::string, std::string>> expected;
    for (int k = 0; k < 5; ++k) {
      if ((mask >> k & 1) == 0) continue;
      const std::string name = fmt::format("B{}", k);
      text += fmt::format("{}: {}\n", name, bad[k].block);
      if (k == 2) {
        text += "c:1 => B2:1\n";
      } else if (k == 1) {
        text += "d: Constant value=0.2\nu:1 -> B1:1\nd:1 -> B1:2\n";
      } else {
        text += fmt::format("u:1 -> {}:1\n", name);
      }
      text += fmt::format("S{0}: Scope\nB{0}:1 -> S{0}:1\n", k);
      if (k == 3) text += fmt::format("c:1 => B{}:1\n", k);
      expected.emplace_back("/" + name, bad[k].reason);
    }
    Diagnostics diagnostics;
    EXPECT_FALSE(exported(diagram(text), diagnostics)) << text;
    for (const auto& [path, reason] : expected) {
      const bool said = std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& d) {
        return d.code == "not-exportable" && d.place.block == path && d.message.find(reason) != std::string::npos;
      });
      EXPECT_TRUE(said) << path << "\n" << text << to_text(diagnostics);
    }
  }
}

TEST(ExportRefusals, NameWhatATargetLacks) {
  api::ExportRequest request;
  request.run.file = example("oml/low_pass.orr");
  request.out = folder_of("target").string();
  request.target = "no-libm";
  Diagnostics diagnostics;
  EXPECT_FALSE(api::export_c(request, diagnostics));
  EXPECT_NE(to_text(diagnostics).find("it needs sin, which the target no-libm does not have"), std::string::npos)
      << to_text(diagnostics);
  request.run.file = example("export/fibonacci.orr");
  request.report = true;
  Diagnostics none;
  const auto said = api::export_c(request, none);
  ASSERT_TRUE(said) << to_text(none);
  EXPECT_NE(said->find("on_Next                               1      0      0"), std::string::npos) << *said;
}

TEST(ExportRefusals, SayWhichSolverStandsIn) {
  Diagnostics diagnostics;
  EXPECT_TRUE(
      exported(diagram("stop 1\nsolver radau\nx: Integral x0=1\ng: Gain k=-1\ns: Scope\nx:1 -> g:1 s:1\ng:1 -> x:1\n"),
               diagnostics));
  EXPECT_NE(to_text(diagnostics).find("export-solver"), std::string::npos) << to_text(diagnostics);
}

}  // namespace
}  // namespace orrery::tests::exported_models_test
