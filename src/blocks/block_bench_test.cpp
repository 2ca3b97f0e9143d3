// SPDX-License-Identifier: Apache-2.0
// The test bench of blocks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "blocks/block_bench.h"
#include "blocks/guard_body.h"

namespace orrery::blocks {

std::optional<Value> read_literal(std::string_view text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    return Value::string(std::string(text.substr(1, text.size() - 2)));
  }
  if (!text.empty() && text.front() == '[') {
    std::vector<std::vector<double>> rows(1);
    std::string body(text.substr(1, text.size() - 2));
    for (char* at = body.data(); *at != 0;) {
      if (*at == ';') rows.emplace_back();
      if (*at == ';' || *at == ' ' || *at == ',') {
        ++at;
        continue;
      }
      char* end = nullptr;
      rows.back().push_back(std::strtod(at, &end));
      if (end == at) return std::nullopt;
      at = end;
    }
    Value v = Value::matrix(static_cast<int>(rows.size()), static_cast<int>(rows[0].size()));
    for (int i = 0; i < v.rows; ++i) {
      for (int j = 0; j < v.cols; ++j) v.real[static_cast<std::size_t>(j * v.rows + i)] = rows[i][j];
    }
    if (v.real.empty()) return Value::matrix(0, 0);
    return v;
  }
  char* end = nullptr;
  const std::string number(text);
  const double x = std::strtod(number.c_str(), &end);
  if (end != number.c_str() + number.size() || number.empty()) return std::nullopt;
  Value v = Value::number(x);
  v.literal = number;
  return v;
}

namespace {

const BlockType& known(const std::string& name) {
  const BlockType* type = find_type(name);
  if (type == nullptr) throw std::runtime_error("no block type " + name);
  return *type;
}

Parameters parameters_from(const BlockType& type, const BlockBench::Texts& texts) {
  std::vector<Value> values;
  for (const ParameterSpec& spec : type.parameters) {
    const auto given = texts.find(spec.name);
    const std::string& text = given == texts.end() ? spec.value : given->second;
    const auto value = spec.verbatim ? Value::string(text) : read_literal(text);
    if (!value) throw std::runtime_error("cannot read " + spec.name);
    values.push_back(*value);
  }
  return {&type, values};
}

}  // namespace

BlockBench::BlockBench(const std::string& type, const Texts& parameters, const std::vector<Type>& input_types,
                       bool fold)
    : type_(known(type)), parameters_(parameters_from(type_, parameters)) {
  program_.graph = program::Graph({fold, true});
  program_.add_origin({"test", "model"});
  resolve_ports(input_types);
  if (!failure_.empty() || type_.build == nullptr) return;
  std::vector<Expr> inputs;
  for (const Type& input : input_types) {
    inputs_.push_back(program_.add_slot({"u", input}));
    inputs.emplace_back(&program_.graph, program_.read(inputs_.back()));
  }
  Ports ports(parameters_);
  type_.ports(ports);
  Block block(program_, program_.add_origin({"/Block", type}), parameters_, inputs, output_types_,
              ports.activation_input_count());
  type_.build(block);
  body_ = block.body();
  for (const program::Slot& slot : program_.slots) {
    const auto length = static_cast<std::size_t>(slot.type.size()) * (slot.type.scalar == Scalar::c128 ? 2 : 1);
    std::vector<double> data(length, 0.0);
    if (slot.initial != program::no_expr) {
      const auto initial = program_.graph.constant_data(slot.initial);
      data.assign(initial.begin(), initial.end());
    }
    environment_.slots.push_back(data);
  }
}

// What inference does, for one block whose inputs are known.
void BlockBench::resolve_ports(const std::vector<Type>& input_types) {
  Ports ports(parameters_);
  type_.ports(ports);
  ASSERT_EQ(ports.inputs().size(), input_types.size());
  std::map<int, int> sizes;
  std::map<int, int> types;
  for (std::size_t k = 0; k < input_types.size(); ++k) {
    Port& port = ports.inputs()[k];
    if ((port.rows > 0 && port.rows != input_types[k].rows) || (port.cols > 0 && port.cols != input_types[k].cols)) {
      failure_ = fmt::format("input {} has the wrong size", k + 1);
    }
    sizes[port.rows] = input_types[k].rows;
    sizes[port.cols] = input_types[k].cols;
    types[port.type] = static_cast<int>(input_types[k].scalar);
    port = {port.name, input_types[k].rows, input_types[k].cols, static_cast<int>(input_types[k].scalar)};
  }
  for (Port& port : ports.outputs()) {
    if (port.rows < 0) port.rows = sizes[port.rows];
    if (port.cols < 0) port.cols = sizes[port.cols];
    if (port.type < 0) port.type = types.count(port.type) != 0 ? types[port.type] : -1;
  }
  if (type_.refine != nullptr) type_.refine(ports);
  if (failure_.empty()) failure_ = ports.failure();
  for (const Port& port : ports.outputs()) {
    output_types_.push_back(
        {port.type < 0 ? Scalar::f64 : static_cast<Scalar>(port.type), std::max(port.rows, 1), std::max(port.cols, 1)});
  }
}

void BlockBench::set_input(int port, std::vector<double> value) {
  const SlotId changed = inputs_[static_cast<std::size_t>(port - 1)];
  for (const auto& [placeholder, signal] : body_.before) {
    if (signal == changed) environment_.slots[placeholder] = environment_.slots[signal];
  }
  environment_.slots[inputs_[static_cast<std::size_t>(port - 1)]] = std::move(value);
}

void BlockBench::set_active(int port, bool active) {
  const SlotId slot = body_.active_slots[static_cast<std::size_t>(port - 1)];
  if (slot != program::no_slot) environment_.slots[slot] = {active ? 1.0 : 0.0};
}

std::size_t BlockBench::modes() { return guard_body(body_, program_, 0).modes.size(); }

std::vector<double> BlockBench::evaluate(ExprId expression) {
  environment_.time = time;
  return program::evaluate(program_.graph, expression, environment_);
}

std::vector<double> BlockBench::output(int port) { return evaluate(body_.outputs[static_cast<std::size_t>(port - 1)]); }

std::vector<double> BlockBench::operator()(const std::vector<std::vector<double>>& inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) set_input(static_cast<int>(k) + 1, inputs[k]);
  return output();
}

double BlockBench::derivative(std::size_t element) { return evaluate(body_.derivatives[0].value)[element]; }

std::map<int, double> BlockBench::run(When when, int fired_port) {
  std::map<int, double> delays;
  auto next = environment_.slots;
  for (const Rule& rule : body_.rules) {
    if (rule.when != when || rule.fired_port != fired_port || !holds(rule.condition)) continue;
    if (rule.kind == Rule::Kind::set) next[rule.slot] = evaluate(rule.value);
    if (rule.kind == Rule::Kind::schedule) delays[rule.port] = evaluate(rule.value)[0];
    if (rule.kind == Rule::Kind::action) ++actions;
  }
  environment_.slots = next;
  return delays;
}

bool BlockBench::passes(int port) {
  bool result = false;
  for (const Pass& pass : body_.passes) result |= pass.port == port && holds(pass.condition);
  return result;
}

double BlockBench::value(const std::string& slot, std::size_t element) {
  for (std::size_t k = 0; k < program_.slots.size(); ++k) {
    if (program_.slots[k].name == slot) return environment_.slots[k][element];
  }
  ADD_FAILURE() << "no slot " << slot;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace orrery::blocks
