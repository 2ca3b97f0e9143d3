// SPDX-License-Identifier: Apache-2.0
// The interpreter from inside: eval, handles, variables, help.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/lexer.h"
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

void assignin(Call& c) { c.oml.set_variable(frame_named(c, c.text(0)), c.text(1), c[2]); }

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

bool is_name(const std::string& s) {
  if (s.empty() || is_keyword(s)) return false;
  if (!std::isalpha(static_cast<unsigned char>(s[0])) && s[0] != '_') return false;
  return std::all_of(s.begin(), s.end(),
                     [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; });
}

void isvarname(Call& c) { c.ret(Value(c[0].is_text() && is_name(to_string(c[0])))); }

void genvarname(Call& c) {
  const std::vector<std::string> taken = c.has(1) ? text_list(c[1]) : std::vector<std::string>();
  std::vector<std::string> used = taken;
  const auto make = [&](std::string s) {
    for (char& ch : s)
      if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '_') ch = '_';
    if (s.empty()) s = "x";
    if (std::isdigit(static_cast<unsigned char>(s[0])) || is_keyword(s)) s = (is_keyword(s) ? "x" : "x") + s;
    std::string candidate = s;
    for (int n = 1; std::find(used.begin(), used.end(), candidate) != used.end(); ++n)
      candidate = s + std::to_string(n);
    used.push_back(candidate);
    return candidate;
  };
  if (!c[0].is_cell()) return c.ret(Value::text(make(c.text(0))));
  Value out = c[0];
  const std::vector<std::string> names = text_list(c[0]);
  for (std::size_t k = 0; k < names.size(); ++k) out.edit_cell()[static_cast<Index>(k)] = Value::text(make(names[k]));
  c.ret(out);
}

void exist(Call& c) {
  const std::string name = c.text(0), what = c.has(1) ? c.text(1) : "";
  if ((what.empty() || what == "var") && c.oml.find_variable(c.oml.current_frame(), name) != nullptr)
    return c.ret(Value(1));
  if (what == "var") return c.ret(Value(0));
  std::error_code ec;
  if (what.empty() || what == "file" || what == "dir") {
    if (std::filesystem::is_directory(name, ec)) return c.ret(Value(7));
    if (what == "dir") return c.ret(Value(0));
    if (std::filesystem::exists(name, ec)) return c.ret(Value(2));
    if (!c.oml.find_on_path(name).empty()) return c.ret(Value(2));
    if (what == "file") return c.ret(Value(0));
  }
  if (c.oml.builtin(name) != nullptr) return c.ret(Value(5));
  if (what != "builtin" && c.oml.is_callable(name)) return c.ret(Value(103));
  c.ret(Value(0));
}

// "x*" style patterns of clear and who.
bool matches(const char* p, const char* s) {
  if (*p == '\0') return *s == '\0';
  if (*p == '*') return matches(p + 1, s) || (*s != '\0' && matches(p, s + 1));
  return *s != '\0' && (*p == '?' || *p == *s) && matches(p + 1, s + 1);
}

void clear(Call& c) {
  Frame& frame = c.oml.current_frame();
  std::vector<std::string> patterns;
  bool except = false, global = false;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-except" || word == "-x" || word == "-exclusive")
      except = true;
    else if (word == "-all" || word == "all" || word == "-a" || word == "variables" || word == "-v")
      patterns.emplace_back("*");
    else if (word == "global" || word == "-global" || word == "-g")
      global = true;
    else if (!word.empty() && word[0] != '-')
      patterns.push_back(word);
  }
  if (patterns.empty()) patterns.emplace_back("*");
  for (const std::string& name : c.oml.variable_names(frame)) {
    const bool hit = std::any_of(patterns.begin(), patterns.end(),
                                 [&](const std::string& p) { return matches(p.c_str(), name.c_str()); });
    if (hit == except) continue;
    if (global && c.oml.is_global(frame, name)) c.oml.clear_global(name);
    c.oml.clear_variable(frame, name);
  }
}

void clearvars(Call& c) {
  std::vector<std::string> keep, patterns;
  bool except = false;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-except")
      except = true;
    else
      (except ? keep : patterns).push_back(word);
  }
  if (patterns.empty()) patterns.emplace_back("*");
  const auto any = [](const std::vector<std::string>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& p) { return matches(p.c_str(), name.c_str()); });
  };
  for (const std::string& name : c.oml.variable_names(c.oml.current_frame())) {
    if (any(patterns, name) && !any(keep, name)) c.oml.clear_variable(c.oml.current_frame(), name);
  }
}

