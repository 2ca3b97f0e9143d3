// SPDX-License-Identifier: Apache-2.0
// Assignment to variables, elements, cells and fields.
#include <algorithm>

#include "oml/class_object.h"
#include "oml/convert.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/scalar_code.h"

namespace orrery::oml {
namespace {

// A link of the left side with everything evaluated, so that writing runs no user code.
struct Step {
  Link::Kind kind;
  Values subscripts;
  std::string field;
};

bool is_deletion(const Value& target, const Value& v) {
  if (target.kind() == Kind::sparse && v.kind() == Kind::sparse && v.dims() == Dims(0, 0)) return true;
  if (target.is_text() && v.is_text() && v.bytes().dims == Dims(0, 0)) return true;
  return v.kind() == Kind::real && v.real().dims.rows() == 0 && v.real().dims.cols() == 0 && v.real().dims.count() == 2;
}

// Whether the subscripts may name more than one element.
bool names_several(const Values& subscripts) {
  return std::any_of(subscripts.begin(), subscripts.end(),
                     [](const Value& s) { return s.kind() == Kind::colon || s.numel() != 1; });
}

void write_steps(Value& target, std::span<const Step> steps, Value value);

// a(i).f... : one element of a struct array.
void write_element_field(Value& target, std::span<const Step> steps, Value value) {
  Value& place = struct_field(target, steps[0].subscripts, steps[1].field);
  if (steps.size() == 2)
    place = std::move(value);
  else
    write_steps(place, steps.subspan(2), std::move(value));
}

void write_steps(Value& target, std::span<const Step> steps, Value value) {
  const Step& step = steps[0];
  const bool last = steps.size() == 1;
  switch (step.kind) {
    case Link::Kind::paren: {
      if (last) {
        if (target.is_cell() && value.is_cell() && value.dims() == Dims(0, 0)) {
          assign_index(target, step.subscripts, Value::empty());  // c(k) = {} empties the element
        } else if (is_deletion(target, value)) {
          if (!target.is_none())
            delete_elements(target, step.subscripts);
          else
            target = Value::empty();
        } else {
          assign_index(target, step.subscripts, std::move(value));
        }
        return;
      }
      const bool field_next = steps[1].kind == Link::Kind::field;
      const bool is_struct = target.is_none() || target.is_struct() || target.is_empty();
      if (field_next && is_struct) return write_element_field(target, steps, std::move(value));
      if (target.is_cell() && steps[1].kind == Link::Kind::brace) {
        Value& element = cell_element(target, step.subscripts);
        Value wrapped = Value::cell_row({element});
        write_steps(wrapped, steps.subspan(1), std::move(value));
        assign_index(target, step.subscripts, wrapped);
        return;
      }
      Value part = index_value(target, step.subscripts);
      write_steps(part, steps.subspan(1), std::move(value));
      assign_index(target, step.subscripts, std::move(part));
      return;
    }
    case Link::Kind::brace: {
      if (last && value.is_cell() && names_several(step.subscripts))
        return assign_index(target, step.subscripts, std::move(value));  // c{:, 1} = {...} like c(:, 1)
      Value& element = cell_element(target, step.subscripts);
      if (last)
        element = stored(value);
      else
        write_steps(element, steps.subspan(1), std::move(value));
      return;
    }
    default: {
      if (target.kind() == Kind::environment && last) {
        if (static_cast<EnvironmentHandle*>(target.heap())->link)
          fail("variables of a running function are set by setenvvalue");
        static_cast<EnvironmentHandle*>(target.heap())->environment->set(step.field, std::move(value));
        return;
      }
      Value& place =
          target.kind() == Kind::object ? property_place(target, step.field) : struct_field(target, {}, step.field);
      if (last)
        place = std::move(value);
      else
        write_steps(place, steps.subspan(1), std::move(value));
    }
  }
}

}  // namespace

Value& Interpreter::slot_for_writing(int slot) {
  Value& v = frame_->slots[slot];
  if (v.kind() == Kind::box) return v.box().value;
  // Writing to part of an outer environment's variable makes an own copy first.
  if (v.is_none() && frame_->environment != nullptr && frame_->environment->parent) {
    const Value* outer = variable(slot);
    if (outer != nullptr) frame_->slots[slot] = *outer;
  }
  return frame_->slots[slot];
}

void Interpreter::store(int slot, Value value) {
  Value& v = frame_->slots[slot];
  if (v.kind() == Kind::box)
    v.box().value = std::move(value);
  else
    v = std::move(value);
}

void Interpreter::assign_to(const Node* target, Value value) {
  frame_->line = target->line;
  frame_->column = target->column;
  if (target->kind == NodeKind::identifier) return store(target->slot, std::move(value));
  const auto& links = target->extra->links;
  std::vector<Step> steps;
  {
    // Subjects for `end`: the value each link is applied to, as far as it exists.
    const Value* v = variable(target->slot);
    Value current = v == nullptr ? Value() : *v;
    const Value none = Value::empty();
    for (std::size_t k = 0; k < links.size(); ++k) {
      Step step{links[k].kind, {}, {}};
      if (step.kind == Link::Kind::paren || step.kind == Link::Kind::brace) {
        eval_arguments(links[k].arguments, current.is_none() ? &none : &current, step.subscripts);
      } else {
        step.field = field_name(links[k]);
        step.kind = Link::Kind::field;
      }
      bool needed = false;
      for (std::size_t j = k + 1; j < links.size(); ++j) needed = needed || links[j].uses_end;
      if (needed && !current.is_none()) {
        try {
          Values out;
          if (step.kind == Link::Kind::paren)
            out.push_back(index_value(current, step.subscripts));
          else if (step.kind == Link::Kind::brace)
            index_cell(current, step.subscripts, out);
          else if (current.kind() == Kind::object) {
            const Value* held = object_of(current).fields.structure_ref().get(step.field);
            if (held != nullptr) out.push_back(*held);
          } else
            follow_field(current, step.field, false, out);
          current = out.size() == 1 ? out[0] : Value();
        } catch (const OmlError&) {
          current = Value();
        }
      }
      steps.push_back(std::move(step));
    }
  }
  frame_->line = target->line;
  frame_->column = target->column;
  Value& place = slot_for_writing(target->slot);
  if (place.is_heap() && place.kind() == Kind::range) place = stored(place);
  if (place.kind() == Kind::object && steps[0].kind == Link::Kind::field) {
    // A part of a property: the new value of the whole property is assigned.
    if (steps.size() > 1) {
      const Value* old = object_of(place).fields.structure_ref().get(steps[0].field);
      if (old == nullptr) fail("the class " + place.class_name() + " has no property " + steps[0].field);
      Value part = *old;
      write_steps(part, std::span<const Step>(steps).subspan(1), std::move(value));
      value = std::move(part);
    }
    Value object = place;
    if (!object_of(object).definition->has_handle_semantics()) place = Value();
    assign_property(object, steps[0].field, std::move(value));
    slot_for_writing(target->slot) = object;
    return;
  }
  write_steps(place, steps, std::move(value));
}

// a(i) = x and a(i,j) = x with scalars inside the bounds of an array nobody shares.
bool Interpreter::try_fast_store(const Node* target, const Value& x) {
  Value& v = frame_->slots[target->slot];
  const bool real = v.kind() == Kind::real && x.is_number();
  if (!real && !(v.kind() == Kind::logical && x.kind() == Kind::boolean)) return false;
  if (!v.unique() || (real && v.real().cls != NumClass::f64)) return false;
  const auto& subscripts = target->extra->links[0].arguments;
  double i, j = 1;
  if (!fast_number(subscripts[0], i)) return false;
  if (subscripts.size() == 2 && !fast_number(subscripts[1], j)) return false;
  Index position;
  if (subscripts.size() == 1) {
    position = quick_position(i, real ? v.real().size() : v.bytes().size());
    if (position < 0) return false;
  } else {
    const Dims& d = real ? v.real().dims : v.bytes().dims;
    const Index r = quick_position(i, d.rows()), c = quick_position(j, d.cols());
    if (d.count() != 2 || r < 0 || c < 0) return false;
    position = r + c * d.rows();
  }
  if (real)
    v.edit_real()[position] = x.number();
  else
    v.edit_bytes()[position] = x.number() != 0;
  return true;
}

// The commonest statement of loops: a scalar variable gets a scalar.
bool Interpreter::assign_scalar(const Statement& s) {
  double x;
  Value& v = frame_->slots[s.target->slot];
  if (!v.is_number() || !fast_number(s.value, x)) return false;
  v.set_number(x);
  return true;
}

void Interpreter::run_assign(const Statement& s) {
  const Node* target = s.target;
  if (s.is_scalar && assign_scalar(s)) {
    if (s.print) show(target->extra->name, frame_->slots[target->slot]);
    return;
  }
  Value value = eval(s.value);
  const bool done = target->kind == NodeKind::index && target->pure && try_fast_store(target, value);
  if (!done) assign_to(target, std::move(value));
  if (s.print) {
    const Node* base = target->kind == NodeKind::identifier ? target : target->first;
    const Value* v = variable(base->slot);
    if (v != nullptr) {
      const Value held = *v;
      show(base->extra->name, held);
    }
  }
}

namespace {

// [c{1:3}] = ... : the brace of the last link written as a parenthesis, so that a cell spreads over the places.
struct SpreadTarget {
  explicit SpreadTarget(const Node& target) : extra(*target.extra), node(target) {
    extra.links.back().kind = Link::Kind::paren;
    node.extra = &extra;
  }
  NodeExtra extra;
  Node node;
};

// [s.f] = ... on a struct array: one value for each element.
bool names_field(const Node* target) {
  return target != nullptr && target->kind == NodeKind::index && target->extra->links.size() == 1 &&
         target->extra->links[0].kind == Link::Kind::field;
}

bool may_spread(const Node* target) {
  if (target == nullptr || target->kind != NodeKind::index || target->extra->links.size() != 1) return false;
  const Link& link = target->extra->links[0];
  if (link.kind != Link::Kind::brace) return false;
  for (const Node* n : link.arguments)
    if (n->kind != NodeKind::constant) return true;
  return false;
}

}  // namespace

void Interpreter::run_multi_assign(const Statement& s) {
  // How many values each target takes: one, or as many as a brace index names.
  std::vector<Index> wanted(s.targets.size(), 1);
  Index total = 0;
  for (std::size_t k = 0; k < s.targets.size(); ++k) {
    if (may_spread(s.targets[k])) {
      const Value* v = variable(s.targets[k]->slot);
      const Value container = v == nullptr ? Value::empty() : *v;
      Borrowed subscripts(*this);
      eval_arguments(s.targets[k]->extra->links[0].arguments, &container, subscripts.list);
      for (std::size_t i = 0; i < subscripts.list.size(); ++i) {
        const int position = static_cast<int>(i), count = static_cast<int>(subscripts.list.size());
        wanted[k] *= Subscript(subscripts.list[i], end_value(container, position, count)).count();
      }
    }
    if (names_field(s.targets[k])) {
      const Value* v = variable(s.targets[k]->slot);
      if (v != nullptr && v->is_struct()) wanted[k] = v->numel();
    }
    total += wanted[k];
  }
  Values values;
  eval_list(s.value, static_cast<int>(std::min<Index>(total, 100000)), values);
  frame_->line = s.line;
  frame_->column = s.column;
  std::size_t next = 0;
  for (std::size_t k = 0; k < s.targets.size(); ++k) {
    const Node* target = s.targets[k];
    const auto count = static_cast<std::size_t>(wanted[k]);
    if (target == nullptr) {
      ++next;
      continue;
    }
    if (next + count > values.size() || (count == 1 && values[next].is_none())) {
      fail("some elements undefined in the return list");
    }
    if (count == 1) {
      assign_to(target, std::move(values[next]));
    } else if (names_field(target)) {
      Value& place = slot_for_writing(target->slot);
      for (std::size_t i = 0; i < count; ++i) {
        const Value at(static_cast<Index>(i) + 1);
        struct_field(place, std::span<const Value>(&at, 1), field_name(target->extra->links[0])) = values[next + i];
      }
    } else {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(next);
      SpreadTarget spread(*target);
      assign_to(&spread.node, Value::cell_row(Values(first, first + wanted[k])));
    }
    next += count;
    if (!s.print) continue;
    const Node* base = target->kind == NodeKind::identifier ? target : target->first;
    const Value* v = variable(base->slot);
    if (v != nullptr) {
      const Value held = *v;
      show(base->extra->name, held);
    }
  }
}

}  // namespace orrery::oml
