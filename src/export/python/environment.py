# SPDX-License-Identifier: MIT-0
"""The model @NAME@ as an environment of Gymnasium, for reinforcement learning."""
import numpy

from .simulation import INPUTS, OUTPUTS, STEP, Simulation

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as missing:
    raise ImportError("Environment needs the package gymnasium: pip install gymnasium") from missing


def _columns(ports):
    return sum(port.width for port in ports)


class Environment(gymnasium.Env):
    """Actions are the inputs of the model, observations its outputs, both as vectors of float64.

    reward(before, action, after) gives the reward of a step from two observations; default 0.
    done(observation) says whether an episode is over; default: when the model stops itself.
    dt: the time between two actions. longest: steps of an episode, after which it is truncated; None: no bound.
    low, high: bounds of actions. draw(random) gives parameters of an episode, as a dict.
    """

    metadata = {"render_modes": []}

    def __init__(self, reward=None, done=None, dt=None, longest=None, low=-numpy.inf, high=numpy.inf, draw=None,
                 **parameters):
        self.dt = STEP if dt is None else dt
        if not self.dt > 0:
            raise ValueError("dt is needed: the model has no step of its own")
        self.reward, self.done, self.longest, self.draw = reward, done, longest, draw
        inputs, outputs = _columns(INPUTS), _columns(OUTPUTS)
        self.action_space = spaces.Box(low, high, (inputs,), numpy.float64)
        self.observation_space = spaces.Box(-numpy.inf, numpy.inf, (outputs,), numpy.float64)
        self.simulation = Simulation(**parameters)
        self._action = numpy.zeros((1, inputs))
        self._next = numpy.zeros((1, outputs))
        self._seen = numpy.zeros(outputs)
        self._steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.simulation.restart(**(self.draw(self.np_random) if self.draw else {}))
        self._action[:] = 0
        self._steps = 0
        self.simulation.step([numpy.zeros(port.shape) for port in INPUTS], until=self.simulation.time)
        self._seen = self.simulation._outputs[0, 0].copy()
        return self._seen.copy(), {}

    def step(self, action):
        self._action[0] = action
        self.simulation.simulate(1, self._action, self.dt, self._next, activate=True)
        after = self._next[0].copy()
        reward = 0.0 if self.reward is None else float(self.reward(self._seen, self._action[0], after))
        self._seen = after
        self._steps += 1
        over = self.simulation.ended is not None or bool(self.done and self.done(after))
        truncated = not over and self.longest is not None and self._steps >= self.longest
        return after.copy(), reward, over, truncated, {"time": self.simulation.time}
