// SPDX-License-Identifier: Apache-2.0
// The canonical text of a model: one block or link a line, file order, layout last.
#include <charconv>

#include "model/fields.h"
#include "model/items.h"
#include "model/model.h"

namespace orrery::model {
namespace {

class Writer {
 public:
  std::string take() { return std::move(out_); }

  void file(const Model& model) {
    out_ += "{\n  \"orrery\": 2";
    if (!model.name.empty()) member("name", model.name);
    if (!model.about.empty()) member("about", model.about);
    simulation(model.settings);
    out_ += ",\n";
    if (!model.libraries.empty()) {
      lines("libraries", model.libraries, 2, [&](const LibraryNeed& need) { library(need); });
      out_ += ",\n";
    }
    if (!model.initialization.empty()) {
      lines("initialization", model.initialization, 2, [&](const std::string& line) { text(line); });
      out_ += ",\n";
    }
    diagram(model.root, 2);
    out_ += "\n}\n";
  }

  template <typename Item>
  static std::string text_of(void (Writer::*print)(const Item&), const Item& item) {
    Writer writer;
    (writer.*print)(item);
    return writer.take();
  }
  void flat_block(const BlockInstance& b) { block(b, 0); }
  void settings(const Settings& s) {
    simulation(s);
    if (out_.empty()) out_ = "{}";
    // Without the name of the field in front.
    else
      out_.erase(0, out_.find('{'));
  }
  void options(const Diagram& d) {
    std::string_view separator = "{";
    const auto add = [&](std::string_view name) {
      out_ += separator;
      key(name);
      separator = ", ";
    };
    if (d.atomic) {
      add("atomic");
      out_ += "true";
    }
    if (d.for_each != ForEach::none) {
      add("for_each");
      text(for_each_names[static_cast<int>(d.for_each)]);
    }
    if (!d.count.empty()) {
      add("count");
      text(d.count);
    }
    out_ += separator == "{" ? "{}" : "}";
  }
  void library_list(const std::vector<LibraryNeed>& needs) {
    std::string_view separator = "[";
    for (const LibraryNeed& need : needs) {
      out_ += separator;
      library(need);
      separator = ", ";
    }
    out_ += needs.empty() ? "[]" : "]";
  }
  void string_list(const std::vector<std::string>& list) {
    std::string_view separator = "[";
    for (const std::string& line : list) {
      out_ += separator;
      text(line);
      separator = ", ";
    }
    out_ += list.empty() ? "[]" : "]";
  }

  void text(std::string_view s) {
    constexpr std::string_view hex = "0123456789abcdef";
    out_ += '"';
    for (const char c : s) {
      const auto byte = static_cast<unsigned char>(c);
      switch (c) {
        case '"': out_ += "\\\""; break;
        case '\\': out_ += "\\\\"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '\t': out_ += "\\t"; break;
        default:
          if (byte < 0x20) {
            out_ += "\\u00";
            out_ += hex[byte >> 4];
            out_ += hex[byte & 15];
          } else {
            out_ += c;
          }
      }
    }
    out_ += '"';
  }

  void key(std::string_view name) {
    text(name);
    out_ += ": ";
  }

  void member(std::string_view name, std::string_view value) {
    out_ += ",\n  ";
    key(name);
    text(value);
  }

  void indent(int spaces) { out_.append(static_cast<std::size_t>(spaces), ' '); }

  void port(const PortRef& ref) { text(ref.block + ':' + std::to_string(ref.port)); }

  // Adding zero turns -0 into 0: JSON readers take "-0" for the integer 0, and then the bytes would change.
  void number(double x) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x + 0.0).ptr;
    out_.append(buffer, end);
  }

  void simulation(const Settings& s) {
    std::string_view separator = ",\n  \"simulation\": {";
    for (const SettingInfo& info : setting_table()) {
      const Setting& setting = s.*info.text;
      if (setting.empty()) continue;
      out_ += separator;
      key(info.name);
      text(setting.text);
      separator = ", ";
    }
    block_settings("tolerances", s.tolerances, separator);
    block_settings("initial", s.initial, separator);
    if (separator == ", ") out_ += "}";
  }

