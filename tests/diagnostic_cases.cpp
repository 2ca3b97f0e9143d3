// SPDX-License-Identifier: Apache-2.0
// The mistakes.
#include "diagnostic_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "api/pictures.h"
#include "api/run.h"
#include "base/folders_for_tests.h"
#include "edit/command_text.h"
#include "io/csv.h"
#include "io/output_file.h"
#include "io/png.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests {
namespace {

using Change = std::function<void(api::RunRequest&)>;

Diagnostics run_changed(const std::string& text, const Change& change) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(cache_of_this_process()) / "cases";
  fs::create_directories(folder);
  api::RunRequest request;
  request.file = (folder / "case.orr").string();
  request.tier = api::TierChoice::first;
  std::ofstream(request.file) << (text.starts_with('{') ? text : model::write(diagram(text)));
  if (change) change(request);
  return api::run(request).diagnostics;
}

DiagnosticCase in_model(std::string code, std::string place, std::string text, bool help = true) {
  return {std::move(code), std::move(place), [text = std::move(text)] { return run_case(text); }, help};
}

// With a function f of a context, whose block is F and whose output is y.
DiagnosticCase in_function(std::string code, std::string text, std::vector<std::string> body) {
  body.insert(body.begin(), {"function block=f(block, flag)", "if flag==1"});
  body.insert(body.end(), {"block.io{2}=y;", "end", "end"});
  const auto provoke = [text = std::move(text), body = std::move(body)] {
    model::Model model = diagram(text);
    model.root.context = body;
    return run_model(model, {}).diagnostics;
  };
  return {std::move(code), "/F", provoke, true};
}

DiagnosticCase asked(std::string code, std::string place, std::string text, Change change) {
  return {std::move(code), std::move(place),
          [text = std::move(text), change = std::move(change)] { return run_changed(text, change); }, true};
}

DiagnosticCase in_expression(std::string code, std::string text, bool help) {
  const auto provoke = [text = std::move(text)] {
    Diagnostics diagnostics;
    const auto evaluator = api::make_evaluator();
    evaluator->evaluate(text, {"case.orr", 3, 0, "/A", "parameter k"}, diagnostics);
    return diagnostics;
  };
  return {std::move(code), "case.orr:3 /A parameter k", provoke, help};
}

DiagnosticCase in_csv(std::string code, std::string place, std::string text) {
  const auto provoke = [text = std::move(text)] {
    Diagnostics diagnostics;
    io::parse_csv(text, "table.csv", diagnostics);
    return diagnostics;
  };
  return {std::move(code), std::move(place), provoke, true};
}

std::string nested(int depth) {
  std::string text = R"({"orrery": 1, "blocks": [)";
  for (int k = 0; k < depth; ++k) text += R"({"name": "S", "type": "SuperBlock", "diagram": {"blocks": [)";
  for (int k = 0; k < depth; ++k) text += "]}}";
  return text + "]}";
}

// A constant c that the context makes of p = 2.
std::string start_model(const std::string& statement) {
  return "{\"orrery\": 1,\n\"context\": [\"p = 2; " + statement +
         "\"],\n\"blocks\": [{\"name\": \"C\", \"type\": \"Constant\", \"parameters\": {\"value\": \"c\"}},"
         "{\"name\": \"G\", \"type\": \"Gain\"}],\n\"links\": [{\"from\": \"C:1\", \"to\": [\"G:1\"]}]}";
}

std::string with_unknown_fields(int count) {
  std::string text = R"({"orrery": 1)";
  for (int k = 0; k < count; ++k) text += fmt::format(",\n\"field{}\": 1", k);
  return text + "}";
}

}  // namespace

