// SPDX-License-Identifier: Apache-2.0
// `orrery show blocks`, `show block`, `version`: what this program knows.
#include "api/session.h"
#include "blocks/block.h"
#include "blocks/manual.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "model/closest_name.h"

namespace orrery::cli {
namespace {

const blocks::BlockType* find_block(const std::string& name, Diagnostics& diagnostics) {
  if (const blocks::BlockType* type = blocks::find_type(name)) return type;
  std::vector<std::string_view> names;
  for (const blocks::BlockType* type : blocks::library()) names.push_back(type->name);
  std::string help = model::did_you_mean(name, names);
  if (help.empty()) help = "`orrery show blocks` lists them all";
  diagnostics.error("unknown-block", {}, "no block type is called " + name, std::move(help));
  return nullptr;
}

}  // namespace

int show_blocks_command() {
  print(blocks::list_blocks());
  return exit_ok;
}

int show_block_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const auto evaluator = api::make_evaluator();
  const blocks::TextEvaluator evaluate = [&evaluator](std::string_view text) {
    Diagnostics ignored;  // a default without a value shows as such on the page
    return evaluator->evaluate(text, {}, ignored);
  };
  if (!arguments.html.empty()) {
    io::write_file(arguments.html, blocks::manual_html(evaluate), diagnostics);
  } else if (const blocks::BlockType* type = find_block(arguments.block, diagnostics)) {
    print(blocks::describe_block(*type, evaluate));
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return diagnostics.has_errors() ? exit_failed : exit_ok;
}

int version_command() {
  print("orrery " ORRERY_VERSION "\n");
  return exit_ok;
}

int print_text_command(const Arguments& arguments) {
  print(arguments.text);
  return exit_ok;
}

}  // namespace orrery::cli
