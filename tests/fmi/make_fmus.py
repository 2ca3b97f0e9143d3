#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the test models for FMI 1.0, 2.0 and 3.0 and packs them: make_fmus.py CC SOURCE_DIR OUTPUT_DIR"""

import math
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

TYPES_3 = ["Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean",
           "String", "Binary", "Enumeration", "Clock"]
TYPES_2 = {"Float64": "Real", "Int32": "Integer", "Boolean": "Boolean", "String": "String",
           "Enumeration": "Enumeration"}


def var(name, number, kind="Float64", causality="local", variability=None, start=None, **more):
    return dict(name=name, number=number, kind=kind, causality=causality, variability=variability, start=start, **more)


def state(name, number, start, causality="output"):
    return var(name, number, causality=causality, start=start, initial="exact")


def derivative(name, number, of, **more):
    return var(f"der({name})", number, of=of, **more)


def parameter(name, number, start, variability="fixed"):
    return var(name, number, causality="parameter", variability=variability, start=start)


def feedthrough_integers():
    kinds = ["Int8", "UInt8", "Int16", "UInt16", "UInt32", "Int64", "UInt64"]
    variables = []
    for k, kind in enumerate(kinds):
        variables.append(var(f"{kind}_input", 10 + 2 * k, kind, "input", "discrete", 0, only3=True))
        variables.append(var(f"{kind}_output", 11 + 2 * k, kind, "output", "discrete", only3=True))
    return variables


def masses(count):
    starts = [math.sin(math.pi * (i + 1) / (count + 1)) for i in range(count)]
    positions = [state(f"x{i}", i, start, "output" if i == 0 else "local") for i, start in enumerate(starts)]
    speeds = [state(f"v{i}", count + i, 0, "local") for i in range(count)]
    states = positions + speeds
    variables = states + [derivative(v["name"], 2 * count + v["number"], v["number"]) for v in states]
    return dict(stop=10, step=0.1, source="masses", versions=[2], indicators=4, variables=variables,
                flags=[f"-DMASSES={count}", "-DMAX_VALUES=256"])


