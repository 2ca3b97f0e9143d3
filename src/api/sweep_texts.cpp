// SPDX-License-Identifier: Apache-2.0
// Texts become plans and wishes; numbers in them are OML.
#include "api/sweep_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "api/only_computes.h"
#include "io/csv.h"
#include "io/output_file.h"
#include "model/closest_name.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

constexpr double most_runs = 1e9;
constexpr std::size_t most_values = 1'000'000;  // of one list

bool is_name(const std::string& text) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), word);
}

// "k", or an element of a matrix, "T(2)".
bool is_element(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos) return is_name(text);
  const std::string number = text.ends_with(')') ? text.substr(open + 1, text.size() - open - 2) : std::string();
  return is_name(text.substr(0, open)) && !number.empty() && number[0] != '0' &&
         std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

class TextReader {
 public:
  TextReader(Diagnostics& diagnostics, const std::atomic<bool>* interrupt)
      : diagnostics_(diagnostics), interpreter_(only_computes({.interrupt = interrupt})) {}

  std::optional<std::vector<double>> numbers(const std::string& text, const std::string& option) {
    Diagnostics said;
    const auto value = interpreter_.evaluate(interpreter_.base(), text, said);
    std::optional<std::vector<double>> result;
    if (value) {
      try {
        result = oml::to_vector(oml::to_real(*value));
      } catch (const oml::OmlError& error) {
        said.error("bad-option", {}, error.message);
      }
    }
    if (!result) {
      diagnostics_.error(
          "bad-option", {},
          fmt::format("{}: {}", option, said.all().empty() ? "is no list of numbers" : said.all()[0].message),
          "write numbers in OML, as in linspace(0,1,50) or [1 2 5]");
    } else if (result->empty() || std::any_of(result->begin(), result->end(), [](double x) { return std::isnan(x); })) {
      diagnostics_.error(
          "bad-option", {},
          fmt::format("{}: {}", option, result->empty() ? "the list is empty" : "a value is not a number"),
          "give at least one number");
      result.reset();
    }
    return result;
  }

  // "name=text"; nothing, and a diagnostic, when it is not.
  std::optional<std::pair<std::string, std::string>> assignment(const std::string& text, const std::string& option) {
    const auto equals = text.find('=');
    std::pair<std::string, std::string> parts{trimmed(text.substr(0, equals)),
                                              equals == std::string::npos ? "" : trimmed(text.substr(equals + 1))};
    if (equals != std::string::npos && is_element(parts.first) && !parts.second.empty()) return parts;
    diagnostics_.error("bad-option", {}, fmt::format("{} {}: this is not NAME=VALUES", option, text),
                       "as in --vary k=linspace(0,1,50) or --sample k=normal(1,0.1)");
    return std::nullopt;
  }

  std::optional<analyse::SweepSample> sample(const std::string& text) {
    const auto parts = assignment(text, "--sample");
    if (!parts) return std::nullopt;
    const std::string option = "--sample " + text;
    const auto open = parts->second.find('(');
    const std::string name = trimmed(parts->second.substr(0, open));
    const auto& known = analyse::distributions();
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return name == each.name; });
    if (found == known.end() || open == std::string::npos || parts->second.back() != ')') {
      std::string all;
      for (const auto& each : known) all += (all.empty() ? "" : "; ") + std::string(each.about);
      diagnostics_.error("bad-option", {}, option + ": this is no distribution", "one of " + all);
      return std::nullopt;
    }
    const auto given = numbers("[" + parts->second.substr(open + 1, parts->second.size() - open - 2) + "]", option);
    if (!given) return std::nullopt;
    const double a = (*given)[0], b = given->size() > 1 ? (*given)[1] : 0;
    if (static_cast<int>(given->size()) != found->parameters || !found->allows(a, b)) {
      diagnostics_.error("bad-option", {}, option + ": the distribution does not allow these numbers",
                         std::string("it is ") + found->about);
      return std::nullopt;
    }
    return analyse::SweepSample{parts->first, found->quantile, a, b};
  }

  std::optional<analyse::SweepAxis> table(const std::string& file) {
    // The first column is data here as the others are: a number of the row is put before it.
    auto text = io::read_file(file, diagnostics_);
    if (!text) return std::nullopt;
    std::string numbered;
    std::size_t row = 0;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const std::string line = text->substr(at, end - at);
      at = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      numbered += (row == 0 ? std::string("row") : fmt::format("{}", row)) + "," + line + "\n";
      ++row;
    }
    const auto series = io::parse_csv(numbered, file, diagnostics_);
    if (!series) return std::nullopt;
    analyse::SweepAxis axis{series->names, {}};
    for (std::size_t k = 0; k < series->time.size(); ++k) {
      std::vector<double>& point = axis.points.emplace_back();
      for (const auto& column : series->columns) point.push_back(column[k]);
    }
    if (axis.points.empty() || axis.names.empty()) {
      diagnostics_.error("bad-option", {file, 0, 0, {}, {}}, "the table has no rows",
                         "first a line of names, then a line for each run");
      return std::nullopt;
    }
    return axis;
  }

 private:
  Diagnostics& diagnostics_;
  oml::Interpreter interpreter_;
};

