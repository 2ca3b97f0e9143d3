// SPDX-License-Identifier: Apache-2.0
// Initialization, contexts, masks and the base workspace (Activate, chapters 4 and 6), and where their errors point.
#include <gtest/gtest.h>

#include <cmath>

#include "run_model.h"
#include "sim/compiled_program.h"

namespace orrery::tests::context_test {
namespace {

const std::string nested = R"x({
  "orrery": 1,
  "simulation": {"stop": "n"},
  "initialization": [
    "n = 3;",
    "k = 2;"
  ],
  "context": [
    "if n == 3",
    "  outer = k;",
    "else",
    "  outer = -k;",
    "end"
  ],
  "blocks": [
    {"name": "one", "type": "Constant"},
    {"name": "S", "type": "SuperBlock", "parameters": {"gain": "outer * 10"}, "diagram": {
      "mask": [
        {"name": "gain", "prompt": "Gain of the block", "default": "1"},
        {"name": "bias", "default": "k"}
      ],
      "context": [
        "k = 100;",
        "total = gain + bias;"
      ],
      "blocks": [
        {"name": "u", "type": "Input"},
        {"name": "g", "type": "Gain", "parameters": {"k": "total + k + outer"}},
        {"name": "y", "type": "Output"}
      ],
      "links": [
        {"from": "u:1", "to": ["g:1"]},
        {"from": "g:1", "to": ["y:1"]}
      ]
    }},
    {"name": "g", "type": "Gain", "parameters": {"k": "k"}},
    {"name": "out", "type": "Scope", "parameters": {"inputs": "2"}}
  ],
  "links": [
    {"from": "one:1", "to": ["S:1", "g:1"]},
    {"from": "S:1", "to": ["out:1"]},
    {"from": "g:1", "to": ["out:2"]}
  ]
})x";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(Contexts, InnerSeesOuterAndOuterDoesNotSeeInner) {
  const auto run = run_text(nested);
  EXPECT_EQ(last(run, "/out.1"), (2 * 10 + 2) + 100 + 2);  // mask values come from outside, k is the inner one
  EXPECT_EQ(last(run, "/out.2"), 2);
  EXPECT_EQ(run.report.time, 3);
  const auto leak = run_text(replaced(nested, R"x("k": "k")x", R"x("k": "total")x"));
  ASSERT_TRUE(leak.diagnostics.has_errors());
  EXPECT_EQ(leak.diagnostics.all()[0].code, "undefined-name");
  EXPECT_EQ(leak.diagnostics.all()[0].place.block, "/g");
}

TEST(Contexts, OverridesHoldInInitializationAndContext) {
  api::RunRequest request;
  request.overrides = {{"k", "7"}};
  EXPECT_EQ(last(run_text(nested, request), "/out.2"), 7);
  request.overrides = {{"n", "1"}};
  const auto run = run_text(nested, request);
  EXPECT_EQ(run.report.time, 1);
  EXPECT_EQ(last(run, "/out.1"), (-20 + 2) + 100 - 2);
  EXPECT_TRUE(run.diagnostics.all().empty()) << to_text(run.diagnostics);
  request.overrides = {{"outer", "5"}};
  EXPECT_EQ(last(run_text(nested, request), "/out.1"), (50 + 2) + 100 + 5);
  request.overrides = {{"nobody", "5"}};
  EXPECT_EQ(run_text(nested, request).diagnostics.all().at(0).code, "unused-variable");
}

TEST(Contexts, MasksWithMistakes) {
  const auto first = [](const std::string& text) {
    const auto run = run_text(text);
    return run.diagnostics.all().empty() ? Diagnostic{} : run.diagnostics.all()[0];
  };
  Diagnostic d = first(replaced(nested, R"x({"gain": "outer * 10"})x", R"x({"gian": "outer * 10"})x"));
  EXPECT_EQ(d.code, "unknown-parameter");
  EXPECT_EQ(d.place.block, "/S");
  EXPECT_NE(d.help.find("gain"), std::string::npos) << d.help;
  d = first(replaced(replaced(nested, R"x(, "parameters": {"gain": "outer * 10"})x", ""), R"x(, "default": "1")x", ""));
  EXPECT_EQ(d.code, "missing-parameter");
  EXPECT_EQ(d.place.port, "parameter gain");
  d = first(replaced(nested, R"x("outer * 10")x", R"x("outer * )")x"));
  EXPECT_EQ(d.code, "parameter-syntax");
  EXPECT_EQ(d.place.port, "parameter gain");
  // The mask belongs to the inside: its default is evaluated outside.
  d = first(replaced(nested, R"x("default": "k")x", R"x("default": "total")x"));
  EXPECT_EQ(d.code, "undefined-name");
  EXPECT_EQ(d.place.port, "parameter bias");
  d = first(replaced(nested, R"x({"name": "bias", "default": "k"})x", R"x({"name": "gain", "default": "k"})x"));
  EXPECT_EQ(d.code, "duplicate-field");
  d = first(replaced(nested, R"x({"name": "bias")x", R"x({"name": "2bias")x"));
  EXPECT_EQ(d.code, "bad-name");
}

