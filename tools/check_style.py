#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the formatter cannot: licence lines, size of files, no package registry, no leftovers."""

import re
import subprocess
import sys
from pathlib import Path

SOURCE = {".h", ".cpp", ".c", ".py", ".sh", ".cmake"}
LICENCE = re.compile(r"^(//|#) SPDX-License-Identifier: (Apache-2\.0|MIT-0)$")
LONG = 500

# Hosts are the business of each machine's configuration, never of the project.
REGISTRY = re.compile(r"(deb|security|snapshot|ftp)\.debian\.org|registry\.npmjs|pypi\.(org|python)|files\.pythonhosted")
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")


def tracked_files(root):
    """Files git knows or would add, so that build folders are left out."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return [root / name for name in sorted(set(names)) if (root / name).is_file()]


def check(path, name):
    """Yields (is_error, text)."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    is_tool = name == "tools/check_style.py"
    for number, line in enumerate(lines, 1):
        if REGISTRY.search(line) and not is_tool:
            yield True, f"{name}:{number}: names a package registry"
        if path.suffix in SOURCE and LEFTOVER.search(line) and not is_tool:
            yield True, f"{name}:{number}: a leftover without an issue number, as in TODO(#12)"
    if path.suffix in SOURCE or path.name in ("CMakeLists.txt", "Makefile"):
        first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        if not first or not LICENCE.match(first[0]):
            yield True, f"{name}:1: the first line must be the SPDX licence line"
        if len(lines) > LONG:
            yield False, f"{name}: warning: {len(lines)} lines, more than {LONG}; split it or say why"


def main():
    root = Path(__file__).resolve().parent.parent
    failed = False
    for path in tracked_files(root):
        for is_error, text in check(path, str(path.relative_to(root))):
            print(text, file=sys.stderr)
            failed |= is_error
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
