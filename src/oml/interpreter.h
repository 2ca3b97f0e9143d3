// SPDX-License-Identifier: Apache-2.0
// The OML interpreter as the rest of Orrery uses it: run scripts, evaluate expressions in nested environments.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/consent.h"
#include "base/diagnostic.h"
#include "oml/ast.h"
#include "oml/builtin.h"
#include "oml/display.h"
#include "oml/error.h"
#include "oml/extensions.h"
#include "oml/interrupt.h"
#include "oml/native_code.h"
#include "oml/value.h"

namespace orrery::oml {

struct Frame;

// Where a handle finds its frame: null once the function has ended.
struct FrameLink {
  Frame* frame = nullptr;
};

// The variables of one running function or workspace.
struct Frame {
  const Function* function = nullptr;  // null in a workspace
  Scope* scope = nullptr;
  Value* slots = nullptr;
  Frame* caller = nullptr;
  Environment* environment = nullptr;  // workspaces only
  Frame* lexical_parent = nullptr;     // frame of the function around a nested one
  const std::string* file = nullptr;
  int line = 0;
  int column = 0;
  int nargin = 0;
  int nargout = 0;
  const std::vector<Node*>* argument_nodes = nullptr;  // of the call, when it stands in a text
  bool is_owner = false;                               // scope and storage below are in use: eval added names
  std::vector<Value> storage;
  std::unique_ptr<Scope> own_scope;
  std::vector<std::pair<std::string, Value>> hidden_locals;  // variables that a global declaration covers
  std::shared_ptr<FrameLink> link;                           // made when a script asks for a handle of this frame
  ~Frame();
  Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
};

// A workspace: variables by name, reading through to `parent` (diagram contexts: inner sees outer).
struct Environment {
  std::shared_ptr<Environment> parent;
  Scope scope;
  Frame frame;
  Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  void set(const std::string& name, Value value);
  // Own variable or, failing that, one of the parents'.
  const Value* get(const std::string& name) const;
  void clear(const std::string& name);
  void clear_all();
  std::vector<std::string> names() const;  // own, with a value, sorted
};

struct InterpreterOptions {
  std::function<void(std::string_view)> output;  // default: standard output
  std::size_t memory_limit = std::size_t{2} << 30;
  const std::atomic<bool>* interrupt = nullptr;
  int max_call_depth = 1000;
  std::uint64_t max_steps = UINT64_MAX;  // loop turns and calls
  double most_seconds = 0;  // that texts may run, all together since restart_time(); 0: as long as they want
  Consent consent = Consent::everything();  // of scripts that their user has started; models have their own
  std::vector<BuiltinFamily> families;      // functions besides the builtin ones; of two with one name these win
  std::shared_ptr<NativeCompiler> native;   // hot loops and functions become machine code; null: they do not
};

struct RunResult {
  bool ok = true;
  int exit_code = 0;
  bool exit_requested = false;  // the script called exit or quit
  std::string error_text;       // as OML prints it, location included
  Diagnostics diagnostics;
};

class LoopWriter;
struct LoopRecording;
struct ClassMethod;
struct HotPlace;
enum class Access : std::uint8_t;

enum class [[nodiscard]] Flow : std::uint8_t{normal, break_loop, continue_loop, return_call};

// The text of a script; nothing when it cannot be read, or is larger than any script.
std::optional<std::string> read_script(const std::string& path);

class Interpreter {
 public:
  explicit Interpreter(InterpreterOptions options = {});
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Runs statements in the base workspace. `arguments` become the cell args and argv().
  RunResult run_file(const std::string& path, const std::vector<std::string>& arguments = {});
  RunResult run_text(std::string_view text, const std::string& file_name = {});
  // Runs statements in an environment (a diagram context).
  RunResult run_text_in(const std::shared_ptr<Environment>& where, std::string_view text,
                        const std::string& file_name = {}, const std::function<void()>& after_statement = {});
  // The value of one expression, or nothing and a located diagnostic.
  std::optional<Value> evaluate(const std::shared_ptr<Environment>& where, std::string_view expression,
                                Diagnostics& diagnostics);

