// SPDX-License-Identifier: Apache-2.0
// Every block of the library with its defaults and with each of its choices: in continuous time, sampled and driven by
// events, both tiers give the same bits; exact derivatives agree with differences; wrong parameters are refused at
// their place.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "blocks/manual.h"
#include "diagram_builder.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::library_choices_test {
namespace {

using program::Scalar;
using program::Type;

// What these do cannot be tried by driving all of their ports: they have tests of their own.
const std::set<std::string> apart = {"SyncTag",
                                     "SetSignal",
                                     "GetSignal",
                                     "End",
                                     "RepeatActivation",
                                     "Constraint",
                                     "Invariant",
                                     "InitialEquation",
                                     "ImplicitDerivative",
                                     "LoopBreaker",
                                     "ProjectedIntegral",
                                     "Automaton",
                                     "Assertion",
                                     "Message",
                                     "VariableDelay",
                                     "EventVariableDelay",
                                     "EventDelayedChannel",
                                     "FromCSV",
                                     "FromText",
                                     "FromMat",
                                     "FromHDF",
                                     "ToCSV",
                                     "ToText",
                                     "ToMat",
                                     "ToHDF",
                                     "RealTime"};
const std::set<std::string> palettes_apart = {"Ports", "CoSimulation", "CustomBlocks"};

bool is_tried(const blocks::BlockType& type) {
  return !apart.contains(type.name) && !palettes_apart.contains(type.palette) && type.role == blocks::Role::ordinary &&
         type.build != nullptr && !type.foreign;
}

enum class Activated { continuously, by_clock, by_events };

class Trial {
 public:
  explicit Trial(Activated activated) : activated_(activated) {
    source_ = d_.add(activated == Activated::by_events ? "EventClock" : "SampleClock", {{"period", "0.1"}});
    d_.model().settings.stop.text = "0.65";
    d_.model().settings.rtol.text = "1e-4";
  }

  // False: with these parameters the block has no ports.
  bool add(const blocks::BlockType& type, const DiagramBuilder::Texts& given) {
    std::vector<program::Value> values;
    for (const blocks::ParameterSpec& spec : type.parameters) {
      std::string text = spec.value;
      for (const auto& [name, value] : given) {
        if (name == spec.name) text = value;
      }
      Diagnostics ignored;
      auto value = spec.verbatim ? program::Value::string(text) : evaluator_.evaluate(text, {}, ignored);
      if (!value) return false;
      values.push_back(*value);
    }
    const blocks::Parameters parameters(&type, values);
    blocks::Ports ports(parameters);
    type.ports(ports);
    const bool links = activated_ != Activated::continuously && ports.activation_input_count() > 0;
    if (type.name == "SampledData" || type.name == "ReSampleClock") {
      if (activated_ != Activated::by_clock) return true;
    }
    const std::string name = d_.add(type.name, given);
    int number = 0;
    for (const blocks::Port& port : ports.inputs()) {
      ++number;
      const Scalar scalar = port.type < 0 ? Scalar::f64 : static_cast<Scalar>(port.type);
      d_.link(
          driver({scalar, usual_rows(type.name, number, port.rows), std::max(port.cols, usual_cols(type.name, number))},
                 number),
          1, name, number);
    }
    for (int k = 1; links && k <= ports.activation_input_count(); ++k) d_.event(source_, 1, name, k);
    if (ports.activation_output_count() > 0) d_.event(name, 1, d_.add("Counter"), 1);
    return true;
  }

  model::Model& model() { return d_.model(); }

 private:
  static int usual_rows(const std::string& type, int port, int rows) {
    if (rows > 0) return rows;
    if (type == "CrossProduct") return 3;
    if (type.starts_with("LookupTable") && type.ends_with("_port") && port > (type == "LookupTable_port" ? 1 : 2)) {
      return port == 4 ? 2 : 3;
    }
    return 1;
  }
  static int usual_cols(const std::string& type, int port) { return type == "LookupTable2D_port" && port == 5 ? 2 : 1; }

