// SPDX-License-Identifier: Apache-2.0
// Foreign objects in a run: functions in derivatives, procedures at events, wake-up times, steps, saving.
#include "sim/foreign_set.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "program/expr.h"
#include "program/verify.h"
#include "sim/simulation.h"

namespace orrery::sim {
namespace {

using namespace program;

enum Function { derivative, partial };
enum Procedure { hit, woken, stepped };

struct Counts {
  int partials = 0;
  int hits = 0;
  int steps = 0;
  std::vector<double> woken;
};

// x' = -rate x. A hit sets x to 1, doubles the rate and asks for a call a tenth later. The fifth step, where it
// counts, does the same as a hit.
class Decay final : public ForeignInstance {
 public:
  Decay(Counts& counts, bool refuses) : counts_(counts), refuses_(refuses) {}

  ForeignOutcome open(std::span<double> initial) override {
    initial[0] = 1;
    return {};
  }
  void compute(int function, const void* const* arguments, void* const* results) noexcept override {
    const double x = *static_cast<const double*>(arguments[0]);
    if (refuses_ && x < 0.9) sick_ = true;
    if (function == partial) ++counts_.partials;
    *static_cast<double*>(results[0]) = function == partial ? -rate_ : -rate_ * x;
  }
  ForeignOutcome perform(int procedure, double t, std::span<const double>, std::span<double> results) override {
    if (procedure == woken) {
      counts_.woken.push_back(t);
      return {};
    }
    if (procedure == stepped && ++counts_.steps != 5) return {};
    if (procedure == hit) ++counts_.hits;
    rate_ *= 2;
    results[0] = 1;
    results[1] = ++epoch_;
    ForeignOutcome outcome;
    outcome.changed = true;
    outcome.wake = t + 0.1;
    return outcome;
  }
  ForeignHealth health() noexcept override { return sick_ ? ForeignHealth::failed : ForeignHealth::well; }
  void report(const Place& place, double t, Diagnostics& diagnostics) override {
    diagnostics.error("refused", place, "x is too small").time = t;
  }
  bool save(std::vector<std::byte>& bytes) override {
    bytes.resize(sizeof rate_);
    std::memcpy(bytes.data(), &rate_, sizeof rate_);
    return true;
  }
  bool restore(std::span<const std::byte> bytes) override {
    std::memcpy(&rate_, bytes.data(), sizeof rate_);
    return true;
  }

