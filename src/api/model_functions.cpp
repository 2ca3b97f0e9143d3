// SPDX-License-Identifier: Apache-2.0
// Models in scripts, under the names of Activate: chapters 6 (batch runs), 7 and 22.
#include "api/model_functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <utility>

#include "api/base_workspace.h"
#include "api/diagram_functions.h"
#include "api/edit_functions.h"
#include "api/export_functions.h"
#include "api/fmu_functions.h"
#include "api/hdf5_functions.h"
#include "api/libraries.h"
#include "api/linearise.h"
#include "api/model_evaluator.h"
#include "api/oml_block.h"
#include "api/oml_evaluator.h"
#include "api/plot_functions.h"
#include "api/script_context.h"
#include "api/session.h"
#include "api/trim.h"
#include "io/number_text.h"
#include "model/closest_name.h"
#include "oml/builtins/math_values.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;
using oml::Values;

constexpr int deepest_run = 20;  // a context may run a model; one that runs itself must end

// What an interpreter knows of models.
struct Models {
  std::string current;  // file of the model that is evaluated now, or was opened last
  std::map<int, ModelEvaluator> evaluators;
  int next = 1;
  int depth = 0;
  bool linearising = false;
};

Models& models_of(oml::Interpreter& interpreter) { return interpreter.extension<Models>(); }

Value model_object(const std::string& file) {
  Value object = Value::structure();
  object.edit_structure().set("file", Value::text(file));
  return object;
}

std::shared_ptr<model::Model> load(const Call& c, const std::string& file) {
  c.require_read(file);
  Diagnostics diagnostics;
  auto model = open_model(file, diagnostics);
  if (!model) raise_errors(diagnostics);
  return std::make_shared<model::Model>(std::move(*model));
}

const Value* field_of(const Value& v, const char* name) {
  return v.is_struct() && v.structure_ref().dims.numel() == 1 ? v.structure_ref().get(name) : nullptr;
}

// A model given by its path or as an object.
std::string file_of(const Call& c, int k) {
  if (c.is_text(k)) return c.text(k);
  const Value* file = field_of(c[k], "file");
  if (file == nullptr) oml::fail_argument(k + 1, "must be the path of a model or a model object");
  return oml::to_string(*file);
}

std::shared_ptr<model::Model> model_of(const Call& c, int k) {
  const Value* id = field_of(c[k], "evaluator");
  if (id == nullptr) return load(c, file_of(c, k));
  const auto& known = models_of(c.oml).evaluators;
  const auto found = known.find(static_cast<int>(oml::to_integer(*id)));
  if (found == known.end()) oml::fail_argument(k + 1, "must be an evaluator of this session");
  return found->second.model();
}

void load_model(Call& c) {
  const std::string file = c.text(0);
  load(c, file);
  models_of(c.oml).current = file;
  c.ret(model_object(file));
}

void current_model(Call& c) {
  const std::string& file = models_of(c.oml).current;
  if (file.empty()) oml::fail("no model is open; open one with bdeLoadModel(file)");
  c.ret(model_object(file));
}

void model_file(Call& c) { c.ret(Value::text(file_of(c, 0))); }

void simulation_object(Call& c) { c.ret(model_object(file_of(c, 0))); }

void create_evaluator(Call& c) {
  Models& models = models_of(c.oml);
  const std::string file = file_of(c, 0);
  const int id = models.next++;
  models.evaluators.emplace(id, ModelEvaluator(load(c, file)));
  Value evaluator = model_object(file);
  evaluator.edit_structure().set("evaluator", Value(id));
  c.ret(evaluator);
}

const char* end_text(sim::End end) {
  switch (end) {
    case sim::End::stopped: return "stopped";
    case sim::End::failed: return "failed";
    case sim::End::interrupted: return "interrupted";
    default: return "reached stop";
  }
}

