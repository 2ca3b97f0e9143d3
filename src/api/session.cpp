// SPDX-License-Identifier: Apache-2.0
// Opens, compiles and runs models.
#include "api/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "api/base_objects.h"
#include "api/base_workspace.h"
#include "api/choose_columns.h"
#include "api/exec_block.h"
#include "api/export_files.h"
#include "api/model_functions.h"
#include "api/oml_block.h"
#include "api/oml_evaluator.h"
#include "api/optimization_block.h"
#include "api/prepare.h"
#include "api/program_runs.h"
#include "api/read_inputs.h"
#include "api/trust.h"
#include "compile/diagram_files.h"
#include "cssl/languages.h"
#include "cssl/to_model.h"
#include "fmi/surroundings.h"
#include "foreign/c_block.h"
#include "foreign/fmu_library.h"
#include "foreign/formatted_text.h"
#include "foreign/user_types.h"
#include "foreign/wall_clock.h"
#include "model/read_text.h"
#include "sim/memory_sink.h"
#include "sim/selection.h"
#include "trace/parameter_value.h"
#include "trace/start_computations.h"

namespace orrery::api {
namespace {

class Stopwatch {
 public:
  // Seconds since the last call, or since it was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// All kinds of foreign code that a run can open.
std::vector<program::ForeignKind> foreign_kinds(OmlEvaluator& evaluator,
                                                std::shared_ptr<const foreign::FmuLibrary> library,
                                                const std::string& model_file) {
  return {trace::start_computation_kind(evaluator.parameters()),
          foreign::fmu_kind(std::move(library)),
          foreign::c_block_kind(model_file),
          oml_block_kind(evaluator),
          base_workspace_kind(evaluator),
          optimization_kind(evaluator),
          foreign::wall_clock_kind(),
          foreign::formatted_text_kind()};
}

// How a run opens the foreign code of its Program; nothing where the user has not allowed all of it.
std::optional<program::OpenForeign> foreign_code(const model::Model& model, const program::Program& program,
                                                 OmlEvaluator& evaluator,
                                                 std::shared_ptr<const foreign::FmuLibrary> library,
                                                 Diagnostics& diagnostics) {
  std::vector<program::ForeignKind> kinds = foreign_kinds(evaluator, std::move(library), model.file);
  const bool may_run = check_consent(program, kinds, evaluator.consent(), model.file, diagnostics);
  if (!may_export(program, evaluator.consent(), model.file, diagnostics) || !may_run) return std::nullopt;
  return program::open_by_kind(std::move(kinds), evaluator.consent());
}

// What the compiler may ask for. Files that are included are read once for a model, however often it is run.
compile::Services services_of(std::shared_ptr<const foreign::FmuLibrary> library, const Consent& consent) {
  compile::Services services{std::move(library), std::make_shared<compile::DiagramFiles>(),
                             foreign::make_user_types(consent)};
  services.consent = consent;
  return services;
}

// The columns that someone wants to see.
std::function<bool(const sim::Column&)> wanted_columns(const RunRequest& request, const std::vector<bool>& recorded) {
  return [&request, &recorded](const sim::Column& column) {
    const auto fits = [&](const std::string& pattern) { return matches_column(pattern, column.name); };
    return (request.bookkeeping || recorded[column.probe]) &&
           (request.only.empty() || std::any_of(request.only.begin(), request.only.end(), fits));
  };
}

// One run of a compiled model. True when the model asks for another one.
bool simulate(const RunRequest& request, const std::vector<bool>& recorded, RunResult& result, OmlEvaluator& evaluator,
              ProgramRuns* runs) {
  Stopwatch watch;
  sim::MemorySink memory;
  std::vector<std::unique_ptr<sim::Selection>> selections;
  std::vector<sim::Sink*> sinks = request.sinks;
  if (sinks.empty()) sinks.push_back(&memory);
  for (sim::Sink*& sink : sinks) {
    selections.push_back(std::make_unique<sim::Selection>(*sink, wanted_columns(request, recorded)));
    sink = selections.back().get();
  }
  const auto exports = ExportFiles::open(result.program(), result.diagnostics);
  if (!exports) return false;
  for (sim::Sink* sink : exports->sinks()) sinks.push_back(sink);
  if (runs != nullptr) sinks.push_back(&runs->rows());
  sim::RunOptions options = result.options;
  options.sinks = std::move(sinks);
  options.ledger_sinks = request.ledger_sinks;
  const auto simulation = sim::Simulation::create(result.compiled, std::move(options), result.diagnostics);
  result.seconds.native += watch.lap();
  if (!simulation) return false;
  result.started = true;
  ++result.runs;
  const sim::End end = simulation->run();
  result.report = simulation->report();
  exports->end(result.report, result.diagnostics);
  result.seconds.solve += watch.lap() - result.report.sink_seconds;
  result.seconds.write += result.report.sink_seconds;
  result.recording = memory.release();
  result.ledger = simulation->ledger();
  write_to_base(result.program(), *simulation, evaluator.interpreter());
  if (runs != nullptr) runs->ended(result.program(), *simulation);
  if (request.tier == TierChoice::second && result.report.tier != native::Tier::second) {
    Place place;
    place.file = request.file;
    const std::string& note = result.report.second_tier_note;
    result.diagnostics.warning("no-second-tier", std::move(place),
                               "the second tier of native code was not available, so the first one was used" +
                                   (note.empty() ? "" : ": " + note),
                               result.report.lacks_cache_folder
                                   ? "make the folder your own with mode 0700, or name another one in ORRERY_CACHE"
                                   : "install a C compiler (cc), or leave --tier out");
  }
  if (end != sim::End::restart) return false;
  if (request.interrupt && request.interrupt->load()) {
    result.report.end = sim::End::interrupted;
    return false;
  }
  return true;
}

void end_sinks(const RunRequest& request, RunResult& result) {
  Stopwatch watch;
  for (sim::Sink* sink : request.sinks) sink->end(result.report, result.diagnostics);
  for (sim::LedgerSink* sink : request.ledger_sinks) sink->end(result.report, result.diagnostics);
  result.seconds.write += watch.lap();
}

// A model that asks for another run again and again may never be content.
bool may_run_again(const RunRequest& request, RunResult& result) {
  if (result.runs < request.most_runs) return true;
  Place place;
  place.file = result.program().origins[0].path;
  result.diagnostics
      .error("too-many-runs", std::move(place),
             fmt::format("an End block has asked for another run {} times", result.runs),
             "look at the condition that ends the runs, or allow more of them with --runs N")
      .time = result.report.time;
  return false;
}

// What was said about the model before its first run is not said again.
void add_news(const Diagnostics& from, bool first, Diagnostics& to) {
  for (const Diagnostic& diagnostic : from.all()) {
    const auto same = [&](const Diagnostic& other) { return to_text(other) == to_text(diagnostic); };
    if (first || std::none_of(to.all().begin(), to.all().end(), same)) to.add(diagnostic);
  }
}

void tell_of_restart(const RunRequest& request, const RunResult& result, OmlEvaluator& evaluator) {
  const auto search = search_progress(evaluator);
  RunRequest::Restart restart{result.runs + 1, {}, {}};
  if (search) restart.cost = search->cost, restart.least = search->least;
  request.restarted(restart);
}

ScriptLimits limits_of(const RunRequest& request) { return {request.script_seconds, request.interrupt}; }

// The extension of a file says what language it is in.
bool knows_language(const std::string& file, Diagnostics& diagnostics) {
  if (file.ends_with(".orr") || cssl::language_of_file(file) != nullptr) return true;
  Place place;
  place.file = file;
  const std::size_t slash = file.find_last_of('/');
  const std::size_t dot = file.find_last_of('.');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  diagnostics.error("unknown-extension", std::move(place),
                    has_extension ? "no language is known for files ending in " + file.substr(dot)
                                  : "the file has no extension, so its language is not known",
                    "models end in .orr, .csl, .acsl, .drp, .des or .csmp");
  return false;
}

// A program in a text language is a diagram of one block.
std::optional<model::Model> read_text_program(const cssl::Language& language, std::string text, const std::string& file,
                                              Diagnostics& diagnostics) {
  const auto program = cssl::read(language, std::move(text), file, diagnostics);
  if (!program) return std::nullopt;
  return cssl::to_model(*program, diagnostics);
}

// In a run of its own a model has nobody who fires its activation inputs.
void warn_of_idle_inputs(const program::Program& program, Diagnostics& diagnostics) {
  for (const program::InputPort& input : program.inputs) {
    if (input.value != program::no_slot) continue;
    const program::Origin& origin = program.origins[input.origin];
    diagnostics.warning("never-activated", {program.origins[0].path, origin.line, 0, origin.path, ""},
                        "nobody fires this EventInput in a run of the model alone: what it activates never runs",
                        "link a SampleClock instead, or run the model from a program (docs/embedding.md)");
  }
}

}  // namespace

Consent consent_of(const RunRequest& request, const std::string& file, Diagnostics& diagnostics) {
  Consent consent = Consent::of_model(file, request.allow);
  if (request.recorded_trust && !(consent.allowed == Capabilities::all()))
    consent.allowed = consent.allowed | trusted(file, consent.note, diagnostics);
  return consent;
}

std::unique_ptr<compile::Evaluator> make_evaluator() { return std::make_unique<OmlEvaluator>(); }

std::optional<model::Model> open_model(const std::string& file, Diagnostics& diagnostics) {
  if (!knows_language(file, diagnostics)) return std::nullopt;
  if (const cssl::Language* language = cssl::language_of_file(file)) {
    const auto text = model::read_text(file, diagnostics);
    return text ? read_text_program(*language, *text, file, diagnostics) : std::nullopt;
  }
  return model::load(file, diagnostics);
}

std::optional<model::Model> read_model(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (!knows_language(file, diagnostics)) return std::nullopt;
  if (const cssl::Language* language = cssl::language_of_file(file))
    return read_text_program(*language, std::string(text), file, diagnostics);
  return model::parse(text, file, diagnostics);
}

std::optional<compile::Evaluated> evaluate_model(const model::Model& model, const RunRequest& request,
                                                 OmlEvaluator& evaluator, Diagnostics& diagnostics) {
  const auto library = std::make_shared<foreign::FmuLibrary>(model.file, evaluator.consent());
  evaluator.vary({});
  evaluator.begin_run(request.counter);
  const CurrentModel current(evaluator.interpreter(), model.file);
  return compile::evaluate(model, evaluator, request.overrides, diagnostics, services_of(library, evaluator.consent()));
}

std::optional<Prepared> prepare(const RunRequest& request, Diagnostics& diagnostics) {
  auto model = open_model(request.file, diagnostics);
  if (!model) return std::nullopt;
  apply_request(request, *model, diagnostics);
  return prepare(*model, request, diagnostics);
}

std::optional<Prepared> prepare(const model::Model& model, const RunRequest& request, Diagnostics& diagnostics) {
  return prepare(model, request,
                 std::make_shared<OmlEvaluator>(consent_of(request, model.file, diagnostics), limits_of(request)),
                 diagnostics);
}

std::optional<Prepared> prepare(const model::Model& model, const RunRequest& request,
                                const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics) {
  const auto library = std::make_shared<foreign::FmuLibrary>(model.file, evaluator->consent());
  evaluator->vary(varied_variables(request));
  const CurrentModel current(evaluator->interpreter(), model.file);
  for (const std::string& block : request.exec)
    if (!execute_block(model, block, *evaluator, diagnostics)) return std::nullopt;
  evaluator->begin_run(request.counter);
  auto compiled = compile_model(model, *evaluator, services_of(library, evaluator->consent()), request, diagnostics);
  if (compiled) {
    const auto open = foreign_code(model, compiled->program, *evaluator, library, diagnostics);
    if (!open) return std::nullopt;
    compiled->evaluator = evaluator;
    compiled->open_foreign = *open;
  }
  if (!compiled || !check_horizon(model, run_options(request, compiled->settings), diagnostics)) return std::nullopt;
  return compiled;
}

RunResult run(const RunRequest& request) {
  const fmi::Surroundings surroundings;  // FMUs change them
  Stopwatch watch;
  Diagnostics diagnostics;
  auto model = open_model(request.file, diagnostics);
  const double seconds = watch.lap();
  RunResult result;
  if (model) {
    OmlEvaluator evaluator(consent_of(request, model->file, diagnostics), limits_of(request));
    result = run(*model, request, evaluator);
  }
  result.seconds.load = seconds;
  for (const Diagnostic& diagnostic : result.diagnostics.all()) diagnostics.add(diagnostic);
  result.diagnostics = std::move(diagnostics);
  return result;
}

RunResult run(model::Model& model, const RunRequest& asked, OmlEvaluator& evaluator) {
  RunResult result;
  RunRequest request = asked;
  const auto runs = ProgramRuns::of(model);
  const model::Settings own = model.settings;
  const CurrentModel current(evaluator.interpreter(), model.file);
  apply_request(request, model, result.diagnostics);
  result.name = model.name;
  const auto library = std::make_shared<foreign::FmuLibrary>(model.file, evaluator.consent());
  const compile::Services services = services_of(library, evaluator.consent());
  for (const std::string& block : request.exec)
    if (!execute_block(model, block, evaluator, result.diagnostics)) return result;
  const auto shelf = std::make_shared<native::CodeShelf>();
  Stopwatch watch;
  for (bool again = true; again;) {
    watch.lap();
    if (runs) {
      request.overrides = asked.overrides;  // what the user sets counts in every run
      const bool follows = runs->next(request.overrides, result.diagnostics);
      if (!follows && result.runs > 0) result.report.end = sim::End::stopped;
      if (!follows) break;
    }
    if (result.runs > 0 && request.restarted) tell_of_restart(request, result, evaluator);
    evaluator.vary(varied_variables(request));
    evaluator.begin_run(result.runs + 1);
    Diagnostics found;
    auto compiled = compile_model(model, evaluator, services, request, found);
    add_news(found, result.runs == 0, result.diagnostics);
    result.seconds.compile += watch.lap();
    if (!compiled && request.interrupt && request.interrupt->load()) result.report.end = sim::End::interrupted;
    if (!compiled) break;
    result.options = run_options(request, compiled->settings);
    const auto open = foreign_code(model, compiled->program, evaluator, library, result.diagnostics);
    if (!open) break;
    result.options.open_foreign = *open;
    if (!check_horizon(model, result.options, result.diagnostics)) break;
    result.options.name = model.name;
    result.options.native.shelf = shelf;
    if (!check_patterns(request.only, compiled->program, compiled->recorded, result.diagnostics)) break;
    if (!request.input.empty() &&
        !read_inputs(request.input, compiled->program, result.options.inputs, result.diagnostics))
      break;
    if (result.runs == 0) warn_of_idle_inputs(compiled->program, result.diagnostics);
    watch.lap();
    result.compiled =
        sim::CompiledProgram::create(std::move(compiled->program), result.options.native, result.diagnostics);
    result.seconds.native += watch.lap();
    if (!result.compiled) break;
    again = simulate(request, compiled->recorded, result, evaluator, runs.get()) && may_run_again(request, result);
  }
  if (const auto search = search_progress(evaluator); search && !search->unsure.empty())
    result.diagnostics.warning("not-converged", {model.file, 0, 0, search->unsure, {}},
                               "the search has used up its runs before it was sure of a minimum; the best is shown",
                               "allow more with the parameter runs, or ask for less with least_radius");
  if (result.started) end_sinks(request, result);
  result.same_code = shelf->found();
  model.settings = own;
  return result;
}

}  // namespace orrery::api
