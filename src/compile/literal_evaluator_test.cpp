// SPDX-License-Identifier: Apache-2.0
// Values, scopes and diagnostics of constant expressions.
#include "compile/literal_evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery::compile {
namespace {

using program::Scalar;

// "2x2 double: 1 3 2 4", column by column; texts in quotes, lists in braces.
std::string show(const Value& value) {
  if (value.is_text()) return "'" + value.text + "'";
  std::string result;
  if (value.is_list()) {
    for (const Value& item : value.items) result += (result.empty() ? "" : ", ") + show(item);
    return "{" + result + "}";
  }
  if (!value.is_scalar()) result = std::to_string(value.rows) + "x" + std::to_string(value.cols) + " ";
  if (value.type != Scalar::f64) result += std::string(program::name_of(value.type)) + " ";
  for (std::size_t k = 0; k < value.size(); ++k) {
    char buffer[80];
    std::snprintf(buffer, sizeof buffer, value.imag.empty() ? "%.6g" : "%.6g%+.6gi", value.real[k], value.at(k).imag());
    result += (k ? " " : "") + std::string(buffer);
  }
  return result;
}

struct Case {
  const char* text;
  const char* value;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.text; }

class Expression : public testing::TestWithParam<Case> {};

TEST_P(Expression, HasItsValue) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  ASSERT_TRUE(evaluator.run({"p = 5; q = 2;", "v = [10 20 30]; m = [1 2; 3 4];", "c = {1, 'two'};"}, {}, diagnostics));
  const auto value = evaluator.evaluate(GetParam().text, {}, diagnostics);
  ASSERT_TRUE(value) << to_text(diagnostics);
  EXPECT_EQ(show(*value), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Values, Expression,
    testing::Values(
        Case{"3", "3"}, Case{".5", "0.5"}, Case{"1e-3", "0.001"}, Case{"0x1F", "31"}, Case{"2i", "complex 0+2i"},
        Case{"3.", "3"}, Case{" 1 + 2*3 \n", "7"}, Case{"(1 + 2)*3", "9"}, Case{"-2^2", "-4"}, Case{"2^-1", "0.5"},
        Case{"2^3^2", "64"}, Case{"-p", "-5"}, Case{"--p", "5"}, Case{"1 - -1", "2"}, Case{"7/2", "3.5"},
        Case{"'it''s'", "'it's'"}, Case{"\"a\\n%\"", "'a\n%'"}, Case{"['ab' 'cd']", "'abcd'"},
        Case{"[p -q]", "1x2 5 -2"}, Case{"[p - q]", "3"}, Case{"[p-q]", "3"}, Case{"[p, -q]", "1x2 5 -2"},
        Case{"[(p -q)]", "3"}, Case{"[v (1)]", "1x4 10 20 30 1"}, Case{"[v(1)]", "10"}, Case{"[p' q']", "1x2 5 2"},
        Case{"sin (0) + v (2)", "20"}, Case{"[1 2;3 4]", "2x2 1 3 2 4"}, Case{"[1 2\n3 4]", "2x2 1 3 2 4"},
        Case{"[1 ...\n 2]", "1x2 1 2"}, Case{"[1 2;3 4]'", "2x2 1 2 3 4"}, Case{"[1;2]*[3 4]", "2x2 3 6 4 8"},
        Case{"[m; v(1:2)]", "3x2 1 3 10 2 4 20"}, Case{"[]", "0x0 "}, Case{"[[] 1]", "1"},
        Case{"[1 2i]", "1x2 complex 1+0i 0+2i"}, Case{"[1+2i 3]'", "2x1 complex 1-2i 3-0i"},
        Case{"[1+2i 3].'", "2x1 complex 1+2i 3+0i"}, Case{"1:3", "1x3 1 2 3"}, Case{"0:0.1:0.3", "1x4 0 0.1 0.2 0.3"},
        Case{"3:-1:1", "1x3 3 2 1"}, Case{"3:1", "1x0 "}, Case{"{1, 'a'; [1 2], {}}", "{1, 1x2 1 2, 'a', {}}"},
        Case{"c{2}", "'two'"}, Case{"v(2)", "20"}, Case{"v(end)", "30"}, Case{"v(2:end)", "1x2 20 30"},
        Case{"m(2, 1)", "3"}, Case{"m(:, 2)", "2x1 2 4"}, Case{"m(end, :)", "1x2 3 4"}, Case{"m(end)", "4"},
        Case{"m(:)", "4x1 1 3 2 4"}, Case{"v(v > 15)", "1x2 20 30"}, Case{"v(max([1 3 2]))", "30"},
        Case{"sum([true true])", "2"}, Case{"m^2", "2x2 7 15 10 22"}, Case{"m.^2", "2x2 1 9 4 16"},
        Case{"3.*v", "1x3 30 60 90"}, Case{"v./10", "1x3 1 2 3"}, Case{"p == 5", "boolean 1"},
        Case{"v >= 20 & v ~= 30", "1x3 boolean 0 1 0"}, Case{"~true || p < q", "boolean 0"}, Case{"pi", "3.14159"},
        Case{"e", "2.71828"}, Case{"-inf", "-inf"}, Case{"i*i", "-1"}, Case{"sqrt(-4)", "complex 0+2i"},
        Case{"sqrt([4 9])", "1x2 2 3"}, Case{"atan2(1, 1)*4", "3.14159"}, Case{"mod(-1, 3)", "2"},
        Case{"rem(-1, 3)", "-1"}, Case{"max([1 5; 7 2])", "1x2 7 5"}, Case{"min(3, [1 4])", "1x2 1 3"},
        Case{"sum(v)", "60"}, Case{"prod([1 2;3 4])", "1x2 3 8"}, Case{"zeros(1, 2)", "1x2 0 0"},
        Case{"ones(2)", "2x2 1 1 1 1"}, Case{"eye(2)", "2x2 1 0 0 1"}, Case{"linspace(0, 1, 3)", "1x3 0 0.5 1"},
        Case{"diag([1 2])", "2x2 1 0 0 2"}, Case{"diag(m)", "2x1 1 4"}, Case{"size(zeros(2, 3))", "1x2 2 3"},
        Case{"length(v)", "3"}, Case{"numel(m)", "4"}, Case{"rows(v) + cols(v)", "4"}, Case{"int8(200)", "int8 127"},
        Case{"uint8(3) / 2", "uint8 2"}, Case{"boolean([2 0])", "1x2 boolean 1 0"}, Case{"isempty([])", "boolean 1"},
        Case{"abs(3 + 4i)", "5"}, Case{"conj(1 + 2i)", "complex 1-2i"}, Case{"real(1 + 2i) + imag(1 + 2i)", "3"},
        Case{"round(-2.5)", "-3"}));

TEST(LiteralEvaluator, RemembersDecimalLiteralsThroughVariables) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  ASSERT_TRUE(evaluator.run({"T = 0.1; U = 2*0.1;"}, {}, diagnostics));
  EXPECT_EQ(evaluator.evaluate(" 2.50e-1 ", {}, diagnostics)->literal, "2.50e-1");
  EXPECT_EQ(evaluator.evaluate("T", {}, diagnostics)->literal, "0.1");
  for (const char* text : {"U", "-T", "T'", "T + 0", "0x10", "1i", "abs(T)", "double(T)", "T(1)"}) {
    EXPECT_FALSE(evaluator.evaluate(text, {}, diagnostics)->literal) << text;
  }
}

