#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder of src/ includes only the folders it may know, and that tests/ and bench/ use the front door."""

import re
import sys
from pathlib import Path

# Folder -> what its files may include besides their own folder. CMakeLists.txt links along the same lines.
MAY_INCLUDE = {
    "base": "",
    "math": "base",
    "program": "base",
    "passes": "base program",
    "equations": "base program passes",
    "native": "base program passes",
    "solve": "base",
    "sim": "base program passes native solve",
    "oml": "base math solve",
    "model": "base text",
    "text": "base",
    "units": "base",
    "cssl": "base text units model",
    "blocks": "base program passes model text cssl",
    "picture": "base program model blocks",
    "edit": "base program model blocks picture",
    "compile": "base units program passes equations model blocks",
    "io": "base",
    "fmi": "base io",
    "foreign": "base program passes native model blocks io fmi",
    "trace": "base math program passes oml blocks",
    "export": "base program passes native",
    "analyse": "base math program passes native solve sim",
    "api": "base program passes native math solve sim analyse oml model text units cssl blocks picture edit equations compile io fmi foreign trace export",
    "server": "base program passes native math solve sim analyse oml model text units cssl blocks picture edit equations compile io fmi foreign trace export api",
    # The console is a window on the interpreter (oml), `orrery fmu` one on FMUs (fmi); all else is behind api.
    "cli": "base io oml fmi picture edit api server",
}

# Foreign headers that must stay behind one folder, so that the choice of library can change.
ONLY_IN = {
    r"libtcc\.h": "native",
    r"hdf5\.h": "io",
    r"(cvode|ida|nvector|sunlinsol|sunmatrix|sunnonlinsol|sundials)/.*": "solve",
    r"CLI/.*": "cli",
    r"pcre2\.h": "oml",
    r"(lapacke\.h|cblas\.h|boost/math/.*|libqhull_r/.*|nlopt\.h)": "math",
    r"xxhash\.h": "native",
    r"boost/(asio|beast)/.*": "server",
    r"(pugixml\.hpp|zip\.h)": "fmi",
}

# Libraries too heavy for a header that other files include.
NOT_IN_HEADERS = re.compile(r"(Eigen/.*|nlohmann/json\.hpp)")

# tests/ and bench/ use the engine through api, as other programs do. Besides, they may include: what api takes and gives
# (sinks, OML values), diagrams as plain data, which reach the engine as texts, the tables of solvers and of blocks, and
# data made for tests.
OUTSIDE = re.compile(
    r"(api|base|io|oml)/.*|model/(model|settings)\.h|sim/(options|callback_sink)\.h|solve/(integrator|dae|published_values)\.h"
    r"|blocks/block\.h|.*/\w+_for_tests\.h"
)

