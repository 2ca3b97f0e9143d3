// SPDX-License-Identifier: Apache-2.0
// Front ends of differential equations: ode45, ode113, ode15s and kin, and ode15i, on the integrators of solve.
#include <algorithm>
#include <cmath>
#include <exception>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "solve/dae.h"
#include "solve/locate_root.h"
#include "solve/plain_stepper.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// What the user asks for. Times run forward inside: with a span that falls, s = -t.
struct Task {
  Call& c;
  Value f;
  Values extra;
  Vec span, y0;
  double sign = 1;
  solve::Tolerance tolerance;
  solve::StepLimits limits;
  Value jacobian, mass, events, output;
  std::exception_ptr error;  // raised by the user's function inside the integrator

  Value call(const Value& function, double s, const double* y) {
    Values args = {Value(sign * s), Value::column(Vec(y, y + y0.size()))};
    args.insert(args.end(), extra.begin(), extra.end());
    return c.oml.call1(function, std::move(args));
  }
  // SUNDIALS is C: nothing may be thrown through it.
  template <class Work>
  int guarded(Work work) {
    try {
      c.oml.tick();
      work();
      return 0;
    } catch (...) {
      error = std::current_exception();
      return -1;
    }
  }
};

int derivative(double s, const double* y, double* dy, void* user) {
  auto& task = *static_cast<Task*>(user);
  return task.guarded([&] {
    Value rate = task.call(task.f, s, y);
    if (!task.mass.is_none()) {
      const Value m = task.mass.kind() == Kind::handle ? task.call(task.mass, s, y) : task.mass;
      rate = solve_left(to_real(full(m)), Value::column(to_vector(rate)));
    }
    const Vec d = to_vector(rate);
    if (d.size() != task.y0.size()) fail("the function must return as many derivatives as there are states");
    for (std::size_t i = 0; i < d.size(); ++i) dy[i] = task.sign * d[i];
  });
}

int jacobian_values(double s, const double* y, double* values, void* user) {
  auto& task = *static_cast<Task*>(user);
  return task.guarded([&] {
    const Value j =
        to_real(full(task.jacobian.kind() == Kind::handle ? task.call(task.jacobian, s, y) : task.jacobian));
    if (j.numel() != static_cast<Index>(task.y0.size() * task.y0.size()))
      fail("the Jacobian must be a square matrix with a row for each state");
    for (Index i = 0; i < j.numel(); ++i) values[i] = task.sign * j.real()[i];
  });
}

Task task_of(Call& c, int options_at) {
  Task task{c, c.oml.to_handle(c[0]), {}, to_vector(c[1]), to_vector(c[2]), 1, {}, {}, {}, {}, {}, {}, {}};
  task.tolerance = {1e-3, 1e-6, {}};
  if (task.span.size() < 2) fail_argument(2, "must have at least two times");
  if (task.y0.empty()) fail_argument(3, "must not be empty");
  task.sign = task.span.back() < task.span[0] ? -1 : 1;
  for (double& t : task.span) t *= task.sign;
  for (std::size_t k = 1; k < task.span.size(); ++k)
    if (!(task.span[k] > task.span[k - 1])) fail_argument(2, "must ascend or descend");
  if (c.has(options_at) && c[options_at].is_struct()) {
    const auto get = [&](const char* name) -> const Value* {
      const Value* v = c[options_at].structure_ref().get(name);
      return v != nullptr && !v->is_empty() ? v : nullptr;
    };
    if (const Value* v = get("RelTol")) task.tolerance.relative = to_double(*v);
    if (const Value* v = get("AbsTol")) {
      const Vec a = to_vector(*v);
      task.tolerance.absolute = a[0];
      if (a.size() > 1) task.tolerance.absolute_per_state = a;
      if (a.size() > 1 && a.size() != task.y0.size()) fail("AbsTol must have one value, or one for each state");
    }
    if (const Value* v = get("InitialStep")) task.limits.initial = to_double(*v);
    if (const Value* v = get("MaxStep")) task.limits.maximum = to_double(*v);
    const auto handle = [&](const char* name, Value& to) {
      if (const Value* v = get(name)) to = v->is_text() ? c.oml.to_handle(*v) : *v;
    };
    handle("Jacobian", task.jacobian);
    handle("Mass", task.mass);
    handle("Events", task.events);
    handle("OutputFcn", task.output);
    if (task.jacobian.is_cell()) task.jacobian = Value();
  }
  for (int k = options_at + 1; k < c.count(); ++k) task.extra.push_back(c[k]);
  return task;
}

