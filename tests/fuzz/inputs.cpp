// SPDX-License-Identifier: Apache-2.0
// Tables of inputs of FMUs: every type of variable, asked for at many times.
#include "fmi/input_series.h"

#include <cmath>

#include "fuzz_file.h"

namespace {

constexpr const char* all_types = R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="{1}"><CoSimulation modelIdentifier="m"/>
<TypeDefinitions><EnumerationType name="E"><Item name="one" value="1"/><Item name="two" value="2"/></EnumerationType></TypeDefinitions>
<ModelVariables><Float64 name="time" valueReference="0" causality="independent"/>
<Float64 name="u" valueReference="1" causality="input" start="0"/>
<Float64 name="a" valueReference="2" causality="input" start="1 2 3"><Dimension start="3"/></Float64>
<Int64 name="i" valueReference="3" causality="input" variability="discrete" start="0"/>
<Boolean name="b" valueReference="4" causality="input" variability="discrete" start="false"/>
<String name="s" valueReference="5" causality="input" variability="discrete"><Start value="x"/></String>
<Binary name="y" valueReference="6" causality="input" variability="discrete"><Start value="ff"/></Binary>
<Enumeration name="e" declaredType="E" valueReference="7" causality="input" variability="discrete" start="1"/>
<Float64 name="p" valueReference="8" causality="parameter" variability="tunable" start="1"/>
<Clock name="c" valueReference="9" causality="input" intervalVariability="triggered"/></ModelVariables>
<ModelStructure/></fmiModelDescription>)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const auto description = [] {
    Diagnostics diagnostics;
    auto read = fmi::read_description(all_types, "fuzz.fmu", diagnostics);
    if (!read) __builtin_trap();
    return std::move(*read);
  }();
  Diagnostics diagnostics;
  const fmi::InputSeries series(description, text_of(data, size), "fuzz.csv", 1e-9, diagnostics);
  for (double t : {-1e300, -1.0, 0.0, 0.5, 1.0, 1e300}) {
    static_cast<void>(series.has_sides(t));
    if (series.next_kink(t) <= t) __builtin_trap();
    for (int jumps = 0; jumps < 1000 && std::isfinite(t); ++jumps) {
      const double next = series.next_jump(t);
      if (!(next > t)) __builtin_trap();
      t = next;
    }
  }
  return 0;
}