TEST(Contexts, ErrorsNameBlockParameterLineAndColumn) {
  const auto first = [](const std::string& text) {
    const auto run = run_text(text);
    return run.diagnostics.all().empty() ? Diagnostic{} : run.diagnostics.all()[0];
  };
  Diagnostic d = first(replaced(nested, R"x("total = gain + bias;")x", R"x("total = [1 2] + [1 2 3];")x"));
  EXPECT_EQ(d.code, "parameter-error");
  EXPECT_EQ(d.place.block, "/S");
  EXPECT_EQ(d.place.port, "context");
  EXPECT_EQ(d.place.line, 24);
  EXPECT_EQ(d.notes.at(0), "at line 2, column 15 of the context");
  d = first(replaced(nested, R"x("  outer = k;")x", R"x("  outer = kk;")x"));
  EXPECT_EQ(d.code, "undefined-name");
  EXPECT_EQ(d.place.line, 10);
  EXPECT_EQ(d.message, "no variable and no function is called kk");
  EXPECT_EQ(d.help, "did you mean \"k\"?");
  d = first(replaced(nested, R"x("  outer = k;")x", R"x("  outer = sqqrt(k);")x"));
  EXPECT_EQ(d.help, "did you mean \"sqrt\"?");
  d = first(replaced(nested, R"x("k": "total + k + outer")x", R"x("k": "total + k + ones(2)(3,3)")x"));
  EXPECT_EQ(d.place.block, "/S/g");
  EXPECT_EQ(d.place.port, "parameter k");
  EXPECT_EQ(d.place.line, 28);
  EXPECT_NE(d.notes.at(0).find("column"), std::string::npos);
  d = first(replaced(nested, R"x("k = 2;")x", R"x("k = ;")x"));
  EXPECT_EQ(d.code, "parameter-syntax");
  EXPECT_EQ(d.place.port, "initialization");
  EXPECT_EQ(d.place.line, 6);
}

TEST(Contexts, TheBaseWorkspaceIsReachedByNameOnly) {
  const std::string text = R"x({
  "orrery": 1,
  "simulation": {"stop": "1"},
  "context": [
    "AddToBase('seen', GetFromBase('given', -1) + 1);"
  ],
  "blocks": [
    {"name": "c", "type": "Constant", "parameters": {"value": "exposable('A', 3)"}},
    {"name": "out", "type": "Scope"}
  ],
  "links": [
    {"from": "c:1", "to": ["out:1"]}
  ]
})x";
  api::OmlEvaluator evaluator;
  EXPECT_EQ(last(run_text(text, evaluator), "/out.1"), 3);
  EXPECT_EQ(evaluator.interpreter().base()->get("seen")->number(), 0);
  evaluator.interpreter().run_text("given = 41; A = 4;");
  EXPECT_EQ(last(run_text(text, evaluator), "/out.1"), 4);
  EXPECT_EQ(evaluator.interpreter().base()->get("seen")->number(), 42);
  const auto run = run_text(replaced(text, "exposable('A', 3)", "given"), evaluator);
  ASSERT_TRUE(run.diagnostics.has_errors());
  EXPECT_EQ(run.diagnostics.all()[0].code, "undefined-name");
  EXPECT_NE(run.diagnostics.all()[0].help.find("GetFromBase('given')"), std::string::npos);
}