bool starts_operand(const std::string& before) {
  const auto last = before.find_last_not_of(" \t");
  return last == std::string::npos ||
         std::string_view("([{,;+-*/\\^<>=&|~!:").find(before[last]) != std::string_view::npos;
}

bool is_path_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' || c == '.' || c == ':';
}

// "/Speed", "/Plant/x:2", "/Plant/x[3]".
std::string path_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_path_character(text[end])) ++end;
  while (end > at && (text[end - 1] == '.' || text[end - 1] == ':')) --end;
  if (end < text.size() && text[end] == '[') {
    const std::size_t close = text.find(']', end);
    if (close != std::string::npos) end = close + 1;
  }
  return text.substr(at, end - at);
}

}  // namespace

std::optional<analyse::SweepPlan> plan_of(const SweepRequest& request, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  TextReader reader(diagnostics, request.run.interrupt);
  std::vector<analyse::SweepAxis> axes;
  std::vector<analyse::SweepSample> samples;
  for (const std::string& file : request.tables) {
    if (auto axis = reader.table(file)) axes.push_back(std::move(*axis));
  }
  for (const std::string& text : request.vary) {
    const auto parts = reader.assignment(text, "--vary");
    if (!parts) continue;
    const auto numbers = reader.numbers(parts->second, "--vary " + text);
    if (!numbers) continue;
    if (numbers->size() > most_values) {
      diagnostics.error("too-many-points", {}, fmt::format("--vary {}: the list has {} values", text, numbers->size()),
                        fmt::format("at most {} are taken; draw samples instead", most_values));
      continue;
    }
    analyse::SweepAxis& axis = axes.emplace_back(analyse::SweepAxis{{parts->first}, {}});
    for (const double number : *numbers) axis.points.push_back({number});
  }
  for (const std::string& text : request.samples) {
    if (const auto sample = reader.sample(text)) samples.push_back(*sample);
  }
  if (!samples.empty() && request.samples_each == 0)
    diagnostics.error("bad-option", {}, "--sample wants to know how many runs are drawn", "add --runs N");
  if (request.samples.empty() && request.samples_each > 1)
    diagnostics.error("bad-option", {}, "--runs says how many samples are drawn, and there is nothing to draw",
                      "add --sample NAME=…, or leave --runs out");
  if (request.vary.empty() && request.samples.empty() && request.tables.empty())
    diagnostics.error("bad-option", {}, "there is nothing to vary",
                      "add --vary NAME=LIST, --sample NAME=DISTRIBUTION or --table FILE.csv");
  double runs = static_cast<double>(std::max<std::size_t>(request.samples_each, 1));
  std::set<std::string> seen;
  const auto note = [&](const std::string& name) {
    if (!seen.insert(name).second)
      diagnostics.error("bad-option", {}, name + " is varied twice", "name each variable once");
  };
  for (const auto& axis : axes) {
    runs *= static_cast<double>(axis.points.size());
    for (const std::string& name : axis.names) note(name);
  }
  for (const auto& sample : samples) note(sample.name);
  if (runs > most_runs)
    diagnostics.error("too-many-points", {}, fmt::format("these lists make {:.2g} runs", runs),
                      "make them shorter, or draw samples instead of a grid");
  if (request.sampling == math::Sampling::sobol && samples.size() > math::UnitPoints::most_sobol_dimensions)
    diagnostics.error("bad-option", {}, "there are no Sobol sequences of so many dimensions", "use --sampling latin");
  if (diagnostics.error_count() > errors) return std::nullopt;
  return analyse::SweepPlan(std::move(axes), std::move(samples), request.sampling,
                            std::max<std::size_t>(request.samples_each, 1), request.seed);
}

