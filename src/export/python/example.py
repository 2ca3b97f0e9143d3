# SPDX-License-Identifier: MIT-0
"""Runs the model @NAME@ for a while and prints what comes out; change it as you like."""
import numpy

import @NAME@ as model

dt = model.STEP or (model.STOP - model.START) / 100
rows = max(1, min(1000, round((model.STOP - model.START) / dt)))
u = numpy.zeros((rows, sum(port.width for port in model.INPUTS)))  # one column for each number that goes in

one = model.Simulation()
y = one.simulate(rows, u, dt, activate=bool(model.ACTIVATIONS))

print("time," + ",".join(port.name if port.width == 1 else f"{port.name}[{k + 1}]"
                         for port in model.OUTPUTS for k in range(port.width)))
for k, row in enumerate(y):
    print(",".join(f"{value:.17g}" for value in (model.START + (k + 1) * dt, *row)))
