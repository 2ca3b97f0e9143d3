// SPDX-License-Identifier: Apache-2.0
// Opens, compiles and runs models.
#include "api/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <memory>

#include "api/base_workspace.h"
#include "api/choose_columns.h"
#include "api/model_functions.h"
#include "api/oml_evaluator.h"
#include "api/sensitivities.h"
#include "fmi/surroundings.h"
#include "foreign/fmu_library.h"
#include "model/closest_name.h"
#include "sim/memory_sink.h"
#include "sim/selection.h"
#include "trace/parameter_value.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_default_signals = 50;

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

// Whether a text has the name as a word of its own.
bool mentions(const std::string& text, const std::string& name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool mentions(const model::Diagram& diagram, const std::string& name) {
  for (const std::string& line : diagram.context) {
    if (mentions(line, name)) return true;
  }
  for (const model::MaskParameter& parameter : diagram.mask) {
    if (mentions(parameter.value, name)) return true;
  }
  for (const model::BlockInstance& block : diagram.blocks) {
    for (const model::Parameter& parameter : block.parameters) {
      if (mentions(parameter.value, name)) return true;
    }
    if (block.diagram && mentions(*block.diagram, name)) return true;
  }
  return false;
}

bool mentions(const model::Settings& settings, const std::string& name) {
  const auto table = model::setting_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const auto& setting) { return mentions((settings.*setting.text).text, name); });
}

// The request's settings take the place of the model's own. A variable that is set but used nowhere is a slip of the
// pen.
void apply_request(const RunRequest& request, model::Model& model, Diagnostics& diagnostics) {
  for (const model::SettingInfo& info : model::setting_table()) {
    if (!(request.settings.*info.text).empty()) model.settings.*info.text = request.settings.*info.text;
  }
  for (const model::StateTolerance& given : request.settings.tolerances) {
    std::erase_if(model.settings.tolerances, [&](const auto& own) { return own.block == given.block; });
    model.settings.tolerances.push_back(given);
  }
  for (const compile::Override& override : request.overrides) {
    if (uses_variable(model, override.name)) continue;
    Place place;
    place.file = model.file;
    diagnostics.warning("unused-variable", std::move(place), "the model does not use the variable " + override.name,
                        "check the name given to --set against the model's initialization and context");
  }
}

bool is_automatic(const std::string& solver) { return solver.empty() || solver == "auto"; }

// The solver's name is no OML: it can be judged even when an error elsewhere left nothing evaluated.
compile::EvaluatedSettings unevaluated(const model::Model& model) {
  compile::EvaluatedSettings settings;
  settings.solver = model.settings.solver.text;
  if (!model.settings.step.empty()) settings.step = 1;
  return settings;
}

// Whether the solver has a fixed step; nothing, and a diagnostic, when there is no such solver or no step for it.
std::optional<bool> fixed_step(const model::Model& model, const compile::EvaluatedSettings& settings,
                               Diagnostics& diagnostics) {
  const std::string& solver = settings.solver;
  Place place;
  place.file = model.file;
  place.line = model.settings.solver.line;
  if (is_automatic(solver)) return false;
  if (const solve::SolverInfo* info = solve::find_solver(solver)) {
    if (!info->fixed_step || settings.step) return info->fixed_step;
    diagnostics.error("missing-step", std::move(place), "the solver " + info->name + " needs the size of its steps",
                      "give it with --step H, or as \"step\" in the model's \"simulation\"");
    return std::nullopt;
  }
  std::vector<std::string_view> names{"auto"};
  for (const solve::SolverInfo& info : solve::solvers()) {
    names.push_back(info.name);
    names.insert(names.end(), info.aliases.begin(), info.aliases.end());
  }
  const std::string guess = model::did_you_mean(solver, names);
  diagnostics.error("unknown-solver", std::move(place), "there is no solver called " + solver,
                    guess + (guess.empty() ? "" : " ") + "`orrery show solvers` lists them all");
  return std::nullopt;
}

void warn_of_step(const model::Model& model, const compile::EvaluatedSettings& settings, Diagnostics& diagnostics) {
  Place place;
  place.file = model.file;
  const std::string which = is_automatic(settings.solver) ? "the automatic choice" : settings.solver;
  diagnostics.warning("unused-step", std::move(place),
                      "a step was given, but the solver, " + which + ", chooses its own steps",
                      "choose a solver with fixed steps (--solver rk4), or bound the steps with --hmax");
}

