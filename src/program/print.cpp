// SPDX-License-Identifier: Apache-2.0
// Text of a whole Program, part by part.
#include "program/print.h"

#include <fmt/format.h>

#include "program/function.h"
#include "program/pause.h"
#include "program/print_expression.h"

namespace orrery::program {
namespace {

std::string rational_text(const Rational& r) {
  return r.denominator == 1 ? fmt::format("{}", r.numerator) : fmt::format("{}/{}", r.numerator, r.denominator);
}

std::string origin_path(const Program& program, OriginId origin) {
  return origin < program.origins.size() ? program.origins[origin].path : std::string();
}

class ProgramText {
 public:
  explicit ProgramText(const Program& program) : program_(program) {}

  std::string run() {
    slots();
    assigns_part("start", program_.start);
    clocks();
    for (std::size_t i = 0; i < program_.sources.size(); ++i) source(i);
    start_system();
    loops();
    continuous();
    assigns_part("always", program_.always);
    assigns_part("sampled", program_.sampled);
    probes();
    for (const ListedFunction& f : list_functions(program_.graph)) text_ += "\n" + to_text(*f.function);
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... arguments) {
    text_ += fmt::format(format, std::forward<Args>(arguments)...) + "\n";
  }

  std::string slot(SlotId id) const { return slot_name(program_, id); }

  static std::string guard_text(ExprId guard, const ExpressionText& texts) {
    return guard == no_expr ? std::string() : " when " + texts[guard];
  }

  void definitions(const ExpressionText& texts) {
    for (const std::string& definition : texts.definitions()) line("  {}", definition);
  }

  void slots() {
    line("slots");
    std::vector<ExprId> initials;
    for (const Slot& s : program_.slots) initials.push_back(s.initial);
    ExpressionText texts(program_, initials);
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      const Slot& s = program_.slots[id];
      std::string type = s.origin < program_.origins.size() ? program_.origins[s.origin].type : "";
      line("  {} {} {}{}{}", name_of(s.kind), to_text(s.type), slot(id),
           s.initial == no_expr ? "" : " = " + texts[s.initial], type.empty() ? "" : "  // " + type);
    }
  }

  void clocks() {
    for (std::size_t d = 0; d < program_.domains.size(); ++d) {
      const ClockDomain& domain = program_.domains[d];
      line("\nclock domain {}: base {}, offset {}", d, rational_text(domain.base), rational_text(domain.offset));
      for (std::uint32_t c : domain.clocks) {
        if (c >= program_.clocks.size()) continue;
        const Clock& clock = program_.clocks[c];
        line("  clock {} {}: period {}, offset {}, every {} ticks from {}", c, origin_path(program_, clock.origin),
             rational_text(clock.period), rational_text(clock.offset), clock.divisor, clock.first_tick);
      }
    }
  }

  void assigns(const std::vector<Assign>& list, const ExpressionText& texts) {
    for (const Assign& a : list) line("  {} := {}{}", slot(a.slot), texts[a.value], guard_text(a.guard, texts));
  }

  void assigns_part(const char* title, const std::vector<Assign>& list) {
    if (list.empty()) return;
    std::vector<ExprId> used;
    for (const Assign& a : list) used.insert(used.end(), {a.value, a.guard});
    ExpressionText texts(program_, used);
    line("\n{}", title);
    definitions(texts);
    assigns(list, texts);
  }