 private:
  Counts& counts_;
  bool refuses_;
  bool sick_ = false;
  double rate_ = 1;
  int epoch_ = 0;
};

Program decay(bool counts_steps = false) {
  Program p;
  p.add_origin({"test", {}, 0});
  const SlotId x = p.add_slot({"x", {}, SlotKind::state});
  const SlotId epoch = p.add_slot({"epoch", {Scalar::i32, 1, 1}, SlotKind::discrete});
  const SlotId direction = p.add_slot({"direction", {Scalar::i8, 1, 1}, SlotKind::direction});
  p.foreign_objects.push_back({"decay", 0, {}, {x}});
  const int slope = p.graph.declare({"slope", {{}, {Scalar::i32, 1, 1}}, {{}}, 0, partial});
  ForeignFunction f{"f", {{}, {Scalar::i32, 1, 1}}, {{}}, 0, derivative};
  f.depends_on = {{0}};
  f.partials = slope;
  const ExprId arguments[] = {p.read(x), p.read(epoch)};
  p.states = {x};
  p.derivatives = {p.graph.foreign(p.graph.declare(f), 0, arguments)};

  program::Source initial, crossing, wake, step;
  initial.kind = SourceKind::initial;
  crossing.kind = SourceKind::crossing;
  crossing.table.calls.push_back({0, hit, {p.read(x)}, {x, epoch}, no_expr, 0, 2});
  crossing.table.critical = true;
  wake.kind = SourceKind::programmed;
  wake.table.calls.push_back({0, woken, {}, {}});
  wake.table.critical = true;
  p.sources = {initial, crossing, wake};
  step.kind = SourceKind::step;
  step.table.calls.push_back({0, stepped, {p.read(x)}, {x, epoch}});
  if (counts_steps) p.sources.push_back(step);
  Surface surface;
  surface.value = (Expr{&p.graph, p.read(x)} - 0.5).id();
  surface.source = 1;
  surface.jumps = false;
  surface.direction = direction;
  p.surfaces = {surface};
  EXPECT_EQ(verify(p), std::vector<std::string>{});
  return p;
}

struct DecayRun {
  explicit DecayRun(Program& program, const std::string& solver, Counts& counts, bool refuses = false) {
    RunOptions options;
    options.stop = 1;
    options.solver = solver;
    options.tolerance.relative = 1e-8;
    options.native.second_tier = false;
    options.open_foreign = [&counts, refuses](const ForeignObject& object, const ForeignRun&, const Place&,
                                              Diagnostics&) {
      EXPECT_EQ(object.kind, "decay");
      return std::make_unique<Decay>(counts, refuses);
    };
    simulation = Simulation::create(program, options, diagnostics);
  }
  Diagnostics diagnostics;
  std::unique_ptr<Simulation> simulation;
};

// x = exp(-t) until it is 1/2 at ln 2, then exp(-2 (t - ln 2)): 4 exp(-2) at 1.
TEST(Foreign, FunctionsIntegrateAndProceduresJump) {
  for (const char* solver : {"dopri5", "cvode-bdf-newton"}) {
    Program p = decay();
    Counts counts;
    DecayRun run(p, solver, counts);
    ASSERT_TRUE(run.simulation) << to_text(run.diagnostics);
    EXPECT_EQ(run.simulation->run(), End::reached_stop) << to_text(run.diagnostics);
    EXPECT_NEAR(run.simulation->value(p.states[0]), 4 * std::exp(-2), 1e-6) << solver;
    EXPECT_EQ(run.simulation->value(1), 1) << "epoch";
    EXPECT_EQ(counts.hits, 1);
    ASSERT_EQ(counts.woken.size(), 1u);
    EXPECT_NEAR(counts.woken[0], std::log(2) + 0.1, 1e-7);
    EXPECT_EQ(counts.partials > 0, std::string(solver) != "dopri5") << "implicit solvers take the exact Jacobian";
  }
}

TEST(Foreign, StepsRestartOnlyWhenTheObjectSaysSo) {
  Program p = decay(true);
  Counts counts;
  DecayRun run(p, "dopri5", counts);
  run.simulation->run();
  EXPECT_GT(counts.steps, 5);
  EXPECT_EQ(run.simulation->report().cold_restarts, counts.hits + 1 + static_cast<int>(counts.woken.size()));
}

TEST(Foreign, SavedRunsContinueBitIdentically) {
  Program p = decay();
  Counts counts, other_counts;
  DecayRun run(p, "dopri5", counts), other(p, "dopri5", other_counts);
  run.simulation->run(0.72);
  const auto bytes = run.simulation->save();
  run.simulation->run();
  ASSERT_TRUE(other.simulation->restore(bytes)) << to_text(other.diagnostics);
  other.simulation->run();
  EXPECT_EQ(other.simulation->value(p.states[0]), run.simulation->value(p.states[0]));
  EXPECT_EQ(other_counts.woken, counts.woken);
}

TEST(Foreign, FailuresEndTheRunAtTheirPlace) {
  Program p = decay();
  Counts counts;
  DecayRun run(p, "dopri5", counts, true);
  EXPECT_EQ(run.simulation->run(), End::failed);
  ASSERT_TRUE(run.diagnostics.has_errors());
  EXPECT_EQ(run.diagnostics.all()[0].code, "refused");
  RunOptions options;
  options.native.second_tier = false;
  Diagnostics diagnostics;
  EXPECT_EQ(Simulation::create(p, options, diagnostics)->run(), End::failed);
  EXPECT_EQ(diagnostics.all().at(0).code, "no-foreign-code");
}

}  // namespace
}  // namespace orrery::sim
