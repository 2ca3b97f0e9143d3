// SPDX-License-Identifier: Apache-2.0
// Ports of a block instance: how many, and what is known of their sizes and element types.
#pragma once

#include <string>
#include <vector>

#include "blocks/parameters.h"
#include "program/type.h"

namespace orrery::blocks {

// Positive numbers are fixed. Negative numbers are unknowns, shared by all ports of the block that carry the same
// number (Activate, 9.2.1): two ports of size {-1, -2} are of one size.
struct Size {
  int rows = -1;
  int cols = -2;
};
inline constexpr Size scalar_size{1, 1};

// An element type, or an unknown type shared by all ports of the block with the same negative number.
struct ElementType {
  int code;
  constexpr ElementType(program::Scalar scalar) : code(static_cast<int>(scalar)) {}  // NOLINT: reads as a type
  constexpr explicit ElementType(int unknown) : code(unknown) {}
};
inline constexpr ElementType same_type{-1};
inline constexpr ElementType any_type{-500000};  // of input_each(): a type of its own for each input

struct Port {
  std::string name;
  int rows;
  int cols;
  int type;
  bool fixed() const { return rows > 0 && cols > 0 && type >= 0; }
};

class Ports {
 public:
  // One activation input unless the block says otherwise: any block that is not always active can be given a link.
  explicit Ports(const Parameters& parameters);

  const Parameters& parameters() const { return parameters_; }

  // Declaration, in order; calls can be chained.
  Ports& input(std::string name, Size size = {}, ElementType type = same_type);
  Ports& output(std::string name, Size size = {}, ElementType type = same_type);
  // Several inputs u1, u2, …, each of a size of its own.
  Ports& input_each(int count, const std::string& name, ElementType type = same_type);
  Ports& activation_inputs(int count);
  Ports& activation_outputs(int count);

  // Refinement: what inference knows so far (1-based ports; rows, cols <= 0 and type < 0 while unknown).
  const Port& in(int port) const { return inputs_[static_cast<std::size_t>(port - 1)]; }
  const Port& out(int port) const { return outputs_[static_cast<std::size_t>(port - 1)]; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  int activation_input_count() const { return activation_input_count_; }
  int activation_output_count() const { return activation_output_count_; }
  void set_input_size(int port, int rows, int cols);
  void set_output_size(int port, int rows, int cols);
  void set_output_type(int port, program::Scalar type);
  // Common rule of sums and products: scalars meet any size, others must agree; the output has the common size.
  void broadcast_to_output(int output_port = 1);

  std::vector<Port>& inputs() { return inputs_; }
  std::vector<Port>& outputs() { return outputs_; }
  // A problem the block sees in its ports; reported by inference with the block's place.
  void fail(std::string message) { failure_ = std::move(message); }
  const std::string& failure() const { return failure_; }

 private:
  const Parameters& parameters_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  int activation_input_count_ = 1;
  int activation_output_count_ = 0;
  std::string failure_;
};

// Rules many blocks share; each can be a block's refine function.
void only_numbers(Ports& ports);   // any element type but boolean
void only_floating(Ports& ports);  // double or complex
void only_ordered(Ports& ports);   // any element type but complex
void broadcast_numbers(Ports& ports);

}  // namespace orrery::blocks