  // A signal of this type; each port has a phase of its own, and points of tables ascend.
  const std::string& driver(Type type, int number) {
    std::string& known = drivers_[to_text(type) + std::to_string(number)];
    if (!known.empty()) return known;
    const std::string wave = d_.add(
        "SineWaveGenerator", {{"frequency", "9"}, {"amplitude", "1.7"}, {"phase", std::to_string(0.4 * number)}});
    std::string ramp = "[";
    for (int row = 0; row < type.rows; ++row) {
      for (int col = 0; col < type.cols; ++col)
        ramp += fmt::format(" {}", 2.5 * row + 4.5 * col + (row == col ? 0.5 : 0));
      ramp += ";";
    }
    const std::string sizes = d_.add("Constant", {{"value", ramp + "]"}});
    const std::string sum = d_.add("Sum");
    d_.link(wave, 1, sum, 1);
    d_.link(sizes, 1, sum, 2);
    known = sum;
    if (type.scalar != Scalar::f64) {
      known = d_.add("DataTypeConversion", {{"type", fmt::format("'{}'", name_of(type.scalar))}});
      d_.link(sum, 1, known, 1);
    }
    return known;
  }

  Activated activated_;
  DiagramBuilder d_;
  std::string source_;
  std::map<std::string, std::string> drivers_;
  api::OmlEvaluator evaluator_;
};

// All blocks, each with its defaults and with every choice of every parameter.
template <class Add>
void for_every_choice(Add&& add) {
  for (const blocks::BlockType* type : blocks::library()) {
    if (!is_tried(*type)) continue;
    add(*type, DiagramBuilder::Texts{});
    for (const blocks::ParameterSpec& spec : type->parameters) {
      for (const std::string& choice : spec.choices) {
        if ("'" + choice + "'" != spec.value) add(*type, DiagramBuilder::Texts{{spec.name, "'" + choice + "'"}});
      }
    }
  }
}

// palette: only that one; empty: all.
void expect_same_bits(Activated activated, const std::string& palette = {}) {
  SCOPED_TRACE(palette);
  Trial trial(activated);
  for_every_choice([&](const blocks::BlockType& type, const DiagramBuilder::Texts& given) {
    if (!palette.empty() && type.palette != palette) return;
    // A table that has a quotient or error in it may end the run; that is its business.
    for (const auto& [name, value] : given) {
      if (value == "'error'") return;
    }
    EXPECT_TRUE(trial.add(type, given)) << type.name;
  });
  RunSetup setup;
  setup.watch = blocks_with_outputs(trial.model());
  const ModelRun first = run_model(trial.model(), setup);
  ASSERT_TRUE(first.compiled) << to_text(first.diagnostics);
  EXPECT_NE(first.report.state, api::RunState::failed) << to_text(first.diagnostics);
  EXPECT_GT(first.recording.rows(), 1u);
  setup.native = api::NativeCode::second;
  const ModelRun second = run_model(trial.model(), setup);
  EXPECT_TRUE(second.report.second_tier);
  EXPECT_EQ(first_difference(first.recording, second.recording), "");
  EXPECT_EQ(first_difference(first.events, second.events), "");
}

TEST(LibraryChoices, InContinuousTime) {
  std::set<std::string> palettes;
  for (const blocks::BlockType* type : blocks::library()) {
    if (is_tried(*type)) palettes.insert(type->palette);
  }
  for (const std::string& palette : palettes) expect_same_bits(Activated::continuously, palette);
}
TEST(LibraryChoices, Sampled) { expect_same_bits(Activated::by_clock); }
TEST(LibraryChoices, DrivenByEvents) { expect_same_bits(Activated::by_events); }

// Empty, not a number, of a strange size, of another type: for each parameter an error at the block, or a model that
// compiles; never anything else.
TEST(LibraryChoices, WrongParametersAreRefusedAtTheBlock) {
  int refused = 0, cases = 0;
  for (const blocks::BlockType* type : blocks::library()) {
    if (!is_tried(*type)) continue;
    for (const blocks::ParameterSpec& spec : type->parameters) {
      for (const char* wrong : {"[]", "nan", "ones(3,7)", "'no such thing'", "{1,'a'}", "2+3*i"}) {
        if (spec.verbatim) continue;
        DiagramBuilder d;
        const std::string name = d.add(type->name, {{spec.name, wrong}});
        Diagnostics diagnostics;
        const auto compiled = compile_model(d.model(), {}, diagnostics);
        ++cases;
        if (compiled) continue;
        ++refused;
        bool located = false;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
          if (diagnostic.severity == Severity::error) located |= diagnostic.place.block == "/" + name;
        }
        EXPECT_TRUE(located) << type->name << " " << spec.name << " = " << wrong << "\n" << to_text(diagnostics);
      }
    }
  }
  EXPECT_GT(refused, cases / 2);
}

}  // namespace
}  // namespace orrery::tests::library_choices_test