TEST(LiteralEvaluator, InnerScopesSeeOuterNamesNotViceVersa) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  evaluator.set("a", Value::number(1));
  evaluator.push_scope();
  ASSERT_TRUE(evaluator.run({"b = a + 1; % comment", "", "a = 7"}, {}, diagnostics)) << to_text(diagnostics);
  EXPECT_EQ(evaluator.evaluate("a*b", {}, diagnostics)->scalar(), 14);
  evaluator.pop_scope();
  EXPECT_EQ(evaluator.evaluate("a", {}, diagnostics)->scalar(), 1);
  EXPECT_FALSE(evaluator.evaluate("b", {}, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].code, "undefined-name");
}

struct Fault {
  const char* text;
  const char* code;
  const char* character;
  const char* help = "";
};

std::ostream& operator<<(std::ostream& out, const Fault& f) { return out << f.text; }

class ExpressionFault : public testing::TestWithParam<Fault> {};

TEST_P(ExpressionFault, IsReportedWithItsPlace) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  evaluator.set("gravity", Value::number(9.81));
  Place place;
  place.file = "m.orr";
  place.line = 7;
  EXPECT_FALSE(evaluator.evaluate(GetParam().text, place, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  const Diagnostic& found = diagnostics.all()[0];
  EXPECT_EQ(found.code, GetParam().code) << found.message;
  EXPECT_EQ(found.place.line, 7);
  EXPECT_TRUE(found.notes.at(0).starts_with("at character " + std::string(GetParam().character))) << found.notes[0];
  EXPECT_NE(found.help.find(GetParam().help), std::string::npos) << found.help;
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ExpressionFault,
    testing::Values(Fault{"", "parameter-syntax", "1"}, Fault{"1 +", "parameter-syntax", "4"},
                    Fault{"[1 2", "parameter-syntax", "5"}, Fault{"(1", "parameter-syntax", "3"},
                    Fault{"1 2", "parameter-syntax", "3"}, Fault{"3x", "parameter-syntax", "2"},
                    Fault{"'abc", "parameter-syntax", "5", "add '"}, Fault{"1e999", "parameter-syntax", "6"},
                    Fault{"\xc3\xa9", "parameter-syntax", "1"},
                    Fault{"1 + gravty", "undefined-name", "5", "\"gravity\""},
                    Fault{"2*sqtr(1)", "unknown-function", "3", "\"sqrt\""}, Fault{"[1 2; 3]", "parameter-size", "9"},
                    Fault{"[1 2] + [1 2 3]", "parameter-size", "16"}, Fault{"[1 2]*[1 2]", "parameter-size", "12"},
                    Fault{"gravity(2)", "parameter-size", "11"}, Fault{"zeros(1e9)", "parameter-size", "11"},
                    Fault{"0:1e-12:1", "parameter-size", "10"}, Fault{"sin(1, 2)", "parameter-size", "10"},
                    Fault{"'a' + 1", "parameter-type", "8"},
                    Fault{"int8(1) + int16(1)", "parameter-type", "19", "double()"},
                    Fault{"[1 'a']", "parameter-type", "8", "{1, 'text'}"}, Fault{"1i < 2", "parameter-type", "7"}));

TEST(LiteralEvaluator, ContextErrorsNameTheirLine) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  Place place;
  place.line = 10;
  EXPECT_FALSE(evaluator.run({"a = 1;", "b = [1 2", "     3 c];"}, place, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].place.line, 12);
  EXPECT_EQ(diagnostics.all()[0].notes[0], "at character 8 of:      3 c];");
  EXPECT_EQ(evaluator.evaluate("a", place, diagnostics)->scalar(), 1);
  EXPECT_FALSE(evaluator.run({"sin(1);"}, place, diagnostics));
  EXPECT_EQ(diagnostics.all()[1].code, "parameter-syntax");
}