# Models: variables, indicators, default stop time and step, further compiler flags and capabilities.
MODELS = {
    "bouncing_ball": dict(stop=3, step=0.01, indicators=1, variables=[
        state("h", 0, 1), state("v", 1, 0), derivative("h", 2, 0), derivative("v", 3, 1),
        parameter("g", 4, -9.81), parameter("e", 5, 0.7, "tunable")]),
    "van_der_pol": dict(stop=20, step=0.01, flags=["-DHAS_DIRECTIONAL"], directional=True, variables=[
        state("x0", 0, 2), state("x1", 1, 0), derivative("x0", 2, 0), derivative("x1", 3, 1), parameter("mu", 4, 1)]),
    "dahlquist": dict(stop=10, step=0.1, variables=[state("x", 0, 1), derivative("x", 1, 0), parameter("k", 2, 1)]),
    "stairs": dict(stop=10, step=0.2, variables=[var("counter", 0, "Int32", "output", "discrete")]),
    "feedthrough": dict(stop=2, step=0.1, variables=[
        var("Float64_input", 0, causality="input", start=0), var("Float64_output", 1, causality="output"),
        parameter("offset", 2, 0, "tunable"),
        var("Float64_discrete_input", 3, causality="input", variability="discrete", start=0),
        var("Float64_discrete_output", 4, causality="output", variability="discrete"),
        var("Float32_input", 5, "Float32", "input", start=0, only3=True),
        var("Float32_output", 6, "Float32", "output", only3=True),
        var("Int32_input", 0, "Int32", "input", "discrete", 0), var("Int32_output", 1, "Int32", "output", "discrete"),
        var("Boolean_input", 0, "Boolean", "input", "discrete", "false"),
        var("Boolean_output", 1, "Boolean", "output", "discrete"),
        var("String_parameter", 0, "String", "parameter", "fixed", "Set me!"),
        var("String_output", 1, "String", "output", "discrete"),
        var("Binary_input", 0, "Binary", "input", "discrete", "666f6f", only3=True),
        var("Binary_output", 1, "Binary", "output", "discrete", only3=True),
        var("Enumeration_input", 2, "Enumeration", "input", "discrete", 1),
        var("Enumeration_output", 3, "Enumeration", "output", "discrete")] + feedthrough_integers()),
    "resource": dict(stop=1, step=0.1, variables=[var("y", 0, "Int32", "output", "discrete")],
                     files={"resources/y.txt": "a\n"}),
    "state_space": dict(stop=2, step=0.05, versions=[3], variables=[
        var("x", 0, causality="local", start="1 2 3", initial="exact", dimensions=[("n", 3)]),
        var("der(x)", 3, of=0, dimensions=[("n", 3)]),
        var("u", 6, causality="input", start=0),
        var("y", 7, causality="output", dimensions=[("n", 3)]),
        var("A", 10, causality="parameter", variability="tunable", start="-1 0 0 0 -2 0 0 0 -3",
            dimensions=[(None, 3), (None, 3)]),
        var("n", 40, "UInt64", "structuralParameter", "fixed", 3)]),
    "drive_stimuli": dict(stop=1, step=0.01, variables=[
        var("wi", 0, causality="output", variability="discrete", needs=[]),
        var("Ti", 1, causality="output", variability="discrete", needs=[])]),
    "drive_controller": dict(stop=1, step=0.01, flags=["-DHAS_DIRECTIONAL"], directional=True, variables=[
        state("pi_x", 0, 0, "local"), derivative("pi_x", 1, 0, needs=[2, 3]), var("wi", 2, causality="input", start=0),
        var("wo", 3, causality="input", start=0), var("v", 4, causality="output", needs=[0, 2, 3]),
        parameter("Kp", 5, 0.1), parameter("Ki", 6, 20)]),
    "drive_motor": dict(stop=1, step=0.01, variables=[
        state("i", 0, 0, "local"), state("w", 1, 0, "local"), state("theta", 2, 0, "local"),
        derivative("i", 3, 0, needs=[0, 1, 6]), derivative("w", 4, 1, needs=[0, 7]), derivative("theta", 5, 2, needs=[1]),
        var("v", 6, causality="input", start=0), var("Ti", 7, causality="input", start=0),
        var("wo", 8, causality="output", needs=[1]), parameter("R", 9, 1), parameter("L", 10, 5e-3),
        parameter("Is", 11, 2), parameter("J", 12, 0.6), parameter("ke", 13, 6.2)]),
    "input_integral": dict(stop=2, step=0.1, variables=[
        state("x", 0, 0), derivative("x", 1, 0), var("u", 2, causality="input", start=0),
        var("k", 0, "Int32", "input", "discrete", 0), var("k_copy", 1, "Int32", "output", "discrete"),
        var("xn", 0, causality="output", alias="negatedAlias", only1=True)]),
    "oscillator": dict(stop=10, step=0.1, variables=[
        state("x", 0, 1), state("v", 1, 0), derivative("x", 2, 0), derivative("v", 3, 1), parameter("d", 4, 0.1),
        var("y", 5, causality="output", needs=[0, 1])]),
    "scaled": dict(stop=100, step=1, versions=[2, 3], variables=[
        state("x", 0, 0), state("v", 1, 0), derivative("x", 2, 0), derivative("v", 3, 1)]),
    "masses_1": masses(1),
    "masses_50": masses(50),
    "pulse": dict(stop=10, step=0.01, indicators=1, variables=[
        state("x", 0, 0), derivative("x", 1, 0), var("count", 0, "Int32", "output", "discrete")]),
    "zero_states": dict(stop=5.2, step=0.1, indicators=1, variables=[
        var("s", 0, causality="output"), var("changes", 0, "Int32", "output", "discrete")]),
    "resizable": dict(stop=1, step=0.1, versions=[3], kinds=["me"], variables=[
        var("x", 0, start="1", initial="exact", dimensions=[("n", 2)]), var("der(x)", 8, of=0, dimensions=[("n", 2)]),
        var("y", 16, causality="output", dimensions=[("n", 2)]),
        var("n", 40, "UInt64", "structuralParameter", "fixed", 2)]),
    "clocks": dict(stop=10, step=1, versions=[3], kinds=["me", "cs", "se"], variables=[
        var("clock_1", 1, "Clock", "input", "discrete", clock=dict(intervalVariability="constant", intervalDecimal=1)),
        var("clock_2", 2, "Clock", "input", "discrete", clock=dict(intervalVariability="triggered", priority=1)),
        var("clock_3", 3, "Clock", "input", "discrete", clock=dict(intervalVariability="countdown", priority=2)),
        var("clock_4", 4, "Clock", "input", "discrete",
            clock=dict(intervalVariability="changing", shiftDecimal=0.25, priority=3)),
        var("clock_5", 5, "Clock", "output", "discrete", clock=dict(intervalVariability="triggered")),
        *[var(f"ticks_{k}", k, "Int32", "output", "discrete", clocks=f"clock_{k}") for k in (1, 2, 3, 4)],
        var("total", 5, "Int32", "output", "discrete"),
        var("result", 6, "Int32", "output", "discrete", clocks="clock_2"),
        var("input", 7, "Int32", "input", "discrete", 0, clocks="clock_2")]),
    "switched": dict(stop=0.1, step=0.001, versions=[2], variables=[
        state("x", 0, 0), derivative("x", 2, 0), state("y", 1, 0), derivative("y", 3, 1), var("u", 4)]),
    "only_parameters": dict(stop=1, step=0.1, variables=[parameter("p", 0, 1)]),
    "harm": dict(stop=1, step=0.1, versions=[], variables=[state("x", 0, 1), derivative("x", 1, 0)]),
    "names": dict(stop=1, step=0.1, source="input_integral", versions=[1, 2], variables=[
        state("body.a[1,2]", 0, 0), derivative("body.a[1,2]", 1, 0),
        var("the \"input\", <u> & 'more'", 2, causality="input", start=0),
        var("k@x/y", 0, "Int32", "input", "discrete", 0), var("msimder(k_copy)", 1, "Int32", "output", "discrete")]),
    "ticking": dict(stop=2, step=0.1, versions=[3], kinds=["cs"], variables=[
        var("counter", 0, "Int32", "output", "discrete", clocks="tick"),
        var("tick", 5, "Clock", "input", "discrete", clock=dict(intervalVariability="constant", intervalDecimal=0.5))]),
}

