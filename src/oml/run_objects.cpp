// SPDX-License-Identifier: Apache-2.0
// Objects at run time: construction, methods, properties, operators.
#include "oml/class_object.h"
#include "oml/compile.h"
#include "oml/convert.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

const char* operator_name(BinaryOp op) {
  static constexpr const char* names[] = {"plus", "minus", "times",  "rdivide",  "ldivide",  "power",
                                          "lt",   "le",    "gt",     "ge",       "eq",       "ne",
                                          "and",  "or",    "mtimes", "mrdivide", "mldivide", "mpower"};
  return names[static_cast<int>(op)];
}

const char* operator_name(UnaryOp op) {
  static constexpr const char* names[] = {"uplus", "uminus", "not", "transpose", "ctranspose"};
  return names[static_cast<int>(op)];
}

bool may_use(Access access, const ClassDefinition& owner, const Frame* frame,
             const std::function<const ClassDefinition*(const std::string&)>& find) {
  if (access == Access::everyone) return true;
  for (const Function* f = frame->function; f != nullptr; f = f->parent) {
    if (f->class_name.empty()) continue;
    if (f->class_name == owner.name) return true;
    const ClassDefinition* user = find(f->class_name);
    if (access == Access::inherited && user != nullptr && user->derives_from(owner.name)) return true;
  }
  return false;
}

}  // namespace

void Interpreter::define_class(const std::shared_ptr<ClassDefinition>& cls) {
  const auto known = classes_.find(cls->name);
  if (known != classes_.end() && known->second == cls) return;
  for (auto& [name, method] : cls->methods) compile_function(*method.function);
  cls->bases.clear();
  for (const std::string& base : cls->base_names) {
    const auto it = classes_.find(base);
    if (it == classes_.end()) fail("Unknown class: " + base);
    cls->bases.push_back(it->second);
  }
  classes_[cls->name] = cls;
  ++epoch_;
}

// Bases before the classes that build on them, whatever their order in the text.
void Interpreter::define_classes(const std::vector<std::shared_ptr<ClassDefinition>>& list) {
  std::vector<std::shared_ptr<ClassDefinition>> open = list;
  while (!open.empty()) {
    std::vector<std::shared_ptr<ClassDefinition>> later;
    for (const auto& cls : open) {
      bool ready = true;
      for (const std::string& base : cls->base_names)
        for (const auto& other : open) ready = ready && (other->name != base || other == cls);
      if (ready)
        define_class(cls);
      else
        later.push_back(cls);
    }
    if (later.size() == open.size()) fail("the classes inherit from each other in a circle");
    open = std::move(later);
  }
}

void Interpreter::add_properties(const ClassDefinition& cls, StructArray& fields) {
  for (const auto& base : cls.bases) add_properties(*base, fields);
  for (const ClassProperty& p : cls.properties) {
    Value v = Value::empty();
    if (p.initial != nullptr) {
      const auto place = make_environment();
      compile_expression(p.initial, place->scope);
      ensure_slots(place->frame);
      struct Restore {
        Interpreter& oml;
        Frame* frame;
        ~Restore() { oml.frame_ = frame; }
      } restore{*this, frame_};
      place->frame.caller = frame_;
      place->frame.line = frame_->line;
      place->frame.file = frame_->file;
      frame_ = &place->frame;
      v = stored(eval(p.initial));
    }
    fields.set(p.name, std::move(v));
  }
}

Value Interpreter::construct(const std::shared_ptr<const ClassDefinition>& cls, Values& args) {
  auto* object = new ClassObject();
  Value v(object);
  object->definition = cls;
  add_properties(*cls, object->fields.edit_structure());
  return run_constructor(*cls, std::move(v), args);
}

