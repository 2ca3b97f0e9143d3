// SPDX-License-Identifier: Apache-2.0
// ACSL: sections, declarations, events.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cssl/acsl_methods.h"
#include "cssl/expand_macros.h"
#include "cssl/horizon.h"
#include "cssl/languages.h"
#include "cssl/parser.h"

namespace orrery::cssl {
namespace {

class AcslParser final : public Parser {
 public:
  using Parser::Parser;

  void run() {
    while (!at_end() && !peek().is_name("program")) outside();
    if (peek().is_name("program")) {
      const Position at = take().at;
      if (peek().kind == Token::Kind::text) program_.title = take().word;
      end_statement_quietly();
      program_body();
      if (!accept_name("end"))
        source_.error(diagnostics_, "missing-end", at, "this PROGRAM has no END", "each section and PROGRAM need one");
      end_statement_quietly();
      subprograms();
    } else if (has_sections_) {
      // Sections without PROGRAM have been read.
    }
    finish();
  }

 private:
  // A text without PROGRAM: its statements are one derivative section.
  void outside() {
    if (ends_block(peek(), peek(1))) {
      skip_statement();
      subprograms();
      return;
    }
    program_item();
  }

  void program_body() {
    while (!at_end() && !ends_block(peek(), peek(1))) program_item();
  }

  void program_item() {
    if (!section()) loose_.statements.empty() ? first_loose() : statement_in(loose_);
  }

  void first_loose() {
    loose_.at = peek().at;
    statement_in(loose_);
  }

  void statement_in(Section& section) {
    Section* before = current_;
    current_ = &section;
    statement(section.statements);
    current_ = before;
  }

  void end_statement_quietly() {
    if (peek().kind == Token::Kind::end_of_statement) take();
  }

  // A section, with those inside it.
  bool section() {
    const Token first = peek();
    if (first.kind != Token::Kind::name || peek(1).is("=")) return false;
    const std::string& word = first.word;
    Section made;
    made.at = first.at;
    if (word == "initial") {
      made.kind = Section::Kind::initial;
    } else if (word == "dynamic") {
      made.kind = Section::Kind::dynamic;
    } else if (word == "derivative") {
      made.kind = Section::Kind::derivative;
      made.sorted = true;
    } else if (word == "discrete") {
      made.kind = Section::Kind::discrete;
    } else if (word == "terminal") {
      made.kind = Section::Kind::terminal;
    } else {
      return false;
    }
    take();
    has_sections_ = true;
    try {
      if (made.kind == Section::Kind::derivative || made.kind == Section::Kind::discrete) {
        if (peek().kind == Token::Kind::name) made.name = take().word;
        if (made.name.empty() && made.kind == Section::Kind::discrete)
          mistake("syntax", first.at, "a DISCRETE section needs a name", "events call it by this name");
      }
      end_statement();
    } catch (const SyntaxError&) {
      skip_statement();
    }
    check_nesting(made);
    body(made);
    return true;
  }

  void check_nesting(const Section& made) {
    const bool inner = made.kind == Section::Kind::derivative || made.kind == Section::Kind::discrete;
    const bool wrong = (made.kind == Section::Kind::dynamic || made.kind == Section::Kind::terminal) ? depth_ > 0
                       : inner ? depth_ > 0 && open_[static_cast<std::size_t>(depth_ - 1)] != Section::Kind::dynamic
                               : false;
    if (wrong)
      source_.error(diagnostics_, "wrong-section", made.at, "this section cannot be inside the section around it",
                    "DERIVATIVE and DISCRETE belong into DYNAMIC; is an END missing before?");
  }

  void body(Section& made) {
    constexpr int deepest = 4;
    if (depth_ >= deepest) {
      source_.error(diagnostics_, "wrong-section", made.at, "sections are nested too deeply");
      return;
    }
    open_.resize(static_cast<std::size_t>(depth_));
    open_.push_back(made.kind);
    ++depth_;
    // Inner sections go to the list before the one around them; what runs together stays in the order of the text.
    while (!at_end() && !ends_block(peek(), peek(1))) {
      if (!section()) statement_in(made);
    }
    --depth_;
    if (!accept_name("end")) {
      const bool other = !at_end();
      source_.error(diagnostics_, "missing-end", other ? peek().at : made.at,
                    other ? fmt::format("{} closes no block that is open here", peek().word)
                          : std::string("this section has no END"),
                    "each section needs an END of its own");
      if (other) skip_statement();
    } else {
      end_statement_quietly();
    }
    program_.sections.push_back(std::move(made));
  }

