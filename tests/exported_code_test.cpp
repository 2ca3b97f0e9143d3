// SPDX-License-Identifier: Apache-2.0
// Exported C gives the bits of the simulation: examples and random diagrams, all in one compilation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "api/export_model.h"
#include "api/library_texts.h"
#include "base/folders_for_tests.h"
#include "blocks/block.h"
#include "random_diagram.h"
#include "run_model.h"

namespace orrery::tests::exported_code_test {
namespace {

namespace fs = std::filesystem;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// Runs one model after the other and writes its rows as numbers: their count, then time and columns of each.
constexpr const char* driver_text = R"(
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "orrery_rt.h"
static FILE *out;
static double *rows;
static size_t count, room;
static void put(double v) {
  if (count == room) rows = realloc(rows, (room = 2 * room + 1024) * sizeof *rows);
  rows[count++] = v;
}
static void row(void *user, const orr_run *run, int phase, const double *values) {
  (void)user; (void)phase;
  put(run->t);
  for (int c = 0; c < run->model->columns; ++c) {
    if (run->model->column[c].wanted) put(values[c]);
  }
}
static void say(void *user, const orr_run *run, int severity, const char *path, const char *text) {
  (void)user;
  if (severity == ORR_ERROR) fprintf(stderr, "%s: %s: t = %.17g: %s\n", run->model->name, path, run->t, text);
}
static void run(const orr_model *m) {
  orr_run *r = malloc(sizeof *r);
  void *memory = malloc(m->memory);
  orr_cell *work = malloc(m->work * sizeof(orr_cell));
  orr_listener listener = {NULL, row, say};
  double head[2];
  count = 0;
  orr_begin(r, m, memory, work, NULL, &listener);
  head[1] = orr_advance(r, INFINITY);
  head[0] = (double)count;
  fwrite(head, sizeof(double), 2, out);
  if (count) fwrite(rows, sizeof(double), count, out);
  free(r); free(memory); free(work);
}
)";

struct Case {
  std::string name;  // of the C
  std::string about;
  std::vector<std::string> columns;
  sim::Recording recording;
  sim::End end = sim::End::reached_stop;
  bool variable = false;  // steps
};

class ExportedCode : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(cache_of_this_process()) / "exported";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // Simulates the model and adds its C. False: it cannot be exported, or does not run.
  bool add(model::Model& model, const std::string& about, const std::string& solver, const std::string& step) {
    model.settings.solver.text = solver;
    model.settings.step.text = step;
    api::ExportRequest request;
    request.run.allow = Capabilities::all();
    request.name = fmt::format("m{}", cases_.size());
    Diagnostics diagnostics;
    request.run.also = blocks_with_outputs(model);
    request.run.most_runs = 1;  // models that start again are refused
    const auto exported = api::c_model_of(model, request, diagnostics);
    api::OmlEvaluator evaluator(Consent::everything());
    const api::RunResult result = api::run(model, request.run, evaluator);
    // Where variable steps end in an error, how long they try first is not the same.
    if (!result.started || (step.empty() && result.report.end == sim::End::failed)) return false;
    if (!exported) {
      ++refused_;
      EXPECT_NE(to_text(diagnostics).find("not-exportable"), std::string::npos) << about << to_text(diagnostics);
      return false;
    }
    Case made{request.name, about + " " + solver, {}, result.recording, result.report.end, step.empty()};
    write_file(folder_ / (request.name + ".h"), exported->header);
    write_file(folder_ / (request.name + ".c"), exported->source);
    cases_.push_back(std::move(made));
    return true;
  }

  // Compiles everything together and compares; the number of cases that differ.
  int compare() {
    for (const auto& file : code_export::runtime_files()) write_file(folder_ / file.name, file.text);
    std::string driver = driver_text, files;
    for (const Case& c : cases_) {
      driver += fmt::format("extern const orr_model {}_model;\n", c.name);
      files += fmt::format(" {}.c", c.name);
    }
    driver += "int main(void) {\n  out = fopen(\"rows\", \"wb\");\n";
    for (const Case& c : cases_) driver += fmt::format("  run(&{}_model);\n", c.name);
    driver += "  return fclose(out);\n}\n";
    write_file(folder_ / "driver.c", driver);
    const std::string flags =
        "-std=c99 -O1 -pipe -w -ffp-contract=off -fno-builtin -fno-math-errno -fno-strict-aliasing -fwrapv";
    const std::string command =
        fmt::format("cd {} && cc {} -o all driver.c orrery_rt.c{} -lm && ./all", folder_.string(), flags, files);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream in(folder_ / "rows", std::ios::binary);
    int different = 0;
    for (const Case& c : cases_) {
      const std::string difference = difference_of(c, in);
      if (difference.empty()) continue;
      ++different;
      report_ += fmt::format("{} ({}): {}\n", c.about, c.name, difference);
    }
    return different;
  }

