#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the test models for FMI 1.0, 2.0 and 3.0 and packs them: make_fmus.py CC SOURCE_DIR OUTPUT_DIR"""

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.sax.saxutils import quoteattr

TYPES_3 = ["Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean",
           "String", "Binary", "Enumeration", "Clock"]
TYPES_2 = {"Float64": "Real", "Int32": "Integer", "Boolean": "Boolean", "String": "String",
           "Enumeration": "Enumeration"}


def var(name, number, kind="Float64", causality="local", variability=None, start=None, **more):
    return dict(name=name, number=number, kind=kind, causality=causality, variability=variability, start=start, **more)


def state(name, number, start, causality="output"):
    return var(name, number, causality=causality, start=start, initial="exact")


def derivative(name, number, of):
    return var(f"der({name})", number, of=of)


def parameter(name, number, start, variability="fixed"):
    return var(name, number, causality="parameter", variability=variability, start=start)


def feedthrough_integers():
    kinds = ["Int8", "UInt8", "Int16", "UInt16", "UInt32", "Int64", "UInt64"]
    variables = []
    for k, kind in enumerate(kinds):
        variables.append(var(f"{kind}_input", 10 + 2 * k, kind, "input", "discrete", 0, only3=True))
        variables.append(var(f"{kind}_output", 11 + 2 * k, kind, "output", "discrete", only3=True))
    return variables


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
    "input_integral": dict(stop=2, step=0.1, variables=[
        state("x", 0, 0), derivative("x", 1, 0), var("u", 2, causality="input", start=0),
        var("k", 0, "Int32", "input", "discrete", 0), var("k_copy", 1, "Int32", "output", "discrete"),
        var("xn", 0, causality="output", alias="negatedAlias", only1=True)]),
    "crash": dict(stop=1, step=0.1, versions=[2], variables=[state("x", 0, 1), derivative("x", 1, 0)]),
    "ticking": dict(stop=2, step=0.1, versions=[3], kinds=["cs"], variables=[
        var("counter", 0, "Int32", "output", "discrete", clocks="tick"),
        var("tick", 5, "Clock", "input", "discrete", interval=0.5)]),
}

# Variants with the faults of real FMUs: name, model, flags, versions, changes.
QUIRKS = [
    ("quirk_time_first", "dahlquist", ["-DQUIRK_TIME_FIRST"], [1], {}),
    ("quirk_completed_first", "bouncing_ball", ["-DQUIRK_COMPLETED_FIRST"], [1, 2], {}),
    ("quirk_silent_nominals", "van_der_pol", ["-DQUIRK_SILENT_NOMINALS"], [1, 2], {}),
    ("quirk_few_functions", "van_der_pol", ["-DQUIRK_FEW_FUNCTIONS"], [2], {}),
    ("quirk_null_string", "feedthrough", ["-DQUIRK_NULL_STRING"], [2], {}),
    ("quirk_constant_step", "dahlquist", ["-DQUIRK_CONSTANT_STEP"], [1, 2], dict(constant_step=True, step=0.3)),
    ("quirk_talkative", "dahlquist", ["-DQUIRK_TALKATIVE"], [1, 2], {}),
    ("quirk_streams", "dahlquist", [], [2], dict(streams=True)),
    ("quirk_description", "bouncing_ball", [], [2], dict(sloppy=True)),
    ("quirk_library_name", "dahlquist", [], [2], dict(library="another_name")),
    ("quirk_absent_library", "dahlquist", [], [2], dict(absent=True)),
    ("source_only", "dahlquist", [], [2], dict(source=True)),
]


def attributes(**values):
    return "".join(f" {key}={quoteattr(str(value))}" for key, value in values.items() if value is not None)


def scalar_variable(v, version, index_of, sloppy):
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
    return f"    <ScalarVariable{outer}>\n      <{TYPES_2[v['kind']]}{inner}/>\n    </ScalarVariable>\n"


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
    if "interval" in v:
        more.update(intervalVariability="constant", intervalDecimal=v["interval"])
    head = attributes(name=v["name"], valueReference=reference, causality=v["causality"], variability=v["variability"],
                      initial=v.get("initial"), start=start, **more)
    return f"    <{v['kind']}{head}>\n{inner}    </{v['kind']}>\n"


