#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as FMUs, imported back: Model Exchange to ten times the tolerance, Co-Simulation with fixed steps bit for bit,
clocks and Scheduled Execution in a loop with a plant, derivatives against differences, no finding of either judge.

    exported_fmus.py ORRERY EXAMPLES [name...]        ORRERY_LONG_TESTS: all models, and valgrind where it is installed
"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from independent_importer import Fmu, compare_derivatives

RTOL = 1e-8
# name: stop, step of rk4. Stops are short where a model is chaotic, long runs are slow or a rest follows after Zeno.
MODELS = {
    "bouncing_ball": (3, 1e-3), "thermostat": (20, 0.01), "sampled_controller": (6, 0.01), "multirate": (5, 0.01),
    "numerics/robertson_dae": (0.3, 1e-5), "book/ch9_nonlinear_ode": (5, 0.01),
    "lorenz": (2, 1e-3), "event_delay": (5, 0.01), "queue": (50, 0.1), "pendulum_delay": (5, 0.01),
    "book/ch10_abs_sine": (6, 0.01), "book/ch10_cold_restart": (5, 0.01), "book/ch10_discretem": (5, 0.01),
    "book/ch10_jump_ball": (3, 1e-3), "book/ch10_multi_mode": (5, 0.01), "book/ch10_simple_control": (5, 0.01),
    "book/ch10_two_starts": (5, 0.01), "book/ch18_extrapolation": (5, 0.01), "book/ch18_interpolation": (5, 0.01),
    "book/ch19_signal_out": (5, 0.01), "book/ch1_circul": (5, 0.01),
    "book/ch1_cooling": (5, 0.01), "book/ch1_event_delay": (5, 0.01), "book/ch1_inheritance": (5, 0.01),
    "book/ch1_lut": (5, 0.01), "book/ch1_random_event_delay": (5, 0.01), "book/ch1_thermostat": (10, 0.01),
    "book/ch20_balls": (2, 1e-3), "book/ch20_tanks": (5, 0.01),
    "book/ch21_pendulum_exec": (5, 0.01), "book/ch2_matrix_expressions": (5, 0.01),
    "book/ch4_ball_on_curve": (2, 1e-3), "book/ch4_geodesic_arc": (1, 0.01),
    "book/ch5_extended_kalman_filter": (5, 0.01), "book/ch5_kalman_filter": (5, 0.01), "book/ch6_car": (5, 0.01),
    "book/ch7_cart_on_beam": (5, 0.01), "book/ch9_bouncing_ball": (3, 1e-3), "book/ch9_counter": (5, 0.01),
    "book/ch9_shift_register": (5, 0.01), "automata/buck_converter": (1e-3, 1e-6), "automata/sticky_balls": (2, 1e-3),
    "automata/swing_up": (3, 1e-3), "numerics/arenstorf": (2, 1e-3), "numerics/brusselator": (5, 1e-2),
    "numerics/hires": (0.5, 1e-4), "numerics/pleiades": (0.5, 1e-4), "export/temperature": (10, 0.01),
}
QUICK = 6


