// SPDX-License-Identifier: Apache-2.0
// The front door, part one: a model, opened from a file or a text, and what it compiles to.
//
//   Diagnostics diagnostics;
//   auto model = api::Model::open("ball.orr", diagnostics);
//   auto compiled = model->compile({.vary = {"e"}}, diagnostics);
//   api::Run run = compiled->start();               // run.h
//
// Whatever is wrong is in the diagnostics; nothing is thrown. This header, run.h, base/diagnostic.h and
// base/consent.h are all that a program needs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/consent.h"
#include "base/diagnostic.h"

namespace orrery::model {
struct Model;
}

namespace orrery::api {

class Run;
struct RunSettings;
struct CompiledData;
struct RunData;

// A setting of the simulation by the name it has in the file, as OML text; empty: the default.
struct Setting {
  std::string name;
  std::string text;
};

// Rows, columns and element type ("double", "complex", "int32", "boolean", …) of a value. Numbers are handed over and
// back as doubles, column by column; a complex element is two of them.
struct Shape {
  int rows = 1;
  int cols = 1;
  std::string type = "double";

  std::size_t numbers() const;  // how many doubles hold a value
};

// A number of the model's scripts.
struct ParameterInfo {
  std::string name;
  Shape shape;
  std::string unit;
  std::vector<double> value;  // unless it is set; as far as it is known before a run starts
  // Not empty: another value needs another compilation, because of these places.
  std::vector<Diagnostic> fixed_by;
};

struct SignalInfo {
  std::string name;  // "/Plant/Mass", or "/Plant/Mass:2" where a block has several outputs
  Shape shape;
  bool continuous = false;  // computed at every time, not only when events reach its block
};

enum class VariableKind { parameter, input, output, signal, state, unknown, memory, mode };

// Any quantity that has a name; Run::value gives it.
struct VariableInfo {
  std::string name;  // as of SignalInfo; "/Plant/Mass.x" of states, memories and modes; "e" of parameters
  VariableKind kind = VariableKind::signal;
  Shape shape;
  std::string unit, about;
  std::string block;          // path; empty: of the model
  bool continuous = false;    // it has a value at every time
  std::vector<double> start;  // as far as it is known before a run
  std::string alias_of;       // "-/Plant/Mass.x": what it is another name of
};
// "state"
const char* name_of(VariableKind kind);

struct ProbeInfo {
  std::string name;   // of the columns it gives
  std::string block;  // path of the sink
  Shape shape;
  std::string unit;
  bool recorded = true;  // false: only for the base workspace
};

// The objects of one input of an Anim2D block: their type (Activate, 20.1) and the size of the signal.
struct FigureInput {
  int type = 0;
  int rows = 0, cols = 0;
};

// The figure of an Anim2D block (api/animation.h draws it).
struct FigureInfo {
  std::string block;  // path
  std::vector<FigureInput> inputs;
  std::array<double, 4> canvas{};              // x, y, width, height of what is seen
  std::vector<std::array<double, 3>> colours;  // red, green, blue from 0 to 1; -1: transparent
  double zoom = 1;                             // points for one unit
};

struct PortInfo {
  std::string name;  // of the block on the top diagram
  int number = 0;
  Shape shape;
  bool activation = false;
};

enum class EventKind { initial, clock, programmed, crossing, step, left, instant_end, final };

// Something that can happen while the model runs.
struct EventInfo {
  EventKind kind = EventKind::initial;
  std::string block;      // empty: of the model as a whole
  int port = 0;           // activation output
  bool critical = false;  // it can disturb continuous time: the integrator starts anew
};

// What an output or the derivative of a state depends on while no event happens.
struct Dependence {
  std::string name;  // "/Out", "der(/Ball.x)"
  std::vector<std::string> inputs, states;
};

enum class NativeCode { automatic, first, second };  // in memory until the C compiler is ready, in memory, C compiler

class CompiledModel;

struct CompileOptions {
  // Variables of the initialization and the top context that runs can set, besides those the model calls exposable.
  std::vector<std::string> vary = {};
  std::vector<Setting> set = {};  // variables of the context that have another value: OML texts
  // Block outputs or sinks that are recorded; none: the model's sinks.
  std::vector<std::string> probes = {};
  std::vector<std::string> also = {};  // block outputs that are recorded besides
  bool keep_signals = true;  // every block output can be read and recorded later; events then store a little more
  int counter = 1;           // what scripts see as __counter__: the number of the run, where an End block asks for more
  NativeCode native = NativeCode::automatic;
  // What the model may do besides computing and reading files of its folder: nothing, unless the program says so. FMUs
  // need Capability::native.
  Capabilities allow = {};
  // ExecOMLScript blocks whose scripts are run first: what they leave in the base workspace contexts find there.
  std::vector<std::string> exec = {};
  // The model of a run before this one, which asked for another: its base workspace is gone on with (Run::leave).
  const CompiledModel* after = nullptr;
  double script_seconds = 0;                  // that its scripts may run; 0: as long as they want
  const std::atomic<bool>* cancel = nullptr;  // set: compiling ends without a result
};

// A model ready to run: immutable, cheap to copy, for any number of runs on any threads.
class CompiledModel {
 public:
  const std::string& name() const;
  const std::vector<ParameterInfo>& parameters() const;
  const std::vector<SignalInfo>& signals() const;  // empty unless they were kept
  // Everything that has a name: parameters, inputs, outputs, block outputs that were kept, states, memories, modes.
  std::vector<VariableInfo> variables() const;
  const std::vector<ProbeInfo>& probes() const;
  const std::vector<FigureInfo>& figures() const;
  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  const std::vector<EventInfo>& events() const;
  std::vector<Dependence> dependencies() const;
  const Diagnostics& diagnostics() const;  // of its compilation: warnings
  // What the model asks of a run.
  RunSettings settings() const;
  // A run that has not begun. Where the settings are no good it fails at once and says why.
  Run start() const;
  Run start(const RunSettings& settings) const;
  // The same model that records these of its signals too; only what computes them is compiled. Nothing when there is no
  // such signal.
  std::optional<CompiledModel> with_probes(const std::vector<std::string>& signals, Diagnostics& diagnostics) const;