# Variants with the faults of real FMUs: name, model, flags, versions, changes.
QUIRKS = [
    ("quirk_time_first", "dahlquist", ["-DQUIRK_TIME_FIRST"], [1], {}),
    ("quirk_completed_first", "bouncing_ball", ["-DQUIRK_COMPLETED_FIRST"], [1, 2], {}),
    ("quirk_silent_nominals", "van_der_pol", ["-DQUIRK_SILENT_NOMINALS"], [1, 2], {}),
    ("quirk_silent_start", "stairs", ["-DQUIRK_SILENT_START"], [1], {}),
    ("quirk_silent_derivatives", "dahlquist", ["-DQUIRK_SILENT_DERIVATIVES"], [2], {}),
    ("quirk_silent_output", "oscillator", ["-DQUIRK_SILENT_OUTPUT"], [2], {}),
    ("quirk_silent_step", "dahlquist", ["-DQUIRK_SILENT_STEP"], [3], {}),
    ("quirk_silent_pending", "dahlquist", ["-DQUIRK_PENDING", "-DQUIRK_SILENT_PENDING"], [2], {}),
    ("quirk_few_functions", "van_der_pol", ["-DQUIRK_FEW_FUNCTIONS"], [1, 2], {}),
    ("quirk_hysteresis", "bouncing_ball", ["-DQUIRK_HYSTERESIS"], [1, 2, 3], {}),
    ("quirk_zero_after_event", "bouncing_ball", ["-DQUIRK_ZERO_AFTER_EVENT"], [1, 2, 3], {}),
    ("quirk_no_strings", "feedthrough", ["-DQUIRK_NO_STRINGS"], [1], {}),
    ("quirk_null_string", "feedthrough", ["-DQUIRK_NULL_STRING"], [2], {}),
    ("quirk_constant_step", "dahlquist", ["-DQUIRK_CONSTANT_STEP"], [1, 2], dict(constant_step=True, step=0.3)),
    ("quirk_talkative", "dahlquist", ["-DQUIRK_TALKATIVE"], [1, 2], {}),
    ("quirk_shouting", "dahlquist", ["-DQUIRK_SHOUTING"], [2], {}),
    ("quirk_threads", "dahlquist", ["-DQUIRK_THREADS", "-pthread"], [2], {}),
    ("quirk_no_reset", "dahlquist", ["-DQUIRK_NO_RESET"], [2], {}),
    ("quirk_traps", "dahlquist", ["-DQUIRK_TRAPS"], [2], {}),
    ("quirk_fast_math", "dahlquist", ["-ffast-math"], [2], {}),
    ("quirk_undefined", "dahlquist", ["-DQUIRK_UNDEFINED"], [2], {}),
    ("quirk_companion", "dahlquist", ["-DQUIRK_COMPANION"], [2], dict(companion=True)),
    ("quirk_nameless_companion", "dahlquist", ["-DQUIRK_COMPANION"], [2], dict(companion=True, nameless=True)),
    ("quirk_opens_companion", "dahlquist", ["-DQUIRK_OPENS_COMPANION"], [2], dict(companion=True, unlinked=True)),
    ("quirk_longer_companion", "dahlquist", ["-DQUIRK_COMPANION"], [2],
     dict(companion=True, companion_file="libcompanion.so.1.2.3")),
    ("quirk_lib_before", "dahlquist", [], [2], dict(companion=True, nameless=True, unlinked=True,
                                                    library="libQuirk_lib_before")),
    ("quirk_old_library", "dahlquist", ["-DQUIRK_OLD_LIBRARY"], [2], dict(old=True)),
    ("quirk_code_on_stack", "dahlquist", ["-Wl,-z,execstack"], [2], {}),
    ("quirk_own_symbols", "dahlquist", ["-DQUIRK_OWN_SYMBOLS"], [2], {}),
    ("quirk_percent", "dahlquist", ["-DQUIRK_PERCENT"], [2], {}),
    ("quirk_changes_folder", "dahlquist", ["-DQUIRK_CHANGES_FOLDER"], [2], {}),
    ("quirk_bad_manners", "dahlquist", ["-DQUIRK_BAD_MANNERS"], [2], {}),
    ("quirk_discards", "dahlquist", ["-DQUIRK_REFUSES=2"], [2], {}),
    ("quirk_fails", "dahlquist", ["-DQUIRK_REFUSES=3"], [2], {}),
    ("quirk_fatal", "dahlquist", ["-DQUIRK_REFUSES=4"], [2], {}),
    ("quirk_no_licence", "dahlquist", ["-DQUIRK_NO_LICENCE"], [2], {}),
    ("quirk_stack", "dahlquist", ["-DQUIRK_STACK"], [2], {}),
    ("quirk_gaps", "oscillator", ["-DQUIRK_GAPS"], [2], {}),
    ("quirk_noise", "oscillator", ["-DQUIRK_NOISE=1e-5"], [2], {}),
    ("quirk_event_at_once", "dahlquist", ["-DQUIRK_EVENT_AT_ONCE", "-DQUIRK_COMPLETED_FIRST"], [2], {}),
    ("quirk_no_outputs", "van_der_pol", [], [1, 2, 3], dict(no_outputs=True)),
    ("quirk_bad_end", "dahlquist", ["-DQUIRK_BAD_END"], [2], {}),
    ("quirk_bad_end_of_library", "dahlquist", ["-DQUIRK_BAD_END_OF_LIBRARY"], [2], {}),
    ("quirk_prefix", "dahlquist", [], [2, 3], dict(prefix=True)),
    ("quirk_streams", "dahlquist", [], [2], dict(add=["streams.cpp"])),
    ("quirk_description", "bouncing_ball", [], [2], dict(sloppy=True)),
    ("quirk_library_name", "dahlquist", [], [2], dict(library="another_name")),
    ("quirk_absent_library", "dahlquist", [], [2], dict(absent=True)),
    ("quirk_no_directional", "oscillator", [], [2], dict(directional=True)),
    ("quirk_wrong_directional", "van_der_pol", ["-DQUIRK_WRONG_DIRECTIONAL"], [2], {}),
    ("quirk_no_structure", "oscillator", [], [2], dict(no_structure=True)),
    ("quirk_small_steps", "dahlquist", ["-DQUIRK_SMALL_STEPS"], [2], {}),
    ("quirk_half_steps", "dahlquist", ["-DQUIRK_HALF_STEPS"], [2], {}),
    ("quirk_pending", "dahlquist", ["-DQUIRK_PENDING"], [2], {}),
    ("quirk_ends_in_step", "dahlquist", ["-DQUIRK_ENDS_IN_STEP"], [2], {}),
    ("quirk_stale_event", "dahlquist", ["-DQUIRK_STALE_EVENT"], [2], {}),
    ("quirk_no_logging", "dahlquist", ["-DQUIRK_NO_LOGGING"], [2], {}),
    ("quirk_no_slopes", "input_integral", ["-DQUIRK_NO_SLOPES"], [2], {}),
    ("quirk_endless_iteration", "dahlquist", ["-DQUIRK_ENDLESS_ITERATION"], [2], {}),
    ("quirk_crowd", "dahlquist", ["-DQUIRK_CROWD"], [2], {}),
    ("quirk_no_progress", "dahlquist", ["-DQUIRK_NO_PROGRESS"], [3], dict(no_event_mode=True)),
    ("quirk_only_once", "dahlquist", ["-DQUIRK_ONLY_ONCE"], [2], dict(once=True)),
    ("quirk_strict_clocks", "clocks", ["-DQUIRK_STRICT_CLOCKS"], [3], {}),
    ("quirk_no_intervals", "clocks", ["-DQUIRK_NO_INTERVALS"], [3], dict(kinds=["se"])),
    ("quirk_tool", "dahlquist", [], [1, 2], dict(tool=True)),
    ("quirk_no_times", "dahlquist", [], [1, 2, 3], dict(no_times=True)),
    ("quirk_late_start", "stairs", [], [1, 2, 3], dict(start=4.5)),
    ("extrapolating", "dahlquist", [], [2], dict(output_derivatives=1)),
    ("quirk_32_bit", "dahlquist", [], [2], dict(platform="linux32")),
    ("quirk_no_state_functions", "input_integral", ["-DQUIRK_FEW_FUNCTIONS"], [2], {}),
    ("quirk_ends_at_start", "dahlquist", ["-DQUIRK_ENDS_AT_START"], [2], {}),
    ("other_platform", "dahlquist", [], [2], dict(platform="win64")),
    ("intermediate", "input_integral", [], [3], dict(intermediate=True)),
    ("plain_cs", "input_integral", [], [3], dict(no_event_mode=True)),
    ("source_only", "dahlquist", [], [2], dict(source_fmu=True)),
    ("crash", "harm", ["-DHARM=0", "-DHARM_IN=3"], [1, 2, 3], {}),
    ("crash_at_load", "harm", ["-DHARM=0", "-DHARM_IN=0"], [2], {}),
    ("crash_at_start", "harm", ["-DHARM=0", "-DHARM_IN=1"], [2], {}),
    ("crash_at_initialise", "harm", ["-DHARM=0", "-DHARM_IN=2"], [1, 2, 3], {}),
    ("hang", "harm", ["-DHARM=1", "-DHARM_IN=3"], [2], {}),
    ("hang_at_start", "harm", ["-DHARM=1", "-DHARM_IN=1"], [2], {}),
    ("leave", "harm", ["-DHARM=2", "-DHARM_IN=3"], [2], {}),
    ("abort", "harm", ["-DHARM=3", "-DHARM_IN=3"], [2], {}),
    ("eat_memory", "harm", ["-DHARM=4", "-DHARM_IN=3"], [2], {}),
    ("overflow_stack", "harm", ["-DHARM=5", "-DHARM_IN=3", "-O0"], [2], {}),
    ("divide", "harm", ["-DHARM=6", "-DHARM_IN=3"], [2], {}),
    ("leave_daemon", "harm", ["-DHARM=8", "-DHARM_IN=3"], [2], {}),
    ("kill_parent", "harm", ["-DHARM=9", "-DHARM_IN=3"], [2], {}),
    ("zero_messages", "harm", ["-DHARM=10", "-DHARM_BYTE=0", "-DHARM_IN=3"], [2], {}),
    ("spoil_messages", "harm", ["-DHARM=10", "-DHARM_BYTE=255", "-DHARM_IN=3"], [2], {}),
    ("write_elsewhere", "harm", ["-DHARM=11", "-DHARM_IN=3"], [2], {}),
    ("throw", "harm", ["-DHARM=7", "-DHARM_IN=3", "-fexceptions"], [2], dict(add=["throwing.cpp"])),
]


