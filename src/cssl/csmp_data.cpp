// SPDX-License-Identifier: Apache-2.0
// Data of CSMP III: constants, several runs, functions by points, arrays, TIMER, METHOD, FINISH, errors.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cssl/csmp_parser.h"

namespace orrery::cssl {

bool CsmpParser::data_statement(const std::string& word) {
  for (const char* known : {"const", "constant", "param", "parameter", "incon", "timer"}) {
    if (word == known) return take(), data(), true;
  }
  if (word == "function" && peek(1).kind == Token::Kind::name && !peek(2).is("(")) return table(), true;
  if (word == "storage" || word == "fixed" || word == "table") return arrays(word), true;
  if (word == "method") return method(), true;
  if (word == "finish") return finishing(), true;
  if (word == "relerr" || word == "abserr") return errors(word), true;
  return false;
}

// name = number, …; a list in parentheses asks for a run with each. Behind END: of the next run.
void CsmpParser::data() {
  do {
    if (peek().kind == Token::Kind::end_of_statement) break;
    const Token name = peek();
    expect_name("the name of a constant");
    expect("=", "a constant needs = and its value");
    Declared& item = program_.declare(name.word, name.at);
    const bool several = accept("(");
    const std::vector<double> values = several ? value_list() : std::vector<double>{constant_number()};
    if (several) expect(")", "the list of values is not closed");
    if (has_end_ && item.constant) {  // for the next run
      next_[name.word] = values;
      continue;
    }
    if (item.constant)
      mistake("double-assignment", name.at, fmt::format("{} has a value already", name.word),
              fmt::format("its first one is in line {}", item.at.line));
    item.at = name.at;
    item.values = {values[0]};
    item.constant = true;
    if (values.size() > 1) next_[name.word] = values;
  } while (accept(","));
  end_statement();
}

// A run for each value of a list; what is not given again stays.
void CsmpParser::add_runs(Position at) {
  constexpr std::size_t most_runs = 1000;
  if (!program_.actions.empty())
    mistake("bad-run", at, "a run of its own cannot follow one that CONTINUE has prolonged",
            "describe the runs that begin anew first, or use files of their own");
  std::size_t count = 1;
  const auto next = std::exchange(next_, {});
  for (const auto& [name, values] : next) {
    if (values.size() > 1 && count > 1 && values.size() != count)
      mistake("bad-array", at, "one list of values at a time asks for runs", "the lists have different lengths");
    count = std::max(count, values.size());
  }
  if (runs_.size() + count > most_runs) mistake("bad-array", at, "these are too many runs", "at most 1000");
  std::unordered_map<std::string, double> run = runs_.empty() ? decltype(run){} : runs_.back();
  for (std::size_t k = 0; k < count; ++k) {
    for (const auto& [name, values] : next) run[name] = values[std::min(k, values.size() - 1)];
    runs_.push_back(run);
  }
}

// CONTINUE: the run that has come to FINTIM goes on with the data that follow, as they change there.
void CsmpParser::go_on(Position at) {
  const Declared* end = program_.find("fintim");
  if (end == nullptr || !end->constant)
    mistake("unknown-name", at, "CONTINUE goes on from FINTIM, which is not given before",
            "give it: TIMER FINTIM = 10.0");
  if (runs_.size() > 1)
    mistake("bad-run", at, "CONTINUE prolongs one run, but several are described before it",
            "describe the runs that begin anew in a file of their own");
  if (from_ == 0) from_ = end->values[0];
  double until = from_;
  const auto next = std::exchange(next_, {});
  for (const auto& [name, values] : next) {
    if (values.size() > 1) mistake("bad-run", at, "behind CONTINUE a constant has one value");
    program_.actions.push_back({{}, from_, name, 0, values[0]});
    if (name == "fintim") until = values[0];
  }
  if (!next.empty() && !(until > from_))
    mistake("bad-run", at, fmt::format("the run has come to {} already", from_),
            "give it a later end: TIMER FINTIM = …");
  from_ = until;
}

// FUNCTION F = x1,y1, x2,y2, …; points may stand in parentheses.
void CsmpParser::table() {
  take();
  Table made;
  made.at = peek().at;
  made.name = expect_name("the name of the function");
  expect("=", "a function needs = and its points");
  std::vector<double> values;
  if (peek().is("(")) {
    do {
      expect("(", "a point stands in parentheses, as the first one does");
      const std::vector<double> point = value_list();
      if (point.size() != 2) mistake("bad-table", made.at, "a point of a function is (x, y)");
      values.insert(values.end(), point.begin(), point.end());
      expect(")", "the point is not closed");
    } while (accept(","));
  } else {
    values = value_list();
  }
  if (values.size() < 4 || values.size() % 2 != 0)
    mistake("bad-table", made.at, "a function needs two points or more, each with x and y",
            "write FUNCTION F = (0., 0.), (1., 2.)");
  for (std::size_t k = 0; k < values.size(); k += 2) {
    made.first.push_back(values[k]);
    made.values.push_back(values[k + 1]);
    if (k > 0 && !(values[k] > values[k - 2]))
      mistake("bad-table", made.at, "the breakpoints of a table must ascend", "put the points in the order of their x");
  }
  end_statement();
  if (program_.find_table(made.name) != nullptr)
    mistake("double-assignment", made.at, fmt::format("there is a function {} already", made.name));
  program_.tables.push_back(std::move(made));
}

void CsmpParser::arrays(const std::string& word) {
  take();
  do {
    const Position at = peek().at;
    Declared& item = program_.declare(expect_name("the name that is declared"), at);
    if (word == "fixed") item.type = Type::integer;
    if (!accept("(")) continue;
    const double first = constant_number();
    const double last = word == "table" && accept("-") ? constant_number() : first;
    expect(")", "the size of the array is not closed");
    if (!(first >= 1 && last >= first && last <= 1e6))
      mistake("bad-array", at, "the size of an array must be a whole number from 1 to 1 000 000",
              "write A(5), or A(1-5) in TABLE");
    item.array = true;
    item.rows = static_cast<int>(std::max(last, static_cast<double>(item.rows)));
    if (word != "table") continue;
    expect("=", "the values of the array are missing");
    const std::vector<double> values = value_list();
    item.values.resize(item.size(), 0);
    item.constant = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto place = static_cast<std::size_t>(first) - 1 + k;
      if (place >= static_cast<std::size_t>(last))
        mistake("bad-array", at, fmt::format("{} values for {} elements", values.size(), last - first + 1),
                "make the range longer, or the list shorter");
      item.values[place] = values[k];
    }
  } while (accept(","));
  end_statement();
}

