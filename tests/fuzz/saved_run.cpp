// SPDX-License-Identifier: Apache-2.0
// Runs that were saved: bytes that are not of this model are refused, and what is taken goes on without a crash.
#include "api/model.h"
#include "api/run.h"
#include "fuzz_file.h"

namespace {

constexpr const char* saved_model = R"({"orrery": 2, "name": "s", "simulation": {"stop": "10", "hmax": "0.1"},
 "blocks": [{"name": "C", "type": "Constant"}, {"name": "I", "type": "Integral"}, {"name": "Z", "type": "ZeroCross"},
  {"name": "T", "type": "SampleClock"}, {"name": "D", "type": "DiscreteDelay"}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["I:1"]}, {"from": "I:1", "to": ["D:1", "Z:1"]}, {"from": "D:1", "to": ["S:1"]}],
 "activations": [{"from": "T:1", "to": ["D:1"]}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const auto compiled = [] {
    Diagnostics diagnostics;
    const auto model = api::Model::read(saved_model, "fuzz.orr", diagnostics);
    api::CompileOptions options;
    options.native = api::NativeCode::first;
    auto made = model ? model->compile(options, diagnostics) : std::nullopt;
    if (!made) {
      std::fputs(to_text(diagnostics).c_str(), stderr);
      __builtin_trap();
    }
    return std::move(*made);
  }();
  api::Run run = compiled.start();
  if (!run.restore(std::as_bytes(std::span(data, size)))) return 0;
  for (int k = 0; k < 5 && run.state() == api::RunState::paused; ++k) run.step();
  static_cast<void>(run.save());
  return 0;
}
