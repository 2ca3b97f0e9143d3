# SPDX-License-Identifier: Apache-2.0
"""SciPy's solvers on a problem, at several tolerances: prints "point METHOD RTOL SECONDS ERROR" for each run.

usage: compare.py lorenz|brusselator REFERENCE, a file with the exact end values, one a line.
"""
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import diags


def lorenz(t, y):
    a, b, c = y
    return [10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c]


def brusselator(cells):
    d = 0.02 * (cells + 1) ** 2

    def f(t, y):
        u, v = y[0::2], y[1::2]
        uuv = u * u * v
        left_u, right_u = np.concatenate(([1.0], u[:-1])), np.concatenate((u[1:], [1.0]))
        left_v, right_v = np.concatenate(([3.0], v[:-1])), np.concatenate((v[1:], [3.0]))
        result = np.empty_like(y)
        result[0::2] = 1 + uuv - 4 * u + d * (left_u - 2 * u + right_u)
        result[1::2] = 3 * u - uuv + d * (left_v - 2 * v + right_v)
        return result

    return f


def setup(problem):
    if problem == "lorenz":
        methods = [(m, {}) for m in ("RK45", "DOP853", "LSODA")]
        return lorenz, 16.0, np.array([-8.0, 8.0, 27.0]), methods, range(4, 13)
    cells = 500
    x = np.arange(1, cells + 1) / (cells + 1)
    y0 = np.empty(2 * cells)
    y0[0::2] = 1 + np.sin(2 * np.pi * x)
    y0[1::2] = 3
    sparsity = diags([1, 1, 1, 1, 1], [-2, -1, 0, 1, 2], shape=(2 * cells, 2 * cells))
    methods = [
        ("LSODA", {"lband": 2, "uband": 2}),
        ("BDF", {"jac_sparsity": sparsity}),
        ("Radau", {"jac_sparsity": sparsity}),
    ]
    return brusselator(cells), 10.0, y0, methods, range(3, 9)


def main():
    f, stop, y0, methods, digits = setup(sys.argv[1])
    reference = np.loadtxt(sys.argv[2])
    for method, options in methods:
        for k in digits:
            rtol = 10.0**-k
            start = time.process_time()
            solution = solve_ivp(f, (0, stop), y0, method=method, rtol=rtol, atol=rtol, **options)
            seconds = time.process_time() - start
            if not solution.success:
                continue
            error = np.max(np.abs(solution.y[:, -1] - reference) / (1 + np.abs(reference)))
            print("point", method, rtol, seconds, error, flush=True)
            if seconds > 5:
                break


main()
