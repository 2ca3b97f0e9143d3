// SPDX-License-Identifier: Apache-2.0
// Environments, and finding functions and variables by name: nested, private, script, path, builtin.
#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "oml/class_object.h"
#include "oml/compile.h"
#include "oml/convert.h"
#include "oml/interpreter.h"
#include "oml/parser.h"

namespace orrery::oml {

namespace fs = std::filesystem;

Environment::Environment() {
  frame.scope = &scope;
  frame.environment = this;
  frame.is_owner = true;
}

void Environment::set(const std::string& name, Value value) {
  const auto slot = static_cast<std::size_t>(scope.find_or_add(name));
  if (frame.storage.size() <= slot) frame.storage.resize(std::max(slot + 1, frame.storage.size() * 3 / 2));
  frame.slots = frame.storage.data();
  Value& place = frame.storage[slot];
  if (place.kind() == Kind::box)
    place.box().value = std::move(value);
  else
    place = std::move(value);
}

const Value* Environment::get(const std::string& name) const {
  const int slot = scope.find(name);
  if (slot >= 0 && static_cast<std::size_t>(slot) < frame.storage.size()) {
    const Value& v = frame.storage[static_cast<std::size_t>(slot)];
    const Value& inner = v.kind() == Kind::box ? v.box().value : v;
    if (!inner.is_none()) return &inner;
  }
  return parent ? parent->get(name) : nullptr;
}

void Environment::clear(const std::string& name) {
  const int slot = scope.find(name);
  if (slot >= 0 && static_cast<std::size_t>(slot) < frame.storage.size()) frame.storage[slot] = Value();
}

void Environment::clear_all() {
  const std::vector<Value> values(std::move(frame.storage));  // what they hold may look here while it dies
  frame.storage.clear();
  frame.slots = nullptr;
  scope = Scope();
}

std::vector<std::string> Environment::names() const {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < frame.storage.size() && k < scope.names.size(); ++k) {
    if (!frame.storage[k].is_none()) out.push_back(scope.names[k]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

const Function* nested_function(const Function* f, const std::string& name) {
  for (; f != nullptr; f = f->parent) {
    for (const Function* inner : f->nested)
      if (inner->name == name) return inner;
  }
  return nullptr;
}

}  // namespace

const CallSite* Interpreter::resolve(NodeExtra& extra, const std::string& name) {
  CallSite& site = extra.site;
  if (site.epoch == epoch_) return &site;
  CallSite found;
  const auto known_class = classes_.find(name);
  if (known_class != classes_.end()) {
    found.definition = known_class->second;
    found.epoch = epoch_;
    site = std::move(found);
    return &site;
  }
  const Function* f = frame_->function;
  if (f != nullptr) {
    found.user = nested_function(f, name);
    if (found.user == nullptr && f->unit != nullptr) {
      const auto it = f->unit->private_functions.find(name);
      if (it != f->unit->private_functions.end()) found.user = it->second;
    }
  }
  if (found.user == nullptr) {
    const auto it = functions_.find(name);
    if (it != functions_.end()) found.user = it->second.get();
  }
  const Builtin* builtin = found.user != nullptr ? nullptr : this->builtin(name);
  if (found.user == nullptr) {
    if (builtin == nullptr) path_index_valid_ = false;  // a file may have appeared
    const std::string path = find_on_path(name);
    if (!path.empty()) {
      found.user = load_function_file(path).get();
      // A file of classes defines them; the name may be one of them now.
      const auto loaded = classes_.find(name);
      if (loaded != classes_.end())
        found.definition = loaded->second;
      else if (found.user == nullptr)
        found.script = path;
    } else {
      found.builtin = builtin;
    }
  }
  if (found.user == nullptr && found.builtin == nullptr && found.script.empty() && !found.definition) return nullptr;
  found.epoch = epoch_;
  site = std::move(found);
  return &site;
}

std::string Interpreter::find_on_path(const std::string& name) {
  if (!path_index_valid_) {
    path_index_.clear();
    std::vector<std::string> folders = {"."};
    folders.insert(folders.end(), search_path.begin(), search_path.end());
    for (const std::string& folder : folders) {
      // Folders of models hold many files that are no functions: nothing is made of their names.
      const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), [](DIR* d) { return ::closedir(d); });
      const dirent* entry = nullptr;
      while (open && (entry = ::readdir(open.get())) != nullptr) {
        const std::string_view file = entry->d_name;
        constexpr std::string_view ending = ".oml";
        if (file.size() <= ending.size() || !file.ends_with(ending)) continue;
        path_index_.try_emplace(std::string(file.substr(0, file.size() - ending.size())),
                                (fs::path(folder) / file).string());
      }
    }
    path_index_valid_ = true;
  }
  const auto it = path_index_.find(name);
  return it == path_index_.end() ? std::string() : it->second;
}

