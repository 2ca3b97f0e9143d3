// SPDX-License-Identifier: Apache-2.0
// The instance of a path, its remark, comments of its parameters and of the contexts around it.
#include "compile/unit_remarks.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "units/annotation.h"

namespace orrery::compile {
namespace {

struct FoundInstance {
  const model::BlockInstance* block = nullptr;
  std::vector<const model::Diagram*> around;  // the innermost last
};

FoundInstance find_instance(const model::Model& model, const std::string& path) {
  FoundInstance found;
  const model::Diagram* diagram = &model.root;
  std::size_t begin = 1;
  while (diagram != nullptr && begin <= path.size()) {
    const std::size_t slash = std::min(path.find('/', begin), path.size());
    const std::string_view name = std::string_view(path).substr(begin, slash - begin);
    found.around.push_back(diagram);
    found.block = nullptr;
    for (const model::BlockInstance& block : diagram->blocks) {
      if (block.name == name) found.block = &block;
    }
    if (found.block == nullptr) return {};
    diagram = found.block->diagram.get();
    begin = slash + 1;
  }
  if (begin <= path.size()) return {};
  return found;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t;") - begin + 1));
}

// A text of OML and what stands behind its % in a line.
std::pair<std::string_view, std::string_view> split_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (quote != 0) {
      if (line[k] == quote) quote = 0;
    } else if (line[k] == '"' ||
               (line[k] == '\'' && (k == 0 || !std::isalnum(static_cast<unsigned char>(line[k - 1]))))) {
      quote = line[k];
    } else if (line[k] == '%' || line[k] == '#') {
      return {line.substr(0, k), line.substr(k + 1)};
    }
  }
  return {line, {}};
}

class BlockRemarkReading {
 public:
  BlockRemarkReading(const Place& place, const FlatBlock& block, Diagnostics& diagnostics)
      : place_(place), block_(block), diagnostics_(diagnostics) {}

  BlockRemarks run(const FoundInstance& found) {
    for (const model::Parameter& parameter : found.block->parameters) {
      const auto [value, comment] = split_comment(parameter.value);
      for (const units::Annotation& item : units::find_annotations(comment)) {
        if (const auto unit = parsed(item.unit, "parameter " + parameter.name))
          made_.parameters[parameter.name] = {*unit, fmt::format("declared at {} {}", block_.path, parameter.name)};
      }
      if (!made_.parameters.contains(parameter.name)) variable(parameter.name, trimmed(value), found);
    }
    for (const units::Annotation& item : units::find_annotations(found.block->about)) about(item);
    return std::move(made_);
  }

 private:
  std::optional<units::ParsedUnit> parsed(const std::string& text, const std::string& port) {
    units::UnitError error;
    auto unit = units::parse_unit(text, false, error);
    if (unit) return unit;
    Place place = place_;
    place.port = port;
    diagnostics_.error("bad-unit", std::move(place), error.message, error.help);
    return std::nullopt;
  }

  // A parameter that is a variable has the unit which a context says: "m = 5; % [kg]".
  void variable(const std::string& parameter, const std::string& name, const FoundInstance& found) {
    for (std::size_t level = found.around.size(); level-- > 0;) {
      for (const std::string& line : found.around[level]->context) {
        const auto [code, comment] = split_comment(line);
        const std::size_t sign = code.find('=');
        const std::string assigned = sign == std::string_view::npos ? std::string() : trimmed(code.substr(0, sign));
        for (const units::Annotation& item : units::find_annotations(comment)) {
          if (item.name != name && assigned != name) continue;
          if (const auto unit = parsed(item.unit, "parameter " + parameter))
            made_.parameters[parameter] = {*unit, fmt::format("{} is declared in a context", name)};
          return;
        }
        if (assigned == name) return;  // without a unit
      }
    }
  }

  void about(const units::Annotation& item) {
    const std::string where = fmt::format("declared at {}", block_.path);
    const auto port_of = [&](std::string_view word, std::size_t count) -> int {
      if (!item.name.starts_with(word)) return 0;
      const std::string rest = item.name.substr(word.size());
      if (rest.empty()) return count == 1 ? 1 : 0;
      if (rest.find_first_not_of("0123456789") != std::string::npos || rest.size() > 4) return 0;
      const int port = std::atoi(rest.c_str());
      return port >= 1 && static_cast<std::size_t>(port) <= count ? port : 0;
    };
    const int output = port_of("out", block_.outputs.size()), input = port_of("in", block_.inputs.size());
    bool parameter = false;
    for (const blocks::ParameterSpec& spec : block_.type->parameters) parameter = parameter || spec.name == item.name;
    // A word that is nothing of the block is prose before the unit of its only output.
    const bool alone = !parameter && output == 0 && input == 0 && block_.outputs.size() == 1;
    if (!parameter && output == 0 && input == 0 && !alone) return;
    const auto unit = parsed(item.unit, {});
    if (!unit) return;
    if (parameter) {
      made_.parameters[item.name] = {*unit, where};
    } else if (input != 0) {
      made_.inputs[input] = {*unit, where};
    } else {
      made_.outputs[alone ? 1 : output] = {*unit, where};
    }
  }

  const Place& place_;
  const FlatBlock& block_;
  Diagnostics& diagnostics_;
  BlockRemarks made_;
};

}  // namespace

BlockRemarks remarks_of(const model::Model& model, const Place& place, const FlatBlock& block,
                        Diagnostics& diagnostics) {
  const FoundInstance found = find_instance(model, block.path);
  if (found.block == nullptr) return {};
  return BlockRemarkReading(place, block, diagnostics).run(found);
}

}  // namespace orrery::compile
