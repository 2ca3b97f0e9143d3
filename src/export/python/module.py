# SPDX-License-Identifier: MIT-0
"""@ABOUT@

Made by Orrery from the model @NAME@. One simulation by functions:

    init(); y = step([u], t=1, dt=0.1); y = step([u], t=2, dt=0.1); finish()

or any number of instances by the class Simulation, and Environment for Gymnasium where that is installed.
"""
from .simulation import (ACTIVATIONS, INPUTS, OUTPUTS, PARAMETERS, START, STEP, STOP, Port, Simulation,
                         SimulationError)

__all__ = ["init", "step", "reset", "finish", "Simulation", "SimulationError", "Port", "Environment", "INPUTS",
           "ACTIVATIONS", "OUTPUTS", "PARAMETERS", "START", "STEP", "STOP"]
_one = None


def __getattr__(name):
    if name == "Environment":
        from .environment import Environment
        return Environment
    raise AttributeError(f"module {__name__} has no attribute {name}")


def _running():
    if _one is None:
        raise RuntimeError("init() comes first")
    return _one


def init(**parameters):
    """Begins a simulation, with parameters by name."""
    global _one
    _one = Simulation(nominal=True, **parameters)


def step(inputs=(), t=None, dt=None):
    """Simulates up to time t in steps of dt (the model's own where it is not given; the last step is shorter where
    they do not fit) with the inputs held; a list of the outputs."""
    return list(_running().step(inputs, t, dt).values())


def reset(inputs=(), t=0):
    """Simulates up to time t, then lets the activations of the model come; t = START begins a new simulation."""
    one = _running()
    if t <= START:
        one.restart()
    elif t > one.time:
        one.step(inputs, t)
    return list(one.step(inputs, max(t, one.time), activate=True).values())


def finish():
    """What the model does at the end, and the end of the simulation."""
    global _one
    if _one is not None:
        _one.finish()
    _one = None