  void block_settings(std::string_view name, const std::vector<BlockSetting>& settings, std::string_view& separator) {
    if (settings.empty()) return;
    out_ += separator;
    key(std::string(name));
    out_ += "{";
    std::string_view inner;
    for (const BlockSetting& setting : settings) {
      out_ += inner;
      key(setting.block);
      text(setting.text);
      inner = ", ";
    }
    out_ += "}";
    separator = ", ";
  }

  // "name": [ … ], or { … } for items with keys, with one item a line.
  template <typename Items, typename Print>
  void lines(std::string_view name, const Items& items, int margin, Print print, std::string_view brackets = "[]") {
    indent(margin);
    key(name);
    out_ += brackets[0];
    std::string_view separator = "\n";
    for (const auto& item : items) {
      out_ += separator;
      indent(margin + 2);
      print(item);
      separator = ",\n";
    }
    if (!items.empty()) {
      out_ += "\n";
      indent(margin);
    }
    out_ += brackets[1];
  }

  void mask(const MaskParameter& parameter) {
    out_ += "{\"name\": ";
    text(parameter.name);
    if (!parameter.prompt.empty()) {
      out_ += ", \"prompt\": ";
      text(parameter.prompt);
    }
    if (!parameter.kind.empty()) {
      out_ += ", \"kind\": ";
      text(parameter.kind);
    }
    if (!parameter.choices.empty()) {
      std::string_view separator = ", \"choices\": [";
      for (const std::string& choice : parameter.choices) {
        out_ += separator;
        text(choice);
        separator = ", ";
      }
      out_ += "]";
    }
    const std::pair<std::string_view, const std::string&> rest[] = {{"default", parameter.value},
                                                                    {"visible", parameter.visible},
                                                                    {"valid", parameter.valid},
                                                                    {"message", parameter.message}};
    for (const auto& [name, value] : rest) {
      if (value.empty()) continue;
      out_ += ", ";
      key(name);
      text(value);
    }
    out_ += "}";
  }

  void library(const LibraryNeed& need) {
    out_ += "{\"name\": ";
    text(need.name);
    const std::pair<std::string_view, const std::string&> rest[] = {
        {"version", need.version}, {"path", need.path}, {"key", need.key}};
    for (const auto& [name, value] : rest) {
      if (value.empty()) continue;
      out_ += ", ";
      key(name);
      text(value);
    }
    out_ += "}";
  }

  void option(int margin, std::string_view name, std::string_view value) {
    indent(margin);
    key(name);
    text(value);
    out_ += ",\n";
  }

  void diagram(const Diagram& d, int margin) {
    if (d.atomic) {
      indent(margin);
      out_ += "\"atomic\": true,\n";
    }
    if (d.for_each != ForEach::none) option(margin, "for_each", for_each_names[static_cast<int>(d.for_each)]);
    if (!d.count.empty()) option(margin, "count", d.count);
    if (!d.mask.empty()) {
      lines("mask", d.mask, margin, [&](const MaskParameter& parameter) { mask(parameter); });
      out_ += ",\n";
    }
    if (!d.context.empty()) {
      lines("context", d.context, margin, [&](const std::string& line) { text(line); });
      out_ += ",\n";
    }
    if (!d.program.empty()) {
      lines("program", d.program, margin, [&](const std::string& line) { text(line); });
      out_ += ",\n";
    }
    lines("blocks", d.blocks, margin, [&](const BlockInstance& b) { block(b, margin + 2); });
    out_ += ",\n";
    lines("links", d.links, margin, [&](const Link& l) { link(l); });
    if (!d.notes.empty()) {
      out_ += ",\n";
      lines("notes", d.notes, margin, [&](const Note& n) { note(n); });
    }
    if (!d.layout.empty()) {
      out_ += ",\n";
      lines(
          "layout", d.layout, margin, [&](const LayoutItem& item) { layout_item(item); }, "{}");
    }
    if (!d.bends.empty()) {
      out_ += ",\n";
      lines(
          "bends", d.bends, margin, [&](const Bends& item) { bends_item(item); }, "{}");
    }
  }