std::vector<std::string> Interpreter::function_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  path_index_valid_ = false;
  find_on_path({});
  for (const auto& [name, path] : path_index_) names.push_back(name);
  return names;
}

void Interpreter::path_changed() {
  path_index_valid_ = false;
  file_functions_.clear();
  ++epoch_;
}

std::shared_ptr<const Function> Interpreter::load_function_file(const std::string& path) {
  const auto known = file_functions_.find(path);
  if (known != file_functions_.end()) return known->second;
  const auto text = read_script(path);
  if (!text) fail("cannot read " + path);
  // The script that runs now lies on the path too; it is no function.
  ParseOptions options;
  options.file = fs::path(path).filename().string();
  const Script script = parse_script(*text, options);
  const bool only_classes =
      !script.classes.empty() && script.classes.size() + script.functions.size() == script.body.size();
  if (only_classes) {
    compile_functions(script);
    for (const Function* f : script.functions) script.unit->private_functions[f->name] = const_cast<Function*>(f);
    define_classes(script.classes);
    return nullptr;
  }
  if (!script.only_functions) return nullptr;
  compile_functions(script);
  auto f = script.unit->share(script.functions[0]);
  file_functions_[path] = f;
  return f;
}

std::shared_ptr<const Function> Interpreter::find_user_function(const std::string& name) {
  NodeExtra extra;
  const CallSite* site = resolve(extra, name);
  return site == nullptr || site->user == nullptr ? nullptr : site->user->unit->share(site->user);
}

bool Interpreter::is_callable(const std::string& name) {
  NodeExtra extra;
  return resolve(extra, name) != nullptr;
}

Value Interpreter::make_handle(const std::string& name) {
  auto* h = new FunctionHandle();
  Value out(h);
  h->name = name;
  NodeExtra extra;
  const CallSite* site = resolve(extra, name);
  if (site == nullptr) return out;
  if (site->user != nullptr) h->user = site->user->unit->share(site->user);
  h->builtin = site->builtin;
  if (h->user && h->user->parent != nullptr && frame_->function == h->user->parent) {
    for (const auto& [theirs, ours] : h->user->shared) {
      Value& place = frame_->slots[theirs];
      if (place.kind() != Kind::box) {
        auto* box = new Box();
        box->value = std::move(place);
        place = Value(box);
      }
      h->captured.push_back(place);
    }
  }
  return out;
}

Value Interpreter::to_handle(const Value& v) {
  if (v.kind() == Kind::handle) return v;
  if (!v.is_text()) fail("expected a function handle or name, got a " + v.class_name());
  const std::string text = to_string(v);
  if (!text.empty() && text[0] == '@') {
    Values out;
    eval_text(text + ";", *frame_, 1, out);
    if (out.size() == 1 && out[0].kind() == Kind::handle) return out[0];
    fail("not a function: " + text);
  }
  return make_handle(text);
}

void Interpreter::define_function(const std::shared_ptr<const Function>& f) {
  auto& place = functions_[f->name];
  if (place == f) return;
  place = f;
  ++epoch_;
}

void Interpreter::run_script_file(const std::string& path, Frame& frame) {
  const auto text = read_script(path);
  if (!text) fail("cannot read " + path);
  ParseOptions options;
  options.file = fs::path(path).filename().string();
  options.is_variable = [&](const std::string& name) { return find_variable(frame, name) != nullptr; };
  const Script script = parse_script(*text, options);
  check_stack();
  ++depth_;
  struct Restore {
    Interpreter& oml;
    Frame& frame;
    const std::string* file;
    int line, depth;
    ~Restore() {
      frame.file = file;
      frame.line = line;
      oml.depth_ = depth;
    }
  } restore{*this, frame, frame.file, frame.line, depth_ - 1};
  try {
    run_parsed(script, frame);
  } catch (OmlError& e) {
    locate(e);
    throw;
  }
}