// The constructor of a class on an object that exists; without one, that of the first base that has one.
Value Interpreter::run_constructor(const ClassDefinition& cls, Value object, Values& args) {
  const auto it = cls.methods.find(cls.name);
  if (it == cls.methods.end()) {
    for (const auto& base : cls.bases)
      if (base->methods.count(base->name) != 0 || !base->bases.empty())
        return run_constructor(*base, std::move(object), args);
    if (!args.empty()) fail("the class " + cls.name + " has no constructor that takes arguments");
    return object;
  }
  const std::shared_ptr<const Function> f = cls.unit->share(it->second.function);
  if (f->outputs.empty()) fail("the constructor of " + cls.name + " has no output");
  Values out;
  preset_output_ = std::move(object);
  // A call that fails before it starts must not leave the object to the next one.
  struct Clear {
    Value& what;
    ~Clear() { what = Value(); }
  } clear{preset_output_};
  static const Values none;
  call_user(f, none, args, 1, out);
  if (out.empty() || out[0].kind() != Kind::object) fail("the constructor of " + cls.name + " gives no object");
  return out[0];
}

Value Interpreter::superclass_call(const std::string& left, const std::string& base_name, Values& args, int nargout) {
  const auto it = classes_.find(base_name);
  if (it == classes_.end()) fail("Unknown class: " + base_name);
  const Value* held = find_variable(*frame_, left);
  if (held != nullptr && held->kind() == Kind::object) {
    const Value object = *held;
    Value made = run_constructor(*it->second, object, args);
    set_variable(*frame_, left, made);
    return made;
  }
  const ClassDefinition* owner = it->second->owner_of_method(left);
  if (owner == nullptr) fail("the class " + base_name + " has no method " + left);
  Values out;
  static const Values none;
  call_user(owner->unit->share(owner->methods.at(left).function), none, args, nargout, out);
  return out.empty() ? Value() : out[0];
}

const ClassMethod* Interpreter::method_for(const Values& args, const std::string& name, const ClassDefinition*& owner) {
  for (const Value& v : args) {
    if (v.kind() != Kind::object) continue;
    owner = object_of(v).definition->owner_of_method(name);
    if (owner != nullptr && name != owner->name) return &owner->methods.at(name);
  }
  return nullptr;
}

// Calls the method of that name when an argument is an object that has one.
bool Interpreter::dispatch_method(const std::string& name, Values& args, int nargout, Values& out) {
  const ClassDefinition* owner = nullptr;
  const ClassMethod* m = method_for(args, name, owner);
  if (m == nullptr) return false;
  require_access(m->access, *owner, "method", name);
  static const Values none;
  call_user(owner->unit->share(m->function), none, args, nargout, out);
  return true;
}

void Interpreter::require_access(Access access, const ClassDefinition& owner, const char* what,
                                 const std::string& name) {
  const auto find = [this](const std::string& n) -> const ClassDefinition* {
    const auto it = classes_.find(n);
    return it == classes_.end() ? nullptr : it->second.get();
  };
  if (!may_use(access, owner, frame_, find))
    fail(std::string("the ") + what + " " + name + " of class " + owner.name + " is not accessible here");
}

bool Interpreter::inside_method(const std::string& name) const {
  return frame_->function != nullptr && frame_->function->name == name;
}

// obj.name, obj.method(args): the values, and how many links were used.
std::size_t Interpreter::follow_object(const Value& object, const std::vector<Link>& links, std::size_t k, int nargout,
                                       Values& out) {
  const std::shared_ptr<const ClassDefinition> cls = object_of(object).definition;
  const std::string name = field_name(links[k]);
  if (const ClassDefinition* owner = cls->owner_of_property(name)) {
    require_access(cls->find_property(name)->get, *owner, "property", name);
    const ClassMethod* getter = cls->find_method("get." + name);
    if (getter != nullptr && !inside_method("get." + name)) {
      Values args = {object};
      static const Values none;
      call_user(cls->owner_of_method("get." + name)->unit->share(getter->function), none, args, 1, out);
    } else {
      out.push_back(*object_of(object).fields.structure_ref().get(name));
    }
    return k + 1;
  }
  const ClassDefinition* owner = cls->owner_of_method(name);
  if (owner == nullptr) fail("the class " + cls->name + " has no property or method " + name);
  const ClassMethod& m = owner->methods.at(name);
  require_access(m.access, *owner, "method", name);
  Values args;
  if (!m.is_static) args.push_back(object);
  const bool with_arguments = k + 1 < links.size() && links[k + 1].kind == Link::Kind::paren;
  if (with_arguments) eval_arguments(links[k + 1].arguments, nullptr, args);
  const std::size_t next = k + (with_arguments ? 2 : 1);
  static const Values none;
  call_user(owner->unit->share(m.function), none, args, next == links.size() ? nargout : 1, out);
  return next;
}

