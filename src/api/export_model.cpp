// SPDX-License-Identifier: Apache-2.0
// From a request to C files.
#include "api/export_model.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "api/export_block.h"
#include "api/prepare.h"
#include "export/float32.h"
#include "export/report.h"
#include "io/output_file.h"
#include "solve/integrator.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

code_export::ExportSettings export_settings(const compile::EvaluatedSettings& settings) {
  const sim::RunOptions options = options_of(settings);
  code_export::ExportSettings out;
  out.start = options.start;
  out.stop = options.stop;
  const solve::SolverInfo* solver = solve::is_automatic(options.solver) ? nullptr : solve::find_solver(options.solver);
  out.solver = solver == nullptr ? std::string(solve::automatic) : solver->name;
  out.step = options.limits.fixed;
  out.relative_tolerance = options.tolerance.relative;
  out.absolute_tolerance = options.tolerance.absolute;
  out.longest_step = options.limits.maximum;
  out.shortest_step = options.limits.minimum;
  out.first_step = options.limits.initial;
  out.time_tolerance = options.time_tolerance;
  out.zero_threshold = options.zero_threshold;
  out.final_tick = options.final_tick;
  out.sliding = options.sliding;
  return out;
}

// Variables that are to stay parameters must exist: another name would be left out without a word.
bool check_asked(const std::vector<std::string>& asked, const program::Program& program, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  for (const std::string& name : asked) {
    const auto same = [&](const program::Parameter& parameter) { return parameter.name == name; };
    if (std::ranges::any_of(program.parameters, same)) continue;
    diagnostics.error("unknown-parameter", {program.origins[0].path, 0, 0, {}, {}},
                      "the model has no variable " + name + " that could stay a parameter",
                      "a matrix of real numbers in the initialization or the top context can");
  }
  return diagnostics.error_count() == errors;
}

// asked: those of the varied variables that a person named.
std::optional<code_export::CModel> make_model(const model::Model& model, const ExportRequest& request,
                                              const std::vector<std::string>& asked, Diagnostics& diagnostics) {
  auto prepared = prepare(model, request.run, diagnostics);
  if (!prepared || diagnostics.has_errors()) return std::nullopt;
  if (!check_asked(asked, prepared->program, diagnostics)) return std::nullopt;
  code_export::CModelOptions options;
  options.name = request.name.empty() ? fs::path(request.run.file).stem().string() : request.name;
  options.comments = request.comments;
  options.jacobian = request.jacobian;
  auto made = code_export::make_c_model(std::move(prepared->program), export_settings(prepared->settings),
                                        prepared->recorded, options, diagnostics);
  if (made) made->about = model.about;
  return made;
}

}  // namespace

std::optional<code_export::CModel> c_model_of(const ExportRequest& request, Diagnostics& diagnostics) {
  ExportRequest whole = request;
  auto model = open_model(request.run.file, diagnostics);
  if (!model) return std::nullopt;
  apply_request(request.run, *model, diagnostics);
  if (!request.block.empty()) {
    auto part = block_as_model(std::move(*model), request, whole.run.vary, diagnostics);
    if (!part) return std::nullopt;
    model = std::move(part);
    if (whole.name.empty()) whole.name = model->name;
  }
  return make_model(*model, whole, request.run.vary, diagnostics);
}

std::optional<code_export::CModel> c_model_of(const model::Model& model, const ExportRequest& request,
                                              Diagnostics& diagnostics, const std::vector<std::string>* asked) {
  return make_model(model, request, asked == nullptr ? request.run.vary : *asked, diagnostics);
}

std::optional<std::string> write_files(const std::string& folder, const std::vector<code_export::ExportedFile>& files,
                                       Diagnostics& diagnostics) {
  std::string names;
  for (const code_export::ExportedFile& text : files) {
    const fs::path path = fs::path(folder) / text.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      diagnostics.error("output-unwritable", {path.parent_path().string(), 0, 0, {}, {}},
                        "the folder cannot be made: " + error.message());
      return std::nullopt;
    }
    auto file = io::OutputFile::open(path.string(), diagnostics);
    if (!file) return std::nullopt;
    file->write(text.text);
    if (!file->commit(diagnostics)) return std::nullopt;
    names += (names.empty() ? "" : ", ") + text.name;
  }
  return folder + ": " + names + "\n";
}

std::optional<std::string> export_c(const ExportRequest& request, Diagnostics& diagnostics) {
  const auto model = c_model_of(request, diagnostics);
  if (!model || !code_export::fits_target(*model, request.target, diagnostics)) return std::nullopt;
  if (request.float32 && !code_export::fits_float32(*model, diagnostics)) return std::nullopt;
  auto names = write_files(request.out, code_export::c_project(*model, request.program, request.float32), diagnostics);
  if (names && request.report) *names += "\n" + code_export::report_text(*model);
  return names;
}

}  // namespace orrery::api
