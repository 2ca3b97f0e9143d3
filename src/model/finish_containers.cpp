// SPDX-License-Identifier: Apache-2.0
// What can be said of an object or array only when it has been read as a whole.
#include "model/items.h"
#include "model/model_reader.h"

namespace orrery::model {

void ModelReader::finish(const Frame& frame) {
  const auto fields = fields_of(frame.container);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i].required || (frame.seen & (1u << i))) continue;
    const std::string name(fields[i].name);
    error("missing-field", "the field \"" + name + "\" is missing",
          name == "orrery" ? "write \"orrery\": 2 as the first field" : "", frame.line);
  }
  switch (frame.container) {
    case Container::diagram:
      --nesting_;
      // Thousands of super blocks would keep room for as many blocks again.
      frame.diagram->blocks.shrink_to_fit();
      frame.diagram->links.shrink_to_fit();
      [[fallthrough]];
    case Container::file:
      // The items themselves are the diagram of the one super block around them.
      if (whole_ || nesting_ > 0) check_diagram(*frame.diagram, file_, path(), diagnostics_);
      break;
    case Container::link: finish_link(frame); break;
    case Container::parameters:
      finish_names(frame.diagram->blocks.back().parameters, &Parameter::name, "parameter");
      break;
    case Container::mask_parameter: finish_mask(frame); break;
    case Container::libraries: finish_names(model_.libraries, &LibraryNeed::name, "library"); break;
    case Container::mask: finish_names(frame.diagram->mask, &MaskParameter::name, "mask parameter"); break;
    case Container::tolerances: finish_names(model_.settings.tolerances, &StateTolerance::block, "tolerance"); break;
    case Container::initial: finish_names(model_.settings.initial, &InitialChoice::block, "initial condition"); break;
    case Container::layout: finish_names(frame.diagram->layout, &LayoutItem::block, "layout of"); break;
    case Container::bends: finish_bends(frame); break;
    case Container::rectangle:
    case Container::note_rectangle:
      if (sides_ < 4 || (sides_ > 4 && frame.container == Container::note_rectangle)) {
        error("wrong-kind", "a layout rectangle has four numbers, not " + std::to_string(sides_),
              "write [x, y, width, height]");
      }
      break;
    case Container::point:
      if (sides_ != 2) {
        error("wrong-kind", "a corner of a link has two numbers, not " + std::to_string(sides_), "write [x, y]");
      }
      break;
    default: break;
  }
}

void ModelReader::finish_link(const Frame& frame) {
  const bool has_from = frame.seen & 1u, has_event = frame.seen & 2u, has_to = frame.seen & 4u;
  if (!has_from && !has_event) {
    error("missing-field", "the link has no source",
          "write \"from\": \"Block:1\" for a signal or \"event\": \"Block:1\" for an activation", frame.line);
  }
  if (has_from && has_event) {
    error("duplicate-field", "a link has either \"from\" or \"event\", not both", "make two links of it", frame.line);
  }
  if (has_to && frame.diagram->links.back().to.empty()) {
    error("missing-field", "the link has no target", "write \"to\": [\"Block:1\"]", frame.line);
  }
}

void ModelReader::finish_mask(const Frame& frame) {
  const MaskParameter& parameter = frame.diagram->mask.back();
  if (parameter.kind == "choice" && parameter.choices.empty()) {
    error("missing-field", "a mask parameter of kind \"choice\" needs its \"choices\"",
          "write \"choices\": [\"one\", \"another\"]", frame.line);
  }
  if (parameter.kind != "choice" && !parameter.choices.empty()) {
    error("unknown-value", "only a mask parameter of kind \"choice\" has choices", "write \"kind\": \"choice\"",
          frame.line);
  }
  if (!parameter.message.empty() && parameter.valid.empty()) {
    error("missing-field", "the \"message\" of a mask parameter needs a condition, \"valid\"",
          "write \"valid\": \"k > 0\"", frame.line);
  }
}

void ModelReader::finish_bends(const Frame& frame) {
  std::vector<std::string> keys;
  keys.reserve(frame.diagram->bends.size());
  for (const Bends& bends : frame.diagram->bends) keys.push_back(branch_text(bends));
  std::vector<NamedLine> names;
  names.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) names.push_back({keys[k], frame.diagram->bends[k].line});
  check_unique(std::move(names), "bends of", place_in(file_, 0, path()), diagnostics_);
}

}  // namespace orrery::model
