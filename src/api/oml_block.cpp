// SPDX-License-Identifier: Apache-2.0
// Interpreted blocks.
#include "api/oml_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "foreign/flag_block_instance.h"
#include "foreign/flag_numbers.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "oml/interpreter.h"
#include "program/procedure.h"
#include "trace/oml_values.h"
#include "trace/parameter_value.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;

// The block whose function the interpreter runs now.
struct CalledBlock {
  vss_block* block = nullptr;
  Value* work = nullptr;
};

CalledBlock& called(Call& c) {
  auto& now = c.oml.extension<CalledBlock>();
  if (now.block == nullptr) oml::fail("only the function of an OmlCustomBlock can call this, while a model runs");
  return now;
}

Value matrix_of(int rows, int cols, const std::vector<double>& data) {
  compile::Value value = compile::Value::matrix(rows, cols);
  value.real = data;
  return trace::to_oml(value);
}

Value column_of(const double* data, int count) { return matrix_of(count, 1, {data, data + count}); }
Value column_of(const int* data, int count) { return matrix_of(count, 1, std::vector<double>(data, data + count)); }

void put(Call& c, int k, double* to, int count) {
  const std::vector<double> values = oml::to_vector(c[k]);
  if (static_cast<int>(values.size()) != count)
    oml::fail_argument(k + 1, fmt::format("must have {} elements, but has {}", count, values.size()));
  std::copy(values.begin(), values.end(), to);
}

vss_matrix& choose(Call& c, vss_matrix* list, int count) {
  const auto n = static_cast<int>(c.number(1));
  if (n < 1 || n > count) oml::fail_argument(2, fmt::format("must be from 1 to {}", count));
  return list[n - 1];
}

Value read(const vss_matrix& m) {
  if (m.type == SCSSTRING_N) return Value::text(static_cast<const char*>(m.real));
  const auto count = static_cast<std::size_t>(m.size[0]) * static_cast<std::size_t>(m.size[1]);
  compile::Value value = compile::Value::matrix(m.size[0], m.size[1]);
  for (std::size_t k = 0; k < count; ++k) value.real[k] = foreign::number_at(m.type, m.real, k);
  if (m.type == SCSCOMPLEX_N) {
    value.type = program::Scalar::c128;
    value.imag.assign(static_cast<double*>(m.imag), static_cast<double*>(m.imag) + count);
  }
  return trace::to_oml(value);
}

program::Scalar scalar_of(int type) {
  using program::Scalar;
  switch (type) {
    case SCSINT8_N: return Scalar::i8;
    case SCSINT16_N: return Scalar::i16;
    case SCSINT32_N: return Scalar::i32;
    case SCSUINT8_N: return Scalar::u8;
    case SCSUINT16_N: return Scalar::u16;
    case SCSUINT32_N: return Scalar::u32;
    case SCSBOOL_N: return Scalar::boolean;
    default: return Scalar::f64;
  }
}

// Integers saturate and are rounded, as everywhere.
void write(Call& c, int k, vss_matrix& m) {
  const auto value = trace::from_oml(c[k]);
  const std::size_t count = static_cast<std::size_t>(m.size[0]) * static_cast<std::size_t>(m.size[1]);
  if (!value || !value->is_number() || (value->size() != count && value->size() != 1)) {
    oml::fail_argument(k + 1, fmt::format("must be a {}x{} matrix", m.size[0], m.size[1]));
  }
  if (value->is_complex() && m.type != SCSCOMPLEX_N) oml::fail_argument(k + 1, "must be real");
  const program::Scalar scalar = scalar_of(m.type);
  for (std::size_t e = 0; e < count; ++e) {
    const std::size_t from = value->size() == 1 ? 0 : e;
    double number = value->real[from];
    if (scalar != program::Scalar::f64)
      number = std::clamp(std::round(number), program::lowest_value(scalar), program::highest_value(scalar));
    auto* at = static_cast<std::byte*>(m.real) + e * static_cast<std::size_t>(byte_size(scalar));
    program::write_number(scalar, at, number);
    if (m.type == SCSCOMPLEX_N) static_cast<double*>(m.imag)[e] = value->imag.empty() ? 0 : value->imag[from];
  }
}

void get_input(Call& c) {
  vss_block& b = *called(c).block;
  c.ret(read(choose(c, b.input, b.ninput)));
}

