// SPDX-License-Identifier: Apache-2.0
// Pictures, scripts and comparisons of whatever can be read as a model.
#include <cmath>

#include "edit/compare.h"
#include "edit/diff_picture.h"
#include "edit/script.h"
#include "fuzz_file.h"
#include "picture/make_scene.h"
#include "picture/svg.h"

namespace {

void draw(const orrery::model::Diagram& diagram, const std::string& path) {
  using namespace orrery;
  const picture::Scene scene = picture::make_scene(diagram, path, {}, {.values = true, .title = path});
  const std::string text = picture::svg(scene, picture::Theme::light);
  // Whatever is in the model, a picture is one element and runs no script.
  if (!text.starts_with("<svg") || text.find("<script") != std::string::npos) __builtin_trap();
  for (const model::LayoutItem& item : picture::arranged_layout(diagram, path, {}, picture::Arrange::all)) {
    if (!std::isfinite(item.x) || !std::isfinite(item.y)) __builtin_trap();
  }
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) draw(*block.diagram, path + "/" + block.name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto model = model::parse(text_of(data, size), "fuzz.orr", diagnostics);
  if (!model) return 0;
  draw(model->root, "");
  for (const auto language : {edit::ScriptLanguage::oml, edit::ScriptLanguage::python})
    static_cast<void>(edit::script_of(*model, "again.orr", language));
  if (!edit::compare(*model, *model, {.layout = true}).empty()) __builtin_trap();
  static const auto other = [] {
    Diagnostics none;
    return model::parse(R"({"orrery": 2, "blocks": [{"name": "G", "type": "Gain"}]})", "other.orr", none);
  }();
  const auto differences = edit::compare(*other, *model, {.layout = true});
  static_cast<void>(edit::differences_json(differences));
  const std::string page = edit::diff_html({&*other, {}, "a"}, {&*model, {}, "b"}, differences);
  if (page.find("<script>alert") != std::string::npos) __builtin_trap();
  return 0;
}
