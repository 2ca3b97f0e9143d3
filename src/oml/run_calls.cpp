// SPDX-License-Identifier: Apache-2.0
// Calls of user functions, handles and builtins.
#include <pthread.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "math/matrix.h"
#include "oml/class_object.h"
#include "oml/convert.h"
#include "oml/interpreter.h"
#include "oml/symbolic.h"
#include "oml/traced_error.h"

namespace orrery::oml {

// Makes a frame current and undoes everything on the way out, errors included.
struct FrameGuard {
  FrameGuard(Interpreter& o, Frame& f, const Function& function, Value* s, std::size_t chunk, std::size_t used)
      : oml(o),
        frame(f),
        slots(s),
        count(function.scope.names.size()),
        saved_chunk(chunk),
        saved_used(used),
        saved_end(o.end_),
        previous(o.frame_) {
    frame.function = &function;
    frame.scope = const_cast<Scope*>(&function.scope);
    frame.slots = slots;
    frame.caller = o.frame_;
    frame.file = &function.file;
    frame.line = function.line;
  }
  void enter() {
    oml.frame_ = &frame;
    oml.end_ = {};
    ++oml.depth_;
    entered = true;
  }
  ~FrameGuard() {
    if (entered) {
      oml.frame_ = previous;
      oml.end_ = saved_end;
      --oml.depth_;
    }
    for (std::size_t k = 0; k < count; ++k) slots[k] = Value();
    oml.chunk_ = saved_chunk;
    oml.chunk_used_ = saved_used;
  }
  Interpreter& oml;
  Frame& frame;
  Value* slots;
  std::size_t count, saved_chunk, saved_used;
  Interpreter::EndContext saved_end;
  Frame* previous;
  bool entered = false;
};

// Slots on a stack of chunks; they are all none.
Value* Interpreter::take_slots(std::size_t n) {
  constexpr std::size_t chunk_size = 4096;
  if (n > chunk_size) fail("too many variables in a function");
  if (slot_chunks_.empty()) slot_chunks_.push_back(std::make_unique<Value[]>(chunk_size));
  if (chunk_used_ + n > chunk_size) {
    ++chunk_;
    chunk_used_ = 0;
    if (chunk_ == slot_chunks_.size()) slot_chunks_.push_back(std::make_unique<Value[]>(chunk_size));
  }
  Value* out = slot_chunks_[chunk_].get() + chunk_used_;
  chunk_used_ += n;
  return out;
}

void Interpreter::check_stack() {
  tick();
  if (depth_ >= options_.max_call_depth) fail("maximum call depth reached");
  char here;
  if (stack_limit_ == nullptr) {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &low, &size);
      pthread_attr_destroy(&attributes);
    }
    // The main thread's stack may grow to its limit; a quarter stays free for LAPACK and the like.
    stack_limit_ = low == nullptr ? &here - (1 << 20) : static_cast<char*>(low) + size / 4;
  }
  if (&here < stack_limit_) fail("maximum call depth reached");
}

void Interpreter::locate(OmlError& e) const {
  if (e.located || frame_ == nullptr) return;
  e.located = true;
  e.line = frame_->line;
  e.column = frame_->column;
  if (frame_->file != nullptr) e.file = *frame_->file;
  if (frame_->function != nullptr) e.function = frame_->function->name;
}

namespace {

std::vector<std::string> callers_of(const Frame& frame) {
  std::vector<std::string> out;
  for (const Frame* at = frame.caller; at != nullptr; at = at->caller) {
    if (at->line == 0) continue;
    OmlError place("");
    place.without_prefix = true;
    if (at->function != nullptr) place.function = at->function->name;
    place.line = at->line;
    if (at->file != nullptr) place.file = *at->file;
    out.push_back(place.full_text());
  }
  return out;
}

}  // namespace

void Interpreter::run_function_body(Frame& frame, const Function& f) {
  try {
    run_body(f.body);
  } catch (const TracedError&) {
    throw;
  } catch (OmlError& e) {
    locate(e);
    if (verbose && !e.message_only) throw TracedError(e, callers_of(frame));
    throw;
  }
}