solve::Sparsity dense_pattern(int n) {
  solve::Sparsity p;
  p.n = n;
  for (int k = 0; k <= n; ++k) p.column_start.push_back(k * n);
  for (int k = 0; k < n * n; ++k) p.row.push_back(k % n);
  return p;
}

// One interface over our own integrators and those with the steps of plain SUNDIALS.
struct Stepper {
  std::unique_ptr<solve::Integrator> own;
  std::unique_ptr<solve::PlainStepper> plain;

  // Plain methods go beyond the aim unless they must stop there.
  solve::Status step(double aim, bool stop) { return own ? own->step(aim) : plain->step(aim, stop); }
  double time() const { return own ? own->time() : plain->time(); }
  double previous() const { return own ? own->previous_time() : plain->previous_time(); }
  const double* state() const { return own ? own->state() : plain->state(); }
  void interpolate(double t, double* x) { own ? own->interpolate(t, x) : plain->interpolate(t, x); }
  std::string message() const { return own ? own->failure().message : plain->message; }
};

struct EventValues {
  Vec value, terminal, direction;
};

EventValues event_values(Task& task, double s, const Vec& y) {
  Values args = {Value(task.sign * s), Value::column(y)};
  args.insert(args.end(), task.extra.begin(), task.extra.end());
  const Values r = task.c.oml.call(task.events, std::move(args), 3);
  if (r.empty()) fail("the event function must return values");
  EventValues e;
  e.value = to_vector(r[0]);
  e.terminal = r.size() > 1 ? to_vector(r[1]) : Vec(e.value.size(), 1.0);
  e.direction = r.size() > 2 ? to_vector(r[2]) : Vec(e.value.size(), 0.0);
  e.terminal.resize(e.value.size(), e.terminal.size() == 1 ? e.terminal[0] : 0);
  e.direction.resize(e.value.size(), e.direction.size() == 1 ? e.direction[0] : 0);
  return e;
}

struct Crossing {
  double time;
  std::size_t index;
  bool stops;
};

// Runs the integrator over the span and keeps the points the user gets.
class Run {
 public:
  Run(Task& task, Stepper stepper) : task_(task), stepper_(std::move(stepper)) {}

  void go() {
    const double end = task_.span.back();
    Vec y = task_.y0;
    output("init", 0);
    keep(task_.span[0], y);
    EventValues before;
    if (!task_.events.is_none()) {
      before = event_values(task_, task_.span[0], y);
      // A zero at the start counts, that of the first component that has one.
      const auto zero = std::find(before.value.begin(), before.value.end(), 0.0);
      if (zero != before.value.end())
        note_event(task_.span[0], y, static_cast<std::size_t>(zero - before.value.begin()));
    }
    while (stepper_.time() < end && !stopped_) {
      // Two times: every step up to the last. More of them: steps as long as they like, values by interpolation; the
      // first time wanted bounds the first step.
      const double aim = stepper_.time() == task_.span[0] && wanted() ? task_.span[1] : end;
      if (stepper_.step(aim, !wanted()) != solve::Status::ok) give_up();
      y.assign(stepper_.state(), stepper_.state() + task_.y0.size());
      double last = std::min(stepper_.time(), end);
      if (!task_.events.is_none()) last = std::min(find_events(before, y), last);
      record(last);
    }
    output("done", 0);
  }

