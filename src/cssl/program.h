// SPDX-License-Identifier: Apache-2.0
// What the classic simulation languages have in common, as pure data: declarations, sections of statements, events.
//
// ACSL, DARE-P, DESIRE and CSMP are read into this form; order_statements.h puts derivative sections in order and
// blocks/text_programs turns the whole into formulas. Names are as the language compares them: in lower case, except
// in DESIRE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/source.h"

namespace orrery::cssl {

using text::Position;

using NodeId = std::uint32_t;
constexpr NodeId no_node = UINT32_MAX;

// An expression. Calls are of functions, operators and tables, or elements of arrays: declarations tell them apart.
struct Node {
  enum class Kind : std::uint8_t { number, logical, text, name, unary, binary, call };
  Kind kind = Kind::number;
  bool whole = false;     // number: written without point and exponent; logical: its value
  double value = 0;       // number
  std::string name = {};  // name, call; operator: "+", "**", ".lt.", ".and.", ".not."; text: its characters
  std::vector<NodeId> arguments = {};
  Position at = {};
};

enum class When : std::uint8_t { at_time, rising, falling, crossing };

struct Statement {
  enum class Kind : std::uint8_t {
    assign,      // targets = value
    branch,      // if value: body, else otherwise
    count_loop,  // name = arguments[0] to arguments[1], step arguments[2]: body
    while_loop,  // while value: body
    go_to,       // name is a label
    mark,        // nothing: a place for a label
    leave,       // the innermost loop
    call,        // targets = name(arguments)
    schedule,    // the discrete section `name`, when value …
    terminate,   // the run ends where value is true, with this text
    procedural,  // body, one node for whoever sorts
    give_back,   // return
    stop,        // the run ends
    write,       // says text and arguments
    iterate,     // CSMP: targets[0] = IMPL(arguments[0], arguments[1], name) over the body
  };
  Kind kind = Kind::assign;
  Position at = {};
  std::string label = {};
  std::vector<NodeId> targets = {};
  NodeId value = no_node;
  std::vector<NodeId> arguments = {};
  std::string name = {};
  std::string text = {};
  When when = When::at_time;
  std::vector<Statement> body = {}, otherwise = {};
  int part = 0;             // of a derivative section with steps of its own
  bool has_header = false;  // procedural: these say what it needs and gives
  std::vector<std::string> outputs = {}, inputs = {};
};

enum class Type : std::uint8_t { real, integer, logical, text };

// A name that something is said of before it gets a value.
struct Declared {
  std::string name;
  Type type = Type::real;
  int rows = 1, cols = 1;            // arrays
  int first_row = 1, first_col = 1;  // what the first index is
  bool array = false;
  bool constant = false;  // it has values, which a run may be given others for
  std::vector<double> values = {};
  std::vector<double> by_run = {};  // other values, one for each run of a program that asks for several
  Position at = {};

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

// A function given by points: of one variable or two, the first index fastest. Outside its ends are held.
struct Table {
  std::string name;
  std::vector<double> first, second;  // breakpoints, ascending; second is empty: of one variable
  std::vector<double> values;
  bool quadratic = false;  // through three neighbours instead of two
  Position at = {};
};

struct Section {
  enum class Kind : std::uint8_t {
    initial,     // once, before time moves
    dynamic,     // at communication points
    derivative,  // continuous time
    discrete,    // when scheduled
    terminal,    // once, when the run has ended
  };
  Kind kind = Kind::derivative;
  std::string name = {};
  bool sorted = false;
  std::vector<Statement> statements = {};
  std::string interval = {};  // discrete: the name of its period, which is declared; empty: it has none
  // derivative: names of what ALGORITHM, NSTEPS and MAXTERVAL say inside it; empty: as the program.
  std::string own_algorithm = {}, own_steps = {}, own_largest_step = {};
  int part = 0;  // derivative: from 1 on the number of its Part, 0: with the solver
  Position at = {};
};

// FUNCTION and SUBROUTINE. A function gives what its own name has been assigned.
struct Subprogram {
  std::string name;
  bool function = true;
  std::vector<std::string> arguments;
  std::vector<Declared> declared = {};
  std::vector<Statement> body = {};
  Position at = {};
};

// A derivative section that goes in fixed steps of its own, beside the solver: its states keep their values in between.
struct Part {
  int order = 4;                    // of the method: 1 Euler, 2 Heun, 4 Runge-Kutta
  std::string steps, largest_step;  // names: so many to a communication interval, but none longer than this
};

// Names of the variables that steer a run; all are declared.
struct Roles {
  std::string time = "t";
  std::string interval = "cint";  // between communication points
  std::string steps = "nstp";     // in it
  std::string largest_step = "maxt";
  std::string algorithm = "ialg";
};

// A curve that the program asks for: y over x, x empty: over time.
struct Graph {
  std::string x;
  std::vector<std::string> y;
  bool table = false;  // numbers instead of a curve
};

// The constant that says how many runs follow this one, in programs that ask for several.
constexpr const char* runs_to_come = "zzruns";
// Where it is positive, TERMINAL asks for another run (CALL RERUN), with the values it has given to constants.
constexpr const char* run_again = "zzrerun";

// Something that happens to a run from outside: when a name (empty: the time) reaches a value, another name gets one.
struct Action {
  std::string watched;
  double reaches = 0;
  std::string changed;
  int element = 0;  // of an array, from 1; 0: it is none
  double becomes = 0;
};

struct Program {
  std::string language;  // "acsl"
  std::shared_ptr<const text::Source> source;
  std::string title;
  std::vector<Node> nodes;
  std::vector<Declared> declared;  // declare() adds to it
  std::vector<Section> sections;   // as they run where they run together
  std::vector<Part> parts;         // Section::part and Statement::part count from 1
  std::vector<Table> tables;
  std::vector<Subprogram> subprograms;
  Roles roles;
  std::vector<Statement> experiment;           // DESIRE: what runs the model
  std::vector<double> experiment_data;         // … what its `data` statements list
  std::vector<std::string> experiment_states;  // … what it gives initial values to, under the names of the states
  bool runs_follow_results = false;            // what the next run is shows when the one before has ended (next_run.h)
  std::vector<std::string> prepared;           // what is recorded; empty: what there is to see
  std::vector<Graph> graphs;
  // What the program asks of a run, as OML texts over its constants; empty: nothing.
  std::string solver, step, start = "0", stop, rtol, atol, hmax, hmin;
  int runs = 1;                   // one after the other, with Declared::by_run
  bool interval_at_start = true;  // periodic discrete sections run for the first time at the start
  std::vector<Action> actions;    // which apply_actions (actions.h) makes events of

  const Node& operator[](NodeId id) const { return nodes[id]; }
  const Declared* find(const std::string& name) const;
  // The declaration of a name, made when there is none.
  Declared& declare(const std::string& name, Position at);
  // Several runs: in each these constants have these values, the others those of their declarations.
  void set_runs(const std::vector<std::unordered_map<std::string, double>>& list);
  const Table* find_table(const std::string& name) const;
  const Subprogram* find_subprogram(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::size_t> place_;  // in declared
};

}  // namespace orrery::cssl