void set_output(Call& c) {
  vss_block& b = *called(c).block;
  write(c, 2, choose(c, b.output, b.noutput));
}

template <int flag>
void flag_number(Call& c) {
  c.ret(Value(flag));
}

void get_type(Call& c, vss_matrix* list, int count) {
  c.ret(Value::text(name_of(scalar_of(choose(c, list, count).type))));
}

void get_work(Call& c) { c.ret(*called(c).work); }

void set_work(Call& c) {
  CalledBlock& now = called(c);
  *now.work = c[1];
  now.block->work = now.work;  // the block has memory of its own
}

constexpr oml::Builtin block_table[] = {
    {"vssGetInputData", 2, 2, get_input, "vssGetInputData(block, n): input n of an OmlCustomBlock, as doubles."},
    {"vssGetInPortData", 2, 2, get_input, "vssGetInPortData(block, n): the same as vssGetInputData."},
    {"vssSetOutputData", 3, 4, set_output, "vssSetOutputData(block, n, value): gives output n its value."},
    {"vssSetOutPortData", 3, 4, set_output, "vssSetOutPortData(block, n, value): the same as vssSetOutputData."},
    {"vssGetInputDataType", 2, 2, [](Call& c) { get_type(c, called(c).block->input, called(c).block->ninput); },
     "vssGetInputDataType(block, n): 'double', 'int32', ..."},
    {"vssGetOutputDataType", 2, 2, [](Call& c) { get_type(c, called(c).block->output, called(c).block->noutput); },
     "vssGetOutputDataType(block, n): 'double', 'int32', ..."},
    {"vssGetEventCode", 1, 1, [](Call& c) { c.ret(Value(called(c).block->event_code)); },
     "vssGetEventCode(block): the sum of 2^(p-1) over the active activation inputs; -1: its own zero-crossing."},
    {"vssGetTime", 1, 1, [](Call& c) { c.ret(Value(called(c).block->sim->time)); }, "vssGetTime(block): the time."},
    {"vssGetPhase", 1, 1, [](Call& c) { c.ret(Value(called(c).block->sim->phase)); },
     "vssGetPhase(block): the phase of the simulation, as rows of results have it; 2 and 3 are trials."},
    {"vssGetState", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->state, called(c).block->nstate)); },
     "vssGetState(block): the continuous state."},
    {"vssSetState", 2, 2, [](Call& c) { put(c, 1, called(c).block->state, called(c).block->nstate); },
     "vssSetState(block, x): a new continuous state, at events."},
    {"vssGetDerivative", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->derivative, called(c).block->nstate)); },
     "vssGetDerivative(block): the derivative of the state, of an implicit block."},
    {"vssSetDerivative", 2, 2, [](Call& c) { put(c, 1, called(c).block->derivative, called(c).block->nstate); },
     "vssSetDerivative(block, dx): the derivative of the state."},
    {"vssSetResidual", 2, 2, [](Call& c) { put(c, 1, called(c).block->residual, called(c).block->nstate); },
     "vssSetResidual(block, r): the residuals of an implicit block."},
    {"vssGetDiscreteState", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->dstate, called(c).block->ndstate)); },
     "vssGetDiscreteState(block): the discrete state z."},
    {"vssSetDiscreteState", 2, 2, [](Call& c) { put(c, 1, called(c).block->dstate, called(c).block->ndstate); },
     "vssSetDiscreteState(block, z): a new discrete state."},
    {"vssGetObjectState", 2, 2,
     [](Call& c) { c.ret(read(choose(c, called(c).block->odstate, called(c).block->nodstate))); },
     "vssGetObjectState(block, n): typed discrete state n."},
    {"vssSetObjectState", 3, 3,
     [](Call& c) { write(c, 2, choose(c, called(c).block->odstate, called(c).block->nodstate)); },
     "vssSetObjectState(block, n, value): a new value of typed discrete state n."},
    {"vssGetRealParameters", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->rpar, called(c).block->nrpar)); },
     "vssGetRealParameters(block): rpar."},
    {"vssGetIntegerParameters", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->ipar, called(c).block->nipar)); },
     "vssGetIntegerParameters(block): ipar."},
    {"vssGetObjectParameter", 2, 2,
     [](Call& c) { c.ret(read(choose(c, called(c).block->opar, called(c).block->nopar))); },
     "vssGetObjectParameter(block, n): opar n."},
    {"vssSetEventDelays", 2, 2, [](Call& c) { put(c, 1, called(c).block->evoutput, called(c).block->nevoutput); },
     "vssSetEventDelays(block, delays): programs an event on each activation output; negative: none."},
    {"vssSetSurfaces", 2, 2, [](Call& c) { put(c, 1, called(c).block->zcross, called(c).block->nzcross); },
     "vssSetSurfaces(block, g): the zero-crossing functions."},
    {"vssGetCrossings", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->jroot, called(c).block->nzcross)); },
     "vssGetCrossings(block): for each surface 1 rising, -1 falling, 0 not crossed."},
    {"vssGetModes", 1, 1, [](Call& c) { c.ret(column_of(called(c).block->mode, called(c).block->nmode)); },
     "vssGetModes(block): the modes."},
    {"vssSetModes", 2, 2,
     [](Call& c) {
       vss_block& b = *called(c).block;
       std::vector<double> modes(static_cast<std::size_t>(b.nmode));
       put(c, 1, modes.data(), b.nmode);
       for (int k = 0; k < b.nmode; ++k) b.mode[k] = static_cast<int>(modes[static_cast<std::size_t>(k)]);
     },
     "vssSetModes(block, modes): new modes, where they are not fixed."},
    {"vssAreModesFixed", 1, 1, [](Call& c) { c.ret(Value(called(c).block->sim->modes_fixed != 0)); },
     "vssAreModesFixed(block): whether modes are to be used as they are."},
    {"vssSetCorrection", 2, 2,
     [](Call& c) {
       vss_block& b = *called(c).block;
       put(c, 1, b.constraint, b.constraint_kind == PROJECTION ? b.nstate : b.nconstraint);
     },
     "vssSetCorrection(block, c): constraints, or the correction of the state."},
    {"vssSetJacobian", 2, 2,
     [](Call& c) { put(c, 1, called(c).block->jacobian, called(c).block->nstate * called(c).block->nstate); },
     "vssSetJacobian(block, J): the derivatives of the derivatives by the states."},
    {"vssGetWork", 1, 1, get_work, "vssGetWork(block): what vssSetWork has kept; [] at first."},
    {"vssSetWork", 2, 2, set_work, "vssSetWork(block, value): keeps any value for the next calls."},
    {"vssStopSimulation", 1, 1, [](Call& c) { StopSimulation(called(c).block, 0); },
     "vssStopSimulation(block): ends the run."},
    {"vssBlockDerivativesFlag", 0, 0, flag_number<VssFlag_Derivatives>, "vssBlockDerivativesFlag: derivatives wanted."},
    {"vssBlockOutputUpdateFlag", 0, 0, flag_number<VssFlag_OutputUpdate>, "vssBlockOutputUpdateFlag: outputs wanted."},
    {"vssBlockStateUpdateFlag", 0, 0, flag_number<VssFlag_StateUpdate>, "vssBlockStateUpdateFlag: an event."},
    {"vssBlockEventSchedulingFlag", 0, 0, flag_number<VssFlag_EventScheduling>,
     "vssBlockEventSchedulingFlag: delays of events wanted."},
    {"vssBlockInitializeFlag", 0, 0, flag_number<VssFlag_Initialize>, "vssBlockInitializeFlag: the run begins."},
    {"vssBlockTerminateFlag", 0, 0, flag_number<VssFlag_Terminate>, "vssBlockTerminateFlag: the run ends."},
    {"vssBlockReinitializeFlag", 0, 0, flag_number<VssFlag_Reinitialize>,
     "vssBlockReinitializeFlag: at the end of the initialisation."},
    {"vssBlockProjectionFlag", 0, 0, flag_number<VssFlag_Projection>, "vssBlockProjectionFlag: constraints wanted."},
    {"vssBlockZeroCrossingsFlag", 0, 0, flag_number<VssFlag_ZeroCrossings>,
     "vssBlockZeroCrossingsFlag: surfaces wanted."},
    {"vssBlockJacobiansFlag", 0, 0, flag_number<VssFlag_Jacobians>, "vssBlockJacobiansFlag: the Jacobian wanted."},
};