def attributes(**values):
    return "".join(f" {key}={quoteattr(str(value))}" for key, value in values.items() if value is not None)


def scalar_variable(v, version, index_of, sloppy, inputs=None):
    causality, variability, initial = v["causality"], v["variability"], v.get("initial")
    if version == 1:
        initial = None
        variability = "parameter" if causality == "parameter" else variability
        causality = {"parameter": None, "local": None}.get(causality, causality)
    inner = attributes(start=v["start"], declaredType="Choice" if v["kind"] == "Enumeration" else None)
    if version == 2 and "of" in v:
        inner += attributes(derivative=index_of[v["of"]])
    if sloppy and v["kind"] == "Float64":
        inner += attributes(unit="furlong")
    outer = attributes(name=v["name"] + ("(31)" if sloppy and v["name"] == "g" else ""), valueReference=v["number"],
                       causality=causality, variability=variability, initial=initial, alias=v.get("alias"))
    direct = ""
    if version == 1 and causality == "output" and "needs" in v:
        names = "".join(f"<Name>{escape(inputs[n])}</Name>" for n in v["needs"] if n in inputs)
        direct = f"      <DirectDependency>{names}</DirectDependency>\n"
    return f"    <ScalarVariable{outer}>\n      <{TYPES_2[v['kind']]}{inner}/>\n{direct}    </ScalarVariable>\n"