// Name.method(args), Name.Constant
std::size_t Interpreter::follow_class(const ClassDefinition& cls, const std::vector<Link>& links, int nargout,
                                      Values& out) {
  const std::string name = field_name(links[0]);
  if (const ClassProperty* p = cls.find_property(name)) {
    if (!p->constant) fail("the property " + name + " of class " + cls.name + " belongs to objects");
    StructArray fields;
    add_properties(cls, fields);
    out.push_back(*fields.get(name));
    return 1;
  }
  const ClassDefinition* owner = cls.owner_of_method(name);
  if (owner == nullptr || !owner->methods.at(name).is_static)
    fail("the class " + cls.name + " has no static method or constant " + name);
  Values args;
  const bool with_arguments = links.size() > 1 && links[1].kind == Link::Kind::paren;
  if (with_arguments) eval_arguments(links[1].arguments, nullptr, args);
  const std::size_t next = with_arguments ? 2 : 1;
  static const Values none;
  call_user(owner->unit->share(owner->methods.at(name).function), none, args, next == links.size() ? nargout : 1, out);
  return next;
}

// obj.name = value through set.name, when the class has that; false without.
bool Interpreter::assign_property(Value& object, const std::string& name, Value value) {
  const std::shared_ptr<const ClassDefinition> cls = object_of(object).definition;
  const ClassProperty* p = cls->find_property(name);
  if (p == nullptr) fail("the class " + cls->name + " has no property " + name);
  require_access(p->set, *cls->owner_of_property(name), "property", name);
  if (p->constant) fail("the property " + name + " of class " + cls->name + " is constant");
  const ClassMethod* setter = cls->find_method("set." + name);
  if (setter == nullptr || inside_method("set." + name)) {
    property_place(object, name) = stored(value);
    return true;
  }
  Values args = {object, std::move(value)}, out;
  static const Values none;
  call_user(cls->owner_of_method("set." + name)->unit->share(setter->function), none, args, 1, out);
  if (!out.empty() && out[0].kind() == Kind::object) object = out[0];
  return true;
}

Value Interpreter::object_binary(BinaryOp op, const Value& a, const Value& b) {
  Values args = {a, b}, out;
  if (dispatch_method(operator_name(op), args, 1, out)) {
    if (out.empty() || out[0].is_none()) fail(std::string("the method ") + operator_name(op) + " gives no value");
    return out[0];
  }
  // Handles are equal when they are the same object.
  const bool both = a.kind() == Kind::object && b.kind() == Kind::object;
  if (both && (op == BinaryOp::equal || op == BinaryOp::not_equal) && object_of(a).definition->has_handle_semantics())
    return Value((a.heap() == b.heap()) == (op == BinaryOp::equal));
  fail(std::string("operator '") + symbol_of(op) + "' is not defined for a " + a.class_name() + " and a " +
       b.class_name());
}

Value Interpreter::object_unary(UnaryOp op, const Value& a) {
  Values args = {a}, out;
  if (!dispatch_method(operator_name(op), args, 1, out) || out.empty() || out[0].is_none())
    fail(std::string("operator '") + symbol_of(op) + "' is not defined for a " + a.class_name());
  return out[0];
}

bool Interpreter::show_by_method(const Value& object) {
  Values args = {object}, out;
  return dispatch_method("disp", args, 0, out);
}

}  // namespace orrery::oml
