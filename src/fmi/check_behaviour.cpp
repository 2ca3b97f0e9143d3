// SPDX-License-Identifier: Apache-2.0
// Runs an FMU a little, in a process of its own, and holds what it does against what it says of itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmi/caller.h"
#include "fmi/check.h"
#include "fmi/directional.h"
#include "fmi/launch.h"
#include "fmi/values.h"

namespace orrery::fmi {
namespace {

constexpr std::size_t most_violations = 20;
constexpr std::size_t most_compared_states = 200;  // for what asks each of them about each other
constexpr std::uint64_t most_checked_elements = 1000;
constexpr int most_iterations = 100;
constexpr int steps = 10;

// A rule of behaviour, and where FMI 1.0, 2.0 and 3.0 state it.
struct Rule {
  const char* sections[3];
};
constexpr Rule initialisation{{"FMI 1.0, calling sequence", "FMI 2.0, 2.1.6", "FMI 3.0, 2.3"}};
constexpr Rule variables{{"FMI 1.0, variables", "FMI 2.0, 2.2.7", "FMI 3.0, 2.4.7"}};
constexpr Rule structure{{"FMI 1.0, variables", "FMI 2.0, 2.2.8", "FMI 3.0, 2.4.8"}};
constexpr Rule whole_state{{"FMI 1.0", "FMI 2.0, 2.1.8", "FMI 3.0, 2.2"}};
constexpr Rule derivatives{{"FMI 1.0", "FMI 2.0, 2.1.9", "FMI 3.0, 2.2"}};
constexpr Rule exchange{{"FMI 1.0, calling sequence", "FMI 2.0, 3.2", "FMI 3.0, 3.2"}};
constexpr Rule co_simulation{{"FMI 1.0, calling sequence", "FMI 2.0, 4.2", "FMI 3.0, 4.2"}};

bool differs(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  return std::fabs(a - b) > tolerance * (1 + std::fabs(b));
}

class Trial {
 public:
  Trial(const Description& description, const std::string& file, Kind kind, Diagnostics& diagnostics)
      : d_(description),
        file_(file),
        kind_(kind),
        diagnostics_(diagnostics),
        log_(description, file),
        reader_(description, readable(description)) {}

  void check(Archive& archive) {
    LaunchOptions options;
    options.safe = true;
    options.limits.call_seconds = 10;
    options.instance.name = "check";
    options.instance.kind = kind_;
    const Interface& interface = *d_.interface(kind_);
    options.instance.event_mode = interface.event_mode;
    instance_ = launch(archive, d_, log_, options, diagnostics_);
    if (!instance_ || !initialise()) return;
    const Values first = values();
    check_values(first);
    if (kind_ == Kind::model_exchange) check_exchange();
    if (kind_ == Kind::co_simulation) check_steps();
    if (d_.version == Version::fmi1 || dead_) return;
    if (!well(instance_->reset(), initialisation) || !initialise()) return;
    compare(first, values(), "has another value after a reset", initialisation);
    static_cast<void>(well(instance_->terminate(), initialisation));
  }

 private:
  void violation(const Rule& rule, const std::string& variable, const std::string& message,
                 std::vector<std::string> notes = {}) {
    if (++count_ > most_violations) return;
    const char* section = rule.sections[static_cast<int>(d_.version) - 1];
    diagnostics_
        .error("fmi-check-behaviour", {file_, 0, 0, {}, variable},
               fmt::format("{}: {} ({})", name_of(kind_), message, section))
        .notes = std::move(notes);
  }
  bool well(Status status, const Rule& rule) {
    if (succeeded(status)) return true;
    if (dead_) return false;
    const Death* death = instance_->death();
    dead_ = death != nullptr || status == Status::fatal;
    violation(rule, {}, death != nullptr ? death->message : fmt::format("{} failed", instance_->last_call()),
              log_.last_words());
    return false;
  }