  void source(std::size_t i) {
    const Source& s = program_.sources[i];
    const Table& table = s.table;
    std::string port = s.port > 0 ? fmt::format(" output {}", s.port) : "";
    std::string path = origin_path(program_, s.origin);
    line("\nsource {}: {}{}{}{}{}", i, name_of(s.kind), path.empty() ? "" : " ", path, port,
         table.critical ? ", critical" : "");
    std::vector<ExprId> used;
    for (const Assign& a : table.assigns) used.insert(used.end(), {a.value, a.guard});
    for (const Schedule& c : table.schedules) used.insert(used.end(), {c.delay, c.guard});
    for (const Action& a : table.actions) {
      used.push_back(a.guard);
      used.insert(used.end(), a.values.begin(), a.values.end());
    }
    for (const Call& c : table.calls) {
      used.push_back(c.guard);
      used.insert(used.end(), c.arguments.begin(), c.arguments.end());
    }
    ExpressionText texts(program_, used);
    definitions(texts);
    assigns(table.assigns, texts);
    for (const Schedule& c : table.schedules) {
      line("  schedule source {} after {}{}", c.source, texts[c.delay], guard_text(c.guard, texts));
    }
    for (const Action& a : table.actions) {
      std::string what = a.kind == ActionKind::record && a.probe < program_.probes.size()
                             ? " " + program_.probes[a.probe].name
                         : asks_for_pause(a) ? " and pause"
                                             : std::string();
      line("  {}{}{}{}", name_of(a.kind), what, message(a.text, a.values, texts), guard_text(a.guard, texts));
    }
    for (const Call& c : table.calls) call(c, texts);
  }

  void call(const Call& c, const ExpressionText& texts) {
    std::string arguments, results;
    for (ExprId a : c.arguments) arguments += (arguments.empty() ? "" : ", ") + texts[a];
    for (SlotId s : c.results) results += (results.empty() ? "" : ", ") + slot(s);
    const bool known = c.object < program_.foreign_objects.size();
    line("  call {} {} procedure {} ({}) -> ({}){}", known ? program_.foreign_objects[c.object].kind : "object",
         origin_path(program_, c.origin), c.procedure, arguments, results, guard_text(c.guard, texts));
  }

  static std::string message(const std::string& text, const std::vector<ExprId>& values, const ExpressionText& texts) {
    std::string what = text.empty() ? "" : fmt::format(" \"{}\"", text);
    for (ExprId value : values) what += ", " + texts[value];
    return what;
  }

  void assertions() {
    if (program_.assertions.empty()) return;
    std::vector<ExprId> used;
    for (const Assertion& a : program_.assertions) {
      used.push_back(a.holds);
      used.insert(used.end(), a.values.begin(), a.values.end());
    }
    ExpressionText texts(program_, used);
    line("\nassertions");
    definitions(texts);
    for (const Assertion& a : program_.assertions) {
      line("  {} else {}{}", texts[a.holds], a.only_warns ? "warn" : "fail", message(a.text, a.values, texts));
    }
  }

  void histories() {
    if (program_.histories.empty()) return;
    std::vector<ExprId> used;
    for (const History& h : program_.histories) used.insert(used.end(), {h.value, h.start, h.least, h.largest});
    ExpressionText texts(program_, used);
    line("\nhistories");
    definitions(texts);
    for (std::size_t k = 0; k < program_.histories.size(); ++k) {
      const History& h = program_.histories[k];
      line("  past{} = {}, before the start {}, delays {}{} to {}", k, texts[h.value], texts[h.start],
           h.present ? "0 from " : "", texts[h.least], texts[h.largest]);
    }
  }

  void kept() {
    if (!program_.invariants.empty()) {
      ExpressionText texts(program_, program_.invariants);
      line("\ninvariants");
      definitions(texts);
      for (ExprId id : program_.invariants) line("  0 = {}", texts[id]);
    }
    assigns_part("projections", program_.projections);
  }

  void loops() {
    for (const Loop& loop : program_.loops) {
      std::vector<ExprId> used = loop.residuals;
      for (const Surface& mode : loop.modes) {
        used.push_back(mode.value);
        if (mode.settled != no_expr) used.push_back(mode.settled);
      }
      ExpressionText texts(program_, used);
      std::string path;
      for (OriginId block : loop.blocks) path += (path.empty() ? "" : " -> ") + origin_path(program_, block);
      line("\nloop {}: {}", place_of(loop), path);
      if (!loop.solution.empty()) line("  {}", loop.solution);
      definitions(texts);
      for (std::size_t i = 0; i < loop.unknowns.size(); ++i) {
        line("  find {}: 0 = {}", slot(loop.unknowns[i]), texts[loop.residuals[i]]);
      }
      for (const Surface& mode : loop.modes) mode_line(mode, texts);
    }
  }

