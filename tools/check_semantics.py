#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tests named in docs/semantics.md exist."""

import re
import sys
from pathlib import Path

TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
NAMED = re.compile(r"`([A-Z]\w+\.[A-Z]\w+)`")


def main():
    root = Path(__file__).resolve().parent.parent
    tests = set()
    for folder in ("src", "tests"):
        for path in (root / folder).rglob("*_test.cpp"):
            tests |= {f"{suite}.{name}" for suite, name in TEST.findall(path.read_text(encoding="utf-8"))}
    missing = False
    for number, line in enumerate((root / "docs" / "semantics.md").read_text(encoding="utf-8").splitlines(), 1):
        for name in NAMED.findall(line):
            if name not in tests and name != "Suite.Name":
                print(f"docs/semantics.md:{number}: there is no test {name}", file=sys.stderr)
                missing = True
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