  const std::shared_ptr<Environment>& base() { return base_; }
  std::shared_ptr<Environment> make_environment(std::shared_ptr<Environment> parent = nullptr);
  // Calls the first function of a text of functions (the others are private to it), or the function it names.
  RunResult call_text(const std::shared_ptr<Environment>& where, std::string_view functions, Values args, Values& out);
  const Builtin* builtin(const std::string& name) const;
  std::vector<BuiltinFamily> families() const;
  std::vector<std::string> function_names();  // defined so far or on the path

  // --- for builtins ---
  Values call(const Value& handle, Values args, int nargout);
  // The same from outside of a text: whatever happens becomes a result, within the limits of time and memory.
  RunResult run_call(const Value& handle, Values args);
  Values call_named(const std::string& name, Values args, int nargout);
  Value call1(const Value& handle, Values args);
  Value make_handle(const std::string& name);  // resolves now when it can
  // A handle from a handle, a name, or the text of an anonymous function.
  Value to_handle(const Value& v);
  bool is_callable(const std::string& name);
  void eval_text(std::string_view text, Frame& frame, int nargout, Values& out);
  Frame& current_frame() { return *frame_; }
  Frame& caller_frame();
  const Value* find_variable(Frame& frame, const std::string& name);
  void set_variable(Frame& frame, const std::string& name, Value value);
  void clear_variable(Frame& frame, const std::string& name);
  std::vector<std::string> variable_names(Frame& frame);
  void declare_global(Frame& frame, const std::string& name);
  bool is_global(Frame& frame, const std::string& name);
  void clear_global(const std::string& name) { globals_.erase(name); }
  void uncover_local(Frame& frame, const std::string& name);  // what a global of that name hid
  std::vector<std::string> defined_functions() const;         // by scripts and texts
  void forget_function(const std::string& name);              // unless it is locked
  bool is_locked(const std::string& name) const { return locked_functions_.count(name) != 0; }
  void set_locked(const std::string& name, bool locked);
  void define_function(const std::shared_ptr<const Function>& f);
  void define_class(const std::shared_ptr<ClassDefinition>& cls);
  Value superclass_call(const std::string& left, const std::string& base_name, Values& args, int nargout);
  void run_script_file(const std::string& path, Frame& frame);
  std::shared_ptr<const Function> find_user_function(const std::string& name);
  std::string find_on_path(const std::string& name);
  void path_changed();

  void write(std::string_view text);                   // printf family
  void show(const std::string& name, const Value& v);  // display; starts a new line first when needed
  void warn(const std::string& text, bool with_location = true);
  std::string location_text() const;
  // What the work prints, kept from the output.
  std::string captured_output(const std::function<void()>& work);
  void tick() {
    if (++steps_ > options_.max_steps || (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed))) {
      throw Interrupted{};
    }
    if ((steps_ & 0x3ff) == 0) poll_interrupt();
  }
  // From here on the texts have all their time again.
  void restart_time() { seconds_used_ = 0; }

  InterpreterOptions& options() { return options_; }
  // Ends the script: its user has not allowed it. `what`: the words that want it.
  [[noreturn]] void refuse(Capability wanted, const std::string& what);
  [[noreturn]] void end_of_time();
  bool on_signals = false;  // texts run on symbolic values: loops may be written down instead of being carried out
  DisplayFormat format;
  std::mt19937 random;
  double spare_normal = 0;
  bool has_spare_normal = false;
  std::string last_error, last_warning;
  std::vector<std::string> search_path;
  bool verbose = false;
  std::vector<std::string> script_arguments;
  std::string main_file;
  // The state that a family of builtins keeps, by its type: made at the first call, alive as long as the interpreter.
  template <typename T>
  T& extension() {
    return extensions_.get<T>();
  }
  std::vector<std::pair<std::string, std::string>> warning_states;

  Values call_callee(const std::string& name, const CallSite& site, Values& args, int nargout);
  const CallSite* resolve(NodeExtra& extra, const std::string& name);

