#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second importer of FMUs, written from the standards FMI 2.0 and 3.0 alone with Python's own library: it shares no
line with Orrery's. It judges the description, loads the library, and calls what the tests want to see called.

    independent_importer.py X.fmu...      judges each and compares its derivatives with differences
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
import zipfile

F2 = """GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean SetString
GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate
GetDirectionalDerivative""".split()
F2_ME = """EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates
GetDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates""".split()
F2_CS = """SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus GetIntegerStatus
GetBooleanStatus GetStringStatus""".split()
TYPES3 = "Float32 Float64 Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean String Binary".split()
F3 = ["GetVersion", "SetDebugLogging", "InstantiateModelExchange", "InstantiateCoSimulation",
      "InstantiateScheduledExecution", "FreeInstance", "EnterInitializationMode", "ExitInitializationMode",
      "EnterEventMode", "Terminate", "Reset", "GetClock", "SetClock", "GetNumberOfVariableDependencies",
      "GetVariableDependencies", "GetFMUState", "SetFMUState", "FreeFMUState", "SerializedFMUStateSize",
      "SerializeFMUState", "DeserializeFMUState", "GetDirectionalDerivative", "GetAdjointDerivative",
      "EnterConfigurationMode", "ExitConfigurationMode", "GetIntervalDecimal", "GetIntervalFraction",
      "GetShiftDecimal", "GetShiftFraction", "SetIntervalDecimal", "SetIntervalFraction", "SetShiftDecimal",
      "SetShiftFraction", "EvaluateDiscreteStates", "UpdateDiscreteStates", "EnterContinuousTimeMode",
      "CompletedIntegratorStep", "SetTime", "SetContinuousStates", "GetContinuousStateDerivatives",
      "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates", "GetNumberOfEventIndicators",
      "GetNumberOfContinuousStates", "EnterStepMode", "GetOutputDerivatives", "DoStep", "ActivateModelPartition"]
F3 += [way + kind for kind in TYPES3 for way in ("Get", "Set")]

ORDER = {2: ["ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories",
             "DefaultExperiment", "VendorAnnotations", "ModelVariables", "ModelStructure"],
         3: ["ModelExchange", "CoSimulation", "ScheduledExecution", "UnitDefinitions", "TypeDefinitions",
             "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure", "Annotations"]}


class Variable:
    def __init__(self, node, version, index):
        self.name, self.reference = node.get("name"), int(node.get("valueReference"))
        self.causality, self.index = node.get("causality", "local"), index
        kind = node if version == 3 else [child for child in node if child.tag != "Annotations"][0]
        self.type = kind.tag
        self.variability = node.get("variability", "continuous" if self.type in ("Real", "Float64") else "discrete")
        self.initial, self.start = node.get("initial"), kind.get("start")
        self.derivative, self.unit = kind.get("derivative"), kind.get("unit")
        self.shape = [int(d.get("start")) for d in node.findall("Dimension")]
        self.size = 1
        for d in self.shape:
            self.size *= d


