// SPDX-License-Identifier: Apache-2.0
// Constants, the start, continuous time. Events are in program_events.cpp, operators in remember.cpp.
#include "blocks/text_programs/build_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "blocks/text_programs/program_building.h"
#include "cssl/names.h"
#include "text/scan.h"

namespace orrery::blocks::text_programs {

using cssl::Declared;
using cssl::Section;

std::vector<const Declared*> constants_of(const cssl::Program& program) {
  std::vector<const Declared*> list;
  for (const Declared& item : program.declared) {
    if (item.constant && item.type != cssl::Type::text) list.push_back(&item);
  }
  return list;
}

void build_program(Block& block, const cssl::Program& program, const TextProgramPorts& ports) {
  ProgramBuilding(block, program, ports).run();
}

void ProgramBuilding::fail(cssl::Position at, const std::string& message, const std::string& help) const {
  throw ParameterError{"program", fmt::format("line {}: {}", at.line, message), help};
}

void ProgramBuilding::run() {
  read_constants();
  find_start();
  run_initial();
  declare_memories();
  declare_states();
  declare_kept();
  find_ports();
  run_derivative();
  build_parts();
  build_start();
  build_crossings();
  for (const Section& section : program_.sections) {
    if (section.kind == Section::Kind::discrete) build_discrete(section);
  }
  build_communication();
  build_terminal();
  build_outputs();
}

void ProgramBuilding::read_constants() {
  const std::vector<const Declared*> list = constants_of(program_);
  std::size_t count = 0;
  for (const Declared* item : list) count += item->size();
  Expr all;
  if (count > 0 && b_.parameters().given("values")) {
    if (b_.parameters().value("values").size() != count)
      b_.fail("values", fmt::format("must have {} numbers, one for each constant of the program", count));
    all = b_.parameter("values", Type{Scalar::f64, static_cast<std::int32_t>(count), 1});
  }
  std::int64_t at = 0;
  for (const Declared* item : list) {
    std::vector<Expr> elements;
    for (std::size_t k = 0; k < item->size(); ++k, ++at) {
      Expr value = all ? (count == 1 ? all : all[at]) : b_.constant(item->values[k]);
      if (item->type == cssl::Type::logical) value = to_boolean(value);
      elements.push_back(value);
    }
    const Type type{elements[0].scalar_type(), item->rows, item->cols};
    constants_.set(item->name, item->array ? stack(type, elements) : elements[0]);
  }
}

// A number, or a constant that runs may begin with at another one.
void ProgramBuilding::find_start() {
  const auto number = text::number_of(program_.start);
  const Expr* constant = number ? nullptr : constants_.find(program_.start);
  start_ = constant != nullptr ? *constant : b_.constant(number.value_or(0));
}

Execution::Options ProgramBuilding::options(Scope&) {
  Execution::Options made;
  made.time = [this] { return b_.time(); };
  made.missing = [this](const std::string& name) -> Expr {
    const Declared* item = program_.find(name);
    if (item == nullptr || !item->array) return {};
    return b_.fill(Type{Scalar::f64, item->rows, item->cols}, 0);
  };
  return made;
}

void ProgramBuilding::run_initial() {
  Execution::Options made = options(initial_);
  made.time = [this] { return start_; };
  made.effect = [this](const Effect& effect) { start_effects_.push_back(effect); };
  Execution execution(program_, b_.graph(), initial_, std::move(made));
  for (const Section& section : program_.sections) {
    if (section.kind == Section::Kind::initial) execution.run(section.statements);
  }
}

Expr ProgramBuilding::start_value(const std::string& name, const Declared* declared) {
  if (const Expr* known = initial_.find(name)) return *known;
  const Scalar scalar = declared != nullptr && declared->type == cssl::Type::logical ? Scalar::boolean : Scalar::f64;
  const bool array = declared != nullptr && declared->array;
  return b_.fill(array ? Type{scalar, declared->rows, declared->cols} : Type{scalar, 1, 1}, 0);
}

// Whatever events assign, and is no state, is remembered.
void ProgramBuilding::declare_memories() {
  std::unordered_set<std::string> states;
  for (const Section& section : program_.sections) {
    for (const Statement& s : section.statements) {
      if (!cssl::defines_state(program_, s)) continue;
      for (const cssl::NodeId target : s.targets) states.insert(program_[target].name);
    }
  }
  for (const Section& section : program_.sections) {
    if (section.kind == Section::Kind::initial || section.kind == Section::Kind::derivative) continue;
    for (const Statement& s : section.statements) {
      std::vector<cssl::Use> writes;
      cssl::collect_writes(program_, s, writes);
      for (const cssl::Use& use : writes) {
        if (states.contains(use.name) || variables_.contains(use.name)) continue;
        const Variable made = b_.memory(use.name, start_value(use.name, program_.find(use.name)));
        variables_.emplace(use.name, made);
        base_.set(use.name, made);
      }
    }
  }
  for (std::size_t k = 0; k < ports_.inputs.size(); ++k) base_.set(ports_.inputs[k], b_.in(static_cast<int>(k) + 1));
}

Expr ProgramBuilding::initially(cssl::NodeId id, Formulas&) {
  Execution::Options made = options(initial_);
  made.time = [this] { return start_; };
  Execution execution(program_, b_.graph(), initial_, std::move(made));
  return execution.formulas().number(id);
}

void ProgramBuilding::declare_states() {
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::derivative) continue;
    for (const Statement& s : section.statements) {
      if (!cssl::defines_state(program_, s)) continue;
      const Node& value = program_[s.value];
      const std::string& name = program_[s.targets[0]].name;
      const Declared* item = program_.find(name);
      if (program_[s.targets[0]].kind == Node::Kind::call)
        fail(s.at, "an element of an array cannot be integrated by itself", "use INTVC for the whole array");
      Execution::Options made = options(initial_);
      Execution execution(program_, b_.graph(), initial_, std::move(made));
      const cssl::Operator* known = cssl::find_operator(value.name);
      cssl::NodeId start = cssl::no_node;
      for (std::size_t k = 0; k < value.arguments.size() && start == cssl::no_node; ++k) {
        if ((known->initial >> k & 1U) != 0) start = value.arguments[k];
      }
      Expr initial = start == cssl::no_node ? b_.constant(0) : initially(start, execution.formulas());
      if (item != nullptr && item->array && initial.type().is_scalar())
        initial = b_.fill(Type{Scalar::f64, item->rows, item->cols}, 0) + initial;
      declare_state(s, name, initial);
      if (value.name == "dblint" && s.targets.size() == 2)
        declare_state(s, program_[s.targets[1]].name, initially(value.arguments[2], execution.formulas()));
    }
  }
}