 private:
  friend struct FrameGuard;
  // statements (run_statements.cpp)
  Flow run_block(const Block& block);
  void run_body(const Block& block);
  Flow run_statement(const Statement& s);
  Flow run_if(const Statement& s);
  Flow run_while(const Statement& s);
  Flow run_for(const Statement& s);
  Flow run_for_value(const Statement& s, const Value& v);
  Flow run_switch(const Statement& s);
  Flow run_try(const Statement& s);
  void run_expression(const Statement& s);
  void run_declaration(const Statement& s);
  bool case_matches(const Value& subject, const Value& label);
  Value error_value(const OmlError& e);
  bool condition(const Node* n);

  // loops on values that are not known (record_loops.cpp)
  struct CountedRange {
    Value base, step;
    Value last;  // number of the last turn, from 0, not rounded down
    Index from;  // turns done before
  };
  bool is_recording() const;
  Value slot_value(int slot) const;
  void write_changes();
  void return_to_places();
  void write_jump(Flow flow);
  void write_body(const Statement& s);
  void write_count_loop(const Statement& s, const CountedRange& range);
  void write_while_loop(const Statement& s);
  Flow write_if(const Statement& s, std::size_t first, const Value& unknown);
  void record(const Statement& s, LoopWriter& writer, const std::function<void()>& work);
  bool try_recording(const Statement& s, const SymbolicValue* unknown, const std::function<void()>& work, bool must);
  const SymbolicValue* unknown_in_loop(const Statement& s) const;
  bool record_endless(const Statement& s);
  bool record_open_range(const Statement& s);
  bool record_rest(const Statement& s, const Range& r, Index from);
  Flow run_or_record(const Statement& s, const Range& r);
  Flow run_range(const Statement& s, const Range& r, Index from = 0);
  const SymbolicValue* unknown_in_frame() const;

  // machine code of hot loops and functions (run_hot.cpp)
  // Code knows no clock: where the time of scripts is limited they are interpreted.
  bool may_be_hot() const {
    return options_.native != nullptr && !on_signals && recording_ == nullptr && options_.most_seconds == 0;
  }
  bool run_hot(const Statement& s, const Range* r, Index& turn, Flow& flow);
  bool call_hot(const Function& f, Value* slots, Value& out);
  HotCode* hot_code(const Statement& s);
  HotEnd enter_hot(HotCode& code, const Range* r, Index turn);
  Flow resume(const Block& block, const HotPlace& place);
  Flow resume_statement(const Statement& s, const HotPlace& place);

  // assignment (run_assign.cpp)
  void run_assign(const Statement& s);
  bool assign_scalar(const Statement& s);
  void run_multi_assign(const Statement& s);
  bool try_fast_store(const Node* target, const Value& x);
  void assign_to(const Node* target, Value value);
  Value& slot_for_writing(int slot);
  void store(int slot, Value value);

  // expressions (run_expressions.cpp)
  Value eval(const Node* n);
  void eval_list(const Node* n, int nargout, Values& out);
  bool fast_number(const Node* n, double& x);
  Value eval_binary(const Node* n);
  Value eval_short_circuit(const Node* n);
  Value eval_update(const Node* n);
  Value eval_range(const Node* n);
  Value eval_matrix(const Node* n);
  Value eval_cell(const Node* n);
  Value eval_handle(const Node* n);
  Value eval_anonymous(const Node* n);
  void eval_arguments(const std::vector<Node*>& nodes, const Value* subject, Values& out);
  void eval_index(const Node* n, int nargout, Values& out);
  void eval_links(Value current, const std::vector<Link>& links, std::size_t k, int nargout, Values& out);
  void follow_field(const Value& current, const std::string& field, bool last, Values& out);
  Value index_once(const Value& v, const std::vector<Node*>& arguments);
  const Value* variable(int slot);
  std::string field_name(const Link& link);