// Fields named as the settings of model files: numbers, flags, or texts in the model's context.
model::Settings settings_of(const Call& c, int k) {
  model::Settings settings;
  if (!c.has(k) || c[k].is_empty()) return settings;
  if (!c[k].is_struct() || c[k].structure_ref().dims.numel() != 1) {
    oml::fail_argument(k + 1, "must be a struct of simulation settings");
  }
  const oml::StructArray& fields = c[k].structure_ref();
  for (const std::string& name : fields.keys) {
    const model::SettingInfo* info = model::find_setting(name);
    if (info == nullptr) {
      std::vector<std::string_view> names;
      for (const model::SettingInfo& known : model::setting_table()) names.push_back(known.name);
      const std::string guess = model::did_you_mean(name, names);
      oml::fail("there is no simulation setting " + name + (guess.empty() ? "" : "; " + guess));
    }
    const Value& value = *fields.get(name);
    (settings.*info->text).text = value.is_text() ? oml::to_string(value) : io::number_text(oml::to_double(value));
  }
  return settings;
}

// What a run leaves to scripts.
void give_signals(Call& c, const program::Program& program, const sim::Recording& recording, oml::Environment& target) {
  for (NamedValue& signal : signals_of(program, recording)) target.set(signal.name, std::move(signal.value));
  if (c.nargout > 0) c.ret(columns_of(program, recording));
}

struct Made {
  sim::End end;
  double time;
  int runs;
  bool compiled;
  std::string reason;
};

// What is told besides the signals, behind them in the same struct.
void give_report(Call& c, const Made& made) {
  if (c.nargout == 0) return;
  oml::StructArray& report = c.out.back().edit_structure();
  report.set("end", Value::text(end_text(made.end)));
  report.set("final_time", Value(made.time));
  report.set("runs", Value(made.runs));
  report.set("compiled", Value(made.compiled ? 1 : 0));
  report.set("reason", Value::text(made.reason));
}

// An evaluator whose model is compiled once for the variables of the context. False: it is to be run from its texts.
bool run_compiled(Call& c, oml::Environment& target) {
  const Value* id = field_of(c[0], "evaluator");
  if (id == nullptr || (c.has(3) && !c[3].is_empty())) return false;
  const auto found = models_of(c.oml).evaluators.find(static_cast<int>(oml::to_integer(*id)));
  if (found == models_of(c.oml).evaluators.end()) return false;
  const auto variables = c.has(1) ? real_fields(c[1]) : std::vector<VariedVariable>{};
  if (!variables) return false;
  const model::Model& model = *found->second.model();
  std::vector<std::string> names;
  for (const VariedVariable& variable : *variables) names.push_back(variable.name);
  for (const std::string& name : names) check_field(model, name);
  const auto answer = found->second.run(*variables, c.oml);
  if (!answer) return false;
  if (answer->run.end == sim::End::interrupted) throw oml::Interrupted{};
  if (answer->run.end == sim::End::failed) raise_errors(answer->run.diagnostics);
  warn_of_initialization(c.oml, model, names);
  if (answer->is_news) c.oml.warn(fmt::format("{}: {}", model.name, answer->reason), false);
  give_signals(c, *answer->program, answer->run.recording, target);
  give_report(c, {answer->run.end, answer->run.time, 1, answer->compiled, answer->reason});
  return true;
}

// Why a run begins with the texts of the model.
std::string why_from_texts(const Call& c) {
  const Value* id = field_of(c[0], "evaluator");
  if (id == nullptr) return "no evaluator was made (vssCreateEvaluator)";
  if (c.has(3) && !c[3].is_empty()) return "the run has settings of its own";
  if (c.has(1) && !real_fields(c[1])) return "not all variables of the context are real numbers";
  return models_of(c.oml).evaluators.at(static_cast<int>(oml::to_integer(*id))).why_from_texts();
}