void CsmpParser::method() {
  take();
  const Token name = peek();
  const std::string word = expect_name("the name of the method");
  fixed_ = true;
  if (word == "rks") {
    fixed_ = false;
  } else if (word == "rksfx") {
    program_.solver = "rk4";
  } else if (word == "rect") {
    program_.solver = "euler";
  } else if (word == "trapz") {
    program_.solver = "trapezoidal-explicit";
  } else if (word == "stiff") {
    program_.solver = "cvode-bdf-newton";
    fixed_ = false;
  } else if (word == "milne" || word == "adams" || word == "simp") {
    fixed_ = false;
    source_.warning(diagnostics_, "other-method", name.at,
                    fmt::format("{} is not there; the run chooses its own solver", word),
                    "RKS, RKSFX, RECT, TRAPZ and STIFF are");
  } else {
    fixed_ = false;
    mistake("bad-algorithm", name.at, fmt::format("there is no integration method {}", word),
            "RKS, RKSFX, RECT, TRAPZ and STIFF are");
  }
  end_statement();
}

void CsmpParser::errors(const std::string& word) {
  take();
  error_list(word == "relerr" ? program_.rtol : program_.atol);
}

// The run ends where X has the value, which is located.
void CsmpParser::finishing() {
  take();
  do {
    const Token name = peek();
    Statement made;
    made.kind = Statement::Kind::schedule;
    made.at = name.at;
    made.name = "zzfinish";
    made.when = When::crossing;
    const NodeId left = name_node(expect_name("the name of a variable"), name.at);
    expect("=", "FINISH needs name = value");
    const NodeId right = expression();
    made.value = binary_node("-", left, right, name.at);
    derivative_.statements.push_back(std::move(made));
    finishes_ = true;
  } while (accept(","));
  end_statement();
}

// Communication points, the end of the run, the step.
void CsmpParser::finish_timer() {
  const bool has_output = program_.find("outdel") != nullptr, has_print = program_.find("prdel") != nullptr;
  if (program_.find("fintim") == nullptr)
    source_.error(diagnostics_, "unknown-name", {source_.lines(), 0}, "FINTIM, the length of the run, is not given",
                  "give it: TIMER FINTIM = 10.0");
  Declared& length = program_.declare("fintim", {});
  if (!length.constant) length.values = {1};
  length.constant = true;
  program_.roles.interval = has_output ? "outdel" : has_print ? "prdel" : "comint";
  if (!has_output && !has_print) {
    Statement interval;
    interval.targets = {name_node("comint", {})};
    interval.value = binary_node("/", name_node("fintim", {}), number_node(100, {}), {});
    initial_.statements.push_back(std::move(interval));
  }
  if (fixed_) {
    if (program_.find("delt") == nullptr)
      source_.error(diagnostics_, "unknown-name", {source_.lines(), 0}, "a method with fixed steps needs DELT",
                    "give it: TIMER DELT = 0.01");
    program_.step = "delt";
  } else if (program_.find("delmin") != nullptr) {
    program_.hmin = "delmin";
  }
  program_.stop = has_output ? "fintim + outdel" : has_print ? "fintim + prdel" : "fintim*1.01";
  if (from_ > length.values[0]) program_.stop = fmt::format("{}*1.01", from_);
}

}  // namespace orrery::cssl
