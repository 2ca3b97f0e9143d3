// SPDX-License-Identifier: Apache-2.0
// Carrying out statements on numbers.
#include "cssl/experiment.h"

#include <fmt/format.h>

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

double Experiment::value_of(NodeId id) {
  const Node& node = program_[id];
  switch (node.kind) {
    case Node::Kind::number: return node.value;
    case Node::Kind::logical: return node.whole ? 1 : 0;
    case Node::Kind::name: {
      const auto found = values.find(node.name);
      if (found != values.end()) return found->second;
      program_.source->error(diagnostics_, "unknown-name", node.at, fmt::format("{} has no value yet", node.name),
                             "assign it before");
      return std::numeric_limits<double>::quiet_NaN();
    }
    case Node::Kind::unary: {
      const double value = value_of(node.arguments[0]);
      return node.name == "-" ? -value : value == 0 ? 1 : 0;
    }
    case Node::Kind::binary: {
      const double left = value_of(node.arguments[0]);
      return apply_operator(node.name, left, value_of(node.arguments[1]));
    }
    case Node::Kind::call: {
      std::vector<double> arguments;
      for (const NodeId argument : node.arguments) arguments.push_back(value_of(argument));
      const double value = apply_function(node.name, arguments);
      if (std::isnan(value) && !diagnostics_.has_errors())
        program_.source->error(diagnostics_, "unknown-function", node.at,
                               fmt::format("{} has no value here", node.name));
      return value;
    }
    case Node::Kind::text: break;
  }
  program_.source->error(diagnostics_, "syntax", node.at, "a text is no value");
  return std::numeric_limits<double>::quiet_NaN();
}

bool Experiment::run(const std::vector<Statement>& statements) {
  const Flow flow = carry_out(statements);
  if (flow != Flow::jump) return flow != Flow::failed;
  program_.source->error(diagnostics_, "unknown-label", statements.empty() ? Position{} : statements[0].at,
                         fmt::format("there is no label {} to go to", label_));
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

Experiment::Flow Experiment::carry_out(const Statement& s) {
  const int errors = diagnostics_.error_count();
  const auto good = [&] { return diagnostics_.error_count() == errors ? Flow::on : Flow::failed; };
  switch (s.kind) {
    case Statement::Kind::assign: {
      const double value = value_of(s.value);
      for (const NodeId target : s.targets) values[program_[target].name] = value;
      return good();
    }
    case Statement::Kind::branch: {
      const double condition = value_of(s.value);
      if (good() == Flow::failed) return Flow::failed;
      return carry_out(condition != 0 ? s.body : s.otherwise);
    }
    case Statement::Kind::count_loop: {
      const double first = value_of(s.arguments[0]), last = value_of(s.arguments[1]), step = value_of(s.arguments[2]);
      if (good() == Flow::failed || step == 0) return good();
      const double turns = std::floor((last - first) / step + 1e-9) + 1;
      for (double k = 0; k < turns; ++k) {
        values[s.name] = first + k * step;
        const Flow flow = carry_out(s.body);
        if (flow != Flow::on) return flow;
      }
      return Flow::on;
    }
    case Statement::Kind::while_loop:  // repeat … until value
      for (;;) {
        const Flow flow = carry_out(s.body);
        if (flow != Flow::on) return flow;
        if (value_of(s.value) != 0 || good() == Flow::failed) return good();
        if (--left_ < 0) return carry_out(std::vector<Statement>{s});
      }
    case Statement::Kind::go_to: label_ = s.name; return Flow::jump;
    case Statement::Kind::stop: return Flow::end;
    case Statement::Kind::call: return act_(s.name, *this) ? good() : Flow::end;
    case Statement::Kind::write: {
      std::string text = s.text;
      for (const NodeId argument : s.arguments) {
        const std::size_t hole = text.find("{}");
        if (hole != std::string::npos) text.replace(hole, 2, fmt::format("{:.6g}", value_of(argument)));
      }
      say_(text);
      return good();
    }
    default: return Flow::on;
  }
}

}  // namespace orrery::cssl
