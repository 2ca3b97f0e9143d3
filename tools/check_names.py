#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in anonymous namespaces are unique within a folder, whose files are compiled together."""

import re
import sys
from collections import defaultdict
from pathlib import Path

TEXTS = re.compile(
    r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/|^#[^\n]*(?:\\\n[^\n]*)*', re.S | re.M)
TYPE = re.compile(r"(?:struct|class|enum(?: class)?|union)\s+(\w+)\s*(?::|final|$)")
FUNCTION = re.compile(r"(?:[\w:<>,&*\s\[\]]*?[\s&*>])(\w+)\s*\((.*)\)", re.S)
VARIABLE = re.compile(r"[^=({\[]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)", re.S)


def name_of(declaration):
    """What a declaration or the head of a definition names: a name, a signature, or nothing."""
    text = re.sub(r"^template\s*<[^{}]*?>\s*(?=[a-z])", "", declaration.strip())
    if not text or text.startswith(("using ", "namespace ", "extern ", "friend ", "TEST", "INSTANTIATE", "static_assert")):
        return None  # aliases and namespaces may be repeated
    if match := TYPE.match(text):
        return match[1]
    if re.match(r"(?:struct|class|enum)\s+\w+$", text):
        return None
    if match := FUNCTION.match(text):
        if "::" in text[: match.start(2)].split(match[1])[-2][-2:]:
            return None  # a member function
        types = re.sub(r"\b\w+\s*(=[^,]*)?(,|$)", r"\2", match[2])
        return f"{match[1]}({' '.join(types.split())})"
    if match := VARIABLE.match(text):
        return match[1]
    return None


def names_of(path):
    text = re.sub(r"(?<=\d)'(?=\d)", "", path.read_text(encoding="utf-8"))
    text = TEXTS.sub(lambda match: '""' if match[0][0] in 'R"' else "0" if match[0][0] == "'" else " ", text)
    names = set()
    for begin in re.finditer(r"\bnamespace\s*\{", text):
        depth, start = 1, begin.end()
        for k in range(begin.end(), len(text)):
            if text[k] == "{":
                if depth == 1:
                    names.add(name_of(text[start:k]))
                depth += 1
            elif text[k] == "}":
                depth -= 1
                if depth == 0:
                    break
                if depth == 1:
                    start = k + 1
            elif text[k] == ";" and depth == 1:
                names.add(name_of(text[start:k]))
                start = k + 1
    return names - {None}


def main():
    root = Path(__file__).resolve().parent.parent
    groups = {"tests": [*(root / "tests").glob("*.cpp"), *(root / "tests/referee").glob("*.cpp")],
              "bench": [*(root / "bench").glob("*.cpp")]}
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        sources = sorted(folder.rglob("*.cpp"))
        groups[f"src/{folder.name}"] = [path for path in sources if not path.stem.endswith("_test")]
        groups[f"the tests of src/{folder.name}"] = [path for path in sources if path.stem.endswith("_test")]
    failed = False
    for group, paths in groups.items():
        homes = defaultdict(list)
        for path in paths:
            # A namespace of its own, named after the file, keeps everything apart.
            if re.search(rf"^namespace [\w:]+::{path.stem} {{", path.read_text(encoding="utf-8"), re.M):
                continue
            for name in names_of(path):
                homes[name].append(path.name)
        for name, files in sorted(homes.items()):
            if len(files) > 1:
                print(f"{group}: {name} is in {', '.join(sorted(files))}; files of a folder are compiled together "
                      "(docs/building.md)", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
