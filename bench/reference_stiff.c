// SPDX-License-Identifier: Apache-2.0
// Stiff problems straight on CVODE, with the same SUNDIALS the program links.
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "reference_models.h"

static int van_der_pol(double t, N_Vector x, N_Vector dx, void* data) {
  (void)t, (void)data;
  const double* y = N_VGetArrayPointer(x);
  double* dy = N_VGetArrayPointer(dx);
  dy[0] = y[1];
  dy[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
  return 0;
}

static int van_der_pol_jacobian(double t, N_Vector x, N_Vector f, SUNMatrix j, void* data, N_Vector a, N_Vector b,
                                N_Vector c) {
  (void)t, (void)f, (void)data, (void)a, (void)b, (void)c;
  const double* y = N_VGetArrayPointer(x);
  SM_ELEMENT_D(j, 0, 0) = 0;
  SM_ELEMENT_D(j, 0, 1) = 1;
  SM_ELEMENT_D(j, 1, 0) = -2000 * y[0] * y[1] - 1;
  SM_ELEMENT_D(j, 1, 1) = 1000 * (1 - y[0] * y[0]);
  return 0;
}

static int brusselator(double t, N_Vector x, N_Vector dx, void* cells) {
  reference_brusselator_rhs(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx), cells);
  return 0;
}

static int brusselator_jacobian(double t, N_Vector x, N_Vector f, SUNMatrix j, void* data, N_Vector a, N_Vector b,
                                N_Vector c) {
  (void)t, (void)f, (void)a, (void)b, (void)c;
  const int cells = *(const int*)data;
  const double d = 0.02 * (cells + 1) * (cells + 1);
  const double* y = N_VGetArrayPointer(x);
  for (int i = 0; i < cells; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    SM_ELEMENT_B(j, 2 * i, 2 * i) = 2 * u * v - 4 - 2 * d;
    SM_ELEMENT_B(j, 2 * i, 2 * i + 1) = u * u;
    SM_ELEMENT_B(j, 2 * i + 1, 2 * i) = 3 - 2 * u * v;
    SM_ELEMENT_B(j, 2 * i + 1, 2 * i + 1) = -u * u - 2 * d;
    for (int k = 2 * i; k < 2 * i + 2; ++k) {
      if (i > 0) SM_ELEMENT_B(j, k, k - 2) = d;
      if (i < cells - 1) SM_ELEMENT_B(j, k, k + 2) = d;
    }
  }
  return 0;
}

struct stiff {
  int n, band; /* band: half bandwidth, 0: dense */
  CVRhsFn rhs;
  CVLsJacFn jacobian;
  void* data;
  double t_end;
  int shown;
};

static struct reference_result run(const struct stiff* problem, N_Vector x, SUNContext context) {
  void* cvode = CVodeCreate(CV_BDF, context);
  SUNMatrix matrix = problem->band ? SUNBandMatrix(problem->n, problem->band, problem->band, context)
                                   : SUNDenseMatrix(problem->n, problem->n, context);
  SUNLinearSolver solver = problem->band ? SUNLinSol_Band(x, matrix, context) : SUNLinSol_Dense(x, matrix, context);
  CVodeInit(cvode, problem->rhs, 0, x);
  CVodeSStolerances(cvode, 1e-6, 1e-9);
  CVodeSetUserData(cvode, problem->data);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetJacFn(cvode, problem->jacobian);
  CVodeSetMaxStep(cvode, problem->t_end / 100);
  CVodeSetStopTime(cvode, problem->t_end);
  double t = 0;
  while (t < problem->t_end && CVode(cvode, problem->t_end, x, &t, CV_ONE_STEP) >= 0) {
  }
  struct reference_result result = {N_VGetArrayPointer(x)[problem->shown], 0, 0};
  CVodeGetNumSteps(cvode, &result.steps);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return result;
}

struct reference_result reference_stiff_van_der_pol(void) {
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector x = N_VNew_Serial(2, context);
  N_VGetArrayPointer(x)[0] = 2;
  N_VGetArrayPointer(x)[1] = 0;
  const struct stiff problem = {2, 0, van_der_pol, van_der_pol_jacobian, NULL, 3000, 0};
  return run(&problem, x, context);
}

struct reference_result reference_stiff_brusselator(int cells) {
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector x = N_VNew_Serial(2 * cells, context);
  for (int i = 0; i < cells; ++i) {
    N_VGetArrayPointer(x)[2 * i] = 1 + sin(2 * 3.14159265358979323846 * (i + 1) / (cells + 1));
    N_VGetArrayPointer(x)[2 * i + 1] = 3;
  }
  const struct stiff problem = {2 * cells, 2, brusselator, brusselator_jacobian, &cells, 10, cells};
  return run(&problem, x, context);
}
