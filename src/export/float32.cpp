// SPDX-License-Identifier: Apache-2.0
// From C with doubles to C with floats, word by word; what cannot go that way is refused.
#include "export/float32.h"

#include <fmt/format.h>

#include <cctype>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "export/refuse.h"
#include "program/evaluate.h"

namespace orrery::code_export {
namespace {

using program::Op;
using program::Scalar;

bool is_wide(Scalar scalar) { return scalar == Scalar::i32 || scalar == Scalar::u32; }

// Why an operation needs doubles; empty: it does not.
std::string need_of(const program::Graph& graph, program::ExprId id) {
  const program::Node& node = graph[id];
  const Scalar made = node.type.scalar;
  if (node.op == Op::constant && program::is_floating(made)) {
    for (const double value : graph.constant_data(id)) {
      if (!std::isfinite(value) && !node.type.is_scalar()) return "a matrix holds a value that is not finite";
      if (std::isfinite(value) && std::abs(value) > FLT_MAX)
        return fmt::format("{:g} is beyond the range of floats", value);
    }
  }
  if (node.op == Op::cast) {
    const Scalar given = graph.type(graph.arguments(id)[0]).scalar;
    if ((is_wide(made) && program::is_floating(given)) || (is_wide(given) && program::is_floating(made)))
      return "integers of 32 bits do not fit into the 24 bits of a float";
  }
  if ((node.op == Op::mul && made == Scalar::u32) || (node.op == Op::pow && is_wide(made)))
    return "products of 32 bit integers are held in their range by way of doubles";
  return {};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words that mean doubles.
const std::map<std::string, std::string>& words() {
  static const std::map<std::string, std::string> list = [] {
    std::map<std::string, std::string> all = {{"double", "float"},
                                              {"DBL_EPSILON", "FLT_EPSILON"},
                                              {"DBL_MIN", "FLT_MIN"},
                                              {"DBL_MAX", "FLT_MAX"},
                                              {"strtod", "strtof"},
                                              {"__builtin_fabs", "__builtin_fabsf"},
                                              {"__builtin_sqrt", "__builtin_sqrtf"},
                                              {"__builtin_copysign", "__builtin_copysignf"}};
    for (const char* name :
         {"sqrt", "exp",   "log",   "log10", "sin",   "cos",   "tan",    "asin",     "acos",      "atan",
          "sinh", "cosh",  "tanh",  "asinh", "acosh", "atanh", "floor",  "ceil",     "round",     "trunc",
          "pow",  "atan2", "hypot", "fmod",  "fabs",  "frexp", "ldexp",  "copysign", "nextafter", "fmin",
          "fmax", "expm1", "log1p", "cbrt",  "erf",   "erfc",  "tgamma", "lgamma"})
      all[name] = std::string(name) + "f";
    return all;
  }();
  return list;
}

// A number of the text; whole ones stay as they are.
std::string number_as_float(const std::string& number) {
  const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  if (hexadecimal || number.find_first_of(".eE") == std::string::npos) return number;
  if (number.back() == 'f' || number.back() == 'F') return number;
  const double value = std::strtod(number.c_str(), nullptr);
  if (value != 0 && value < FLT_MIN) return "FLT_MIN";
  if (value > FLT_MAX) return "FLT_MAX";
  return number + "f";
}

std::size_t end_of_number(const std::string& text, std::size_t at) {
  while (at < text.size() && (is_word(text[at]) || text[at] == '.' ||
                              ((text[at] == '+' || text[at] == '-') && (text[at - 1] == 'e' || text[at - 1] == 'E'))))
    ++at;
  return at;
}

// Behind a comment, a string or a character that begins here; 0: none does.
std::size_t end_of_quoted(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "/*") == 0) return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  const char quote = text[at];
  if (quote != '"' && quote != '\'') return 0;
  for (std::size_t k = at + 1; k < text.size(); ++k) {
    if (text[k] == '\\')
      ++k;
    else if (text[k] == quote)
      return k + 1;
  }
  return text.size();
}

}  // namespace

std::string as_float32(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = end_of_quoted(text, at);
    if (end > 0) {
      const std::string quoted = text.substr(at, end - at);
      out += quoted == "\"%lf\"" ? "\"%f\"" : quoted;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      end = end_of_number(text, at);
      out += number_as_float(text.substr(at, end - at));
    } else if (is_word(c)) {
      for (end = at; end < text.size() && is_word(text[end]);) ++end;
      const std::string word = text.substr(at, end - at);
      // A member of that name is no function.
      const bool member = at > 0 && (text[at - 1] == '.' || (at > 1 && text.compare(at - 2, 2, "->") == 0));
      const auto known = words().find(word);
      out += known == words().end() || member ? word : known->second;
    } else {
      end = at + 1;
      out += c;
    }
    at = end;
  }
  const std::string math = "#include <math.h>\n";
  if (const auto place = out.find(math); place != std::string::npos && out.find("<float.h>") == std::string::npos)
    out.insert(place, "#include <float.h>\n");
  return out;
}

bool fits_float32(const CModel& model, Diagnostics& diagnostics) {
  const program::Program& program = model.program;
  Refusals refusals(program, diagnostics, "the model", "cannot be exported with floats");
  const ExportSettings& settings = model.settings;
  const bool continuous = !program.states.empty() || !program.surfaces.empty();
  if (!program.fixed_step && continuous)
    refusals.add(0, "steps of variable size are chosen by errors smaller than the roundings of floats",
                 "choose a method with fixed steps: --solver rk4 --step H");
  if (model.solver_jacobian.size > 0)
    refusals.add(0, "an implicit method iterates to more digits than floats have",
                 "choose euler, trapezoidal-explicit, rk4 or rk5");
  const double farthest = std::max(std::abs(settings.start), std::abs(settings.stop));
  if (program.fixed_step && settings.step < 16 * static_cast<double>(FLT_EPSILON) * farthest)
    refusals.add(0,
                 fmt::format("a step of {:g} is too small for a time of {:g} in floats, which have 24 bits",
                             settings.step, farthest),
                 "take longer steps, or a shorter horizon (--stop)");
  for (const program::Loop& loop : program.loops) {
    if (loop.solution.empty())
      refusals.add(loop.blocks.empty() ? 0 : loop.blocks[0],
                   "its equations are solved by an iteration to more digits than floats have",
                   "break the loop with a Memory or LoopBreaker block");
  }
  for (const program::Procedure& procedure : model.procedures) {
    for (const program::Store& store : procedure.stores) {
      std::vector<program::ExprId> roots = {store.value};
      if (store.guard != program::no_expr) roots.push_back(store.guard);
      for (const program::ExprId id : program::reachable(program.graph, roots)) {
        const std::string need = need_of(program.graph, id);
        if (!need.empty())
          refusals.add(store.origin, need, "use integers of 16 bits or doubles in this part of the model");
      }
    }
  }
  return !refusals.any();
}

}  // namespace orrery::code_export