Frame& Interpreter::caller_frame() { return frame_->caller != nullptr ? *frame_->caller : *frame_; }

const Value* Interpreter::find_variable(Frame& frame, const std::string& name) {
  const int slot = frame.scope->find(name);
  const Value* v = nullptr;
  if (slot >= 0) {
    v = &frame.slots[slot];
    if (v->kind() == Kind::box) v = &v->box().value;
    if (!v->is_none()) return v;
  }
  if (frame.environment != nullptr && frame.environment->parent) return frame.environment->parent->get(name);
  return nullptr;
}

Scope& Interpreter::writable_scope(Frame& frame) {
  if (frame.environment == nullptr && !frame.is_owner) {
    frame.own_scope = std::make_unique<Scope>(*frame.scope);
    frame.storage.resize(frame.scope->names.size());
    for (std::size_t k = 0; k < frame.storage.size(); ++k) frame.storage[k] = std::move(frame.slots[k]);
    frame.scope = frame.own_scope.get();
    frame.slots = frame.storage.data();
    frame.is_owner = true;
  }
  return *frame.scope;
}

void Interpreter::ensure_slots(Frame& frame) {
  if (frame.storage.size() >= frame.scope->names.size()) return;
  frame.storage.resize(std::max(frame.scope->names.size(), frame.storage.size() * 3 / 2));
  frame.slots = frame.storage.data();
}

void Interpreter::set_variable(Frame& frame, const std::string& name, Value value) {
  int slot = frame.scope->find(name);
  if (slot < 0) {
    slot = writable_scope(frame).find_or_add(name);
    ensure_slots(frame);
  }
  Value& place = frame.slots[slot];
  if (place.kind() == Kind::box)
    place.box().value = std::move(value);
  else
    place = std::move(value);
}

void Interpreter::clear_variable(Frame& frame, const std::string& name) {
  const int slot = frame.scope->find(name);
  if (slot >= 0) frame.slots[slot] = Value();
}

std::vector<std::string> Interpreter::variable_names(Frame& frame) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < frame.scope->names.size(); ++k) {
    const Value& v = frame.slots[k];
    const bool set = v.kind() == Kind::box ? !v.box().value.is_none() : !v.is_none();
    if (set && frame.scope->names[k] != "nargin" && frame.scope->names[k] != "nargout") {
      out.push_back(frame.scope->names[k]);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

void Interpreter::declare_global(Frame& frame, const std::string& name) {
  auto [it, is_new] = globals_.try_emplace(name);
  if (is_new) {
    auto* box = new Box();
    it->second = Value(box);
    box->value = Value::empty();
  }
  int slot = frame.scope->find(name);
  if (slot < 0) {
    slot = writable_scope(frame).find_or_add(name);
    ensure_slots(frame);
  }
  Value& place = frame.slots[slot];
  if (!place.is_none() && place.kind() != Kind::box) frame.hidden_locals.emplace_back(name, std::move(place));
  place = it->second;
}

void Interpreter::uncover_local(Frame& frame, const std::string& name) {
  for (std::size_t k = frame.hidden_locals.size(); k-- > 0;) {
    if (frame.hidden_locals[k].first != name) continue;
    set_variable(frame, name, std::move(frame.hidden_locals[k].second));
    frame.hidden_locals.erase(frame.hidden_locals.begin() + static_cast<std::ptrdiff_t>(k));
    return;
  }
}

std::vector<std::string> Interpreter::defined_functions() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void Interpreter::forget_function(const std::string& name) {
  if (is_locked(name) || functions_.erase(name) == 0) return;
  ++epoch_;
}

void Interpreter::set_locked(const std::string& name, bool locked) {
  if (locked)
    locked_functions_.insert(name);
  else
    locked_functions_.erase(name);
}

bool Interpreter::is_global(Frame& frame, const std::string& name) {
  const auto it = globals_.find(name);
  const int slot = frame.scope->find(name);
  return it != globals_.end() && slot >= 0 && frame.slots[slot].kind() == Kind::box &&
         frame.slots[slot].heap() == it->second.heap();
}

}  // namespace orrery::oml
