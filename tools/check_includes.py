#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder of src/ includes only the folders it may know."""

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
    "model": "base",
    "blocks": "base program passes model",
    "picture": "base program model blocks",
    "edit": "base program model blocks picture",
    "compile": "base program passes equations model blocks",
    "io": "base",
    "fmi": "base io",
    "foreign": "base program passes model blocks io fmi",
    "trace": "base math program passes oml blocks",
    "api": "base program passes native math solve sim oml model blocks picture edit equations compile io fmi foreign trace",
    # The console is a window on the interpreter (oml), `orrery fmu` one on FMUs (fmi); all else is behind api.
    "cli": "base io oml fmi picture edit api",
}

# Foreign headers that must stay behind one folder, so that the choice of library can change.
ONLY_IN = {
    r"libtcc\.h": "native",
    r"hdf5\.h": "io",
    r"(cvode|ida|nvector|sunlinsol|sunmatrix|sunnonlinsol|sundials)/.*": "solve",
    r"CLI/.*": "cli",
    r"pcre2\.h": "oml",
    r"(lapacke\.h|cblas\.h|boost/math/.*|libqhull_r/.*)": "math",
    r"xxhash\.h": "native",
    r"(pugixml\.hpp|zip\.h)": "fmi",
}

# Libraries too heavy for a header that other files include.
NOT_IN_HEADERS = re.compile(r"(Eigen/.*|nlohmann/json\.hpp)")

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


def main():
    src = Path(__file__).resolve().parent.parent / "src"
    folders = {path.name for path in src.iterdir() if path.is_dir()}
    problems = [
        f"src/{name}: this folder has no line in the table of tools/check_includes.py"
        for name in sorted(folders - MAY_INCLUDE.keys())
    ]
    for folder in sorted(folders & MAY_INCLUDE.keys()):
        for path in sorted((src / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                problems += problems_of(path, folder, folders)
    for problem in problems:
        print(problem.replace(f"{src.parent}/", ""), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
