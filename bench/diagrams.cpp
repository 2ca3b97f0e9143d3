// SPDX-License-Identifier: Apache-2.0
// Diagrams from short texts: blocks by name, type and parameters, links by "block:port".
#include "diagrams.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::bench {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

class Builder {
 public:
  Builder(const std::string& name, const std::string& stop, const std::string& tolerance = "") {
    model_.name = name;
    model_.file = name + ".orr";
    model_.settings.stop.text = stop;
    model_.settings.rtol.text = model_.settings.atol.text = tolerance;
    if (!tolerance.empty()) model_.settings.solver.text = "dopri";
  }
  void block(const std::string& name, const std::string& type, const Parameters& parameters = {}) {
    model::BlockInstance instance;
    instance.name = name;
    instance.type = type;
    for (const auto& [parameter, value] : parameters) instance.parameters.push_back({parameter, value});
    model_.root.blocks.push_back(std::move(instance));
  }
  void link(const std::string& from, const std::vector<std::string>& to) { add(false, from, to); }
  void event(const std::string& from, const std::vector<std::string>& to) { add(true, from, to); }
  // A unit delay that disturbs nothing, at 10 Hz.
  void idle_clock() {
    block("idle_clock", "SampleClock", {{"period", "0.1"}});
    block("idle", "DiscreteDelay");
    block("one", "Constant", {{"value", "1"}});
    link("one", {"idle"});
    event("idle_clock", {"idle"});
  }
  model::Model take() { return std::move(model_); }

 private:
  static model::PortRef port(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {text, 1};
    return {text.substr(0, colon), std::stoi(text.substr(colon + 1))};
  }
  void add(bool activation, const std::string& from, const std::vector<std::string>& to) {
    model::Link link;
    link.activation = activation;
    link.from = port(from);
    for (const std::string& target : to) link.to.push_back(port(target));
    model_.root.links.push_back(std::move(link));
  }

  model::Model model_;
};

struct Rate {
  const char* clock;
  const char* period;
  int stages;
};

model::Model delays(const std::string& name, const std::vector<Rate>& rates) {
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
  return b.take();
}

}  // namespace

model::Model diagram_a1(bool idle_clock) {
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
  return b.take();
}

model::Model diagram_a2() {
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
  return b.take();
}

model::Model diagram_a3(bool idle_clock) {
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
  return b.take();
}

model::Model diagram_b1() { return delays("b1", {{"clock", "0.001", 100}}); }
model::Model diagram_b2() {
  return delays("b2", {{"fast", "0.001", 50}, {"middle", "0.002", 30}, {"slow", "0.01", 20}});
}

model::Model diagram_b3() {
  Builder b("b3", "1000");
  b.block("clock", "SampleClock", {{"period", "0.001"}});
  b.block("count", "DiscreteDelay");
  b.block("one", "Constant", {{"value", "1"}});
  b.block("sum", "Sum", {{"signs", "'++'"}});
  b.link("count", {"sum"});
  b.link("one", {"sum:2"});
  b.link("sum", {"count"});
  b.event("clock", {"count"});
  return b.take();
}

model::Model diagram_c1() {
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
  return b.take();
}

model::Model diagram_c2() {
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
  return b.take();
}

model::Model diagram_sampled(double stop) {
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
  return b.take();
}

model::Model diagram_chain(int blocks) {
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
  model::Model model = b.take();
  model.settings.solver.text = "euler";
  model.settings.step.text = "0.001";
  return model;
}

}  // namespace orrery::bench