TEST(LiteralEvaluator, SurvivesDeepAndRandomTexts) {
  LiteralEvaluator evaluator;
  Diagnostics diagnostics;
  for (const char* open : {"(", "[", "{", "sin(", "-", "1^", "1+(", "[1 ", "v("}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    evaluator.set("v", Value::matrix(2, 2));
    EXPECT_FALSE(evaluator.evaluate(text, {}, diagnostics)) << open;
  }
  std::mt19937 random(7);
  constexpr std::string_view parts[] = {"1",     "2.5",   "v", "[",   "]",   "(",    ")",    "{",      "}",   " ",
                                        ",",     ";",     ":", "+",   "-",   "*",    "/",    "^",      ".^",  "'",
                                        "\"",    "==",    "&", "~",   "end", "sum(", "max(", "zeros(", "i",   "int8(",
                                        "size(", "diag(", "%", "...", "\n",  "=",    "'a'",  "inf",    "nan", "[]"};
  for (int n = 0; n < 50'000; ++n) {
    std::string text;
    for (std::size_t k = random() % 12 + 1; k > 0; --k) text += parts[random() % std::size(parts)];
    Diagnostics found;
    const auto value = evaluator.evaluate(text, {}, found);
    EXPECT_EQ(value.has_value(), !found.has_errors()) << text;
  }
}

}  // namespace
}  // namespace orrery::compile