def typed_variable(v, references):
    reference = references[v["name"]]
    inner = ""
    for name, size in v.get("dimensions", []):
        size_attribute = attributes(valueReference=references[name]) if name else attributes(start=size)
        inner += f"      <Dimension{size_attribute}/>\n"
    start = v["start"]
    if v["kind"] in ("String", "Binary") and start is not None:
        inner += f"      <Start{attributes(value=start)}/>\n"
        start = None
    more = {}
    if v["kind"] == "Enumeration":
        more["declaredType"] = "Choice"
    if "of" in v:
        more["derivative"] = v["of"]
    if "clocks" in v:
        more["clocks"] = references[v["clocks"]]
    more.update(v.get("clock", {}))
    head = attributes(name=v["name"], valueReference=reference, causality=v["causality"], variability=v["variability"],
                      initial=v.get("initial"), start=start, **more)
    return f"    <{v['kind']}{head}>\n{inner}    </{v['kind']}>\n"


def is_initial_unknown(v):
    computed = v.get("initial") is None and v["kind"] != "Clock" and "clocks" not in v
    return computed and (v["causality"] == "output" or "of" in v)


def description(name, model, version, kind):
    variables = [v for v in model["variables"] if not (v.get("only3") and version != 3) and
                 not (v.get("only1") and version != 1)]
    if model.get("no_outputs"):
        variables = [{**v, "causality": "local"} if v["causality"] == "output" else v for v in variables]
    states = sum(1 for v in variables if "of" in v)
    sloppy = model.get("sloppy", False)
    times = dict(startTime=model.get("start", 0), stopTime=model["stop"], stepSize=model["step"])
    experiment = f"  <DefaultExperiment{attributes(**times)}/>\n" if not model.get("no_times") else ""
    tool = "true" if model.get("tool") else None
    items = "".join(f"<Item{attributes(name=f'Option {k}', value=None if version == 1 else k)}/>" for k in (1, 2))
    variable_step = "false" if model.get("constant_step") else "true"
    encoding = "ISO-8859-1" if sloppy else "UTF-8"
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<fmiModelDescription'
    common = dict(modelName=name + (" \u00fcber" if sloppy else ""), generationTool="Orrery tests")
    if version == 1:
        text += attributes(fmiVersion="1.0", modelIdentifier=name, guid="{test}", numberOfContinuousStates=states,
                           numberOfEventIndicators=model.get("indicators", 0), **common) + ">\n"
        text += '  <TypeDefinitions><Type name="Choice"><EnumerationType>'
        text += f"{items}</EnumerationType></Type></TypeDefinitions>\n"
        text += experiment.replace(attributes(stepSize=model["step"]), "")
        inputs = {v["number"]: v["name"] for v in variables if v["kind"] == "Float64" and v["causality"] == "input"}
        text += "  <ModelVariables>\n" + "".join(scalar_variable(v, 1, {}, False, inputs) for v in variables)
        text += "  </ModelVariables>\n"
        if kind == "cs":
            element = "CoSimulation_Tool" if tool else "CoSimulation_StandAlone"
            text += f"  <Implementation><{element}><Capabilities" + attributes(
                canHandleVariableCommunicationStepSize=variable_step)
            text += f"/></{element}></Implementation>\n"
        return (text + "</fmiModelDescription>\n").encode(encoding)
    if version == 2:
        index_of = {v["number"]: k + 1 for k, v in enumerate(variables) if v["kind"] == "Float64"}
        text += attributes(fmiVersion="2.0", guid="{test}", numberOfEventIndicators=model.get("indicators", 0),
                           variableNamingConvention="structured" if sloppy else "flat", **common) + ">\n"
        source = ""
        if model.get("source_fmu"):
            source = f'<SourceFiles><File name="{model["base"]}.c"/><File name="fmu2.c"/></SourceFiles>'
        text += "  <ModelExchange" + attributes(
            modelIdentifier=name, providesDirectionalDerivative="true" if model.get("directional") else None,
            canGetAndSetFMUstate="true", canSerializeFMUstate="true", needsExecutionTool=tool,
            canBeInstantiatedOnlyOncePerProcess="true" if model.get("once") else None)
        text += f">{source}</ModelExchange>\n"
        text += "  <CoSimulation" + attributes(
            modelIdentifier=name, canHandleVariableCommunicationStepSize=variable_step, canInterpolateInputs="true",
            maxOutputDerivativeOrder=model.get("output_derivatives"),
            canGetAndSetFMUstate="true", canSerializeFMUstate="true", needsExecutionTool=tool,
            canBeInstantiatedOnlyOncePerProcess="true" if model.get("once") else None)
        text += f">{source}</CoSimulation>\n"
        text += '  <TypeDefinitions><SimpleType name="Choice"><Enumeration>'
        text += f"{items}</Enumeration></SimpleType></TypeDefinitions>\n"
        text += '  <LogCategories><Category name="chatter"/></LogCategories>\n' + experiment
        text += "  <ModelVariables>\n" + "".join(scalar_variable(v, 2, index_of, sloppy) for v in variables)
        text += "  </ModelVariables>\n"
        needs = [attributes(dependencies=" ".join(str(index_of[n]) for n in v["needs"])) if "needs" in v else ""
                 for v in variables]
        outputs = "".join(f'<Unknown index="{k + 1}"{needs[k]}/>' for k, v in enumerate(variables)
                          if v["causality"] == "output")
        derivatives = "".join(f'<Unknown index="{k + 1}"{needs[k]}/>' for k, v in enumerate(variables) if "of" in v)
        if model.get("no_structure"):
            outputs = derivatives = ""
        text += "  <ModelStructure>"
        text += f"<Outputs>{outputs}</Outputs>" if outputs and not sloppy else ""
        text += f"<Derivatives>{derivatives}</Derivatives>" if derivatives else ""
        if not sloppy and not model.get("no_structure"):
            unknowns = "".join(f'<Unknown index="{k + 1}"/>' for k, v in enumerate(variables) if is_initial_unknown(v))
            text += f"<InitialUnknowns>{unknowns}</InitialUnknowns>" if unknowns else ""
        return (text + "</ModelStructure>\n</fmiModelDescription>\n").encode(encoding)
    references = {v["name"]: 1000 * TYPES_3.index(v["kind"]) + v["number"] for v in variables}
    text += attributes(fmiVersion="3.0", instantiationToken="{test}", **common) + ">\n"
    kinds = model.get("kinds", ["me", "cs"])
    text += f"  <ModelExchange{attributes(modelIdentifier=name)}/>\n" if "me" in kinds else ""
    event_mode = None if model.get("no_event_mode") or model.get("intermediate") else "true"
    states = dict(canGetAndSetFMUState="true", canSerializeFMUState="true")
    text += "  <CoSimulation" + attributes(
        modelIdentifier=name, canHandleVariableCommunicationStepSize="true", hasEventMode=event_mode,
        mightReturnEarlyFromDoStep=event_mode, providesIntermediateUpdate="true" if model.get("intermediate") else None,
        **states) + "/>\n" if "cs" in kinds else ""
    text += f"  <ScheduledExecution{attributes(modelIdentifier=name)}/>\n" if "se" in kinds else ""
    text += f'  <TypeDefinitions><EnumerationType name="Choice">{items}</EnumerationType></TypeDefinitions>\n'
    text += experiment + "  <ModelVariables>\n    <Float64" + attributes(
        name="time", valueReference=999, causality="independent", variability="continuous") + "/>\n"
    text += "".join(typed_variable(v, references) for v in variables)
    indicators = ""
    for k in range(model.get("indicators", 0)):
        text += f'    <Float64 name="z{k}" valueReference="{900 + k}"/>\n'
        indicators += f'    <EventIndicator valueReference="{900 + k}"/>\n'
    text += "  </ModelVariables>\n  <ModelStructure>\n"
    for v in variables:
        if v["causality"] == "output":
            needs = attributes(dependencies=" ".join(str(n) for n in v["needs"])) if "needs" in v else ""
            text += f'    <Output valueReference="{references[v["name"]]}"{needs}/>\n'
    for v in variables:
        if "of" in v:
            needs = attributes(dependencies=" ".join(str(n) for n in v["needs"])) if "needs" in v else ""
            text += f'    <ContinuousStateDerivative valueReference="{references[v["name"]]}"{needs}/>\n'
    for v in variables:
        if is_initial_unknown(v):
            text += f'    <InitialUnknown valueReference="{references[v["name"]]}"/>\n'
    return (text + indicators + "  </ModelStructure>\n</fmiModelDescription>\n").encode(encoding)