std::string place_text(const Place& place) {
  std::string text = place.file.substr(place.file.find_last_of('/') + 1);
  if (place.line > 0) text += fmt::format(":{}", place.line);
  for (const std::string* part : {&place.block, &place.port}) {
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  return text;
}

Diagnostics run_case(const std::string& model) { return run_changed(model, {}); }

std::vector<DiagnosticCase> loader_cases() {
  const std::string head = "{\"orrery\": 1,\n";
  const auto one_block = [&head](const std::string& rest) {
    return head + "\"blocks\": [{\"name\": \"A\", \"type\": \"Gain\"" + rest;
  };
  return {
      in_model("json-syntax", "case.orr:2", one_block("")),  // truncated
      in_model("json-syntax", "case.orr:1", "{// a remark\n}"),
      in_model("invalid-utf8", "case.orr:2", head + "\"name\": \"\xff\"}"),
      in_model("duplicate-field", "case.orr:2", head + "\"name\": \"a\", \"name\": \"b\"}"),
      in_model("unknown-field", "case.orr:2", head + "\"block\": []}"),
      in_model("wrong-kind", "case.orr:2", head + "\"blocks\": 3}", false),
      in_model("nesting-too-deep", "case.orr:1", nested(150)),
      in_model("missing-field", "case.orr:2", head + "\"blocks\": [{\"name\": \"A\"}]}", false),
      in_model("bad-name", "case.orr:2", head + "\"blocks\": [{\"name\": \"A/B\", \"type\": \"Gain\"}]}"),
      in_model("unsupported-version", "case.orr:1", "{\"orrery\": 99}"),
      in_model("unknown-value", "case.orr:2 /A", one_block(", \"activation\": \"sometimes\"}]}")),
      in_model("bad-port-reference", "case.orr:3",
               one_block("}],\n\"links\": [{\"from\": \"A\", \"to\": [\"A:1\"]}]}")),
      in_model("too-many-errors", "case.orr", with_unknown_fields(150)),
      in_model("duplicate-block", "case.orr:2 /A", one_block("}, {\"name\": \"A\", \"type\": \"Gain\"}]}")),
      in_model("dangling-layout", "case.orr:3", one_block("}],\n\"layout\": {\"Z\": [0, 0, 1, 1]}}")),
      in_model("dangling-link", "case.orr:3", one_block("}],\n\"links\": [{\"from\": \"A:1\", \"to\": [\"Z:1\"]}]}")),
  };
}

std::vector<DiagnosticCase> compiler_cases() {
  const std::string through = R"({"orrery": 1, "blocks": [
    {"name": "S", "type": "SuperBlock", "diagram": {"blocks": [
      {"name": "u", "type": "Input"}, {"name": "y", "type": "Output"}],
      "links": [{"from": "u:1", "to": ["y:1"]}]}},
    {"name": "G", "type": "Gain"}],
    "links": [{"from": "S:1", "to": ["S:1", "G:1"]}]})";
  return {
      in_function("unlocated-corner", "X: Integral x0=1\nF: PCustomBlock code=f\nX:1 -> F:1\nF:1 -> X:1",
                  {"y=-1;", "while -y<block.io{1}", "  y=2*y;", "end"}),
      in_model("unknown-block", "/A", "A: Gian"),
      in_model("unknown-parameter", "/A parameter", "A: Constant valu=3"),
      in_model(
          "missing-parameter", "case.orr:1 /S parameter c",
          R"({"orrery": 1, "blocks": [{"name": "S", "type": "SuperBlock", "diagram": {"mask": [{"name": "c"}]}}]})"),
      in_model("bad-choice", "/A parameter function", "T: Time\nA: MathFunc function='expp'\nT:1 -> A:1"),
      in_model("bad-parameter", "/A parameter period", "A: EventClock period=-1", false),
      in_model("duplicate-tag", "/B", "T: Time\nA: SetSignal\nB: SetSignal\nT:1 -> A:1 B:1"),
      in_model("unknown-tag", "/A", "A: GetSignal tag='nobody'\nG: Gain\nA:1 -> G:1"),
      in_model("bus-not-signal", "/G input 1", "T: Time\nB: BusCreator names='a'\nG: Gain\nT:1 -> B:1\nB:1 -> G:1"),
      in_model("no-such-signal", "/X parameter names",
               "T: Time\nB: BusCreator names='a'\nX: BusExtractor names='b'\nT:1 -> B:1\nB:1 -> X:1"),
      in_model("no-continuous-time", "/X",
               "C: SampleClock\nZ: EventPortZero\nX: Integral\nG: Gain\nC:1 => Z:1\nX:1 -> G:1\nG:1 -> X:1"),
      in_model("input-driven-twice", "/G input 1", "T: Time\nG: Gain\nT:1 -> G:1\nT:1 -> G:1"),
      in_model("no-such-port", "/G input 2", "T: Time\nG: Gain\nT:1 -> G:2"),
      in_model("link-loop", "/", through),
      in_model("misplaced-block", "/E", "E: EnableInput"),
      in_model("cannot-include", "/A parameter file", "A: IncludeDiagram file='nowhere.orr'"),
      in_model("include-cycle", "/A parameter file", "A: IncludeDiagram file='case.orr'"),
      in_model("cannot-repeat", "/S", R"({"orrery": 1, "blocks": [
        {"name": "C", "type": "SampleClock"}, {"name": "D", "type": "DiscreteDelay"},
        {"name": "G", "type": "Gain"},
        {"name": "S", "type": "SuperBlock", "diagram": {"atomic": true, "blocks": [
          {"name": "u", "type": "Input"}, {"name": "g", "type": "Gain"}, {"name": "r", "type": "RepeatActivation"},
          {"name": "y", "type": "Output"}],
          "links": [{"from": "u:1", "to": ["g:1"]}, {"from": "g:1", "to": ["r:1", "y:1"]}]}}],
        "links": [{"from": "S:1", "to": ["G:1"]}, {"from": "G:1", "to": ["S:1"]}, {"event": "C:1", "to": ["G:1"]}]})"),
      in_model("type-conflict", "/I input 1", "C: Constant value=true\nI: Integral\nC:1 -> I:1"),
      in_model("size-mismatch", "/I input 1", "C: Constant value=[1;2]\nI: Integral\nC:1 -> I:1"),
      in_model("ports-disagree", "/S",
               "A: Constant value=[1;2]\nB: Constant value=[1;2;3]\nS: Sum\nA:1 -> S:1\nB:1 -> S:2"),
      in_model("unconnected-input", "/S input 2", "T: Time\nS: Sum\nT:1 -> S:1"),
      in_model("algebraic-loop", "/",
               "T: Time\nA: LogicalOp\nB: LogicalOp operator='NOT'\nT:1 -> A:1\nB:1 -> A:2\nA:1 -> B:1"),
      in_model("singular-loop", "/", "A: Gain k=0.5\nB: Gain k=2\nA:1 -> B:1\nB:1 -> A:1"),
      in_model("singular-system", "/C", "T: Time\nC: Constraint\nT:1 -> C:1"),
      in_model("singular-system", "/D",
               "D: ImplicitDerivative x0=[1;0] xproperties=[1;-1]\nF: MatrixExpression "
               "expression='[u2(1)-u1(1);u2(1)+1]' inputs=2\nD:1 -> F:1\nD:2 -> F:2\nF:1 -> D:1"),
      in_model("bad-choice", "/Z parameter direction", "T: Time\nZ: ZeroCross direction=up\nT:1 -> Z:1"),
      in_model("bad-choice", "/S parameter names", "T: Time\nS: Scope names=speed\nT:1 -> S:1"),
      in_model("bad-parameter", "/S parameter names", "T: Time\nS: Scope names='a,b'\nT:1 -> S:1"),
      in_model("bad-parameter", "/I parameter x0", "T: Time\nI: Integral x0=inf\nT:1 -> I:1"),
      in_model("bad-parameter", "/I parameter x0", "C: Constant value=[1;2]\nI: Integral x0=[1;nan]\nC:1 -> I:1"),
      in_model("bad-parameter", "/R parameter b", "R: Random a=2 b=-1"),
      in_model("bad-parameter", "/R parameter b", "R: Random distribution='normal' b=-1", false),
      in_model("bad-parameter", "/R parameter a", "R: Random distribution='exponential' a=-1", false),
      in_model(
          "sliding-not-unique", "/A",
          "sliding true\nA: MathExpression expression='-sign(u1)'\nB: MathExpression expression='-sign(u1)'\n"
          "C: MathExpression inputs=2 expression='sign(u1)*sign(u2)'\nX: Integral x0=1\nY: Integral x0=1\nZ: Integral\n"
          "X:1 -> A:1 C:1\nY:1 -> B:1 C:2\nA:1 -> X:1\nB:1 -> Y:1\nC:1 -> Z:1"),
      in_model("never-activated", "/Z", "Z: DiscreteDelay\nG: Gain\nZ:1 -> G:1\nG:1 -> Z:1"),
      in_model("events-within-step", "/C",
               "solver rk4\nstep 0.1\nK: Constant\nX: Integral\nC: SampleClock period=0.03\nN: Counter\nK:1 -> X:1\n"
               "C:1 => N:1"),
      in_model("events-within-step", "/C",
               "solver rk4\nstep 0.1\nK: Constant\nX: Integral\nC: EventClock period=0.03\nN: Counter\nK:1 -> X:1\n"
               "C:1 => N:1"),
      in_model("reversal-not-located", "/B",
               "T: Time\nS: Sum signs='+-'\nF: MathExpression expression='u1^3'\nB: Backlash\nX: Integral\n"
               "T:1 -> S:1\nF:1 -> S:2\nS:1 -> F:1 B:1\nB:1 -> X:1"),
      in_model("never-activated", "/Z", "T: Time\nZ: DiscreteDelay\nT:1 -> Z:1"),
      in_model("never-activated", "/D", "T: Time\nD: EventVariableDelay\nN: Counter\nT:1 -> D:1\nD:1 => N:1"),
      in_model("never-activated", "/E", "E: EventInput\nN: Counter\nE:1 => N:1"),
      in_model("unconnected-activation", "/E activation input 2", "C: SampleClock\nE: EventScope inputs=2\nC:1 => E:1"),
      in_model("unconnected-activation", "/S activation input 1", R"({"orrery": 1, "blocks": [
        {"name": "S", "type": "SuperBlock", "diagram": {"blocks": [
          {"name": "e", "type": "EventInput"}, {"name": "n", "type": "Counter"}],
          "links": [{"event": "e:1", "to": ["n:1"]}]}}]})"),
      in_model("too-many-steps", "case.orr", "solver rk4\nstep 1e-300\nT: Time"),
      in_model("too-many-steps", "case.orr", "hmax 1e-300\nT: Time"),
      in_model("too-many-events", "/C", "C: SampleClock period=1e-15\nN: Counter\nC:1 => N:1"),
      asked("unused-step", "case.orr", "T: Time", [](api::RunRequest& r) { r.settings.step.text = "0.1"; }),
      in_model("bad-setting", "simulation.rtol", "rtol 10\nT: Time", false),
      in_model("bad-setting", "simulation.rtol", "rtol 1e-15\nT: Time", false),
      in_model("conditional-unknown", "/C",
               "K: SampleClock period=1\nL: SampleClock period=2\nN: Counter\nM: Counter\nC: LoopBreaker @inherit\n"
               "N:1 -> C:1\nL:1 => N:1\nK:1 => M:1"),
      in_model("loop-not-solved", "/C",
               "C: Constraint\nE: MathExpression expression='exp(u1)+1'\nO: Scope\nC:1 -> E:1 O:1\nE:1 -> C:1"),
      asked("no-sensitivity", "case.orr", "T: Time\nG: Gain\nT:1 -> G:1",
            [](api::RunRequest& r) { r.sensitivities = {"nobody"}; }),
      asked("sensitivity-by-differences", "case.orr", start_model("c = gamma(p);"),
            [](api::RunRequest& r) { r.sensitivities = {"p"}; }),
      asked("fixed-parameter", "case.orr:2 context", start_model("if p > 0, c = p; end"),
            [](api::RunRequest& r) {
              r.vary = {"p"};
              r.parameters = {{"p", {-1}}};
            }),
      asked("start-computation", "case.orr:2 context", start_model("c = chol(p);"),
            [](api::RunRequest& r) {
              r.vary = {"p"};
              r.parameters = {{"p", {-1}}};
            }),
      in_model("projection-ignored", "case.orr",
               "solver lsoda\nI: Integral\nT: Time\nK: Invariant\nT:1 -> I:1\nI:1 -> K:1"),
      in_model("needs-periodic-activation", "/R activation input 1",
               "E: EventClock\nR: ReSampleClock\nN: Counter\nE:1 => R:1\nR:1 => N:1"),
      in_model("clock-overflow", "/R",
               "C: SampleClock period=1e15\nR: ReSampleClock factor=9999\nR2: ReSampleClock factor=9999\nN: Counter\n"
               "C:1 => R:1\nR:1 => R2:1\nR2:1 => N:1",
               false),
      in_model(
          "clocks-do-not-fit", "/",
          "A: SampleClock period=1/999999937\nB: SampleClock period=1/999999893\nC: SampleClock period=1/999999883\n"
          "N: Counter\nA:1 => N:1\nB:1 => N:1\nC:1 => N:1"),
      asked("unknown-signal", "case.orr", "Speed: Time", [](api::RunRequest& r) { r.signals = {"/Sped"}; }),
      asked("unknown-column", "case.orr", "Speed: Time", [](api::RunRequest& r) { r.only = {"/Spe?"}; }),
      in_model("unknown-state", "case.orr:2 /T",
               "{\"orrery\": 1, \"blocks\": [{\"name\": \"T\", \"type\": \"Time\"}],\n"
               "\"simulation\": {\"tolerances\": {\"/T\": \"1e-3\"}}}"),
      in_expression("parameter-syntax", "1 +", false),
      in_expression("parameter-error", "[1 2] + [1 2 3]", false),
      in_expression("parameter-type", "@sin", true),
      in_expression("undefined-name", "a + 1", true),
  };
}

