// SPDX-License-Identifier: Apache-2.0
// The tables of the .orr grammar. docs/orr.schema.json says the same; a test compares the two.
#include "model/fields.h"

#include "model/settings.h"

namespace orrery::model {
namespace {

constexpr Field file_fields[] = {
    {"orrery", Shape::integer, {}, true},
    {"name", Shape::text},
    {"about", Shape::text},
    {"simulation", Shape::object, Container::simulation},
    {"libraries", Shape::array, Container::libraries},
    {"initialization", Shape::array, Container::initialization},
    {"atomic", Shape::boolean},
    {"mask", Shape::array, Container::mask},
    {"context", Shape::array, Container::context},
    {"blocks", Shape::array, Container::blocks},
    {"links", Shape::array, Container::links},
    {"notes", Shape::array, Container::notes},
    {"layout", Shape::object, Container::layout},
    {"bends", Shape::object, Container::bends},
};

std::vector<Field> simulation_fields() {
  std::vector<Field> fields;
  for (const SettingInfo& setting : setting_table()) fields.push_back({setting.name, Shape::value});
  fields.push_back({"tolerances", Shape::object, Container::tolerances});
  fields.push_back({"initial", Shape::object, Container::initial});
  return fields;
}

constexpr Field diagram_fields[] = {
    {"atomic", Shape::boolean},
    {"for_each", Shape::text},
    {"count", Shape::value},
    {"mask", Shape::array, Container::mask},
    {"context", Shape::array, Container::context},
    {"program", Shape::array, Container::program},
    {"blocks", Shape::array, Container::blocks},
    {"links", Shape::array, Container::links},
    {"notes", Shape::array, Container::notes},
    {"layout", Shape::object, Container::layout},
    {"bends", Shape::object, Container::bends},
};

constexpr Field block_fields[] = {
    {"name", Shape::text, {}, true},
    {"type", Shape::text, {}, true},
    {"about", Shape::text},
    {"activation", Shape::text},
    {"off", Shape::boolean},
    {"icon", Shape::text},
    {"parameters", Shape::object, Container::parameters},
    {"diagram", Shape::object, Container::diagram},
};

constexpr Field mask_fields[] = {
    {"name", Shape::text, {}, true}, {"prompt", Shape::text},
    {"kind", Shape::text},           {"choices", Shape::array, Container::choices},
    {"default", Shape::value},       {"visible", Shape::value},
    {"valid", Shape::value},         {"message", Shape::text},
};

constexpr Field library_fields[] = {
    {"name", Shape::text, {}, true},
    {"version", Shape::value},
    {"path", Shape::text},
    {"key", Shape::text},
};

constexpr Field note_fields[] = {
    {"text", Shape::text, {}, true},
    {"at", Shape::array, Container::note_rectangle, true},
};

// One of "from" and "event" is required; the loader says so itself.
constexpr Field link_fields[] = {
    {"from", Shape::text},
    {"event", Shape::text},
    {"to", Shape::array, Container::targets, true},
    {"name", Shape::text},
};

}  // namespace

std::span<const Field> fields_of(Container container) {
  switch (container) {
    case Container::file: return file_fields;
    case Container::simulation: {
      static const std::vector<Field> fields = simulation_fields();
      return fields;
    }
    case Container::diagram: return diagram_fields;
    case Container::block: return block_fields;
    case Container::link: return link_fields;
    case Container::mask_parameter: return mask_fields;
    case Container::note: return note_fields;
    case Container::library: return library_fields;
    default: return {};
  }
}

std::vector<std::string_view> names_of(std::span<const Field> fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

Field element_of(Container container) {
  switch (container) {
    case Container::parameters: return {"parameter", Shape::value};
    case Container::tolerances: return {"tolerance", Shape::value};
    case Container::initial: return {"initial condition", Shape::text};
    case Container::layout: return {"rectangle", Shape::array, Container::rectangle};
    case Container::initialization: return {"initialization line", Shape::text};
    case Container::context: return {"context line", Shape::text};
    case Container::libraries: return {"library", Shape::object, Container::library};
    case Container::program: return {"program line", Shape::text};
    case Container::choices: return {"choice", Shape::text};
    case Container::mask: return {"mask parameter", Shape::object, Container::mask_parameter};
    case Container::blocks: return {"block", Shape::object, Container::block};
    case Container::links: return {"link", Shape::object, Container::link};
    case Container::targets: return {"target", Shape::text};
    case Container::notes: return {"note", Shape::object, Container::note};
    case Container::bends: return {"corners", Shape::array, Container::points};
    case Container::points: return {"corner", Shape::array, Container::point};
    case Container::point: return {"coordinate", Shape::number};
    case Container::note_rectangle: return {"rectangle side", Shape::number};
    default: return {"rectangle side", Shape::side};
  }
}

bool has_fields(Container container) { return !fields_of(container).empty(); }

std::string_view describe(Shape shape) {
  switch (shape) {
    case Shape::text: return "a string";
    case Shape::integer: return "a whole number";
    case Shape::value: return "a string, a number or a boolean";
    case Shape::number: return "a number";
    case Shape::boolean: return "true or false";
    case Shape::side: return "a number, or \"flip\", \"up\" or \"down\" at the end";
    case Shape::object: return "an object";
    case Shape::array: return "an array";
  }
  return {};
}

}  // namespace orrery::model