  void give(bool with_events) {
    Call& c = task_.c;
    const auto m = static_cast<Index>(task_.y0.size());
    // Given times keep their direction.
    const bool row = wanted() && task_.c[1].dims().rows() == 1;
    const Value t = row ? Value::row(times_) : Value::column(times_), y = rows(states_, m);
    Values events = {unboxed(Value::column(event_times_)), rows(event_states_, m),
                     unboxed(Value::column(event_index_))};
    if (event_times_.empty()) events = {Value::empty(), Value::empty(), Value::empty()};
    if (c.nargout <= 1) {
      Value s = Value::structure();
      StructArray& fields = s.edit_structure();
      fields.set("solver", Value::text(c.name));
      fields.set("x", unboxed(Value::row(times_)));
      fields.set("y", unboxed(transpose(boxed(y), false)));
      if (with_events) {
        fields.set("xe", unboxed(transpose(boxed(events[0]), false)));
        fields.set("ye", unboxed(transpose(boxed(events[1]), false)));
        fields.set("ie", unboxed(transpose(boxed(events[2]), false)));
      }
      return c.ret(s);
    }
    c.ret(unboxed(t));
    c.ret(y);
    for (Value& v : events) c.ret(std::move(v));
  }

 private:
  bool wanted() const { return task_.span.size() > 2; }

  static Value rows(const std::vector<Vec>& list, Index width) {
    Value v = Value::zeros(Dims(static_cast<Index>(list.size()), width));
    for (std::size_t i = 0; i < list.size(); ++i)
      for (Index k = 0; k < width; ++k)
        v.edit_real().at(static_cast<Index>(i), k) = list[i][static_cast<std::size_t>(k)];
    return unboxed(v);
  }

  [[noreturn]] void give_up() {
    if (task_.error) std::rethrow_exception(task_.error);
    fail("the integration failed at t = " + std::to_string(task_.sign * stepper_.time()) + ": " + stepper_.message());
  }

  // Up to `last`, which an event may have made earlier than the end of the step.
  void record(double last) {
    if (!wanted() || stopped_) {
      Vec y(task_.y0.size());
      if (wanted()) record_wanted(last);
      stepper_.interpolate(last, y.data());
      if (times_.back() != task_.sign * last) keep(last, y);
      return;
    }
    record_wanted(last);
  }
  void record_wanted(double last) {
    while (next_ < task_.span.size() && task_.span[next_] <= last && !stopped_by_output_) {
      Vec y(task_.y0.size());
      stepper_.interpolate(task_.span[next_], y.data());
      keep(task_.span[next_++], y);
    }
  }

  void keep(double s, const Vec& y) {
    times_.push_back(task_.sign * s);
    states_.push_back(y);
    if (times_.size() > 1) output("", s);
  }

  void output(const char* flag, double s) {
    if (task_.output.is_none()) return;
    Values args;
    const std::string name = flag;
    if (name == "init")
      args = {Value::column({task_.sign * task_.span[0], task_.sign * task_.span.back()}), Value::column(task_.y0),
              Value::text(name)};
    else if (name == "done")
      args = {Value::empty(), Value::empty(), Value::text(name)};
    else
      args = {Value(task_.sign * s), Value::column(states_.back()), Value::text("")};
    const Values r = task_.c.oml.call(task_.output, std::move(args), name.empty() ? 1 : 0);
    if (name.empty() && !r.empty() && !r[0].is_none() && is_true(r[0])) stopped_ = stopped_by_output_ = true;
  }

