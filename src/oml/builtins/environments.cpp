// SPDX-License-Identifier: Apache-2.0
// Environment handles: workspaces as values, as block code of diagrams uses them.
#include "oml/builtins/families.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

Value wrap(std::shared_ptr<Environment> env) {
  auto* h = new EnvironmentHandle();
  h->environment = std::move(env);
  return Value(h);
}

Environment& environment_of(const Call& c, int k) {
  if (c[k].kind() != Kind::environment) fail_argument(k + 1, "must be an environment");
  return *static_cast<EnvironmentHandle*>(c[k].heap())->environment;
}

// A snapshot of the variables of a frame, or the workspace itself when the frame is one.
void current(Call& c) {
  Frame& frame = c.oml.current_frame();
  if (frame.environment == c.oml.base().get()) return c.ret(wrap(c.oml.base()));
  auto env = c.oml.make_environment();
  for (const std::string& name : c.oml.variable_names(frame)) env->set(name, *c.oml.find_variable(frame, name));
  c.ret(wrap(env));
}

void make_new(Call& c) {
  std::shared_ptr<Environment> parent;
  if (c.has(0)) {
    if (c[0].kind() != Kind::environment) fail_argument(1, "must be an environment");
    parent = static_cast<EnvironmentHandle*>(c[0].heap())->environment;
  }
  c.ret(wrap(c.oml.make_environment(parent)));
}

void get(Call& c) {
  const Value* v = environment_of(c, 0).get(c.text(1));
  if (v == nullptr) {
    if (c.has(2)) return c.ret(c[2]);
    fail("the environment has no variable " + c.text(1));
  }
  c.ret(*v);
}

void set(Call& c) { environment_of(c, 0).set(c.text(1), c[2]); }

void clear_environment(Call& c) {
  Environment& env = environment_of(c, 0);
  if (c.count() == 1) {
    for (const std::string& name : env.names()) env.clear(name);
    return;
  }
  env.clear(c.text(1));
}

void import(Call& c) {
  Environment& env = environment_of(c, 0);
  for (const std::string& name : env.names()) c.oml.set_variable(c.oml.current_frame(), name, *env.get(name));
}

void names(Call& c) { c.ret(Value::text_cell(environment_of(c, 0).names(), true)); }

void has_name(Call& c) { c.ret(Value(environment_of(c, 0).get(c.text(1)) != nullptr)); }

// Values that contexts hand from one run to the next through the base workspace.
void get_from_base(Call& c) {
  const Value* v = c.oml.base()->get(c.text(0));
  if (v != nullptr) return c.ret(*v);
  if (!c.has(1)) fail("the base workspace has no variable " + c.text(0));
  c.ret(c[1]);
}

void add_to_base(Call& c) { c.oml.base()->set(c.text(0), stored(c[1])); }

constexpr Builtin environment_table[] = {
    {"GetFromBase", 1, 2, get_from_base, "GetFromBase(name, default): variable of the base workspace."},
    {"AddToBase", 2, 2, add_to_base, "AddToBase(name, value): sets a variable of the base workspace."},
    {"getcurrentenv", 0, 0, current, "getcurrentenv: the variables here as an environment."},
    {"getbaseenv", 0, 0, [](Call& c) { c.ret(wrap(c.oml.base())); },
     "getbaseenv: the base workspace as an environment."},
    {"getnewenv", 0, 1, make_new, "getnewenv(parent): a new environment that sees its parent's variables."},
    {"getenvvalue", 2, 3, get, "getenvvalue(env, name, default): value of a variable of an environment."},
    {"setenvvalue", 3, 3, set, "setenvvalue(env, name, value): sets a variable of an environment."},
    {"clearenvvalue", 1, 2, clear_environment, "clearenvvalue(env, name): removes a variable of an environment."},
    {"importenv", 1, 1, import, "importenv(env): copies the variables of an environment here."},
    {"getenvnames", 1, 1, names, "getenvnames(env): names of the variables of an environment."},
    {"isenvvalue", 2, 2, has_name, "isenvvalue(env, name): whether an environment knows the name."},
};

}  // namespace

BuiltinFamily environment_builtins() { return environment_table; }

}  // namespace orrery::oml
