// SPDX-License-Identifier: Apache-2.0
// DARE-P: a model part with $D1 and $F blocks, a data part, an output part, each closed by an END in column 1.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "cssl/languages.h"
#include "cssl/names.h"
#include "cssl/parser.h"
#include "text/scan.h"

namespace orrery::cssl {
namespace {

// Stretches of the text, as offsets.
struct Stretch {
  std::size_t begin = 0, end = 0;
};

class DarepParser final : public Parser {
 public:
  DarepParser(Program& program, Diagnostics& diagnostics) : Parser(program, {}, diagnostics) {}

  void run() {
    strict_ = has_remark(source_, "!", "strict");
    split();
    dynamic_.kind = Section::Kind::dynamic;
    derivative_.sorted = true;
    for (const Stretch& part : model_) read(part, [this] { model(); });
    for (const Stretch& part : fortran_) read(part, [this] { subprograms(); });
    for (const Stretch& part : data_) {
      read(part, [this] { data(); });
      ++group_;
    }
    for (const Stretch& part : output_) read(part, [this] { output(); });
    finish();
  }

 private:
  template <class Parse>
  void read(const Stretch& part, Parse&& parse) {
    if (part.end <= part.begin) return;
    tokens_ = tokenise(source_, part.begin, part.end, rules_, diagnostics_);
    at_ = 0;
    if (strict_) check_names();
    parse();
  }

  // As the original had them: six letters and digits, in capitals.
  void check_names() {
    for (const Token& token : tokens_) {
      if (token.kind != Token::Kind::name) continue;
      const std::string_view written = source_.text().substr(token.begin, token.end - token.begin);
      const auto fits = [](char c) { return (c >= 'A' && c <= 'Z') || text::is_digit(c); };
      const bool keyword = token.word == "function" || token.word == "subroutine" || token.word == "terminate" ||
                           token.word == "continue";
      const bool good = (written.size() <= 6 || keyword) && std::all_of(written.begin(), written.end(), fits);
      if (good || !names_told_.insert(token.word).second) continue;
      source_.error(diagnostics_, "bad-name", token.at, fmt::format("{} is no name of the original language", written),
                    "a capital letter, then at most five capital letters and digits; or leave out the line ! strict");
    }
  }

  // Names from I to N are whole numbers there.
  static bool is_integer_name(const std::string& name) { return name[0] >= 'i' && name[0] <= 'n'; }

  void make_integers() {
    std::vector<Use> writes;
    for (const Statement& s : derivative_.statements) collect_writes(program_, s, writes);
    for (const auto& [name, at] : states_) {
      if (is_integer_name(name))
        source_.error(diagnostics_, "bad-name", at, fmt::format("{} is a whole number, so it can be no state", name),
                      fmt::format("choose a name that does not begin with I to N, such as x{}", name.substr(0, 5)));
    }
    for (const Use& use : writes) {
      if (is_integer_name(use.name) && !is_state(use.name)) program_.declare(use.name, use.at).type = Type::integer;
    }
    const Declared* points = program_.find("npoint");
    if (points != nullptr && points->constant && points->values[0] > 301)
      source_.error(diagnostics_, "bad-setting", points->at, "NPOINT is at most 301", "or leave out the line ! strict");
  }