# These look inside, because the inside is what they test or measure: file -> the folders they may include too.
INSIDE = {
    # Native code without a model around it, and Programs for it.
    "bench/code_rows.cpp": "sim",
    "bench/block_rows.cpp": "sim",
    "bench/programs.h": "program",
    "bench/programs.cpp": "program",
    # Each stage of compilation by itself; libraries of FMUs for the C program, calls into another process; LAPACK.
    "bench/start_rows.cpp": "compile sim",
    "bench/fmu_rows.cpp": "fmi",
    "bench/oml_rows.cpp": "math",
    # Scenes and routes, which no run has.
    "bench/picture_rows.cpp": "picture",
    # What the server of the editor does for one edit.
    "bench/edit_rows.cpp": "edit picture server",
    # Codes of commands on diagrams, which are given as texts.
    "tests/diagnostic_cases.cpp": "edit",
    # All block types with all choices of their parameters.
    "tests/library_cases.cpp": "blocks",
    "tests/library_test.cpp": "blocks passes program",
    "tests/random_mix_test.cpp": "blocks",
    "tests/manual_examples_test.cpp": "blocks",
    # What a model is compiled to, with expressions that are folded or not; the same OML in all four ways it can run.
    "tests/inside.h": "program",
    "tests/inside.cpp": "program",
    "tests/context_test.cpp": "sim",
    "tests/delay_details_test.cpp": "program",
    "tests/random_diagram.h": "program",
    "tests/signal_loops_test.cpp": "program passes native",
    "tests/oml_property_test.cpp": "program native blocks trace",
    # Readers by themselves, under a fuzzer.
    "tests/fuzz/answers.cpp": "fmi",
    "tests/fuzz/archive.cpp": "fmi",
    "tests/fuzz/cssl.cpp": "cssl",
    "tests/fuzz/description.cpp": "fmi",
    "tests/fuzz/cssl.cpp": "cssl",
    "tests/fuzz/edit.cpp": "edit",
    "tests/fuzz/inputs.cpp": "fmi",
    "tests/fuzz/journal.cpp": "edit",
    "tests/fuzz/library.cpp": "model",
    "tests/fuzz/merge.cpp": "edit",
    "tests/fuzz/recording.cpp": "fmi",
    "tests/fuzz/picture.cpp": "edit picture",
    "tests/fuzz/protocol.cpp": "server",
    "tests/fuzz/shared_library.cpp": "fmi",
    "tests/fuzz/sweep.cpp": "analyse",
    "tests/fuzz/worker.cpp": "server",
    # Systems of equations, which no language writes yet.
    "tests/equations/equation_model.h": "program equations sim",
    "tests/equations/start_systems_test.cpp": "program passes",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def problems_of(path, folder, folders):
    allowed = {folder, *MAY_INCLUDE[folder].split()}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match[1] or match[2]
        first = header.split("/")[0]
        where = f"{path}:{number}"
        if match[1] and first not in folders:
            yield f'{where}: "{header}" is not relative to src/ (write "{folder}/...")'
        if match[1] and first in folders and first not in allowed:
            yield f'{where}: {folder} may not include {first} ("{header}")'
        for pattern, owner in ONLY_IN.items():
            if match[2] and re.fullmatch(pattern, header) and folder != owner:
                yield f"{where}: <{header}> belongs in {owner} only"
        if path.suffix == ".h" and NOT_IN_HEADERS.fullmatch(header):
            yield f"{where}: <{header}> is too heavy for a header; include it in a .cpp"


def problems_outside(path, name, folders, used):
    inside = set(INSIDE.get(name, "").split())
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match or not match[1] or "/" not in match[1] or OUTSIDE.fullmatch(match[1]):
            continue
        first = match[1].split("/")[0]
        if first in folders and first not in inside:
            yield f"{path}:{number}: \"{match[1]}\" is behind the front door; use api, or say in {Path(__file__).name} why not"
        used.add((name, first))


def main():
    src = Path(__file__).resolve().parent.parent / "src"
    folders = {path.name for path in src.iterdir() if path.is_dir()}
    problems = [
        f"src/{name}: this folder has no line in the table of tools/check_includes.py"
        for name in sorted(folders - MAY_INCLUDE.keys())
    ]
    for folder in sorted(folders & MAY_INCLUDE.keys()):
        for path in sorted((src / folder).rglob("*")):
            # C that exported models carry with them knows its own folder only.
            if path.suffix in (".h", ".cpp") and path.parent.name != "runtime":
                problems += problems_of(path, folder, folders)
    root = src.parent
    used = set()
    for path in sorted([*root.glob("tests/**/*"), *root.glob("bench/*")]):
        if path.suffix in (".h", ".cpp"):
            problems += problems_outside(path, str(path.relative_to(root)), folders, used)
    problems += [
        f"tools/{Path(__file__).name}: {name} does not include {folder} any more"
        for name, allowed in INSIDE.items()
        for folder in allowed.split()
        if (name, folder) not in used
    ]
    for problem in problems:
        print(problem.replace(f"{src.parent}/", ""), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
