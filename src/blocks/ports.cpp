// SPDX-License-Identifier: Apache-2.0
// Declaring ports and refining their sizes.
#include "blocks/ports.h"

#include <fmt/format.h>

#include "blocks/block.h"

namespace orrery::blocks {

Ports::Ports(const Parameters& parameters) : parameters_(parameters) {
  const BlockType* type = parameters.type();
  if (type != nullptr && type->activation == Activation::always) activation_input_count_ = 0;
}

Ports& Ports::input(std::string name, Size size, ElementType type) {
  inputs_.push_back({std::move(name), size.rows, size.cols, type.code});
  return *this;
}

Ports& Ports::output(std::string name, Size size, ElementType type) {
  outputs_.push_back({std::move(name), size.rows, size.cols, type.code});
  return *this;
}

Ports& Ports::input_each(int count, const std::string& name, ElementType type) {
  constexpr int apart = -100000;  // unknowns that no block numbers itself
  for (int k = 0; k < count; ++k) {
    const ElementType type_of_k = type.code == any_type.code ? ElementType(any_type.code - k) : type;
    input(fmt::format("{}{}", name, k + 1), {apart - 2 * k, apart - 2 * k - 1}, type_of_k);
  }
  return *this;
}

Ports& Ports::activation_inputs(int count) {
  activation_input_count_ = count;
  return *this;
}

Ports& Ports::activation_outputs(int count) {
  activation_output_count_ = count;
  return *this;
}

void Ports::set_input_size(int port, int rows, int cols) {
  inputs_[static_cast<std::size_t>(port - 1)].rows = rows;
  inputs_[static_cast<std::size_t>(port - 1)].cols = cols;
}

void Ports::set_output_size(int port, int rows, int cols) {
  outputs_[static_cast<std::size_t>(port - 1)].rows = rows;
  outputs_[static_cast<std::size_t>(port - 1)].cols = cols;
}

void Ports::set_output_type(int port, program::Scalar type) {
  outputs_[static_cast<std::size_t>(port - 1)].type = static_cast<int>(type);
}

void Ports::broadcast_to_output(int output_port) {
  int rows = 1;
  int cols = 1;
  bool all_known = true;
  for (const Port& port : inputs_) {
    if (port.rows <= 0 || port.cols <= 0) {
      all_known = false;
    } else if (port.rows != 1 || port.cols != 1) {
      if ((rows != 1 || cols != 1) && (rows != port.rows || cols != port.cols)) {
        fail(fmt::format("inputs of size {}x{} and {}x{} meet; sizes must agree, or one be a scalar", rows, cols,
                         port.rows, port.cols));
        return;
      }
      rows = port.rows;
      cols = port.cols;
    }
  }
  if (all_known || rows != 1 || cols != 1) set_output_size(output_port, rows, cols);
}

namespace {

void only(Ports& ports, bool (*accepted)(Scalar), const char* wanted) {
  for (const Port& port : ports.inputs()) {
    if (port.type < 0 || accepted(static_cast<Scalar>(port.type))) continue;
    ports.fail(fmt::format("input {} is {}, but this block needs {}; convert it with a DataTypeConversion", port.name,
                           name_of(static_cast<Scalar>(port.type)), wanted));
  }
}

}  // namespace

void only_numbers(Ports& ports) {
  only(
      ports, [](Scalar s) { return s != Scalar::boolean; }, "numbers");
}
void only_floating(Ports& ports) { only(ports, program::is_floating, "double or complex numbers"); }
void only_ordered(Ports& ports) {
  only(
      ports, [](Scalar s) { return s != Scalar::c128; }, "numbers that have an order");
}

void broadcast_numbers(Ports& ports) {
  only_numbers(ports);
  ports.broadcast_to_output();
}

}  // namespace orrery::blocks
