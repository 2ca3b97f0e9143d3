// SPDX-License-Identifier: Apache-2.0
// A sweep from its request to its table.
#include "api/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "api/choose_columns.h"
#include "api/prepare.h"
#include "api/sweep_parts.h"
#include "api/sweep_table.h"
#include "api/sweep_texts.h"
#include "fmi/surroundings.h"
#include "io/output_file.h"
#include "model/closest_name.h"

namespace orrery::api {
namespace {

// Everything by which two sweeps differ, as one text.
std::string identity_of(const SweepRequest& request, const model::Model& model, const KeptTexts& kept) {
  std::string text = model::write(model);
  const auto add = [&text](const auto& list) {
    for (const auto& item : list) text += item + "\n";
    text += "\v";
  };
  add(request.vary);
  add(request.samples);
  add(request.run.signals);
  for (const compile::Override& set : request.run.overrides) text += set.name + "=" + set.expression + "\n";
  text += fmt::format("{} {} {}\n", static_cast<int>(request.sampling), request.samples_each, request.seed);
  for (const std::string& file : request.tables) {
    Diagnostics ignored;
    text += io::read_file(file, ignored).value_or("") + "\v";
  }
  for (const Keep& keep : kept.keeps) text += keep.name + "=" + keep.expression + "\n";
  return text;
}

bool check_names(const analyse::SweepPlan& plan, const Prepared& prepared, const std::string& file,
                 Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const program::Program& program = prepared.program;
  const std::vector<OmlEvaluator::Variable> variables = prepared.evaluator->variables();
  std::vector<std::string_view> names;
  for (const OmlEvaluator::Variable& variable : variables) names.push_back(variable.name);
  std::vector<double> values;
  plan.values(0, values);
  std::vector<sim::ParameterSetting> settings;
  for (std::size_t k = 0; k < plan.names().size(); ++k) {
    const std::string& name = plan.names()[k];
    const auto known = std::find_if(program.parameters.begin(), program.parameters.end(),
                                    [&](const program::Parameter& parameter) { return parameter.name == name; });
    if (known == program.parameters.end()) {
      const std::string guess = model::did_you_mean(name, names);
      diagnostics.error("unknown-parameter", {file, 0, 0, {}, {}},
                        "the model has no variable " + name + " that could be varied",
                        guess.empty() ? "a real number of the initialization or the top context can be" : guess);
      continue;
    }
    // One number for all elements would be another model than the user thinks of.
    if (const auto size = program.slots[known->slot].type.size(); size > 1) {
      diagnostics.error("bad-option", {file, 0, 0, {}, {}},
                        fmt::format("{} has {} elements, and a run gets one number for it", name, size),
                        fmt::format("vary its elements: --vary \"{}(1)=…\"", name));
      continue;
    }
    settings.push_back({name, {values[k]}});
  }
  return sim::check_parameters(program, settings, diagnostics) && diagnostics.error_count() == errors;
}

constexpr int interrupted_code = 130;

struct Dismissal {
  const std::unique_ptr<Ranks>& ranks;
  const bool& handed_out;
  ~Dismissal() {
    if (ranks && ranks->rank() == 0 && !handed_out) dismiss(*ranks);
  }
};

bool check_places(const SweepRequest& request, Diagnostics& diagnostics) {
  const int ways = (request.mpi ? 1 : 0) + (request.slurm > 0 ? 1 : 0) + (request.parts > 0 ? 1 : 0);
  if (ways == 0) return true;
  if (ways > 1)
    diagnostics.error("bad-option", {}, "--mpi, --slurm and --part exclude each other", "choose one of them");
  else if (request.out.empty())
    diagnostics.error("bad-option", {}, "several processes need a place for what they find", "add --out FILE");
  return !diagnostics.has_errors();
}

bool check_complete(const analyse::SweepStore& store, Diagnostics& diagnostics) {
  std::size_t missing = 0;
  for (std::size_t run = 0; run < store.runs(); ++run) missing += store.has(run) ? 0 : 1;
  if (missing == 0) return true;
  diagnostics.error("sweep-incomplete", {store.path(), 0, 0, {}, {}},
                    fmt::format("{} of {} runs are missing: processes that were to make them have ended before",
                                missing, store.runs()),
                    "see what they have said (*.slurm.*.log of a job array), and repeat the command: it goes on");
  return false;
}

}  // namespace

SweepResult sweep(const SweepRequest& request, Diagnostics& diagnostics) {
  const auto begun = std::chrono::steady_clock::now();
  const fmi::Surroundings surroundings;
  SweepResult result;
  std::unique_ptr<Ranks> ranks;
  bool handed_out = false;
  if (!check_places(request, diagnostics)) return result;
  if (request.mpi && !(ranks = Ranks::join(diagnostics))) return result;
  // Ranks that wait for work must not wait for ever.
  const Dismissal dismissal{ranks, handed_out};
  const auto plan = plan_of(request, diagnostics);
  auto kept = keeps_of(request.keep, diagnostics);
  if (kept) kept->limits.interrupt = request.run.interrupt;
  if (kept && !check_keeps(*kept, diagnostics)) kept.reset();
  auto model = open_model(request.run.file, diagnostics);
  result.interrupted = request.run.interrupt != nullptr && request.run.interrupt->load();
  if (!plan || !kept || !model) return result;
  apply_request(request.run, *model, diagnostics);
  RunRequest run = request.run;
  run.vary = plan->names();
  if (!kept->probes.empty()) run.signals = kept->probes;
  auto prepared = prepare(*model, run, diagnostics);
  if (!prepared || !check_names(*plan, *prepared, model->file, diagnostics)) return result;

  analyse::Sweep work;
  work.options = run_options(run, prepared->settings);
  work.options.open_foreign = prepared->open_foreign;
  work.options.name = model->name;
  if (!check_horizon(*model, work.options, diagnostics)) return result;
  const std::vector<std::string> columns = recorded_columns(prepared->program, prepared->recorded);
  if (request.keep.empty()) kept = keep_last(columns);
  if (kept->keeps.empty()) {
    diagnostics.error("bad-option", {model->file, 0, 0, {}, {}}, "the model records nothing",
                      "say what is kept of each run: --keep \"max(/Plant/Speed)\"");
    return result;
  }
  if (!find_columns(*kept, columns, diagnostics)) return result;
  work.recorded = [recorded = prepared->recorded](const sim::Column& column) -> bool { return recorded[column.probe]; };
  work.compiled = sim::CompiledProgram::create(std::move(prepared->program), work.options.native, diagnostics);
  if (!work.compiled) return result;

  work.plan = &*plan;
  work.reductions = &kept->reductions;
  work.keeps_rows = kept->keeps_rows();
  work.columns = kept->keeps.size();
  work.make_finish = [&] { return make_finish(*kept); };
  work.interrupt = request.run.interrupt;
  work.lanes = request.lanes;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  work.jobs = request.jobs > 0 ? request.jobs : ranks ? 1 : cores;
  const SweepParts parts{request.out, identity_of(request, *model, *kept), plan->runs(), kept->keeps.size()};
  if (ranks && ranks->rank() > 0) {
    result.is_part = true;
    result.interrupted = make_runs_as_told(*ranks, work, parts, diagnostics) == analyse::SweepEnd::interrupted;
    if (result.interrupted) ranks->abort(interrupted_code);
    return result;
  }
  if (request.parts > 0) {
    result.is_part = true;
    const auto store = parts.open(request.part, diagnostics);
    if (!store) return result;
    work.store = &*store;
    // In wide numbers: runs times parts may be more than 64 bits hold.
    const auto border = [&](int part) {
      return static_cast<std::size_t>(static_cast<unsigned __int128>(plan->runs()) * static_cast<unsigned>(part) /
                                      static_cast<unsigned>(request.parts));
    };
    work.begin = border(request.part);
    work.end = border(request.part + 1);
    result.started = true;
    result.interrupted = analyse::make_runs(work, diagnostics) == analyse::SweepEnd::interrupted;
    return result;
  }

  // Where the table is only printed, what is found lies in a file of the moment.
  const std::string place =
      request.out.empty() ? fmt::format("/tmp/orrery-sweep-{}.runs", ::getpid()) : request.out + ".runs";
  if (request.fresh) ::unlink(place.c_str());
  if (request.fresh && !request.out.empty()) parts.forget();
  auto store = analyse::SweepStore::open(place, parts.identity, plan->runs(), kept->keeps.size(), diagnostics);
  if (!store) return result;
  if (request.out.empty()) {
    store->remove();
  } else if (request.slurm == 0) {  // tasks of a job array find again what they have made
    if (!parts.collect(*store, diagnostics)) return result;
    parts.forget();
  }
  result.started = true;
  result.runs = plan->runs();
  for (std::size_t k = 0; k < plan->runs(); ++k) result.earlier += store->has(k) ? 1 : 0;
  work.store = &*store;
  if (request.progress) work.progress = [&](std::size_t done) { request.progress(done, plan->runs()); };
  if (request.slurm > 0) {
    result.interrupted = !submit_and_wait(request, diagnostics) && !diagnostics.has_errors();
    if (result.interrupted || diagnostics.has_errors() || !parts.collect(*store, diagnostics)) return result;
  } else if (ranks && ranks->size() > 1) {
    handed_out = true;
    result.interrupted = !hand_out_runs(*ranks, *store, request);
    if (result.interrupted) ranks->abort(interrupted_code);
    if (!parts.collect(*store, diagnostics)) return result;
  } else {
    const analyse::SweepEnd end = analyse::make_runs(work, diagnostics);
    result.interrupted = end == analyse::SweepEnd::interrupted;
    if (end != analyse::SweepEnd::complete) return result;
  }
  if (!check_complete(*store, diagnostics)) return result;
  std::vector<std::string> names;
  for (const Keep& keep : kept->keeps) names.push_back(keep.name);
  if (write_sweep_table(request.out, *plan, names, *store, result, diagnostics) && !request.out.empty()) {
    store->remove();
    parts.forget();
    if (request.slurm > 0) forget_job(request);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return result;
}

}  // namespace orrery::api