  // calls (run_calls.cpp)
  Value call_user_direct(const Function& f, const std::vector<Node*>& arguments);
  void call_user(const std::shared_ptr<const Function>& f, const Values& captured, Values& args, int nargout,
                 Values& out);
  void run_function_body(Frame& frame, const Function& f);
  void bind_rest(Frame& frame, const Function& f, Values& extra_args, int given);
  void call_builtin(const Builtin& b, Values& args, int nargout, Values& out);
  void call_site(const std::string& name, const CallSite& site, Values& args, int nargout, Values& out);
  void locate(OmlError& e) const;
  void check_stack();
  std::shared_ptr<const Function> load_function_file(const std::string& name);

  // objects (run_objects.cpp)
  void define_classes(const std::vector<std::shared_ptr<ClassDefinition>>& list);
  void add_properties(const ClassDefinition& cls, StructArray& fields);
  Value construct(const std::shared_ptr<const ClassDefinition>& cls, Values& args);
  Value run_constructor(const ClassDefinition& cls, Value object, Values& args);
  const ClassMethod* method_for(const Values& args, const std::string& name, const ClassDefinition*& owner);
  bool dispatch_method(const std::string& name, Values& args, int nargout, Values& out);
  void require_access(Access access, const ClassDefinition& owner, const char* what, const std::string& name);
  bool inside_method(const std::string& name) const;
  std::size_t follow_object(const Value& object, const std::vector<Link>& links, std::size_t k, int nargout,
                            Values& out);
  std::size_t follow_class(const ClassDefinition& cls, const std::vector<Link>& links, int nargout, Values& out);
  bool assign_property(Value& object, const std::string& name, Value value);
  Value object_binary(BinaryOp op, const Value& a, const Value& b);
  Value object_unary(UnaryOp op, const Value& a);
  bool show_by_method(const Value& object);

  RunResult run_guarded(Frame& frame, const std::function<void()>& work);
  void run_parsed(const Script& script, Frame& frame, const std::function<void()>& after_statement = {});
  void ensure_slots(Frame& frame);
  Scope& writable_scope(Frame& frame);

  struct EndContext {
    const Value* subject = nullptr;
    int position = 0;
    int count = 0;
  };
  // A list of values borrowed from a pool, so that calls do not allocate.
  class Borrowed {
   public:
    explicit Borrowed(Interpreter& oml) : oml_(oml) {
      if (!oml.pool_.empty()) {
        list = std::move(oml.pool_.back());
        oml.pool_.pop_back();
      }
    }
    ~Borrowed() {
      list.clear();
      oml_.pool_.push_back(std::move(list));
    }
    Values list;

   private:
    Interpreter& oml_;
  };
  Value* take_slots(std::size_t n);

  InterpreterOptions options_;
  Extensions extensions_;
  std::unordered_map<std::string_view, const Builtin*> added_builtins_;
  std::shared_ptr<Environment> base_;
  std::vector<std::weak_ptr<Environment>> environments_;  // made so far; those that are gone leave now and then
  Frame* frame_ = nullptr;
  LoopRecording* recording_ = nullptr;           // the innermost
  std::vector<const Statement*> running_loops_;  // where they may become hot
  EndContext end_;
  std::vector<Values> pool_;
  std::vector<std::unique_ptr<Value[]>> slot_chunks_;
  std::size_t chunk_ = 0, chunk_used_ = 0;
  std::uint64_t steps_ = 0;
  double seconds_used_ = 0;  // by texts, of InterpreterOptions::most_seconds
  bool is_timed_ = false;    // a text runs, and its time is measured
  int depth_ = 0;
  std::uint64_t epoch_ = 1;
  std::unordered_map<std::string, std::shared_ptr<const Function>> functions_;
  std::unordered_map<std::string, std::shared_ptr<const ClassDefinition>> classes_;
  Value preset_output_;  // the object a constructor starts with
  std::unordered_map<std::string, std::string> path_index_;
  std::unordered_map<std::string, std::shared_ptr<const Function>> file_functions_;
  bool path_index_valid_ = false;
  std::unordered_map<std::string, Value> globals_;  // boxes
  std::set<std::string> locked_functions_;
  std::size_t output_column_ = 0;
  const std::vector<Node*>* call_nodes_ = nullptr;  // arguments of the call about to be made
  const char* stack_limit_ = nullptr;
};

}  // namespace orrery::oml