void run_simulation(Call& c) {
  const std::shared_ptr<model::Model> model = model_of(c, 0);
  std::shared_ptr<oml::Environment> target = c.oml.base();
  if (c.has(2) && !c[2].is_empty()) {
    if (c[2].kind() != oml::Kind::environment) oml::fail_argument(3, "must be an environment (getnewenv)");
    target = static_cast<oml::EnvironmentHandle*>(c[2].heap())->environment;
  }
  Models& models = models_of(c.oml);
  struct Deeper {
    int& depth;
    ~Deeper() { --depth; }
  } deeper{++models.depth};
  if (models.depth > deepest_run) oml::fail("a model runs a model that runs a model …: does it run itself?");
  if (run_compiled(c, *target)) return;
  OmlEvaluator evaluator(c.oml);
  pin_context(c, 1, *model, evaluator);
  RunRequest request;
  request.file = model->file;
  request.settings = settings_of(c, 3);
  request.bookkeeping = true;
  request.interrupt = c.oml.options().interrupt;
  const RunResult result = run(*model, request, evaluator);
  if (result.interrupted()) throw oml::Interrupted{};
  if (result.failed()) raise_errors(result.diagnostics);
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.severity == Severity::warning) c.oml.warn(d.place.block + ": " + d.message, false);
  }
  give_signals(c, result.program(), result.recording, *target);
  give_report(c, {result.report.end, result.report.time, result.runs, true, why_from_texts(c)});
}

void exposable(Call& c) {
  OmlEvaluator* evaluator = OmlEvaluator::running(c.oml);
  const std::string name = c.text(0);
  if (evaluator != nullptr) return c.ret(evaluator->exposed(name, c[1], c.has(2) ? c.text(2) : ""));
  const Value* in_base = c.oml.base()->get(name);
  c.ret(in_base != nullptr ? *in_base : c[1]);
}

Values call_builtin(Call& c, const std::string& name, Values arguments) {
  oml::CallSite site;
  site.builtin = oml::find_builtin(name);
  if (site.builtin == nullptr) oml::fail("there is no data type " + name);
  return c.oml.call_callee(name, site, arguments, 1);
}

void data_type(Call& c) { c.ret(Value::text(c[0].class_name())); }

void convert_to(Call& c) {
  static constexpr std::string_view types[] = {"double", "logical", "int8",   "int16",
                                               "int32",  "uint8",   "uint16", "uint32"};
  const std::string name = c.text(1);
  if (std::find(std::begin(types), std::end(types), name) == std::end(types)) {
    oml::fail_argument(2, "must be the name of a data type");
  }
  c.ret(call_builtin(c, name, {c[0]})[0]);
}

void set_overflow(Call& c) {
  if (c.number(0) != 0) oml::fail_argument(1, "must be 0: integers saturate");
}

std::vector<std::string> port_numbers(const Call& c, int k) {
  std::vector<std::string> numbers;
  if (!c.has(k)) return numbers;
  for (const double number : oml::to_vector(c[k])) numbers.push_back(io::number_text(number));
  return numbers;
}

struct Linearising {
  explicit Linearising(Models& models) : flag(models.linearising), before(std::exchange(models.linearising, true)) {}
  ~Linearising() { flag = before; }
  Linearising(const Linearising&) = delete;
  Linearising& operator=(const Linearising&) = delete;
  bool& flag;
  bool before;
};

void linearise_super_block(Call& c) {
  LinearisationRequest request;
  const std::shared_ptr<model::Model> shared = model_of(c, 0);
  request.run.file = shared->file;
  request.block = c.text(1);
  request.inputs = port_numbers(c, 2);
  request.outputs = port_numbers(c, 3);
  if (c.has(4) && !c[4].is_empty()) request.at = c.number(4);
  request.run.interrupt = c.oml.options().interrupt;
  Diagnostics diagnostics;
  auto model = read_model(model::write(*shared), shared->file, diagnostics);
  if (!model) raise_errors(diagnostics);
  const auto evaluator = std::make_shared<OmlEvaluator>(c.oml);
  pin_context(c, 5, *model, *evaluator);
  const Linearising now(models_of(c.oml));
  auto linear = linearise(std::move(*model), request, evaluator, diagnostics);
  if (!linear) raise_errors(diagnostics);
  c.ret(oml::result(linear->a));
  c.ret(oml::result(linear->b));
  c.ret(oml::result(linear->c));
  c.ret(oml::result(linear->d));
  c.ret(Value::text_cell(linear->states, true));
  c.ret(Value(linear->period));
  // Whoever takes A for that of x' = A x + B u must be told.
  if (linear->period > 0 && c.nargout < 6)
    c.oml.warn(fmt::format("the linear model of {} is sampled every {}: x(k+1) = A x(k) + B u(k)", request.block,
                           io::number_text(linear->period)),
               false);
}