  // Lines that mark blocks have a $ in column 1 or 2, and an END in column 1 closes a part.
  void split() {
    int part = 0;  // 0: before the first mark, 1: model, 2: subprograms, 3: data, 4: output, 5: behind all
    std::size_t begin = 0, offset = 0;
    const auto close = [&](std::size_t end) {
      const Stretch stretch{begin, end};
      if (part == 1) model_.push_back(stretch);
      if (part == 2) fortran_.push_back(stretch);
      if (part == 3) data_.push_back(stretch);
      if (part == 4) output_.push_back(stretch);
    };
    for (int number = 1; number <= source_.lines(); ++number) {
      const std::string_view line = source_.line(number);
      const std::size_t next = source_.text().find('\n', offset);
      const std::size_t behind = next == std::string_view::npos ? source_.size() : next + 1;
      const std::string lower = text::lower_case(line.substr(0, 4));
      const std::size_t mark = line.starts_with('$')              ? 0
                               : line.size() > 1 && is_mark(line) ? 1
                                                                  : std::string_view::npos;
      const bool end = lower.starts_with("end") && (line.size() == 3 || text::is_blank(line[3]));
      const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
      if (strict_ && mark == 0)
        source_.error(diagnostics_, "bad-column", {number, 1}, "the $ of a mark stands in column 2",
                      "begin the line with one blank");
      if (part == 5 && !blank) {  // data of another run
        part = 3;
        begin = offset;
      }
      if (mark != std::string_view::npos) {
        close(offset);
        const std::string word =
            text::lower_case(line.substr(mark + 1, text::count_while(line, mark + 1, text::is_word)));
        if (word == "d1") {
          part = 1;
        } else if (word == "f") {
          part = 2;
        } else {
          part = 0;
          source_.error(diagnostics_, "syntax", {number, static_cast<int>(mark) + 1},
                        fmt::format("no block is called ${}", word), "$D1 is the model, $F subprograms in Fortran");
        }
        begin = behind;
      } else if (end) {
        close(offset);
        part = part <= 2 ? 3 : part + 1;
        begin = behind;
      } else if (part == 0 && !blank && line.find_first_not_of(" \t") != line.find('!') && !told_) {
        told_ = true;
        source_.error(diagnostics_, "syntax", {number, 1}, "the model begins with the mark $D1",
                      "write it in a line of its own");
      }
      offset = behind;
    }
    if (part < 5 && !told_) {
      close(source_.size());
      source_.error(diagnostics_, "missing-end", {source_.lines(), 0},
                    fmt::format("{} END in column 1 {} missing", 5 - std::max(part, 2), part == 4 ? "is" : "are"),
                    "one closes the model, one the data, one the output");
    }
  }

  static bool is_mark(std::string_view line) { return line[0] == ' ' && line[1] == '$'; }

  void model() {
    while (!at_end()) {
      if (ends_block(peek(), peek(1))) {
        source_.error(diagnostics_, "syntax", peek().at, fmt::format("{} closes nothing here", peek().word),
                      "an END that closes the model stands in column 1");
        skip_statement();
        continue;
      }
      statement(derivative_.statements);
    }
  }

  bool own_statement(const std::string& word, const Token& first, Statements& into) override {
    if (peek(1).is(".") && peek(2).is("=")) return state(first, into), true;
    if (word == "proced") return procedural(into), true;
    if (word == "terminate") {
      Statement made;
      made.kind = Statement::Kind::terminate;
      made.at = take().at;
      const NodeId value = expression();
      made.value = binary_node(".lt.", value, number_node(0, made.at), made.at);
      end_statement();
      if (terminates_)
        mistake("double-assignment", made.at, "there is one TERMINATE already",
                "join both conditions in one expression");
      terminates_ = true;
      dynamic_.statements.push_back(std::move(made));
      return true;
    }
    return false;
  }

  // X. = expression
  void state(const Token& first, Statements& into) {
    Statement made;
    made.at = first.at;
    made.targets = {name_node(take().word, first.at)};
    take();
    take();
    Node integ;
    integ.kind = Node::Kind::call;
    integ.name = "integ";
    integ.at = first.at;
    const NodeId rate = expression();
    end_statement();
    integ.arguments = {rate, name_node(start_name(first.word), first.at)};
    made.value = add(std::move(integ));
    states_.push_back({first.word, first.at});
    into.push_back(std::move(made));
  }

  void procedural(Statements& into) {
    Statement made;
    made.kind = Statement::Kind::procedural;
    made.at = take().at;
    made.has_header = true;
    made.outputs = name_list();
    expect("=", "PROCED needs outputs = inputs");
    made.inputs = name_list();
    end_statement();
    block(made.body);
    if (!accept_name("endpro") && !accept_name("end"))
      mistake("missing-end", made.at, "this PROCED has no ENDPRO", "write ENDPRO behind its last statement");
    end_statement();
    into.push_back(std::move(made));
  }

  void data() {
    changes_.resize(static_cast<std::size_t>(group_));
    while (!at_end()) {
      try {
        if (peek().kind == Token::Kind::end_of_statement) {
          take();
          continue;
        }
        do {
          if (peek().kind == Token::Kind::end_of_statement) break;
          entry();
        } while (accept(","));
        end_statement();
      } catch (const SyntaxError&) {
        skip_statement();
      }
    }
  }