std::vector<DiagnosticCase> run_cases() {
  const std::string blow_up = "I: Integral x0=1\nP: Power\nI:1 -> P:1\nP:1 -> I:1\nstop 2\n";
  const std::string loop_of_events =
      "G: EventGenerate\nU: EventUnion\nD: EventDelay delay=0\nG:1 => U:1\nD:1 => U:2\nU:1 => D:1";
  return {
      in_model("missing-step", "case.orr:", "solver rk4\nT: Time"),
      in_model("unknown-solver", "case.orr:", "solver dorpi\nT: Time"),
      in_model("bad-setting", "case.orr:", "stop -1\nT: Time"),
      in_model("bad-setting", "simulation.stop", "stop [1,2]\nT: Time", false),
      in_model("bad-setting", "simulation.rtol", "rtol 0\nT: Time", false),
      in_model("bad-setting", "simulation.atol", "atol -1e-6\nT: Time", false),
      in_model("bad-setting", "simulation.hmax", "hmax nan\nT: Time", false),
      in_model("bad-setting", "simulation.step", "step 0\nT: Time", false),
      asked("unused-variable", "case.orr", "T: Time",
            [](api::RunRequest& r) {
              r.overrides = {{"nothing", "1"}};
            }),
      in_model("nan-derivative", "/I",
               "C: Constant value=-1\nL: MathFunc function='log'\nI: Integral\nC:1 -> L:1\nL:1 -> I:1"),
      in_model("nan-surface", "/A",
               "T: Time\nB: Bias bias=-1\nL: MathFunc function='log'\nA: Abs\nI: Integral\n"
               "T:1 -> B:1\nB:1 -> L:1\nL:1 -> A:1\nA:1 -> I:1"),
      in_model("infinite-signal", "/O", "T: Time\nL: MathFunc function='log'\nO: Scope\nT:1 -> L:1\nL:1 -> O:1"),
      in_model("crossings-too-close", "/Z",
               "stop 3\nT: Time\nF: MathExpression expression='sin(1/(u1-1.23456789))'\nZ: ZeroCross\nN: Counter\n"
               "T:1 -> F:1\nF:1 -> Z:1\nZ:1 => N:1"),
      in_model("nan-surface", "/Z",
               "T: Time\nB: Bias bias=-1\nL: MathFunc function='log'\nZ: ZeroCross\nT:1 -> B:1\nB:1 -> L:1\nL:1 -> Z:1",
               false),
      in_model("nan-delay", "/D",
               "C: Constant value=nan\nG: EventGenerate\nD: EventDelayedChannel\nC:1 -> D:1\nG:1 => D:1", false),
      in_model("nan-delay", "/D",
               "C: Constant value=nan\nG: EventGenerate\nD: EventVariableDelay\nC:1 -> D:1\nG:1 => D:1"),
      in_model("nan-state", "/G",
               "C: Constant value=nan\nO: Constant\nG: EventGenerate\nI: Integral reset='activation'\n"
               "O:1 -> I:1\nC:1 -> I:2\nG:1 => I:1"),
      in_model("step-underflow", "/I", blow_up),
      in_model("bad-delay", "/D", "T: Time\nD: FixedDelay T=1e-20\nS: Scope\nT:1 -> D:1\nD:1 -> S:1", false),
      in_model("delay-below-step", "/D",
               "solver rk4\nstep 0.1\nT: Time\nD: FixedDelay T=0.01\nS: Scope\nT:1 -> D:1\nD:1 -> S:1"),
      in_model("history-too-fast", "case.orr",
               "stop 1\nhmax 1\nU: SineWaveGenerator frequency=1e9\nD: FixedDelay T=1\nU:1 -> D:1"),
      in_model("chattering", "/S",
               "S: MathExpression expression='1-2*(u1>0)'\nI: Integral x0=1\nI:1 -> S:1\nS:1 -> I:1"),
      in_model("noisy-condition", "/R",
               "stop 2\nT: Time\nR: MathExpression expression='sin(1/(1-u1+1e-13))>0'\nS: Scope\nT:1 -> R:1\n"
               "R:1 -> S:1"),
      in_model("crossing-not-determined", "/Z",
               "stop 2\nsolver dopri\nC: Constant\nI: Integral reset='activation'\nO: Constant value=0\n"
               "B: Bias bias=-1.00000001\nZ: ZeroCross\nN: Counter\nG: EventGenerate times=1\n"
               "C:1 -> I:1\nO:1 -> I:2\nI:1 -> B:1\nB:1 -> Z:1\nZ:1 => N:1\nG:1 => I:1"),
      in_model("crossing-below-tolerance", "/Z",
               "stop 2\nsolver dopri\nT: Time\nF: MathExpression inputs=2 expression='1000*(cos(u2)-u1)-sin(u2)'\n"
               "I: Integral x0=1\nG: MathExpression inputs=2 expression='u1-cos(u2)'\nZ: ZeroCross\nN: Counter\n"
               "I:1 -> F:1 G:1\nT:1 -> F:2 G:2\nF:1 -> I:1\nG:1 -> Z:1\nZ:1 => N:1"),
      in_model(
          "zeno", "/Z",
          "B: JumpStateSpace A=[0,1;0,0] B=[0;1] C=[1,0;0,1] x0=[1;0]\nG: Constant value=-10\nS: Demux sizes=[1,1]\n"
          "K: MatrixGain K=[0,0;0,-0.5]\nZ: ZeroCross direction='down'\nG:1 -> B:1\nB:1 -> S:1\nB:1 -> K:1\n"
          "K:1 -> B:2\nS:1 -> Z:1\nZ:1 => B:1"),
      in_model("zero-delay-cycle", "/D", loop_of_events),
      in_model("jump-cycle", "/A",
               "A: Automaton modes=2 x0=0 jumps=[2;1]\nM: MatrixExpression expression='[u1(2)-1;u1(1);u1(1)-0.1]'\n"
               "N: MatrixExpression expression='[u1(2)+1;u1(1);0.1-u1(1)]'\nA:2 -> M:1 N:1\nM:1 -> A:1\nN:1 -> A:2"),
      in_model("endless-repetition", "/G", "G: EventGenerate\nR: RepeatActivation\nG:1 => R:1"),
      in_model("nan-signal", "/O",
               "T: Time\nB: Bias bias=-5\nL: MathFunc function='log'\nO: Scope\nT:1 -> B:1\nB:1 -> L:1\nL:1 -> O:1"),
      in_model("nan-surface", "/Z",
               "T: Time\nF: MathExpression expression='tan(u1)'\nZ: ZeroCross\nT:1 -> F:1\nF:1 -> Z:1"),
      in_model("curve-too-fast", "case.orr", "S: SineWaveGenerator frequency=1e7\nO: Scope\nS:1 -> O:1"),
      in_model("too-many-events", "case.orr", "E: EventClock period=1e-14\nN: Counter\nE:1 => N:1"),
      asked("too-many-runs", "case.orr", "G: EventGenerate\nE: End action='restart'\nG:1 => E:1",
            [](api::RunRequest& r) { r.most_runs = 20; }),
      in_model("model-warning", "/M", "G: EventGenerate\nM: Message severity='warning'\nG:1 => M:1", false),
      in_model("model-message", "/M", "G: EventGenerate\nM: Message\nG:1 => M:1", false),
      in_model("model-pause", "/E", "G: EventGenerate\nE: End action='pause'\nG:1 => E:1", false),
      in_model("assertion-failed", "/A", "T: Time\nM: Gain k=-1\nA: Assertion\nT:1 -> M:1\nM:1 -> A:1", false),
      in_function("index-outside", "T: Time\nO: Scope\nF: PCustomBlock code=f\nT:1 -> F:1\nF:1 -> O:1",
                  {"v=[1 2 3];", "y=v(floor(10*block.io{1})+1);"}),
      in_function("endless-loop", "C: Constant\nO: Scope\nF: PCustomBlock code=f\nC:1 -> F:1\nF:1 -> O:1",
                  {"y=0;", "while block.io{1}>0", "  y=y+1;", "end"}),
      in_model("stopped-by-model", "/E", "G: EventGenerate\nE: End action='fail' message='enough'\nG:1 => E:1", false),
      in_model("event-reprogrammed", "/D activation output 1",
               "C: SampleClock period=0.1\nD: EventDelay delay=0.25\nN: Counter\nC:1 => D:1\nD:1 => N:1"),
      in_model(
          "event-cancelled", "/D activation output 1",
          "T: Time\nG: Gain k=-5\nB: Bias bias=0.25\nC: SampleClock period=0.1\nD: EventVariableDelay\nN: Counter\n"
          "T:1 -> G:1\nG:1 -> B:1\nB:1 -> D:1\nC:1 => D:1\nD:1 => N:1"),
  };
}

