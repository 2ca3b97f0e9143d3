// SPDX-License-Identifier: Apache-2.0
// The variable table of a model, for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/compiled_data.h"
#include "api/model_texts.h"
#include "io/text_table.h"
#include "program/variables.h"

namespace orrery::api {
namespace {

std::optional<Prepared> prepare_with_signals(RunRequest request, Diagnostics& diagnostics) {
  request.keep_signals = true;
  return prepare(request, diagnostics);
}

std::string type_text(const Shape& shape) {
  return shape.rows == 1 && shape.cols == 1 ? shape.type : fmt::format("{} {}x{}", shape.type, shape.rows, shape.cols);
}

std::string start_text(const VariableInfo& info) {
  constexpr std::size_t most = 4;
  if (info.start.size() > most)
    return fmt::format("[{}, ...]", fmt::join(info.start.begin(), info.start.begin() + most, ", "));
  return info.start.size() == 1 ? fmt::format("{}", info.start[0])
         : info.start.empty()   ? std::string()
                                : fmt::format("[{}]", fmt::join(info.start, ", "));
}

}  // namespace

std::optional<std::string> variables_text(const RunRequest& request, Diagnostics& diagnostics) {
  const auto prepared = prepare_with_signals(request, diagnostics);
  if (!prepared) return std::nullopt;
  io::TextTable table{{"name", "kind", "type", "unit", "start", "about"}, {}, {}};
  for (const VariableInfo& info : variables_of(prepared->program)) {
    const std::string about = info.alias_of.empty() ? info.about : "= " + info.alias_of;
    table.rows.push_back({info.name, name_of(info.kind), type_text(info.shape), info.unit, start_text(info), about});
  }
  return io::to_text(table);
}

std::optional<std::string> variables_json(const RunRequest& request, Diagnostics& diagnostics) {
  const auto prepared = prepare_with_signals(request, diagnostics);
  if (!prepared) return std::nullopt;
  const program::Program& program = prepared->program;
  const std::vector<VariableInfo> variables = variables_of(program);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const VariableInfo& info = variables[k];
    list.push_back({{"name", info.name},
                    {"kind", name_of(info.kind)},
                    {"type", info.shape.type},
                    {"rows", info.shape.rows},
                    {"cols", info.shape.cols},
                    {"unit", info.unit},
                    {"about", info.about},
                    {"block", info.block},
                    {"continuous", info.continuous},
                    {"start", info.start},
                    {"from", program::value_source(program, program.variables[k])},
                    {"alias_of", info.alias_of}});
  }
  return list.dump(1) + "\n";
}

}  // namespace orrery::api