  // name = number. After a mistake reading goes on behind the next comma.
  void entry() {
    try {
      const Token name = peek();
      expect_name("the name of a constant");
      expect("=", "a constant needs = and its value");
      const double value = constant_number();
      const std::string called = is_state(name.word) ? start_name(name.word) : name.word;
      Declared& item = program_.declare(called, name.at);
      if (group_ > 0 && item.constant) {  // of the run that this group describes
        changes_[static_cast<std::size_t>(group_) - 1].push_back({called, value});
        return;
      }
      if (item.constant) {
        source_.error(diagnostics_, "double-assignment", name.at, fmt::format("{} has a value already", name.word),
                      "keep one of the two");
        return;
      }
      item.values = {value};
      item.constant = true;
    } catch (const SyntaxError&) {
      while (!at_end() && !peek().is(",") && peek().kind != Token::Kind::end_of_statement) take();
    }
  }

  bool is_state(const std::string& name) const {
    return std::any_of(states_.begin(), states_.end(), [&](const auto& state) { return state.first == name; });
  }

  void output() {
    while (!at_end()) {
      try {
        if (accept("*")) {
          const std::string_view line = source_.line(peek(0).at.line);
          if (program_.title.empty()) program_.title = std::string(line.substr(line.find('*') + 1));
          skip_statement();
        } else if (accept_name("graph")) {
          const std::vector<std::string> names = name_list();
          if (names.empty()) fail_here("the name of the curve is missing");
          add_graph({names.size() > 1 ? names[1] : std::string(), {names[0]}, false});
          end_statement();
        } else if (accept_name("list")) {
          add_graph({{}, name_list(), true});
          end_statement();
        } else if (peek().kind == Token::Kind::end_of_statement) {
          take();
        } else {
          fail_here("the output part has GRAPH and LIST", "GRAPH Y, GRAPH Y, X or LIST X, Y; a title begins with *");
        }
      } catch (const SyntaxError&) {
        skip_statement();
      }
    }
  }

  // The groups of several runs ask for the same again.
  void add_graph(Graph graph) {
    const auto same = [&](const Graph& other) {
      return other.x == graph.x && other.y == graph.y && other.table == graph.table;
    };
    if (std::none_of(program_.graphs.begin(), program_.graphs.end(), same)) program_.graphs.push_back(std::move(graph));
  }

  // Each further group of data is a run with what it changes; the rest stays.
  void add_runs() {
    if (changes_.empty()) return;
    std::vector<std::unordered_map<std::string, double>> runs(1);
    for (const auto& group : changes_) {
      std::unordered_map<std::string, double> run = runs.back();
      for (const auto& [name, value] : group) run[name] = value;
      runs.push_back(std::move(run));
    }
    program_.set_runs(runs);
  }

  void finish() {
    if (strict_) make_integers();
    for (const auto& [name, at] : states_) {
      const Declared* item = program_.find(start_name(name));
      if (item != nullptr && item->constant) continue;
      source_.error(diagnostics_, "unknown-name", at, fmt::format("the state {} has no initial value", name),
                    fmt::format("give it in the data part: {} = …", name));
    }
    const auto standard = [&](const char* name, double value) {
      Declared& item = program_.declare(name, {});
      if (item.constant) return;
      item.values = {value};
      item.constant = true;
    };
    if (program_.find("tmax") == nullptr)
      source_.error(diagnostics_, "unknown-name", {source_.lines(), 0}, "TMAX, the length of the run, is not given",
                    "give it in the data part: TMAX = …");
    standard("npoint", 101);
    standard("tmax", 1);
    add_runs();
    Section initial;
    initial.kind = Section::Kind::initial;
    add_points(initial, dynamic_, "comint", "tmax", "npoint");
    program_.sections = {std::move(initial), std::move(derivative_), std::move(dynamic_)};
    finish_formats();
  }

  const LexerRules rules_ = darep_rules();
  std::vector<Stretch> model_, fortran_, data_, output_;  // data and output: one for each run
  Section derivative_, dynamic_;
  std::vector<std::pair<std::string, Position>> states_;
  std::vector<std::vector<std::pair<std::string, double>>> changes_;  // by further group of data
  std::set<std::string> names_told_;
  int group_ = 0;
  bool terminates_ = false, told_ = false, strict_ = false;
};

}  // namespace

LexerRules darep_rules() {
  LexerRules rules;
  rules.separator = 0;
  rules.quoted_comments = false;
  rules.titles = false;
  rules.dot_after_name = true;
  return rules;
}

void read_darep(Program& program, Diagnostics& diagnostics) { DarepParser(program, diagnostics).run(); }

}  // namespace orrery::cssl
