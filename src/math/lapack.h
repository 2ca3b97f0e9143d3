// SPDX-License-Identifier: Apache-2.0
// LAPACK for real and complex matrices (column-major, in place): overloads over LAPACKE, which alone knows its calls.
#pragma once

#include <vector>

#include "math/matrix.h"

namespace orrery::math {

double lapack_norm1(int n, const double* a);
double lapack_norm1(int n, const Complex* a);
// PA = LU in place; the return value is LAPACK's info (> 0: singular).
int lapack_lu(int m, int n, double* a, int* pivots);
int lapack_lu(int m, int n, Complex* a, int* pivots);
double lapack_rcond(int n, const double* lu, double norm);
double lapack_rcond(int n, const Complex* lu, double norm);
void lapack_lu_solve(int n, int nrhs, const double* lu, const int* pivots, double* b);
void lapack_lu_solve(int n, int nrhs, const Complex* lu, const int* pivots, Complex* b);
void lapack_solve_upper(int n, int nrhs, const double* u, double* b);
void lapack_solve_upper(int n, int nrhs, const Complex* u, Complex* b);
// Minimum-norm least squares through the SVD; b holds max(m, n) rows.
void lapack_least_squares(int m, int n, int nrhs, double* a, double* b, int ldb);
void lapack_least_squares(int m, int n, int nrhs, Complex* a, Complex* b, int ldb);
// Upper Cholesky factor in place; returns info.
int lapack_cholesky(int n, double* a);
int lapack_cholesky(int n, Complex* a);
// Bunch and Kaufman's factors of the upper triangle of a symmetric or Hermitian matrix, in place.
int lapack_bunch_kaufman(int n, double* a, int* pivots);
int lapack_bunch_kaufman(int n, Complex* a, int* pivots);
// QR: on return a holds R above and the reflectors below; form_q makes the first k columns of Q.
void lapack_qr(int m, int n, double* a, std::vector<double>& tau, std::vector<int>* column_order);
void lapack_qr(int m, int n, Complex* a, std::vector<Complex>& tau, std::vector<int>* column_order);
void lapack_form_q(int m, int columns, int reflectors, double* a, std::vector<double>& tau);
void lapack_form_q(int m, int columns, int reflectors, Complex* a, std::vector<Complex>& tau);
// a = u * diag(s) * vt; job 'A', 'S' or 'N'. Returns info.
int lapack_svd(char job, int m, int n, double* a, double* s, double* u, int ldu, double* vt, int ldvt);
int lapack_svd(char job, int m, int n, Complex* a, double* s, Complex* u, int ldu, Complex* vt, int ldvt);
// Symmetric / Hermitian eigenproblem: ascending w, vectors in a.
int lapack_symmetric_eigen(bool vectors, int n, double* a, double* w);
int lapack_symmetric_eigen(bool vectors, int n, Complex* a, double* w);
// General eigenproblem; left and right vectors may be null.
int lapack_eigen(int n, double* a, Complex* w, Complex* left, Complex* right);
int lapack_eigen(int n, Complex* a, Complex* w, Complex* left, Complex* right);
// Generalised eigenproblem a x = w b x; right may be null.
int lapack_generalised_eigen(int n, double* a, double* b, Complex* w, Complex* right);
int lapack_generalised_eigen(int n, Complex* a, Complex* b, Complex* w, Complex* right);
// a = v t v'; w are the eigenvalues. `stable`: 0 no ordering, -1 left half plane first, 1 inside the unit circle first.
int lapack_schur(int n, double* a, Complex* w, double* v, int stable);
int lapack_schur(int n, Complex* a, Complex* w, Complex* v, int stable);
// Upper Hessenberg form in a, orthogonal matrix in q.
int lapack_hessenberg(int n, double* a, double* q);
// Solves a x + x b = c for quasi-triangular a (m) and b (n); returns the scale.
double lapack_sylvester(int m, int n, const double* a, const double* b, double* c);
double lapack_sylvester(int m, int n, const Complex* a, const Complex* b, Complex* c);

// Generalised Schur form a = q s z', b = q t z' with the eigenvalues inside the unit circle first; `inside` becomes
// their number. Only z is formed.
int lapack_generalised_schur(int n, double* a, double* b, double* z, int& inside);

}  // namespace orrery::math
