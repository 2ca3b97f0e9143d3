# SPDX-License-Identifier: MIT-0
"""Instances of the model @NAME@, run by its C code.

    model = Simulation(count=100, k=3.0)              # parameters by name, one number or one for each instance
    y = model.simulate(1000, u, dt=0.01)              # u: (1000, inputs) or (100, 1000, inputs); y: (100, 1000, outputs)
"""
import collections
import ctypes
import math
import os
import sys

import numpy

Port = collections.namedtuple("Port", "name unit about shape type width")

_TYPES = ("float64", "complex128", "int8", "int16", "int32", "uint8", "uint16", "uint32", "bool")
_ENDED = {1: "stopped", 4: "reached"}  # of enum orr_flow
_ROWS_AT_ONCE = 1 << 18  # then Python looks whether somebody wants to interrupt


class SimulationError(RuntimeError):
    """A run that cannot go on; .instance is its number."""

    def __init__(self, text, instance):
        super().__init__(text)
        self.instance = instance


class _Item(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("about", ctypes.c_char_p),
                ("type", ctypes.c_int), ("rows", ctypes.c_int), ("cols", ctypes.c_int), ("width", ctypes.c_int)]


class _Settings(ctypes.Structure):
    _fields_ = [("start", ctypes.c_double), ("stop", ctypes.c_double), ("step", ctypes.c_double),
                ("longest", ctypes.c_double), ("nominal", ctypes.c_int)]


class _Task(ctypes.Structure):
    _fields_ = [("from_row", ctypes.c_longlong), ("to_row", ctypes.c_longlong), ("rows", ctypes.c_longlong),
                ("begin", ctypes.c_double), ("dt", ctypes.c_double), ("last", ctypes.c_double),
                ("activations", ctypes.c_ulonglong),
                ("u", ctypes.c_void_p), ("u_instance", ctypes.c_ssize_t), ("u_row", ctypes.c_ssize_t),
                ("u_item", ctypes.c_ssize_t),
                ("y", ctypes.c_void_p), ("y_instance", ctypes.c_ssize_t), ("y_row", ctypes.c_ssize_t),
                ("y_item", ctypes.c_ssize_t)]


def library_path():
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "@NAME@" + ending)


