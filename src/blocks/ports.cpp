// SPDX-License-Identifier: Apache-2.0
// Declaring ports and refining their sizes.
#include "blocks/ports.h"

#include <fmt/format.h>

namespace orrery::blocks {

void Ports::input(std::string name, Size size, ElementType type) {
  inputs_.push_back({std::move(name), size.rows, size.cols, type.code});
}

void Ports::output(std::string name, Size size, ElementType type) {
  outputs_.push_back({std::move(name), size.rows, size.cols, type.code});
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

}  // namespace orrery::blocks
