// SPDX-License-Identifier: Apache-2.0
// Declarations of the library, size and type rules, and the manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "blocks/block_bench.h"
#include "blocks/book_names.h"
#include "blocks/manual.h"

namespace orrery::blocks {
namespace {

constexpr Type complex_type{Scalar::c128, 1, 1};

// The types of the inputs with these parameters, unknowns being doubles and scalars, where blocks can do with these.
std::vector<Type> usual_inputs(const BlockType& type, const Parameters& parameters) {
  static const std::map<std::string, std::vector<Type>> others = {
      {"CrossProduct", {column(3), column(3)}},
      {"LookupTable_port", {real_type, column(3), column(3)}},
      {"LookupTable2D_port", {real_type, real_type, column(3), column(2), {Scalar::f64, 3, 2}}}};
  if (const auto found = others.find(type.name); found != others.end()) return found->second;
  Ports ports(parameters);
  type.ports(ports);
  std::vector<Type> types;
  for (const Port& port : ports.inputs()) {
    types.push_back(
        {port.type < 0 ? Scalar::f64 : static_cast<Scalar>(port.type), std::max(port.rows, 1), std::max(port.cols, 1)});
  }
  return types;
}

std::vector<Type> default_inputs(const BlockType& type) {
  return usual_inputs(type, *default_parameters(type, read_literal));
}

TEST(Library, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const BlockType* type : library()) {
    EXPECT_TRUE(names.insert(type->name).second) << type->name;
    EXPECT_EQ(find_type(type->name), type);
  }
  EXPECT_EQ(find_type("NoSuchBlock"), nullptr);
}

bool is_struct(const ParameterSpec& spec) { return spec.value.starts_with("struct("); }

TEST(Library, EverythingIsDocumented) {
  for (const BlockType* type : library()) {
    EXPECT_FALSE(type->palette.empty()) << type->name;
    ASSERT_FALSE(type->summary.empty()) << type->name;
    EXPECT_EQ(type->summary.back(), '.') << type->name;
    EXPECT_TRUE(type->description.empty() || type->description.back() == '.') << type->name;
    EXPECT_NE(type->ports, nullptr) << type->name;
    std::set<std::string> names;
    for (const ParameterSpec& spec : type->parameters) {
      EXPECT_TRUE(names.insert(spec.name).second) << type->name << " " << spec.name;
      EXPECT_FALSE(spec.about.empty()) << type->name << " " << spec.name;
      if (spec.verbatim || type->traces || is_struct(spec)) continue;  // the language reads these
      const auto value = read_literal(spec.value);
      ASSERT_TRUE(value) << type->name << " " << spec.name;
      if (spec.choices.empty()) continue;
      EXPECT_TRUE(value->is_text() &&
                  std::find(spec.choices.begin(), spec.choices.end(), value->text) != spec.choices.end())
          << type->name << " " << spec.name;
    }
  }
}

TEST(Library, EveryBlockBuildsWithItsDefaultsAndEveryChoice) {
  for (const BlockType* type : library()) {
    if (std::any_of(type->parameters.begin(), type->parameters.end(), is_struct)) continue;  // tests/bus_test.cpp
    if (type->traces) continue;  // these need a language: tests/expression_blocks_test.cpp
    const auto is_program = [](const ParameterSpec& spec) { return spec.verbatim; };
    if (std::any_of(type->parameters.begin(), type->parameters.end(), is_program)) continue;  // tests/languages
    if (type->foreign) continue;                       // these need a file: tests/fmu_block_test.cpp
    if (type->palette == "SignalExporters") continue;  // so do these: tests/export_test.cpp
    for (const bool fold : {true, false}) {
      SCOPED_TRACE(type->name);
      BlockBench bench(type->name, {}, default_inputs(*type), fold);
      EXPECT_EQ(bench.failure(), "");
      if (type->build == nullptr) continue;
      for (ExprId out : bench.body().outputs) EXPECT_NE(out, program::no_expr);
    }
    for (const ParameterSpec& spec : type->parameters) {
      for (const std::string& choice : spec.choices) {
        SCOPED_TRACE(type->name + " " + choice);
        const BlockBench::Texts texts = {{spec.name, "'" + choice + "'"}};
        std::vector<Value> values;
        for (const ParameterSpec& each : type->parameters) {
          values.push_back(*read_literal(each.name == spec.name ? texts.at(spec.name) : each.value));
        }
        const Parameters parameters(type, values);
        const std::vector<Type> inputs = usual_inputs(*type, parameters);
        EXPECT_EQ(BlockBench(type->name, texts, inputs).failure(), "");
      }
    }
  }
}

TEST(Ports, ABlockThatIsNotAlwaysActiveTakesALink) {
  for (const BlockType* type : library()) {
    const auto parameters = default_parameters(*type, read_literal);
    if (!parameters) continue;  // defaults that only the language can read
    Ports ports(*parameters);
    type->ports(ports);
    const bool starts_something = ports.input_count() == 0 && type->activation == Activation::inherit;
    if (type->activation != Activation::always && !starts_something && type->build != nullptr) {
      EXPECT_GE(ports.activation_input_count(), 1) << type->name;
    }
  }
}

TEST(Ports, SumsBroadcastScalarsAndRefuseOtherSizes) {
  EXPECT_EQ(BlockBench("Sum", {}, {column(3), real_type}).output_type(), column(3));
  EXPECT_NE(BlockBench("Sum", {}, {column(3), column(2)}).failure(), "");
}

TEST(Ports, ArithmeticNeedsNumbersAndOrderNeedsReals) {
  EXPECT_NE(BlockBench("Sum", {}, {boolean_type, boolean_type}).failure().find("boolean"), std::string::npos);
  EXPECT_NE(BlockBench("Gain", {}, {boolean_type}).failure(), "");
  EXPECT_NE(BlockBench("RelationalOp", {}, {complex_type, complex_type}).failure(), "");
  EXPECT_EQ(BlockBench("RelationalOp", {{"operator", "'=='"}}, {complex_type, complex_type}).failure(), "");
}

TEST(Ports, TypesFollowTheInputs) {
  EXPECT_EQ(BlockBench("Gain", {{"k", "2"}}, {column(2, Scalar::i8)}).output_type(), column(2, Scalar::i8));
  EXPECT_EQ(BlockBench("Abs", {}, {complex_type}).output_type(), real_type);
  EXPECT_EQ(BlockBench("MathFunc", {{"function", "'magnitude'"}}, {complex_type}).output_type(), real_type);
  EXPECT_EQ(BlockBench("LogicalOp", {}, {real_type, boolean_type}).output_type(), boolean_type);
}

TEST(Ports, MuxAndDemuxCountElements) {
  EXPECT_EQ(BlockBench("Mux", {{"inputs", "3"}}, {real_type, column(2), {Scalar::f64, 2, 2}}).output_type(), column(7));
  BlockBench split("Demux", {{"sizes", "[1 2]"}}, {column(3)});
  EXPECT_EQ(split.output_type(1), real_type);
  EXPECT_EQ(split.output_type(2), column(2));
  BlockBench halves("Demux", {{"sizes", "2"}}, {column(6)});
  EXPECT_EQ(halves.output_type(2), column(3));
  EXPECT_NE(BlockBench("Demux", {{"sizes", "2"}}, {column(5)}).failure(), "");
}

TEST(Ports, MatricesFixTheSizes) {
  BlockBench gain("MatrixGain", {{"K", "[1 2 3; 4 5 6]"}}, {column(3)});
  EXPECT_EQ(gain.output_type(), column(2));
  EXPECT_NE(BlockBench("MatrixGain", {{"K", "[1 2 3]"}}, {column(2)}).failure(), "");
}

TEST(Parameters, MistakesNameTheParameter) {
  const auto complaint = [](const std::string& type, const BlockBench::Texts& texts, int inputs) -> std::string {
    try {
      BlockBench bench(type, texts, std::vector<Type>(static_cast<std::size_t>(inputs)));
    } catch (const ParameterError& error) {
      return error.parameter;
    }
    return "";
  };
  EXPECT_EQ(complaint("Sum", {{"signs", "'+x'"}}, 2), "signs");
  EXPECT_EQ(complaint("Mux", {{"inputs", "0"}}, 0), "inputs");
  EXPECT_EQ(complaint("Saturation", {{"lower", "2"}}, 1), "lower");
  EXPECT_EQ(complaint("SquareWaveGenerator", {{"period", "-1"}}, 0), "period");
  EXPECT_EQ(complaint("SquareWaveGenerator", {{"duty", "100"}}, 0), "duty");
  EXPECT_EQ(complaint("ContStateSpace", {{"A", "[1 2]"}}, 1), "A");
  EXPECT_EQ(complaint("ContStateSpace", {{"B", "[1; 2]"}}, 1), "B");
  EXPECT_EQ(complaint("ContTransFunc", {{"num", "[1 2 3]"}}, 1), "num");
  EXPECT_EQ(complaint("ContTransFunc", {{"den", "0"}}, 1), "den");
  EXPECT_EQ(complaint("ContTransFunc", {{"num", "[]"}}, 1), "num");
  EXPECT_EQ(complaint("ContTransFunc", {{"den", "[1 2; 3 4]"}}, 1), "den");
  EXPECT_EQ(complaint("Integral", {{"lower", "2"}, {"upper", "1"}}, 1), "lower");
  EXPECT_EQ(complaint("Integral", {{"lower", "inf"}}, 1), "lower");
  EXPECT_EQ(complaint("Integral", {{"upper", "nan"}}, 1), "upper");
  EXPECT_EQ(complaint("Automaton", {{"x0", "[]"}}, 1), "x0");
  EXPECT_EQ(complaint("StepGenerator", {{"time", "nan"}}, 0), "time");
  EXPECT_EQ(complaint("Ramp", {{"start", "inf"}}, 0), "start");
  EXPECT_EQ(complaint("Sawtooth", {{"start", "nan"}}, 0), "start");
  EXPECT_EQ(complaint("Switch2", {{"threshold", "nan"}}, 3), "threshold");
  EXPECT_EQ(complaint("EventGenerate", {{"times", "nan"}}, 0), "times");
  EXPECT_EQ(complaint("EventClock", {{"offset", "nan"}}, 0), "offset");
  EXPECT_EQ(complaint("Counter", {{"to", "nan"}}, 0), "to");
  EXPECT_EQ(complaint("End", {{"message", "3"}}, 0), "message");
  EXPECT_EQ(complaint("SampleClock", {{"period", "-2"}}, 0), "period");
  EXPECT_EQ(complaint("EventGenerate", {{"times", "[2 1]"}, {"outputs", "'one'"}}, 0), "times");
  EXPECT_EQ(complaint("Counter", {{"to", "-1"}}, 0), "to");
  EXPECT_EQ(complaint("FrequencyDivider", {{"phase", "2"}}, 0), "phase");
  EXPECT_EQ(complaint("Constant", {{"value", "'text'"}}, 0), "value");
}

TEST(Manual, ShowsParametersPortsAndActivation) {
  const std::string page = describe_block(*find_type("Gain"), read_literal);
  EXPECT_NE(page.find("k = 1"), std::string::npos);
  EXPECT_NE(page.find("input 1 u: any type, any size"), std::string::npos);
  EXPECT_NE(page.find("output 1 y: type of u, size of u"), std::string::npos);
  EXPECT_NE(page.find("Without activation links"), std::string::npos);
}

TEST(Manual, IsOneHtmlFileWithAllBlocks) {
  const std::string manual = manual_html(read_literal);
  for (const BlockType* type : library()) {
    EXPECT_NE(manual.find("id=\"" + type->name + "\""), std::string::npos);
    EXPECT_NE(manual.find("href=\"#" + type->name + "\""), std::string::npos);
  }
  EXPECT_EQ(manual.find("src="), std::string::npos);
  EXPECT_NE(manual.find("&lt;="), std::string::npos);
  EXPECT_NE(list_blocks().find("  Gain "), std::string::npos);
}

TEST(Icons, ShowParametersPolynomialsAndPortLabels) {
  const auto shown = [](const std::string& type, std::map<std::string, std::string> given, int inputs = 0) {
    const BlockType& found = *find_type(type);
    IconSubject subject = default_subject(found);
    subject.inputs = inputs;
    const auto defaults = subject.text_of;
    subject.text_of = [=](std::string_view name) {
      const auto own = given.find(std::string(name));
      return own == given.end() ? defaults(name) : own->second;
    };
    return icon_of(found, subject);
  };
  EXPECT_EQ(shown("Gain", {{"k", "2*pi"}}).text, "2*pi");
  EXPECT_EQ(shown("ContTransFunc", {{"den", "[1, 0 -3]"}}).denominator, "s² − 3");
  EXPECT_EQ(shown("ContTransFunc", {{"num", "[2 1]"}}).numerator, "2s + 1");
  EXPECT_EQ(shown("ContTransFunc", {{"num", "poly(r)"}}).numerator, "poly(r)(s)");
  EXPECT_EQ(shown("Sum", {{"signs", "'+-+'"}}, 3).inputs, (std::vector<std::string>{"+", "-", "+"}));
  EXPECT_EQ(shown("Sum", {{"signs", "2"}}, 2).inputs, (std::vector<std::string>{"+", "+"}));
  EXPECT_EQ(shown("SelectInput", {}, 2).inputs, (std::vector<std::string>{"1", "2"}));
  EXPECT_FALSE(shown("SyncTag", {}).empty());
}

TEST(OtherNames, LeadToBlocksOrGiveAReason) {
  for (const OtherName& other : other_names()) {
    if (other.ours.empty()) {
      EXPECT_FALSE(other.note.empty()) << other.name;
      EXPECT_EQ(find_type(other.name), nullptr) << other.name;
    } else {
      EXPECT_NE(find_type(other.ours), nullptr) << other.name;
    }
  }
}

// The names of "Extended Definitions" (chapters, appendix A.1, table 22.2): each is here, or has a row that says where
// it is or why it is not.
constexpr const char* names_of_the_book =
    "SampleClock ReSampleClock SyncTag EventClock EventGenerate EventDelay EventVariableDelay "
    "EventDelayedChannel EventUnion ActivationIntersection AndActivations EventToCode EventPortZero "
    "ExtractActivation IfThenElse SwitchCase IfExpressions FrequencyDivider EdgeTrigger DiscrEdgeTrigger "
    "ZeroCross ZeroCrossUp ZeroCrossDown RepeatActivation End InitialEvent AlwaysActivate "
    "SetActivationSignal GetActivationSignal ActivationSignalScoping Integral ContStateSpace "
    "ContTransFunc ContPoleZero JumpStateSpace DiscreteDelay DiscrStateSpace DiscrTransFunc DiscrPoleZero "
    "DiscreteIntegral SampledData Memory FixedDelay PID Accumulator ShiftRegister LoopBreaker Automaton "
    "SampleHold LastInput Saturation ControlledSaturation Deadzone Quantization Hysteresis Backlash "
    "RateLimiter Constant StepGenerator Ramp RampSaturate Trapezoid SineWaveGenerator SquareWaveGenerator "
    "Sawtooth Random SignalGenerator Counter ModuloCounter Time RealTime Toggle Abs Gain Bias Sum Product "
    "Power Pow Exponential Log MathFunc TrigFunc Atan2 Hypot Sign Negate Round Modulo MaxMin Horner "
    "MathExpression MathExpressions MatrixExpression OmlExpression MatrixGain MatrixMultiplication "
    "MatrixDivision MatrixInverse Transpose MatrixConcatenation MatrixExtractor Assignment MatrixReshape "
    "DiagonalMatrix SumElements MaxElements MinElements CumulativeSum CrossProduct Sort Mux Demux "
    "Extractor SelectInput SelectOutput ConditionalSelect ConditionalNSelect Switch2 SwitchN Switch "
    "SetSignal GetSignal DataTypeConversion ScalarExpand UnitConversion FormattedString Identity "
    "LogicalOp RelationalOp CompareToConstant TruthTable DFlipFlop DLatch JKFlipFlop SRFlipFlop "
    "LookupTable LookupTable_port LookupTable2D LookupTable2D_port LookupTableND BusCreator BusExtractor "
    "BusAssignment BusConstant BusInput BusOutput SetBusSignal GetBusSignal BusSignalScoping Input Output "
    "EventInput SuperBlock IncludeDiagram Split Scope EventScope Display Anim2D SignalOut ToBase SignalIn "
    "FromBase FromHDF FromText FromMat FromCSV CCustomBlock OmlCustomBlock PCustomBlock PyCustomBlock "
    "ModelicaCustomBlock SpiceCustomBlock ExecOMLScript ExecPythonScript BobyqaOpt FMU MSPlant MSSignals "
    "Flux PSIM EventOutput LookupTable3D ToHDF ToMatFile ToTextFile ToCSV FromTextFile FromMatFile";

TEST(Library, KnowsEveryNameOfTheBook) {
  std::istringstream words(names_of_the_book);
  int count = 0;
  for (std::string name; words >> name; ++count) {
    const auto& others = other_names();
    const auto row = std::find_if(others.begin(), others.end(), [&](const OtherName& o) { return o.name == name; });
    if (find_type(name) != nullptr) continue;
    ASSERT_NE(row, others.end()) << name;
    if (row->ours.empty()) {
      EXPECT_FALSE(row->note.empty()) << name;
    } else {
      EXPECT_NE(find_type(row->ours), nullptr) << name;
    }
  }
  EXPECT_GT(count, 180);
}

}  // namespace
}  // namespace orrery::blocks