// 22.5: x' = -2 rate x from x0, so x(1) = x0 exp(-2 rate). The parameters reach a gain through the context, and an
// initial value directly.
TEST(Contexts, ExposablesStayParametersOfTheCode) {
  const std::string text = R"x({
  "orrery": 1,
  "simulation": {"stop": "1", "rtol": "1e-9", "atol": "1e-12"},
  "context": [
    "rate = exposable('rate', 1);",
    "a = -2 * rate;"
  ],
  "blocks": [
    {"name": "g", "type": "Gain", "parameters": {"k": "a"}},
    {"name": "x", "type": "Integral", "parameters": {"x0": "exposable('x0', 4)"}},
    {"name": "out", "type": "Scope"}
  ],
  "links": [
    {"from": "g:1", "to": ["x:1"]},
    {"from": "x:1", "to": ["g:1", "out:1"]}
  ]
})x";
  const auto run = [&](const std::string& model, const std::vector<compile::Override>& overrides) {
    api::RunRequest request;
    request.overrides = overrides;
    request.tier = api::TierChoice::first;
    api::RunResult result = run_text(model, request);
    EXPECT_TRUE(result.diagnostics.all().empty()) << to_text(result.diagnostics);
    return result;
  };
  const auto code_of = [](program::Program program) { return sim::CompiledProgram::text_of(program); };
  const api::RunResult first = run(text, {});
  EXPECT_NEAR(last(first, "/out.1"), 4 * std::exp(-2.0), 1e-7);
  const std::string code = code_of(first.program());
  for (const auto& [rate, x0] : {std::pair{0.5, 3.0}, {0.0, 1.0}, {-1.0, 1e-3}}) {
    const api::RunResult other = run(text, {{"rate", std::to_string(rate)}, {"x0", std::to_string(x0)}});
    EXPECT_NEAR(last(other, "/out.1"), x0 * std::exp(-2 * rate), 1e-7 * std::max(1.0, std::exp(-2 * rate)));
    EXPECT_EQ(code_of(other.program()), code);
  }
  // A variable that is not exposable is a number of the code.
  const std::string fixed = replaced(text, "exposable('rate', 1)", "1");
  EXPECT_NE(code_of(run(fixed, {{"rate", "0.5"}}).program()), code_of(run(fixed, {{"rate", "0.25"}}).program()));
  // One that decides about a size is compiled in: two states, both decaying.
  const std::string sized = replaced(text, "exposable('x0', 4)", "4*ones(exposable('n', 1), 1)");
  EXPECT_NEAR(last(run(sized, {{"n", "2"}}), "/out.1[2]"), 4 * std::exp(-2.0), 1e-7);
}

// A parameter of a mask may be exposable too; the code of the inside stays the same.
TEST(Contexts, AParameterOfAMaskMayBeExposable) {
  const std::string text = replaced(nested, "outer * 10", "exposable('gain', 20)");
  const auto run = [&](const std::vector<compile::Override>& overrides) {
    api::RunRequest request;
    request.overrides = overrides;
    request.tier = api::TierChoice::first;
    return run_text(text, request);
  };
  const api::RunResult first = run({}), other = run({{"gain", "7"}});
  EXPECT_EQ(last(first, "/out.1"), (20 + 2) + 100 + 2);
  EXPECT_EQ(last(other, "/out.1"), (7 + 2) + 100 + 2);
  program::Program a = first.program(), b = other.program();
  EXPECT_EQ(sim::CompiledProgram::text_of(a), sim::CompiledProgram::text_of(b));
}

const std::string nsolve = R"x(
    "function [pnext,TT]=nsolve(p,gp,TT)",
    "  n=length(p); N=size(TT, 2);",
    "  G=TT(1:n,:); P=TT(1+n:2*n,:); wi=TT(2*n+1,:);",
    "  wi=wi*(1+1/n);",
    "  [x,idx]=max(wi);",
    "  G(:,idx) = gp; P(:,idx) = p; wi(idx) = gp' * gp;",
    "  [Q,R]=qr(G');r=rank(R);Gperp=Q*[zeros(N-r,r);eye(r)];",
    "  At=ones(1,N) *Gperp;Bt=P*Gperp;Ct=Gperp;",
    "  A=kron(At', eye(n)); b=Bt(:); C=kron(Ct', eye(n));",
    "  Wi=kron(diag(wi), eye(n));",
    "  m=size(A,1);",
    "  pnext = [eye(n), zeros(n, m)] * ...",
    "    inv([A, -C*Wi*C'; zeros(n, n), A'])*[b; zeros(n, 1)];",
    "  if norm(p-pnext)<eps",
    "    pnext=pnext+2*eps*rand(n,1);",
    "  end",
    "  TT=[G;P;wi];",
    "end",
    "warning('off');")x";

