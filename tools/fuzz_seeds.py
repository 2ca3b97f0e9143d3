#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small well-formed inputs for the fuzz targets of binary formats: fuzz_seeds.py TARGET FOLDER"""

import io
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

DESCRIPTIONS = {
    "2": """<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="m" guid="{1}" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="m"/><CoSimulation modelIdentifier="m" canHandleVariableCommunicationStepSize="true"/>
<UnitDefinitions><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit></UnitDefinitions>
<TypeDefinitions><SimpleType name="T"><Real unit="m/s" min="0"/></SimpleType></TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="1" tolerance="1e-6" stepSize="0.1"/>
<ModelVariables><ScalarVariable name="x" valueReference="0" causality="output" initial="exact"><Real declaredType="T" start="1"/></ScalarVariable>
<ScalarVariable name="der(x)" valueReference="1"><Real derivative="1"/></ScalarVariable>
<ScalarVariable name="s" valueReference="2" causality="parameter" variability="fixed"><String start="a&amp;b"/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="1" dependencies="1" dependenciesKind="dependent"/></Outputs>
<Derivatives><Unknown index="2"/></Derivatives></ModelStructure></fmiModelDescription>""",
    "3": """<?xml version="1.0"?><fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="{1}">
<CoSimulation modelIdentifier="m"/><ModelVariables><Float64 name="time" valueReference="0" causality="independent"/>
<UInt64 name="n" valueReference="1" causality="structuralParameter" variability="tunable" start="3"/>
<Float64 name="y" valueReference="2" causality="output" start="1 2 3"><Dimension valueReference="1"/></Float64>
<Clock name="c" valueReference="3" causality="input" intervalVariability="constant" intervalDecimal="0.5"/></ModelVariables>
<ModelStructure><Output valueReference="2" dependencies="0"/></ModelStructure></fmiModelDescription>""",
    "1": """<?xml version="1.0"?><fmiModelDescription fmiVersion="1.0" modelName="m" modelIdentifier="m" guid="{1}"
 numberOfContinuousStates="1" numberOfEventIndicators="0"><ModelVariables>
<ScalarVariable name="x" valueReference="0" causality="output"><Real start="1" fixed="true"/></ScalarVariable>
</ModelVariables></fmiModelDescription>"""}


def archive():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("modelDescription.xml", DESCRIPTIONS["2"])
        packed.writestr("resources/a.txt", "text" * 50)
    return data.getvalue()


def recording():
    def message(data):
        return struct.pack("<Q", len(data)) + data
    answer = struct.pack("<i", 0) + message(b"\x01")
    calls = b"".join(struct.pack("<I", k) + message(b"") + message(answer) for k in (0, 8, 11, 12, 19, 29, 42))
    return b"orrery fmi calls 1\n" + message(b'{"fmu": "m", "xml": "", "input": "", "input_text": ""}') + calls


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(name, kind, rows, cols, data, flags=0):
    return element(14, element(6, struct.pack("<II", kind | flags, 0)) + element(5, struct.pack("<ii", rows, cols)) +
                   element(1, name) + data)


def mat_files():
    head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x0100, 0x4D49)
    numbers = element(9, struct.pack("<4d", 1, 2, 3, 4))
    a = matrix(b"a", 6, 2, 2, numbers)
    text = matrix(b"t", 4, 1, 3, element(17, struct.pack("<3H", 97, 98, 99)))
    cell = matrix(b"c", 1, 1, 2, a + text)
    struct_ = matrix(b"s", 2, 1, 1, element(5, struct.pack("<i", 8)) + element(1, b"field\0\0\0") + a)
    sparse = matrix(b"p", 5, 2, 2, element(5, struct.pack("<2i", 0, 1)) + element(5, struct.pack("<3i", 0, 1, 2)) +
                    element(9, struct.pack("<2d", 1, 2)))
    packed = zlib.compress(a)
    version4 = struct.pack("<5i", 0, 2, 1, 0, 2) + b"x\0" + struct.pack("<2d", 1, 2)
    return [head + a, head + text + cell, head + struct_ + sparse, head + struct.pack("<II", 15, len(packed)) + packed,
            version4]


