// SPDX-License-Identifier: Apache-2.0
// At an instant the table of the source is a map of states, memories and inputs; until the next the continuous part
// moves. Both are linear, and follow each other through the instants of one period.
#include "analyse/sampled.h"

#include <algorithm>
#include <cmath>

#include "analyse/differentiation.h"
#include "math/matrix_functions.h"

namespace orrery::analyse {
namespace {

using math::Index;
using math::RealMatrix;
using program::ExprId;
using program::no_expr;
using program::Program;
using program::SlotId;

void put(RealMatrix& into, Index row, Index column, const RealMatrix& part) {
  for (Index c = 0; c < part.cols; ++c)
    for (Index r = 0; r < part.rows; ++r) into(row + r, column + c) = part(r, c);
}

void append(std::vector<SlotId>& to, const std::vector<SlotId>& more) { to.insert(to.end(), more.begin(), more.end()); }

// What a slot is worth when the table has run.
ExprId after_table(Program& program, std::uint32_t source, SlotId slot) {
  ExprId value = program.read(slot);
  for (const program::Assign& assign : program.sources[source].table.assigns) {
    if (assign.slot != slot) continue;
    value = assign.guard == no_expr ? assign.value : program.graph.select(assign.guard, assign.value, value);
  }
  return value;
}

class SampledLinearisation {
 public:
  SampledLinearisation(const sim::CompiledProgram& compiled, sim::Simulation& run, const LinearRequest& request,
                       const std::vector<SlotId>& states_outside, const SampleTimes& times, Diagnostics& diagnostics)
      : compiled_(compiled),
        run_(run),
        request_(request),
        outside_(states_outside),
        times_(times),
        diagnostics_(diagnostics) {
    const Program& program = compiled.program();
    x_ = size_of(program, request.states);
    z_ = size_of(program, times.memories);
    u_ = size_of(program, request.inputs);
    append(outside_, times.outside);
    std::erase_if(outside_, [&](SlotId slot) { return program.slots[slot].type.scalar != program::Scalar::f64; });
    o_ = size_of(program, outside_);
  }

  std::optional<SampledPoint> find() {
    if (!continuous_part() || !instants()) return std::nullopt;
    compose();
    SampledPoint result;
    result.states = request_.states;
    result.memories = times_.memories;
    result.period = period_;
    result.instants = times_.instants;
    result.linear = std::move(linear_);
    note_outside(result);
    drop_overwritten(result);
    return result;
  }

 private:
  // Columns: states, memories, inputs, and what is outside.
  bool continuous_part() {
    LinearRequest all = request_;
    all.inputs = times_.memories;
    append(all.inputs, request_.inputs);
    append(all.inputs, outside_);
    auto point = linearise(compiled_, run_, all, diagnostics_);
    if (!point) return false;
    flow_ = std::move(*point);
    return true;
  }

  bool instants() {
    std::vector<SlotId> columns = request_.states;
    append(columns, times_.memories);
    append(columns, request_.inputs);
    append(columns, outside_);
    const Differentiation::Rows rows = [&](Program& program) {
      std::vector<ExprId> result;
      for (const SlotId slot : request_.states) result.push_back(after_table(program, times_.source, slot));
      for (const SlotId slot : times_.memories) result.push_back(after_table(program, times_.source, slot));
      if (times_.delay != no_expr) result.push_back(times_.delay);
      return result;
    };
    Differentiation table(compiled_, columns, rows, static_cast<std::int32_t>(times_.source));
    if (!table.compile(diagnostics_)) return false;
    const Program& program = compiled_.program();
    const Place place{
        program.origins[0].path, 0, 0, program.origins[program.slots[times_.memories[0]].origin].path, {}};
    const bool has_own_loops = std::any_of(table.loops().begin(), table.loops().end(), [&](std::uint32_t k) {
      return program.loops[k].source != program::Loop::continuous;
    });
    if (times_.ticks.size() > 1 && has_own_loops) {
      diagnostics_.error("discrete-part", place, "an algebraic loop of events with several rates cannot be linearised",
                         "break the loop with a delay of one sample, or linearise a part with one rate");
      return false;
    }
    // What the signals at the cuts are worth is known from the continuous part.
    std::vector<double> signals;
    for (const LinearRequest::Cut& cut : request_.cuts) {
      Index at = z_;
      for (const SlotId slot : request_.inputs) {
        if (slot == cut.moved) break;
        at += program.slots[slot].type.size();
      }
      for (Index k = 0; k < program.slots[cut.moved].type.size(); ++k)
        signals.push_back(flow_.input_values[static_cast<std::size_t>(at + k)]);
    }
    bool singular = false;
    const bool solved = run_.at_point(table.loops(), [&](double t, std::byte* now) {
      std::vector<std::byte> memory(now, now + compiled_.layout().bytes);
      open_loops(compiled_, request_, signals.data(), memory.data());
      period_ = times_.period;
      if (times_.delay != no_expr) period_ = period_of_delays(table, t, memory);
      for (const std::int64_t tick : times_.ticks) {
        RealMatrix matrix = table.matrix(t, memory.data(), tick);
        singular = singular || !eliminate_unknowns(matrix, table.kept_rows(), table.kept_columns());
        if (singular) return;
        maps_.push_back(block(matrix, 0, x_ + z_, 0, x_ + z_ + u_ + o_));
      }
      linear_.exact = flow_.exact && table.is_exact();
    });
    for (Index k = 0; k < x_ + z_; ++k) is_read_.push_back(!table.is_exact() || table.reads(k));
    for (const RealMatrix& map : maps_) {
      singular =
          singular || !std::all_of(map.data.begin(), map.data.end(), [](double value) { return std::isfinite(value); });
    }
    if (solved && !singular && period_ > 0) return true;
    diagnostics_.error("not-linearisable", place,
                       period_ > 0 ? "what happens at an instant has no derivative at this point"
                                   : "the time from one instant to the next is not always the same, or not positive",
                       "linearise at another time or with other start values");
    return false;
  }

