// SPDX-License-Identifier: Apache-2.0
// Descriptions of all versions, their defaults, and what is forgiven.
#include "fmi/description.h"
#include "base/folders_for_tests.h"

#include <gtest/gtest.h>

#include "fmi/check.h"
#include "fmi/load_binary.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

bool has_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.code == code) return true;
  }
  return false;
}

Description read(const std::string& xml, Diagnostics& diagnostics) {
  auto description = read_description(xml, "x.fmu", diagnostics);
  EXPECT_TRUE(description) << to_text(diagnostics);
  return description ? std::move(*description) : Description();
}

Description read(const std::string& xml) {
  Diagnostics diagnostics;
  Description description = read(xml, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << to_text(diagnostics);
  return description;
}

std::string fmi2(const std::string& variables, const std::string& structure = "", const std::string& attributes = "") {
  return "<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g' " + attributes +
         "><ModelExchange modelIdentifier='m'/><ModelVariables>" + variables + "</ModelVariables><ModelStructure>" +
         structure + "</ModelStructure></fmiModelDescription>";
}

TEST(Description, OfFmi1) {
  const Description d = read(
      "<fmiModelDescription fmiVersion='1.0' modelName='a b' modelIdentifier='ab' guid='{1}' "
      "numberOfContinuousStates='2' numberOfEventIndicators='3'><DefaultExperiment stopTime='1e-004' tolerance='0'/>"
      "<ModelVariables>"
      "<ScalarVariable name='p' valueReference='1' variability='parameter'><Real start='2'/></ScalarVariable>"
      "<ScalarVariable name='y' valueReference='2' causality='output' alias='negatedAlias'><Real/></ScalarVariable>"
      "<ScalarVariable name='i' valueReference='2'><Integer/></ScalarVariable>"
      "</ModelVariables></fmiModelDescription>");
  EXPECT_EQ(d.version, Version::fmi1);
  ASSERT_TRUE(d.model_exchange);
  EXPECT_FALSE(d.co_simulation);
  EXPECT_EQ(d.model_exchange->model_identifier, "ab");
  EXPECT_EQ(d.states, 2u);
  EXPECT_EQ(d.indicators, 3u);
  EXPECT_EQ(d.experiment.stop, 1e-4);
  EXPECT_FALSE(d.experiment.tolerance);
  EXPECT_EQ(d.find("p")->causality, Causality::parameter);
  EXPECT_EQ(d.find("y")->alias, Alias::negated);
  EXPECT_EQ(d.find("i")->variability, Variability::discrete);
  EXPECT_EQ(d.find("nobody"), nullptr);
}

TEST(Description, OfFmi1CoSimulation) {
  for (const char* element : {"CoSimulation_StandAlone", "CoSimulation_Tool"}) {
    const std::string name = element;
    const Description d = read(
        "<fmiModelDescription fmiVersion='1.0' modelName='a' modelIdentifier='ab' guid='{1}'>"
        "<Implementation><" +
        name +
        "><Capabilities "
        "canHandleVariableCommunicationStepSize='true'/></" +
        name + "></Implementation></fmiModelDescription>");
    EXPECT_FALSE(d.model_exchange);
    ASSERT_TRUE(d.co_simulation);
    EXPECT_TRUE(d.co_simulation->variable_step);
    EXPECT_EQ(d.co_simulation->tool_coupling, name == "CoSimulation_Tool");
  }
}

TEST(Description, OfFmi1Dependencies) {
  Diagnostics diagnostics;
  const Description d = read(
      "<fmiModelDescription fmiVersion='1.0' modelName='a' modelIdentifier='ab' guid='{1}'><ModelVariables>"
      "<ScalarVariable name='y' valueReference='0' causality='output'><Real/>"
      "<DirectDependency><Name>v</Name></DirectDependency></ScalarVariable>"
      "<ScalarVariable name='u' valueReference='1' causality='input'><Real start='0'/></ScalarVariable>"
      "<ScalarVariable name='v' valueReference='2' causality='input'><Real start='0'/></ScalarVariable>"
      "<ScalarVariable name='z' valueReference='3' causality='output'><Real/><DirectDependency/></ScalarVariable>"
      "<ScalarVariable name='w' valueReference='4' causality='output'><Real/></ScalarVariable>"
      "<ScalarVariable name='q' valueReference='5' causality='output'><Real/>"
      "<DirectDependency><Name>ghost</Name></DirectDependency></ScalarVariable>"
      "</ModelVariables></fmiModelDescription>",
      diagnostics);
  ASSERT_EQ(d.outputs.size(), 4u);
  EXPECT_EQ(d.outputs[0].dependencies, std::vector<std::size_t>{2});
  EXPECT_TRUE(d.outputs[1].dependencies->empty());
  EXPECT_FALSE(d.outputs[2].dependencies);
  EXPECT_FALSE(d.outputs[3].dependencies);
  EXPECT_TRUE(has_code(diagnostics, "fmi-bad-structure"));
}

TEST(Description, OfFmi2WithStructure) {
  const Description d =
      read(fmi2("<ScalarVariable name='x' valueReference='7'><Real start='1'/></ScalarVariable>"
                "<ScalarVariable name='der(x)' valueReference='8'><Real derivative='1'/></ScalarVariable>"
                "<ScalarVariable name='y' valueReference='9' causality='output'><Real/></ScalarVariable>",
                "<Outputs><Unknown index='3' dependencies='1' dependenciesKind='constant'/></Outputs>"
                "<Derivatives><Unknown index='2' dependencies=''/></Derivatives>"));
  ASSERT_EQ(d.states, 1u);
  EXPECT_EQ(d.state_variables, std::vector<std::size_t>{0});
  EXPECT_EQ(d.outputs[0].dependencies, std::vector<std::size_t>{0});
  EXPECT_TRUE(d.derivatives[0].dependencies->empty());
}

TEST(Description, OfFmi3) {
  const Description d = read(
      "<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='t'>"
      "<CoSimulation modelIdentifier='m' hasEventMode='true'/><ModelVariables>"
      "<UInt64 name='n' valueReference='1' causality='structuralParameter' variability='fixed' start='3'/>"
      "<Float64 name='A' valueReference='2' start='1 2 3 4 5 6'><Dimension valueReference='1'/><Dimension start='2'/>"
      "<Alias name='B'/></Float64>"
      "<String name='s' valueReference='3'><Start value='a b'/></String>"
      "<Clock name='c' valueReference='4' causality='input' intervalVariability='constant' resolution='10' "
      "intervalCounter='5'/></ModelVariables><ModelStructure/></fmiModelDescription>");
  EXPECT_EQ(element_count(d, *d.find("A")), 6u);
  EXPECT_EQ(d.find("B")->reference, 2u);
  EXPECT_EQ(d.find("A")->start.size(), 6u);
  EXPECT_EQ(d.find("s")->start, std::vector<std::string>{"a b"});
  EXPECT_EQ(d.find("c")->clock->interval, 0.5);
  EXPECT_TRUE(d.co_simulation->event_mode);
}

TEST(Description, Latin1IsRead) {
  const Description d = read("<?xml version='1.0' encoding='ISO-8859-1'?>" + fmi2("", "", "author='\xfc'"));
  EXPECT_EQ(d.author, "ü");
}

TEST(Description, MistakesThatCanBeWorkedAroundAreWarnings) {
  Diagnostics diagnostics;
  const Description d =
      read(fmi2("<ScalarVariable name='a' valueReference='x'><Real/></ScalarVariable>"
                "<ScalarVariable name='b' valueReference='2'/>"
                "<ScalarVariable name='c' valueReference='3' causality='sideways'><Real min='low'/></ScalarVariable>"
                "<ScalarVariable name='c' valueReference='4'><Real/></ScalarVariable>",
                "<Outputs><Unknown index='9'/><Unknown index='3' dependencies='77'/></Outputs>"),
           diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  for (const char* code : {"fmi-no-reference", "fmi-unknown-type", "fmi-unknown-value", "fmi-bad-attribute",
                           "fmi-duplicate-name", "fmi-bad-structure"}) {
    EXPECT_TRUE(has_code(diagnostics, code)) << code;
  }
  EXPECT_EQ(d.variables.size(), 2u);
  ASSERT_EQ(d.outputs.size(), 1u);
  EXPECT_FALSE(d.outputs[0].dependencies);
}

TEST(Description, UnusableOnesAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"<a", "fmi-bad-xml"},
      {"<a/>", "fmi-not-a-description"},
      {"<fmiModelDescription fmiVersion='4.0'/>", "fmi-unknown-version"},
      {"<fmiModelDescription fmiVersion='2.0'/>", "fmi-no-interface"},
      {"<fmiModelDescription fmiVersion='2.0'><CoSimulation modelIdentifier='../x'/></fmiModelDescription>",
       "fmi-bad-identifier"}};
  for (const auto& [xml, code] : cases) {
    Diagnostics diagnostics;
    static_cast<void>(read_description(xml, "x.fmu", diagnostics));
    EXPECT_TRUE(diagnostics.has_errors());
    EXPECT_TRUE(has_code(diagnostics, code)) << code;
  }
}

