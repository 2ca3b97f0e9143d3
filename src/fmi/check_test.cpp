// SPDX-License-Identifier: Apache-2.0
// Every rule of `orrery fmu check`, broken one at a time.
#include "fmi/check.h"

#include "fmi/archive_for_tests.h"
#include "fmi/files_for_tests.h"

namespace orrery::fmi {
namespace {

struct Rule {
  const char* fmu;
  AlteredFmu::Change change;
  const char* code;
  const char* words;    // of the message
  const char* section;  // that is named
};

// The library of an altered FMU is left as it is; what the check says about its functions is not meant here.
std::string violations_of(const std::string& file, bool run = false) {
  const Diagnostics all = check_fmu(file, run);
  Diagnostics relevant;
  for (const Diagnostic& diagnostic : all.all()) {
    if (diagnostic.code != "fmi-check-functions") relevant.add(diagnostic);
  }
  return to_text(relevant);
}

void expect_violation(const Rule& rule) {
  const AlteredFmu altered(rule.fmu, {rule.change});
  const std::string text = violations_of(altered.path());
  EXPECT_NE(text.find("[" + std::string(rule.code) + "]"), std::string::npos) << rule.change.second << "\n" << text;
  EXPECT_NE(text.find(rule.words), std::string::npos) << rule.words << "\n" << text;
  EXPECT_NE(text.find(rule.section), std::string::npos) << rule.section << "\n" << text;
}

TEST(FmuCheck, Schema) {
  const Rule rules[] = {
      {"dahlquist_2", {"guid=\"{test}\"", ""}, "fmi-check-schema", "the attribute guid is missing", "2.0, 2.2.1"},
      {"dahlquist_2", {"guid=", "colour=\"red\" guid="}, "fmi-check-schema", "there is no attribute colour", "2.2.1"},
      {"dahlquist_2",
       {"variableNamingConvention=\"flat\"", "variableNamingConvention=\"round\""},
       "fmi-check-schema",
       "variableNamingConvention=\"round\" is not one of flat, structured",
       "2.2.1"},
      {"dahlquist_2", {"startTime=\"0\"", "startTime=\"soon\""}, "fmi-check-schema", "is not a number", "2.0, 2.2.5"},
      {"dahlquist_2",
       {"generationTool=", "generationDateAndTime=\"yesterday\" generationTool="},
       "fmi-check-schema",
       "is not a date",
       "2.2.1"},
      {"dahlquist_2",
       {"canGetAndSetFMUstate=\"true\"", "canGetAndSetFMUstate=\"yes\""},
       "fmi-check-schema",
       "is not true or false",
       "2.0, 3.3.1"},
      {"dahlquist_2",
       {"<LogCategories>", "<Colours/><LogCategories>"},
       "fmi-check-schema",
       "Colours does not belong into fmiModelDescription",
       "2.2.1"},
      {"dahlquist_2",
       {"<ModelVariables>", "<LogCategories><Category name=\"c\"/></LogCategories><ModelVariables>"},
       "fmi-check-schema",
       "LogCategories comes too late",
       "2.2.1"},
      {"dahlquist_2",
       {"<DefaultExperiment", "<DefaultExperiment/><DefaultExperiment"},
       "fmi-check-schema",
       "there can be only one DefaultExperiment",
       "2.2.1"},
      {"dahlquist_2", {"<Real start=\"1\"/>", ""}, "fmi-check-schema", "Real or Integer", "2.0, 2.2.7"},
      {"dahlquist_2", {"encoding=\"UTF-8\"", "encoding=\"latin1\""}, "fmi-check-schema", "the encoding is LATIN1", ""},
      {"feedthrough_2",
       {"<Integer start=\"0\"/>", "<Integer start=\"3000000000\"/>"},
       "fmi-check-schema",
       "is not a whole number of type int32",
       "2.2.7"},
      {"feedthrough_3",
       {"<Int8 name=\"Int8_input\"", "<Int8 max=\"128\" name=\"Int8_input\""},
       "fmi-check-schema",
       "is not a whole number of type int8",
       "3.0, 2.4.7"},
      {"feedthrough_3",
       {"<Start value=\"666f6f\"/>", "<Start value=\"66g\"/>"},
       "fmi-check-schema",
       "pairs of hexadecimal digits",
       "2.4.7"},
      {"clocks_3",
       {"intervalVariability=\"triggered\"", "intervalVariability=\"sometimes\""},
       "fmi-check-schema",
       "is not one of constant, fixed, calculated, tunable",
       "2.4.7"},
      {"input_integral_1_cs",
       {"numberOfEventIndicators=\"0\"", ""},
       "fmi-check-schema",
       "the attribute numberOfEventIndicators is missing",
       "FMI 1.0, description schema"},
      {"drive_motor_2",
       {"dependencies=\"1 2 7\"", "dependencies=\"1 x\""},
       "fmi-check-schema",
       "\"x\" is not a whole number",
       "2.2.8"},
  };
  for (const Rule& rule : rules) expect_violation(rule);
}

TEST(FmuCheck, HeadTypesAndUnits) {
  const Rule rules[] = {
      {"dahlquist_2", {"fmiVersion=\"2.0\"", "fmiVersion=\"2.7\""}, "fmi-check-head", "not a version", "2.2.1"},
      {"dahlquist_2", {"guid=\"{test}\"", "guid=\"\""}, "fmi-check-head", "guid is empty", "2.2.1"},
      {"dahlquist_2",
       {"modelIdentifier=\"dahlquist\"", "modelIdentifier=\"1st\""},
       "fmi-check-head",
       "not a C identifier",
       "2.2.1"},
      {"dahlquist_2", {"stopTime=\"10\"", "stopTime=\"-1\""}, "fmi-check-head", "stopTime is before", "2.2.5"},
      {"dahlquist_2",
       {"stepSize=\"0.1\"", "stepSize=\"0\""},
       "fmi-check-schema",
       "is not a number greater than 0",
       "2.2.5"},
      {"dahlquist_2", {"canGetAndSetFMUstate=\"true\"", ""}, "fmi-check-head", "can be serialised only", "2.2.1"},
      {"dahlquist_2",
       {"<Category name=\"chatter\"/>", "<Category name=\"chatter\"/><Category name=\"chatter\"/>"},
       "fmi-check-head",
       "log category \"chatter\" is defined twice",
       "2.2.4"},
      {"dahlquist_2", {"value=\"2\"", "value=\"1\""}, "fmi-check-head", "two items of one value", "2.2.3"},
      {"dahlquist_2",
       {"<TypeDefinitions>",
        "<UnitDefinitions><Unit name=\"m\"/><Unit name=\"m\"/></UnitDefinitions><TypeDefinitions>"},
       "fmi-check-head",
       "unit \"m\" is defined twice",
       "2.2.2"},
      {"dahlquist_2", {"<Real start=\"1\"", "<Real unit=\"m\" start=\"1\""}, "fmi-check-units", "not defined", "2.2.2"},
      {"dahlquist_2",
       {"<Real start=\"1\"", "<Real displayUnit=\"cm\" start=\"1\""},
       "fmi-check-units",
       "display unit \"cm\" is not defined",
       "2.2.2"},
      {"dahlquist_2",
       {"<Real start=\"1\"", "<Real declaredType=\"None\" start=\"1\""},
       "fmi-check-types",
       "\"None\" is not defined",
       "2.2.3"},
      {"dahlquist_2",
       {"<Real start=\"1\"", "<Real declaredType=\"Choice\" start=\"1\""},
       "fmi-check-types",
       "type \"Choice\" is a Enumeration",
       "2.2.3"},
  };
  for (const Rule& rule : rules) expect_violation(rule);
}

TEST(FmuCheck, Variables) {
  const Rule rules[] = {
      {"drive_motor_2", {"name=\"w\"", "name=\"i\""}, "fmi-check-names", "the name is used twice", "2.2.7"},
      {"drive_motor_2",
       {"causality=\"parameter\" variability=\"fixed\"", "causality=\"parameter\" variability=\"continuous\""},
       "fmi-check-variability",
       "exclude each other",
       "2.2.7"},
      {"drive_motor_2",
       {"causality=\"input\"", "causality=\"input\" initial=\"exact\""},
       "fmi-check-start",
       "initial=\"exact\" is not allowed for inputs",
       "2.2.7"},
      {"drive_motor_2",
       {"causality=\"parameter\"", "causality=\"parameter\" initial=\"calculated\""},
       "fmi-check-start",
       "is not allowed for parameters",
       "2.2.7"},
      {"drive_motor_2", {"<Real start=\"6.2\"/>", "<Real/>"}, "fmi-check-start", "a start value is required", "2.2.7"},
      {"drive_motor_2",
       {"<Real derivative=\"1\"/>", "<Real derivative=\"1\" start=\"1\"/>"},
       "fmi-check-start",
       "a start value is not allowed",
       "2.2.7"},
      {"drive_motor_2",
       {"<Real start=\"6.2\"/>", "<Real max=\"6\" start=\"6.2\"/>"},
       "fmi-check-limits",
       "lies outside min and max",
       "2.2.7"},
      {"drive_motor_2",
       {"<Real start=\"6.2\"/>", "<Real nominal=\"-1\" start=\"6.2\"/>"},
       "fmi-check-limits",
       "nominal is not greater",
       "2.2.7"},
      {"drive_motor_2",
       {"<Real start=\"6.2\"/>", "<Real reinit=\"true\" start=\"6.2\"/>"},
       "fmi-check-limits",
       "reinit is for states only",
       "2.2.7"},
      {"feedthrough_2",
       {"declaredType=\"Choice\"", "declaredType=\"Choice\" min=\"5\" max=\"1\""},
       "fmi-check-limits",
       "min is greater than max",
       "2.2.7"},
      {"feedthrough_2", {"<Enumeration start=\"1\"", "<Enumeration start=\"7\""}, "fmi-check-start", "is no item", ""},
      {"drive_motor_2",
       {"valueReference=\"7\"", "valueReference=\"6\""},
       "fmi-check-aliases",
       "several variables with this valueReference can be set",
       "2.2.7"},
      {"input_integral_1_cs", {" alias=\"negatedAlias\"", ""}, "fmi-check-aliases", "just one has no alias", "FMI 1.0"},
      {"dahlquist_3", {"valueReference=\"2\"", "valueReference=\"1\""}, "fmi-check-references", "is used twice", ""},
      {"dahlquist_3", {"causality=\"independent\"", ""}, "fmi-check-head", "no variable is independent", "2.4.7"},
      {"state_space_3",
       {"causality=\"structuralParameter\"", "causality=\"parameter\""},
       "fmi-check-references",
       "does not name a structural parameter",
       "3.0, 2.4.7"},
      {"state_space_3", {"start=\"1 2 3\"", "start=\"1 2\""}, "fmi-check-start", "2 start values for 3", "2.4.7"},
      {"clocks_3", {"clocks=\"14001\"", "clocks=\"999\""}, "fmi-check-references", "999 is no clock", "2.4.7"},
      {"clocks_3", {"intervalDecimal=\"1\"", ""}, "fmi-check-clocks", "a constant clock needs an interval", "2.4.7"},
      {"clocks_3", {"priority=\"1\"", "intervalDecimal=\"1\""}, "fmi-check-clocks", "has neither interval", "2.4.7"},
  };
  for (const Rule& rule : rules) expect_violation(rule);
}

TEST(FmuCheck, Structure) {
  const Rule rules[] = {
      {"drive_motor_2",
       {"<Outputs><Unknown index=\"9\"", "<Outputs><Unknown index=\"8\""},
       "fmi-check-structure",
       "listed as an output, but it is none",
       "2.2.8"},
      {"drive_motor_2",
       {"<Outputs><Unknown index=\"9\"", "<Outputs><Unknown index=\"8\""},
       "fmi-check-structure",
       "this output is missing",
       "2.2.8"},
      {"drive_motor_2",
       {"<Unknown index=\"9\"/></InitialUnknowns>", "</InitialUnknowns>"},
       "fmi-check-structure",
       "this initial unknown is missing",
       "2.2.8"},
      {"drive_motor_2",
       {"<Unknown index=\"9\"/></InitialUnknowns>", "<Unknown index=\"9\"/><Unknown index=\"10\"/></InitialUnknowns>"},
       "fmi-check-structure",
       "its value is given",
       "2.2.8"},
      {"drive_motor_2",
       {"<InitialUnknowns><Unknown index=\"4\"/><Unknown index=\"5\"/>",
        "<InitialUnknowns><Unknown index=\"5\"/><Unknown index=\"4\"/>"},
       "fmi-check-structure",
       "not in the order of the variables",
       "2.2.8"},
      {"drive_motor_2", {"dependencies=\"1 2 7\"", "dependencies=\"2 1 7\""}, "fmi-check-structure", "order", "2.2.8"},
      {"drive_motor_2",
       {"dependencies=\"1 2 7\"", "dependencies=\"1 2 10\""},
       "fmi-check-structure",
       "R is not among what an output or derivative can depend on",
       "2.2.8"},
      {"drive_motor_2",
       {"dependencies=\"1 2 7\"", "dependencies=\"1 2 7\" dependenciesKind=\"dependent\""},
       "fmi-check-structure",
       "different lengths",
       "2.2.8"},
      {"drive_motor_2", {"<Real derivative=\"1\"/>", "<Real/>"}, "fmi-check-structure", "of which state", "2.2.8"},
      {"drive_motor_2",
       {"<Real derivative=\"1\"/>", "<Real derivative=\"7\"/>"},
       "fmi-check-structure",
       "a state is continuous, and local or an output",
       "2.2.8"},
  };
  for (const Rule& rule : rules) expect_violation(rule);
}

TEST(FmuCheck, Archive) {
  const auto violations = [](const char* name, const std::vector<ArchiveEntry>& files) {
    return violations_of(AlteredFmu(name, {}, files).path());
  };
  const std::string stray = violations("dahlquist_2", {{"notes.txt", "a"}, {"more/x", "b"}, {"more/y", "c"}});
  EXPECT_NE(stray.find("/notes.txt: warning[fmi-check-archive]"), std::string::npos) << stray;
  EXPECT_NE(stray.find("/more: warning"), std::string::npos) << stray;
  EXPECT_EQ(stray.find("/more/y"), std::string::npos) << stray;
  EXPECT_NE(violations("dahlquist_2", {{"documentation/a.html", ""}}).find("index.html is missing"), std::string::npos);
  EXPECT_NE(violations("dahlquist_2", {{"binaries/amiga/dahlquist.so", ""}}).find("no such platform"),
            std::string::npos);
  EXPECT_NE(violations("dahlquist_3", {{"sources/a.c", ""}}).find("need a build description"), std::string::npos);
  const std::string build =
      violations("dahlquist_3", {{"sources/buildDescription.xml",
                                  "<fmiBuildDescription fmiVersion=\"3.0\"><BuildConfiguration modelIdentifier=\"d\">"
                                  "<SourceFileSet><SourceFile name=\"b.c\" size=\"3\"/></SourceFileSet>"
                                  "</BuildConfiguration></fmiBuildDescription>"}});
  EXPECT_NE(build.find("SourceFile: there is no attribute size (FMI 3.0, 2.5.1)"), std::string::npos) << build;
  EXPECT_NE(build.find("sources/b.c: error[fmi-check-archive]"), std::string::npos) << build;
  const std::string terminals = violations(
      "dahlquist_3", {{"terminalsAndIcons/terminalsAndIcons.xml",
                       "<fmiTerminalsAndIcons fmiVersion=\"3.0\"><Terminals><Terminal name=\"t\" matchingRule=\"plug\">"
                       "<TerminalMemberVariable variableKind=\"signal\" variableName=\"ghost\"/></Terminal></Terminals>"
                       "</fmiTerminalsAndIcons>"}});
  EXPECT_NE(terminals.find("\"ghost\", which does not exist"), std::string::npos) << terminals;
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<Terminal name=\"t\" matchingRule=\"plug\">";
  for (int k = 0; k < 100000; ++k) deep += "</Terminal>";
  const std::string nested =
      violations("dahlquist_3",
                 {{"terminalsAndIcons/terminalsAndIcons.xml", "<fmiTerminalsAndIcons fmiVersion=\"3.0\"><Terminals>" +
                                                                  deep + "</Terminals></fmiTerminalsAndIcons>"}});
  EXPECT_NE(nested.find("nested too deeply"), std::string::npos);
}

TEST(FmuCheck, OurOwnDescriptionsKeepTheStandard) {
  for (const char* name : {"bouncing_ball", "van_der_pol", "dahlquist", "stairs", "feedthrough", "drive_motor"}) {
    for (const char* version : {"_1_me", "_1_cs", "_2", "_3"}) {
      EXPECT_EQ(violations_of(fmu(std::string(name) + version)), "");
    }
  }
  EXPECT_EQ(violations_of(fmu("state_space_3")), "");
  EXPECT_EQ(violations_of(fmu("clocks_3")), "");
}

TEST(FmuCheck, OurOwnFmusDoAsTheySay) {
  for (const char* name : {"bouncing_ball", "van_der_pol", "stairs", "feedthrough", "drive_motor", "input_integral"}) {
    for (const char* version : {"_1_me", "_1_cs", "_2", "_3"}) {
      EXPECT_EQ(violations_of(fmu(std::string(name) + version), true), "");
    }
  }
  EXPECT_EQ(violations_of(fmu("state_space_3"), true), "");
  EXPECT_EQ(violations_of(fmu("clocks_3"), true), "");
}

TEST(FmuCheck, Behaviour) {
  const auto expect = [](const std::string& file, const char* words) {
    const std::string text = violations_of(file, true);
    EXPECT_NE(text.find("[fmi-check-behaviour]"), std::string::npos) << words;
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  };
  expect(fmu("quirk_no_reset_2"), "x: Co-Simulation: has another value after a reset");
  expect(fmu("quirk_wrong_directional_2"), "differ from differences (FMI 2.0, 2.1.9)");
  expect(fmu("quirk_endless_iteration_2"), "the event iteration does not end (FMI 2.0, 3.2)");
  if (!under_sanitizer) expect(fmu("crash_2"), "crashed in fmi2");
  const auto altered = [&](const char* name, const char* from, const char* to, const char* words) {
    expect(AlteredFmu(name, {{from, to}}).path(), words);
  };
  altered("dahlquist_2", "<Real start=\"1\"/>", "<Real start=\"2\"/>",
          "x: Model Exchange: the start value is 1, the description says 2 (FMI 2.0, 2.2.7)");
  altered("dahlquist_2", "<Real start=\"1\"/>", "<Real start=\"1\" max=\"0.5\"/>",
          "the value 1 lies outside min and max");
  altered("drive_motor_2", "dependencies=\"1 2 7\"", "dependencies=\"1 2\"",
          "der(i): Model Exchange: depends on v, but its dependencies do not say so (FMI 2.0, 2.2.8)");
  altered("drive_motor_2", "dependencies=\"1 2 7\"", "dependencies=\"1 7\"", "der(i): Model Exchange: depends on w");
  altered("bouncing_ball_3", "<EventIndicator valueReference=\"900\"/>", "",
          "the number of event indicators is 1, the description lists 0 (FMI 3.0, 2.4.8)");
}

}  // namespace
}  // namespace orrery::fmi