class Fmu:
    """The archive, unpacked; `findings` are breaches of the standard."""

    def __init__(self, path):
        self.path, self.findings = path, []
        self.folder = tempfile.TemporaryDirectory()
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder.name)
        self.root = tree.parse(os.path.join(self.folder.name, "modelDescription.xml")).getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.interfaces = {k: self.root.find(k) for k in ("ModelExchange", "CoSimulation", "ScheduledExecution")
                           if self.root.find(k) is not None}
        self.identifier = next(iter(self.interfaces.values())).get("modelIdentifier")
        self.token = self.root.get("guid" if self.version == 2 else "instantiationToken")
        self.variables = [Variable(n, self.version, k + 1) for k, n in enumerate(self.root.find("ModelVariables"))]
        by_key = {(v.index if self.version == 2 else v.reference): v for v in self.variables}
        self.by_key = by_key
        self.structure = {}
        for node in self.root.find("ModelStructure"):
            units = list(node) if self.version == 2 else [node]
            for unknown in units:
                key = int(unknown.get("index" if self.version == 2 else "valueReference"))
                depends = unknown.get("dependencies")
                self.structure.setdefault(node.tag, []).append(
                    (by_key.get(key), None if depends is None else [by_key.get(int(d)) for d in depends.split()]))
        self.library = None

    def finding(self, text):
        self.findings.append(f"{os.path.basename(self.path)}: {text}")

    def unknowns(self, two, three):
        return self.structure.get(two if self.version == 2 else three, [])

    def judge(self):
        tags = [n.tag for n in self.root]
        order = [ORDER[self.version].index(t) if t in ORDER[self.version] else -1 for t in tags]
        if -1 in order or order != sorted(order) or len(set(tags)) != len(tags):
            self.finding(f"elements {tags} are not in the order of the standard")
        if not re.fullmatch(r"[A-Za-z_]\w*", self.identifier):
            self.finding("modelIdentifier is no C identifier")
        names = [v.name for v in self.variables]
        if len(set(names)) != len(names):
            self.finding("names are not unique")
        if self.version == 3 and len({v.reference for v in self.variables}) != len(self.variables):
            self.finding("value references are not unique")
        for v in self.variables:
            self.judge_variable(v)
        self.judge_structure()
        units = {u.get("name") for u in self.root.iter("Unit")}
        for v in self.variables:
            if v.unit and v.unit not in units:
                self.finding(f"{v.name}: unit {v.unit} is not defined")
        self.judge_files()
        return self.findings

    def judge_variable(self, v):
        real = v.type in ("Real", "Float64", "Float32")
        if v.variability == "continuous" and not real:
            self.finding(f"{v.name}: only floating-point variables are continuous")
        if v.causality in ("parameter", "calculatedParameter") and v.variability not in ("fixed", "tunable"):
            self.finding(f"{v.name}: a parameter is fixed or tunable")
        if v.causality in ("input", "output") and v.variability in ("constant", "fixed", "tunable") \
                and v.causality == "input":
            self.finding(f"{v.name}: an input is discrete or continuous")
        needs_start = v.type != "Clock" and (v.causality in ("parameter", "input") or v.initial in ("exact", "approx"))
        if needs_start != (v.start is not None):
            self.finding(f"{v.name}: a start value is {'missing' if needs_start else 'too much'}")
        if v.start is not None and v.type != "String" and len(v.start.split()) not in (1, v.size):
            self.finding(f"{v.name}: {len(v.start.split())} start values for {v.size} elements")
        if v.causality in ("input", "independent", "parameter") and v.initial not in (None, "exact"):
            self.finding(f"{v.name}: has no initial")

    def judge_structure(self):
        for group, list_ in self.structure.items():
            if any(v is None for v, _ in list_) or any(d is None for _, ds in list_ if ds for d in ds):
                self.finding(f"{group} names a variable that is not there")
                return
        outputs = [v for v, _ in self.unknowns("Outputs", "Output")]
        wanted = [v for v in self.variables if v.causality == "output"]
        if {v.index for v in outputs} != {v.index for v in wanted} or len(outputs) != len(wanted):
            self.finding("the outputs of the structure are not those of the variables")
        rates = [v for v, _ in self.unknowns("Derivatives", "ContinuousStateDerivative")]
        with_state = [v for v in self.variables if v.derivative]
        if [v.index for v in rates] != [v.index for v in with_state]:
            self.finding("the derivatives of the structure are not those of the variables")
        states = {int(v.derivative) for v in with_state}
        initial = {v.index for v, _ in self.unknowns("InitialUnknowns", "InitialUnknown")}
        must = {v.index for v in wanted if v.initial in (None, "approx", "calculated") and v.type != "Clock"}
        if "ModelExchange" in self.interfaces:
            must |= {v.index for v in with_state}
            must |= {v.index for v in self.variables
                     if (v.index if self.version == 2 else v.reference) in states and v.initial in ("approx", "calculated")}
        if initial != must:
            self.finding(f"initial unknowns are {sorted(initial)}, not {sorted(must)}")
        for _, depends in self.unknowns("Outputs", "Output") + \
                self.unknowns("Derivatives", "ContinuousStateDerivative"):
            for d in depends or []:
                key = d.index if self.version == 2 else d.reference
                if d.causality not in ("input", "independent") and key not in states:
                    self.finding(f"a dependency on {d.name}, which is neither input nor state")

    def platform_file(self):
        folder = "linux64" if self.version == 2 else "x86_64-linux"
        return os.path.join(self.folder.name, "binaries", folder, self.identifier + ".so")

    def judge_files(self):
        sources = os.path.join(self.folder.name, "sources")
        if self.version == 3:
            build = tree.parse(os.path.join(sources, "buildDescription.xml")).getroot()
            files = [f.get("name") for f in build.iter("SourceFile")]
        else:
            files = [f.get("name") for f in next(iter(self.interfaces.values())).iter("File")]
        for name in files:
            if not os.path.exists(os.path.join(sources, name)):
                self.finding(f"the source {name} is missing")
        if not os.path.exists(os.path.join(self.folder.name, "documentation", "index.html")):
            self.finding("the page of documentation is missing")
        if not os.path.exists(self.platform_file()):
            return
        listing = subprocess.run(["nm", "-D", self.platform_file()], capture_output=True, text=True, check=True).stdout
        there = {line.split()[-1] for line in listing.splitlines() if " T " in line}
        prefix = f"fmi{self.version}"
        for name in (F2 + F2_ME + F2_CS if self.version == 2 else F3):
            if prefix + name not in there:
                self.finding(f"the function {prefix}{name} is not exported")
        for name in there:
            if not name.startswith(prefix):
                self.finding(f"{name} is visible and no function of FMI")
        for line in listing.splitlines():
            if " U " in line and "@GLIBC" not in line:
                self.finding(f"{line.split()[-1]} is not defined")

    # Calling it.

    def call(self, name, *arguments):
        return getattr(self.library, f"fmi{self.version}{name}")(*arguments)

    def load(self):
        self.library = ctypes.CDLL(self.platform_file(), mode=os.RTLD_NOW | os.RTLD_LOCAL)

    def instance(self, kind, event_mode=False):
        self.messages = []
        c, s = ctypes, ctypes.c_char_p
        name = {"me": "ModelExchange", "cs": "CoSimulation", "se": "ScheduledExecution"}[kind]
        if self.version == 2:
            logger = c.CFUNCTYPE(None, c.c_void_p, s, c.c_int, s, s, s)
            self.kept = logger(lambda env, who, status, category, form, text: self.messages.append((status, text)))

            class Callbacks(c.Structure):
                _fields_ = [("logger", logger), ("allocate", c.c_void_p), ("free", c.c_void_p),
                            ("finished", c.c_void_p), ("environment", c.c_void_p)]
            self.callbacks = Callbacks(self.kept, None, None, None, None)
            make = self.library.fmi2Instantiate
            make.restype = c.c_void_p
            made = make(b"one", 0 if kind == "me" else 1, self.token.encode(), b"file:///tmp", c.byref(self.callbacks), 0, 1)
        else:
            logger = c.CFUNCTYPE(None, c.c_void_p, c.c_int, s, s)
            self.kept = logger(lambda env, status, category, text: self.messages.append((status, text)))
            make = getattr(self.library, "fmi3Instantiate" + name)
            make.restype = c.c_void_p
            common = [s(b"one"), s(self.token.encode()), s(b"/tmp/"), c.c_bool(False), c.c_bool(True)]
            if kind == "cs":
                made = make(*common, c.c_bool(event_mode), c.c_bool(False), None, c.c_size_t(0), None, self.kept, None)
            elif kind == "me":
                made = make(*common, None, self.kept)
            else:
                made = make(*common, None, self.kept, None, None, None)
        if not made:
            raise RuntimeError(f"{self.path}: no instance: {self.messages}")
        return Instance(self, c.c_void_p(made), kind)


