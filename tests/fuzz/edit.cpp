// SPDX-License-Identifier: Apache-2.0
// Commands of `orrery edit`: what is left is a model that can be saved, and undoing all of it gives the first one.
#include "edit/command_text.h"
#include "fuzz_file.h"

namespace {

constexpr const char* edited_model = R"({"orrery": 2, "name": "e", "context": ["k = 2;"],
 "blocks": [{"name": "C", "type": "Constant"}, {"name": "G", "type": "Gain", "parameters": {"k": "k"}},
  {"name": "P", "type": "Super", "diagram": {"blocks": [{"name": "In", "type": "Input"}, {"name": "Out", "type": "Output"}],
   "links": [{"from": "In:1", "to": ["Out:1"]}]}}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["G:1", "P:1"]}, {"from": "G:1", "to": ["S:1"]}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics none;
  auto first = model::parse(edited_model, "fuzz.orr", none);
  if (!first) __builtin_trap();
  edit::Document document(std::move(*first));
  const std::string before = document.text();
  std::string_view text = text_of(data, size);
  for (int commands = 0; commands < 30 && !text.empty(); ++commands) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Diagnostics diagnostics;
    const std::string unchanged = document.text();
    if (!edit::perform_text(document, std::string(text.substr(0, end)), diagnostics) && document.text() != unchanged)
      __builtin_trap();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Diagnostics diagnostics;
  const std::string after = document.text();
  const auto again = model::parse(after, "fuzz.orr", diagnostics);
  if (!again || model::write(*again) != after) __builtin_trap();
  std::size_t changes = 0;
  for (; document.undo(); ++changes) {
  }
  if (document.text() != before) __builtin_trap();
  for (; changes > 0; --changes) document.redo();
  if (document.text() != after) __builtin_trap();
  return 0;
}
