// SPDX-License-Identifier: Apache-2.0
// The embedding interface: running texts, errors turned into diagnostics, output.
#include "oml/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/signals.h"
#include "oml/class_object.h"
#include "oml/compile.h"
#include "oml/interrupt.h"
#include "oml/parser.h"
#include "oml/run_aside.h"
#include "oml/traced_error.h"
#include "oml/warnings.h"

namespace orrery::oml {

std::function<void(const std::string&)>& warning_sink() {
  thread_local std::function<void(const std::string&)> sink;
  return sink;
}

void emit_warning(const std::string& text) {
  if (warning_sink()) warning_sink()(text);
}

const std::atomic<bool>*& interrupt_flag() {
  thread_local const std::atomic<bool>* flag = nullptr;
  return flag;
}

ScriptTime& script_time() {
  thread_local ScriptTime time;
  return time;
}

void poll_interrupt() {
  const std::atomic<bool>* flag = interrupt_flag();
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted{};
  script_time().check();
}

namespace {

// Said for a function that nobody could ask to stop.
constexpr const char* late_words =
    "error[script-limit]: the scripts of the model ran longer than they may, in one function that does not end\n"
    "  help: give it less to do, or allow more with --script-time SECONDS (0: no limit)\n";

// While a text runs: how long it may, and how long it has. Texts within texts are part of it.
class TimedText {
 public:
  TimedText(double limit, double& used, bool& timed, std::function<void()> up)
      : used_(used),
        timed_(timed),
        is_outermost_(limit > 0 && !std::exchange(timed, limit > 0)),
        before_(script_time()) {
    if (!is_outermost_) return;
    using Seconds = std::chrono::duration<double>;
    const auto rest = std::chrono::duration_cast<ScriptTime::Clock::duration>(Seconds(std::max(limit - used, 0.0)));
    script_time() = {begin_ + rest, std::move(up)};
    end_what_is_late(script_time().end, late_words);
  }
  ~TimedText() {
    if (!is_outermost_) return;
    used_ += std::chrono::duration<double>(ScriptTime::Clock::now() - begin_).count();
    timed_ = false;
    end_what_is_late(std::nullopt, "");
    script_time() = std::move(before_);
  }
  TimedText(const TimedText&) = delete;
  TimedText& operator=(const TimedText&) = delete;

