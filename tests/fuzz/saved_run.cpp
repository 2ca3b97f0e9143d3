// SPDX-License-Identifier: Apache-2.0
// Runs that were saved: bytes that are not of this model are refused, and what is taken goes on without a crash.
#include "api/model.h"

#include <cstdio>
#include <vector>

#include "api/run.h"
#include "fuzz_file.h"

namespace {

constexpr const char* saved_model = R"({"orrery": 2, "name": "s", "simulation": {"stop": "10", "hmax": "0.1"},
 "blocks": [{"name": "C", "type": "Constant"}, {"name": "I", "type": "Integral"}, {"name": "Z", "type": "ZeroCross"},
  {"name": "T", "type": "SampleClock"}, {"name": "D", "type": "DiscreteDelay"}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["I:1"]}, {"from": "I:1", "to": ["D:1", "Z:1"]}, {"from": "D:1", "to": ["S:1"]},
  {"event": "T:1", "to": ["D:1"]}]})";

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
  // What is changed in bytes that were saved: a place and a byte, again and again. The last byte may cut them.
  static const std::vector<std::byte> good = [] {
    api::Run run = compiled.start();
    run.run_until(2.5);
    return run.save();
  }();
  std::vector<std::byte> bytes = good;
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t place = data[0] + 256u * data[1] + 65536u * data[2];
    bytes[place % bytes.size()] = static_cast<std::byte>(data[3]);
  }
  if (size > 0) bytes.resize(bytes.size() * data[0] / 255);
  api::Run run = compiled.start();
  if (!run.restore(bytes)) return 0;
  for (int k = 0; k < 5 && run.state() == api::RunState::paused; ++k) run.step();
  static_cast<void>(run.save());
  return 0;
}