def _load():
    if not os.path.exists(library_path()):
        from . import build_library
        build_library.build(os.path.dirname(library_path()))
    library = ctypes.CDLL(library_path())
    pointer, long, double = ctypes.c_void_p, ctypes.c_longlong, ctypes.c_double
    for name, result, arguments in (
            ("stride", ctypes.c_size_t, []), ("name", ctypes.c_char_p, []),
            ("options", None, [ctypes.POINTER(double)]),
            ("item_of", ctypes.c_int, [ctypes.c_int, ctypes.c_int, ctypes.POINTER(_Item)]),
            ("begin", None, [pointer, long, ctypes.POINTER(_Settings)]),
            ("parameter", None, [pointer, long, ctypes.c_int, pointer, ctypes.c_ssize_t]),
            ("step_size", None, [pointer, long, double]),
            ("simulate", long, [pointer, long, ctypes.POINTER(_Task)]),
            ("trouble", ctypes.c_char_p, [pointer, long]), ("flow", ctypes.c_int, [pointer, long]),
            ("time", double, [pointer, long]), ("copy", None, [pointer, long, pointer, long]),
            ("end", None, [pointer, long])):
        function = getattr(library, "orr_py_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _list(number):
    item, found = _Item(), []
    while _library.orr_py_item_of(number, len(found), ctypes.byref(item)):
        shape = () if item.rows == item.cols == 1 else (item.rows, item.cols)
        found.append(Port(item.name.decode(), item.unit.decode(), item.about.decode(), shape, _TYPES[item.type],
                          item.width))
    return tuple(found)


INPUTS, ACTIVATIONS, OUTPUTS, PARAMETERS = (_list(k) for k in range(4))
_options = (ctypes.c_double * 3)()
_library.orr_py_options(_options)
START, STOP, STEP = _options  # STEP is 0 where steps are of variable size


def _numbers(port, value):
    """Values of one port as doubles, column by column; leading dimensions stay in front."""
    value = numpy.asarray(value)
    if port.type == "complex128":
        value = value.astype(complex)
    elif value.dtype.kind not in "buif":
        raise TypeError(f"{port.name} takes real numbers, not {value.dtype}")
    if port.shape and value.shape[-2:] != port.shape:
        if value.ndim == 1 and 1 in port.shape and value.size == max(port.shape):
            value = value.reshape(port.shape)
        else:
            raise ValueError(f"{port.name} has the size {port.shape}, not {value.shape}")
    ahead = value.shape[:value.ndim - len(port.shape)]
    if port.shape:
        value = numpy.moveaxis(value, -1, -2).reshape(ahead + (-1,))
    else:
        value = value.reshape(ahead + (1,))
    if port.type == "complex128":
        value = numpy.ascontiguousarray(value).view(float)
    return numpy.ascontiguousarray(value, float)


def _value(port, numbers):
    """The opposite: numbers[..., width] as scalars or matrices."""
    if port.type == "complex128":
        numbers = numpy.ascontiguousarray(numbers).view(complex)
    if not port.shape:
        return numbers[..., 0]
    return numpy.moveaxis(numbers.reshape(numbers.shape[:-1] + port.shape[::-1]), -1, -2)


class Simulation:
    """`count` instances that go through time together.

    start, stop: of time; the stop of a run is infinite unless it is given.
    step: of methods with fixed steps; with variable steps it is the longest.
    Parameters by their names: a value for all, or an array with one for each instance.
    """

    def __init__(self, count=1, *, start=None, stop=math.inf, step=None, nominal=False, **parameters):
        self.count = int(count)
        if self.count < 1:
            raise ValueError("count must be at least 1")
        stride = _library.orr_py_stride()
        self._room = numpy.zeros(self.count * stride + 64, numpy.uint8)
        self._at = (self._room.ctypes.data + 63) // 64 * 64
        nan = math.nan
        longest = step if step is not None and STEP == 0 else nan
        self._settings = _Settings(nan if start is None else start, stop, nan if step is None else step, longest,
                                   int(nominal))
        self._step = STEP if step is None else step
        self._given = dict(parameters)
        self.restart()

    def restart(self, **parameters):
        """A new simulation from the start, with the parameters of before and these."""
        self._given.update(parameters)
        _library.orr_py_begin(self._at, self.count, ctypes.byref(self._settings))
        names = [port.name for port in PARAMETERS]
        for name, value in self._given.items():
            if name not in names:
                raise TypeError(f"there is no parameter {name}; those of the model are {', '.join(names) or 'none'}")
            port = PARAMETERS[names.index(name)]
            numbers = _numbers(port, value)
            if numbers.ndim > 2 or (numbers.ndim == 2 and numbers.shape[0] != self.count):
                raise ValueError(f"{name} has values for {numbers.shape[0]} instances, not {self.count}")
            _library.orr_py_parameter(self._at, self.count, names.index(name), numbers.ctypes.data,
                                      numbers.strides[0] if numbers.ndim == 2 else 0)
        self._outputs = numpy.zeros((self.count, 1, sum(port.width for port in OUTPUTS)))
        self._inputs = numpy.zeros((self.count, 1, sum(port.width for port in INPUTS)))
        return self

    @property
    def time(self):
        """Of each instance; one number where there is one."""
        times = numpy.array([_library.orr_py_time(self._at, k) for k in range(self.count)])
        return float(times[0]) if self.count == 1 else times

    @property
    def ended(self):
        """By instance: "stopped" by the model, "reached" its stop, None while it goes on."""
        ends = [_ENDED.get(_library.orr_py_flow(self._at, k)) for k in range(self.count)]
        return ends[0] if self.count == 1 else ends

    def set_inputs(self, inputs):
        """A mapping from names, or one value for each input in order; they act from the next step on."""
        if isinstance(inputs, dict):
            names = [port.name for port in INPUTS]
            unknown = [name for name in inputs if name not in names]
            if unknown:
                raise KeyError(f"there is no input {unknown[0]}; those of the model are {', '.join(names) or 'none'}")
            pairs = [(names.index(name), value) for name, value in inputs.items()]
        else:
            values = [inputs] if numpy.ndim(inputs) == 0 else list(inputs)
            if len(values) != len(INPUTS):
                raise ValueError(f"{len(values)} inputs are given, the model has {len(INPUTS)}")
            pairs = list(enumerate(values))
        for number, value in pairs:
            first = sum(port.width for port in INPUTS[:number])
            self._inputs[:, 0, first:first + INPUTS[number].width] = _numbers(INPUTS[number], value)

    def step(self, inputs=(), until=None, dt=None, activate=None):
        """Goes to the time `until` (one step further where it is not given) with inputs held; gives the outputs.

        activate: names of activation inputs, or True for all, which come at the beginning."""
        if len(INPUTS) > 0 or numpy.size(inputs) > 0:
            self.set_inputs(inputs)
        if dt is not None and dt != self._step:
            _library.orr_py_step_size(self._at, self.count, dt)
            self._step = dt
        begin = _library.orr_py_time(self._at, 0)
        if until is None:
            until = begin + (self._step or 0)
        self._run(1, self._inputs, self._outputs, begin, until - begin, until, activate)
        return self.outputs

    @property
    def outputs(self):
        """A mapping from the names of outputs to their values; of several instances, an array with one for each."""
        values, first = {}, 0
        for port in OUTPUTS:
            value = _value(port, self._outputs[:, 0, first:first + port.width])
            values[port.name] = value[0] if self.count == 1 else value.copy()
            first += port.width
        return values

    def simulate(self, n, inputs=None, dt=None, out=None, activate=None):
        """n intervals of dt in one loop of C, outside of Python's lock. Nothing is copied.

        inputs: float64, (n, columns), or (count, n, columns) for each instance its own; columns of all inputs follow each
        other, matrices column by column, complex numbers as two. Row k is held over interval k; None: all stay as they are.
        Row k of the result has the outputs at the end of interval k: (n, columns) of one instance, else
        (count, n, columns). out: where to write it."""
        dt = float(self._step if dt is None else dt)
        if not dt > 0:
            raise ValueError("dt is needed: the model has no step of its own")
        columns = sum(port.width for port in INPUTS)
        if inputs is None:
            u = numpy.broadcast_to(self._inputs, (self.count, n, columns))
        else:
            u = numpy.asarray(inputs)
            if u.dtype != float:
                raise TypeError(f"inputs must be float64, not {u.dtype}")
            if u.ndim < 3 and columns == 1 and u.shape in ((n,), (self.count, n)):
                u = u[..., None]
            if u.shape not in ((n, columns), (self.count, n, columns)):
                raise ValueError(f"inputs must have the shape {(n, columns)} or {(self.count, n, columns)}, not {u.shape}")
            u = numpy.broadcast_to(u, (self.count, n, columns))
        wanted = (self.count, n, sum(port.width for port in OUTPUTS))
        shown = wanted if self.count > 1 else wanted[1:]
        if out is None:
            out = numpy.empty(shown)
        elif out.shape != shown or out.dtype != float or not out.flags.writeable:
            raise ValueError(f"out must be float64 with the shape {shown}")
        y = out if self.count > 1 else out[None]
        begin = _library.orr_py_time(self._at, 0)
        self._run(n, u, y, begin, dt, begin + n * dt, activate)
        if n > 0:
            self._outputs[:, 0] = y[:, -1]
            self._inputs[:, 0] = u[:, -1]
        return out

    def _run(self, n, u, y, begin, dt, last, activate):
        mask = 0
        if activate is not None and activate is not False:
            names = [port.name for port in ACTIVATIONS]
            for name in names if activate is True else [activate] if isinstance(activate, str) else activate:
                if name not in names:
                    raise KeyError(f"there is no activation {name}; those of the model are {', '.join(names) or 'none'}")
                mask |= 1 << names.index(name)
        task = _Task(0, 0, n, begin, dt, last, mask, u.ctypes.data if u.shape[2] else None, *u.strides,
                     y.ctypes.data if y.shape[2] else None, *y.strides)
        at_once = max(1, _ROWS_AT_ONCE // self.count)
        for first in range(0, n, at_once):
            task.from_row, task.to_row = first, min(n, first + at_once)
            failed = _library.orr_py_simulate(self._at, self.count, ctypes.byref(task))
            if failed >= 0:
                time = _library.orr_py_time(self._at, failed)
                text = _library.orr_py_trouble(self._at, failed).decode(errors="replace")
                who = f"instance {failed}: " if self.count > 1 else ""
                raise SimulationError(f"{who}t = {time:.6g}: {text}", failed)

    def copy(self):
        """Instances that go on as these would."""
        other = Simulation.__new__(Simulation)
        other.__dict__.update(self.__dict__)
        other._room = numpy.zeros_like(self._room)
        other._at = (other._room.ctypes.data + 63) // 64 * 64
        other._given, other._inputs, other._outputs = dict(self._given), self._inputs.copy(), self._outputs.copy()
        _library.orr_py_begin(other._at, self.count, ctypes.byref(self._settings))
        for k in range(self.count):
            _library.orr_py_copy(other._at, k, self._at, k)
        return other

    def finish(self):
        """What the model does at the end of a run."""
        _library.orr_py_end(self._at, self.count)