namespace {

// A model with an input u and one of whole numbers n.
constexpr const char* with_ports = "u: Input\nn: Input type='int32'\nX: Integral\nS: Scope\nu:1 -> X:1\nn:1 -> S:1";

DiagnosticCase with_input(const char* code, const char* place, const char* table) {
  return {code, place, [table] {
            const std::string file = cache_of_this_process() + "/inputs.csv";
            std::filesystem::create_directories(cache_of_this_process());
            std::ofstream(file) << table;
            return run_changed(with_ports, [&](api::RunRequest& r) { r.input = file; });
          }};
}

DiagnosticCase through_front_door(const char* code, void (*use)(api::Run&)) {
  return {code, "case.orr", [use] {
            Diagnostics diagnostics;
            const auto model = api::Model::read(model::write(diagram(with_ports)), "case.orr", diagnostics);
            api::Run run = model->compile(diagnostics)->start();
            use(run);
            return run.diagnostics();
          }};
}

}  // namespace

std::vector<DiagnosticCase> file_cases() {
  const auto too_large = [] {
    const std::string file = cache_of_this_process() + "/large.orr";
    std::filesystem::create_directories(cache_of_this_process());
    std::ofstream(file) << "{";
    std::filesystem::resize_file(file, std::uintmax_t{600} << 20);  // no room is taken: the rest is a hole
    Diagnostics diagnostics;
    EXPECT_FALSE(model::load(file, diagnostics));
    std::filesystem::remove(file);
    return diagnostics;
  };
  const auto not_saved = [] {
    Diagnostics diagnostics;
    EXPECT_FALSE(model::save(diagram("T: Time"), "/nonexistent/folder/case.orr", diagnostics));
    return diagnostics;
  };
  const auto not_written = [] {
    Diagnostics diagnostics;
    EXPECT_FALSE(io::write_file("/nonexistent/folder/out.csv", "time", diagnostics));
    return diagnostics;
  };
  const auto without_compiler = [] {
    const char* before = ::getenv("CC");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("CC", "/nonexistent/cc", 1);
    ::setenv("ORRERY_CACHE", (cache_of_this_process() + "/empty").c_str(), 1);
    Diagnostics diagnostics =
        run_changed("T: Time\nG: Gain k=7\nT:1 -> G:1", [](api::RunRequest& r) { r.tier = api::TierChoice::second; });
    before == nullptr ? ::unsetenv("CC") : ::setenv("CC", kept.c_str(), 1);
    ::setenv("ORRERY_CACHE", cache_of_this_process().c_str(), 1);
    return diagnostics;
  };
  const auto no_diagram = [] {
    Diagnostics diagnostics;
    api::PictureRequest request;
    request.file = source_folder() + "/examples/queue.orr";
    request.diagram = "/Servise";
    EXPECT_FALSE(api::picture_of(request, diagnostics));
    return diagnostics;
  };
  const auto no_converter = [] {
    const std::string kept = ::getenv("PATH");
    ::setenv("PATH", "/nonexistent", 1);
    Diagnostics diagnostics;
    EXPECT_FALSE(io::write_png("x.png", "<svg/>", diagnostics));
    ::setenv("PATH", kept.c_str(), 1);
    return diagnostics;
  };
  const auto edited = [](const std::string& command) {
    return [command] {
      Diagnostics diagnostics;
      edit::Document document(diagram("T: Time"));
      EXPECT_FALSE(edit::perform_text(document, command, diagnostics));
      return diagnostics;
    };
  };
  const auto misfit = [] {
    Diagnostics diagnostics;
    model::Model model = diagram("T: Time");
    EXPECT_FALSE(edit::apply(model, {edit::Operation::Kind::splice, "", "blocks", 7, 1, {}}, diagnostics));
    return diagnostics;
  };
  const auto no_journal = [] {
    Diagnostics diagnostics;
    EXPECT_FALSE(edit::Document::recover("/nonexistent/m.journal", diagnostics));
    return diagnostics;
  };
  return {
      {"no-such-diagram", "queue.orr", no_diagram},
      {"png-unavailable", "x.png", no_converter},
      {"bad-command", "", edited("ad Gain")},
      {"bad-edit", "/Tima", edited("remove Tima")},
      {"edit-misfit", "/", misfit},
      {"no-journal", "m.journal", no_journal},
      {"file-too-large", "large.orr", too_large},
      {"file-unwritable", "case.orr", not_saved},
      {"output-unwritable", "out.csv", not_written},
      {"no-second-tier", "case.orr", without_compiler},
      asked("file-unreadable", "missing.orr", "T: Time",
            [](api::RunRequest& r) { r.file = "/nonexistent/missing.orr"; }),
      asked("unknown-extension", "model.xyz", "T: Time", [](api::RunRequest& r) { r.file = "model.xyz"; }),
      with_input("input-column", "inputs.csv:1 column v", "time,v\n0,1\n"),
      with_input("input-value", "inputs.csv:1 column n", "time,u,n\n0,1,0.5\n"),
      through_front_door("unknown-input", [](api::Run& run) { run.set_input("v", 1); }),
      through_front_door("bad-input", [](api::Run& run) { run.fire("u"); }),
      through_front_door("run-begun", [](api::Run& run) { run.value("u"); }),
      through_front_door("save-mismatch", [](api::Run& run) { run.restore(std::span<const std::byte>{}); }),
      in_csv("csv-empty", "table.csv", ""),
      in_csv("csv-separator", "table.csv:1", "time;x\n0;1\n"),
      in_csv("csv-quote", "table.csv:2", "time,x\n\"0,1\n"),
      in_csv("csv-row-length", "table.csv:2", "time,x\n0\n"),
      in_csv("csv-number", "table.csv:2", "time,x\n0,abc\n"),
      in_csv("csv-time-order", "table.csv:3", "time,x\n1,0\n0,0\n"),
  };
}

}  // namespace orrery::tests