 private:
  friend class Model;
  friend class Run;
  friend struct RunData;
  explicit CompiledModel(std::shared_ptr<const CompiledData> data) : data_(std::move(data)) {}
  std::shared_ptr<const CompiledData> data_;
};

// One thread at a time may use a Model; what it compiles to is free of it.
class Model {
 public:
  // The language follows from the extension of the file: .orr is a diagram. Nothing when there was an error.
  static std::optional<Model> open(const std::string& file, Diagnostics& diagnostics);
  // The same for a text; `file` gives the language and is the name in messages.
  static std::optional<Model> read(std::string_view text, const std::string& file, Diagnostics& diagnostics);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::string& name() const;
  const std::string& file() const;
  std::vector<Setting> settings() const;
  // False: there is no such setting. Whether the text makes sense shows when the model is compiled.
  [[nodiscard]] bool set(const std::string& setting, const std::string& text);
  // The canonical text of its file, and the file replaced by it in one step.
  std::string text() const;
  [[nodiscard]] bool save(const std::string& file, Diagnostics& diagnostics) const;
  // The variables of the initialization and the top context that could be varied, with their values. Runs the scripts.
  std::vector<ParameterInfo> variables(Diagnostics& diagnostics) const;
  // Runs the scripts once and compiles. Nothing when there was an error.
  std::optional<CompiledModel> compile(Diagnostics& diagnostics) const;
  std::optional<CompiledModel> compile(const CompileOptions& options, Diagnostics& diagnostics) const;

 private:
  explicit Model(std::unique_ptr<model::Model> model);
  std::unique_ptr<model::Model> model_;
};

}  // namespace orrery::api
