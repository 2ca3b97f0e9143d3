// SPDX-License-Identifier: Apache-2.0
// Carrying out statements on numbers.
#include "cssl/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::cssl {
namespace {

double apply_function(const std::string& name, const std::vector<double>& x) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (x.size() == 2) {
    if (name == "atan2") return std::atan2(x[0], x[1]);
    if (name == "max") return std::fmax(x[0], x[1]);
    if (name == "min") return std::fmin(x[0], x[1]);
    return none;
  }
  if (x.size() != 1) return none;
  if (name == "sqrt") return std::sqrt(x[0]);
  if (name == "abs") return std::fabs(x[0]);
  if (name == "exp") return std::exp(x[0]);
  if (name == "ln" || name == "log") return std::log(x[0]);
  if (name == "sin") return std::sin(x[0]);
  if (name == "cos") return std::cos(x[0]);
  if (name == "tan") return std::tan(x[0]);
  if (name == "atan") return std::atan(x[0]);
  if (name == "asin") return std::asin(x[0]);
  if (name == "acos") return std::acos(x[0]);
  if (name == "sgn") return x[0] > 0 ? 1 : x[0] < 0 ? -1 : 0;
  if (name == "int") return std::trunc(x[0]);
  if (name == "swtch") return x[0] > 0 ? 1 : 0;
  if (name == "lim") return std::fmax(x[0], 0);
  return none;
}

double apply_operator(const std::string& sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "**") return std::pow(a, b);
  if (sign == ".lt.") return a < b ? 1 : 0;
  if (sign == ".le.") return a <= b ? 1 : 0;
  if (sign == ".gt.") return a > b ? 1 : 0;
  if (sign == ".ge.") return a >= b ? 1 : 0;
  if (sign == ".eq.") return a == b ? 1 : 0;
  if (sign == ".ne.") return a != b ? 1 : 0;
  if (sign == ".and.") return a != 0 && b != 0 ? 1 : 0;
  if (sign == ".or.") return a != 0 || b != 0 ? 1 : 0;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