namespace {

[[noreturn]] void fail_too_many(const Function& f) {
  fail("invalid call of " + (f.name.empty() ? std::string("an anonymous function") : f.name) +
       "; too many input arguments");
}

bool gives_list(const Node* n) {
  return n->kind == NodeKind::index && n->extra->links.back().kind != Link::Kind::paren;
}

}  // namespace

// f(x, y) for one result: arguments go straight into the callee's slots.
Value Interpreter::call_user_direct(const Function& f, const std::vector<Node*>& arguments) {
  const std::shared_ptr<const Function> hold = f.unit->share(&f);  // it may be defined anew while it runs
  bool plain = arguments.size() <= f.inputs.size() && !f.outputs.empty();
  for (const Node* n : arguments) plain = plain && !gives_list(n) && n->kind != NodeKind::colon;
  if (!plain) {
    Borrowed args(*this), out(*this);
    eval_arguments(arguments, nullptr, args.list);
    call_user(hold, {}, args.list, 1, out.list);
    if (out.list.empty() || out.list[0].is_none()) fail("the call of " + f.name + " gives no value");
    return std::move(out.list[0]);
  }
  check_stack();
  const std::size_t chunk = chunk_, used = chunk_used_;
  Frame frame;
  FrameGuard guard(*this, frame, f, take_slots(f.scope.names.size()), chunk, used);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Value v = eval(arguments[k]);
    if (f.input_slots[k] >= 0) guard.slots[f.input_slots[k]] = std::move(v);
  }
  if (may_be_hot() && arguments.size() == f.inputs.size()) {
    Value result;
    if (call_hot(f, guard.slots, result)) return result;
  }
  guard.enter();
  frame.nargin = static_cast<int>(arguments.size());
  frame.nargout = 1;
  frame.argument_nodes = &arguments;
  Values none;
  if (f.nargin_slot >= 0 || f.nargout_slot >= 0 || arguments.size() < f.inputs.size()) {
    bind_rest(frame, f, none, frame.nargin);
  }
  run_function_body(frame, f);
  Value& result = frame.slots[f.output_slots[0]];
  Value out = result.kind() == Kind::box ? result.box().value : std::move(result);
  if (out.is_none()) {
    frame_ = guard.previous;
    fail("the output " + f.outputs[0] + " of function " + f.name + " has no value");
  }
  return out;
}

// nargin, nargout, defaults and varargin of a frame whose declared inputs are set.
void Interpreter::bind_rest(Frame& frame, const Function& f, Values& extra_args, int given) {
  if (f.nargin_slot >= 0) frame.slots[f.nargin_slot] = Value(frame.nargin);
  if (f.nargout_slot >= 0) frame.slots[f.nargout_slot] = Value(frame.nargout);
  for (std::size_t k = static_cast<std::size_t>(given); k < f.inputs.size(); ++k) {
    if (f.defaults[k] != nullptr) frame.slots[f.input_slots[k]] = eval(f.defaults[k]);
  }
  if (f.varargin_slot >= 0) {
    Value rest = Value::cell_row(extra_args);
    if (!f.class_name.empty()) rest.edit_cell().dims = Dims(static_cast<Index>(extra_args.size()), 1);
    frame.slots[f.varargin_slot] = rest;
  }
}

