// SPDX-License-Identifier: Apache-2.0
// What is due first, from two calendars and the ticks of several clocks.
#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include "sim/saved_bytes.h"

namespace orrery::sim {
namespace {

enum QueueSource : std::uint32_t { initial, fast, slow, first, second };

// Clocks of 0.1 and of 0.25 (from 0.25 on), the fast one critical; two activation outputs, the second one critical.
program::Program two_clocks() {
  program::Program p;
  p.add_origin({"model", {}, 0});
  p.clocks = {{0, {1, 10}, {0, 1}, 1, 0}, {0, {1, 4}, {1, 4}, 1, 0}};
  p.domains = {{{1, 10}, {0, 1}, {0}}, {{1, 4}, {1, 4}, {1}}};
  p.sources.resize(5);
  p.sources[initial].kind = program::SourceKind::initial;
  p.sources[fast].kind = p.sources[slow].kind = program::SourceKind::clock;
  p.sources[slow].domain = 1;
  p.sources[fast].table.critical = p.sources[second].table.critical = true;
  return p;
}

std::shared_ptr<const CompiledProgram> compiled(Diagnostics& diagnostics) {
  native::CompileOptions options;
  options.second_tier = false;
  return CompiledProgram::create(two_clocks(), options, diagnostics);
}

struct Queue {
  Queue() : run(compiled(diagnostics), {}, diagnostics), events(run) {}
  std::uint32_t next() {
    run.t = events.next_time();
    return events.take_due(run.t + run.time_tolerance);
  }
  Diagnostics diagnostics;
  RunContext run;
  EventQueue events;
};

TEST(EventQueue, TicksOfDomainsMeet) {
  Queue q;
  q.events.begin_ticks();
  std::vector<std::pair<double, std::uint32_t>> seen;
  for (int k = 0; k < 9; ++k) {
    const std::uint32_t source = q.next();
    seen.emplace_back(q.run.t, source);
  }
  const std::vector<std::pair<double, std::uint32_t>> expected = {{0.0, fast},  {0.1, fast}, {0.2, fast},
                                                                  {0.25, slow}, {0.3, fast}, {0.4, fast},
                                                                  {0.5, fast},  {0.5, slow}, {0.6, fast}};
  EXPECT_EQ(seen, expected) << "in one instant in the order of domains";
  EXPECT_EQ(q.run.tick, 6);
}

TEST(EventQueue, ProgrammedEventsOfAnInstantComeInTheOrderOfProgramming) {
  Queue q;
  q.events.program(second, 1.0);
  q.events.program(first, 1.0);
  EXPECT_EQ(q.next(), second);
  q.events.program(second, 1.0);  // without delay: behind what is due already
  EXPECT_EQ(q.next(), first);
  EXPECT_EQ(q.next(), second);
  EXPECT_TRUE(q.events.empty());
  EXPECT_EQ(q.events.take_due(2.0), program::no_source);
}

TEST(EventQueue, ATickComesBehindWhatWasProgrammedBeforeItsInstantAndAheadOfTheRest) {
  Queue q;
  q.events.begin_ticks();
  EXPECT_EQ(q.next(), fast);
  q.events.program(first, 0.1);
  EXPECT_EQ(q.next(), first);
  q.events.program(second, 0.1);
  EXPECT_EQ(q.next(), fast);
  EXPECT_EQ(q.next(), second);
}

TEST(EventQueue, AnInstantIsThatOfATickAsGoodAsSimultaneous) {
  Queue q;
  q.events.begin_ticks();
  q.next();
  const double tolerance = q.run.time_tolerance;
  EXPECT_EQ(q.events.instant_at(0.1 - 0.5 * tolerance), 0.1);
  EXPECT_EQ(q.events.instant_at(0.1 - 2 * tolerance), 0.1 - 2 * tolerance);
  EXPECT_EQ(q.events.instant_at(0.1 + 0.5 * tolerance), 0.1 + 0.5 * tolerance) << "never back";
  EXPECT_EQ(q.events.next_critical(), 0.1);
  EXPECT_EQ(q.events.next_other(), 0.25);
}

TEST(EventQueue, GoesOnFromItsBytes) {
  Queue a, b;
  a.events.begin_ticks();
  a.events.program(first, 0.35);
  for (int k = 0; k < 4; ++k) a.next();
  std::vector<std::byte> bytes;
  SaveWriter writer(bytes);
  a.events.save(writer);
  SaveReader reader(bytes);
  ASSERT_TRUE(b.events.restore(reader));
  for (int k = 0; k < 20; ++k) {
    const std::uint32_t source = a.next();
    EXPECT_EQ(b.next(), source) << k;
    EXPECT_EQ(b.run.t, a.run.t);
    EXPECT_EQ(b.run.tick, a.run.tick);
  }
  bytes.pop_back();
  SaveReader cut(bytes);
  EXPECT_FALSE(b.events.restore(cut));
}

}  // namespace
}  // namespace orrery::sim