  void block(const BlockInstance& b, int margin) {
    out_ += "{\"name\": ";
    text(b.name);
    out_ += ", \"type\": ";
    text(b.type);
    if (!b.about.empty()) {
      out_ += ", \"about\": ";
      text(b.about);
    }
    if (b.activation != Activation::by_type) {
      out_ += ", \"activation\": ";
      text(activation_names[static_cast<int>(b.activation)]);
    }
    if (b.off) out_ += ", \"off\": true";
    if (!b.icon.empty()) {
      out_ += ", \"icon\": ";
      text(b.icon);
    }
    if (!b.parameters.empty()) {
      std::string_view separator = ", \"parameters\": {";
      for (const Parameter& parameter : b.parameters) {
        out_ += separator;
        key(parameter.name);
        text(parameter.value);
        separator = ", ";
      }
      out_ += "}";
    }
    if (b.diagram) {
      out_ += ", \"diagram\": {\n";
      diagram(*b.diagram, margin + 2);
      out_ += "\n";
      indent(margin);
      out_ += "}";
    }
    out_ += "}";
  }

  void link(const Link& l) {
    out_ += l.activation ? "{\"event\": " : "{\"from\": ";
    port(l.from);
    std::string_view separator = ", \"to\": [";
    for (const PortRef& target : l.to) {
      out_ += separator;
      port(target);
      separator = ", ";
    }
    out_ += "]";
    if (!l.name.empty()) {
      out_ += ", \"name\": ";
      text(l.name);
    }
    out_ += "}";
  }

  void layout_item(const LayoutItem& item) {
    key(item.block);
    numbers({item.x, item.y, item.width, item.height});
    if (item.flow == Flow::right) return;
    out_.back() = ',';
    out_ += ' ';
    text(flow_names[static_cast<int>(item.flow)]);
    out_ += "]";
  }

  void numbers(std::initializer_list<double> list) {
    std::string_view comma = "[";
    for (const double x : list) {
      out_ += comma;
      number(x);
      comma = ", ";
    }
    out_ += "]";
  }

  void note(const Note& n) {
    out_ += "{\"text\": ";
    text(n.text);
    out_ += ", \"at\": ";
    numbers({n.x, n.y, n.width, n.height});
    out_ += "}";
  }

  void bends_item(const Bends& item) {
    key(branch_text(item));
    out_ += "[";
    std::string_view comma;
    for (const Point& point : item.points) {
      out_ += comma;
      numbers({point.x, point.y});
      comma = ", ";
    }
    out_ += "]";
  }

  std::string out_;
};

}  // namespace

std::string item_text(const BlockInstance& block) { return Writer::text_of(&Writer::flat_block, block); }
std::string item_text(const Link& link) { return Writer::text_of(&Writer::link, link); }
std::string item_text(const MaskParameter& parameter) { return Writer::text_of(&Writer::mask, parameter); }
std::string item_text(const Note& note) { return Writer::text_of(&Writer::note, note); }
std::string item_text(const LayoutItem& item) { return Writer::text_of(&Writer::layout_item, item); }
std::string item_text(const Bends& bends) { return Writer::text_of(&Writer::bends_item, bends); }
std::string settings_text(const Settings& settings) { return Writer::text_of(&Writer::settings, settings); }
std::string options_text(const Diagram& diagram) { return Writer::text_of(&Writer::options, diagram); }
std::string libraries_text(const std::vector<LibraryNeed>& libraries) {
  return Writer::text_of(&Writer::library_list, libraries);
}
std::string lines_text(const std::vector<std::string>& lines) { return Writer::text_of(&Writer::string_list, lines); }

std::string write(const Model& model) {
  Writer writer;
  writer.file(model);
  return writer.take();
}

}  // namespace orrery::model