class OmlBlock final : public foreign::FlagBlockInstance {
 public:
  OmlBlock(std::shared_ptr<trace::ParameterHome> home, oml::Interpreter& interpreter, Value function,
           blocks::FlagShape shape, const program::ForeignRun& run, const Place& place, Diagnostics& diagnostics)
      : FlagBlockInstance(std::move(shape), run, place, diagnostics, false),
        home_(std::move(home)),
        interpreter_(interpreter),
        function_(std::move(function)),
        handle_(Value::structure()) {
    handle_.edit_structure().set("name", Value::text(place.block));
  }
  ~OmlBlock() override { terminate(); }

 protected:
  bool invoke(int flag) noexcept override {
    const std::lock_guard turn(home_->computations.turn());
    auto& now = interpreter_.extension<CalledBlock>();
    const CalledBlock before = std::exchange(now, {&block(), &work_});
    interpreter_.restart_time();  // what scripts may take, each call may
    const oml::RunResult result = interpreter_.run_call(function_, {handle_, Value(flag)});
    interpreter_.extension<CalledBlock>() = before;
    if (result.ok) return true;
    std::string code = "block-error", message = "the function failed";
    if (!result.diagnostics.all().empty()) {
      const Diagnostic& first = result.diagnostics.all().front();
      if (!first.message.empty()) message = first.message;
      // What says how to go on; errors of the function are those of the block.
      if (!first.help.empty()) {
        code = first.code;
        message += "; " + first.help;
      }
    }
    complain(code, fmt::format("with flag {}, {}", flag, message));
    return false;
  }