void Interpreter::call_user(const std::shared_ptr<const Function>& shared, const Values& captured, Values& args,
                            int nargout, Values& out) {
  // The body may redefine the function it belongs to.
  const std::shared_ptr<const Function> hold = shared;  // NOLINT(performance-unnecessary-copy-initialization)
  const Function& f = *hold;
  const std::vector<Node*>* nodes = std::exchange(call_nodes_, nullptr);
  check_stack();
  if (args.size() > f.inputs.size() && !f.variadic_in) fail_too_many(f);
  if (nargout > static_cast<int>(f.outputs.size()) && !f.variadic_out && f.expression == nullptr && nargout > 1) {
    fail("invalid call of " + f.name + "; too many output arguments");
  }
  const std::size_t chunk = chunk_, used = chunk_used_;
  Frame frame;
  FrameGuard guard(*this, frame, f, take_slots(f.scope.names.size()), chunk, used);
  const std::size_t fixed = std::min(args.size(), f.inputs.size());
  for (std::size_t k = 0; k < fixed; ++k) {
    if (f.input_slots[k] >= 0) guard.slots[f.input_slots[k]] = args[k];
  }
  if (!preset_output_.is_none()) guard.slots[f.output_slots[0]] = std::exchange(preset_output_, Value());
  if (f.parent != nullptr) {
    Frame* parent = frame_;
    while (parent != nullptr && parent->function != f.parent) {
      parent = parent->function != nullptr && parent->function->parent == f.parent && parent->lexical_parent != nullptr
                   ? parent->lexical_parent
                   : parent->caller;
    }
    frame.lexical_parent = parent;
    for (std::size_t k = 0; k < f.shared.size(); ++k) {
      const auto& [theirs, ours] = f.shared[k];
      if (!captured.empty()) {
        guard.slots[ours] = captured[k];
      } else if (parent != nullptr) {
        Value& place = parent->slots[theirs];
        if (place.kind() != Kind::box) {
          auto* box = new Box();
          box->value = std::move(place);
          place = Value(box);
        }
        guard.slots[ours] = place;
      }
    }
  } else {
    for (std::size_t k = 0; k < captured.size(); ++k) guard.slots[f.captured_slots[k]] = captured[k];
  }
  guard.enter();
  frame.nargin = static_cast<int>(args.size());
  frame.nargout = nargout;
  frame.argument_nodes = nodes;
  Values rest(args.begin() + static_cast<std::ptrdiff_t>(fixed), args.end());
  bind_rest(frame, f, rest, static_cast<int>(fixed));
  if (f.expression != nullptr) {
    frame.line = guard.previous->line;
    frame.file = guard.previous->file;
    eval_list(f.expression, nargout, out);
    return;
  }
  run_function_body(frame, f);
  const auto wanted = static_cast<std::size_t>(std::max(nargout, 1));
  for (std::size_t k = 0; k < f.outputs.size() && k < wanted; ++k) {
    const Value& v = frame.slots[f.output_slots[k]];
    out.push_back(v.kind() == Kind::box ? v.box().value : v);
    if (out.back().is_none() && k + 1 <= static_cast<std::size_t>(nargout) && k > 0) {
      frame_ = guard.previous;
      fail("the output " + f.outputs[k] + " of function " + f.name + " has no value");
    }
  }
  if (f.variadic_out && f.outputs.size() < wanted) {
    const Value& rest_out = frame.slots[f.varargout_slot];
    if (rest_out.is_cell()) {
      for (const Value& v : rest_out.cell().data) {
        if (out.size() < wanted) out.push_back(v);
      }
    }
  }
}

namespace {

// A parameter that stayed a name among the fields of a struct: linear models are such structs.
const SymbolicValue* named_field(const Value& v) {
  if (!v.is_struct() || v.structure_ref().dims.numel() != 1) return nullptr;
  for (const Values& column : v.structure_ref().columns) {
    for (const Value& field : column) {
      if (field.kind() == Kind::symbolic && field.symbolic().known() != nullptr) return &field.symbolic();
    }
  }
  return nullptr;
}

[[noreturn]] void fail_in(const Builtin& b, const char* message) {
  OmlError e(message);
  e.builtin = b.name;
  throw e;
}

// "fopen('log.txt', 'w')": texts only, and not much of them.
std::string words_of_call(const Call& c) {
  constexpr std::size_t most = 80;
  std::string text = std::string(c.name) + "(";
  for (int k = 0; k < c.count(); ++k) {
    text += k > 0 ? ", " : "";
    text += c.is_text(k) && c[k].dims().rows() == 1 ? "'" + to_string(c[k]).substr(0, most) + "'" : "…";
    if (text.size() > most) break;
  }
  return text + ")";
}

void require_all(const Call& c, Capabilities needed) {
  for (int k = 0; k < capability_count; ++k) {
    if (needed.has(static_cast<Capability>(k))) c.require(static_cast<Capability>(k));
  }
}

}  // namespace

void Call::require(Capability capability) const {
  if (!oml.options().consent.may(capability)) oml.refuse(capability, words_of_call(*this));
}

void Call::require_read(const std::string& path) const {
  if (oml.options().consent.may_read(path)) return;
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).lexically_normal().string();
  const bool said = whole == path || error;
  oml.refuse(Capability::read, words_of_call(*this) + (said ? "" : ", that is " + whole));
}

