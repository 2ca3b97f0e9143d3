// SPDX-License-Identifier: Apache-2.0
// The times of samples are events that the block programs for itself: which interval it is in is counted, not searched.
#include "blocks/signal_generators/samples.h"

#include <fmt/format.h>

#include <cmath>

#include "blocks/lookup_tables/table_formulas.h"
#include "blocks/signal_generators/signal_generators.h"

namespace orrery::blocks {
namespace {

std::size_t numbers_in(const Type& type) {
  return static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
}

// Where in the samples a run is: how many of the current round have passed, and which round it is.
struct Position {
  Expr passed;  // int32
  Expr round;   // double
};

Expr sample_number(Block& b, const SampledChannel& channel, Expr number) {
  const auto size = static_cast<std::int32_t>(channel.type.size());
  const auto samples = static_cast<std::int32_t>(channel.data.size() / numbers_in(channel.type));
  const Expr all = b.constant({channel.type.scalar, size * samples, 1}, channel.data);
  std::vector<double> offsets;
  for (std::int32_t k = 0; k < size; ++k) offsets.push_back(k);
  const Expr places = static_cast<double>(size) * number + b.constant({Scalar::i32, size, 1}, offsets);
  const Expr column{&b.graph(), b.graph().gather(all.id(), places.id())};
  return {&b.graph(), b.graph().reshape(column.id(), channel.type.rows, channel.type.cols)};
}

Expr at_most(Block& b, Expr number, int low, int high) {
  const Expr lowest = b.constant(low, Scalar::i32), highest = b.constant(high, Scalar::i32);
  return select(number < lowest, lowest, select(number > highest, highest, number));
}

// Counts the samples that pass, and fires activation output 1 at each.
Position follow_samples(Block& b, const std::vector<double>& times, const SampleRules& rules) {
  const auto count = static_cast<double>(times.size());
  const bool again = rules.after == "repeat", earlier = rules.before == "repeat";
  const double first = times.front(), length = times.back() - times.front();
  if ((again || earlier) && !(length > 0)) b.fail(rules.times_parameter, "has no length that could be repeated");
  const Expr column = b.constant({Scalar::f64, static_cast<std::int32_t>(times.size()), 1}, times);
  const Variable passed = b.memory("passed", b.constant(0, Scalar::i32));
  const Variable round = b.memory("round", b.constant(0));
  const Expr now = b.time();
  Expr start_round = b.constant(0);
  if (again || earlier) {
    const Expr rounds = apply(Op::floor, (now - first) / length);
    if (again) start_round = select(now >= times.back(), rounds, start_round);
    if (earlier) start_round = select(now < first, rounds, start_round);
  }
  const Expr started{&b.graph(), b.graph().search(column.id(), (now - start_round * length).id())};
  const auto schedule_next = [&](const Trigger& trigger, Expr number, Expr of_round) {
    const Expr place = at_most(b, number, 0, static_cast<int>(times.size()) - 1);
    const Expr time{&b.graph(), b.graph().gather(column.id(), place.id())};
    trigger.when(number < count).schedule(1, max(time + of_round * length - now, b.constant(0)));
  };
  b.on_start().set(passed, started).set(round, start_round);
  schedule_next(b.on_start(), started, start_round);
  Expr next = passed + 1.0, next_round = round;
  if (again || earlier) {
    const Expr may = again ? b.constant(1, Scalar::boolean) : round < 0.0;
    const Expr begins_anew = next == count && may;
    next = select(begins_anew, b.constant(1, Scalar::i32), next);
    next_round = select(begins_anew, round + 1.0, round);
  }
  b.on_fired(1).set(passed, next).set(round, next_round);
  schedule_next(b.on_fired(1), next, next_round);
  return {passed, round};
}

// One element over time.
Expr interpolated(Block& b, const std::vector<double>& times, const std::vector<double>& values,
                  const SampleRules& rules, const Position& position) {
  TableFormula table(b, rules.method, {times, {}}, {values, {}});
  if (rules.method == "nearest") return table.at(b.time(), rules.before, rules.after);
  const auto count = static_cast<int>(times.size());
  const bool zero_order = is_zero_order(rules.method);
  const Expr index = rules.method == "ceil" ? at_most(b, position.passed, 0, count - 1)
                                            : at_most(b, position.passed - 1.0, 0, zero_order ? count - 1 : count - 2);
  const Expr at = b.time() - position.round * (times.back() - times.front());
  Expr y = table.inside(at, index);
  if (rules.after != "repeat") {
    const std::string after = zero_order && rules.after == "zero" ? "hold" : rules.after;
    y = select(position.passed == static_cast<double>(count), table.right_of(b.time(), after), y);
  }
  if (rules.before != "repeat") y = select(position.passed == 0.0, table.left_of(b.time(), rules.before), y);
  return y;
}

Expr held_sample(Block& b, const SampledChannel& channel, int count, const SampleRules& rules,
                 const Position& position) {
  const Expr number = rules.method == "ceil" ? position.passed : position.passed - 1.0;
  const Expr y = sample_number(b, channel, at_most(b, number, 0, count - 1));
  return rules.before == "zero" ? select(position.passed == 0.0, b.fill(channel.type, 0), y) : y;
}

int sample_channels(const Parameters& p) {
  const Value &x = p.matrix("x"), &y = p.matrix("y");
  if (y.size() == x.size() && (y.rows == 1 || y.cols == 1)) return 1;
  if (static_cast<std::size_t>(y.cols) != x.size()) {
    p.fail("y", fmt::format("must have {} values, or {} columns, as many as x, but is {}x{}", x.size(), x.size(),
                            y.rows, y.cols));
  }
  return y.rows;
}

}  // namespace

std::vector<ParameterSpec> sample_specs(std::vector<ParameterSpec> first) {
  first.push_back(method_spec());
  first.push_back(outside_spec("before", "before the first sample"));
  first.push_back(outside_spec("after", "after the last sample; zero of order zero holds it"));
  return first;
}

SampleRules sample_rules(const Block& b, std::string times_parameter) {
  return {b.text("method"), b.text("before"), b.text("after"), std::move(times_parameter)};
}

void build_samples(Block& b, const std::vector<double>& times, const std::vector<SampledChannel>& channels,
                   const SampleRules& rules) {
  const bool zero_order = is_zero_order(rules.method);
  check_ascending(b.parameters(), rules.times_parameter, times, !zero_order && rules.method != "linear");
  const Position position = follow_samples(b, times, rules);
  int port = 0;
  for (const SampledChannel& channel : channels) {
    ++port;
    if (channel.type.scalar != Scalar::f64) {
      if (!zero_order || rules.method == "nearest") {
        b.fail("method", fmt::format("must be floor or ceil, as output {} is {}", port, to_text(channel.type)));
      }
      b.out(port, held_sample(b, channel, static_cast<int>(times.size()), rules, position));
      continue;
    }
    std::vector<Expr> elements;
    const auto size = static_cast<std::size_t>(channel.type.size());
    for (std::size_t element = 0; element < size; ++element) {
      std::vector<double> values;
      for (std::size_t k = element; k < channel.data.size(); k += size) values.push_back(channel.data[k]);
      elements.push_back(interpolated(b, times, values, rules, position));
    }
    b.out(port, stack(channel.type, elements));
  }
}

void build_samples_in_turn(Block& b, const std::vector<SampledChannel>& channels, std::size_t samples,
                           const SampleRules& rules) {
  const auto last = static_cast<double>(samples) - 1;
  const Variable number = b.memory("number", b.constant(0, Scalar::i32));
  const Expr ended = number > last;
  int port = 0;
  for (const SampledChannel& channel : channels) {
    const Expr zero = b.fill(channel.type, 0);
    const Expr y = sample_number(b, channel, at_most(b, number, 0, static_cast<int>(last)));
    const Expr now = rules.after == "zero" ? select(ended, zero, y) : y;
    const Variable held = b.memory("held" + std::to_string(++port), zero);
    b.out(port, select(b.active(1), now, held));
    b.on_activation().set(held, now);
  }
  const Expr next = number + 1.0;
  b.on_activation().set(number, rules.after == "repeat" ? select(next > last, b.constant(0, Scalar::i32), next)
                                                        : select(ended, number, next));
}

const BlockType signal_generator = {
    .name = "SignalGenerator",
    .palette = "SignalGenerators",
    .summary = "A signal given by samples.",
    .description =
        "x are the times of the samples, y a row of values, or a matrix with a column for each time. As a LookupTable "
        "of time; the times of the samples are events, at which the activation output fires. With floor, ceil, nearest "
        "and linear a time may come twice: there the signal jumps.",
    .icon = {.lines = {{{{0, 0.3}, {0.25, 0.8}, {0.5, 0.4}, {0.75, 0.6}, {1, 0.2}}}}},
    .parameters = sample_specs({{"x", "[0 1]", "times, ascending"}, {"y", "[0 1]", "values at these times"}}),
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          p.output("y", {sample_channels(p.parameters()), 1}, Scalar::f64).activation_outputs(1);
        },
    .build =
        [](Block& b) {
          const SampledChannel channel{b.out_type(), b.parameters().reals("y")};
          build_samples(b, b.parameters().reals("x"), {channel}, sample_rules(b, "x"));
        },
};

}  // namespace orrery::blocks