class Instance:
    def __init__(self, fmu, handle, kind):
        self.fmu, self.c, self.kind = fmu, handle, kind

    def __call__(self, name, *arguments):
        status = self.fmu.call(name, self.c, *arguments)
        if status != 0:
            raise RuntimeError(f"{self.fmu.path}: {name} gives {status}: {self.fmu.messages[-3:]}")

    def initialise(self, start=0.0, stop=10.0):
        d, b = ctypes.c_double, ctypes.c_bool
        if self.fmu.version == 2:
            self("SetupExperiment", 0, d(0), d(start), 1, d(stop))
            self("EnterInitializationMode")
        else:
            self("EnterInitializationMode", b(False), d(0), d(start), b(True), d(stop))
        self("ExitInitializationMode")

    def events(self):
        """Until nothing is left; whether the run is to end."""
        if self.fmu.version == 2:
            class Info(ctypes.Structure):
                _fields_ = [("again", ctypes.c_int), ("terminate", ctypes.c_int), ("nominals", ctypes.c_int),
                            ("states", ctypes.c_int), ("has_next", ctypes.c_int), ("next", ctypes.c_double)]
            info = Info()
            info.again = 1
            while info.again:
                self("NewDiscreteStates", ctypes.byref(info))
            return info.terminate, info.next if info.has_next else float("inf")
        flags = [ctypes.c_bool(True) for _ in range(5)]
        when = ctypes.c_double()
        while flags[0]:
            self("UpdateDiscreteStates", *[ctypes.byref(f) for f in flags], ctypes.byref(when))
        return flags[1].value, when.value if flags[4] else float("inf")

    def get(self, variables):
        n = sum(v.size for v in variables)
        references = (ctypes.c_uint32 * len(variables))(*[v.reference for v in variables])
        values = (ctypes.c_double * max(n, 1))()
        size = ctypes.c_size_t
        if self.fmu.version == 2:
            self("GetReal", references, size(len(variables)), values)
        else:
            self("GetFloat64", references, size(len(variables)), values, size(n))
        return list(values)[:n]

    def set(self, variables, numbers):
        references = (ctypes.c_uint32 * len(variables))(*[v.reference for v in variables])
        values = (ctypes.c_double * max(len(numbers), 1))(*numbers)
        size = ctypes.c_size_t
        if self.fmu.version == 2:
            self("SetReal", references, size(len(variables)), values)
        else:
            self("SetFloat64", references, size(len(variables)), values, size(len(numbers)))

    def product(self, name, unknowns, knowns, seed, count):
        u = (ctypes.c_uint32 * max(len(unknowns), 1))(*[v.reference for v in unknowns])
        k = (ctypes.c_uint32 * max(len(knowns), 1))(*[v.reference for v in knowns])
        s, r, size = (ctypes.c_double * max(len(seed), 1))(*seed), (ctypes.c_double * max(count, 1))(), ctypes.c_size_t
        arguments = [u, size(len(unknowns)), k, size(len(knowns)), s]
        self(name, *(arguments + [r] if self.fmu.version == 2 else arguments + [size(len(seed)), r, size(count)]))
        return list(r)[:count]

    def free(self):
        self.fmu.call("FreeInstance", self.c)


