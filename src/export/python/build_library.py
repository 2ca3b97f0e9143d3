# SPDX-License-Identifier: MIT-0
"""Compiles the C of the model @NAME@ to the library that the module loads: python3 build_library.py [FOLDER]"""
import os
import shlex
import subprocess
import sys

# Without contraction and built-in functions of the compiler the library has the bits of the simulation.
FLAGS = ("-std=c99 -O2 -shared -fPIC -fvisibility=hidden -ffp-contract=off -fno-builtin -fno-math-errno "
         "-fno-strict-aliasing -fwrapv").split()


def build(folder):
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources")
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    target = os.path.join(folder, "@NAME@" + ending)
    sources = [os.path.join(here, name) for name in ("orrery_py.c", "@NAME@.c", "orrery_rt.c")]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    made = target + ".new"  # no process loads half of one
    try:
        subprocess.run(compiler + FLAGS + ["-I", here, "-o", made] + sources + ["-lm"], check=True)
    except (OSError, subprocess.CalledProcessError) as trouble:
        raise ImportError(f"the C compiler {compiler[0]} does not make {target} ({trouble}); set CC to one that does") from trouble
    os.replace(made, target)
    return target


if __name__ == "__main__":
    print(build(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