def description(name, model, version, kind):
    variables = [v for v in model["variables"] if not (v.get("only3") and version != 3) and
                 not (v.get("only1") and version != 1)]
    states = sum(1 for v in variables if "of" in v)
    sloppy = model.get("sloppy", False)
    experiment = f"  <DefaultExperiment{attributes(startTime=0, stopTime=model['stop'], stepSize=model['step'])}/>\n"
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
        text += "  <ModelVariables>\n" + "".join(scalar_variable(v, 1, {}, False) for v in variables)
        text += "  </ModelVariables>\n"
        if kind == "cs":
            text += "  <Implementation><CoSimulation_StandAlone><Capabilities" + attributes(
                canHandleVariableCommunicationStepSize=variable_step)
            text += "/></CoSimulation_StandAlone></Implementation>\n"
        return (text + "</fmiModelDescription>\n").encode(encoding)
    if version == 2:
        index_of = {v["number"]: k + 1 for k, v in enumerate(variables) if v["kind"] == "Float64"}
        text += attributes(fmiVersion="2.0", guid="{test}", numberOfEventIndicators=model.get("indicators", 0),
                           variableNamingConvention="structured" if sloppy else "flat", **common) + ">\n"
        source = ""
        if model.get("source"):
            source = f'<SourceFiles><File name="{model["base"]}.c"/><File name="fmu2.c"/></SourceFiles>'
        text += "  <ModelExchange" + attributes(
            modelIdentifier=name, providesDirectionalDerivative="true" if model.get("directional") else None)
        text += f">{source}</ModelExchange>\n"
        text += "  <CoSimulation" + attributes(
            modelIdentifier=name, canHandleVariableCommunicationStepSize=variable_step, canInterpolateInputs="true")
        text += f">{source}</CoSimulation>\n"
        text += '  <TypeDefinitions><SimpleType name="Choice"><Enumeration>'
        text += f"{items}</Enumeration></SimpleType></TypeDefinitions>\n"
        text += '  <LogCategories><Category name="chatter"/></LogCategories>\n' + experiment
        text += "  <ModelVariables>\n" + "".join(scalar_variable(v, 2, index_of, sloppy) for v in variables)
        text += "  </ModelVariables>\n"
        outputs = "".join(f'<Unknown index="{k + 1}"/>' for k, v in enumerate(variables) if v["causality"] == "output")
        derivatives = "".join(f'<Unknown index="{k + 1}"/>' for k, v in enumerate(variables) if "of" in v)
        text += "  <ModelStructure>"
        text += f"<Outputs>{outputs}</Outputs>" if outputs and not sloppy else ""
        text += f"<Derivatives>{derivatives}</Derivatives>" if derivatives else ""
        return (text + "</ModelStructure>\n</fmiModelDescription>\n").encode(encoding)
    references = {v["name"]: 1000 * TYPES_3.index(v["kind"]) + v["number"] for v in variables}
    text += attributes(fmiVersion="3.0", instantiationToken="{test}", **common) + ">\n"
    kinds = model.get("kinds", ["me", "cs"])
    text += f"  <ModelExchange{attributes(modelIdentifier=name)}/>\n" if "me" in kinds else ""
    text += "  <CoSimulation" + attributes(modelIdentifier=name, canHandleVariableCommunicationStepSize="true",
                                           hasEventMode="true", mightReturnEarlyFromDoStep="true") + "/>\n"
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
            text += f'    <Output valueReference="{references[v["name"]]}"/>\n'
    for v in variables:
        if "of" in v:
            text += f'    <ContinuousStateDerivative valueReference="{references[v["name"]]}"/>\n'
    return (text + indicators + "  </ModelStructure>\n</fmiModelDescription>\n").encode(encoding)


def build(cc, source, out, name, base, version, flags, changes):
    model = dict(MODELS[base], base=base, **changes)
    if changes.get("step"):
        model["step"] = changes["step"]
    models = source / "tests/fmi/models"
    library = out / f"{name}_{version}.so"
    command = [cc, "-shared", "-fPIC", "-O1", "-w", f"-DMODEL_ID={name}", f"-I{source / 'src'}", f"-I{models}",
               *flags, *model.get("flags", []), str(models / f"{base}.c"), str(models / f"fmu{version}.c"),
               "-o", str(library), "-lm"]
    if changes.get("streams"):
        command += [str(models / "streams.cpp"), "-lstdc++"]
    if changes.get("absent"):
        folder = out / "absent"
        folder.mkdir(exist_ok=True)
        subprocess.run([cc, "-shared", "-fPIC", "-xc", "/dev/null", "-Wl,-soname,libabsent.so.3", "-o",
                        str(folder / "libabsent.so")], check=True)
        command += ["-Wl,--no-as-needed", f"-L{folder}", "-labsent"]
    subprocess.run(command, check=True)
    platform = "x86_64-linux" if version == 3 else "linux64"
    for kind in ["me", "cs"] if version == 1 else [""]:
        path = out / f"{name}_{version}{'_' + kind if kind else ''}.fmu"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description(name, model, version, kind))
            if changes.get("source"):
                for file in [f"{base}.c", "fmu2.c", "model.h", "defaults.h"]:
                    archive.write(models / file, f"sources/{file}")
                archive.write(source / "src/fmi/api/fmi2.h", "sources/fmi/api/fmi2.h")
            else:
                archive.write(library, f"binaries/{platform}/{changes.get('library', name)}.so")
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