  // The time between events of a source that programs itself, from the next three of them: what they write besides may
  // count (first + number * period - time). 0: they are not equally far from each other.
  double period_of_delays(const Differentiation& table, double t, std::vector<std::byte> memory) const {
    std::vector<double> results(compiled_.output_size() + 1);
    const auto delay = [&](double at) {
      return table.values(at, memory.data())[static_cast<std::size_t>(table.kept_rows() - 1)];
    };
    double at = t + delay(t), period = 0;
    for (int k = 0; k < 3; ++k) {
      compiled_.table_function(times_.source)(at, reinterpret_cast<const double*>(memory.data()), results.data(),
                                              memory.data(), 0);
      const double found = delay(at);
      if (k > 0 && !(std::abs(found - period) <= 1e-9 * std::abs(period))) return 0;
      period = k > 0 ? period : found;
      at += found;
    }
    return period;
  }

  void compose() {
    const Index n = x_ + z_, steps = static_cast<Index>(maps_.size()), y = flow_.c.rows;
    RealMatrix state = RealMatrix::identity(n), by_inputs(n, steps * u_);
    RealMatrix c(y * steps, n), d(y * steps, steps * u_);
    const RealMatrix look_w = joined_outputs();
    for (Index i = 0; i < steps; ++i) {
      const RealMatrix& map = maps_[static_cast<std::size_t>(i)];
      const RealMatrix map_w = block(map, 0, n, 0, n);
      state = map_w * state;
      if (u_ > 0) {
        by_inputs = map_w * by_inputs;
        add(by_inputs, i * u_, block(map, 0, n, n, u_));
      }
      if (y > 0) {
        put(c, i * y, 0, look_w * state);
        if (u_ > 0) {
          RealMatrix through = look_w * by_inputs;
          add(through, i * u_, block(flow_.d, 0, y, z_, u_));
          put(d, i * y, 0, through);
        }
      }
      const double from = times_.instants[static_cast<std::size_t>(i)];
      const double until = i + 1 < steps ? times_.instants[static_cast<std::size_t>(i + 1)] : period_;
      const RealMatrix moved = flow_over(until - from);
      const RealMatrix moved_w = block(moved, 0, n, 0, n);
      state = moved_w * state;
      if (u_ > 0) {
        by_inputs = moved_w * by_inputs;
        add(by_inputs, i * u_, block(moved, 0, n, n, u_));
      }
    }
    linear_.a = std::move(state);
    linear_.b = std::move(by_inputs);
    linear_.c = std::move(c);
    linear_.d = std::move(d);
    linear_.state_values = flow_.state_values;
    linear_.state_values.insert(linear_.state_values.end(), flow_.input_values.begin(),
                                flow_.input_values.begin() + z_);
    linear_.rates = flow_.rates;
    linear_.rates.resize(static_cast<std::size_t>(n), 0.0);
    linear_.input_values.assign(flow_.input_values.begin() + z_, flow_.input_values.begin() + z_ + u_);
    linear_.output_values = flow_.output_values;
  }