// What to look at in a model without sinks: the blocks with outputs, those of the top diagram if there are any.
std::vector<std::string> default_signals(const program::Program& program) {
  std::vector<std::string> top, inner;
  std::vector<bool> seen(program.origins.size());
  for (const program::Probe& probe : program.probes) seen[probe.origin] = true;  // sinks, which show themselves
  for (const program::Slot& slot : program.slots) {
    if (slot.kind != program::SlotKind::signal || slot.origin == 0 || seen[slot.origin]) continue;
    seen[slot.origin] = true;
    const std::string& path = program.origins[slot.origin].path;
    (path.find('/', 1) == std::string::npos ? top : inner).push_back(path);
  }
  std::vector<std::string>& signals = top.empty() ? inner : top;
  signals.resize(std::min(signals.size(), most_default_signals));
  return signals;
}

// "Plant/Mass:2" names the block /Plant/Mass.
bool names_block(const std::string& name, const std::string& path) {
  std::string_view rest = path;
  if (!name.starts_with('/')) rest.remove_prefix(1);
  return name == rest || (name.starts_with(rest) && name[rest.size()] == ':');
}

// The names that no sink of the program answers to.
std::vector<std::string> without_sinks(const std::vector<std::string>& names, const program::Program& program) {
  std::vector<std::string> rest;
  for (const std::string& name : names) {
    const auto matches = [&](const program::Probe& probe) {
      return name == probe.name || names_block(name, program.origins[probe.origin].path);
    };
    if (std::none_of(program.probes.begin(), program.probes.end(), matches)) rest.push_back(name);
  }
  return rest;
}

std::vector<bool> recorded_probes(const std::vector<std::string>& names, const program::Program& program) {
  std::vector<bool> recorded;
  for (const program::Probe& probe : program.probes) {
    const std::string& path = program.origins[probe.origin].path;
    const auto matches = [&](const std::string& name) { return name == probe.name || names_block(name, path); };
    const bool named = std::any_of(names.begin(), names.end(), matches);
    recorded.push_back(named || (names.empty() && !is_bookkeeping(probe, program)));
  }
  return recorded;
}

bool check_algebraic(const model::Model& model, const std::string& name, Diagnostics& diagnostics) {
  if (sim::find_algebraic_method(name)) return true;
  Place place;
  place.file = model.file;
  place.line = model.settings.algebraic.line;
  diagnostics.error("bad-setting", std::move(place), "algebraic equations cannot be solved by a method called " + name,
                    "choose auto, newton, homotopy or idacalc");
  return false;
}

std::optional<Prepared> compile_model(const model::Model& model, OmlEvaluator& evaluator,
                                      const compile::Services& services, const RunRequest& request,
                                      Diagnostics& diagnostics) {
  auto evaluated = compile::evaluate(model, evaluator, request.overrides, diagnostics, services);
  const compile::EvaluatedSettings settings = evaluated ? evaluated->settings : unevaluated(model);
  const std::optional<bool> fixed = fixed_step(model, settings, diagnostics);
  if (!evaluated || !fixed) return std::nullopt;
  if (!*fixed && !request.settings.step.empty()) warn_of_step(model, settings, diagnostics);
  compile::CompileOptions options;
  options.interrupt = request.interrupt;
  options.fixed_step = *fixed;
  if (!check_algebraic(model, settings.algebraic, diagnostics)) return std::nullopt;
  auto program = compile::compile(*evaluated, options, diagnostics);
  if (!program) return std::nullopt;
  // Which names are sinks, and whether there are any, is known only now.
  options.watch = without_sinks(request.signals, *program);
  const std::vector<bool> visible = recorded_probes({}, *program);
  const bool blind = std::find(visible.begin(), visible.end(), true) == visible.end();
  if (request.signals.empty() && blind) options.watch = default_signals(*program);
  if (!options.watch.empty()) {
    Diagnostics of_watched;
    program = compile::compile(*evaluated, options, of_watched);
    for (const Diagnostic& diagnostic : of_watched.all()) {
      if (diagnostic.severity == Severity::error) diagnostics.add(diagnostic);
    }
    if (!program) return std::nullopt;
  }
  const trace::ParameterHome& parameters = *evaluator.parameters();
  if (!request.sensitivities.empty() && settings.sliding.value_or(0) != 0) {
    diagnostics.error("no-sensitivity", {model.file, 0, 0, {}, {}}, "sensitivities do not follow a motion that slides",
                      "leave out --sliding or --sensitivity");
    return std::nullopt;
  }
  if (!request.sensitivities.empty() && !add_sensitivities(model, request, parameters, *program, diagnostics)) {
    return std::nullopt;
  }
  std::vector<bool> recorded = recorded_probes(request.signals, *program);
  return Prepared{std::move(evaluated->settings), std::move(*program), std::move(recorded), {}, {}};
}

