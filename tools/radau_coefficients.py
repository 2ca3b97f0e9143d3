#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the numbers of src/solve/radau_coefficients.cpp, computed with 60 digits (needs python3-mpmath).

Radau IIA is collocation at the zeros c of P_s(2c - 1) - P_(s-1)(2c - 1), P Legendre's polynomials (Hairer and Wanner,
Solving ODEs II, IV.5). With M the product of all (t - c_i), a polynomial z is an eigenvector of the inverse of A for the
eigenvalue l where z - l * (integral of z from 0) is a multiple of M, because that vanishes at all c_i. So the integral is
a multiple of the sum of M^(k)(t) / l^(k+1), which must be 0 at t = 0: that polynomial has the eigenvalues as its zeros,
and z(c_i) is a multiple of the sum of M^(k)(c_i) / l^k.
"""
from mpmath import mp, mpc, mpf, matrix, polyroots

mp.dps = 60


def legendre(n):
    last, now = [mpf(1)], [mpf(0), mpf(1)]
    for k in range(2, n + 1):
        following = [mpf(0)] + [(2 * k - 1) * x / mpf(k) for x in now]
        for i, x in enumerate(last):
            following[i] -= mpf(k - 1) * x / k
        last, now = now, following
    return now, last


def value(polynomial, x):
    result = mpf(0)
    for coefficient in reversed(polynomial):
        result = result * x + coefficient
    return result


def zeros(polynomial):
    return polyroots(polynomial[::-1], maxsteps=500, extraprec=400)


def coefficients(s):
    now, last = legendre(s)
    c = sorted((x.real + 1) / 2 for x in zeros([a - b for a, b in zip(now, last + [0])]))
    c[-1] = mpf(1)
    m = [mpf(1)]
    for node in c:
        m = [a - node * b for a, b in zip([mpf(0)] + m, m + [mpf(0)])]
    derivatives = [m]
    for _ in range(s):
        derivatives.append([i * x for i, x in enumerate(derivatives[-1])][1:])
    values = zeros([value(d, mpf(0)) for d in reversed(derivatives)])
    tiny = mpf(10) ** -40
    gamma = next(x.real for x in values if abs(x.imag) < tiny)
    # The order of pairs is that of a method that finds large angles first; any would do.
    pairs = sorted((x for x in values if x.imag > tiny), key=lambda x: -x.imag)
    t, block = matrix(s, s), matrix(s, s)
    for k, x in enumerate([gamma] + pairs):
        z = [sum(value(d, node) / x**j for j, d in enumerate(derivatives) if j > 0) for node in c]
        z = [mpc(element / z[-1]) for element in z]
        for i in range(s):
            t[i, max(2 * k - 1, 0)] = z[i].real
            if k > 0:
                t[i, 2 * k] = z[i].imag
        if k == 0:
            block[0, 0] = gamma
        else:
            block[2 * k - 1, 2 * k - 1] = block[2 * k, 2 * k] = x.real
            block[2 * k - 1, 2 * k], block[2 * k, 2 * k - 1] = x.imag, -x.imag
    inverse = t**-1
    a_inverse = t * block * inverse
    at_zero, lagrange = [], []
    for i in range(s):
        product, quotient = c[i], mpf(1)
        for k in range(s):
            if k != i:
                product *= c[i] - c[k]
                quotient *= c[k] / (c[k] - c[i])
        lagrange.append(1 / product)
        at_zero.append(quotient)
    # The embedded formula of order s uses f0 with the weight 1 / gamma; its other weights differ from those of the
    # method by -l_i(0) / gamma, and h f = inverse(A) z.
    error = [-sum(at_zero[i] * a_inverse[i, j] for i in range(s)) for j in range(s)]
    rows = lambda x: [[x[i, j] for j in range(s)] for i in range(s)]
    return c, gamma, pairs, rows(t), rows(inverse), error, lagrange


def listed(numbers):
    return "{" + ", ".join(repr(float(x)) for x in numbers) + "}"


for stages in (3, 5, 7):
    c, gamma, pairs, t, inverse, error, lagrange = coefficients(stages)
    print(f"RadauCoefficients{{.stages = {stages}, .node = {listed(c)}, .gamma = {float(gamma)!r},")
    print(f".alpha = {listed(x.real for x in pairs)}, .beta = {listed(x.imag for x in pairs)},")
    for name, table in ("t", t), ("t_inverse", inverse):
        print(f".{name} = {{{{", ",\n".join(listed(row) for row in table), "}},")
    print(f".error = {listed(error)}, .lagrange = {listed(lagrange)}}},")