class Bench:
    def __init__(self, orrery, examples, folder):
        self.orrery, self.examples, self.folder, self.failures, self.notes = orrery, examples, folder, [], []

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, fails=False):
        done = subprocess.run([self.orrery, *arguments], capture_output=True, text=True, timeout=600)
        if (done.returncode != 0) != fails:
            raise RuntimeError(f"orrery {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def fail(self, text):
        print("FAILED", text, flush=True)
        self.failures.append(text)

    def series(self, *arguments):
        out = self.file("out.csv")
        self.run("run", *arguments, "--quiet", "--out", out)
        with open(out, newline="") as file:
            rows = list(csv.reader(file))
        values = [[float(x) if x else math.nan for x in row] for row in rows[1:]]
        return rows[0], values


def last_by_time(values, tolerance):
    """Rows by time, the last of each."""
    rows = []
    for row in values:
        if rows and abs(row[0] - rows[-1][0]) <= tolerance:
            rows[-1] = row
        else:
            rows.append(row)
    return rows


def differences(wanted, found, tolerance):
    """By column of both: the largest difference, the scale, how many were compared."""
    names = {name.lstrip("/"): k for k, name in enumerate(found[0])}
    a, b = last_by_time(wanted[1], tolerance), last_by_time(found[1], tolerance)
    result, at = {}, 0
    pairs = []
    for row in a:
        while at + 1 < len(b) and b[at + 1][0] <= row[0] + tolerance:
            at += 1
        if b and abs(b[at][0] - row[0]) <= tolerance:
            pairs.append((row, b[at]))
    for c, name in enumerate(wanted[0]):
        if c == 0 or name.lstrip("/") not in names:
            continue
        d = names[name.lstrip("/")]
        worst, scale, count = 0.0, 0.0, 0
        for x, y in pairs:
            if math.isnan(x[c]) or math.isnan(y[d]):  # before the first event of a signal, for which FMI has no word
                continue
            scale = max(scale, abs(x[c]))
            worst = max(worst, abs(x[c] - y[d]))
            count += 1
        result[name] = (worst, scale, count)
    return result


def check_model(bench, name, version):
    stop, step = MODELS[name]
    model, base = os.path.join(bench.examples, name + ".orr"), name.replace("/", "_")
    fmu = bench.file(f"{base}_{version}.fmu")
    bench.run("export", "fmu", model, "--fmi", str(version), "--solver", "rk4", "--step", repr(step), "--out", fmu)
    judged = bench.run("fmu", "check", "--run", fmu)
    if "no violations" not in judged:
        bench.fail(f"{fmu}: {judged}")
    second = Fmu(fmu)
    second.judge()
    count, worst = compare_derivatives(second)
    for text in second.findings:
        bench.fail(text)
    interval, limit = repr(stop / 40), ["--stop", repr(stop)]
    seen = [v.name for v in second.variables if v.causality in ("output", "local") and v.type != "Clock"
            and not v.derivative and not v.name.startswith("event indicator")]
    shown = ["--vars", ",".join(seen[:60])]
    exact = ["--solver", "dopri", "--rtol", repr(RTOL), "--interval", interval, *limit]
    wanted = bench.series(model, *exact)
    finer = bench.series(model, "--solver", "dopri", "--rtol", repr(RTOL / 30), "--interval", interval, *limit)
    found = bench.series(fmu, "--kind", "me", "--rtol", repr(RTOL), "--interval", interval, *limit, *shown)
    own = differences(wanted, finer, stop * 1e-9)
    ratio = 0.0
    compared = 0
    for column, (error, scale, points) in differences(wanted, found, stop * 1e-9).items():
        allowed = 10 * (RTOL * max(scale, 1) + own.get(column, (0, 0, 0))[0])  # absolute and relative are the same
        ratio = max(ratio, error / (RTOL * max(scale, 1)))
        compared += points
        if error > allowed:
            bench.fail(f"{base} {version}.0 ME: {column} is {error:.2e} away, {allowed:.2e} are allowed")
    fixed = ["--solver", "rk4", "--step", repr(step)]
    whole = bench.series(model, *fixed, *limit)
    steps = bench.series(fmu, "--kind", "cs", "--step", repr(step * 10), *limit, *shown)
    bits = 0
    for column, (error, scale, points) in differences(steps, whole, step * 1e-6).items():
        bits += points
        if error != 0:
            bench.fail(f"{base} {version}.0 CS: {column} differs by {error:.2e}")
    if compared == 0 or bits == 0:
        bench.fail(f"{base} {version}.0: nothing was compared")
    print(f"{base} {version}.0: ME {ratio:.2g} x rtol in {compared} numbers, CS {bits} numbers equal, "
          f"{count} columns of derivatives within {worst:.1e}", flush=True)


# A plant, and a controller with two sample clocks of one domain, as a super block or as an FMU.
CONTROLLER = {"blocks": [
    {"name": "e", "type": "Input", "parameters": {"port": "1"}},
    {"name": "Fast", "type": "SampleClock", "parameters": {"period": "0.1"}},
    {"name": "Slow", "type": "SampleClock", "parameters": {"period": "0.25", "offset": "0.05"}},
    {"name": "Sampler", "type": "SampleHold"},
    {"name": "PI", "type": "DiscrTransFunc", "parameters": {"num": "[2.4 -2]", "den": "[1 -1]"}},
    {"name": "N", "type": "Counter"}, {"name": "u", "type": "Output", "parameters": {"port": "1"}},
    {"name": "n", "type": "Output", "parameters": {"port": "2"}}],
    "links": [{"from": "e:1", "to": ["Sampler:1"]}, {"from": "Sampler:1", "to": ["PI:1"]},
              {"from": "PI:1", "to": ["u:1"]}, {"from": "N:1", "to": ["n:1"]},
              {"event": "Fast:1", "to": ["Sampler:1"]}, {"event": "Slow:1", "to": ["N:1"]}]}


def closed_loop(controller):
    return {"orrery": 1, "name": "loop", "simulation": {"stop": "6", "rtol": "1e-10"}, "blocks": [
        {"name": "R", "type": "StepGenerator", "parameters": {"time": "1.02", "before": "0", "after": "1"}},
        {"name": "E", "type": "Sum", "parameters": {"signs": "'+-'"}}, controller,
        {"name": "Motor", "type": "ContTransFunc", "parameters": {"num": "1", "den": "[0.5 1]"}},
        {"name": "Y", "type": "Scope", "parameters": {"inputs": "3"}}],
        "links": [{"from": "R:1", "to": ["E:1"]}, {"from": "E:1", "to": ["K:1"]},
                  {"from": "K:1", "to": ["Motor:1", "Y:2"]}, {"from": "K:2", "to": ["Y:3"]},
                  {"from": "Motor:1", "to": ["E:2", "Y:1"]}]}


def open_loop(controller):
    """Steps of the input come between ticks: co-simulation knows an input from the last point of communication."""
    return {"orrery": 1, "name": "open", "simulation": {"stop": "6"}, "blocks": [
        {"name": "R", "type": "StepGenerator", "parameters": {"time": "1.02", "before": "0.5", "after": "1"}}, controller,
        {"name": "Y", "type": "Scope", "parameters": {"inputs": "2"}}],
        "links": [{"from": "R:1", "to": ["K:1"]}, {"from": "K:1", "to": ["Y:1"]}, {"from": "K:2", "to": ["Y:2"]}]}


def check_clocks(bench):
    def save(name, model):
        with open(bench.file(name), "w") as file:
            json.dump(model, file)
        return bench.file(name)
    block = {"name": "K", "type": "SuperBlock", "diagram": CONTROLLER}
    for kind, shape in (("me", closed_loop), ("se", closed_loop), ("se", open_loop), ("cs", open_loop)):
        model = save("loop.orr", shape(block))
        fmu = bench.file(f"K_{kind}.fmu")
        bench.run("export", "fmu", model, "--block", "/K", "--fmi", "3", "--kind", kind, "--clocks", "--out", fmu)
        judged = bench.run("fmu", "check", "--run", fmu)
        second = Fmu(fmu)
        for text in second.judge() + ([] if "no violations" in judged else [judged]):
            bench.fail(text)
        clocks = [v for v in second.variables if v.type == "Clock"]
        if len(clocks) != 1:
            bench.fail(f"{kind}: {len(clocks)} clocks instead of one for the domain")
        parameters = {"fmu": f"'{fmu}'", "kind": f"'{kind}'", "inputs": "{'e'}", "outputs": "{'u','n'}"}
        if kind == "cs":
            parameters["step"] = "0.05"
        other = save("with_fmu.orr", shape({"name": "K", "type": "FMU", "parameters": parameters}))
        wanted = bench.series(model, "--interval", "0.05")
        found = bench.series(other, "--allow", "native", "--interval", "0.05")
        for column, (error, scale, points) in differences(wanted, found, 1e-9).items():
            print(f"clocks {kind} {shape.__name__}: {column} {error:.1e} of {scale:.2g} in {points}", flush=True)
            if error > 1e-7 * max(scale, 1) or points < 100:
                bench.fail(f"clocks {kind}: {column} is {error:.2e} away in {points} points")


def check_valgrind(bench):
    for name in ("bouncing_ball", "numerics/robertson_dae"):
        for version in (2, 3):
            fmu = bench.file(f"{name.replace('/', '_')}_{version}.fmu")
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "independent_importer.py")
            done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", "--suppressions=/usr/lib/valgrind/python3.supp",
                                   "python3", script, fmu], capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONMALLOC="malloc"))
            ours = [line for line in done.stderr.splitlines() if "fmi" in line or "orr_" in line]
            if ours:
                bench.fail(f"valgrind on {fmu}: {ours[:5]}")
            print(f"valgrind {name} {version}.0: {len(ours)} findings in the FMU", flush=True)


def main():
    orrery, examples, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    long = bool(os.environ.get("ORRERY_LONG_TESTS"))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(orrery, examples, folder)
        chosen = [name for name in names if name != "clocks"] if names else list(MODELS) if long else list(MODELS)[:QUICK]
        for name in chosen:
            for version in (2, 3) if long or names else (2 + list(MODELS).index(name) % 2,):
                try:
                    check_model(bench, name, version)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    bench.fail(f"{name} {version}.0: {error}")
                if not long and not names:
                    continue
                if not (long and name in ("bouncing_ball", "numerics/robertson_dae")):
                    made = bench.file(f"{name.replace('/', '_')}_{version}.fmu")
                    if os.path.exists(made):
                        os.remove(made)
        if not names or "clocks" in names:
            check_clocks(bench)
        if long and not names and shutil.which("valgrind"):
            check_valgrind(bench)
        print(f"{len(bench.failures)} failures")
        return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
