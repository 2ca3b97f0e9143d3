// SPDX-License-Identifier: Apache-2.0
// Classes defined by classdef, and their objects.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "oml/ast.h"
#include "oml/value.h"

namespace orrery::oml {

enum class Access : std::uint8_t { everyone, inherited, own };

struct ClassProperty {
  std::string name;
  Node* initial = nullptr;  // null: an empty matrix
  bool constant = false;
  Access get = Access::everyone, set = Access::everyone;
};

struct ClassMethod {
  Function* function = nullptr;
  bool is_static = false;
  Access access = Access::everyone;
};

// One classdef of a text. Inherited members are found through `bases`.
struct ClassDefinition {
  std::string name;
  std::vector<std::string> base_names;  // without "handle"
  bool is_handle = false;
  std::vector<ClassProperty> properties;
  std::map<std::string, ClassMethod> methods;  // "get.x" and "set.x" are property methods
  std::vector<std::shared_ptr<const ClassDefinition>> bases;
  SourceUnit* unit = nullptr;  // owns this

  bool derives_from(const std::string& other) const;
  // Handle classes are those that derive from one.
  bool has_handle_semantics() const;
  const ClassMethod* find_method(const std::string& method) const;
  const ClassProperty* find_property(const std::string& property) const;
  // The class that declares the member; null without one.
  const ClassDefinition* owner_of_method(const std::string& method) const;
  const ClassDefinition* owner_of_property(const std::string& property) const;
};

// Shared by all variables when the class is a handle class, copied on write otherwise.
struct ClassObject : Heap {
  std::shared_ptr<const ClassDefinition> definition;
  Value fields = Value::structure();
  ClassObject() : Heap(Kind::object) {}
};

inline const ClassObject& object_of(const Value& v) { return *static_cast<const ClassObject*>(v.heap()); }
// The place of a property for writing; copies the object first when it has value semantics and others hold it.
Value& property_place(Value& object, const std::string& name);

}  // namespace orrery::oml
