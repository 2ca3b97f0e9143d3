// SPDX-License-Identifier: Apache-2.0
// Questions about classes and their objects.
#include <algorithm>

#include "oml/builtins/families.h"
#include "oml/class_object.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

const ClassDefinition& class_argument(const Call& c, int k) {
  if (c[k].kind() != Kind::object) fail_argument(k + 1, "must be an object");
  return *object_of(c[k]).definition;
}

void collect_methods(const ClassDefinition& cls, std::vector<std::string>& names) {
  for (const auto& base : cls.bases) collect_methods(*base, names);
  for (const auto& [name, method] : cls.methods)
    if (name.find('.') == std::string::npos && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
}

// A list as result, or printed one name a line.
void give_names(Call& c, const std::vector<std::string>& names) {
  if (c.nargout > 0) return c.ret(Value::text_cell(names, true));
  for (const std::string& n : names) c.oml.write(n + "\n");
}

void methods(Call& c) {
  std::vector<std::string> names;
  collect_methods(class_argument(c, 0), names);
  std::sort(names.begin(), names.end());
  give_names(c, names);
}

void properties(Call& c) {
  const ClassDefinition& cls = class_argument(c, 0);
  std::vector<std::string> names;
  for (const std::string& key : object_of(c[0]).fields.structure_ref().keys)
    if (cls.find_property(key)->get == Access::everyone) names.push_back(key);
  give_names(c, names);
}

void superclass_call(Call& c) {
  const std::string left = c.text(0), base = c.text(1);
  Values args(c.args.begin() + 2, c.args.end());
  Value v = c.oml.superclass_call(left, base, args, c.nargout);
  if (!v.is_none()) c.ret(std::move(v));
}

constexpr Builtin object_table[] = {
    {"ismethod", 2, 2, [](Call& c) { c.ret(Value(class_argument(c, 0).find_method(c.text(1)) != nullptr)); },
     "ismethod(object, name): whether the class of the object has the method.", "any, word"},
    {"isprop", 2, 2, [](Call& c) { c.ret(Value(class_argument(c, 0).find_property(c.text(1)) != nullptr)); },
     "isprop(object, name): whether the class of the object has the property.", "any, word"},
    {"methods", 1, 1, methods, "methods(object): names of the methods of its class.", "any"},
    {"properties", 1, 1, properties, "properties(object): names of the properties everybody may read.", "any"},
    {"superclass_call", 2, -1, superclass_call,
     "superclass_call(name, base, ...): what name@base(...) stands for inside a class.", "any, any, ..."},
};

}  // namespace

BuiltinFamily object_builtins() { return object_table; }

}  // namespace orrery::oml
