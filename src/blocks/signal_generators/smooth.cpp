// SPDX-License-Identifier: Apache-2.0
// Constant, SineWaveGenerator, Time: generators without events.
#include "blocks/signal_generators/signal_generators.h"

namespace orrery::blocks {

const BlockType constant = {
    .name = "Constant",
    .palette = "SignalGenerators",
    .summary = "A value that never changes.",
    .description = "The value gives size and element type of the output: `[1; 2]`, `int8(3)`, `2+1i`, `true`.",
    .icon = {.text = "{value}"},
    .parameters = {{"value", "1", "number or matrix of any element type"}},
    .activation = Activation::initial,
    .ports =
        [](Ports& p) {
          const Value& v = p.parameters().matrix("value");
          p.output("y", {v.rows, v.cols}, v.type);
        },
    .build = [](Block& b) { b.out(1, b.parameter("value")); },
};

const BlockType sine_wave_generator = {
    .name = "SineWaveGenerator",
    .palette = "SignalGenerators",
    .summary = "A sine of time: amplitude * sin(frequency * t + phase) + bias.",
    .description = "Parameters are scalars, or matrices of one size, which is that of the output.",
    .icon = {.lines = {{{{0, 0.5},
                         {0.12, 0.8},
                         {0.25, 0.92},
                         {0.38, 0.8},
                         {0.5, 0.5},
                         {0.62, 0.2},
                         {0.75, 0.08},
                         {0.88, 0.2},
                         {1, 0.5}}}}},
    .parameters = {{"amplitude", "1", "amplitude"},
                   {"frequency", "1", "angular frequency in rad/s"},
                   {"phase", "0", "phase in rad"},
                   {"bias", "0", "value added to the sine"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          Size size = scalar_size;
          for (const char* name : {"amplitude", "frequency", "phase", "bias"}) {
            const Value& value = p.parameters().matrix(name);
            if (value.size() > 1) size = {value.rows, value.cols};
          }
          p.output("y", size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const auto each = [&](const char* name) { return b.parameter(name, b.out_type()); };
          const Expr angle = each("frequency") * b.time() + each("phase");
          b.out(1, each("amplitude") * apply(Op::sin, angle) + each("bias"));
        },
};

const BlockType time = {
    .name = "Time",
    .palette = "SignalGenerators",
    .summary = "The simulated time.",
    .icon = {.text = "t"},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("t", scalar_size, Scalar::f64); },
    .build = [](Block& b) { b.out(1, b.time()); },
};

// The count of activations is an argument, so that each of them asks the clock anew and once.
const BlockType real_time = {
    .name = "RealTime",
    .palette = "SignalGenerators",
    .summary = "Seconds on the clock of the computer since the run began, read at each activation.",
    .description =
        "The only block whose values differ from one run to the next. Without activation links it is read when the "
        "simulation starts.",
    .icon = {.text = "clock"},
    .activation = Activation::initial,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64); },
    .build =
        [](Block& b) {
          program::ForeignObject object;
          object.kind = "wall_clock";
          const std::uint32_t clock = b.foreign_object(std::move(object));
          const Variable count = b.memory("count", b.constant(0, Scalar::i32));
          const program::ForeignFunction read{"wall_clock", {count.type()}, {Type{}}, clock, 0};
          b.out(1, b.foreign(b.declare(read), {count}));
          b.on_activation().set(count, count + b.constant(1, Scalar::i32));
        },
};

}  // namespace orrery::blocks