  bool initialise() {
    t_ = d_.experiment.start.value_or(0);
    RunInterval interval;
    interval.start = t_;
    EventInfo info;
    return well(instance_->setup(interval), initialisation) &&
           well(instance_->enter_initialization(), initialisation) &&
           well(instance_->exit_initialization(info), initialisation);
  }

  static std::vector<const Variable*> readable(const Description& description) {
    std::vector<const Variable*> list;
    for (const Variable& v : description.variables) {
      if (v.type != Type::clock && element_count(description, v) <= most_checked_elements) list.push_back(&v);
    }
    return list;
  }

  struct Values {
    std::vector<double> numbers;
    std::vector<std::string> texts;
  };
  Values values() {
    Values all{std::vector<double>(reader_.numbers()), std::vector<std::string>(reader_.texts())};
    const Status status = reader_.read(*instance_, all.numbers.data(), all.texts.data());
    dead_ = dead_ || instance_->death() != nullptr;
    if ((!succeeded(status) || !reader_.gap().empty()) && !told_gaps_) {
      violation(variables, reader_.gap(), fmt::format("{} failed", instance_->last_call()), log_.last_words());
      told_gaps_ = true;
    }
    return all;
  }

  void compare(const Values& before, const Values& after, const char* what, const Rule& rule) {
    for (const Reader::Column& column : reader_.columns()) {
      if (dead_) return;
      if (column.is_text) {
        if (before.texts[column.place] != after.texts[column.place]) violation(rule, column.name, what);
      } else if (differs(after.numbers[column.place], before.numbers[column.place], 1e-9)) {
        violation(rule, column.name,
                  fmt::format("{}: {} instead of {}", what, after.numbers[column.place], before.numbers[column.place]));
      }
    }
  }

  // What the description says of values at the beginning.
  void check_values(const Values& first) {
    const Variable* before = nullptr;
    for (const Reader::Column& column : reader_.columns()) {
      const Variable& v = *column.variable;
      if (dead_ || column.is_text || &v == before) continue;
      before = &v;
      const double value = first.numbers[column.place];
      if ((v.min && value < *v.min) || (v.max && value > *v.max)) {
        violation(variables, v.name, fmt::format("the value {} lies outside min and max", value));
      }
      const bool given = v.causality == Causality::parameter || v.causality == Causality::input ||
                         v.variability == Variability::constant || v.initial == Initial::exact;
      // Events of FMI 1.0 are part of the initialisation.
      if (!given || v.start.empty() || (d_.version == Version::fmi1 && v.causality != Causality::parameter)) continue;
      Diagnostics ignored;
      const auto start = parse_numbers(d_, v, v.start[0], ignored);
      const double tolerance = v.type == Type::float32 ? 1e-6 : 1e-9;
      const double sign = v.alias == Alias::negated && v.type != Type::boolean ? -1 : 1;
      if (start && !start->empty() && differs(value, sign * (*start)[0], tolerance)) {
        violation(variables, v.name, fmt::format("the start value is {}, the description says {}", value, v.start[0]));
      }
    }
  }

  bool settle() {
    EventInfo info;
    info.again = true;
    for (int k = 0; info.again; ++k) {
      if (k == most_iterations) {
        violation(exchange, {}, "the event iteration does not end");
        return false;
      }
      info = {};
      if (!well(instance_->update_discrete_states(info), exchange)) return false;
    }
    return true;
  }

