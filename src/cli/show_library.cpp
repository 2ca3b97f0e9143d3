// SPDX-License-Identifier: Apache-2.0
// `orrery show blocks`, `show block`, `show solvers`, `version`: what this program knows.
#include <fmt/format.h>

#include "api/session.h"
#include "blocks/block.h"
#include "blocks/manual.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "io/text_table.h"
#include "model/closest_name.h"
#include "solve/integrator.h"

namespace orrery::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

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

int show_solvers_command() {
  io::TextTable table{{"name", "order", "about", "also called"}, {io::Align::left, io::Align::right}, {}};
  table.rows.push_back({"auto", "", "Chooses one of these for the model and says why (--stats).", ""});
  for (const solve::SolverInfo& info : solve::solvers()) {
    const std::string order = info.order > 0 ? fmt::format("{}", info.order) : "";
    table.rows.push_back({info.name, order, info.summary, joined(info.aliases)});
  }
  print(io::to_text(table));
  return exit_ok;
}

int version_command() {
  print("orrery " ORRERY_VERSION "\n");
  return exit_ok;
}

}  // namespace orrery::cli