std::vector<std::string> listed(Call& c) {
  std::vector<std::string> out;
  for (const std::string& name : c.oml.variable_names(c.oml.current_frame())) {
    bool hit = c.count() == 0;
    for (int k = 0; k < c.count(); ++k) hit = hit || matches(c.text(k).c_str(), name.c_str());
    // The arguments of the script are no variable of the user's when there are none.
    if (name == "args" && c.oml.script_arguments.empty()) {
      const Value* v = c.oml.find_variable(c.oml.current_frame(), name);
      hit = hit && !(v != nullptr && v->is_cell() && v->is_empty());
    }
    if (hit) out.push_back(name);
  }
  return out;
}

void who(Call& c) {
  const std::vector<std::string> names = listed(c);
  if (c.nargout > 0) return c.ret(Value::text_cell(names, true));
  if (names.empty()) return;
  std::string text = "Variables in the current scope:\n";
  for (const std::string& n : names) text += n + "\n";
  c.oml.write(text);
}

void whos(Call& c) {
  std::string text =
      "Variables in the current scope:\n   Attr Name        Size                     Bytes  Class\n"
      "   ==== ====        ====                     =====  =====\n";
  for (const std::string& n : listed(c)) {
    const Value* v = c.oml.find_variable(c.oml.current_frame(), n);
    const Index unit = v->is_text() || v->is_logical() ? 1 : v->is_complex() ? 16 : 8;
    char line[256];
    std::snprintf(line, sizeof line, "   %4s %-10s %6s %25lld  %s\n", v->is_complex() ? "c" : "", n.c_str(),
                  v->dims().text().c_str(), static_cast<long long>(v->numel() * unit), v->class_name().c_str());
    text += line;
  }
  c.oml.write(text);
}

void isglobal(Call& c) { c.ret(Value(c.oml.is_global(c.oml.current_frame(), c.text(0)))); }

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
    text = std::string(b->help) + "\n";
  } else {
    const auto f = c.oml.find_user_function(name);
    if (!f) fail("no help for " + name);
    text = f->help;
  }
  if (c.nargout > 0) return c.ret(Value::text(text));
  c.oml.write(text);
}

void run_file(Call& c) { c.oml.run_script_file(c.text(0), c.oml.current_frame()); }

void checksyntax(Call& c) {
  try {
    parse_script(c.text(0), {});
    c.ret(Value::text(""));
  } catch (const OmlError& e) {
    c.ret(Value::text(e.full_text()));
  }
}

