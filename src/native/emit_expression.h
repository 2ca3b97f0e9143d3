// SPDX-License-Identifier: Apache-2.0
// Expressions of a plan as C text: scalars, and elements of arrays inside loops.
#pragma once

#include <cstdint>
#include <string>

#include "native/emit.h"
#include "native/emit_kernels.h"
#include "native/plan.h"

namespace orrery::native {

// Which element of an array: a fixed one, or the one of the loop variable i.
struct Subscript {
  std::int64_t fixed = 0;
  bool loop = false;
};

// Elements in memory: base[offset], base[offset + 1], … (complex: two doubles an element).
struct Reference {
  std::string base;
  std::uint64_t offset = 0;
  bool whole = false;  // base is the one element itself
};

void append_number(std::string& out, std::uint64_t number);

class ExpressionPrinter {
 public:
  ExpressionPrinter(const program::Program& program, const program::Layout& layout, const Planner& planner,
                    const Plan& plan, Prologue& prologue, bool names_numbers, const MemberNames* names)
      : program_(program),
        graph_(program.graph),
        layout_(layout),
        planner_(planner),
        plan_(plan),
        prologue_(prologue),
        names_numbers_(names_numbers),
        names_(names) {}

  // A scalar, or one element of an array; scalars count for every element. `outer`: no parentheses around it.
  std::string value(program::ExprId id, Subscript at = {}, bool outer = false);
  // The expression that defines a node which has a name or a place of its own.
  std::string definition(program::ExprId id, Subscript at = {});
  // The same at the end of a text.
  void append(std::string& out, program::ExprId id) { print(out, id, {}, true); }
  void append_definition(std::string& out, program::ExprId id, Subscript at = {});
  // Part 0 (real) or 1 (imaginary) of a complex element.
  std::string part(program::ExprId id, Subscript at, int which);
  // The address of an element in memory.
  std::string pointer(program::ExprId id, Subscript at = {});

  Reference reference(program::ExprId id);
  // Of a read, constant, reshape or element: where the elements come from, even when the node has a copy of its own.
  Reference source(program::ExprId id);
  Reference slot(program::SlotId slot, bool for_reading);
  Reference store_target(const program::Store& store);
  Reference workspace(program::Scalar scalar, std::uint32_t first_double) const;

  static std::string element(const Reference& reference, Subscript at, int width = 1, int part = 0);
  static void append_element(std::string& out, const Reference& reference, Subscript at, int width = 1, int part = 0);
  static std::string address(const Reference& reference, Subscript at, int width = 1);

  // Where element `at` of a gather or update lies in its array, or -1.
  std::string position(program::ExprId id, Subscript at);
  // The record of trouble; a null pointer where the node may be computed in vain.
  std::string trouble(const PlannedNode& n);
  const Planner& planner() const { return planner_; }

  // A whole number in the range of the type: of a double, of a long long,
  std::string saturated(const std::string& number, program::Scalar type);
  std::string clipped(const std::string& number, program::Scalar type);
  // and of a sum, difference or product. Products of unsigned int do not fit long long; as doubles they are exact
  // wherever they fit the type.
  std::string combined(program::Op op, const std::string& a, const std::string& b, program::Scalar type);
  // Selects, limits and looks into arrays that were printed.
  std::size_t choices() const { return choices_; }

  const PlannedNode& planned(program::ExprId id) const { return plan_.nodes[planner_.index_of(id)]; }
  const program::Layout& layout() const { return layout_; }
  // Typed views of the memory that were printed since the last call, as declarations of a function.
  std::string take_views();

 private:
  void print(std::string& out, program::ExprId id, Subscript at, bool outer);
  void print_operation(std::string& out, program::ExprId id, Subscript at, bool outer);
  void print_integer(std::string& out, program::ExprId id, Subscript at, bool outer);
  void print_of_complex(std::string& out, program::ExprId id, Subscript at);
  void print_cast(std::string& out, program::ExprId id, Subscript at, bool outer);
  void print_past(std::string& out, program::ExprId id);
  bool print_choice(std::string& out, program::ExprId id, Subscript at);
  void print_clock(std::string& out, std::uint64_t clock, bool outer);
  void binary(std::string& out, program::ExprId id, Subscript at, const char* symbol, bool outer);
  void call(std::string& out, const std::string& function, program::ExprId id, Subscript at);
  bool repeats_cheaply(program::ExprId id) const { return planned(id).form != Form::inlined; }

  const program::Program& program_;
  const program::Graph& graph_;
  const program::Layout& layout_;
  const Planner& planner_;
  const Plan& plan_;
  Prologue& prologue_;
  bool names_numbers_;                  // those that a procedure uses more than once
  const MemberNames* names_;            // of slots; none: they lie in a block of memory
  std::vector<program::Scalar> views_;  // element types seen
  bool sees_trouble_ = false;           // the record is used
  std::size_t choices_ = 0;
};

}  // namespace orrery::native
