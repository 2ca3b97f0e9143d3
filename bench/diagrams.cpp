// SPDX-License-Identifier: Apache-2.0
// The texts of diagrams: blocks by name, type and parameters, links by "block:port".
#include "diagrams.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace orrery::bench {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

class Builder {
 public:
  Builder(const std::string& name, const std::string& stop, const std::string& tolerance = "") : name_(name) {
    settings_ = fmt::format(R"("stop": "{}")", stop);
    if (!tolerance.empty()) settings_ += fmt::format(R"(, "solver": "dopri", "rtol": "{0}", "atol": "{0}")", tolerance);
  }
  void block(const std::string& name, const std::string& type, const Parameters& parameters = {}) {
    std::vector<std::string> values;
    for (const auto& [parameter, value] : parameters) values.push_back(fmt::format(R"("{}": "{}")", parameter, value));
    blocks_.push_back(
        fmt::format(R"({{"name": "{}", "type": "{}", "parameters": {{{}}}}})", name, type, fmt::join(values, ", ")));
  }
  void link(const std::string& from, const std::vector<std::string>& to) { add("from", from, to); }
  void event(const std::string& from, const std::vector<std::string>& to) { add("event", from, to); }
  void setting(const std::string& name, const std::string& value) {
    settings_ += fmt::format(R"(, "{}": "{}")", name, value);
  }
  // A unit delay that disturbs nothing, at 10 Hz.
  void idle_clock() {
    block("idle_clock", "SampleClock", {{"period", "0.1"}});
    block("idle", "DiscreteDelay");
    block("one", "Constant", {{"value", "1"}});
    link("one", {"idle"});
    event("idle_clock", {"idle"});
  }
  std::string text() const {
    return fmt::format(
        "{{\"orrery\": 1, \"name\": \"{}\", \"simulation\": {{{}}}, \"blocks\": [\n{}],\n\"links\": [\n{}]}}\n", name_,
        settings_, fmt::join(blocks_, ",\n"), fmt::join(links_, ",\n"));
  }

 private:
  static std::string port(const std::string& text) { return text.find(':') == std::string::npos ? text + ":1" : text; }
  void add(const char* kind, const std::string& from, const std::vector<std::string>& to) {
    std::vector<std::string> targets;
    for (const std::string& target : to) targets.push_back('"' + port(target) + '"');
    links_.push_back(fmt::format(R"({{"{}": "{}", "to": [{}]}})", kind, port(from), fmt::join(targets, ", ")));
  }

  std::string name_, settings_;
  std::vector<std::string> blocks_, links_;
};

struct Rate {
  const char* clock;
  const char* period;
  int stages;
};

std::string delays(const std::string& name, const std::vector<Rate>& rates) {
  Builder b(name, "100");
  b.block("one", "Constant", {{"value", "1"}});
  std::string from = "one";
  int i = 0;
  for (const Rate& rate : rates) {
    b.block(rate.clock, "SampleClock", {{"period", rate.period}});
    std::vector<std::string> activated;
    for (int k = 0; k < rate.stages; ++k, ++i) {
      const std::string delay = fmt::format("delay{}", i), gain = fmt::format("gain{}", i);
      b.block(delay, "DiscreteDelay");
      b.block(gain, "Gain", {{"k", "0.999"}});
      b.link(from, {delay});
      b.link(delay, {gain});
      activated.push_back(delay);
      from = gain;
    }
    b.event(rate.clock, activated);
  }
  return b.text();
}

}  // namespace

std::string diagram_a1(bool idle_clock) {
  Builder b("a1", "100", "1e-6");
  b.block("source", "SineWaveGenerator");
  b.block("gain", "Gain", {{"k", "1"}});
  b.link("source", {"gain"});
  std::string from = "gain";
  for (int i = 0; i < 200; ++i) {
    const std::string lag = fmt::format("lag{}", i);
    b.block(lag, "ContTransFunc", {{"num", "[1]"}, {"den", "[0.1 1]"}});
    b.link(from, {lag});
    from = lag;
  }
  if (idle_clock) b.idle_clock();
  return b.text();
}

