// SPDX-License-Identifier: Apache-2.0
// PCustomBlock: a block written as an OML function (Activate, 22.6.3), run once on signals; the rest is native code.
#include <fmt/format.h>

#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/tracer.h"

namespace orrery::blocks {
namespace {

// The tasks a P function is asked for.
enum Flag : int { instantiate = -1, derivative = 0, outputs = 1, update = 2 };

bool is_set(const Expr& value) { return value.graph() != nullptr; }

int count_of(const Parameters& p, const char* name, int least) {
  const int n = p.integer(name);
  if (n < least || n > 1000) p.fail(name, fmt::format("must be a whole number from {} to 1000", least));
  return n;
}

// One P function with the signals it works on; the same for sizes (a scratch graph) and for the Program.
class PFunction {
 public:
  // program: to which the graph belongs, nullptr where only sizes matter.
  PFunction(const Parameters& parameters, std::vector<Expr> inputs, int output_count, program::Graph& graph,
            const program::Program* program)
      : parameters_(parameters),
        inputs_(std::move(inputs)),
        output_count_(output_count),
        graph_(graph),
        program_(program) {
    if (parameters.tracer() == nullptr) parameters.fail("code", "can only be run inside a model");
  }

  BlockFields fields;  // states, time and activation code as the function sees them

  BlockFields call(Flag flag) {
    BlockFields given = fields;
    given.io = inputs_;
    given.io.resize(inputs_.size() + static_cast<std::size_t>(output_count_));
    try {
      return parameters_.tracer()->call(parameters_.text("code"), flag, given, parameters_.value("params"), graph_);
    } catch (const ParameterError& error) {
      parameters_.fail("code", error, fmt::format("with flag {}, ", static_cast<int>(flag)));
    }
  }

  // The initial values of the states.
  BlockFields instantiated() {
    BlockFields made = call(instantiate);
    for (std::size_t k = 0; k < made.state.size(); ++k) {
      check_constant(made.state[k], fmt::format("block.state{{{}}}", k + 1));
    }
    if (!made.x.empty()) check_constant(made.x[0], "block.x{1}");
    return made;
  }

  Expr output(const BlockFields& left, int port) const {
    const std::size_t at = inputs_.size() + static_cast<std::size_t>(port - 1);
    if (at >= left.io.size() || !is_set(left.io[at])) {
      parameters_.fail("code", fmt::format("with flag 1, block.io{{{}}} (output {}) gets no value", at + 1, port));
    }
    return left.io[at].scalar_type() == Scalar::boolean ? left.io[at].as(Scalar::f64) : left.io[at];
  }

 private:
  void check_constant(Expr value, const std::string& what) const {
    if (!is_set(value)) parameters_.fail("code", fmt::format("with flag -1, {} gets no value", what));
    if (graph_.is_constant(value.id())) return;
    if (program_ != nullptr && program::is_start_value(*program_, value.id())) return;
    parameters_.fail("code", fmt::format("with flag -1, {} depends on a signal", what),
                     "the initial value of a state must be known before the simulation");
  }