// One that goes in steps of its own is remembered, as is what it will be at the next.
void ProgramBuilding::declare_state(const Statement& statement, const std::string& name, Expr initial) {
  const Variable state = statement.part == 0 ? b_.state(name, initial) : b_.memory(name, initial);
  if (statement.part > 0) next_values_.emplace(name, b_.memory("zznext" + name, initial));
  variables_.insert_or_assign(name, state);
  states_.insert(name);
  state_names_.push_back(name);
  base_.set(name, state);
}

namespace {

using Names = std::unordered_set<std::string>;

// What statements assign in any case, and what on some way only.
void find_assigned(const cssl::Program& program, const std::vector<cssl::Statement>& list, Names& sure, Names& maybe) {
  for (const cssl::Statement& s : list) {
    if (s.kind == cssl::Statement::Kind::procedural) {
      find_assigned(program, s.body, sure, maybe);
      continue;
    }
    if (s.body.empty() && s.otherwise.empty()) {
      for (const cssl::NodeId target : s.targets) sure.insert(program[target].name);
      continue;
    }
    Names yes = sure, no = sure;
    find_assigned(program, s.body, yes, maybe);
    find_assigned(program, s.otherwise, no, maybe);
    const bool both = s.kind == cssl::Statement::Kind::branch;
    for (const Names* side : {&yes, &no}) {
      for (const std::string& name : *side) {
        if (sure.contains(name)) continue;
        if (!both || !yes.contains(name) || !no.contains(name)) maybe.insert(name);
      }
    }
    for (const std::string& name : yes) {
      if (both && no.contains(name)) sure.insert(name);
    }
  }
}

bool jumps(const std::vector<cssl::Statement>& list) {
  bool found = false;
  cssl::visit(list, [&](const cssl::Statement& s) { found = found || s.kind == cssl::Statement::Kind::go_to; });
  return found;
}

}  // namespace

