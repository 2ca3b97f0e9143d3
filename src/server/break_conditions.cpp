// SPDX-License-Identifier: Apache-2.0
// An interpreter of its own that may do nothing but compute.
#include "server/break_conditions.h"

#include "oml/builtin.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::server {
namespace {

// The run that v() asks.
struct WatchedRun {
  api::Run* run = nullptr;
};

void signal_value(oml::Call& c) {
  api::Run* run = c.oml.extension<WatchedRun>().run;
  const std::vector<double> values = run == nullptr ? std::vector<double>() : run->values(c.text(0));
  if (values.empty()) oml::fail("there is no block output " + c.text(0));
  const std::size_t element = c.has(1) ? static_cast<std::size_t>(c.whole(1)) : 1;
  if (element < 1 || element > values.size()) oml::fail_argument(2, "is beyond the elements of the signal");
  c.ret(oml::Value(values[element - 1]));
}

constexpr oml::Builtin watching[] = {
    {"v", 1, 2, signal_value, "v(signal, element): the value of a block output now."},
};

}  // namespace

BreakConditions::BreakConditions(std::vector<std::string> texts) {
  for (std::string& text : texts) conditions_.push_back({std::move(text)});
  if (conditions_.empty()) return;
  oml::InterpreterOptions options;
  options.consent = {};
  options.output = [](std::string_view) {};
  options.families = {oml::BuiltinFamily(watching)};
  interpreter_ = std::make_unique<oml::Interpreter>(options);
}

BreakConditions::~BreakConditions() = default;
BreakConditions::BreakConditions(BreakConditions&&) noexcept = default;
BreakConditions& BreakConditions::operator=(BreakConditions&&) noexcept = default;

void BreakConditions::begin() {
  for (Condition& condition : conditions_) condition.held = false;
}

std::string BreakConditions::met(api::Run& run) {
  std::string found;
  interpreter_->extension<WatchedRun>().run = &run;
  interpreter_->base()->set("t", oml::Value(run.time()));
  for (Condition& condition : conditions_) {
    if (condition.wrong) continue;
    Diagnostics problems;
    const auto value = interpreter_->evaluate(interpreter_->base(), condition.text, problems);
    bool holds = false;
    if (value && value->is_arithmetic() && !value->is_empty() && !value->is_complex()) {
      const std::vector<double> elements = oml::to_vector(*value);
      holds = std::all_of(elements.begin(), elements.end(), [](double x) { return x != 0; });
    } else if (!value) {
      // Said once, with the reason; it cannot become true.
      condition.wrong = holds = true;
      condition.held = false;
      condition.text += problems.all().empty() ? "" : " (" + problems.all()[0].message + ")";
    }
    if (holds && !condition.held && found.empty()) found = condition.text;
    condition.held = holds;
  }
  interpreter_->extension<WatchedRun>().run = nullptr;
  return found;
}

}  // namespace orrery::server