def make_library(cc, text_or_file, path, soname, flags=()):
    source = [str(text_or_file)] if text_or_file else ["-xc", "/dev/null"]
    named = [f"-Wl,-soname,{soname}"] if soname else []
    subprocess.run([cc, "-shared", "-fPIC", *flags, *source, *named, "-o", str(path)], check=True)


# Names of the functions with a prefix, as only static libraries should have them.
def prefixed(source, version, name):
    header = (source / f"src/fmi/api/fmi{version}.h").read_text(encoding="utf-8")
    functions = re.findall(r"X\(\d, [^,]+, (\w+),", header)
    return [f"-Dfmi{version}{function}={name}_fmi{version}{function}" for function in functions]


def build(cc, source, out, name, base, version, flags, changes):
    model = {**MODELS[base], "base": base, **changes}
    code = model.get("source", base)
    models = source / "tests/fmi/models"
    library = out / f"{name}_{version}.so"
    command = [cc, "-shared", "-fPIC", "-O1", "-w", f"-DMODEL_ID={name}", f"-I{source / 'src'}", f"-I{models}",
               *flags, *model.get("flags", []), str(models / f"{code}.c"), str(models / f"fmu{version}.c"),
               "-o", str(library), "-lm"]
    if changes.get("add"):
        command += [str(models / file) for file in changes["add"]] + ["-lstdc++"]
    if changes.get("prefix"):
        command += prefixed(source, version, name)
    folder = out / name
    if changes.get("absent") or changes.get("companion") or changes.get("old"):
        folder.mkdir(exist_ok=True)
        command += ["-Wl,--no-as-needed", f"-L{folder}"]
    if changes.get("absent"):
        make_library(cc, None, folder / "libabsent.so", "libabsent.so.3")
        command += ["-labsent"]
    if changes.get("companion"):
        nameless = changes.get("nameless")
        make_library(cc, models / "companion.c", folder / "libcompanion.so", None if nameless else "libcompanion.so.1")
        command += [] if changes.get("unlinked") else ["-lcompanion"]
    if changes.get("old"):
        (folder / "old.c").write_text("int _gfortran_string_len_trim(int n, const char* s) { return 0; }\n")
        (folder / "old.map").write_text("GFORTRAN_1.0 { global: *; };\n")
        make_library(cc, folder / "old.c", folder / "libgfortran.so", "libgfortran.so.3",
                     [f"-Wl,--version-script={folder / 'old.map'}"])
        command += ["-lgfortran"]
    subprocess.run(command, check=True)
    platform = changes.get("platform", "x86_64-linux" if version == 3 else "linux64")
    for kind in ["me", "cs"] if version == 1 else [""]:
        path = out / f"{name}_{version}{'_' + kind if kind else ''}.fmu"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description(name, model, version, kind))
            if changes.get("source_fmu"):
                for file in [f"{base}.c", "fmu2.c", "model.h", "defaults.h"]:
                    archive.write(models / file, f"sources/{file}")
                archive.write(source / "src/fmi/api/fmi2.h", "sources/fmi/api/fmi2.h")
            else:
                archive.write(library, f"binaries/{platform}/{changes.get('library', name)}.so")
            if changes.get("companion"):
                file = "libcompanion.so" if changes.get("nameless") else "libcompanion.so.1"
                file = changes.get("companion_file", file)
                archive.write(folder / "libcompanion.so", f"binaries/{platform}/{file}")
            for file, text in model.get("files", {}).items():
                archive.writestr(file, text)
    library.unlink()


def main():
    cc, source, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(name, name, version, [], {}) for name, model in MODELS.items()
            for version in model.get("versions", [1, 2, 3])]
    jobs += [(name, base, version, flags, changes) for name, base, flags, versions, changes in QUIRKS
             for version in versions]
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(build, cc, source, out, *job) for job in jobs]:
            done.result()
    (out / "stamp").touch()


if __name__ == "__main__":
    main()
