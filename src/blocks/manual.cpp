// SPDX-License-Identifier: Apache-2.0
// Pages of the block manual as text and as HTML.
#include "blocks/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/xml_text.h"
#include "blocks/book_names.h"
#include "blocks/manual_formula.h"
#include "blocks/manual_icon.h"

namespace orrery::blocks {
namespace {

struct PortRow {
  std::string side;  // "input 1"
  std::string name;
  std::string type;
};

// A page before it becomes text or HTML.
struct Page {
  const BlockType* type = nullptr;
  std::vector<PortRow> ports;
  std::string activation;
  std::vector<std::string> paragraphs;
  std::vector<std::string> formulas;
};

// An unknown is explained by the first port that shares it.
std::string type_text(const Port& port, const std::vector<Port>& ports, bool is_output) {
  const auto with = [&](auto&& same) { return std::find_if(ports.begin(), ports.end(), same); };
  const auto twin_type = with([&](const Port& p) { return p.type == port.type; });
  const auto twin_size = with([&](const Port& p) { return p.rows == port.rows && p.cols == port.cols; });
  const bool type_refers = twin_type != ports.end() && &*twin_type != &port;
  const bool size_refers = twin_size != ports.end() && &*twin_size != &port;
  std::string type = port.type >= 0 ? name_of(static_cast<Scalar>(port.type))
                     : type_refers  ? "type of " + twin_type->name
                     : is_output    ? "type given by the inputs"
                                    : "any type";
  std::string size = port.rows > 0 && port.cols > 0 ? fmt::format("{}x{}", port.rows, port.cols)
                     : port.rows > 0                ? fmt::format("{} rows", port.rows)
                     : size_refers                  ? "size of " + twin_size->name
                     : is_output                    ? "size given by the inputs"
                     : port.cols == 1               ? "a column"
                                                    : "any size";
  return type + ", " + size;
}

std::vector<PortRow> port_rows(const BlockType& type, const TextEvaluator& evaluate) {
  std::vector<PortRow> rows;
  const auto parameters = default_parameters(type, evaluate);
  if (!parameters || type.ports == nullptr) return rows;
  Ports ports(*parameters);
  type.ports(ports);
  for (int k = 1; k <= ports.input_count(); ++k) {
    rows.push_back({fmt::format("input {}", k), ports.in(k).name, type_text(ports.in(k), ports.inputs(), false)});
  }
  for (int k = 1; k <= ports.output_count(); ++k) {
    rows.push_back({fmt::format("output {}", k), ports.out(k).name, type_text(ports.out(k), ports.inputs(), true)});
  }
  for (int k = 1; k <= ports.activation_input_count(); ++k) {
    rows.push_back({fmt::format("activation input {}", k), "", ""});
  }
  for (int k = 1; k <= ports.activation_output_count(); ++k) {
    rows.push_back({fmt::format("activation output {}", k), "", ""});
  }
  return rows;
}

std::string activation_text(const BlockType& type, const std::vector<PortRow>& ports) {
  const auto has = [&](std::string_view side) {
    return std::any_of(ports.begin(), ports.end(), [&](const PortRow& row) { return row.side.rfind(side, 0) == 0; });
  };
  switch (type.activation) {
    case Activation::always: return "Always active.";
    case Activation::always_and_inherit:
      return "Always active; without activation links also at the events of the sources of its inputs.";
    case Activation::initial: return "Active when the simulation starts, unless activation links say otherwise.";
    case Activation::inherit_per_input:
      return "Without activation links, the activation of the source of input k arrives at activation input k.";
    case Activation::inherit: break;
  }
  if (!has("activation input")) return "Needs no activation.";
  return has("input") ? "Without activation links, active whenever the source of an input is."
                      : "Active when its activation links say so.";
}

std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find("\n\n", from), text.size());
    paragraphs.push_back(text.substr(from, to - from));
    from = to + 2;
  }
  return paragraphs;
}