  const Parameters& parameters_;
  std::vector<Expr> inputs_;
  int output_count_;
  program::Graph& graph_;
  const program::Program* program_;
};

bool knows_inputs(const Ports& p) {
  for (int k = 1; k <= p.input_count(); ++k) {
    if (!p.in(k).fixed()) return false;
  }
  return true;
}

// Sizes and types of the outputs are those the function gives for inputs of the sizes known by now.
void refine_by_calling(Ports& p) {
  if (!knows_inputs(p)) return;
  program::Graph scratch;
  program::SlotId slot = 1;
  const auto unknown = [&](Type type) { return Expr(&scratch, scratch.read(slot++, type)); };
  std::vector<Expr> inputs;
  for (int k = 1; k <= p.input_count(); ++k) {
    inputs.push_back(unknown(Type{static_cast<Scalar>(p.in(k).type), p.in(k).rows, p.in(k).cols}));
  }
  PFunction function(p.parameters(), std::move(inputs), p.output_count(), scratch, nullptr);
  const BlockFields made = function.instantiated();
  for (const Expr& state : made.state) function.fields.state.push_back(unknown(state.type()));
  if (!made.x.empty()) function.fields.x = {unknown(made.x[0].type().with(Scalar::f64)), Expr{}};
  function.fields.t = unknown(Type{});
  function.fields.nevprt = unknown(Type{});
  const BlockFields left = function.call(outputs);
  for (int k = 1; k <= p.output_count(); ++k) {
    const Type type = function.output(left, k).type();
    p.set_output_size(k, type.rows, type.cols);
    p.set_output_type(k, type.scalar);
  }
}

void declare_custom_ports(Ports& p) {
  const Parameters& parameters = p.parameters();
  p.input_each(count_of(parameters, "inputs", 0), "u", any_type);
  p.activation_inputs(count_of(parameters, "activations", 1));
  const int count = count_of(parameters, "outputs", 0);
  const Value& sizes = parameters.value("sizes");
  const bool given = !sizes.is_empty();
  if (given && (!sizes.is_number() || sizes.rows != count || sizes.cols != 2)) {
    parameters.fail("sizes", fmt::format("must be a {}x2 matrix: rows and columns of each output", count));
  }
  for (int k = 0; k < count; ++k) {
    const std::string name = fmt::format("y{}", k + 1);
    if (!given) {
      p.output(name, {-1000 - 2 * k, -1001 - 2 * k}, ElementType(-5000 - k));
      continue;
    }
    const auto at = static_cast<std::size_t>(k);
    const double rows = sizes.real[at], cols = sizes.real[at + static_cast<std::size_t>(count)];
    if (!(rows >= 1 && cols >= 1 && rows * cols <= 1e6)) parameters.fail("sizes", "must be whole numbers from 1");
    p.output(name, {static_cast<int>(rows), static_cast<int>(cols)}, Scalar::f64);
  }
}

// How the block is activated, as block.nevprt says it: 2^(p-1) for each activation input p.
Expr activation_code(Block& b) {
  Expr code = b.constant(0);
  double weight = 1;
  for (int p = 1; p <= b.integer("activations"); ++p, weight *= 2) code = code + b.active(p).as(Scalar::f64) * weight;
  return code;
}

Expr fitting(const Block& b, Expr value, Type type, const std::string& what) {
  if (!is_set(value)) b.fail("code", fmt::format("{} gets no value", what));
  if (value.rows() != type.rows || value.cols() != type.cols) {
    b.fail("code", fmt::format("{} is {}, but must be {}", what, to_text(value.type()), to_text(type)));
  }
  return value.as(type.scalar);
}

void build_by_calling(Block& b) {
  PFunction function(b.parameters(), b.inputs(), b.output_count(), b.graph(), &b.program());
  const BlockFields made = function.instantiated();
  std::vector<Variable> states;
  for (std::size_t k = 0; k < made.state.size(); ++k) {
    states.push_back(b.memory(fmt::format("state{}", k + 1), made.state[k]));
    function.fields.state.push_back(states.back());
  }
  Variable x;
  if (!made.x.empty()) {
    x = b.state("x", made.x[0].as(Scalar::f64));
    function.fields.x = {x, Expr{}};
  }
  function.fields.t = b.time();
  const std::string& text = b.text("code");
  const bool is_name = text.find('\n') == std::string::npos && text.find("function") == std::string::npos;
  if (is_name || text.find("nevprt") != std::string::npos) function.fields.nevprt = activation_code(b);
  if (b.output_count() > 0) {
    const BlockFields left = function.call(outputs);
    for (int k = 1; k <= b.output_count(); ++k) {
      const Expr value = function.output(left, k);
      if (value.type() != b.out_type(k)) {
        b.fail("code",
               fmt::format("gives {} for output {}, which is {}", to_text(value.type()), k, to_text(b.out_type(k))));
      }
      b.out(k, value);
    }
  }
  if (is_set(x)) {
    BlockFields left = function.call(derivative);
    left.x.resize(2);
    b.der(x, fitting(b, left.x[1], x.type(), "with flag 0, block.x{2}"));
  }
  if (states.empty() && !is_set(x)) return;
  BlockFields left = function.call(update);
  left.state.resize(states.size());
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::string what = fmt::format("with flag 2, block.state{{{}}}", k + 1);
    b.on_activation().set(states[k], fitting(b, left.state[k], states[k].type(), what));
  }
  if (is_set(x) && !left.x.empty() && is_set(left.x[0]) && left.x[0].id() != x.id()) {
    b.on_activation().set(x, fitting(b, left.x[0], x.type(), "with flag 2, block.x{1}"));
  }
}

}  // namespace

const BlockType p_custom_block = {
    .name = "PCustomBlock",
    .palette = "CustomBlocks",
    .summary = "A block written as an OML function that works on signals.",
    .description =
        "The code is a function block = f(block, flag). The struct block has the fields io (a cell: inputs, then "
        "outputs), params, state (a cell of discrete states), x (a cell: the continuous state and its derivative), "
        "nevprt (how the block is activated: 2^(p-1) for each activation input p) and t (time). The flag says what is "
        "wanted: -1 sets the initial values block.state{k} and block.x{1}; 1 the outputs; 0 the derivative block.x{2}; "
        "2, at an event, the new block.state{k}, and block.x{1} when the continuous state jumps.\n\n"
        "The function runs once, when the model is compiled, on signals instead of numbers; what it computes becomes "
        "native code. So sizes and control flow may depend on parameters and on sizes, not on signals: a choice by a "
        "signal is If_exp(condition, a, b) or .if condition .then a .else b .end.\n\n"
        "Instead of code, the name of a function of the initialization, a context or the path can be given. A block "
        "with a continuous state is always active.",
    .parameters = {{"code",
                    "function block = f(block, flag)\n  if flag == 1, block.io{2} = block.io{1}; end\nend",
                    "the function, as it stands (no quotes around it), or the name of one",
                    {},
                    true},
                   {"inputs", "1", "number of inputs"},
                   {"outputs", "1", "number of outputs"},
                   {"params", "struct()", "block.params: struct('P', [2 1; 1 2])"},
                   {"activations", "1", "number of activation inputs"},
                   {"sizes", "[]", "rows and columns of each output, where a loop hides them; []: as computed"}},
    .ports = declare_custom_ports,
    .refine = refine_by_calling,
    .build = build_by_calling,
    .traces = true,
};

}  // namespace orrery::blocks