  void check_exchange() {
    if (!settle() || !well(instance_->enter_continuous_mode(), exchange)) return;
    std::size_t states = 0, indicators = 0;
    if (!well(instance_->count_states(states, indicators), exchange)) return;
    if (states != d_.states) {
      violation(structure, {}, fmt::format("the number of states is {}, the description lists {}", states, d_.states));
    }
    if (indicators != d_.indicators) {
      violation(
          structure, {},
          fmt::format("the number of event indicators is {}, the description lists {}", indicators, d_.indicators));
    }
    x_.resize(std::min<std::size_t>(states, 1'000'000));
    std::vector<double> dx(x_.size()), z(std::min<std::size_t>(indicators, 1'000'000)), nominals(x_.size(), 1);
    if (!well(instance_->get_states(x_), exchange) || !well(instance_->get_nominals(nominals), exchange) ||
        !well(instance_->evaluate(t_, x_, dx), exchange) || !well(instance_->get_indicators(z), exchange)) {
      return;
    }
    for (std::size_t k = 0; k < nominals.size(); ++k) {
      if (!(nominals[k] > 0))
        violation(exchange, {}, fmt::format("the nominal value of state {} is {}", k + 1, nominals[k]));
    }
    check_named_states(dx);
    if (instance_->has_directional_derivatives() && d_.model_exchange->directional_derivatives && !x_.empty()) {
      if (!directional_derivatives_agree(d_, *instance_, x_)) {
        violation(derivatives, {}, "directional derivatives fail, or differ from differences");
      }
    }
    check_dependencies(dx);
    if (!dead_ && d_.model_exchange->get_set_state) check_state_of_exchange(dx);
  }

  // States and derivatives have one value, whichever way it is asked for.
  void check_named_states(const std::vector<double>& dx) {
    if (!scalar_states()) return;
    for (std::size_t k = 0; k < x_.size() && !dead_; ++k) {
      const Variable& x = d_.variables[d_.state_variables[k]];
      const Variable& derivative = d_.variables[d_.derivatives[k].variable];
      for (const auto& [variable, expected] : {std::pair(&x, x_[k]), {&derivative, dx[k]}}) {
        double value = 0;
        if (!well(instance_->get_numbers(variable->type, {&variable->reference, 1}, {&value, 1}), variables)) return;
        if (differs(value, expected, 1e-9)) {
          violation(structure, variable->name,
                    fmt::format("has the value {}, as a state or derivative {}", value, expected));
        }
      }
    }
  }

  bool scalar_states() const {
    return d_.state_variables.size() == x_.size() && d_.derivatives.size() == x_.size() &&
           x_.size() <= most_compared_states;
  }

  // The unknowns of the model structure that are continuous scalars.
  std::vector<std::pair<const Unknown*, double>> unknowns() {
    std::vector<std::pair<const Unknown*, double>> list;
    for (const auto* part : {&d_.derivatives, &d_.outputs}) {
      for (const Unknown& unknown : *part) {
        const Variable& v = d_.variables[unknown.variable];
        if (!unknown.dependencies || v.type != Type::float64 || !v.dimensions.empty() ||
            v.variability != Variability::continuous) {
          continue;
        }
        double value = 0;
        if (!succeeded(instance_->get_numbers(v.type, {&v.reference, 1}, {&value, 1}))) continue;
        list.emplace_back(&unknown, value);
      }
    }
    return list;
  }

  void look_for_hidden(std::size_t known, const std::vector<std::pair<const Unknown*, double>>& before) {
    const auto after = unknowns();
    if (after.size() != before.size()) return;
    for (std::size_t k = 0; k < after.size(); ++k) {
      const auto& listed = *after[k].first->dependencies;
      const bool declared = std::find(listed.begin(), listed.end(), known) != listed.end();
      // An output that is a state, or shares its value with the known, needs no words.
      const Variable& unknown = d_.variables[after[k].first->variable];
      if (declared || unknown.reference == d_.variables[known].reference) continue;
      if (differs(after[k].second, before[k].second, 1e-9)) {
        violation(structure, unknown.name,
                  fmt::format("depends on {}, but its dependencies do not say so", d_.variables[known].name));
      }
    }
  }