Page page_of(const BlockType& type, const TextEvaluator& evaluate) {
  Page page{&type, port_rows(type, evaluate), {}, paragraphs_of(type.description), formula_lines(type, evaluate)};
  page.activation = activation_text(type, page.ports);
  return page;
}

std::vector<std::string> palettes() {
  std::vector<std::string> names;
  for (const BlockType* type : library()) {
    if (std::find(names.begin(), names.end(), type->palette) == names.end()) names.push_back(type->palette);
  }
  return names;
}

std::string choices_text(const ParameterSpec& spec) {
  return spec.choices.empty() ? "" : fmt::format(" ('{}')", fmt::join(spec.choices, "', '"));
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t width = 90;
  std::string result(indent, ' ');
  std::size_t column = indent;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    if (column > indent && column + 1 + (to - from) > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(from, to - from);
    column += to - from;
    from = to + 1;
  }
  return result + "\n";
}

// Escapes, and turns `code` into a code element.
std::string html(const std::string& text) {
  std::string result;
  bool code = false;
  for (const char c : xml_text(text)) {
    if (c == '`') {
      result += code ? "</code>" : "<code>";
      code = !code;
    } else {
      result += c;
    }
  }
  return result;
}

constexpr const char* html_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Orrery: block manual</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
nav a { margin-right: 0.8rem; white-space: nowrap; }
article { border-top: 1px solid #8886; margin-top: 2rem; }
h3 { margin: 1.2rem 0 0.3rem; font-size: 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid #8883; }
code { font-family: ui-monospace, monospace; }
.palette { opacity: 0.7; font-size: 0.8em; font-weight: normal; }
.icon { float: right; margin: 1rem; }
.example svg { max-width: 40rem; height: auto; }
pre { overflow: auto; font-size: 0.8rem; }
pre.formula { font-size: 0.9rem; background: #8881; padding: 0.6rem; border-radius: 4px; white-space: pre-wrap; }
#find { font: inherit; width: 100%; padding: 0.4rem; box-sizing: border-box; }
</style>
</head>
<body>
<h1>Orrery: block manual</h1>
<p>Sizes and types of ports are those for the default parameters.</p>
<p><input id="find" type="search" placeholder="find a block, a parameter, a word" aria-label="find"></p>
)";

// Hides what does not contain all words that are looked for.
constexpr const char* html_tail = R"(<script>
const pages = [...document.querySelectorAll('article')].map(page => [page, page.textContent.toLowerCase()]);
const links = [...document.querySelectorAll('nav a')];
document.getElementById('find').addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(word => word);
  const shown = new Set();
  for (const [page, text] of pages) {
    page.hidden = !words.every(word => text.includes(word));
    if (!page.hidden) shown.add(page.id);
  }
  for (const link of links) link.hidden = !shown.has(link.hash.slice(1));
});
</script>
</body>
</html>
)";

std::string html_index() {
  std::string out = "<nav>\n";
  for (const std::string& palette : palettes()) {
    out += fmt::format("<h3>{}</h3>\n<p>", html(palette));
    for (const BlockType* type : library()) {
      if (type->palette == palette) out += fmt::format("<a href=\"#{0}\">{0}</a> ", html(type->name));
    }
    out += "</p>\n";
  }
  return out + "</nav>\n";
}

