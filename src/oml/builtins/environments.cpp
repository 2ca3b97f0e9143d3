// SPDX-License-Identifier: Apache-2.0
// Environment handles: workspaces as values, as block code of diagrams uses them.
#include <map>

#include "oml/builtins/families.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

// Environments are shown as numbers, in the order in which handles of them were made.
struct EnvironmentNumbers {
  std::map<const void*, int> known;
};

Value wrap(Call& c, std::shared_ptr<Environment> env, std::shared_ptr<FrameLink> link = nullptr) {
  auto& known = c.oml.extension<EnvironmentNumbers>().known;
  const void* key = link ? static_cast<const void*>(link.get()) : env.get();
  auto* h = new EnvironmentHandle();
  h->number = known.try_emplace(key, static_cast<int>(known.size()) + 1).first->second;
  h->environment = std::move(env);
  h->link = std::move(link);
  return Value(h);
}

const EnvironmentHandle& handle_of(const Call& c, int k) {
  if (c[k].kind() != Kind::environment) fail_argument(k + 1, "must be an environment");
  return *static_cast<EnvironmentHandle*>(c[k].heap());
}

// The variables behind a handle: those of a workspace, or of a function that runs.
Frame& frame_of(const Call& c, int k) {
  const EnvironmentHandle& h = handle_of(c, k);
  if (!h.link) return h.environment->frame;
  if (h.link->frame == nullptr) {
    OmlError e("the function of this environment has ended");
    e.without_prefix = true;
    throw e;
  }
  return *h.link->frame;
}

void current(Call& c) {
  Frame& frame = c.oml.current_frame();
  if (frame.environment == c.oml.base().get()) return c.ret(wrap(c, c.oml.base()));
  auto env = c.oml.make_environment();
  for (const std::string& name : c.oml.variable_names(frame)) env->set(name, *c.oml.find_variable(frame, name));
  if (!frame.link) {
    frame.link = std::make_shared<FrameLink>();
    frame.link->frame = &frame;
  }
  c.ret(wrap(c, env, frame.link));
}

void make_new(Call& c) {
  std::shared_ptr<Environment> parent;
  if (c.has(0)) parent = handle_of(c, 0).environment;
  c.ret(wrap(c, c.oml.make_environment(parent)));
}

void get(Call& c) {
  const Value* v = c.oml.find_variable(frame_of(c, 0), c.text(1));
  if (v == nullptr) {
    if (c.has(2)) return c.ret(c[2]);
    fail("the environment has no variable " + c.text(1));
  }
  c.ret(*v);
}

void set(Call& c) { c.oml.set_variable(frame_of(c, 0), c.text(1), stored(c[2])); }

void clear_environment(Call& c) {
  Frame& frame = frame_of(c, 0);
  if (c.count() > 1) return c.oml.clear_variable(frame, c.text(1));
  for (const std::string& name : c.oml.variable_names(frame)) c.oml.clear_variable(frame, name);
}

void import(Call& c) {
  Frame& from = frame_of(c, 0);
  for (const std::string& name : c.oml.variable_names(from))
    c.oml.set_variable(c.oml.current_frame(), name, *c.oml.find_variable(from, name));
}

void names(Call& c) { c.ret(Value::text_cell(c.oml.variable_names(frame_of(c, 0)), true)); }

void has_name(Call& c) { c.ret(Value(c.oml.find_variable(frame_of(c, 0), c.text(1)) != nullptr)); }

// Values that contexts hand from one run to the next through the base workspace.
void get_from_base(Call& c) {
  const Value* v = c.oml.base()->get(c.text(0));
  if (v != nullptr) return c.ret(*v);
  if (!c.has(1)) fail("the base workspace has no variable " + c.text(0));
  c.ret(c[1]);
}

void add_to_base(Call& c) { c.oml.base()->set(c.text(0), stored(c[1])); }

constexpr Builtin environment_table[] = {
    {"GetFromBase", 1, 2, get_from_base, "GetFromBase(name, default): variable of the base workspace.", "word, any"},
    {"AddToBase", 2, 2, add_to_base, "AddToBase(name, value): sets a variable of the base workspace.", "word, any"},
    {"getcurrentenv", 0, 0, current, "getcurrentenv: the variables here as an environment."},
    {"getbaseenv", 0, 0, [](Call& c) { c.ret(wrap(c, c.oml.base())); },
     "getbaseenv: the base workspace as an environment."},
    {"getnewenv", 0, 1, make_new, "getnewenv(parent): a new environment that sees its parent's variables.", "any"},
    {"getenvvalue", 2, 3, get, "getenvvalue(env, name, default): value of a variable of an environment.", "any, word"},
    {"setenvvalue", 3, 3, set, "setenvvalue(env, name, value): sets a variable of an environment.", "any, word"},
    {"clearenvvalue", 1, 2, clear_environment, "clearenvvalue(env, name): removes a variable of an environment.",
     "any, word"},
    {"importenv", 1, 1, import, "importenv(env): copies the variables of an environment here.", "any"},
    {"getenvnames", 1, 1, names, "getenvnames(env): names of the variables of an environment.", "any"},
    {"isenvvalue", 2, 2, has_name, "isenvvalue(env, name): whether an environment knows the name.", "any, word"},
};

}  // namespace

BuiltinFamily environment_builtins() { return environment_table; }

}  // namespace orrery::oml
