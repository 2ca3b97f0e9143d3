#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/diagnostics.md has a row for every diagnostic code of the sources, and none for any other."""

import re
import sys
from pathlib import Path

# The first argument of what makes a diagnostic, a value given to a field called code, or the name of a failure.
CODE_PLACE = re.compile(
    r"(?:\b(?:error|warning|warn|mistake|make_error|complain(?=\(.(?:fmi|block)-))\((?:\s*diagnostics_?,)?|\bDiagnostic\{Severity::\w+,|(?:Fault|Failure|Death|failure_ =) ?\{|\bcode = "
    r"|\bFailureCode::\w+: return)\s*([^,;]*)")
LITERAL = re.compile(r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"')
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|")


def codes_of(text):
    for place in CODE_PLACE.finditer(text):
        yield from LITERAL.findall(place[1])


def main():
    root = Path(__file__).resolve().parent.parent
    used = {}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cpp") and not path.stem.endswith("_test"):
            for code in codes_of(path.read_text(encoding="utf-8")):
                used.setdefault(code, path.relative_to(root))
    page = root / "docs" / "diagnostics.md"
    rows = [match[1] for match in map(ROW.match, page.read_text(encoding="utf-8").splitlines()) if match]
    problems = [f"docs/diagnostics.md: no row for `{code}` ({used[code]})" for code in sorted(used.keys() - set(rows))]
    problems += [f"docs/diagnostics.md: nothing in src/ reports `{code}`" for code in sorted(set(rows) - used.keys())]
    problems += [f"docs/diagnostics.md: two rows for `{code}`" for code in sorted({c for c in rows if rows.count(c) > 1})]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