void Interpreter::call_builtin(const Builtin& b, Values& args, int nargout, Values& out) {
  const int n = static_cast<int>(args.size());
  const std::vector<Node*>* nodes = std::exchange(call_nodes_, nullptr);
  try {
    for (const Value& v : args) {
      const SymbolicValue* symbolic = v.kind() == Kind::symbolic ? &v.symbolic() : named_field(v);
      if (symbolic == nullptr) continue;
      auto results = symbolic->call(*this, b.name, args, nargout);
      if (!results) break;
      for (Value& result : *results) out.push_back(std::move(result));
      return;
    }
    if (n < b.min_args || (b.max_args >= 0 && n > b.max_args)) {
      fail("invalid function call; incorrect number of input arguments");
    }
    if (b.arguments.count > 0) check_arguments(b.arguments, args);
    const std::size_t before = out.size();
    Call c{*this, b.name, args, nargout, out, nodes};
    if (!b.needs.always.empty()) require_all(c, b.needs.always);
    b.run(c);
    const std::size_t keep = before + static_cast<std::size_t>(std::max(nargout, 1));
    if (out.size() > keep) out.resize(keep);
  } catch (OmlError& e) {
    if (!e.located && e.builtin.empty()) e.builtin = b.name;
    throw;
  } catch (const math::Error& e) {
    fail_in(b, e.what());
  } catch (const std::bad_alloc&) {
    fail_in(b, "out of memory");
  } catch (const std::length_error&) {
    fail_in(b, "out of memory or dimension too large");
  } catch (const std::exception&) {
    // The standard library refused an access or a conversion: an argument has too few elements.
    fail_in(b, "an argument is too short or malformed");
  }
}

void Interpreter::call_site(const std::string& name, const CallSite& site, Values& args, int nargout, Values& out) {
  if (!classes_.empty() && dispatch_method(name, args, nargout, out)) return;
  if (site.builtin != nullptr) return call_builtin(*site.builtin, args, nargout, out);
  if (site.definition) return out.push_back(construct(site.definition, args));
  if (!site.script.empty()) return run_script_file(site.script, *frame_);
  static const Values none;
  const std::size_t before = out.size();
  const std::shared_ptr<const Function> user = site.user->unit->share(site.user);
  call_user(user, none, args, nargout, out);
  const std::size_t keep = before + static_cast<std::size_t>(std::max(nargout, 1));
  if (out.size() > keep) out.resize(keep);
}

Values Interpreter::call_callee(const std::string& name, const CallSite& site, Values& args, int nargout) {
  Values out;
  call_site(name, site, args, nargout, out);
  return out;
}

Values Interpreter::call(const Value& handle, Values args, int nargout) {
  if (handle.is_text()) return call_named(to_string(handle), std::move(args), nargout);
  if (handle.kind() != Kind::handle) fail("expected a function handle, got a " + handle.class_name());
  const Value hold = handle;  // NOLINT(performance-unnecessary-copy-initialization): the call may assign to it
  const FunctionHandle& h = hold.handle();
  Values out;
  if (h.user) {
    call_user(h.user, h.captured, args, nargout, out);
    const auto keep = static_cast<std::size_t>(std::max(nargout, 1));
    if (out.size() > keep) out.resize(keep);
  } else if (h.builtin != nullptr) {
    call_builtin(*h.builtin, args, nargout, out);
  } else {
    return call_named(h.name, std::move(args), nargout);
  }
  return out;
}

Values Interpreter::call_named(const std::string& name, Values args, int nargout) {
  NodeExtra extra;
  const CallSite* site = resolve(extra, name);
  Values out;
  if (site == nullptr && !classes_.empty() && dispatch_method(name, args, nargout, out)) return out;
  if (site == nullptr) fail_undefined(name);
  call_site(name, *site, args, nargout, out);
  return out;
}

Value Interpreter::call1(const Value& handle, Values args) {
  Values out = call(handle, std::move(args), 1);
  if (out.empty() || out[0].is_none()) fail("the called function gives no value");
  return std::move(out[0]);
}

}  // namespace orrery::oml