  static std::string place_of(const Loop& loop) {
    if (loop.source == Loop::start) return "at the start";
    return loop.source == Loop::continuous ? "in continuous time" : fmt::format("in source {}", loop.source);
  }

  void mode_line(const Surface& s, const ExpressionText& texts) {
    const char* relation = s.strict ? ">" : ">=";
    const char* only = s.shown ? ", only shown" : "";
    if (s.settled == no_expr) return line("  mode {} is {} {} 0{}", slot(s.mode), texts[s.value], relation, only);
    line("  mode {} holds while {} {} 0, else becomes {}{}", slot(s.mode), texts[s.value], relation, texts[s.settled],
         only);
  }

  void start_system() {
    const StartSystem& system = program_.start_system;
    assigns_part("guesses of the start", system.guesses);
    assigns_part("found at the start", system.found);
    if (system.homotopy != no_slot) line("\nthe start is continued by {}", slot(system.homotopy));
    for (const std::string& name : system.given) line("  given: {}", name);
    if (system.checks.empty()) return;
    std::vector<ExprId> used;
    for (const StartCheck& check : system.checks) used.push_back(check.residual);
    ExpressionText texts(program_, used);
    line("\nchecks of the start");
    definitions(texts);
    for (const StartCheck& check : system.checks) line("  0 = {}", texts[check.residual]);
  }

  void continuous() {
    if (!program_.states.empty()) {
      ExpressionText texts(program_, program_.derivatives);
      line("\nderivatives");
      definitions(texts);
      for (std::size_t i = 0; i < program_.states.size() && i < program_.derivatives.size(); ++i) {
        line("  der({}) = {}", slot(program_.states[i]), texts[program_.derivatives[i]]);
      }
    }
    kept();
    assertions();
    histories();
    if (program_.surfaces.empty()) return;
    std::vector<ExprId> used;
    for (const Surface& s : program_.surfaces) {
      used.push_back(s.value);
      if (s.settled != no_expr) used.push_back(s.settled);
    }
    ExpressionText texts(program_, used);
    line("\nsurfaces");
    definitions(texts);
    for (const Surface& s : program_.surfaces) {
      const char* how = s.crossing == Crossing::both ? "both" : s.crossing == Crossing::rising ? "rising" : "falling";
      if (s.mode != no_slot) {
        mode_line(s, texts);
      } else {
        line("  source {} on zero of {} ({}){}", s.source, texts[s.value], how,
             s.direction == no_slot ? "" : ", direction in " + slot(s.direction));
      }
    }
  }

  void probes() {
    if (program_.probes.empty()) return;
    line("\nprobes");
    for (const Probe& p : program_.probes) {
      line("  {} shows {}{}{}{}", p.name, slot(p.slot), p.unit.empty() ? "" : " [" + p.unit + "]",
           p.continuous ? ", continuous" : "", p.display ? ", display" : "");
    }
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

const char* name_of(SlotKind kind) {
  constexpr const char* names[] = {"parameter", "state",      "shadow", "discrete", "mode",   "direction",
                                   "signal",    "activation", "before", "rate",     "unknown"};
  return names[static_cast<int>(kind)];
}

const char* name_of(SourceKind kind) {
  constexpr const char* names[] = {"initial", "clock", "programmed", "crossing", "step", "left", "instant", "final"};
  return names[static_cast<int>(kind)];
}

const char* name_of(ActionKind kind) {
  constexpr const char* names[] = {"stop", "fail", "restart", "repeat", "warn", "note", "record"};
  return names[static_cast<int>(kind)];
}

std::string slot_name(const Program& program, SlotId slot) {
  if (slot >= program.slots.size()) return fmt::format("slot{}", slot);
  const Slot& s = program.slots[slot];
  std::string path = origin_path(program, s.origin);
  if (path.empty()) return s.name;
  return path + "." + s.name;
}

std::string to_text(const Program& program) { return ProgramText(program).run(); }

}  // namespace orrery::program
