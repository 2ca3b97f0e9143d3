# SPDX-License-Identifier: MIT-0
"""What holds for every model: python3 -m unittest"""
import threading
import unittest

import numpy

import @NAME@ as model

dt = model.STEP or (model.STOP - model.START) / 50
rows = max(2, min(50, int((model.STOP - model.START) / dt)))
u = numpy.random.default_rng(1).uniform(0.5, 1, (rows, sum(port.width for port in model.INPUTS)))


def run(simulation, inputs=u):
    return simulation.simulate(len(inputs), inputs, dt, activate=True)


class Package(unittest.TestCase):
    def test_instances_are_alike(self):
        one, many = run(model.Simulation()), run(model.Simulation(count=3))
        for k in range(3):
            numpy.testing.assert_array_equal(many[k], one)

    def test_views_are_used_as_they_are(self):
        wide = numpy.zeros((rows, 2 * u.shape[1]))
        wide[:, ::2] = u
        out = numpy.full((rows, 2 * sum(port.width for port in model.OUTPUTS)), -7.0)
        model.Simulation().simulate(rows, wide[:, ::2], dt, out[:, ::2], activate=True)
        numpy.testing.assert_array_equal(out[:, ::2], run(model.Simulation()))
        self.assertTrue((out[:, 1::2] == -7).all())

    def test_copies_go_on_alike(self):
        first = model.Simulation()
        run(first, u[:rows // 2])
        second = first.copy()
        numpy.testing.assert_array_equal(run(first, u[rows // 2:]), run(second, u[rows // 2:]))

    def test_threads_do_not_meet(self):
        expected, found = run(model.Simulation()), [None] * 4

        def work(k):
            found[k] = run(model.Simulation())

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in found:
            numpy.testing.assert_array_equal(one, expected)

    def test_functions_are_one_simulation(self):
        model.init()
        inputs = [numpy.zeros(port.shape) for port in model.INPUTS]
        self.assertEqual(len(model.step(inputs, model.START + dt)), len(model.OUTPUTS))
        model.finish()
        with self.assertRaises(RuntimeError):
            model.step(inputs, model.START + dt)


if __name__ == "__main__":
    unittest.main()
