// SPDX-License-Identifier: Apache-2.0
// One statement a line: a word, and what belongs to it.
#include "api/optimise_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "io/output_file.h"
#include "math/minimise.h"
#include "model/closest_name.h"
#include "model/settings.h"

namespace orrery::api {
namespace {

constexpr int most_population = 1'000'000;

std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

// Where a word stands by itself, outside of brackets and quotes.
std::size_t find_word(const std::string& text, const std::string& word) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0 || text.compare(at, word.size(), word) != 0) continue;
    const bool letters = std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    const auto blank = [&](std::size_t k) { return k >= text.size() || text[k] == ' ' || text[k] == '\t'; };
    if (!letters || ((at == 0 || blank(at - 1)) && blank(at + word.size()))) return at;
  }
  return std::string::npos;
}

// What stands before the word, and after it.
std::pair<std::string, std::optional<std::string>> split_at(const std::string& text, const std::string& word) {
  const std::size_t at = find_word(text, word);
  if (at == std::string::npos) return {without_blanks(text), std::nullopt};
  return {without_blanks(text.substr(0, at)), without_blanks(text.substr(at + word.size()))};
}

bool is_identifier(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

class SpecReader {
 public:
  SpecReader(OptimiseSpec& spec, Diagnostics& diagnostics) : spec_(spec), diagnostics_(diagnostics) {}

  void read() {
    std::istringstream lines(spec_.text);
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      const std::string text = without_blanks(line);
      if (text.empty() || text[0] == '#') continue;
      const std::size_t blank = text.find_first_of(" \t");
      statement(text.substr(0, blank), blank == std::string::npos ? "" : without_blanks(text.substr(blank)));
    }
    line_ = 0;
    if (spec_.model.empty()) wrong("no model is named", "add a line: model car.orr");
    if (spec_.variables.empty()) wrong("there are no variables", "add lines: variable k = 1 from 0 to 10");
    if (spec_.objective.empty() && spec_.fits.empty())
      wrong("nothing is to be minimised or fitted", "add a line: minimise final(/Cost), or fit /Speed to speed");
    if (!spec_.objective.empty() && !spec_.fits.empty())
      wrong("a specification has an objective or fits, not both", "remove one of them");
    if (!spec_.fits.empty() && spec_.experiments.empty())
      wrong("there are no measurements to fit", "add a line: experiment data.csv");
    if (spec_.fits.empty() && !spec_.experiments.empty())
      wrong("experiments are there to be fitted", "add a line: fit /Speed to speed");
    check_method();
  }

 private:
  // A method that cannot do what is asked would do something else.
  void check_method() {
    line_ = spec_.method_line;
    const auto method = math::find_minimise_method(spec_.method);
    if (spec_.method == "lm" && spec_.fits.empty())
      wrong("lm is for fits to measurements", "choose sqp, or leave the method out");
    if (!method || spec_.constraints.empty() || math::info_of(*method).constraints) return;
    std::vector<std::string_view> names;
    for (const math::MethodInfo& info : math::minimise_methods())
      if (info.constraints) names.emplace_back(info.name);
    if (!spec_.fits.empty()) names.emplace_back("lm");
    wrong(fmt::format("the method {} keeps bounds, but no other constraints", spec_.method),
          fmt::format("one of {} does", fmt::join(names, ", ")));
  }

  using Reader = void (SpecReader::*)(const std::string&);
  struct Statement {
    const char* word;
    Reader read;
  };

  void statement(const std::string& word, const std::string& rest) {
    static constexpr std::array<Statement, 15> known = {{{"model", &SpecReader::model},
                                                         {"script", &SpecReader::script},
                                                         {"set", &SpecReader::set},
                                                         {"simulation", &SpecReader::simulation},
                                                         {"variable", &SpecReader::variable},
                                                         {"minimise", &SpecReader::minimise},
                                                         {"maximise", &SpecReader::maximise},
                                                         {"subject", &SpecReader::subject},
                                                         {"fit", &SpecReader::fit},
                                                         {"experiment", &SpecReader::experiment},
                                                         {"method", &SpecReader::method},
                                                         {"tolerance", &SpecReader::tolerance},
                                                         {"evaluations", &SpecReader::evaluations},
                                                         {"population", &SpecReader::population},
                                                         {"seed", &SpecReader::seed}}};
    std::vector<std::string_view> words;
    for (const Statement& statement : known) {
      words.emplace_back(statement.word);
      if (word != statement.word) continue;
      if (rest.empty()) return wrong(fmt::format("nothing follows the word {}", word), "see docs/analysis.md");
      return (this->*statement.read)(rest);
    }
    const std::string guess = model::did_you_mean(word, words);
    wrong(fmt::format("no statement begins with {}", word),
          guess.empty() ? fmt::format("statements begin with {}", fmt::join(words, ", ")) : guess);
  }

  void wrong(const std::string& message, const std::string& help) {
    diagnostics_.error("bad-specification", {spec_.file, line_, 0, {}, {}}, message, help);
  }

  void model(const std::string& text) {
    spec_.model = text;
    spec_.model_line = line_;
  }

  void script(const std::string& text) {
    if (!spec_.script.empty()) return wrong("there is a script already", "put the functions into one file");
    spec_.script = text;
    spec_.script_line = line_;
  }

  std::optional<compile::Override> assignment(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !is_identifier(without_blanks(text.substr(0, equals)))) {
      wrong(fmt::format("{}: this is not NAME = VALUE", text), "as in: set V = 12");
      return std::nullopt;
    }
    return compile::Override{without_blanks(text.substr(0, equals)), without_blanks(text.substr(equals + 1))};
  }

  void set(const std::string& text) {
    if (auto found = assignment(text)) spec_.sets.push_back(std::move(*found));
  }

  void simulation(const std::string& text) {
    auto found = assignment(text);
    if (!found) return;
    if (model::find_setting(found->name) == nullptr) {
      std::vector<std::string_view> names;
      for (const model::SettingInfo& info : model::setting_table()) names.push_back(info.name);
      return wrong(fmt::format("there is no simulation setting {}", found->name),
                   model::did_you_mean(found->name, names));
    }
    spec_.settings.emplace_back(found->name, found->expression);
  }

  // NAME [= START] [from LOW] [to HIGH]
  void variable(const std::string& text) {
    OptimiseSpec::Variable result;
    result.line = line_;
    auto [before_to, high] = split_at(text, "to");
    auto [before_from, low] = split_at(before_to, "from");
    auto [name, start] = split_at(before_from, "=");
    if (!is_identifier(name))
      return wrong(fmt::format("'{}' is not the name of a variable", name), "as in: variable k = 1 from 0 to 10");
    if (!names_.insert(name).second)
      return wrong(fmt::format("{} is a variable already", name), "name each variable once");
    result.name = name;
    result.start = start;
    if (low) result.low = *low;
    if (high) result.high = *high;
    spec_.variables.push_back(std::move(result));
  }

  void take_objective(const std::string& text, bool maximise) {
    if (!spec_.objective.empty()) return wrong("there is an objective already", "keep one of them");
    spec_.objective = text;
    spec_.objective_line = line_;
    spec_.maximise = maximise;
  }
  void minimise(const std::string& text) { take_objective(text, false); }
  void maximise(const std::string& text) { take_objective(text, true); }

  // subject to EXPR <= EXPR, >= or ==
  void subject(const std::string& text) {
    const std::string own = text.starts_with("to ") ? without_blanks(text.substr(3)) : text;
    for (const char* sign : {"<=", ">=", "=="}) {
      const auto [left, right] = split_at(own, sign);
      if (!right) continue;
      if (left.empty() || right->empty()) break;
      for (const std::string& side : {left, *right})
        for (const char* other : {"<=", ">=", "==", "<", ">"})
          if (find_word(side, other) != std::string::npos)
            return wrong(fmt::format("{}: these are two comparisons", own), "write a line for each");
      const bool turned = std::string_view(sign) == ">=";
      spec_.constraints.push_back(
          {own, turned ? fmt::format("({})-({})", *right, left) : fmt::format("({})-({})", left, *right),
           std::string_view(sign) == "==", line_});
      return;
    }
    wrong(fmt::format("{}: this is no comparison", own), "as in: subject to max(/Rpm) <= 5500");
  }

  // SIGNAL to COLUMN [weight W]
  void fit(const std::string& text) {
    OptimiseSpec::Fit result;
    result.line = line_;
    const auto [before, weight] = split_at(text, "weight");
    const auto [signal, column] = split_at(before, "to");
    if (!column || signal.empty() || column->empty())
      return wrong(fmt::format("{}: this is not SIGNAL to COLUMN", text), "as in: fit /Motor/Speed to speed weight 2");
    result.signal = signal.starts_with('/') ? signal : "/" + signal;
    result.column = *column;
    if (weight && !number(*weight, result.weight)) return;
    if (!(result.weight > 0)) return wrong("a weight must be positive", "leave out what is not to count");
    spec_.fits.push_back(std::move(result));
  }

  // FILE [NAME=VALUE ...]
  void experiment(const std::string& text) {
    OptimiseSpec::Experiment result;
    result.line = line_;
    const auto [file, sets] = split_at(text, "with");
    result.file = file;
    if (sets) {
      std::istringstream parts(*sets);
      std::string part;
      while (std::getline(parts, part, ','))
        if (auto found = assignment(without_blanks(part))) result.sets.push_back(std::move(*found));
    }
    spec_.experiments.push_back(std::move(result));
  }

  void method(const std::string& text) {
    std::vector<std::string_view> names = {"lm"};
    for (const math::MethodInfo& info : math::minimise_methods()) names.emplace_back(info.name);
    if (std::find(names.begin(), names.end(), text) == names.end())
      return wrong(fmt::format("there is no method {}", text), fmt::format("one of {}", fmt::join(names, ", ")));
    spec_.method = text;
    spec_.method_line = line_;
  }

  bool number(const std::string& text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return true;
    wrong(fmt::format("{} is not a number", text), "write a number");
    return false;
  }
  void whole(const std::string& text, double least, int& value) {
    double given = 0;
    if (!number(text, given)) return;
    if (!(given >= least && given <= 1e9) || given != std::floor(given))
      return wrong(fmt::format("{} is not a whole number from {} on", text, least), "write a whole number");
    value = static_cast<int>(given);
  }
  void tolerance(const std::string& text) {
    if (number(text, spec_.tolerance) && !(spec_.tolerance > 0)) wrong("a tolerance must be positive", "as in 1e-8");
  }
  void evaluations(const std::string& text) { whole(text, 1, spec_.evaluations); }
  void population(const std::string& text) {
    whole(text, 4, spec_.population);
    if (spec_.population > most_population)
      wrong(fmt::format("a population of {} is more than {}", text, most_population), "a few hundred are many");
  }
  void seed(const std::string& text) {
    int value = 1;
    whole(text, 0, value);
    spec_.seed = static_cast<unsigned>(value);
  }

  OptimiseSpec& spec_;
  Diagnostics& diagnostics_;
  int line_ = 0;
  std::set<std::string> names_;  // of variables
};