std::string text_of_name(Interpreter& oml, const std::string& name) {
  const Value* v = oml.find_variable(oml.current_frame(), name);
  if (v != nullptr) {
    const Value held = *v;
    return oml.captured_output([&] { oml.show(name, held); });
  }
  if (oml.builtin(name) != nullptr) return name + " is a built-in function\n";
  if (oml.is_callable(name)) return name + " is a user-defined function\n";
  std::ifstream in(name);
  if (!in) fail("'" + name + "' is undefined");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void type_of(Call& c) {
  Values texts;
  for (int k = 0; k < c.count(); ++k) texts.push_back(Value::text(text_of_name(c.oml, c.text(k))));
  if (c.nargout > 0) return c.ret(Value::cell_row(texts));
  for (const Value& text : texts) c.oml.write(to_string(text));
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
  if (c.has(0) && c.text(0) == "fullpath") name = std::filesystem::absolute(name).string();
  c.ret(Value::text(name));
}

void subsasgn(Call& c) {
  const Value& how = c[1];
  if (!how.is_struct() || how.numel() != 1 || how.structure_ref().get("type") == nullptr ||
      how.structure_ref().get("subs") == nullptr)
    fail_argument(2, "must be a struct with fields type and subs");
  const std::string kind = to_string(*how.structure_ref().get("type"));
  const Value subs = *how.structure_ref().get("subs");
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
  const Value& how = c[1];
  if (!how.is_struct() || how.numel() != 1 || how.structure_ref().get("type") == nullptr ||
      how.structure_ref().get("subs") == nullptr)
    fail_argument(2, "must be a struct with fields type and subs");
  const std::string kind = to_string(*how.structure_ref().get("type"));
  const Value subs = *how.structure_ref().get("subs");
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

constexpr Builtin language_table[] = {
    {"eval", 1, 2, eval, "eval(text, on_error): runs text here; when it fails, runs on_error."},
    {"evalin", 2, 3, evalin, "evalin('caller'|'base', text, on_error): runs text in another workspace."},
    {"assignin", 3, 3, assignin, "assignin('caller'|'base', name, value): sets a variable of another workspace."},
    {"evalc", 1, 1, evalc, "evalc(text): runs text and returns what it prints."},
    {"feval", 1, -1, feval, "feval(f, args...): calls a function given by handle or name."},
    {"builtin", 1, -1, builtin, "builtin(name, args...): calls the builtin even when a user function hides it."},
    {"func2str", 1, 1, func2str, "func2str(f): name of a function, or the body of an anonymous one."},
    {"str2func", 1, 1, str2func, "str2func(text): handle of a function by name or '@(x) ...' text."},
    {"functions", 1, 1, functions, "functions(f): struct describing a function handle."},
    {"isvarname", 1, 1, isvarname, "isvarname(s): whether s can name a variable."},
    {"genvarname", 1, 2, genvarname, "genvarname(s, taken): a valid variable name made from s."},
    {"exist", 1, 2, exist, "exist(name, kind): 1 variable, 2 file, 5 builtin, 7 folder, 103 function, 0 nothing."},
    {"clear", 0, -1, clear, "clear x y* ...: removes variables; -except keeps those named."},
    {"clc", 0, 0, nothing, "clc: clears the console."},
    {"clearvars", 0, -1, clearvars, "clearvars x y -except z: removes variables."},
    {"who", 0, -1, who, "who: names of the variables."},
    {"whos", 0, -1, whos, "whos: table of the variables."},
    {"isglobal", 1, 1, isglobal, "isglobal(name): whether the name is declared global here."},
    {"nargin", 0, 1, nargin_of, "nargin: number of arguments of the call; nargin(f): number a function declares."},
    {"nargout", 0, 1, nargout_of, "nargout: number of results wanted; nargout(f): number a function declares."},
    {"narginchk", 2, 2, [](Call& c) { check_count(c, c.oml.current_frame().nargin, "input"); },
     "narginchk(low, high): error unless the number of arguments is in the range."},
    {"nargoutchk", 2, 2, [](Call& c) { check_count(c, c.oml.current_frame().nargout, "output"); },
     "nargoutchk(low, high): error unless the number of results is in the range."},
    {"help", 0, 1, help, "help name: what a function does."},
    {"run", 1, 1, run_file, "run(file): runs a script file here."},
    {"source", 1, 1, run_file, "source(file): runs a script file here."},
    {"checksyntax", 1, 1, checksyntax, "checksyntax(text): empty when the text parses, otherwise the message."},
    {"type", 1, -1, type_of,
     "type name ...: shows variables and files or says what names are; c = type(...) gives the texts in a cell."},
    {"which", 1, 1, type_of, "which name: says what a name is."},
    {"exit", 0, 1, exit_now, "exit(code): ends the script."},
    {"quit", 0, 1, exit_now, "quit(code): ends the script."},
    {"addtoolbox", 0, 1, addtoolbox,
     "addtoolbox name: does nothing, as every toolbox is built in; unknown names are errors."},
    {"addToolbox", 0, 1, addtoolbox, "addToolbox name: the same as addtoolbox."},
    {"addlibrary", 0, -1, nothing, "addlibrary name: does nothing, as libraries are built in."},
    {"mlock", 0, 0, nothing, "mlock: accepted for compatibility."},
    {"munlock", 0, 1, nothing, "munlock: accepted for compatibility."},
    {"mislocked", 0, 1, [](Call& c) { c.ret(Value(false)); }, "mislocked: always false."},
    {"verbose", 0, 1, verbose, "verbose(level): with 1, errors show the call trace."},
    {"isargout", 1, 1, isargout, "isargout(k): whether result k is wanted."},
    {"refcnt", 1, 1, reference_count, "refcnt(x): number of names that share the data of x."},
    {"lowbitcleanup", 1, -1, [](Call& c) { c.ret(c[0]); }, "lowbitcleanup(x): x as it is."},
    {"mfilename", 0, 1, mfilename, "mfilename: name of the running file."},
    {"omlfilename", 0, 1, mfilename, "omlfilename('fullpath'): name of the running file."},
    {"subsasgn", 3, 3, subsasgn, "subsasgn(x, s, v): x after the indexed assignment described by s."},
    {"subsref", 2, 2, subsref, "subsref(x, s): part of x described by s."},
    {"inputname", 1, 1, inputname, "inputname(k): name of the variable given as argument k; empty when unknown."},
    {"isbatch", 0, 0, [](Call& c) { c.ret(Value(true)); }, "isbatch: whether the interpreter runs without a console."},
};

}  // namespace

BuiltinFamily language_builtins() { return language_table; }

}  // namespace orrery::oml