// A mix that is left out stands for all of it, an empty one for nothing.
std::optional<math::RealMatrix> mix_of(const Call& c, int k) {
  if (!c.has(k)) return math::RealMatrix::identity(1);
  if (c[k].is_empty()) return std::nullopt;
  const Value real = oml::to_real(oml::full(c[k]));
  math::RealMatrix result(static_cast<math::Index>(real.dims().rows()), static_cast<math::Index>(real.dims().cols()));
  result.data = oml::to_vector(real);
  return result;
}

// [ctx, err, names] = vssEquilibriumPointSuperBlock(model, sblk, ctx, params, inps, outs, L, M, verb)
void equilibrium_point(Call& c) {
  EquilibriumRequest request;
  const std::shared_ptr<model::Model> shared = model_of(c, 0);
  request.where.run.file = shared->file;
  request.where.block = c.text(1);
  request.where.run.interrupt = c.oml.options().interrupt;
  Value context = c[2].is_empty() ? Value::structure() : c[2];
  if (!context.is_struct() || context.structure_ref().dims.numel() != 1)
    oml::fail_argument(3, "must be a struct of variables for the model");
  for (const std::string& name : c.is_text(3) ? std::vector<std::string>{c.text(3)} : oml::text_list(c[3])) {
    const Value* value = context.structure_ref().get(name);
    if (value == nullptr) oml::fail("the context has no field " + name + " for the search to begin with");
    request.variables.push_back({name, oml::to_vector(oml::to_real(*value))});
  }
  if (request.variables.empty()) oml::fail_argument(4, "must name at least one variable that may change");
  request.where.outputs = port_numbers(c, 5);
  request.rate_mix = mix_of(c, 6);
  if (request.where.outputs.empty())
    request.where.outputs = {}, request.output_mix = std::nullopt;
  else
    request.output_mix = mix_of(c, 7);
  if (c.has(8) && c.is_text(8) && c.text(8) == "v") {
    request.tried = [&c](const std::vector<double>& values, const std::vector<double>& left) {
      c.oml.write(fmt::format("{:.10g}  ->  {:.3g}\n", fmt::join(values, " "), fmt::join(left, " ")));
    };
  }
  Diagnostics diagnostics;
  auto model = read_model(model::write(*shared), shared->file, diagnostics);
  if (!model) raise_errors(diagnostics);
  const auto evaluator = std::make_shared<OmlEvaluator>(c.oml);
  pin_context(c, 2, *model, *evaluator);
  const Linearising now(models_of(c.oml));
  const auto found = find_equilibrium(std::move(*model), request, evaluator, diagnostics);
  if (!found && request.where.run.interrupt != nullptr && request.where.run.interrupt->load()) throw oml::Interrupted{};
  if (!found) raise_errors(diagnostics);
  for (const sim::ParameterSetting& variable : found->variables) {
    Value value = Value::column(variable.values);
    value.edit_real().dims = context.structure_ref().get(variable.name)->dims();
    context.edit_structure().set(variable.name, oml::unboxed(value));
  }
  if (!found->reached && c.nargout < 2)
    c.oml.warn(fmt::format("the point found is not at rest: {}", fmt::join(found->names, ", ")), false);
  c.ret(context);
  c.ret(oml::unboxed(Value::column(found->left)));
  c.ret(Value::text_cell(found->names, true));
}