// 4.1.4: geodesics of Grusin's metric by shooting. x1 = lambda0 sin(mu t) / mu, so x1(1) = 0 and x2(1) = 1/(2 pi) give
// mu = pi and lambda0 = 1. The context runs once in each of the restarted runs.
TEST(Contexts, ShootingWithRestartsFindsTheGeodesic) {
  const std::string text = R"x({
  "orrery": 1,
  "simulation": {"stop": "1", "rtol": "1e-9", "atol": "1e-11"},
  "initialization": [)x" + nsolve +
                           R"x(,
    "xT = [0; 1/(2*pi)];",
    "p0 = [1; 1];",
    "AddToBase('evaluations', GetFromBase('evaluations', 0) + 1);"
  ],
  "context": [
    "n=length(p0); N=2*n;",
    "if __counter__==1",
    "  done=false;",
    "  G=[eye(n,n),eye(n,n),eye(n,n)]; G=G(:,1:N);",
    "  P=[eye(n,n),eye(n,n),eye(n,n)]; P=P(:,1:N);",
    "  wi=ones(1,N)*1e32;",
    "  TT=[G;P;wi];",
    "  p=p0;",
    "else",
    "  TT=GetFromBase('_TT',[]);",
    "  p=GetFromBase('_p',[]);",
    "  gp=GetFromBase('_gp',[]);",
    "  if norm(gp) < 1e-5",
    "    done=true;",
    "  elseif __counter__>100",
    "    error ('Max nb. of iterations reached.');",
    "  else",
    "    done=false;",
    "    [pn,TT] = nsolve(p,gp,TT);",
    "    al=(__counter__<=N)*0.9;",
    "    p=al*p+(1-al)*pn;",
    "  end",
    "end",
    "AddToBase('_p',p);",
    "AddToBase('_TT',TT);"
  ],
  "blocks": [
    {"name": "x1", "type": "Integral"},
    {"name": "x2", "type": "Integral"},
    {"name": "lambda", "type": "Integral", "parameters": {"x0": "p(1)"}},
    {"name": "dx2", "type": "MathExpression", "parameters": {"expression": "'p(2)*u1^2'"}},
    {"name": "dlambda", "type": "MathExpression", "parameters": {"expression": "'-p(2)^2*u1'"}},
    {"name": "gp", "type": "MatrixExpression", "parameters": {"expression": "'[u1;u2]-xT'", "inputs": "2"}},
    {"name": "base", "type": "ToBase", "parameters": {"name": "'_gp'"}},
    {"name": "final", "type": "EventGenerate", "parameters": {"times": "1"}},
    {"name": "end", "type": "End", "parameters": {"action": "{'restart','stop'}{done+1}"}},
    {"name": "out", "type": "Scope", "parameters": {"inputs": "2"}}
  ],
  "links": [
    {"from": "x1:1", "to": ["dx2:1", "dlambda:1", "gp:1", "out:1"]},
    {"from": "x2:1", "to": ["gp:2", "out:2"]},
    {"from": "lambda:1", "to": ["x1:1"]},
    {"from": "dx2:1", "to": ["x2:1"]},
    {"from": "dlambda:1", "to": ["lambda:1"]},
    {"from": "gp:1", "to": ["base:1"]},
    {"event": "final:1", "to": ["base:1", "end:1"]}
  ]
})x";
  api::OmlEvaluator evaluator;
  const auto run = run_text(text, evaluator);
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  EXPECT_EQ(run.report.end, sim::End::stopped);
  EXPECT_GT(run.runs, 4);
  EXPECT_LT(run.runs, 100);
  const oml::Value& p = *evaluator.interpreter().base()->get("_p");
  EXPECT_NEAR(p.real()[0], 1, 1e-4);
  EXPECT_NEAR(p.real()[1], M_PI, 1e-4);
  EXPECT_EQ(evaluator.interpreter().base()->get("evaluations")->number(), run.runs);
  EXPECT_NEAR(last(run, "/out.2"), 1 / (2 * M_PI), 1e-5);
}