// All kinds of foreign code that a run can open.
program::OpenForeign foreign_code(const OmlEvaluator& evaluator, std::shared_ptr<const foreign::FmuLibrary> library) {
  return program::open_by_kind(
      {trace::start_computation_kind(evaluator.parameters()), foreign::fmu_kind(std::move(library))});
}

std::vector<std::string> varied_variables(const RunRequest& request) {
  std::vector<std::string> names = request.vary;
  names.insert(names.end(), request.sensitivities.begin(), request.sensitivities.end());
  return names;
}

bool check_horizon(const model::Model& model, const sim::RunOptions& options, Diagnostics& diagnostics) {
  if (std::isfinite(options.start) && options.stop >= options.start && !std::isnan(options.stop)) return true;
  Place place;
  place.file = model.file;
  place.line = model.settings.stop.line;
  diagnostics.error("bad-setting", std::move(place), "the run ends before it starts, or not at a number",
                    "choose a stop time that is not smaller than the start time");
  return false;
}

sim::RunOptions run_options(const RunRequest& request, const compile::EvaluatedSettings& settings) {
  sim::RunOptions options = options_of(settings);
  options.parameters = request.parameters;
  options.interval = request.interval;
  options.grid_only = request.interval > 0;
  const double horizon = options.stop - options.start;
  if (options.interval == 0 && request.picture_points > 0 && std::isfinite(horizon)) {
    options.interval = horizon / request.picture_points;
  }
  options.record_events = request.events || !request.ledger_sinks.empty();
  options.native.second_tier = request.tier != TierChoice::first;
  options.native.wait_for_second = request.tier == TierChoice::second;
  options.interrupt = request.interrupt;
  if (request.progress) {
    options.progress = [progress = request.progress, start = options.start, horizon](double t) {
      progress(horizon > 0 ? (t - start) / horizon : 0, t);
    };
  }
  return options;
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
bool simulate(const RunRequest& request, const std::vector<bool>& recorded, RunResult& result,
              OmlEvaluator& evaluator) {
  Stopwatch watch;
  sim::MemorySink memory;
  std::vector<std::unique_ptr<sim::Selection>> selections;
  std::vector<sim::Sink*> sinks = request.sinks;
  if (sinks.empty()) sinks.push_back(&memory);
  for (sim::Sink*& sink : sinks) {
    selections.push_back(std::make_unique<sim::Selection>(*sink, wanted_columns(request, recorded)));
    sink = selections.back().get();
  }
  sim::RunOptions options = result.options;
  options.sinks = std::move(sinks);
  options.ledger_sinks = request.ledger_sinks;
  const auto simulation = sim::Simulation::create(result.program, std::move(options), result.diagnostics);
  result.seconds.native += watch.lap();
  if (!simulation) return false;
  result.started = true;
  ++result.runs;
  const sim::End end = simulation->run();
  result.report = simulation->report();
  result.seconds.solve += watch.lap() - result.report.sink_seconds;
  result.seconds.write += result.report.sink_seconds;
  result.recording = memory.release();
  result.ledger = simulation->ledger();
  write_to_base(result.program, *simulation, evaluator.interpreter());
  if (request.tier == TierChoice::second && result.report.tier != native::Tier::second) {
    Place place;
    place.file = request.file;
    const std::string& note = result.report.second_tier_note;
    result.diagnostics.warning("no-second-tier", std::move(place),
                               "the second tier of native code was not available, so the first one was used" +
                                   (note.empty() ? "" : ": " + note),
                               result.report.lacks_cache_folder
                                   ? "make the folder writable, or name another one in ORRERY_CACHE"
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
  place.file = result.program.origins[0].path;
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

}  // namespace

bool uses_variable(const model::Model& model, const std::string& name) {
  const auto in_line = [&](const std::string& line) { return mentions(line, name); };
  return std::any_of(model.initialization.begin(), model.initialization.end(), in_line) || mentions(model.root, name) ||
         mentions(model.settings, name);
}

sim::RunOptions options_of(const compile::EvaluatedSettings& settings) {
  sim::RunOptions options;
  options.algebraic = sim::find_algebraic_method(settings.algebraic).value_or(options.algebraic);
  options.start = settings.start.value_or(options.start);
  options.stop = settings.stop.value_or(options.stop);
  options.solver = is_automatic(settings.solver) ? "auto" : settings.solver;
  options.tolerance.relative = settings.rtol.value_or(options.tolerance.relative);
  options.tolerance.absolute = settings.atol.value_or(options.tolerance.absolute);
  options.limits.maximum = settings.hmax.value_or(options.limits.maximum);
  options.limits.minimum = settings.hmin.value_or(options.limits.minimum);
  options.limits.initial = settings.hinit.value_or(options.limits.initial);
  options.limits.fixed = settings.step.value_or(options.limits.fixed);
  options.time_tolerance = settings.time_tolerance.value_or(options.time_tolerance);
  options.zero_threshold = settings.zero_threshold.value_or(options.zero_threshold);
  options.final_tick = settings.final_tick.value_or(1) != 0;
  options.sliding = settings.sliding.value_or(0) != 0;
  return options;
}

std::unique_ptr<compile::Evaluator> make_evaluator() { return std::make_unique<OmlEvaluator>(); }

std::optional<model::Model> open_model(const std::string& file, Diagnostics& diagnostics) {
  if (file.ends_with(".orr")) return model::load(file, diagnostics);
  Place place;
  place.file = file;
  const std::size_t slash = file.find_last_of('/');
  const std::size_t dot = file.find_last_of('.');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  diagnostics.error("unknown-extension", std::move(place),
                    has_extension ? "no language is known for files ending in " + file.substr(dot)
                                  : "the file has no extension, so its language is not known",
                    "a model file ends in .orr");
  return std::nullopt;
}

std::optional<Prepared> prepare(const RunRequest& request, Diagnostics& diagnostics) {
  auto model = open_model(request.file, diagnostics);
  if (!model) return std::nullopt;
  apply_request(request, *model, diagnostics);
  const auto evaluator = std::make_shared<OmlEvaluator>();
  const auto library = std::make_shared<foreign::FmuLibrary>(model->file);
  evaluator->vary(varied_variables(request));
  evaluator->begin_run(1);
  const CurrentModel current(evaluator->interpreter(), model->file);
  auto compiled = compile_model(*model, *evaluator, {library}, request, diagnostics);
  if (compiled) {
    compiled->evaluator = evaluator;
    compiled->open_foreign = foreign_code(*evaluator, library);
  }
  if (!compiled || !check_horizon(*model, run_options(request, compiled->settings), diagnostics)) return std::nullopt;
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
    OmlEvaluator evaluator;
    result = run(*model, request, evaluator);
  }
  result.seconds.load = seconds;
  for (const Diagnostic& diagnostic : result.diagnostics.all()) diagnostics.add(diagnostic);
  result.diagnostics = std::move(diagnostics);
  return result;
}

RunResult run(model::Model& model, const RunRequest& request, OmlEvaluator& evaluator) {
  RunResult result;
  const model::Settings own = model.settings;
  const CurrentModel current(evaluator.interpreter(), model.file);
  apply_request(request, model, result.diagnostics);
  result.name = model.name;
  const auto library = std::make_shared<foreign::FmuLibrary>(model.file);
  Stopwatch watch;
  for (bool again = true; again;) {
    watch.lap();
    evaluator.vary(varied_variables(request));
    evaluator.begin_run(result.runs + 1);
    Diagnostics found;
    auto compiled = compile_model(model, evaluator, {library}, request, found);
    add_news(found, result.runs == 0, result.diagnostics);
    result.seconds.compile += watch.lap();
    if (!compiled && request.interrupt && request.interrupt->load()) result.report.end = sim::End::interrupted;
    if (!compiled) break;
    result.program = std::move(compiled->program);
    result.options = run_options(request, compiled->settings);
    result.options.open_foreign = foreign_code(evaluator, library);
    if (!check_horizon(model, result.options, result.diagnostics)) break;
    result.options.name = model.name;
    if (!check_patterns(request.only, result.program, compiled->recorded, result.diagnostics)) break;
    again = simulate(request, compiled->recorded, result, evaluator) && may_run_again(request, result);
  }
  if (result.started) end_sinks(request, result);
  model.settings = own;
  return result;
}

}  // namespace orrery::api