// A name without a value: what a run before has left, or nothing.
double Experiment::missing(const Node& node) {
  if (unknown.contains(node.name)) {
    met_unknown_ = true;
  } else {
    program_.source->error(diagnostics_, "unknown-name", node.at, fmt::format("{} has no value yet", node.name),
                           "assign it before");
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Nothing, and a diagnostic, where there is no such element.
double* Experiment::element(const Node& node) {
  const auto found = arrays.find(node.name);
  if (found == arrays.end()) return nullptr;
  ExperimentArray& array = found->second;
  const std::size_t wanted = array.cols > 1 ? 2 : 1;
  double at = -1;
  if (node.arguments.size() == wanted) {
    const double row = value_of(node.arguments[0]), col = wanted == 2 ? value_of(node.arguments[1]) : 1;
    const bool inside = row >= 1 && row <= array.rows && col >= 1 && col <= array.cols;
    if (inside) at = (std::floor(col) - 1) * array.rows + std::floor(row) - 1;
  }
  if (at >= 0) return &array.values[static_cast<std::size_t>(at)];
  if (!met_unknown_ && !diagnostics_.has_errors())
    program_.source->error(diagnostics_, "bad-array", node.at, fmt::format("{} has no such element", node.name),
                           wanted == 2 ? fmt::format("it has {} rows and {} columns", array.rows, array.cols)
                                       : fmt::format("its indices are 1 to {}", array.rows));
  return nullptr;
}

double Experiment::call_value(const Node& node) {
  if (unknown.contains(node.name)) return missing(node);
  if (arrays.contains(node.name)) {
    const double* found = element(node);
    return found != nullptr ? *found : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<double> arguments;
  for (const NodeId argument : node.arguments) arguments.push_back(value_of(argument));
  const double value = apply_function(node.name, arguments);
  if (std::isnan(value) && !diagnostics_.has_errors() && !met_unknown_)
    program_.source->error(diagnostics_, "unknown-function", node.at, fmt::format("{} has no value here", node.name),
                           "it is no array, and no function of this argument");
  return value;
}

double Experiment::value_of(NodeId id) {
  const Node& node = program_[id];
  switch (node.kind) {
    case Node::Kind::number: return node.value;
    case Node::Kind::logical: return node.whole ? 1 : 0;
    case Node::Kind::name: {
      const auto found = values.find(node.name);
      return found != values.end() && !unknown.contains(node.name) ? found->second : missing(node);
    }
    case Node::Kind::unary: {
      const double value = value_of(node.arguments[0]);
      return node.name == "-" ? -value : value == 0 ? 1 : 0;
    }
    case Node::Kind::binary: {
      const double left = value_of(node.arguments[0]);
      return apply_operator(node.name, left, value_of(node.arguments[1]));
    }
    case Node::Kind::call: return call_value(node);
    case Node::Kind::text: break;
  }
  program_.source->error(diagnostics_, "syntax", node.at, "a text is no value", "remove the quotes");
  return std::numeric_limits<double>::quiet_NaN();
}

bool Experiment::run(const std::vector<Statement>& statements) {
  const Flow flow = carry_out(statements);
  if (flow != Flow::jump) return flow != Flow::failed;
  program_.source->error(diagnostics_, "unknown-label", jumped_from_,
                         fmt::format("there is no label {} to go to", label_),
                         fmt::format("write label {} where the experiment goes on", label_));
  return false;
}

Experiment::Flow Experiment::carry_out(const std::vector<Statement>& statements) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (--left_ < 0) {
      program_.source->error(diagnostics_, "endless-experiment", statements[k].at,
                             "the experiment does not come to an end", "look at the condition of its loop");
      return Flow::failed;
    }
    const Flow flow = carry_out(statements[k]);
    if (flow == Flow::on) continue;
    if (flow != Flow::jump) return flow;
    std::size_t target = 0;
    while (target < statements.size() && statements[target].label != label_) ++target;
    if (target == statements.size()) return flow;  // further out
    k = target - 1;                                // the loop adds one
  }
  return Flow::on;
}

void Experiment::store(NodeId target, double value) {
  const Node& node = program_[target];
  if (node.kind == Node::Kind::call) {
    double* place = element(node);
    if (place != nullptr) *place = value;
    if (place == nullptr && !arrays.contains(node.name))
      program_.source->error(diagnostics_, "bad-array", node.at, fmt::format("{} is no array", node.name),
                             fmt::format("declare it before: ARRAY {}[3]", node.name));
    return;
  }
  unknown.erase(node.name);
  const auto array = arrays.find(node.name);
  if (array == arrays.end()) {
    values[node.name] = value;
  } else {
    std::fill(array->second.values.begin(), array->second.values.end(), value);
  }
}

void Experiment::make_array(const Statement& s) {
  constexpr double most = 1e6;
  double sizes[2] = {1, 1};
  for (std::size_t k = 0; k < s.arguments.size(); ++k) sizes[k] = value_of(s.arguments[k]);
  const bool good = sizes[0] >= 1 && sizes[1] >= 1 && sizes[0] * sizes[1] <= most && sizes[0] == std::floor(sizes[0]) &&
                    sizes[1] == std::floor(sizes[1]);
  if (!good) {
    if (!met_unknown_ && !diagnostics_.has_errors())
      program_.source->error(diagnostics_, "bad-array", s.at,
                             "the size of an array must be a whole number from 1 to 1 000 000", "write x[3]");
    return;
  }
  ExperimentArray made;
  made.rows = static_cast<int>(sizes[0]);
  made.cols = static_cast<int>(sizes[1]);
  made.state = s.name == "STATE";
  made.values.assign(static_cast<std::size_t>(sizes[0] * sizes[1]), 0.0);
  arrays[program_[s.targets[0]].name] = std::move(made);
}

Experiment::Flow Experiment::call(const Statement& s) {
  if (s.name == "ARRAY" || s.name == "STATE") {
    make_array(s);
    return Flow::on;
  }
  if (s.name != "read") return act_(s.name, *this) ? Flow::on : Flow::end;
  const std::vector<double>& data = program_.experiment_data;
  for (const NodeId target : s.targets) {
    const auto array = arrays.find(program_[target].name);
    const bool whole = array != arrays.end() && program_[target].kind == Node::Kind::name;
    const std::size_t count = whole ? array->second.values.size() : 1;
    for (std::size_t k = 0; k < count; ++k, ++data_read_) {
      if (data_read_ >= data.size()) {
        program_.source->error(diagnostics_, "missing-data", s.at, "there are no more data to read",
                               fmt::format("the data statements list {} numbers", data.size()));
        return Flow::failed;
      }
      if (whole) {
        array->second.values[k] = data[data_read_];
      } else {
        store(target, data[data_read_]);
      }
    }
  }
  return Flow::on;
}

Experiment::Flow Experiment::count(const Statement& s) {
  const int errors = diagnostics_.error_count();
  const double first = value_of(s.arguments[0]), last = value_of(s.arguments[1]), step = value_of(s.arguments[2]);
  if (diagnostics_.error_count() > errors) return Flow::failed;
  if (met_unknown_) return Flow::end;
  if (step == 0) {
    program_.source->error(diagnostics_, "endless-experiment", s.at, "the step of this loop is 0",
                           "the counter must change");
    return Flow::failed;
  }
  const double turns = std::floor((last - first) / step + 1e-9) + 1;
  for (double k = 0; k < turns; ++k) {
    if (--left_ < 0) return carry_out(std::vector<Statement>{s});  // says so
    values[s.name] = first + k * step;
    const Flow flow = carry_out(s.body);
    if (flow != Flow::on) return flow;
  }
  return Flow::on;
}

Experiment::Flow Experiment::carry_out(const Statement& s) {
  const int errors = diagnostics_.error_count();
  const auto good = [&] {
    return diagnostics_.error_count() > errors ? Flow::failed : met_unknown_ ? Flow::end : Flow::on;
  };
  switch (s.kind) {
    case Statement::Kind::assign: {
      const double value = value_of(s.value);
      if (good() != Flow::on) return good();
      for (const NodeId target : s.targets) store(target, value);
      return good();
    }
    case Statement::Kind::branch: {
      const double condition = value_of(s.value);
      if (good() != Flow::on) return good();
      return carry_out(condition != 0 ? s.body : s.otherwise);
    }
    case Statement::Kind::count_loop: return count(s);
    case Statement::Kind::while_loop:  // repeat … until value
      for (;;) {
        const Flow flow = carry_out(s.body);
        if (flow != Flow::on) return flow;
        const bool ends = value_of(s.value) != 0;
        if (ends || good() != Flow::on) return good();
        if (--left_ < 0) return carry_out(std::vector<Statement>{s});
      }
    case Statement::Kind::go_to:
      label_ = s.name;
      jumped_from_ = s.at;
      return Flow::jump;
    case Statement::Kind::stop: return Flow::end;
    case Statement::Kind::call: {
      const Flow flow = call(s);
      return flow == Flow::on ? good() : flow;
    }
    case Statement::Kind::write: {
      std::string text = s.text;
      for (const NodeId argument : s.arguments) {
        const std::size_t hole = text.find("{}");
        if (hole != std::string::npos) text.replace(hole, 2, fmt::format("{:.6g}", value_of(argument)));
      }
      if (good() == Flow::on) say_(text);
      return good();
    }
    default: return Flow::on;
  }
}

}  // namespace orrery::cssl