std::string diagram_a2() {
  Builder b("a2", "100", "1e-6");
  b.block("source", "SineWaveGenerator");
  b.block("gain", "Gain", {{"k", "1"}});
  b.link("source", {"gain"});
  std::string from = "gain";
  for (int i = 0; i < 100; ++i) {
    const std::string sum = fmt::format("sum{}", i), gain = fmt::format("gain{}", i), lag = fmt::format("lag{}", i);
    b.block(sum, "Sum", {{"signs", "'+-'"}});
    b.block(gain, "Gain", {{"k", "10"}});
    b.block(lag, "Integral");
    b.link(from, {sum});
    b.link(sum, {gain});
    b.link(gain, {lag});
    b.link(lag, {sum + ":2"});
    from = lag;
  }
  b.idle_clock();
  return b.text();
}

std::string diagram_a3(bool idle_clock) {
  Builder b("a3", "1000", "1e-8");
  for (const char* state : {"x", "y", "z"}) b.block(state, "Integral", {{"x0", "1"}});
  b.block("y_minus_x", "Sum", {{"signs", "'+-'"}});
  b.block("sigma", "Gain", {{"k", "10"}});
  b.block("rho", "Gain", {{"k", "28"}});
  b.block("beta", "Gain", {{"k", "8/3"}});
  b.block("xz", "Product");
  b.block("xy", "Product");
  b.block("dy", "Sum", {{"signs", "'+--'"}});
  b.block("dz", "Sum", {{"signs", "'+-'"}});
  b.link("x", {"y_minus_x:2", "rho", "xz", "xy"});
  b.link("y", {"y_minus_x", "dy:2", "xy:2"});
  b.link("z", {"xz:2", "beta"});
  b.link("y_minus_x", {"sigma"});
  b.link("sigma", {"x"});
  b.link("rho", {"dy"});
  b.link("xz", {"dy:3"});
  b.link("dy", {"y"});
  b.link("xy", {"dz"});
  b.link("beta", {"dz:2"});
  b.link("dz", {"z"});
  if (idle_clock) b.idle_clock();
  return b.text();
}

std::string diagram_b1() { return delays("b1", {{"clock", "0.001", 100}}); }
std::string diagram_b2() {
  return delays("b2", {{"fast", "0.001", 50}, {"middle", "0.002", 30}, {"slow", "0.01", 20}});
}

std::string diagram_b3() {
  Builder b("b3", "1000");
  b.block("clock", "SampleClock", {{"period", "0.001"}});
  b.block("count", "DiscreteDelay");
  b.block("one", "Constant", {{"value", "1"}});
  b.block("sum", "Sum", {{"signs", "'++'"}});
  b.link("count", {"sum"});
  b.link("one", {"sum:2"});
  b.link("sum", {"count"});
  b.event("clock", {"count"});
  return b.text();
}

std::string diagram_c1() {
  Builder b("c1", "28560", "1e-8");
  b.block("ball", "JumpStateSpace",
          {{"A", "[0 1;0 0]"}, {"B", "[0;1]"}, {"C", "[1 0;0 1]"}, {"D", "[0;0]"}, {"x0", "[10;0]"}});
  b.block("gravity", "Constant", {{"value", "-9.81"}});
  b.block("parts", "Demux", {{"sizes", "[1 1]"}});
  b.block("reverse", "Gain", {{"k", "-1"}});
  b.block("after", "Mux");
  b.block("ground", "ZeroCross", {{"direction", "'down'"}});
  b.block("bounces", "Counter");
  b.link("gravity", {"ball"});
  b.link("ball", {"parts"});
  b.link("parts:1", {"after", "ground"});
  b.link("parts:2", {"reverse"});
  b.link("reverse", {"after:2"});
  b.link("after", {"ball:2"});
  b.event("ground", {"ball", "bounces"});
  return b.text();
}

std::string diagram_c2() {
  Builder b("c2", "1000", "1e-8");
  for (int i = 0; i < 20; ++i) {
    const double w = 1.1 + 0.1 * i;
    const std::string x = fmt::format("x{}", i), v = fmt::format("v{}", i), stiffness = fmt::format("stiffness{}", i);
    const std::string zero = fmt::format("zero{}", i), count = fmt::format("count{}", i);
    b.block(x, "Integral", {{"x0", "1"}});
    b.block(v, "Integral");
    b.block(stiffness, "Gain", {{"k", fmt::format("{}", -w * w)}});
    b.block(zero, "ZeroCross", {{"direction", "'both'"}});
    b.block(count, "Counter");
    b.link(v, {x});
    b.link(x, {stiffness, zero});
    b.link(stiffness, {v});
    b.event(zero, {count});
  }
  return b.text();
}

