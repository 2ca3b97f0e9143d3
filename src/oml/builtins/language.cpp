// SPDX-License-Identifier: Apache-2.0
// The interpreter from inside: eval, handles, variables, help.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/builtins/open_files.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/lexer.h"
#include "oml/nesting.h"
#include "oml/parser.h"

namespace orrery::oml {
namespace {

void eval_in(Call& c, Frame& frame, int first) {
  const std::string text = c.text(first);
  const int wanted = c.nargout;
  if (!c.has(first + 1)) {
    c.oml.eval_text(text, frame, wanted, c.out);
    return;
  }
  try {
    c.oml.eval_text(text, frame, wanted, c.out);
  } catch (const OmlError& e) {
    c.oml.last_error = e.full_text();
    c.oml.eval_text(c.text(first + 1), frame, wanted, c.out);
  }
}

void eval(Call& c) { eval_in(c, c.oml.current_frame(), 0); }

Frame& frame_named(Call& c, const std::string& where) {
  if (where == "caller") return c.oml.caller_frame();
  if (where == "base") return c.oml.base()->frame;
  fail_argument(1, "must be 'caller' or 'base'");
}

void evalin(Call& c) { eval_in(c, frame_named(c, c.text(0)), 1); }

void assignin(Call& c) {
  if (!is_true(c.oml.call_named("isvarname", {c[1]}, 1)[0]))
    fail_argument(2, "must be a name that a variable can have");
  c.oml.set_variable(frame_named(c, c.text(0)), c.text(1), c[2]);
}

void evalc(Call& c) {
  c.ret(Value::text(c.oml.captured_output([&] {
    Values none;
    c.oml.eval_text(c.text(0), c.oml.current_frame(), 0, none);
  })));
}

void feval(Call& c) {
  Values args(c.args.begin() + 1, c.args.end());
  const Value f = c.oml.to_handle(c[0]);
  for (Value& v : c.oml.call(f, std::move(args), c.nargout)) c.ret(std::move(v));
}

void builtin(Call& c) {
  const Builtin* b = c.oml.builtin(c.text(0));
  if (b == nullptr) fail_undefined(c.text(0));
  CallSite site;
  site.builtin = b;
  Values args(c.args.begin() + 1, c.args.end());
  for (Value& v : c.oml.call_callee(b->name, site, args, c.nargout)) c.ret(std::move(v));
}

void func2str(Call& c) {
  if (c[0].kind() != Kind::handle) fail_argument(1, "must be a function handle");
  const FunctionHandle& h = c[0].handle();
  c.ret(Value::text(h.name.empty() ? expression_text(h.user->expression) : h.name));
}

void str2func(Call& c) { c.ret(c.oml.to_handle(Value::text(c.text(0)))); }

void functions(Call& c) {
  if (c[0].kind() != Kind::handle) fail_argument(1, "must be a function handle");
  const FunctionHandle& h = c[0].handle();
  Value out = Value::structure();
  out.edit_structure().set("function", Value::text(h.name.empty() ? anonymous_text(*h.user) : h.name));
  out.edit_structure().set("type", Value::text(h.name.empty() ? "anonymous" : "simple"));
  out.edit_structure().set("file", Value::text(h.user ? h.user->file : ""));
  c.ret(out);
}

void nargin_of(Call& c) {
  if (c.count() == 0) return c.ret(Value(c.oml.current_frame().nargin));
  const Value h = c.oml.to_handle(c[0]);
  if (h.handle().user) {
    const auto n = static_cast<int>(h.handle().user->inputs.size());
    return c.ret(Value(h.handle().user->variadic_in ? -n - 1 : n));
  }
  if (h.handle().builtin == nullptr) fail_undefined(h.handle().name);
  c.ret(Value(h.handle().builtin->max_args));
}

void nargout_of(Call& c) {
  if (c.count() == 0) return c.ret(Value(c.oml.current_frame().nargout));
  const Value h = c.oml.to_handle(c[0]);
  if (!h.handle().user) return c.ret(Value(-1));
  const auto n = static_cast<int>(h.handle().user->outputs.size());
  if (h.handle().user->expression != nullptr) return c.ret(Value(1));
  c.ret(Value(h.handle().user->variadic_out ? -n - 1 : n));
}

void check_count(Call& c, int have, const char* what) {
  const double low = c.number(0), high = c.number(1);
  if (have < low) fail(std::string("not enough ") + what + " arguments");
  if (have > high) fail(std::string("too many ") + what + " arguments");
}

void help(Call& c) {
  const std::string name = c.count() > 0 ? c.text(0) : "help";
  std::string text;
  const Builtin* b = c.oml.builtin(name);
  if (b != nullptr) {
    text = std::string(b->help) + "\n" + argument_help(b->arguments);
  } else {
    const auto f = c.oml.find_user_function(name);
    if (!f) fail("no help for " + name);
    text = f->help;
  }
  if (c.nargout > 0) return c.ret(Value::text(text));
  c.oml.write(text);
}

// A file, or a name without its .oml.
void run_file(Call& c) {
  const std::string name = existing_name(c.text(0));
  std::error_code ec;
  const bool exists = std::filesystem::is_regular_file(name, ec);
  std::string path = exists ? name : existing_name(name + ".oml");
  if (!exists && !std::filesystem::exists(path, ec)) {
    const std::string found = c.oml.find_on_path(name);
    if (!found.empty()) path = found;
  }
  c.require_read(path);
  if (!std::filesystem::exists(path, ec)) fail("cannot read " + name);
  c.oml.run_script_file(path, c.oml.current_frame());
}

void checksyntax(Call& c) {
  try {
    parse_script(c.text(0), {});
    c.ret(Value::text(""));
  } catch (const OmlError& e) {
    c.ret(Value::text(e.full_text()));
  }
}

void exit_now(Call& c) { throw ExitRequest{c.has(0) ? static_cast<int>(c.number(0)) : 0}; }

void addtoolbox(Call& c) {
  if (c.count() == 0) return;
  std::string name = c.text(0);
  for (char& ch : name) ch = static_cast<char>(std::tolower(ch));
  static const std::vector<std::string> known = {"omlmathutils",
                                                 "omlcommunications",
                                                 "omlcae",
                                                 "omlstatistics",
                                                 "omlsignal",
                                                 "omlsignals",
                                                 "omlcontrol",
                                                 "omlpolynom",
                                                 "omlpolynomials",
                                                 "omldifferentialeqs",
                                                 "omldiffeq",
                                                 "omloptimization",
                                                 "omlgeometry",
                                                 "omlmatio",
                                                 "omlio",
                                                 "omlsystem",
                                                 "omlfilter",
                                                 "omlcalculus",
                                                 "omlhdf5",
                                                 "omlmat",
                                                 "statistics",
                                                 "signal",
                                                 "signals",
                                                 "control",
                                                 "polynomials",
                                                 "polynom",
                                                 "calculus",
                                                 "optimization",
                                                 "geometry",
                                                 "matio",
                                                 "diffeq",
                                                 "differentialequations",
                                                 "mathutils",
                                                 "communications",
                                                 "linearalgebra",
                                                 "linearsystems",
                                                 "hypermath",
                                                 "matlabcompatibility",
                                                 "cae",
                                                 "hml",
                                                 "system",
                                                 "hwfilereader",
                                                 "readcsv",
                                                 "omlxlsreader"};
  const auto hit = [&](const std::string& k) { return name == k || name.find(k) != std::string::npos; };
  if (!std::any_of(known.begin(), known.end(), hit)) fail("toolbox " + c.text(0) + " not found");
}

void nothing(Call&) {}

void verbose(Call& c) {
  if (c.has(0)) c.oml.verbose = c.number(0) != 0;
}

void isargout(Call& c) { c.ret(Value(c.number(0) <= std::max(c.oml.current_frame().nargout, 1))); }

void reference_count(Call& c) { c.ret(Value(c[0].is_heap() ? c[0].heap()->references - 1 : 1)); }

void mfilename(Call& c) {
  Frame& f = c.oml.current_frame();
  std::string name = f.file != nullptr && !f.file->empty() ? *f.file : c.oml.main_file;
  const std::string form = c.has(0) ? c.text(0) : "";
  if (form == "fullpath" || form == "fullpathext") name = std::filesystem::absolute(name).string();
  if (form != "fullpathext" && name.ends_with(".oml")) name.resize(name.size() - 4);
  c.ret(Value::text(name));
}

// The second argument of subsref and subsasgn: how to index ("()", "{}" or "."), and with what.
std::pair<std::string, Value> index_description(Call& c) {
  const Value& how = c[1];
  if (!how.is_struct() || how.numel() != 1 || how.structure_ref().get("type") == nullptr ||
      how.structure_ref().get("subs") == nullptr)
    fail_argument(2, "must be a struct with fields type and subs");
  return {to_string(*how.structure_ref().get("type")), *how.structure_ref().get("subs")};
}

void subsasgn(Call& c) {
  const auto [kind, subs] = index_description(c);
  Value target = c[0];
  if (kind == ".") {
    struct_field(target, {}, to_string(subs)) = c[2];
  } else {
    Values list = subs.is_cell() ? Values(subs.cell().data.begin(), subs.cell().data.end()) : Values{subs};
    if (kind == "{}")
      cell_element(target, list) = c[2];
    else
      assign_index(target, list, c[2]);
  }
  c.ret(target);
}

void subsref(Call& c) {
  const auto [kind, subs] = index_description(c);
  if (kind == ".") {
    const Value* v = c[0].is_struct() ? c[0].structure_ref().get(to_string(subs)) : nullptr;
    if (v == nullptr) fail("no such field");
    return c.ret(*v);
  }
  Values list = subs.is_cell() ? Values(subs.cell().data.begin(), subs.cell().data.end()) : Values{subs};
  if (kind == "{}")
    index_cell(c[0], list, c.out);
  else
    c.ret(index_value(c[0], list));
}

void inputname(Call& c) {
  const Frame& frame = c.oml.current_frame();
  if (frame.function == nullptr) fail("inputname must be called from inside a function");
  const Index k = c.whole(0);
  if (k < 1 || k > frame.nargin) fail_argument(1, "must be the number of an argument");
  Call around{c.oml, c.name, c.args, 0, c.out, frame.argument_nodes};
  c.ret(Value::text(around.variable_name(static_cast<int>(k) - 1)));
}

// The text behind a function, as it was read.
void ast(Call& c) {
  const Value h = c.oml.to_handle(c[0]);
  if (!h.handle().user && c.oml.builtin(h.handle().name) == nullptr) fail("Unknown function: " + h.handle().name);
  if (!h.handle().user) return c.ret(Value::text("builtin function"));
  const Function& f = *h.handle().user;
  c.ret(Value::text(f.expression != nullptr ? anonymous_text(f) : f.source));
}

constexpr Builtin language_table[] = {
    {"ast", 1, 1, ast, "ast(f): the text of a function; 'builtin function' when there is none.", "function"},
    {"eval", 1, 2, eval, "eval(text, on_error): runs text here; when it fails, runs on_error.", "word, word"},
    {"evalin", 2, 3, evalin, "evalin('caller'|'base', text, on_error): runs text in another workspace.",
     "word:caller/base, word, word"},
    {"assignin", 3, 3, assignin, "assignin('caller'|'base', name, value): sets a variable of another workspace.",
     "word:caller/base, word, any"},
    {"evalc", 1, 1, evalc, "evalc(text): runs text and returns what it prints.", "word"},
    {"feval", 1, -1, feval, "feval(f, args...): calls a function given by handle or name.", "function, any, ..."},
    {"builtin", 1, -1, builtin, "builtin(name, args...): calls the builtin even when a user function hides it.",
     "word, any"},
    {"func2str", 1, 1, func2str, "func2str(f): name of a function, or the body of an anonymous one.", "handle"},
    {"str2func", 1, 1, str2func, "str2func(text): handle of a function by name or '@(x) ...' text.", "word"},
    {"functions", 1, 1, functions, "functions(f): struct describing a function handle.", "handle"},
    {"clc", 0, 0, nothing, "clc: clears the console."},
    {"nargin", 0, 1, nargin_of, "nargin: number of arguments of the call; nargin(f): number a function declares.",
     "function"},
    {"nargout", 0, 1, nargout_of, "nargout: number of results wanted; nargout(f): number a function declares.",
     "function"},
    {"narginchk", 2, 2, [](Call& c) { check_count(c, c.oml.current_frame().nargin, "input"); },
     "narginchk(low, high): error unless the number of arguments is in the range.", "real scalar, real scalar"},
    {"nargoutchk", 2, 2, [](Call& c) { check_count(c, c.oml.current_frame().nargout, "output"); },
     "nargoutchk(low, high): error unless the number of results is in the range.", "real scalar, real scalar"},
    {"help", 0, 1, help, "help name: what a function does.", "word"},
    {"run", 1, 1, run_file, "run(file): runs a script file here.", "word", Needs::asked()},
    {"source", 1, 1, run_file, "source(file): runs a script file here.", "word", Needs::asked()},
    {"checksyntax", 1, 1, checksyntax, "checksyntax(text): empty when the text parses, otherwise the message.", "word"},
    {"exit", 0, 1, exit_now, "exit(code): ends the script.", "real scalar"},
    {"quit", 0, 1, exit_now, "quit(code): ends the script.", "real scalar"},
    {"addtoolbox", 0, 1, addtoolbox,
     "addtoolbox name: does nothing, as every toolbox is built in; unknown names are errors.", "word"},
    {"addToolbox", 0, 1, addtoolbox, "addToolbox name: the same as addtoolbox.", "word"},
    {"addlibrary", 0, -1, nothing, "addlibrary name: does nothing, as libraries are built in.", "word, ..."},
    {"verbose", 0, 1, verbose, "verbose(level): with 1, errors show the call trace.", "real scalar"},
    {"isargout", 1, 1, isargout, "isargout(k): whether result k is wanted.", "dim"},
    {"refcnt", 1, 1, reference_count, "refcnt(x): number of names that share the data of x.", "any"},
    {"lowbitcleanup", 1, -1, [](Call& c) { c.ret(c[0]); }, "lowbitcleanup(x): x as it is.", "any, ..."},
    {"mfilename", 0, 1, mfilename, "mfilename: name of the running file.", "word"},
    {"omlfilename", 0, 1, mfilename, "omlfilename('fullpath'): name of the running file.", "word:fullpath/fullpathext"},
    {"subsasgn", 3, 3, subsasgn, "subsasgn(x, s, v): x after the indexed assignment described by s.",
     "any, struct, any"},
    {"subsref", 2, 2, subsref, "subsref(x, s): part of x described by s.", "any, struct"},
    {"inputname", 1, 1, inputname, "inputname(k): name of the variable given as argument k; empty when unknown.",
     "dim"},
    {"isbatch", 0, 0, [](Call& c) { c.ret(Value(true)); }, "isbatch: whether the interpreter runs without a console."},
};

}  // namespace

BuiltinFamily language_builtins() { return language_table; }

}  // namespace orrery::oml