// Each file that is named elsewhere is a wish to read it.
void check_files(const OptimiseSpec& spec, Diagnostics& diagnostics) {
  const auto check = [&](const std::string& path, int line) {
    if (path.empty() || spec.consent.may_read(file_of(spec, path))) return;
    diagnostics.add(refusal(spec.consent, Capability::read, {spec.file, line, 0, {}, {}}, path));
  };
  check(spec.model, spec.model_line);
  check(spec.script, spec.script_line);
  for (const OptimiseSpec::Experiment& experiment : spec.experiments) check(experiment.file, experiment.line);
}

}  // namespace

std::string file_of(const OptimiseSpec& spec, const std::string& path) {
  return (std::filesystem::path(spec.file).parent_path() / path).string();
}

std::optional<OptimiseSpec> parse_optimise_spec(const std::string& text, const std::string& file,
                                                Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  OptimiseSpec spec;
  spec.file = file;
  spec.text = text;
  SpecReader(spec, diagnostics).read();
  if (diagnostics.error_count() > errors) return std::nullopt;
  return spec;
}

std::optional<OptimiseSpec> read_optimise_spec(const std::string& file, Capabilities allowed,
                                               Diagnostics& diagnostics) {
  const auto text = io::read_file(file, diagnostics);
  auto spec = text ? parse_optimise_spec(*text, file, diagnostics) : std::nullopt;
  if (!spec) return std::nullopt;
  spec->consent = Consent::of_model(file, allowed);
  spec->consent.model.clear();  // trust is recorded for models
  const int errors = diagnostics.error_count();
  check_files(*spec, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  if (spec->script.empty()) return spec;
  auto script = io::read_file(file_of(*spec, spec->script), diagnostics);
  if (!script) return std::nullopt;
  spec->script_text = std::move(*script);
  spec->text += spec->script_text;  // a search with another script is another search
  return spec;
}

}  // namespace orrery::api