std::string diagram_sampled(double stop) {
  Builder b("sampled", fmt::format("{}", stop), "1e-6");
  b.block("x", "Integral", {{"x0", "1"}});
  b.block("v", "Integral");
  b.block("stiffness", "Gain", {{"k", "-4"}});
  b.block("damping", "Gain", {{"k", "-2"}});
  b.block("force", "Sum", {{"signs", "'++'"}});
  b.block("held", "SampleHold");
  b.block("clock", "SampleClock", {{"period", "0.001"}});
  b.link("v", {"x", "damping"});
  b.link("x", {"stiffness"});
  b.link("stiffness", {"force"});
  b.link("damping", {"force:2"});
  b.link("force", {"held"});
  b.link("held", {"v"});
  b.event("clock", {"held"});
  return b.text();
}

std::string diagram_chain(int blocks) {
  Builder b("chain", "0.001");
  b.block("source", "SineWaveGenerator");
  std::string from = "source";
  for (int i = 0; i < blocks / 4; ++i) {
    const std::string sum = fmt::format("sum{}", i), gain = fmt::format("gain{}", i), lag = fmt::format("lag{}", i);
    const std::string half = fmt::format("half{}", i);
    b.block(sum, "Sum", {{"signs", "'+-'"}});
    b.block(gain, "Gain", {{"k", "10"}});
    b.block(lag, "Integral");
    b.block(half, "Gain", {{"k", "0.5"}});
    b.link(from, {sum});
    b.link(sum, {gain});
    b.link(gain, {lag});
    b.link(lag, {half, sum + ":2"});
    from = half;
  }
  b.setting("solver", "euler");
  b.setting("step", "0.001");
  return b.text();
}

std::string diagram_van_der_pol() {
  Builder b("van_der_pol", "3000");
  b.block("x", "Integral", {{"x0", "2"}});
  b.block("y", "Integral");
  b.block("f", "MathExpression", {{"expression", "'1000*(1 - u1*u1)*u2 - u1'"}, {"inputs", "2"}});
  b.link("y", {"x", "f:2"});
  b.link("x", {"f"});
  b.link("f", {"y"});
  return b.text();
}

std::string diagram_brusselator(int cells) {
  Builder b("brusselator", "10");
  b.block("one", "Constant", {{"value", "1"}});
  b.block("three", "Constant", {{"value", "3"}});
  const double d = 0.02 * (cells + 1) * (cells + 1);
  const auto name = [](const char* what, int i) { return fmt::format("{}{}", what, i); };
  for (int i = 0; i < cells; ++i) {
    const double start = 1 + std::sin(2 * std::numbers::pi * (i + 1) / (cells + 1));
    b.block(name("u", i), "Integral", {{"x0", fmt::format("{:.17g}", start)}});
    b.block(name("v", i), "Integral", {{"x0", "3"}});
    const auto formula = [&](const char* what, const std::string& text) {
      b.block(name(what, i), "MathExpression", {{"expression", "'" + text + "'"}, {"inputs", "4"}});
    };
    formula("f", fmt::format("1 + u1*u1*u2 - 4*u1 + {:.17g}*(u3 - 2*u1 + u4)", d));
    formula("g", fmt::format("3*u1 - u1*u1*u2 + {:.17g}*(u3 - 2*u2 + u4)", d));
  }
  for (int i = 0; i < cells; ++i) {
    const std::string f = name("f", i), g = name("g", i);
    std::vector<std::string> of_u{f + ":1", g + ":1"}, of_v{f + ":2", g + ":2"};
    if (i > 0) of_u.push_back(name("f", i - 1) + ":4"), of_v.push_back(name("g", i - 1) + ":4");
    if (i < cells - 1) of_u.push_back(name("f", i + 1) + ":3"), of_v.push_back(name("g", i + 1) + ":3");
    b.link(name("u", i), of_u);
    b.link(name("v", i), of_v);
    b.link(f, {name("u", i)});
    b.link(g, {name("v", i)});
  }
  b.link("one", {"f0:3", name("f", cells - 1) + ":4"});
  b.link("three", {"g0:3", name("g", cells - 1) + ":4"});
  return b.text();
}

}  // namespace orrery::bench
