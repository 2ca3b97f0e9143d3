// SPDX-License-Identifier: Apache-2.0
// What every operation means, as numbers: used to fold constants and as the oracle of tests.
//
// The generated C does the same, bit for bit:
//  - Integers saturate, as in OML: what lies beyond the limits of the type becomes the limit, in add, sub, mul, div,
//  neg,
//    abs, pow and casts. div truncates towards zero; div, mod and rem by zero give 0; a negative power is 0 unless the
//    base is 1 or -1. Operations on bits work modulo 2^n; a shift by a negative count or by the width or more gives 0
//    (shift_right of a negative number: -1); shift_right keeps the sign.
//  - double to integer truncates and saturates, NaN becomes 0; to boolean: x != 0. Complex casts take the real part
//    (to boolean: either part not 0).
//  - min(a,b) = a < b ? a : b; max(a,b) = a > b ? a : b; sign(x) = x > 0 ? 1 : x < 0 ? -1 : x (so NaN and -0 stay).
//  - rem = fmod; mod(x,0) = x, else r = fmod(x,y), r + y when r is not 0 and the signs of r and y differ.
//  - pow(x,2) = x * x (exactly rounded, and fast where the exponent is known), else pow of libm.
//  - round: halves away from zero. Functions are those of libm. Complex ones: complex_formulas.h.
//  - sum, product, minimum, maximum and each entry of matmul combine ascending indices, starting from the first term
//    (an empty sum is 0, an empty product 1). A complex matmul is four real ones: Re = ArBr - AiBi, Im = ArBi + AiBr.
//    Whole-matrix operations: matrix_kernels.h.
//  - A position outside an array gives NaN (0 of integers and booleans) and changes nothing, and it is an error of the
//    run (Trouble) where the value is needed: a scalar select needs its condition and the branch it takes, anything
//    else all its arguments. A function that fails gives NaN or 0 everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "program/graph.h"

namespace orrery::program {

// Numbers of every element type are held as doubles, which is exact; complex ones as two.
struct Operand {
  Type type;
  std::span<const double> data;
};

// One element of an element-wise operation on real numbers (not complex).
double evaluate_unary(Op op, Scalar scalar, double a);
double evaluate_binary(Op op, Scalar scalar, double a, double b);
double evaluate_cast(Scalar from, Scalar to, double a);

// Evaluates any operation but leaves and foreign calls; result has the length the type asks for.
void evaluate_operation(Op op, Type type, std::uint64_t payload, std::span<const Operand> arguments,
                        std::span<double> result);

// How native code, and whoever evaluates expressions, reaches the histories of a run. Arguments that an operation does
// not have are 0; `present` says whether the value of now was given.
struct PastValues {
  double (*call)(void* self, int history, int what, int order, int element, int present,
                 const double* arguments) = nullptr;
  void* self = nullptr;

  double operator()(const PastOf& of, std::span<const double> arguments) const;
};

// What went wrong first while expressions were evaluated.
struct Trouble {
  Site site;
  double index = 0;         // Site::Kind::index: the position, from 0, and how many there are; of two the one that is
  std::int64_t length = 0;  // outside
};

struct Environment {
  std::vector<std::vector<double>> slots;  // by SlotId; complex: two doubles an element
  double time = 0;
  std::vector<bool> active_clocks;
  // (function, result number, arguments, result)
  std::function<void(int, int, std::span<const Operand>, std::span<double>)> foreign;
  PastValues past;                            // of the histories
  std::optional<Trouble>* trouble = nullptr;  // where to tell of it
  std::int64_t* turns = nullptr;              // inside a function: turns that loops have left
};

// All results of a function with statements, which may go round so often.
std::vector<std::vector<double>> evaluate_function(const Function& function, std::span<const Operand> arguments,
                                                   std::int64_t& turns, std::optional<Trouble>& trouble);

// The value of an expression; of several expressions, one after the other.
std::vector<double> evaluate(const Graph& graph, ExprId expression, const Environment& environment);
std::vector<std::vector<double>> evaluate(const Graph& graph, std::span<const ExprId> expressions,
                                          const Environment& environment);

// All nodes the expressions need, in ascending order (arguments first). no_expr is ignored.
std::vector<ExprId> reachable(const Graph& graph, std::span<const ExprId> expressions);

}  // namespace orrery::program
