// SPDX-License-Identifier: Apache-2.0
// From the end of a run to the constants of the next.
#include "api/program_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cssl/languages.h"
#include "cssl/to_model.h"

namespace orrery::api {
namespace {

// A parameter as it is written, without the quotes of OML.
std::string text_of(const model::BlockInstance& block, const std::string& name) {
  const model::Parameter* found = block.find_parameter(name);
  if (found == nullptr) return {};
  const std::string& text = found->value;
  const bool quoted = name != "program" && text.size() >= 2 && text.front() == '\'';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool ProgramRuns::LastRow::begin(const sim::StreamHead& head) {
  names.clear();
  watched_.clear();
  values.clear();
  left_scale = false;
  for (const sim::Column& column : head.columns) {
    if (std::find(displayed.begin(), displayed.end(), column.name) != displayed.end()) watched_.push_back(names.size());
    names.push_back(column.name);
  }
  return true;
}

bool ProgramRuns::LastRow::rows(const sim::Block& block) {
  for (std::size_t row = 0; row < block.rows() && scale > 0; ++row) {
    for (const std::size_t column : watched_) left_scale = left_scale || std::fabs(block.row(row)[column]) > scale;
  }
  if (block.rows() == 0) return true;
  const double* last = block.row(block.rows() - 1);
  values.assign(last, last + names.size());
  time = block.time.back();
  return true;
}

std::unique_ptr<ProgramRuns> ProgramRuns::of(const model::Model& model) {
  if (model.root.blocks.size() != 1 || model.root.blocks[0].type != "CsslBlock") return nullptr;
  const model::BlockInstance& block = model.root.blocks[0];
  const cssl::Language* language = cssl::find_language(text_of(block, "language"));
  if (language == nullptr) return nullptr;
  Diagnostics told;  // when the model was read
  auto program = cssl::read(*language, text_of(block, "program"), model.file, told);
  if (!program || !program->runs_follow_results) return nullptr;
  std::unique_ptr<ProgramRuns> made(new ProgramRuns(std::move(*program)));
  for (const cssl::Graph& graph : made->program_.graphs)
    made->rows_.displayed.insert(made->rows_.displayed.end(), graph.y.begin(), graph.y.end());
  return made;
}

bool ProgramRuns::next(std::vector<compile::Override>& overrides, Diagnostics& diagnostics) {
  const auto say = [&](const std::string& text) {
    Diagnostic said;
    said.severity = Severity::note;
    said.code = "model-message";
    said.place = program_.source->place({});
    said.message = text;
    diagnostics.add(std::move(said));
  };
  const auto given = cssl::next_run(program_, ends_, say, diagnostics);
  if (!given) return false;
  const auto scale = given->find("scale");
  rows_.scale = scale != given->end() ? scale->second[0] : 0;
  for (const auto& [name, values] : *given) {
    const cssl::Declared* item = program_.find(name);
    if (item == nullptr || !item->constant || item->size() != values.size()) continue;
    const auto set = [&, of = name](const compile::Override& other) { return other.name == of; };
    if (std::none_of(overrides.begin(), overrides.end(), set)) overrides.push_back({name, cssl::oml_numbers(values)});
  }
  overrides.push_back({cssl::runs_to_come, "1"});  // whether one follows is asked when it has ended
  return true;
}

void ProgramRuns::ended(const program::Program& program, const sim::Simulation& simulation) {
  cssl::RunEnd end;
  end.time = rows_.time;
  end.left_scale = rows_.left_scale;
  for (std::size_t k = 0; k < rows_.values.size(); ++k) end.values[rows_.names[k]] = {rows_.values[k]};
  // States and memories as they are now: TERMINAL has changed some behind the last row.
  for (std::size_t slot = 0; slot < program.slots.size(); ++slot) {
    const program::Slot& about = program.slots[slot];
    const bool kept = about.kind == program::SlotKind::state || about.kind == program::SlotKind::discrete;
    if (!kept || about.name.empty()) continue;
    std::vector<double> values;
    for (std::int64_t e = 0; e < about.type.size(); ++e)
      values.push_back(simulation.value(static_cast<program::SlotId>(slot), static_cast<std::size_t>(e)));
    end.values[about.name] = std::move(values);
  }
  ends_.push_back(std::move(end));
}

}  // namespace orrery::api