 private:
  std::shared_ptr<trace::ParameterHome> home_;
  oml::Interpreter& interpreter_;
  Value function_, handle_, work_;
};

// Where a line begins with the word; comments may have it anywhere.
std::size_t first_function(const std::string& code) {
  for (std::size_t line = 0; line < code.size();) {
    const std::size_t word = code.find_first_not_of(" \t", line);
    if (word != std::string::npos && code.compare(word, 8, "function") == 0) return word;
    const std::size_t end = code.find('\n', line);
    if (end == std::string::npos) break;
    line = end + 1;
  }
  return std::string::npos;
}

// A handle to the first function of the text, or to the one that it names.
std::optional<Value> find_function(oml::Interpreter& interpreter, const std::string& code, Place place,
                                   Diagnostics& diagnostics) {
  place.port = "parameter code";
  const auto refuse = [&](const std::string& message) {
    diagnostics.error("block-code", place, message, "write function f(block, flag) … end, or the name of a function");
    return std::nullopt;
  };
  std::string name = code;
  const std::size_t at = first_function(code);
  if (at != std::string::npos) {
    const oml::RunResult result = interpreter.run_text_in(interpreter.make_environment(), code, {}, {});
    if (!result.ok) {
      for (const Diagnostic& d : result.diagnostics.all()) {
        if (d.severity == Severity::error) return refuse("the code cannot be read: " + d.message);
      }
      return refuse("the code cannot be read");
    }
    const std::size_t open = code.find('(', at);
    std::string head = code.substr(at + 8, open == std::string::npos ? std::string::npos : open - at - 8);
    if (const std::size_t equals = head.find('='); equals != std::string::npos) head = head.substr(equals + 1);
    name = head;
  }
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  std::erase_if(name, blank);
  if (name.empty() || !interpreter.is_callable(name)) return refuse(fmt::format("there is no function '{}'", name));
  return interpreter.make_handle(name);
}

}  // namespace

program::ForeignKind oml_block_kind(OmlEvaluator& evaluator) {
  using enum program::ForeignSetting::Type;
  std::vector<program::ForeignSetting> known = foreign::flag_block_settings();
  known.push_back({"code", text});
  return {"oml_block", std::move(known),
          [home = evaluator.parameters(), interpreter = &evaluator.interpreter()](
              const program::ForeignObject& object, const program::ForeignRun& run, const Place& place,
              Diagnostics& diagnostics) -> std::unique_ptr<program::ForeignInstance> {
            std::string code;
            for (const auto& [name, value] : object.settings) {
              if (name == "code") code = value;
            }
            auto function = find_function(*interpreter, code, place, diagnostics);
            if (!function) return nullptr;
            return std::make_unique<OmlBlock>(home, *interpreter, std::move(*function),
                                              blocks::from_settings(object.settings), run, place, diagnostics);
          }};
}

oml::BuiltinFamily oml_block_builtins() { return block_table; }

}  // namespace orrery::api