  static void add(RealMatrix& to, Index column, const RealMatrix& part) {
    for (Index c = 0; c < part.cols; ++c)
      for (Index r = 0; r < part.rows; ++r) to(r, column + c) += part(r, c);
  }

  RealMatrix joined_outputs() const {
    RealMatrix joined(flow_.c.rows, x_ + z_);
    put(joined, 0, 0, flow_.c);
    put(joined, 0, x_, block(flow_.d, 0, flow_.d.rows, 0, z_));
    return joined;
  }

  // States, memories and inputs after this time: exp [a bz bu; 0; 0], without the rows of inputs.
  RealMatrix flow_over(double time) const {
    const Index n = x_ + z_, all = n + u_;
    RealMatrix rates(all, all);
    for (Index c = 0; c < x_; ++c)
      for (Index r = 0; r < x_; ++r) rates(r, c) = time * flow_.a(r, c);
    for (Index c = 0; c < z_ + u_; ++c)
      for (Index r = 0; r < x_; ++r) rates(r, x_ + c) = time * flow_.b(r, c);
    return block(x_ > 0 ? math::exponential(rates) : RealMatrix::identity(all), 0, n, 0, all);
  }

  void note_outside(SampledPoint& result) const {
    Index next = 0;
    for (const SlotId slot : outside_) {
      const Index size = compiled_.program().slots[slot].type.size();
      double most = 0;
      for (Index k = next; k < next + size; ++k) {
        for (Index r = 0; r < x_; ++r) most = std::max(most, std::abs(flow_.b(r, z_ + u_ + k)));
        for (Index r = 0; r < flow_.d.rows; ++r) most = std::max(most, std::abs(flow_.d(r, z_ + u_ + k)));
        for (const RealMatrix& map : maps_)
          for (Index r = 0; r < x_ + z_; ++r) most = std::max(most, std::abs(map(r, x_ + z_ + u_ + k)));
      }
      if (most > 1e-12) result.reached_by.push_back(slot);
      next += size;
    }
  }

  // A held signal is written at each instant before anybody reads it: what it was is no state.
  void drop_overwritten(SampledPoint& result) const {
    std::vector<Index> kept;
    for (Index k = 0; k < x_; ++k) kept.push_back(k);
    std::vector<SlotId> memories;
    Index next = x_;
    for (const SlotId slot : result.memories) {
      const Index size = compiled_.program().slots[slot].type.size();
      bool read = false;
      for (Index k = next; k < next + size; ++k) read = read || is_read_[static_cast<std::size_t>(k)];
      for (Index k = next; read && k < next + size; ++k) kept.push_back(k);
      if (read) memories.push_back(slot);
      next += size;
    }
    result.memories = std::move(memories);
    const auto n = static_cast<Index>(kept.size());
    LinearPoint& l = result.linear;
    RealMatrix a(n, n), b(n, l.b.cols), c(l.c.rows, n);
    std::vector<double> values, rates;
    for (Index k = 0; k < n; ++k) {
      const Index from = kept[static_cast<std::size_t>(k)];
      for (Index r = 0; r < n; ++r) a(r, k) = l.a(kept[static_cast<std::size_t>(r)], from);
      for (Index r = 0; r < c.rows; ++r) c(r, k) = l.c(r, from);
      for (Index j = 0; j < b.cols; ++j) b(k, j) = l.b(from, j);
      values.push_back(l.state_values[static_cast<std::size_t>(from)]);
      rates.push_back(l.rates[static_cast<std::size_t>(from)]);
    }
    l.a = std::move(a);
    l.b = std::move(b);
    l.c = std::move(c);
    l.state_values = std::move(values);
    l.rates = std::move(rates);
  }

  const sim::CompiledProgram& compiled_;
  sim::Simulation& run_;
  const LinearRequest& request_;
  std::vector<SlotId> outside_;
  const SampleTimes& times_;
  Diagnostics& diagnostics_;
  Index x_ = 0, z_ = 0, u_ = 0, o_ = 0;  // numbers of elements
  double period_ = 0;
  LinearPoint flow_, linear_;
  std::vector<RealMatrix> maps_;  // by instant
  std::vector<bool> is_read_;     // by state and memory: at an instant
};

}  // namespace

std::optional<SampledPoint> linearise_sampled(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                              const LinearRequest& request, const std::vector<SlotId>& states_outside,
                                              const SampleTimes& times, Diagnostics& diagnostics) {
  return SampledLinearisation(compiled, run, request, states_outside, times, diagnostics).find();
}

}  // namespace orrery::analyse