  // Crossings inside the step in order of time; returns where the run goes on from: the first terminal one or the end.
  double find_events(EventValues& before, const Vec& y) {
    const EventValues after = event_values(task_, stepper_.time(), y);
    std::vector<Crossing> found;
    for (std::size_t k = 0; k < after.value.size() && k < before.value.size(); ++k) {
      const double low = before.value[k], high = after.value[k];
      if (!solve::changes_sign(low, high)) continue;
      const double rising = low < 0 ? 1 : -1;
      if (after.direction[k] != 0 && after.direction[k] != rising) continue;
      const auto value_at = [&](double s) {
        Vec x(task_.y0.size());
        stepper_.interpolate(s, x.data());
        return event_values(task_, s, x).value[k];
      };
      const double t0 = stepper_.previous(), t1 = stepper_.time();
      const solve::Bracket b =
          solve::locate_root(value_at, {t0, t1, low, high}, 1e-14 * std::max(std::abs(t0), std::abs(t1)));
      found.push_back({b.hi, k, after.terminal[k] != 0});
    }
    before = after;
    std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.time < b.time; });
    for (const Crossing& x : found) {
      Vec at(task_.y0.size());
      stepper_.interpolate(x.time, at.data());
      if (x.time > task_.span.back()) break;
      note_event(x.time, at, x.index);
      if (x.stops) {
        stopped_ = true;
        return x.time;
      }
    }
    return stepper_.time();
  }

  void note_event(double s, const Vec& y, std::size_t index) {
    event_times_.push_back(task_.sign * s);
    event_states_.push_back(y);
    event_index_.push_back(static_cast<double>(index + 1));
  }

  Task& task_;
  Stepper stepper_;
  Vec times_, event_times_, event_index_;
  std::vector<Vec> states_, event_states_;
  std::size_t next_ = 1;
  bool stopped_ = false, stopped_by_output_ = false;
};

solve::Problem problem_of(Task& task) {
  solve::Problem p;
  p.n = static_cast<int>(task.y0.size());
  p.rhs = {derivative, &task};
  if (!task.jacobian.is_none() && task.mass.is_none()) p.jacobian = {jacobian_values, &task, dense_pattern(p.n)};
  p.tolerance = task.tolerance;
  p.limits = task.limits;
  p.t_end_hint = task.span.back();
  return p;
}

void integrate(Task& task, Stepper stepper) {
  Run run(task, std::move(stepper));
  run.go();
  run.give(!task.events.is_none());
}

// `tighter`: what the user's tolerances are multiplied by.
void own_front_end(Call& c, const char* method, double tighter) {
  Task task = task_of(c, 3);
  task.tolerance.relative *= tighter;
  task.tolerance.absolute *= tighter;
  for (double& x : task.tolerance.absolute_per_state) x *= tighter;
  Stepper stepper{solve::make_integrator(*solve::find_solver(method), problem_of(task)), nullptr};
  if (stepper.own->start(task.span[0], task.y0.data(), false) != solve::Status::ok) {
    if (task.error) std::rethrow_exception(task.error);
    fail(stepper.message());
  }
  integrate(task, std::move(stepper));
}

void check_tolerances(const Task& task) {
  if (!(task.tolerance.relative >= 0) || !(task.tolerance.absolute >= 0)) fail("tolerances must not be negative");
}

void erk_front_end(Call& c) {
  Task task = task_of(c, 3);
  check_tolerances(task);
  integrate(task, {nullptr, solve::make_plain_erk(problem_of(task), task.span[0], task.y0.data())});
}

void cvode_front_end(Call& c, solve::PlainMethod method) {
  Task task = task_of(c, 3);
  check_tolerances(task);
  integrate(task, {nullptr, solve::make_plain_cvode(method, problem_of(task), task.span[0], task.y0.data())});
}

int residual(double s, const double* y, const double* dy, double* r, void* user) {
  auto& task = *static_cast<Task*>(user);
  return task.guarded([&] {
    const std::size_t n = task.y0.size();
    Vec slope(dy, dy + n);
    for (double& x : slope) x *= task.sign;
    Values args = {Value(task.sign * s), Value::column(Vec(y, y + n)), Value::column(slope)};
    args.insert(args.end(), task.extra.begin(), task.extra.end());
    const Vec out = to_vector(task.c.oml.call1(task.f, std::move(args)));
    if (out.size() != n) fail("the function must return as many residuals as there are states");
    std::copy(out.begin(), out.end(), r);
  });
}