  bool own_statement(const std::string& word, const Token& first, Statements& into) override {
    if (word == "=") return false;
    if (is_type_word(word)) return type_declaration(), true;
    if (word == "constant") return take(), constant_list(), true;
    if (word == "parameter") return parameter(), true;
    if (word == "table") return table(), true;
    if (word == "schedule") return schedule(into), true;
    if (word == "termt") return termination(into), true;
    if (word == "procedural") return procedural(into), true;
    if (word == "dblint" && peek(1).is("(")) return double_integral(into), true;
    if (word == "sort" || word == "nosort") {
      take();
      if (current_ != nullptr) current_->sorted = word == "sort";
      return end_statement(), true;
    }
    if (word == "external" || word == "errtag") {
      skip_statement();
      return true;
    }
    if (word == "merror" || word == "xerror") return errors(word), true;
    return control(word, first);
  }

  void errors(const std::string& word) {
    take();
    error_list(word == "merror" ? program_.rtol : program_.atol);
  }

  // DBLINT(x, xd = xdd, xic, xdic, ll, ul)
  void double_integral(Statements& into) {
    Statement made;
    const Token name = take();
    made.at = name.at;
    take();
    do {
      const Position at = peek().at;
      made.targets.push_back(name_node(expect_name("the name of a state"), at));
    } while (accept(","));
    expect("=", "DBLINT needs = between its results and its arguments");
    Node call;
    call.kind = Node::Kind::call;
    call.name = name.word;
    call.at = name.at;
    call.arguments = arguments();
    end_statement();
    made.value = add(std::move(call));
    into.push_back(std::move(made));
  }

  // PARAMETER (a = 1.0, b = 2.0)
  void parameter() {
    take();
    expect("(", "PARAMETER needs a list in parentheses");
    do {
      const Token name = peek();
      Declared& item = program_.declare(expect_name("the name of a parameter"), name.at);
      expect("=", "a parameter needs = and its value");
      item.values = {constant_number()};
      item.constant = true;
    } while (accept(","));
    expect(")", "the list of parameters is not closed");
    end_statement();
  }

  // CINTERVAL cint = 0.2: the name takes the role, with this value unless the model gives it another.
  bool control(const std::string& word, const Token& first) {
    std::string* role = nullptr;
    if (word == "cinterval") role = &program_.roles.interval;
    if (word == "nsteps") role = &program_.roles.steps;
    if (word == "maxterval") role = &program_.roles.largest_step;
    if (word == "algorithm") role = &program_.roles.algorithm;
    if (word == "variable") role = &program_.roles.time;
    if (word == "interval") {
      if (current_ == nullptr || current_->kind != Section::Kind::discrete)
        mistake("wrong-section", first.at, "INTERVAL belongs into a DISCRETE section",
                "elsewhere CINTERVAL sets the communication interval");
      role = &current_->interval;
    }
    // Inside DERIVATIVE they are those of the section.
    if (current_ != nullptr && current_->kind == Section::Kind::derivative) {
      if (word == "nsteps") role = &current_->own_steps;
      if (word == "maxterval") role = &current_->own_largest_step;
      if (word == "algorithm") role = &current_->own_algorithm;
    }
    if (word == "minterval") role = &given_.smallest_step;
    if (role == nullptr) return false;
    take();
    const Token name = peek();
    *role = expect_name("the name of the variable");
    if (accept("=")) {
      const double value = constant_number();
      if (word == "variable") {
        program_.start = fmt::format("{}", value);
      } else {
        Declared& item = program_.declare(name.word, name.at);
        const bool own = current_ != nullptr && current_->kind == Section::Kind::derivative;
        if (own && item.constant && item.values[0] != value)
          mistake("double-assignment", name.at, fmt::format("{} has another value already", name.word),
                  "give what a section says of itself a name of its own, such as " + name.word + "2");
        if (!item.constant) item.values = {value};
        item.constant = true;
        if (word == "algorithm" && solver_of_algorithm(static_cast<int>(value)).empty())
          mistake(
              "bad-algorithm", name.at, fmt::format("there is no integration algorithm {}", value),
              "1 Adams, 2 Gear, 3 Euler, 4 and 5 Runge-Kutta of order 2 and 4, 8 and 9 with variable step, 10 DASSL");
        if (word == "algorithm" && role == &program_.roles.algorithm) given_.algorithm = true;
      }
    }
    if (word == "maxterval" && role == &program_.roles.largest_step) given_.largest_step = true;
    end_statement();
    return true;
  }

