// SPDX-License-Identifier: Apache-2.0
// What stands behind CompiledModel and Run, for the files of this folder.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/export_files.h"
#include "api/model.h"
#include "api/run.h"
#include "api/session.h"
#include "program/variables.h"
#include "sim/memory_sink.h"
#include "sim/selection.h"

namespace orrery::api {

// Nothing changes in it once it is made, as far as anybody can see.
struct CompiledData {
  std::string name;
  std::shared_ptr<const sim::CompiledProgram> compiled;
  std::shared_ptr<OmlEvaluator> evaluator;  // of the scripts that compute when a run starts
  sim::RunOptions options;                  // of a run as the model wants it
  std::vector<bool> recorded;               // by probe
  Diagnostics diagnostics;
  std::vector<ParameterInfo> parameters;
  std::vector<SignalInfo> signals;
  std::vector<ProbeInfo> probes;
  std::vector<FigureInfo> figures;
  std::vector<PortInfo> inputs, outputs;
  std::vector<EventInfo> events;
  // By name, without the slash in front: places in Program::inputs, outputs by their probe.
  std::unordered_map<std::string, std::uint32_t> input_of, output_of;
  // A place in Program::variables. The names are made when somebody asks first.
  std::optional<std::uint32_t> find_variable(const std::string& name) const;
  std::vector<std::string> variable_names() const;

  const program::Program& program() const { return compiled->program(); }

 private:
  mutable std::once_flag named_;
  mutable std::unique_ptr<const program::VariableNames> names_;
};

// A simulation and where its rows go.
struct Stage {
  sim::MemorySink memory;
  std::vector<std::unique_ptr<sim::Selection>> selections;
  std::unique_ptr<ExportFiles> exports;
  std::unique_ptr<sim::Simulation> simulation;
};

struct RunData {
  explicit RunData(CompiledModel of) : model(std::move(of)) {}

  // Makes the simulation; what was set before the run began is set again.
  void prepare();
  // The same for another model of the same code, which goes on from where the run is now. False: it stays as it is.
  bool go_on_with(const CompiledModel& other);
  Results results_so_far() const;
  std::vector<Event> events_so_far() const;
  RunReport report_so_far() const;
  sim::Simulation* simulation() const { return stage ? stage->simulation.get() : nullptr; }
  Place place() const;
  bool error(std::string code, std::string message, std::string help = {});
  bool may_change(const char* what);
  std::optional<std::uint32_t> find_input(const std::string& name);

  CompiledModel model;
  std::shared_ptr<const CompiledData> data;
  RunSettings settings;
  sim::RunOptions options;
  std::atomic<bool> cancelled = false;
  Diagnostics diagnostics;
  std::unique_ptr<Stage> stage;  // nothing: the settings were no good
  struct InputSetting {
    std::uint32_t input;
    std::vector<double> values, slopes;
  };
  std::vector<InputSetting> inputs;        // set before the run began
  std::vector<std::uint32_t> activations;  // fired before it
  RunState state = RunState::ready;
  // What simulations before this one left, where probes were added on the way.
  Results earlier_results;
  std::vector<Event> earlier_events;
  RunReport earlier_report;

 private:
  std::unique_ptr<Stage> make_stage();
};

Shape shape_of(const program::Type& type);
std::vector<VariableInfo> variables_of(const program::Program& program);
// "/Plant/Mass" without the slash.
std::string bare_name(const std::string& name);
// Lists and tables of names, from the Program.
void describe(CompiledData& data);

}  // namespace orrery::api
