// SPDX-License-Identifier: Apache-2.0
// Members of classes, own and inherited.
#include "oml/class_object.h"

#include "oml/error.h"

namespace orrery::oml {

bool ClassDefinition::derives_from(const std::string& other) const {
  if (name == other || (other == "handle" && is_handle)) return true;
  for (const auto& b : bases)
    if (b->derives_from(other)) return true;
  return false;
}

bool ClassDefinition::has_handle_semantics() const {
  if (is_handle) return true;
  for (const auto& b : bases)
    if (b->has_handle_semantics()) return true;
  return false;
}

const ClassDefinition* ClassDefinition::owner_of_method(const std::string& method) const {
  if (methods.count(method) != 0) return this;
  for (const auto& b : bases)
    if (const ClassDefinition* owner = b->owner_of_method(method)) return owner;
  return nullptr;
}

const ClassDefinition* ClassDefinition::owner_of_property(const std::string& property) const {
  for (const ClassProperty& p : properties)
    if (p.name == property) return this;
  for (const auto& b : bases)
    if (const ClassDefinition* owner = b->owner_of_property(property)) return owner;
  return nullptr;
}

const ClassMethod* ClassDefinition::find_method(const std::string& method) const {
  const ClassDefinition* owner = owner_of_method(method);
  return owner == nullptr ? nullptr : &owner->methods.at(method);
}

const ClassProperty* ClassDefinition::find_property(const std::string& property) const {
  const ClassDefinition* owner = owner_of_property(property);
  if (owner == nullptr) return nullptr;
  for (const ClassProperty& p : owner->properties)
    if (p.name == property) return &p;
  return nullptr;
}

Value& property_place(Value& object, const std::string& name) {
  const ClassObject& old = object_of(object);
  if (old.fields.structure_ref().find(name) < 0) fail("the class " + old.definition->name + " has no property " + name);
  if (!object.unique() && !old.definition->has_handle_semantics()) {
    auto* copy = new ClassObject();
    copy->definition = old.definition;
    copy->fields = old.fields;
    object = Value(copy);
  }
  StructArray& s = static_cast<ClassObject*>(object.heap())->fields.edit_structure();
  return s.columns[static_cast<std::size_t>(s.find(name))][0];
}

}  // namespace orrery::oml