  std::string difference_of(const Case& c, std::ifstream& in) {
    double head[2] = {0, 0};
    in.read(reinterpret_cast<char*>(head), sizeof head);
    std::vector<double> numbers(static_cast<std::size_t>(head[0]));
    in.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(double)));
    const std::size_t width = c.recording.columns.size() + 1, rows = numbers.size() / width;
    const auto same = [](double a, double b) {
      return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
    };
    std::size_t row = 0;  // of the simulation
    for (std::size_t r = 0; r < rows && row < c.recording.rows(); ++r, ++row) {
      // Between steps of variable size the simulation may take more rows, where a curve bends.
      while (c.variable && c.recording.phase[row] == sim::Phase::mesh && c.recording.time[row] < numbers[r * width] &&
             row + 1 < c.recording.rows())
        ++row;
      if (!same(numbers[r * width], c.recording.time[row]))
        return fmt::format("row {}: t = {:.17g}, not {:.17g}", r, numbers[r * width], c.recording.time[row]);
      for (std::size_t k = 1; k < width; ++k) {
        if (!same(numbers[r * width + k], c.recording.value(row, k - 1)))
          return fmt::format("row {}, t = {:.17g}, {}: {:.17g}, not {:.17g}", r, c.recording.time[row],
                             c.recording.columns[k - 1].name, numbers[r * width + k], c.recording.value(row, k - 1));
      }
    }
    if (c.recording.rows() - row != 0 || rows > c.recording.rows())
      return fmt::format("{} rows, not {}", rows, c.recording.rows());
    const bool failed = head[1] == 3, expected = c.end == sim::End::failed;
    return failed == expected ? "" : failed ? "it fails" : "it does not fail";
  }

  fs::path folder_;
  std::vector<Case> cases_;
  int refused_ = 0;
  std::string report_;
};

const char* const fixed[] = {"euler", "trapezoidal-explicit", "rk4", "rk5"};

TEST_F(ExportedCode, OfRandomDiagramsHasTheBitsOfTheSimulation) {
  const int first = from_environment("ORRERY_EXPORT_FIRST", 0), count = from_environment("ORRERY_EXPORT_DIAGRAMS", 24);
  for (int seed = first; seed < first + count; ++seed) {
    RandomDiagram random(static_cast<std::uint64_t>(seed));
    add(random.diagram().model(), fmt::format("seed {}", seed), fixed[seed % 4], "0.01");
  }
  EXPECT_EQ(compare(), 0) << report_;
  EXPECT_GE(cases_.size(), static_cast<std::size_t>(count) * 3 / 4) << refused_ << " refused";
}

TEST_F(ExportedCode, WithVariableStepsToo) {
  const int first = from_environment("ORRERY_EXPORT_FIRST", 0), count = from_environment("ORRERY_EXPORT_DIAGRAMS", 24);
  for (int seed = first; seed < first + count; ++seed) {
    RandomDiagram random(static_cast<std::uint64_t>(seed));
    add(random.diagram().model(), fmt::format("seed {}", seed), "dopri", "");
  }
  EXPECT_EQ(compare(), 0) << report_;
}

// All models of the folders of examples, with steps of a thousandth of their time.
TEST_F(ExportedCode, OfExamplesHasTheBitsOfTheSimulation) {
  std::vector<std::string> folders = {"/export", "/embed"};
  if (std::getenv("ORRERY_LONG_TESTS") != nullptr)
    folders.insert(folders.end(), {"", "/book", "/automata", "/numerics"});
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(source_folder() + "/examples" + folder)) {
      if (entry.path().extension() != ".orr") continue;
      for (const bool variable : {false, true}) {
        Diagnostics diagnostics;
        auto model = api::open_model(entry.path().string(), diagnostics);
        ASSERT_TRUE(model) << to_text(diagnostics);
        std::string stop = model->settings.stop.text.empty() ? "10" : model->settings.stop.text;
        if (folder == "/numerics") model->settings.stop.text = stop = "0.01";  // most of them are stiff
        add(*model, entry.path().filename().string(), variable ? "dopri" : "rk4",
            variable ? "" : "(" + stop + ")/1000");
      }
    }
  }
  EXPECT_EQ(compare(), 0) << report_;
  EXPECT_GE(cases_.size(), folders.size() > 2 ? 70u : 4u) << refused_ << " refused";
}

// The example of every block's manual page.
TEST_F(ExportedCode, OfEveryBlockHasTheBitsOfTheSimulation) {
  for (const blocks::BlockType* type : blocks::library()) {
    Diagnostics diagnostics;
    const auto text = api::block_example(type->name, diagnostics);
    if (!text) continue;
    auto model = api::read_model(*text, type->name + ".orr", diagnostics);
    if (model) add(*model, type->name, "rk4", "0.01");
  }
  EXPECT_EQ(compare(), 0) << report_;
  EXPECT_GE(cases_.size(), 100u) << refused_ << " refused";
}

}  // namespace
}  // namespace orrery::tests::exported_code_test