  // TABLE f, 1, 4 / 0.,1.,3.,6., 0.,2.,3.,0. /
  void table() {
    take();
    Table made;
    made.at = peek().at;
    made.name = expect_name("the name of the table");
    expect(",", "the number of inputs of the table is missing");
    const double inputs = constant_number();
    if (inputs != 1 && inputs != 2) mistake("bad-table", made.at, "a table has one input or two");
    std::vector<std::size_t> sizes;
    for (int k = 0; k < inputs; ++k) {
      expect(",", "the number of points of the table is missing");
      const double size = constant_number();
      if (!(size >= 2 && size <= 1e6)) mistake("bad-table", made.at, "a table needs two points or more for each input");
      sizes.push_back(static_cast<std::size_t>(size));
    }
    expect("/", "the values of a table stand between two /");
    std::vector<double> values = value_list_to_slash();
    const std::size_t breaks = sizes[0] + (sizes.size() > 1 ? sizes[1] : 0);
    const std::size_t wanted = breaks + sizes[0] * (sizes.size() > 1 ? sizes[1] : 1);
    if (values.size() != wanted)
      mistake("bad-table", made.at, fmt::format("the table needs {} numbers, but has {}", wanted, values.size()),
              "first the breakpoints of each input, then the values");
    made.first.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sizes[0]));
    made.second.assign(values.begin() + static_cast<std::ptrdiff_t>(sizes[0]),
                       values.begin() + static_cast<std::ptrdiff_t>(breaks));
    made.values.assign(values.begin() + static_cast<std::ptrdiff_t>(breaks), values.end());
    for (const auto* list : {&made.first, &made.second}) {
      for (std::size_t k = 1; k < list->size(); ++k) {
        if (!((*list)[k] > (*list)[k - 1])) mistake("bad-table", made.at, "the breakpoints of a table must ascend");
      }
    }
    end_statement();
    if (program_.find_table(made.name) != nullptr)
      mistake("double-assignment", made.at, fmt::format("there is a table {} already", made.name));
    program_.tables.push_back(std::move(made));
  }

  std::vector<double> value_list_to_slash() {
    std::vector<double> values;
    while (!accept("/")) {
      const double value = constant_number();
      if (accept("*")) {
        if (!(value >= 1 && value <= 1e6)) fail_here("how often a value is repeated must be 1 or more", "write 3*0.5");
        values.insert(values.end(), static_cast<std::size_t>(value), constant_number());
      } else {
        values.push_back(value);
      }
      if (!accept(",") && !peek().is("/"))
        fail_here("the numbers of a table need commas between them", "a / stands behind the last one");
    }
    return values;
  }

  void schedule(Statements& into) {
    Statement made;
    made.kind = Statement::Kind::schedule;
    made.at = take().at;
    made.name = expect_name("the name of a DISCRETE section");
    const Token when = take();
    if (when.is(".at.") || when.is_name("at")) {
      made.when = When::at_time;
    } else if (when.is(".xp.") || when.is_name("xp")) {
      made.when = When::rising;
    } else if (when.is(".xn.") || when.is_name("xn")) {
      made.when = When::falling;
    } else if (when.is(".xz.") || when.is_name("xz")) {
      made.when = When::crossing;
    } else {
      if (when.kind == Token::Kind::end_of_statement) --at_;
      mistake("syntax", when.at, "SCHEDULE needs .AT., .XP., .XN. or .XZ. behind the name",
              ".AT. a time, .XP. where an expression crosses zero upwards, .XN. downwards, .XZ. either way");
    }
    made.value = expression();
    end_statement();
    const bool continuous = current_ != nullptr && current_->kind == Section::Kind::derivative;
    if (made.when == When::at_time && continuous)
      mistake("wrong-section", made.at,
              "SCHEDULE .AT. cannot stand in DERIVATIVE: it would be carried out at every step",
              "put it into INITIAL or a DISCRETE section");
    if (made.when != When::at_time && !continuous)
      mistake("wrong-section", made.at,
              "crossings are watched in continuous time: this SCHEDULE belongs into DERIVATIVE",
              "use .AT. here, or move the statement");
    into.push_back(std::move(made));
  }

