// SPDX-License-Identifier: Apache-2.0
// From a model file to results: what every front end does, in one place.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "base/consent.h"
#include "base/diagnostic.h"
#include "compile/compile.h"
#include "model/model.h"
#include "program/program.h"
#include "sim/simulation.h"
#include "sim/sink.h"

namespace orrery::api {

struct ModelFacts;

// Which native code is used (native/code.h): the first tier alone, the second from the first step on, or the first
// until the second is ready.
enum class TierChoice { automatic, first, second };

// Everything but the file may be left out; the model's own settings then hold.
struct RunRequest {
  std::string file;
  model::Settings settings;  // texts in the model's context; what is not empty replaces the model's own
  std::vector<compile::Override> overrides;
  std::vector<std::string> signals;  // record only these: block outputs ("/Plant/Mass:2") or sinks of the model
  std::vector<std::string> also;     // record these block outputs besides
  double interval = 0;               // record every so often from the start on; 0: at every accepted point and event
  // Without an interval: record this many points, evenly spaced, because they are to be looked at; 0: every point.
  int picture_points = 0;
  bool events = false;            // keep the event ledger
  std::vector<std::string> only;  // of what is recorded, the columns with these names; * and ? as in file names
  // Where the results go; none: to RunResult. When the run is over, they have been told (Sink::end).
  std::vector<sim::Sink*> sinks;
  std::vector<sim::LedgerSink*> ledger_sinks;
  int most_runs = 10000;  // how often an End block may ask for another run
  // Before each run but the first: its number, and what an Optimization block has found so far, if there is one.
  struct Restart {
    int run = 1;
    std::optional<double> cost, least;
  };
  std::function<void(const Restart&)> restarted;
  std::vector<std::string> sensitivities;  // variables of the context: record how every signal changes with them
  std::vector<std::string> vary;           // further variables of the context that stay parameters of the Program
  std::vector<sim::ParameterSetting> parameters;  // values for parameters of the Program, set when the run starts
  bool keep_signals = false;  // every block output can be read while a run is paused, and recorded without compiling
  std::vector<std::string> exec;  // ExecOMLScript blocks whose scripts are run before the first run
  std::string input;              // a table of the model's inputs over time (CSV); empty: they are 0
  bool bookkeeping = false;       // record also what only programs want to know: when a SignalOut was activated
  TierChoice tier = TierChoice::automatic;
  Capabilities allow;           // what the model may do besides computing and reading files of its folder
  bool recorded_trust = false;  // and what the user has recorded for it (api/trust.h)
  double script_seconds = 0;    // that the scripts of the model may run before each run; 0: as long as they want
  int counter = 1;              // of prepare(): what scripts see as __counter__
  ModelFacts* facts = nullptr;  // of prepare(): gets what evaluating and compiling the model tells of its blocks
  const std::atomic<bool>* interrupt = nullptr;
  // Called now and then with the share of the horizon that is done (0 … 1) and the simulated time.
  std::function<void(double share, double t)> progress;
};

struct Seconds {
  double load = 0;
  double compile = 0;
  double native = 0;
  double solve = 0;
  double write = 0;  // in sinks
};

class OmlEvaluator;

// A model ready to run.
struct Prepared {
  compile::EvaluatedSettings settings;
  program::Program program;
  std::vector<bool> recorded;               // by probe: whether the user wants to see it
  std::shared_ptr<OmlEvaluator> evaluator;  // of its scripts: some of them may compute when a run starts
  program::OpenForeign open_foreign;        // for the options of runs
  std::vector<FigureInfo> figures = {};     // of its Anim2D blocks
};

struct RunResult {
  Diagnostics diagnostics;
  bool started = false;  // false: the model could not be loaded or compiled; only the diagnostics mean something
  std::string name;      // of the model
  std::shared_ptr<const sim::CompiledProgram> compiled;
  sim::RunOptions options;
  sim::Report report;
  sim::Recording recording;  // of the last run, as the ledger; both empty where the request has sinks for them
  sim::Ledger ledger;
  int runs = 0;       // more than one when an End block asked for another
  int same_code = 0;  // how often machine code of an earlier run could be used
  Seconds seconds;

  const program::Program& program() const { return compiled->program(); }  // of one that has started
  bool interrupted() const { return report.end == sim::End::interrupted; }
  bool failed() const {
    return (!started && !interrupted()) || report.end == sim::End::failed || diagnostics.has_errors();
  }
};

// What the request lets the model of a file do.
Consent consent_of(const RunRequest& request, const std::string& file, Diagnostics& diagnostics);
// The scripting language behind parameters and contexts. Nothing is allowed.
std::unique_ptr<compile::Evaluator> make_evaluator();
// What the settings of a model ask of a run.
sim::RunOptions options_of(const compile::EvaluatedSettings& settings);
// Whether a context, a parameter or a setting of the model has the name as a word of its own.
bool uses_variable(const model::Model& model, const std::string& name);
// By the extension of the file.
std::optional<model::Model> open_model(const std::string& file, Diagnostics& diagnostics);
std::optional<model::Model> read_model(std::string_view text, const std::string& file, Diagnostics& diagnostics);
// Loads and compiles. Nothing when there was an error.
std::optional<Prepared> prepare(const RunRequest& request, Diagnostics& diagnostics);
// The same for a model that is there already and has its settings.
std::optional<Prepared> prepare(const model::Model& model, const RunRequest& request, Diagnostics& diagnostics);
// … whose texts this evaluator runs.
std::optional<Prepared> prepare(const model::Model& model, const RunRequest& request,
                                const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics);
// Loads, compiles and runs, again and again when the model asks for it.
RunResult run(const RunRequest& request);
// The same for a model that is there already, its texts evaluated within a script that runs; request.file is not read,
// and the model may do what the script may.
// The model's settings are those of the request while it runs.
RunResult run(model::Model& model, const RunRequest& request, OmlEvaluator& evaluator);

}  // namespace orrery::api