def values():
    def number(n):
        return struct.pack("<Q", n)
    def text(s):
        return number(len(s)) + s
    real = bytes([4, 0]) + number(2) + number(1) + number(2) + struct.pack("<2d", 1, 2)
    cell = bytes([8, 0]) + number(2) + number(1) + number(1) + real
    struct_ = bytes([9, 0]) + number(2) + number(1) + number(1) + number(1) + text(b"f") + real
    sparse = bytes([11, 0]) + number(2) + number(2) + number(2) + number(0) + number(1) + number(0) + number(0) + \
        number(1) + number(1) + struct.pack("<d", 1)
    return [text(b"a") + real, text(b"c") + cell + text(b"s") + struct_, text(b"p") + sparse]


MODEL = '{"orrery": 2, "name": "m", "blocks": [{"name": "G", "type": "Gain", "parameters": {"k": "2"}}]}'


def journal():
    def operation(**fields):
        return json.dumps(fields)
    change = operation(at="", splice="blocks", index=0, remove=1, insert=['{"name": "H", "type": "Gain"}'])
    back = operation(at="", splice="blocks", index=0, remove=1, insert=['{"name": "G", "type": "Gain"}'])
    lines = [{"orrery-journal": 1, "file": "m.orr", "text": MODEL},
             {"perform": "rename", "operations": [change], "inverses": [back]}, {"undo": True}, {"redo": True},
             {"perform": "name", "operations": [operation(at="", set="name", value='"x"')],
              "inverses": [operation(at="", set="name", value='"m"')]}]
    return "\n".join(json.dumps(line) for line in lines) + "\n"


COMMANDS = ["""add Gain as K at 100,80 k=2
connect C:1 G:1
remove /S
undo
redo
rename /G H
""", """set /G k 3
group /C /G as A
ungroup /A
move /C by 10,20
context / "k = 3;"
arrange /
"""]
TABLES = ["%f,%f\n1,2\n3,x\n", "%s %d %*s\nab 1 c\n", "(a+)(b)?\naab ab\n", "yyyy-mm-dd\n2024-01-02\n", ",\n1,2\n,\n"]


def answers():
    status = struct.pack("<i", 0)
    return b"".join(struct.pack("<H", len(part)) + part for part in
                    [status + struct.pack("<Q", 8) + struct.pack("<d", 1)] * 8 + [status] * 4)


SWEEPS = ["v a=linspace(0,1,5)\ns k=normal(1,0.1)\nk max(/Speed)\n", "v a=[1 2 5]\nv b=0:0.1:1\nk peak=max(/P/x)-final(/P/x:2)\n",
          "a,b\n1,2\n3,4\nk mean(/x[2]) + t(end)*/y(1)\n", "s k=uniform(0,1)\ns m=lognormal(0,1)\nk rms('/A b/c')\n"]