  void termination(Statements& into) {
    Statement made;
    made.kind = Statement::Kind::terminate;
    made.at = take().at;
    expect("(", "TERMT needs a condition in parentheses");
    made.value = expression();
    if (accept(",")) {
      if (peek().kind != Token::Kind::text) fail_here("the message of TERMT is a text in single quotes");
      made.text = take().word;
    }
    expect(")", "the condition is not closed");
    end_statement();
    ends_ = true;
    into.push_back(std::move(made));
  }

  // PROCEDURAL (outputs = inputs) … END
  void procedural(Statements& into) {
    Statement made;
    made.kind = Statement::Kind::procedural;
    made.at = take().at;
    if (accept("(")) {
      made.outputs = name_list();
      made.has_header = true;
      if (accept("=")) made.inputs = name_list();
      expect(")", "the header of PROCEDURAL is not closed");
    }
    end_statement();
    Section inner;  // its statements are not sorted
    inner.kind = current_ != nullptr ? current_->kind : Section::Kind::derivative;
    Section* before = current_;
    current_ = &inner;
    block(made.body);
    current_ = before;
    if (!accept_name("end")) mistake("missing-end", made.at, "this PROCEDURAL has no END");
    end_statement_quietly();
    into.push_back(std::move(made));
  }

  // Roles that nobody has given a value have that of the original.
  void finish() {
    const auto role = [&](const std::string& name, double value) {
      Declared& item = program_.declare(name, {});
      if (!item.constant && !is_assigned_initially(name)) {
        item.values = {value};
        item.constant = true;
      }
    };
    if (has_sections_) {
      for (const Statement& s : loose_.statements) {
        source_.error(diagnostics_, "wrong-section", s.at, "this statement stands outside of all sections",
                      "put it into INITIAL, DYNAMIC, DERIVATIVE, DISCRETE or TERMINAL");
      }
    } else {
      loose_.sorted = true;
      program_.sections.push_back(std::move(loose_));
    }
    role(program_.roles.interval, 0.1);
    role(program_.roles.steps, 10);
    role(program_.roles.largest_step, 1e10);
    role(program_.roles.algorithm, 5);
    for (const Section& section : program_.sections) {
      if (!section.interval.empty() && program_.find(section.interval) == nullptr) role(section.interval, 1);
    }
    choose_methods(program_, given_, diagnostics_);
    if (ends_) program_.stop = horizon(program_);
    finish_formats();
  }

  bool is_assigned_initially(const std::string& name) const {
    for (const Section& section : program_.sections) {
      if (section.kind != Section::Kind::initial) continue;
      for (const Statement& s : section.statements) {
        if (s.kind == Statement::Kind::assign && !s.targets.empty() && program_[s.targets[0]].name == name) return true;
      }
    }
    return false;
  }

  Section loose_{};
  Section* current_ = nullptr;
  std::vector<Section::Kind> open_;
  int depth_ = 0;
  bool has_sections_ = false, ends_ = false;
  GivenControls given_;
};

}  // namespace

LexerRules acsl_rules() { return {}; }

void read_acsl(Program& program, Diagnostics& diagnostics) {
  std::vector<Token> tokens = tokenise(*program.source, acsl_rules(), diagnostics);
  tokens = expand_macros(*program.source, std::move(tokens), diagnostics);
  AcslParser(program, std::move(tokens), diagnostics).run();
}

}  // namespace orrery::cssl