  // Moves one known after the other and sees which unknowns move.
  void check_dependencies(std::vector<double>& dx) {
    const auto before = unknowns();
    if (before.empty() || dead_) return;
    for (std::size_t k = 0; k < d_.variables.size() && !dead_; ++k) {
      const Variable& v = d_.variables[k];
      const bool movable = v.causality == Causality::input && v.type == Type::float64 && v.dimensions.empty() &&
                           v.variability == Variability::continuous;
      double value = 0;
      if (!movable || !succeeded(instance_->get_numbers(v.type, {&v.reference, 1}, {&value, 1}))) continue;
      const double move = 1e-3 * (1 + std::fabs(value));
      const double moved = v.max && value + move > *v.max ? value - move : value + move;
      if (!succeeded(instance_->set_numbers(v.type, {&v.reference, 1}, {&moved, 1}))) continue;
      look_for_hidden(k, before);
      static_cast<void>(instance_->set_numbers(v.type, {&v.reference, 1}, {&value, 1}));
    }
    if (!scalar_states()) return;
    for (std::size_t k = 0; k < x_.size() && !dead_; ++k) {
      std::vector<double> moved = x_;
      moved[k] += 1e-3 * (1 + std::fabs(x_[k]));
      if (!succeeded(instance_->evaluate(t_, moved, dx))) continue;
      look_for_hidden(d_.state_variables[k], before);
    }
    static_cast<void>(well(instance_->evaluate(t_, x_, dx), exchange));
  }

  // The state comes back as it was, also through its bytes.
  template <class Change>
  void check_whole_state(const Interface& interface, const Change& change) {
    const Values before = values();
    void* state = nullptr;
    if (!well(instance_->get_state(state), whole_state) || !change()) return;
    if (!well(instance_->set_state(state), whole_state)) return;
    compare(before, values(), "has another value after the state was set back", whole_state);
    std::vector<char> bytes;
    if (interface.serialize_state && !dead_) {
      void* copy = nullptr;
      if (!well(instance_->serialize_state(state, bytes), whole_state) || !change() ||
          !well(instance_->deserialize_state(bytes, copy), whole_state) ||
          !well(instance_->set_state(copy), whole_state)) {
        return;
      }
      compare(before, values(), "has another value after the state was set back from its bytes", whole_state);
      static_cast<void>(well(instance_->free_state(copy), whole_state));
    }
    if (!dead_) static_cast<void>(well(instance_->free_state(state), whole_state));
  }

  void check_state_of_exchange(std::vector<double>& dx) {
    check_whole_state(*d_.model_exchange, [&] {
      std::vector<double> moved = x_;
      for (double& x : moved) x += 1e-3 * (1 + std::fabs(x));
      return well(instance_->evaluate(t_ + 1e-6, moved, dx), exchange);
    });
  }

  double step() const {
    const double horizon = d_.experiment.stop.value_or(t_ + 1) - d_.experiment.start.value_or(0);
    const double step = d_.experiment.step.value_or(d_.co_simulation->fixed_internal_step.value_or(horizon / 100));
    return std::isfinite(step) && step > 0 ? step : 0.01;
  }

  bool take_steps(double& t, double h) {
    for (int k = 0; k < steps; ++k) {
      StepInfo info;
      const Status status = instance_->do_step(t, h, info);
      if (status == Status::discard || info.terminate || info.early_return || info.event_needed) break;
      if (!well(status, co_simulation)) return false;
      t += h;
    }
    return true;
  }

  void check_steps() {
    if (d_.version == Version::fmi3 && d_.co_simulation->event_mode) {
      if (!settle() || !well(instance_->enter_step_mode(), co_simulation)) return;
    }
    const double h = step();
    double t = t_;
    if (!take_steps(t, h)) return;
    if (!d_.co_simulation->get_set_state || dead_) return;
    check_whole_state(*d_.co_simulation, [&] {
      double later = t;
      return take_steps(later, h);
    });
  }

  const Description& d_;
  std::string file_;
  Kind kind_;
  Diagnostics& diagnostics_;
  Log log_;
  std::unique_ptr<Instance> instance_;
  Reader reader_;
  std::vector<double> x_;
  double t_ = 0;
  std::size_t count_ = 0;
  bool dead_ = false, told_gaps_ = false;
};

}  // namespace

void check_behaviour(Archive& archive, const Description& description, Diagnostics& diagnostics) {
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    if (description.interface(kind) != nullptr) {
      Trial(description, archive.path(), kind, diagnostics).check(archive);
    }
  }
}

}  // namespace orrery::fmi