PAGES = ["""{"id": 1, "do": "edit", "doc": 1, "steps": [["add", "Gain", "as", "K", "at", "10,20"], ["connect", "C:1", "/$1:1"]], "label": "x"}
{"id": 2, "do": "undo", "doc": 1}
{"id": 3, "do": "redo", "doc": 1}
{"id": 4, "do": "inspect", "doc": 1, "block": "/G"}
{"id": 5, "do": "diagram", "doc": 1, "diagram": "/P"}
{"id": 6, "do": "copy", "doc": 1, "blocks": ["/G", "/C"]}
{"id": 7, "do": "find", "doc": 1, "text": "k"}
GET /scene?doc=1&diagram=/
GET /picture.svg?doc=1&theme=dark
""", """{"id": 1, "do": "run", "doc": 1, "set": {"k": "2"}, "settings": {"stop": "1"}, "signals": ["/G"], "breaks": ["t > 1"]}
{"id": 2, "do": "watch", "doc": 1, "run": 1, "signals": [0], "from": 0, "to": 1, "pixels": 100}
{"id": 3, "do": "acknowledge", "watch": 1}
{"id": 4, "do": "pin", "run": 1, "name": "r"}
{"id": 5, "do": "explain", "run": 1, "event": 0}
{"id": 6, "do": "forget", "run": 1}
GET /samples?run=1&signals=0,1&from=0&to=nan
GET /events?run=1&filter=clock&count=10
GET /results/1.csv
""", """{"id": 1, "do": "save", "doc": 1, "force": true}
{"id": 2, "do": "save_as", "doc": 1, "path": "other.orr"}
{"id": 3, "do": "list", "folder": ""}
{"id": 4, "do": "open", "path": "other.orr", "new": true}
{"id": 5, "do": "diff", "doc": 1, "with": "m.orr"}
{"id": 6, "do": "revert", "doc": 1}
{"id": 7, "do": "evaluate", "doc": 1, "diagram": "/", "texts": ["k + 1"]}
{"id": 8, "do": "console", "doc": 1, "text": "x = 1"}
{"id": 9, "do": "consent", "doc": 1, "allow": ["write"]}
{"id": 10, "do": "preferences", "set": {"theme": "dark"}}
{"id": 11, "do": "close", "doc": 1, "discard": true}
{"do": "hello"}
"""]


def worker():
    def message(kind, data):
        return bytes([kind]) + struct.pack("<H", len(data)) + data
    def say(**fields):
        return message(0, json.dumps({"run": 1, **fields}).encode())
    rows = struct.pack("<III", 1, 2, 3) + struct.pack("<9d", 0, 1, 2, *range(6)) + bytes(3)
    events = struct.pack("<II", 1, 1) + struct.pack("<dddIIiBBH", 0.5, -1, 1, 0, 0, 1, 3, 1, 0)
    run = say(on="sources", origins=["/C", "/S"], sources=[{"activates": [0, 1]}],
              surfaces=[{"source": 0, "origin": 0, "text": "u"}]) + \
        say(on="columns", columns=[{"name": "S", "block": "/S"}, {"name": "C", "block": "/C"}]) + \
        say(on="started", start=0, stop=1, diagnostics=[]) + message(1, rows) + message(2, struct.pack("<Ib", 1, 1)) + \
        message(3, events) + say(on="progress", t=1) + say(on="paused", t=1, last_event=True) + \
        say(on="ended", state="done", diagnostics=[{"code": "needs-consent", "help": "--allow write"}],
            report={"t": 1, "seconds": 0.1})
    facts = {"/C": {"ports": [0, 1, 0, 0], "out": ["f64"], "values": {
        "C": {"type": "f64", "rows": 1, "cols": 2, "text": "1", "data": [1, "Inf"]}, "s": {"string": "x"}}}}
    check = message(4, json.dumps({"ok": {"revision": 0, "seconds": 0, "facts": facts, "diagnostics": [
        {"severity": "error", "code": "algebraic-loop", "message": "/A -> /B -> /A", "block": "/C"}]}}).encode())
    return [run, check]


def main():
    target, folder = sys.argv[1], Path(sys.argv[2])
    inputs = {"description": [text.encode() for text in DESCRIPTIONS.values()], "archive": [archive()],
              "recording": [recording()], "mat": mat_files(), "mat_values": values(),
              "journal": [journal().encode()], "edit": [text.encode() for text in COMMANDS],
              "tables": [text.encode() for text in TABLES], "answers": [answers()], "worker": worker(),
              "sweep": [text.encode() for text in SWEEPS], "protocol": [text.encode() for text in PAGES], "saved_run": [b"\0\0\0\0"],
              "library": [b'{"library": "l", "version": 1, "key": "k", "old_keys": ["a"], "locked": true}']}[target]
    for k, data in enumerate(inputs):
        (folder / f"seed{k}").write_bytes(data)


if __name__ == "__main__":
    main()
