// SPDX-License-Identifier: Apache-2.0
// Three models, divided by lines of "====": what merging them gives can be saved, and comparing them ends.
#include "edit/merge.h"
#include "edit/compare.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  std::string_view rest = text_of(data, size);
  std::optional<model::Model> models[3];
  for (auto& model : models) {
    const std::size_t end = std::min(rest.find("\n====\n"), rest.size());
    Diagnostics diagnostics;
    model = model::parse(rest.substr(0, end), "fuzz.orr", diagnostics);
    if (!model) return 0;
    rest.remove_prefix(std::min(end + 6, rest.size()));
  }
  const edit::Merged merged = edit::merge(*models[0], *models[1], *models[2]);
  for (const edit::Conflict& conflict : merged.conflicts) static_cast<void>(edit::conflict_text(conflict));
  const std::string text = model::write(merged.model);
  Diagnostics again;
  const auto second = model::parse(text, "fuzz.orr", again);
  if (!second || model::write(*second) != text) __builtin_trap();
  static_cast<void>(edit::compare(*models[0], *models[1]));
  return 0;
}
