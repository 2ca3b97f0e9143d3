// SPDX-License-Identifier: Apache-2.0
// The beginning of the C text: functions of libm and of ours, constant matrices; only what is used.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "program/graph.h"

namespace orrery::native {

class Prologue {
 public:
  // Whether the compilers are ours or those of others, who have headers and want no warnings.
  enum class For { us, others };
  explicit Prologue(For readers = For::us) : readers_(readers) {}
  // Names to print; asking for one makes it part of the prologue.
  std::string libm(const std::string& name);
  std::string kernel(const std::string& name);         // orr_<name>
  std::string pick_kernel(program::Scalar scalar);     // an element, or NaN or 0 at a negative position
  std::string complex_kernel(program::Op op);          // void orr_c_<op>(double* r, const double* a[, const double* b])
  std::string matrix_kernel(const std::string& name);  // of program/matrix_kernels.h
  std::string constant(const program::Graph& graph, program::ExprId id);
  // A finite number by name.
  const std::string& number(double value);
  std::string infinity();
  std::string not_a_number();

  std::string text() const;

 private:
  std::string text_for_others() const;
  std::set<std::string> libm_;
  std::set<std::string> kernels_;
  std::set<program::Scalar> picks_;
  std::map<program::Op, std::string> complex_;
  std::map<std::pair<const program::Graph*, program::ExprId>, std::string> constants_;
  std::unordered_map<std::uint64_t, std::string> numbers_;  // by bits
  std::string constant_text_;
  For readers_;
  bool matrices_ = false;
  bool infinity_ = false;
};

// A number so that reading it gives the same bits; negative ones in parentheses.
std::string literal(Prologue& prologue, double value, program::Scalar scalar);

}  // namespace orrery::native