TEST(Check, FindsEverythingAtOnce) {
  Diagnostics reading;
  const Description d =
      read(fmi2("<ScalarVariable name='a b' valueReference='1' causality='parameter' variability='constant'>"
                "<Real unit='mi' min='2' max='1' start='abc'/></ScalarVariable>"
                "<ScalarVariable name='i' valueReference='2' causality='input' variability='continuous'><Integer/>"
                "</ScalarVariable>"
                "<ScalarVariable name='y' valueReference='3' causality='output'><Real/></ScalarVariable>",
                "", "variableNamingConvention='structured'"),
           reading);
  Diagnostics diagnostics;
  check_description(d, "x.fmu", diagnostics);
  for (const char* code : {"fmi-check-names", "fmi-check-variability", "fmi-check-units", "fmi-check-limits",
                           "fmi-check-start", "fmi-check-structure"}) {
    EXPECT_TRUE(has_code(diagnostics, code)) << code;
  }
  EXPECT_NE(to_text(diagnostics).find("FMI 2.0, 2.2.7"), std::string::npos);
}

TEST(Check, OurOwnFmusKeepTheStandard) {
  for (const char* name : {"bouncing_ball_2", "van_der_pol_2", "feedthrough_2"}) {
    const Diagnostics diagnostics = check_fmu(test_fmu_folder() + "/" + name + ".fmu");
    EXPECT_TRUE(diagnostics.all().empty()) << to_text(diagnostics);
  }
  const Diagnostics few = check_fmu(test_fmu_folder() + "/quirk_few_functions_2.fmu");
  EXPECT_TRUE(has_code(few, "fmi-check-functions"));
  const Diagnostics sloppy = check_fmu(test_fmu_folder() + "/quirk_description_2.fmu");
  EXPECT_TRUE(has_code(sloppy, "fmi-check-units"));
  EXPECT_TRUE(has_code(sloppy, "fmi-check-structure"));
}

TEST(NumberList, ReadsWhatXmlSchemaAllows) {
  EXPECT_EQ(parse_real(" 1e-005 "), 1e-5);
  EXPECT_EQ(parse_real("+2"), 2);
  EXPECT_EQ(parse_real("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(parse_real("1,5"));
  EXPECT_FALSE(parse_real(""));
  EXPECT_FALSE(parse_natural("-1"));
  EXPECT_EQ(parse_natural("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(split_list(" a\tb\n c ").size(), 3u);
}

TEST(DebianPackage, IsGuessedFromTheLibrary) {
  EXPECT_EQ(debian_package("libgfortran.so.3"), "libgfortran3");
  EXPECT_EQ(debian_package("libpython3.7m.so.1.0"), "libpython3.7");
  EXPECT_EQ(debian_package("libGL.so.1"), "libgl1");
  EXPECT_EQ(debian_package("libfoo2.so.4"), "libfoo2-4");
  EXPECT_EQ(debian_package("something"), "");
}

}  // namespace
}  // namespace orrery::fmi
