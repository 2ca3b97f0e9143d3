// SPDX-License-Identifier: Apache-2.0
// Settings, solver class, what is recorded, compilation.
#include "api/prepare.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "api/animation.h"
#include "api/base_workspace.h"
#include "api/model_facts.h"
#include "api/sensitivities.h"
#include "model/closest_name.h"
#include "program/pause.h"
#include "sim/choose_solver.h"
#include "solve/integrator.h"
#include "trace/parameter_value.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_default_signals = 50;

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
  const auto in_line = [&](const std::string& line) { return mentions(line, name); };
  if (std::ranges::any_of(diagram.context, in_line) || std::ranges::any_of(diagram.program, in_line)) return true;
  if (mentions(diagram.count, name)) return true;
  for (const model::MaskParameter& parameter : diagram.mask) {
    if (parameter.name == name || mentions(parameter.value, name) || mentions(parameter.valid, name)) return true;
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
  if (solve::is_automatic(solver)) return false;
  if (const solve::SolverInfo* info = solve::find_solver(solver)) {
    if (!info->fixed_step || settings.step) return info->fixed_step;
    diagnostics.error("missing-step", std::move(place), "the solver " + info->name + " needs the size of its steps",
                      "give it with --step H, or as \"step\" in the model's \"simulation\"");
    return std::nullopt;
  }
  std::vector<std::string_view> names{solve::automatic};
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
  const std::string which = solve::is_automatic(settings.solver) ? "the automatic choice" : settings.solver;
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
    const auto matches = [&](const std::string& name) {
      const std::string full = name.starts_with('/') ? name : "/" + name;
      return full == probe.name || name == probe.name || probe.name.starts_with("d(" + full + ")/d(") ||
             names_block(name, path);
    };
    const bool named = std::any_of(names.begin(), names.end(), matches);
    recorded.push_back(named || (names.empty() && !is_bookkeeping(probe, program)));
  }
  return recorded;
}

// What is recorded besides sinks: the names that are none, or what there is to see in a model without sinks.
std::vector<std::string> signals_to_watch(const RunRequest& request, const program::Program& program) {
  if (!request.signals.empty()) return without_sinks(request.signals, program);
  const std::vector<bool> visible = recorded_probes({}, program);
  const bool blind = request.also.empty() && std::find(visible.begin(), visible.end(), true) == visible.end();
  return blind ? default_signals(program) : std::vector<std::string>{};
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

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const model::Model& model) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const model::SettingInfo& info : model::setting_table())
    list.emplace_back(info.name, (model.settings.*info.text).text);
  return list;
}

bool change_setting(model::Model& model, const std::string& name, const std::string& text) {
  for (const model::SettingInfo& info : model::setting_table()) {
    if (name != info.name) continue;
    (model.settings.*info.text) = {text, 0};
    return true;
  }
  return false;
}

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
  options.solver = solve::is_automatic(settings.solver) ? std::string(solve::automatic) : settings.solver;
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

void warn_of_unused(const RunRequest& request, const model::Model& model, Diagnostics& diagnostics) {
  for (const compile::Override& override : request.overrides) {
    if (uses_variable(model, override.name)) continue;
    Place place;
    place.file = model.file;
    diagnostics.warning("unused-variable", std::move(place), "the model does not use the variable " + override.name,
                        "check the name given to --set against the model's initialization and context");
  }
}

void apply_request(const RunRequest& request, model::Model& model, Diagnostics& diagnostics) {
  for (const model::SettingInfo& info : model::setting_table()) {
    if (!(request.settings.*info.text).empty()) model.settings.*info.text = request.settings.*info.text;
  }
  for (const model::StateTolerance& given : request.settings.tolerances) {
    std::erase_if(model.settings.tolerances, [&](const auto& own) { return own.block == given.block; });
    model.settings.tolerances.push_back(given);
  }
  for (const model::InitialChoice& given : request.settings.initial) {
    std::erase_if(model.settings.initial, [&](const auto& own) { return own.block == given.block; });
    model.settings.initial.push_back(given);
  }
  warn_of_unused(request, model, diagnostics);
}

std::optional<Prepared> compile_model(const model::Model& model, OmlEvaluator& evaluator,
                                      const compile::Services& services, const RunRequest& request,
                                      Diagnostics& diagnostics) {
  compile::Services own = services;
  if (request.facts != nullptr) own.share_units = false;  // of what is inside as well
  auto evaluated = compile::evaluate(model, evaluator, request.overrides, diagnostics, own);
  const compile::EvaluatedSettings settings = evaluated ? evaluated->settings : unevaluated(model);
  const std::optional<bool> fixed = fixed_step(model, settings, diagnostics);
  if (request.facts != nullptr && evaluated) add_evaluated(*evaluated, *request.facts);
  if (!evaluated || !fixed) return std::nullopt;
  if (!*fixed && !request.settings.step.empty()) warn_of_step(model, settings, diagnostics);
  compile::CompileOptions options;
  options.interrupt = request.interrupt;
  options.fixed_step = *fixed;
  options.keep_signals = request.keep_signals;
  if (!check_algebraic(model, settings.algebraic, diagnostics)) return std::nullopt;
  options.watch = request.also;
  options.watch_more = [&](const program::Program& sinks) { return signals_to_watch(request, sinks); };
  auto program = compile::compile(*evaluated, options, diagnostics);
  if (!program) return std::nullopt;
  if (!request.keep_signals) program::forget_pauses(*program);  // nobody looks at this run
  if (request.facts != nullptr) add_compiled(*program, *request.facts);
  const trace::ParameterHome& parameters = *evaluator.parameters();
  if (!request.sensitivities.empty() && settings.sliding.value_or(0) != 0) {
    diagnostics.error("no-sensitivity", {model.file, 0, 0, {}, {}}, "sensitivities do not follow a motion that slides",
                      "leave out --sliding or --sensitivity");
    return std::nullopt;
  }
  if (!request.sensitivities.empty() && !add_sensitivities(model, request, parameters, *program, diagnostics)) {
    return std::nullopt;
  }
  std::vector<std::string> wanted = request.signals;
  if (!wanted.empty()) wanted.insert(wanted.end(), request.also.begin(), request.also.end());
  std::vector<bool> recorded = recorded_probes(wanted, *program);
  std::vector<FigureInfo> figures = figures_of(*evaluated, *program);
  return Prepared{std::move(evaluated->settings), std::move(*program), std::move(recorded), {}, {}, std::move(figures)};
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

}  // namespace orrery::api