constexpr oml::Builtin model_table[] = {
    {"bdeLoadModel",
     1,
     1,
     load_model,
     "bdeLoadModel(file): opens a model and makes it the current one.",
     {},
     oml::Needs::asked()},
    {"bdeGetCurrentModel", 0, 0, current_model,
     "bdeGetCurrentModel: the model whose scripts run now, or the one opened last."},
    {"bdeGetModelFilePath", 1, 1, model_file, "bdeGetModelFilePath(model): path of the model's file."},
    {"bdeCreateSimulationObject", 1, 1, simulation_object,
     "bdeCreateSimulationObject(model): what vssCreateEvaluator takes as its second argument."},
    {"vssCreateEvaluator",
     1,
     2,
     create_evaluator,
     "vssCreateEvaluator(model, simobj): reads a model once, for many calls of vssRunSimulation.",
     {},
     oml::Needs::asked()},
    {"vssRunSimulation",
     1,
     4,
     run_simulation,
     "r = vssRunSimulation(evaluator, context, env, settings): runs a model. The fields of context replace variables "
     "of its initialization and top context. SignalOut blocks leave their signals in env (the base workspace when left "
     "out). The fields of settings (start, stop, solver, rtol, ...) replace those of the model's \"simulation\". "
     "r has the fields names, time, data (a column for each recorded signal), end, final_time, runs, compiled (1: the "
     "model was compiled for this run) and reason (why). The values take effect after the initialization, which "
     "computes with its own.",
     {},
     oml::Needs::asked()},
    {"vssLinearizeSuperBlock",
     2,
     6,
     linearise_super_block,
     "[A,B,C,D,states,Ts] = vssLinearizeSuperBlock(model, block, inps, outs, tf, context): the linear model of a super "
     "block inside its model, simulated to tf first. inps and outs are numbers of ports (all when left out or empty); "
     "states are the names of the states. Ts is 0, or the sample time where a clock changes what the block depends on: "
     "then x(k+1) = A x(k) + B u(k). The fields of context replace variables of the model.",
     {},
     oml::Needs::asked()},
    {"vssEquilibriumPointSuperBlock",
     4,
     9,
     equilibrium_point,
     "[ctx, err, names] = vssEquilibriumPointSuperBlock(model, block, ctx, params, inps, outs, L, M, verb): changes "
     "the "
     "fields of ctx that the cell params names until L*xdot and M*y are zero, or as small as they can be. xdot are the "
     "rates of all "
     "continuous states in the block, y its output ports outs; L and M are matrices or numbers (1 when left out), [] "
     "leaves a part out. err is what "
     "remains, names says which rates and outputs are not zero. 'v' prints what is tried.",
     {},
     oml::Needs::asked()},
    {"vssIsInLinearization", 0, 0, [](Call& c) { c.ret(Value(models_of(c.oml).linearising)); },
     "vssIsInLinearization: true while a model is evaluated to be linearised."},
    {"exposable", 2, 3, exposable,
     "exposable(name, default, unit): a parameter that can be changed from outside: the variable of the base workspace "
     "with "
     "this name, or else the default."},
    {"datatype", 1, 1, data_type, "datatype(x): the data type of a value or signal: 'double', 'int32', ..."},
    {"convert", 2, 2, convert_to, "convert(x, type): x as another data type; integers are rounded and saturate."},
    {"setoverflow", 1, 1, set_overflow, "setoverflow(0): integers saturate, the only rule there is."},
    {"int", 1, 1, [](Call& c) { c.ret(call_builtin(c, "fix", {c[0]})[0]); }, "int(x): rounds toward zero."},
};

}  // namespace

void raise_errors(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    if (d.code == "needs-consent" || d.code == "script-limit") throw oml::Refused{d};
    std::string text = to_text(d);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (diagnostics.error_count() > 1) text += fmt::format("\n  and {} more errors", diagnostics.error_count() - 1);
    oml::OmlError error(text);
    error.identifier = "orrery:" + d.code;
    throw error;
  }
  oml::fail("the run failed");
}

CurrentModel::CurrentModel(oml::Interpreter& interpreter, std::string file)
    : interpreter_(interpreter), before_(models_of(interpreter).current) {
  models_of(interpreter).current = std::move(file);
}

CurrentModel::~CurrentModel() { models_of(interpreter_).current = before_; }

std::vector<oml::BuiltinFamily> model_families() {
  return {model_table,          edit_builtins(),    model_question_builtins(), diagram_builtins(),
          oml_block_builtins(), library_builtins(), plot_builtins(),           fmu_builtins(),
          hdf5_builtins(),      export_builtins()};
}

}  // namespace orrery::api
