// SPDX-License-Identifier: Apache-2.0
// CsslBlock: a program in ACSL, DARE-P, DESIRE or CSMP as a block; a file in one of them is a diagram of one.
#include <fmt/format.h>

#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/text_programs/build_program.h"
#include "cssl/actions.h"
#include "cssl/languages.h"

namespace orrery::blocks {
namespace {

std::vector<std::string> variable_names(const Parameters& p, const char* parameter) {
  const Value& value = p.value(parameter);
  std::vector<std::string> names;
  if (value.is_text() && !value.text.empty()) return {value.text};
  for (const Value& item : value.items) {
    if (!item.is_text()) p.fail(parameter, "must be a list of names, such as {'h', 'v'}");
    names.push_back(item.text);
  }
  return names;
}

// What the text means; the first mistake ends it.
cssl::Program read_program(const Parameters& p, const std::vector<std::string>& inputs) {
  const cssl::Language* language = cssl::find_language(p.text("language"));
  if (language == nullptr) p.fail("language", fmt::format("there is no language {}", p.text("language")));
  Diagnostics diagnostics;
  std::vector<cssl::Action> actions;
  for (const std::string& text : variable_names(p, "actions")) {
    const auto action = cssl::parse_action(text);
    if (!action) p.fail("actions", "must be texts such as 'k = 5 when t = 2' or 'k(2) = 5 when x = 0'");
    actions.push_back(*action);
  }
  auto program = cssl::read(*language, p.text("program"), p.text("file"), diagnostics, inputs, actions);
  if (program) return std::move(*program);
  for (const Diagnostic& found : diagnostics.all()) {
    if (found.severity != Severity::error) continue;
    p.fail("program", fmt::format("line {}: {}", found.place.line, found.message), found.help);
  }
  p.fail("program", "cannot be read");
}

}  // namespace

const BlockType cssl_block = {
    .name = "CsslBlock",
    .palette = "CustomBlocks",
    .summary = "A program in a classic simulation language: ACSL, DARE-P, DESIRE, CSMP.",
    .description =
        "Constants of the program are set by values, in the order of their declarations. A name in inputs gets its "
        "value from an input of the block, whatever the program says of it; a name in outputs is shown by an output. "
        "Sections, events and operators are those of the language (docs/languages).",
    .icon = {.text = "CSSL"},
    .parameters = {{"program", "x = integ(-x, 1.0)\ntermt(t .ge. 10.0)\n", "the text of the program", {}, true},
                   {"language", "'acsl'", "the language of the text: acsl, darep, desire or csmp"},
                   {"inputs", "[]", "names of variables that inputs give"},
                   {"outputs", "[]", "names of variables that outputs show"},
                   {"values", "[]", "values of the constants, one after the other; [] for those of the program"},
                   {"record", "0", "whether what the program prepares is recorded under its own names"},
                   {"actions", "[]", "changes while it runs: texts such as 'k = 5 when t = 2'"},
                   {"file", "''", "the file that messages name"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          for (const std::string& name : variable_names(p.parameters(), "inputs"))
            p.input(name, scalar_size, Scalar::f64);
          for (const std::string& name : variable_names(p.parameters(), "outputs"))
            p.output(name, scalar_size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const Parameters& p = b.parameters();
          text_programs::TextProgramPorts ports;
          ports.inputs = variable_names(p, "inputs");
          ports.outputs = variable_names(p, "outputs");
          ports.record = p.flag("record");
          text_programs::build_program(b, read_program(p, ports.inputs), ports);
        },
};

}  // namespace orrery::blocks
