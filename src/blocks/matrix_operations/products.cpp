// SPDX-License-Identifier: Apache-2.0
// MatrixMultiplication, MatrixDivision, MatrixInverse, Transpose, CrossProduct.
#include <fmt/format.h>

#include "blocks/integer_overflow.h"
#include "blocks/matrix_operations/matrix_operations.h"

namespace orrery::blocks {
namespace {

bool known_size(const Port& port) { return port.rows > 0 && port.cols > 0; }
bool one_by_one(const Port& port) { return port.rows == 1 && port.cols == 1; }

std::string size_text(const Port& port) { return fmt::format("{}x{}", port.rows, port.cols); }

void refine_product(Ports& p) {
  only_numbers(p);
  const Port &a = p.in(1), &b = p.in(2);
  if (!known_size(a) || !known_size(b)) return;
  if (one_by_one(a)) return p.set_output_size(1, b.rows, b.cols);
  if (one_by_one(b)) return p.set_output_size(1, a.rows, a.cols);
  if (a.cols != b.rows) {
    return p.fail(
        fmt::format("the product of {} and {} is not defined: the columns of input 1 must be as many as the "
                    "rows of input 2",
                    size_text(a), size_text(b)));
  }
  p.set_output_size(1, a.rows, b.cols);
}

void refine_division(Ports& p) {
  const bool left = p.parameters().text("method") == "u1\\u2";
  const Port& matrix = left ? p.in(1) : p.in(2);
  const Port& other = left ? p.in(2) : p.in(1);
  if (!known_size(matrix) || !known_size(other)) return;
  if (one_by_one(matrix)) return p.set_output_size(1, other.rows, other.cols);
  if (matrix.rows != matrix.cols)
    return p.fail(fmt::format("the divisor is {}, but must be square", size_text(matrix)));
  if ((left ? other.rows : other.cols) != matrix.rows) {
    return p.fail(fmt::format("a divisor of {} does not fit {}", size_text(matrix), size_text(other)));
  }
  p.set_output_size(1, other.rows, other.cols);
}

// The run fails at events where the matrix has no inverse: what follows would be infinite or not a number.
void refuse_singular(Block& b, Expr matrix) {
  const Expr d = Expr(&b.graph(), b.graph().unary(Op::determinant, matrix.id()));
  b.on_activation().when(d == 0.0).fail("the matrix is singular");
}

Expr solved(Block& b, Expr matrix, Expr right) {
  if (matrix.type().is_scalar()) return right / matrix;
  refuse_singular(b, matrix);
  return {&b.graph(), b.graph().solve(matrix.id(), right.id())};
}

}  // namespace

const BlockType matrix_multiplication = {
    .name = "MatrixMultiplication",
    .palette = "MatrixOperations",
    .summary = "The matrix product of its two inputs; a scalar multiplies every element of the other.",
    .icon = {.text = "u₁ × u₂"},
    .parameters = {overflow_spec()},
    .ports =
        [](Ports& p) {
          p.input_each(2, "u").output("y", {-3, -4});
        },
    .refine = refine_product,
    .build = [](Block& b) { b.out(1, Arithmetic(b).matrix_product(b.in(1), b.in(2))); },
};

const BlockType matrix_division = {
    .name = "MatrixDivision",
    .palette = "MatrixOperations",
    .summary = "Solves a linear system: u1/u2 is the x with x*u2 = u1, u1\\u2 the x with u1*x = u2.",
    .description =
        "The divisor is square, or a scalar that divides every element. Where an event finds it singular the run "
        "fails.",
    .icon = {.text = "{method}"},
    .parameters = {{"method", "'u1/u2'", "which input divides, and from which side", {"u1/u2", "u1\\u2"}}},
    .ports =
        [](Ports& p) {
          p.input_each(2, "u", Scalar::f64).output("y", {-3, -4}, Scalar::f64);
        },
    .refine = refine_division,
    .build =
        [](Block& b) {
          if (b.text("method") == "u1\\u2") return b.out(1, solved(b, b.in(1), b.in(2)));
          if (b.in(2).type().is_scalar()) return b.out(1, b.in(1) / b.in(2));
          b.out(1, transpose(solved(b, transpose(b.in(2)), transpose(b.in(1)))));
        },
};

const BlockType matrix_inverse = {
    .name = "MatrixInverse",
    .palette = "MatrixOperations",
    .summary = "The inverse of a square matrix.",
    .description = "Where an event finds the matrix singular the run fails.",
    .icon = {.text = "u⁻¹"},
    .ports =
        [](Ports& p) {
          p.input("u", {-1, -1}, Scalar::f64).output("y", {-1, -1}, Scalar::f64);
        },
    .refine =
        [](Ports& p) {
          if (known_size(p.in(1)) && p.in(1).rows != p.in(1).cols) p.fail("the matrix is not square");
        },
    .build =
        [](Block& b) {
          if (b.in().type().is_scalar()) return b.out(1, 1.0 / b.in());
          refuse_singular(b, b.in());
          b.out(1, {&b.graph(), b.graph().unary(Op::inverse, b.in().id())});
        },
};

const BlockType transpose_block = {
    .name = "Transpose",
    .palette = "MatrixOperations",
    .summary = "Rows become columns.",
    .icon = {.text = "uᵀ"},
    .parameters =
        {{"method", "'transpose'", "conjugate: of complex numbers the conjugates", {"transpose", "conjugate"}}},
    .ports =
        [](Ports& p) {
          p.input("u", {-1, -2}).output("y", {-2, -1});
        },
    .build =
        [](Block& b) {
          const bool conjugate = b.text("method") == "conjugate" && b.in().scalar_type() == Scalar::c128;
          b.out(1, transpose(conjugate ? apply(Op::conj, b.in()) : b.in()));
        },
};

const BlockType cross_product = {
    .name = "CrossProduct",
    .palette = "MatrixOperations",
    .summary = "The vector product of two vectors of three elements.",
    .icon = {.text = "u₁ ⨯ u₂"},
    .ports = [](Ports& p) { p.input("u1").input("u2").output("y"); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          const Port& u = p.in(1);
          if (known_size(u) && (u.rows * u.cols != 3 || (u.rows != 1 && u.cols != 1))) {
            p.fail(fmt::format("needs two vectors of three elements, not {}", size_text(u)));
          } else if (!known_size(u) && p.out(1).rows <= 0) {
            p.set_output_size(1, 3, 1);
          }
        },
    .build =
        [](Block& b) {
          const Expr a = b.in(1), c = b.in(2);
          b.out(1, stack(b.out_type(), std::vector<Expr>{a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2],
                                                         a[0] * c[1] - a[1] * c[0]}));
        },
};

}  // namespace orrery::blocks