namespace {

// The paths in an expression, and a name in the place of each.
struct Paths {
  std::vector<std::string> signals;
  std::string text;
};

std::string signal_name(std::size_t k) { return fmt::format("signal_{}", k + 1); }
std::string value_name(std::size_t k) { return fmt::format("value_{}", k + 1); }

Paths read_paths(const std::string& expression) {
  Paths result;
  const auto put = [&](const std::string& path) {
    const auto known = std::find(result.signals.begin(), result.signals.end(), path) - result.signals.begin();
    if (known == static_cast<std::ptrdiff_t>(result.signals.size())) result.signals.push_back(path);
    result.text += signal_name(static_cast<std::size_t>(known));
  };
  for (std::size_t at = 0; at < expression.size();) {
    const char c = expression[at], next = at + 1 < expression.size() ? expression[at + 1] : ' ';
    // Paths with blanks and other signs stand in quotes.
    const std::size_t close = c == '\'' ? expression.find('\'', at + 1) : std::string::npos;
    if (c == '\'' && next == '/' && close != std::string::npos && starts_operand(result.text)) {
      put(expression.substr(at + 1, close - at - 1));
      at = close + 1;
    } else if (c == '/' && is_path_character(next) && next != '/' && starts_operand(result.text)) {
      const std::string path = path_at(expression, at);
      put(path);
      at += path.size();
    } else {
      result.text += c;
      ++at;
    }
  }
  return result;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Takes "max(signal_1)" out of the text, for every reduction of every signal.
void take_reductions(const Paths& paths, Keep& keep, std::vector<analyse::SignalReduction>& all) {
  keep.text = paths.text;
  for (std::size_t s = 0; s < paths.signals.size(); ++s) {
    const std::string argument = "(" + signal_name(s) + ")";
    for (std::size_t at = 0; (at = keep.text.find(argument, at)) != std::string::npos;) {
      std::size_t begin = at;
      while (begin > 0 && is_word(keep.text[begin - 1])) --begin;
      analyse::SignalReduction wanted;
      wanted.signal = paths.signals[s];
      if (!analyse::find_reduction(keep.text.substr(begin, at - begin), wanted.reduction)) {
        ++at;
        continue;
      }
      const auto known = static_cast<std::size_t>(std::find(all.begin(), all.end(), wanted) - all.begin());
      if (known == all.size()) all.push_back(wanted);
      keep.text.replace(begin, at + argument.size() - begin, value_name(known));
      keep.values.push_back(known);
      at = begin;
    }
    if (keep.text.find(signal_name(s)) != std::string::npos) keep.signals.push_back(paths.signals[s]);
  }
  // Whole signals are numbered anew, in the order of those that are left.
  std::size_t left = 0;
  for (std::size_t s = 0; s < paths.signals.size(); ++s) {
    if (left >= keep.signals.size() || paths.signals[s] != keep.signals[left]) continue;
    const std::string before = signal_name(s), after = signal_name(left++);
    if (before == after) continue;
    for (std::size_t at = 0; (at = keep.text.find(before, at)) != std::string::npos; at += after.size()) {
      if (at + before.size() < keep.text.size() && is_word(keep.text[at + before.size()])) continue;
      keep.text.replace(at, before.size(), after);
    }
  }
}

class Computer {
 public:
  explicit Computer(const KeptTexts& texts) : texts_(texts), interpreter_(only_computes(texts.limits, texts.consent)) {
    if (!texts.script.empty()) said_ = interpreter_.run_text(texts.script).diagnostics;
  }
  // What the script has said.
  const Diagnostics& said() const { return said_; }

  std::optional<double> value(const Keep& keep, const std::vector<double>& reduced, const analyse::KeptRows& rows,
                              Diagnostics& diagnostics) {
    if (keep.values.size() == 1 && keep.text == value_name(keep.values[0])) return reduced[keep.values[0]];
    const auto& base = interpreter_.base();
    for (const VariedVariable& variable : texts_.variables) {
      oml::Value value = oml::Value::column(variable.values);
      value.edit_real().dims = oml::Dims(variable.rows, variable.cols);
      base->set(variable.name, oml::unboxed(value));
    }
    interpreter_.restart_time();  // what the script may take, each number may
    for (const std::size_t k : keep.values) base->set(value_name(k), reduced[k]);
    if (!keep.signals.empty()) base->set("t", oml::Value::column(rows.time));
    for (std::size_t k = 0; k < keep.signals.size(); ++k) {
      const auto at = std::find(rows.names.begin(), rows.names.end(), keep.signals[k]) - rows.names.begin();
      if (at == static_cast<std::ptrdiff_t>(rows.names.size())) return std::nullopt;
      base->set(signal_name(k), oml::Value::column(rows.columns[static_cast<std::size_t>(at)]));
    }
    const auto result = interpreter_.evaluate(base, keep.text, diagnostics);
    if (!result) return std::nullopt;
    try {
      const std::vector<double> numbers = oml::to_vector(oml::to_real(*result));
      if (numbers.size() == 1) return numbers[0];
      if (numbers.empty()) return NAN;  // as t(find(/x < 1, 1)) where it never is
    } catch (const oml::OmlError&) {
    }
    diagnostics.error("bad-option", {}, "it gives no single number");
    return std::nullopt;
  }

  const KeptTexts& texts() const { return texts_; }

 private:
  const KeptTexts& texts_;
  oml::Interpreter interpreter_;
  Diagnostics said_;
};

}  // namespace

bool KeptTexts::keeps_rows() const {
  return std::any_of(keeps.begin(), keeps.end(), [](const Keep& keep) { return !keep.signals.empty(); });
}

std::optional<KeptTexts> keeps_of(const std::vector<std::string>& texts, Diagnostics& diagnostics,
                                  const std::string& option, const std::vector<VariedVariable>& variables) {
  const int errors = diagnostics.error_count();
  KeptTexts result;
  result.variables = variables;
  std::set<std::string> probes;
  for (const std::string& text : texts) {
    Keep keep;
    const auto equals = text.find('=');
    const bool named = equals != std::string::npos && is_name(trimmed(text.substr(0, equals))) &&
                       (equals + 1 >= text.size() || text[equals + 1] != '=');
    keep.expression = named ? trimmed(text.substr(equals + 1)) : trimmed(text);
    keep.name = named ? trimmed(text.substr(0, equals)) : keep.expression;
    const Paths paths = read_paths(keep.expression);
    if (paths.signals.empty() && variables.empty()) {
      diagnostics.error("bad-option", {}, fmt::format("{} {}: there is no signal in it", option, text),
                        "name block outputs by their path, as in max(/Plant/Speed)");
      continue;
    }
    for (const std::string& signal : paths.signals) probes.insert(signal.substr(0, signal.find('[')));
    take_reductions(paths, keep, result.reductions);
    result.keeps.push_back(std::move(keep));
  }
  result.probes.assign(probes.begin(), probes.end());
  if (diagnostics.error_count() > errors) return std::nullopt;
  return result;
}

bool find_columns(KeptTexts& kept, const std::vector<std::string>& columns, Diagnostics& diagnostics,
                  const std::string& option) {
  const int errors = diagnostics.error_count();
  const auto is_column = [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  const auto find = [&](std::string& signal) {
    if (!is_column(signal) && is_column(signal + ":1")) signal += ":1";
    if (is_column(signal)) return;
    // A sink that shows one signal is named by itself.
    const auto is_inside = [&](const std::string& name) { return name.starts_with(signal + "."); };
    if (std::count_if(columns.begin(), columns.end(), is_inside) == 1) {
      signal = *std::find_if(columns.begin(), columns.end(), is_inside);
      return;
    }
    const std::vector<std::string_view> names(columns.begin(), columns.end());
    const std::string guess = model::did_you_mean(signal, names);
    diagnostics.error("unknown-signal", {}, option + ": there is no single number called " + signal,
                      guess.empty() ? "an element of a vector or matrix is written as in /Plant/x[2]" : guess);
  };
  for (auto& reduction : kept.reductions) find(reduction.signal);
  for (Keep& keep : kept.keeps) std::for_each(keep.signals.begin(), keep.signals.end(), find);
  return diagnostics.error_count() == errors;
}

KeptTexts keep_last(const std::vector<std::string>& columns) {
  KeptTexts result;
  for (const std::string& column : columns) {
    const std::size_t k = result.reductions.size();
    result.reductions.push_back({analyse::Reduction::last, column});
    result.keeps.push_back({column, "final(" + column + ")", value_name(k), {k}, {}});
  }
  return result;
}

analyse::Sweep::Finish make_finish(const KeptTexts& texts) {
  auto computer = std::make_shared<Computer>(texts);
  return [computer](const std::vector<double>& reduced, const analyse::KeptRows& rows, std::vector<double>& kept) {
    Diagnostics ignored;  // a number that cannot be computed is not a number
    const KeptTexts& all = computer->texts();
    for (std::size_t k = 0; k < all.keeps.size(); ++k)
      kept[k] = computer->value(all.keeps[k], reduced, rows, ignored).value_or(NAN);
  };
}

bool check_keeps(const KeptTexts& texts, Diagnostics& diagnostics, const std::string& option) {
  const int errors = diagnostics.error_count();
  Computer computer(texts);
  if (computer.said().has_errors()) {
    for (const Diagnostic& each : computer.said().all()) diagnostics.add(each);
    return false;
  }
  const std::vector<double> reduced(texts.reductions.size(), 2);
  for (const Keep& keep : texts.keeps) {
    analyse::KeptRows rows;
    rows.time = {0, 1, 2};
    rows.names = keep.signals;
    rows.columns.assign(keep.signals.size(), {1, 2, 3});
    Diagnostics said;
    if (computer.value(keep, reduced, rows, said) || add_refusals(said, {}, diagnostics)) continue;
    diagnostics.error("bad-option", {},
                      fmt::format("{} {}: {}", option, keep.expression,
                                  said.all().empty() ? "cannot be computed" : said.all()[0].message),
                      "write one number in OML, as in max(/Speed) - final(/Speed)");
  }
  return diagnostics.error_count() == errors;
}

}  // namespace orrery::api