// 4.1.3: the projectile, its angle found by restarts; the landing is a zero-crossing. Drag makes it no closed form: an
// RK4 integration with 20 000 steps gives the range of the angle found.
TEST(Contexts, ShootingAtADistance) {
  const std::string text = R"x({
  "orrery": 1,
  "simulation": {"stop": "100", "rtol": "1e-9", "atol": "1e-9"},
  "initialization": [)x" + nsolve +
                           R"x(,
    "a=.1; b=2.5; g=9.8; V=1000; d=9;"
  ],
  "context": [
    "if __counter__==1",
    "  n=1; N=2;",
    "  G=[eye(n,n), eye(n,n)]; G=G(:,1:N);",
    "  P = [eye(n,n), eye(n,n)]; P = P(:,1:N);",
    "  wi=ones (1, N) *1e32;",
    "  TT=[G;P;wi];",
    "  p=pi/3; done=false;",
    "else",
    "  TT=GetFromBase('_TT',[]);",
    "  p=GetFromBase('_p',[]);",
    "  gp=GetFromBase('_gp',[]);",
    "  done = norm(gp) < 1e-5;",
    "  if ~done, [p,TT] = nsolve(p,gp,TT); end",
    "  if __counter__>60, error('Max nb. of iterations reached.'); end",
    "end",
    "AddToBase('_p',p);",
    "AddToBase('_TT',TT);"
  ],
  "blocks": [
    {"name": "v", "type": "Integral", "parameters": {"x0": "V*[cos(p);sin(p)]"}},
    {"name": "s", "type": "Integral", "parameters": {"x0": "[0;0]"}},
    {"name": "dv", "type": "MatrixExpression", "parameters": {"expression": "'-a*norm(u1)^(b-1)*u1-[0;g]'"}},
    {"name": "y", "type": "MatrixExpression", "parameters": {"expression": "'u1(2)'"}},
    {"name": "gp", "type": "MatrixExpression", "parameters": {"expression": "'u1(1)-d'"}},
    {"name": "land", "type": "ZeroCross", "parameters": {"direction": "'down'"}},
    {"name": "base", "type": "ToBase", "parameters": {"name": "'_gp'"}},
    {"name": "end", "type": "End", "parameters": {"action": "{'restart','stop'}{done+1}"}},
    {"name": "out", "type": "Scope"}
  ],
  "links": [
    {"from": "v:1", "to": ["s:1", "dv:1"]},
    {"from": "dv:1", "to": ["v:1"]},
    {"from": "s:1", "to": ["y:1", "gp:1"]},
    {"from": "y:1", "to": ["land:1"]},
    {"from": "gp:1", "to": ["base:1", "out:1"]},
    {"event": "land:1", "to": ["base:1", "end:1"]}
  ]
})x";
  api::OmlEvaluator evaluator;
  const auto run = run_text(text, evaluator);
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  EXPECT_EQ(run.report.end, sim::End::stopped);
  const double angle = evaluator.interpreter().base()->get("_p")->number();
  double state[4] = {0, 0, 1000 * std::cos(angle), 1000 * std::sin(angle)}, before[4];
  const auto rate = [](const double* x, double* dx) {
    const double drag = 0.1 * std::pow(std::hypot(x[2], x[3]), 1.5);
    dx[0] = x[2], dx[1] = x[3], dx[2] = -drag * x[2], dx[3] = -drag * x[3] - 9.8;
  };
  // The speed falls by orders of magnitude within milliseconds: small steps first.
  double t = 0;
  do {
    std::copy(state, state + 4, before);
    const double h = t < 1e-3 ? 1e-8 : t < 0.1 ? 1e-6 : 1e-5;
    double k[4][4], at[4];
    rate(state, k[0]);
    for (int stage = 1; stage < 4; ++stage) {
      for (int i = 0; i < 4; ++i) at[i] = state[i] + (stage == 3 ? h : h / 2) * k[stage - 1][i];
      rate(at, k[stage]);
    }
    for (int i = 0; i < 4; ++i) state[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    t += h;
  } while (state[1] >= 0 && t < 100);
  const double share = before[1] / (before[1] - state[1]);
  EXPECT_NEAR(before[0] + share * (state[0] - before[0]), 9, 1e-4);
}

TEST(Contexts, FromBaseAndToBase) {
  const std::string text = R"x({
  "orrery": 1,
  "simulation": {"stop": "1"},
  "blocks": [
    {"name": "from", "type": "FromBase", "parameters": {"name": "'p'", "default": "[1;2]"}},
    {"name": "double", "type": "Gain", "parameters": {"k": "2"}},
    {"name": "event", "type": "EventGenerate", "parameters": {"times": "0.5"}},
    {"name": "to", "type": "ToBase", "parameters": {"name": "'p'"}},
    {"name": "never", "type": "EventGenerate", "parameters": {"times": "7"}},
    {"name": "unused", "type": "ToBase", "parameters": {"name": "'q'"}}
  ],
  "links": [
    {"from": "from:1", "to": ["double:1"]},
    {"from": "double:1", "to": ["to:1", "unused:1"]},
    {"event": "event:1", "to": ["to:1"]},
    {"event": "never:1", "to": ["unused:1"]}
  ]
})x";
  api::OmlEvaluator evaluator;
  const auto first = run_text(text, evaluator);
  ASSERT_FALSE(first.failed()) << to_text(first.diagnostics);
  run_text(text, evaluator);
  const auto run = run_text(text, evaluator);
  const oml::Value* p = evaluator.interpreter().base()->get("p");
  ASSERT_NE(p, nullptr) << to_text(run.diagnostics);
  EXPECT_EQ(p->real()[0], 8);
  EXPECT_EQ(p->real()[1], 16);
  EXPECT_EQ(evaluator.interpreter().base()->get("q"), nullptr);
}

}  // namespace
}  // namespace orrery::tests::context_test