// ode15i(f, times, y0, yp0, options)
void implicit_front_end(Call& c) {
  Task task = task_of(c, 4);
  Vec slope = to_vector(c[3]);
  if (slope.size() != task.y0.size()) fail_argument(4, "must have as many elements as the start values");
  for (double& x : slope) x *= task.sign;
  solve::DaeProblem p;
  p.n = static_cast<int>(task.y0.size());
  p.residual = {residual, &task};
  p.tolerance = task.tolerance;
  p.limits = task.limits;
  p.t_end_hint = task.span.back();
  check_tolerances(task);
  integrate(task, {nullptr, solve::make_plain_ida(std::move(p), task.span[0], task.y0.data(), slope.data())});
}

// odeset('name', value, ...), odeset(old, 'name', value, ...): a struct of options.
void options(Call& c) {
  Value out = Value::structure();
  int k = 0;
  for (; k < c.count() && c[k].is_struct(); ++k) {
    const StructArray& s = c[k].structure_ref();
    for (std::size_t f = 0; f < s.keys.size(); ++f) out.edit_structure().set(s.keys[f], s.columns[f].at(0));
  }
  if ((c.count() - k) % 2 != 0) fail("options come in pairs of names and values");
  for (; k + 1 < c.count(); k += 2) out.edit_structure().set(c.text(k), c[k + 1]);
  c.ret(out);
}

void option_value(Call& c) {
  if (c[0].is_struct()) {
    const Value* v = c[0].structure_ref().get(c.text(1));
    if (v != nullptr && !v->is_empty()) return c.ret(*v);
  }
  c.ret(c.has(2) ? c[2] : Value::empty());
}

constexpr Builtin ode_table[] = {
    {"ode45", 3, -1, erk_front_end,
     "[t, y, te, ye, ie] = ode45(f, times, y0, options, ...): solves y' = f(t, y) by an explicit method of order 4 "
     "(Zonneveld's pair with ARKODE's step control). Two times give every step, more of them give y at those times.",
     "function, real vector filled, real filled, struct []"},
    {"ode23", 3, -1, [](Call& c) { own_front_end(c, "dopri", 0.1); },
     "[t, y] = ode23(f, times, y0, options, ...): solves y' = f(t, y); Dormand and Prince's method.",
     "function, real vector filled, real filled, struct []"},
    {"ode113", 3, -1, [](Call& c) { cvode_front_end(c, solve::PlainMethod::adams); },
     "[t, y, te, ye, ie] = ode113(f, times, y0, options, ...): solves y' = f(t, y) by Adams' methods (CVODE).",
     "function, real vector filled, real filled, struct []"},
    {"ode15s", 3, -1, [](Call& c) { cvode_front_end(c, solve::PlainMethod::bdf); },
     "[t, y, te, ye, ie] = ode15s(f, times, y0, options, ...): solves stiff y' = f(t, y) by backward differences "
     "(CVODE).",
     "function, real vector filled, real filled, struct []"},
    {"ode23s", 3, -1, [](Call& c) { own_front_end(c, "sdirk", 0.1); },
     "[t, y, te, ye, ie] = ode23s(f, times, y0, options, ...): solves stiff y' = f(t, y) by a singly diagonally "
     "implicit method.",
     "function, real vector filled, real filled, struct []"},
    {"ode15i", 4, -1, implicit_front_end,
     "[t, y, te, ye, ie] = ode15i(f, times, y0, yp0, options, ...): solves f(t, y, y') = 0, algebraic equations of "
     "index 1 included (IDA).",
     "function, real vector filled, real filled, real filled, struct []"},
    {"odeset", 0, -1, options,
     "odeset('RelTol', r, 'AbsTol', a, 'MaxStep', h, 'InitialStep', h, 'Jacobian', J, 'Mass', M, 'Events', f, "
     "'OutputFcn', f): options of the ode functions.",
     "any, ..."},
    {"odeget", 2, 3, option_value, "odeget(options, name, default): one option.", "struct [], word, any"},
    {"optimset", 0, -1, options,
     "optimset('TolX', x, 'TolFun', f, 'MaxIter', n, ...): options of the optimisation functions.", "any, ..."},
    {"optimget", 2, 3, option_value, "optimget(options, name, default): one option.", "struct [], word, any"},
};

}  // namespace

BuiltinFamily ode_builtins() { return ode_table; }

}  // namespace orrery::oml
