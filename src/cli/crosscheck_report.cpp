// SPDX-License-Identifier: Apache-2.0
// The report of a cross-check: one self-contained page with a table and plots of what differs.
#include <fmt/format.h>

#include <algorithm>

#include "base/xml_text.h"
#include "cli/crosscheck.h"
#include "io/number_text.h"
#include "io/svg_plot.h"

namespace orrery::cli {
namespace {

constexpr std::size_t most_plots = 4;  // of one FMU

constexpr const char* style =
    "body{font:15px/1.5 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.2em .6em;text-align:left;border-bottom:1px solid #ddd;"
    "vertical-align:top}td.n{text-align:right}.agrees{color:#1a7f37}.no{color:#666}.bad{color:#b42318}"
    "svg{max-width:100%;height:auto}";

const char* class_of(Verdict verdict) {
  return verdict == Verdict::agrees ? "agrees" : verdict == Verdict::no_reference ? "no" : "bad";
}

std::string plot(const CrosscheckRow& row, std::size_t column) {
  const io::TimeSeries& reference = row.reference;
  io::Panel panel{reference.names[column], {}};
  const auto add = [&](const char* name, const io::TimeSeries& series, std::size_t k) {
    io::Curve curve;
    curve.name = name;
    curve.time = series.time.data();
    curve.value = series.columns[k].data();
    curve.count = series.time.size();
    panel.curves.push_back(std::move(curve));
  };
  add("reference", reference, column);
  const auto found = std::find(row.results.names.begin(), row.results.names.end(), reference.names[column]);
  if (found != row.results.names.end()) {
    add("result", row.results, static_cast<std::size_t>(found - row.results.names.begin()));
  }
  const std::string svg = io::svg_plot({"", {panel}});
  const std::size_t begin = svg.find("<svg");
  return begin == std::string::npos ? "" : svg.substr(begin);
}

std::string details(const CrosscheckRow& row, std::size_t number) {
  std::string text =
      fmt::format("<h2 id=\"r{}\">{} ({})</h2>\n", number, xml_text(row.run.name), fmi::name_of(row.run.kind));
  text += "<table><tr><th>variable</th><th>points within</th><th>worst, % of range</th><th>at t</th></tr>\n";
  for (const io::ColumnComparison& column : row.columns) {
    text += fmt::format("<tr><td>{}</td>", xml_text(column.name));
    if (column.found) {
      text += fmt::format("<td class=\"{}\">{} of {}</td><td>{:.3g}</td><td>{}</td></tr>\n",
                          column.agrees ? "agrees" : "bad", column.within, column.points, 100 * column.worst,
                          io::short_number(column.worst_time));
    } else {
      text += "<td class=\"bad\" colspan=\"3\">not among the results</td></tr>\n";
    }
  }
  text += "</table>\n";
  std::size_t plots = 0;
  for (std::size_t k = 0; k < row.columns.size() && plots < most_plots; ++k) {
    if (row.columns[k].agrees || !row.columns[k].found) continue;
    text += "<p>" + plot(row, k) + "</p>\n";
    ++plots;
  }
  return text;
}

}  // namespace

std::string crosscheck_page(const std::string& folder, const io::CompareRule& rule,
                            const std::vector<CrosscheckRow>& rows) {
  std::size_t agreeing = 0, referenced = 0;
  std::string table, misses;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const CrosscheckRow& row = rows[k];
    agreeing += row.verdict == Verdict::agrees ? 1 : 0;
    referenced += row.run.reference.empty() ? 0 : 1;
    const bool differs = row.verdict == Verdict::differs;
    const std::string name = xml_text(row.run.name);
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td class=\"n\">{:.2f}</td>"
        "<td>{}</td></tr>\n",
        differs ? fmt::format("<a href=\"#r{}\">{}</a>", k, name) : name, xml_text(row.run.tool),
        xml_text(row.run.version), fmi::name_of(row.run.kind), class_of(row.verdict), name_of(row.verdict), row.seconds,
        xml_text(row.message));
    if (differs) misses += details(row, k);
  }
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>FMU cross-check</title>";
  text += fmt::format("<style>{}</style></head><body>\n<h1>FMU cross-check</h1>\n", style);
  text += fmt::format("<p>{}: <b>{} of {}</b> FMUs with a reference agree, {} runs.</p>\n", xml_text(folder), agreeing,
                      referenced, rows.size());
  text += fmt::format(
      "<p>A variable agrees when {:.4g} % of the points of its reference are within {:.4g} % of the range of the "
      "reference{}; an FMU does when all its variables do.</p>\n",
      100 * rule.share, 100 * rule.tolerance,
      rule.tube > 0 ? fmt::format(", or of a value the reference takes within {} s", io::short_number(rule.tube)) : "");
  text += "<table><tr><th>FMU</th><th>tool</th><th>FMI</th><th>kind</th><th>verdict</th><th>s</th><th></th></tr>\n";
  return text + table + "</table>\n" + misses + "</body></html>\n";
}

}  // namespace orrery::cli
