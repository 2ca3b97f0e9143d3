# SPDX-License-Identifier: MIT-0
# The wheel holds the compiled library, so it is one for this kind of machine and any Python 3:
#   python3 -m pip wheel --no-build-isolation --no-deps .
import os
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "@NAME@"))
import build_library


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        build_library.build(os.path.join(self.build_lib, "@NAME@"))


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


class WheelOfMachine(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfMachine})