// Names that procedural parts of continuous time read as they were, or leave as they were on some way through their
// branches: the last accepted point tells.
void ProgramBuilding::declare_kept() {
  const auto keep = [&](const std::string& name) {
    if (variables_.contains(name) || kept_.contains(name)) return;
    const Variable made = b_.memory(name, start_value(name, program_.find(name)));
    kept_.emplace(name, made);
    base_.set(name, made);
  };
  std::unordered_set<std::string> assigned, hidden;  // hidden: no header lists them
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::derivative) continue;
    for (const Statement& s : section.statements) {
      if (s.kind != Statement::Kind::procedural) continue;
      std::vector<cssl::Use> writes;
      cssl::collect_writes(program_, s, writes);
      for (const cssl::Use& use : writes) {
        assigned.insert(use.name);
        const bool output = std::find(s.outputs.begin(), s.outputs.end(), use.name) != s.outputs.end();
        if (s.has_header && !output) hidden.insert(use.name);
      }
    }
    for (const Statement& s : section.statements) {
      if (s.kind == Statement::Kind::procedural && !jumps(s.body)) {
        Names sure, maybe;
        find_assigned(program_, s.body, sure, maybe);
        for (const std::string& name : maybe) keep(name);
      }
      std::vector<cssl::Use> reads;
      cssl::collect_reads(program_, s, false, reads);
      for (const cssl::Use& use : reads) {
        const bool inside = s.kind == Statement::Kind::procedural && assigned.contains(use.name);
        if (inside || hidden.contains(use.name)) keep(use.name);
      }
    }
  }
}

void ProgramBuilding::run_derivative() {
  Execution::Options made = options(derived_);
  made.remember = [this](const Node& node, Formulas& formulas) { return remember(node, formulas); };
  made.effect = [this](const Effect& effect) { continuous_effects_.push_back(effect); };
  Execution execution(program_, b_.graph(), derived_, std::move(made));
  formulas_ = &execution.formulas();
  current_ = &execution;
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::derivative) continue;
    for (const Statement& s : section.statements) {
      if (s.part > 0) check_part(s);
      if (cssl::defines_state(program_, s)) {
        if (s.part > 0) continue;  // build_parts
        const Node& value = program_[s.value];
        const auto rate = [this, &value, &s] { integrate_later(value, program_[s.targets[0]].name, s); };
        if (section.sorted) {
          later_.push_back(rate);
        } else {
          rate();  // as the names are here
        }
        continue;
      }
      execution.run(s);
    }
  }
  finish_later();
  for (const auto& [name, memory] : kept_) {
    const Expr* value = derived_.find(name);
    if (value == nullptr || value->id() == memory.id()) continue;
    b_.on_step().set(memory, value->as(memory.scalar_type()));
  }
  formulas_ = nullptr;
  current_ = nullptr;
}

// Rates and residuals, which may read any name; they can make more of their kind.
void ProgramBuilding::finish_later() {
  for (std::size_t k = 0; k < later_.size(); ++k) {
    const std::function<void()> one = std::move(later_[k]);
    one();
  }
  later_.clear();
}

}  // namespace orrery::blocks::text_programs