def compare_derivatives(fmu, worst_allowed=2e-5):
    """Directional derivatives against central differences, adjoint ones against directional ones: the number of
    columns compared and the largest relative error. Model Exchange, at the start and at a point moved away from it."""
    node = fmu.interfaces.get("ModelExchange")
    flag = "providesDirectionalDerivative" + ("" if fmu.version == 2 else "s")
    if node is None or node.get(flag) != "true":
        return 0, 0.0
    fmu.load()
    one = fmu.instance("me")
    one.initialise()
    one.events()
    one("EnterContinuousTimeMode")
    rates = [v for v, _ in fmu.unknowns("Derivatives", "ContinuousStateDerivative")]
    states = [fmu.by_key[int(v.derivative)] for v in rates]
    outputs = [v for v, _ in fmu.unknowns("Outputs", "Output")
               if v.variability == "continuous" and v.type in ("Real", "Float64")]
    inputs = [v for v in fmu.variables if v.causality == "input" and v.variability == "continuous"]
    unknowns, knowns = rates + outputs, states + inputs
    rows, columns = sum(v.size for v in unknowns), sum(v.size for v in knowns)
    count, worst = 0, 0.0
    if rows == 0 or columns == 0:
        one.free()
        return 0, 0.0
    for point in range(2):
        base = one.get(knowns)
        if point == 1:
            base = [x + 0.013 * (1 + abs(x)) * (1 if k % 2 else -0.6) for k, x in enumerate(base)]
        one.set(knowns, base)
        exact = []
        for k in range(columns):
            one.set(knowns, base)
            exact.append(one.product("GetDirectionalDerivative", unknowns, knowns,
                                     [float(j == k) for j in range(columns)], rows))
        scale = [max([1e-3] + [abs(exact[k][r]) for k in range(columns)]) for r in range(rows)]
        for k in range(min(columns, 40)):
            h, sides = 1e-5 * max(1.0, abs(base[k])), []
            for sign in (1, -1):
                moved = list(base)
                moved[k] += sign * h
                one.set(knowns, moved)
                sides.append(one.get(unknowns))
            for r in range(rows):
                value = (sides[0][r] - sides[1][r]) / (2 * h)
                error = abs(value - exact[k][r]) / max(scale[r], 1e-9 * abs(sides[0][r]) / h)
                worst = max(worst, error)
            count += 1
        one.set(knowns, base)
        if fmu.version == 3:
            for r in range(min(rows, 40)):
                back = one.product("GetAdjointDerivative", unknowns, knowns,
                                   [float(j == r) for j in range(rows)], columns)
                for k in range(columns):
                    if abs(back[k] - exact[k][r]) > 1e-12 * scale[r]:
                        fmu.finding(f"the adjoint derivative {r},{k} is {back[k]}, not {exact[k][r]}")
        if fmu.findings or worst > worst_allowed:
            break
    one.free()
    if worst > worst_allowed:
        fmu.finding(f"directional derivatives are {worst:.2e} away from differences")
    return count, worst


def main():
    bad = 0
    for path in sys.argv[1:]:
        fmu = Fmu(path)
        fmu.judge()
        count, worst = compare_derivatives(fmu)
        print(f"{os.path.basename(path)}: {len(fmu.findings)} findings, {count} columns of derivatives, worst {worst:.1e}")
        for text in fmu.findings:
            print("  " + text)
        bad += len(fmu.findings)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