 private:
  double& used_;
  bool& timed_;
  bool is_outermost_;
  ScriptTime before_;
  ScriptTime::Clock::time_point begin_ = ScriptTime::Clock::now();
};

}  // namespace

Frame::~Frame() {
  if (link) link->frame = nullptr;
}

Interpreter::Interpreter(InterpreterOptions options)
    : random(0), options_(std::move(options)), base_(std::make_shared<Environment>()) {
  frame_ = &base_->frame;
  for (const BuiltinFamily& family : options_.families) {
    for (const Builtin& b : family) added_builtins_.emplace(b.name, &b);
  }
}

const Builtin* Interpreter::builtin(const std::string& name) const {
  const auto added = added_builtins_.find(name);
  return added != added_builtins_.end() ? added->second : find_builtin(name);
}

std::vector<BuiltinFamily> Interpreter::families() const {
  const auto own = builtin_families();
  std::vector<BuiltinFamily> all(own.begin(), own.end());
  all.insert(all.end(), options_.families.begin(), options_.families.end());
  return all;
}

Interpreter::~Interpreter() {
  // A variable may hold a handle to the environment it lives in: nothing would ever free such a pair.
  environments_.push_back(base_);
  for (const std::weak_ptr<Environment>& made : environments_) {
    if (const std::shared_ptr<Environment> env = made.lock()) env->clear_all();
  }
  extensions_.clear();
  globals_.clear();
}

std::shared_ptr<Environment> Interpreter::make_environment(std::shared_ptr<Environment> parent) {
  auto env = std::make_shared<Environment>();
  env->parent = std::move(parent);
  if (environments_.size() == environments_.capacity()) {
    std::erase_if(environments_, [](const std::weak_ptr<Environment>& made) { return made.expired(); });
  }
  environments_.push_back(env);
  return env;
}

void Interpreter::write(std::string_view text) {
  if (text.empty()) return;
  const std::size_t newline = text.rfind('\n');
  output_column_ = newline == std::string_view::npos ? output_column_ + text.size() : text.size() - newline - 1;
  if (options_.output)
    options_.output(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string Interpreter::captured_output(const std::function<void()>& work) {
  std::string text;
  struct Restore {
    Interpreter& oml;
    std::function<void(std::string_view)> sink;
    std::size_t column;
    ~Restore() {
      oml.options_.output = std::move(sink);
      oml.output_column_ = column;
    }
  } restore{*this, options_.output, output_column_};
  output_column_ = 0;
  options_.output = [&](std::string_view part) { text += part; };
  work();
  return text;
}

void Interpreter::show(const std::string& name, const Value& v) {
  if (output_column_ > 0) write("\n");
  if (v.kind() == Kind::object && show_by_method(v)) return;
  write(display_text(name, v, format));
}

std::string Interpreter::location_text() const {
  std::string text = " at line number " + std::to_string(frame_->line);
  if (frame_->file != nullptr && !frame_->file->empty()) text += " in file " + *frame_->file;
  return text;
}

void Interpreter::warn(const std::string& text, bool with_location) {
  last_warning = text;
  for (const auto& [name, state] : warning_states)
    if (name == "all" && state == "off") return;
  if (output_column_ > 0) write("\n");
  write("Warning: " + text + (with_location ? location_text() : "") + "\n");
}

std::optional<std::string> read_script(const std::string& path) {
  constexpr std::size_t largest_script = std::size_t{64} << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text, part(std::size_t{1} << 16, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    text.append(part, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > largest_script) return std::nullopt;
  }
  return text;
}

namespace {

Diagnostic to_diagnostic(const OmlError& e) {
  Diagnostic d;
  const bool undefined = e.kind == ErrorKind::undefined_name;
  d.code = e.is_syntax() ? "oml-syntax" : undefined ? "oml-undefined" : "oml-error";
  d.place.file = e.file;
  d.place.line = e.line;
  d.place.column = e.column;
  d.place.port = e.name;
  d.message = e.message;
  if (!e.builtin.empty()) d.message += " (in " + e.builtin + ")";
  if (!e.function.empty()) d.notes.push_back("in function " + e.function);
  return d;
}

}  // namespace

void Interpreter::refuse(Capability wanted, const std::string& what) {
  Place place;
  if (frame_->file != nullptr) place.file = *frame_->file;
  place.line = frame_->line;
  place.column = frame_->column;
  throw Refused{refusal(options_.consent, wanted, std::move(place), what)};
}

void Interpreter::end_of_time() {
  Diagnostic ended;
  ended.code = "script-limit";
  if (frame_->file != nullptr) ended.place.file = *frame_->file;
  ended.place.line = frame_->line;
  ended.place.column = frame_->column;
  ended.message =
      fmt::format("the scripts of the model ran longer than {} s, which is all they may", options_.most_seconds);
  ended.help = "look for a loop that does not end, or allow more with --script-time SECONDS (0: no limit)";
  throw Refused{std::move(ended)};
}

// Runs work with `frame` current; every way it can end becomes a result.
RunResult Interpreter::run_guarded(Frame& frame, const std::function<void()>& work) {
  RunResult result;
  struct Restore {
    Interpreter& oml;
    Frame* frame;
    EndContext end;
    int depth;
    std::function<void(const std::string&)> sink;
    std::size_t limit;
    const std::atomic<bool>* interrupt;
    ~Restore() {
      oml.frame_ = frame;
      oml.end_ = end;
      oml.depth_ = depth;
      warning_sink() = sink;
      memory_account().limit = limit;
      interrupt_flag() = interrupt;
    }
  } restore{*this, frame_, end_, depth_, warning_sink(), memory_account().limit, interrupt_flag()};
  end_ = {};
  frame_ = &frame;
  memory_account().limit = options_.memory_limit;
  interrupt_flag() = options_.interrupt;
  warning_sink() = [this](const std::string& text) { warn(text); };
  clear_aside();
  const TimedText timed(options_.most_seconds, seconds_used_, is_timed_, [this] { end_of_time(); });
  const auto failed = [&](const OmlError& e) {
    result.ok = false;
    result.exit_code = 1;
    result.error_text = e.full_text();
    last_error = result.error_text;
    result.diagnostics.add(to_diagnostic(e));
  };
  try {
    work();
  } catch (const TracedError& e) {
    failed(e);
    for (const std::string& caller : e.callers) result.error_text += "\n " + caller;
  } catch (OmlError& e) {
    locate(e);
    failed(e);
  } catch (const Refused& refused) {
    result.ok = false;
    result.exit_code = 1;
    result.error_text = last_error = "Error: " + refused.diagnostic.message;
    result.diagnostics.add(refused.diagnostic);
  } catch (const Interrupted&) {
    OmlError e("interrupted");
    locate(e);
    failed(e);
    result.exit_code = 130;
  } catch (const ExitRequest& e) {
    result.ok = e.code == 0;
    result.exit_code = e.code;
    result.exit_requested = true;
  } catch (const std::bad_alloc&) {
    OmlError e("out of memory");
    locate(e);
    failed(e);
  } catch (const std::length_error&) {
    OmlError e("out of memory or dimension too large");
    locate(e);
    failed(e);
  }
  return result;
}

void Interpreter::run_parsed(const Script& script, Frame& frame, const std::function<void()>& after_statement) {
  compile_functions(script);
  // All functions are known before the first statement; of two with one name the first, until the second is reached.
  std::vector<std::string> seen;
  for (const Function* f : script.functions) {
    if (std::find(seen.begin(), seen.end(), f->name) != seen.end()) continue;
    seen.push_back(f->name);
    define_function(script.unit->share(f));
  }
  define_classes(script.classes);
  script.unit->private_functions.clear();
  compile_block(script.body, writable_scope(frame));
  ensure_slots(frame);
  const std::shared_ptr<SourceUnit> hold = script.unit;
  frame.file = &hold->file;
  struct Restore {
    Interpreter& oml;
    Frame* frame;
    ~Restore() { oml.frame_ = frame; }
  } restore{*this, frame_};
  frame_ = &frame;
  if (!after_statement) {
    run_body(script.body);
    return;
  }
  for (const Statement* s : script.body) {
    const Flow flow = run_statement(*s);
    after_statement();
    if (flow == Flow::break_loop || flow == Flow::return_call) return;
  }
}

void Interpreter::eval_text(std::string_view text, Frame& frame, int nargout, Values& out) {
  ParseOptions options;
  options.is_variable = [&](const std::string& name) { return find_variable(frame, name) != nullptr; };
  check_stack();
  struct Restore {
    Interpreter& oml;
    Frame& frame;
    Frame* previous;
    const std::string* file;
    int line, depth;
    EndContext end;
    ~Restore() {
      frame.file = file;
      frame.line = line;
      oml.frame_ = previous;
      oml.depth_ = depth;
      oml.end_ = end;
    }
  } restore{*this, frame, frame_, frame.file, frame.line, depth_, end_};
  ++depth_;
  end_ = {};
  if (nargout == 0) {
    const Script script = parse_script(text, options);
    const std::string* file = frame.file;
    const std::shared_ptr<SourceUnit> hold = script.unit;
    if (file != nullptr) hold->file = *file;
    run_parsed(script, frame);
    return;
  }
  std::string_view trimmed = text;
  while (!trimmed.empty() && (trimmed.back() == ';' || trimmed.back() == ' ' || trimmed.back() == '\n')) {
    trimmed.remove_suffix(1);
  }
  Script script;
  Node* n = parse_single_expression(trimmed, options, script);
  compile_expression(n, writable_scope(frame));
  ensure_slots(frame);
  frame_ = &frame;
  eval_list(n, nargout, out);
}

RunResult Interpreter::run_text_in(const std::shared_ptr<Environment>& where, std::string_view text,
                                   const std::string& file_name, const std::function<void()>& after_statement) {
  Frame& frame = where->frame;
  return run_guarded(frame, [&] {
    ParseOptions options;
    options.file = file_name;
    options.is_variable = [&](const std::string& name) { return find_variable(frame, name) != nullptr; };
    Script script;
    try {
      script = parse_script(text, options);
    } catch (OmlError& e) {
      e.file = file_name;
      throw;
    }
    struct Restore {
      Frame& frame;
      ~Restore() { frame.file = nullptr; }
    } restore{frame};
    try {
      run_parsed(script, frame, after_statement);
    } catch (OmlError& e) {
      locate(e);
      if (e.file.empty()) e.file = file_name;
      throw;
    }
  });
}

RunResult Interpreter::run_text(std::string_view text, const std::string& file_name) {
  return run_text_in(base_, text, file_name);
}

RunResult Interpreter::run_file(const std::string& path, const std::vector<std::string>& given) {
  const auto text = read_script(path);
  if (!text) {
    RunResult result;
    result.ok = false;
    result.exit_code = 1;
    result.error_text = "Error: cannot read " + path;
    result.diagnostics.error("oml-file", {path, 0, 0, {}, {}}, "cannot read the file, or it is too large for a script");
    return result;
  }
  script_arguments = given;
  main_file = path;
  base_->set("args", Value::text_cell(given, false));
  return run_text(*text, path);
}

namespace {

constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

}  // namespace

RunResult Interpreter::call_text(const std::shared_ptr<Environment>& where, std::string_view functions, Values args,
                                 Values& out) {
  return run_guarded(where->frame, [&] {
    const bool is_name = functions.find_first_not_of(name_characters) == std::string_view::npos;
    if (is_name && !functions.empty()) {
      out = call_named(std::string(functions), std::move(args), 1);
      return;
    }
    const Script script = parse_script(functions, {});
    if (!script.only_functions) {
      fail("the text must hold functions and nothing else: function block = f(block, flag) … end");
    }
    compile_functions(script);
    static const Values none;
    call_user(script.unit->share(script.functions[0]), none, args, 1, out);
  });
}

RunResult Interpreter::run_call(const Value& handle, Values args) {
  return run_guarded(base_->frame, [&] { static_cast<void>(call(handle, std::move(args), 0)); });
}

std::optional<Value> Interpreter::evaluate(const std::shared_ptr<Environment>& where, std::string_view expression,
                                           Diagnostics& diagnostics) {
  std::optional<Value> value;
  Frame& frame = where->frame;
  const RunResult result = run_guarded(frame, [&] {
    ParseOptions options;
    options.is_variable = [&](const std::string& name) { return find_variable(frame, name) != nullptr; };
    Script script;
    Node* n = parse_single_expression(expression, options, script);
    compile_expression(n, writable_scope(frame));
    ensure_slots(frame);
    Value v = eval(n);
    value = v.kind() == Kind::range ? stored(v) : v;
  });
  for (const Diagnostic& d : result.diagnostics.all()) diagnostics.add(d);
  return value;
}

}  // namespace orrery::oml