std::string html_page(const Page& page, const ExampleHtml& example) {
  const BlockType& type = *page.type;
  const auto count = [&](const char* side) {
    return static_cast<int>(std::count_if(page.ports.begin(), page.ports.end(),
                                          [&](const PortRow& row) { return row.side.rfind(side, 0) == 0; }));
  };
  std::string out = fmt::format(
      "<article id=\"{0}\">\n{3}\n<h2>{0} <span class=\"palette\">{1}</span></h2>\n<p>{2}</p>\n", html(type.name),
      html(type.palette), html(type.summary), icon_svg(type, count("input"), count("output")));
  for (const std::string& paragraph : page.paragraphs) out += fmt::format("<p>{}</p>\n", html(paragraph));
  if (!type.parameters.empty()) {
    out += "<h3>Parameters</h3>\n<table>\n<tr><th>Name</th><th>Default</th><th>Meaning</th></tr>\n";
    for (const ParameterSpec& spec : type.parameters) {
      out += fmt::format("<tr><td><code>{}</code></td><td><code>{}</code></td><td>{}</td></tr>\n", html(spec.name),
                         html(spec.value), html(spec.about + choices_text(spec)));
    }
    out += "</table>\n";
  }
  if (!page.ports.empty()) {
    out += "<h3>Ports</h3>\n<table>\n<tr><th>Port</th><th>Name</th><th>Signal</th></tr>\n";
    for (const PortRow& row : page.ports) {
      out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", row.side, html(row.name),
                         html(row.type));
    }
    out += "</table>\n";
  }
  if (!page.formulas.empty()) {
    out += "<h3>Formula</h3>\n<pre class=\"formula\">";
    for (const std::string& line : page.formulas) out += html(line) + "\n";
    out += "</pre>\n";
  }
  out += fmt::format("<h3>Activation</h3>\n<p>{}</p>\n", html(page.activation));
  if (example) out += example(type);
  return out + "</article>\n";
}

std::string html_names() {
  std::string out =
      "<article id=\"names\">\n<h2>Other names</h2>\n<p>What blocks and parameters of other programs are "
      "called here.</p>\n<table>\n<tr><th>Name</th><th>Here</th><th>Note</th></tr>\n";
  for (const OtherName& other : other_names()) {
    const std::string ours = other.ours.empty() ? "-" : fmt::format("<a href=\"#{0}\">{0}</a>", html(other.ours));
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", html(other.name), ours, html(other.note));
  }
  return out + "</table>\n</article>\n";
}

}  // namespace

std::optional<Parameters> default_parameters(const BlockType& type, const TextEvaluator& evaluate) {
  std::vector<Value> values;
  for (const ParameterSpec& spec : type.parameters) {
    auto value = spec.verbatim ? Value::string(spec.value) : evaluate(spec.value);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return Parameters(&type, std::move(values));
}

std::string list_blocks() {
  std::size_t width = 0;
  for (const BlockType* type : library()) width = std::max(width, type->name.size());
  std::string out;
  for (const std::string& palette : palettes()) {
    out += (out.empty() ? "" : "\n") + palette + "\n";
    for (const BlockType* type : library()) {
      if (type->palette == palette) out += fmt::format("  {:<{}}  {}\n", type->name, width, type->summary);
    }
  }
  return out;
}

std::string describe_block(const BlockType& type, const TextEvaluator& evaluate) {
  const Page page = page_of(type, evaluate);
  std::string out = fmt::format("{} ({})\n\n{}", type.name, type.palette, wrapped(type.summary, 2));
  for (const std::string& paragraph : page.paragraphs) out += "\n" + wrapped(paragraph, 2);
  if (!type.parameters.empty()) out += "\nParameters\n";
  for (const ParameterSpec& spec : type.parameters) {
    out += fmt::format("  {} = {}\n{}", spec.name, spec.value, wrapped(spec.about + choices_text(spec), 6));
  }
  if (!page.ports.empty()) out += "\nPorts (with the default parameters)\n";
  for (const PortRow& row : page.ports) {
    out +=
        row.name.empty() ? fmt::format("  {}\n", row.side) : fmt::format("  {} {}: {}\n", row.side, row.name, row.type);
  }
  if (!page.formulas.empty()) out += "\nFormula\n";
  for (const std::string& line : page.formulas) out += "  " + line + "\n";
  return out + "\nActivation\n" + wrapped(page.activation, 2);
}

std::string manual_html(const TextEvaluator& evaluate, const ExampleHtml& example) {
  std::string out = html_head + html_index();
  for (const BlockType* type : library()) out += html_page(page_of(*type, evaluate), example);
  return out + html_names() + html_tail;
}

}  // namespace orrery::blocks
