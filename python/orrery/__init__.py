# SPDX-License-Identifier: Apache-2.0
"""Models of Orrery made and changed from Python: the commands of its editor, carried out by the program `orrery`.

    m = Model("plant")
    m.add_block("/K", "Gain", {"k": "2"}, about="the controller")
    m.save("plant.orr")

A method is the function of scripts with its name: add_block is bdeAddBlock (docs/editing.md lists them). Changes are
collected and carried out when something is asked or saved.
"""

import os
import re
import subprocess
import sys
import tempfile

__all__ = ["Model", "OrreryError"]

_ANSWERS = ("get_", "find_", "group")  # methods that give something back
_SEPARATOR = "\x01"


class OrreryError(Exception):
    """What the program said, with the line of Python whose call it is about."""


def _text(text):
    pieces = re.split(r"([\x00-\x1f\x7f])", text)
    quoted = [f"char({ord(p)})" if k % 2 else "'" + p.replace("'", "''") + "'" for k, p in enumerate(pieces)]
    return quoted[0] if len(quoted) == 1 else "[" + ", ".join(quoted) + "]"


def _value(value):
    """A Python value as OML: texts, lists of texts, numbers, lists of numbers, names with texts."""
    if isinstance(value, bool):
        return "'on'" if value else "'off'"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(_value(x) for pair in value.items() for x in pair) + "}"
    items = list(value)
    if items and all(isinstance(x, (int, float)) for x in items):
        return "[" + " ".join(repr(x) for x in items) + "]"
    if any(not isinstance(x, str) for x in items):
        raise TypeError("a list holds texts or numbers")
    return "{" + ", ".join(_text(x) for x in items) + "}"


class Model:
    """A model that is being made; Model.open(file) is one that there is."""

    def __init__(self, name=""):
        self._file = None
        self._lines = [f"m = bdeNewModel({_text(name)});"]
        self._callers = [_caller()]

    @classmethod
    def open(cls, file):
        """A model to change; save() writes it back."""
        model = cls()
        model._begin_with(file)
        return model

    def save(self, file=None):
        """Writes the model to the file, or to the one it came from."""
        self._add("bdeSave(" + ", ".join(["m"] + ([] if file is None else [_text(os.fspath(file))])) + ");")
        self._run()
        self._begin_with(self._file if file is None else file)

    def _begin_with(self, file):
        """What was done so far is in this file."""
        self._file = os.fspath(file)
        self._lines = [f"m = bdeOpenModel({_text(self._file)});"]
        self._callers = [_caller()]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        function = "bde" + "".join(part.capitalize() for part in name.split("_"))

        def call(*arguments, **options):
            words = ["m"] + [_value(a) for a in arguments]
            for option, value in options.items():
                words += [_text(option), "'true'" if value is True else "'false'" if value is False else _value(value)]
            line = f"{function}({', '.join(words)})"
            if not name.startswith(_ANSWERS):
                return self._add(line + ";")
            self._add(f"answer = {line};")
            return self._run(answers=True)

        call.__name__ = name
        return call

    def _add(self, line):
        self._lines.append(line)
        self._callers.append(_caller())

    def _run(self, answers=False):
        lines = list(self._lines)
        if answers:
            lines += [
                "if ischar(answer)",
                "printf('T%s', answer);",
                "else",
                f"for k = 1:numel(answer), printf('L%s%s', answer{{k}}, char({ord(_SEPARATOR)})); end",
                "end",
            ]
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "calls.oml")
            with open(script, "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")
            program = os.environ.get("ORRERY", "orrery")
            try:
                done = subprocess.run([program, "oml", script], capture_output=True, check=False)
            except OSError as error:
                raise OrreryError(f"the program {program} does not start: {error}; set ORRERY to its path") from error
        if done.returncode != 0:
            self._fail((done.stderr + done.stdout).decode("utf-8", "replace"), script)
        text = done.stdout.decode("utf-8")
        if not answers:
            return None
        if text.startswith("T"):
            return text[1:]
        return [item[1:] for item in text.split(_SEPARATOR)[:-1]]

    def _fail(self, message, script):
        """Places in the script become places in Python; what failed, and what followed, is forgotten."""
        pattern = r"at line number (\d+)[^\n]*? in file " + re.escape(script)
        found = re.search(pattern, message)
        line = int(found.group(1)) if found else len(self._lines)
        caller = self._callers[min(line, len(self._callers)) - 1]
        told = re.sub(pattern, "", message).strip().removeprefix("Error: ")
        keep = max(1, line - 1)
        del self._lines[keep:], self._callers[keep:]
        raise OrreryError(f"{caller}: {told}")


def _caller():
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
