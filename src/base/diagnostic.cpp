// SPDX-License-Identifier: Apache-2.0
// Collecting and printing diagnostics.
#include "base/diagnostic.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace orrery {
namespace {

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string prefix_of(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  return text.empty() ? text : text + ": ";
}

std::string subject_of(const Place& place) {
  if (place.block.empty()) return place.port.empty() ? "" : place.port + ": ";
  return place.port.empty() ? place.block + ": " : fmt::format("{} {}: ", place.block, place.port);
}

}  // namespace

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++error_count_;
  all_.push_back(std::move(diagnostic));
  return all_.back();
}

Diagnostic& Diagnostics::error(std::string code, Place place, std::string message, std::string help) {
  return add({Severity::error, std::move(code), std::move(place), std::move(message), std::move(help), {}, {}});
}

Diagnostic& Diagnostics::warning(std::string code, Place place, std::string message, std::string help) {
  return add({Severity::warning, std::move(code), std::move(place), std::move(message), std::move(help), {}, {}});
}

std::string to_text(const Diagnostic& d) {
  std::string text =
      fmt::format("{}{}[{}]: {}{}", prefix_of(d.place), name_of(d.severity), d.code, subject_of(d.place), d.message);
  if (d.time) text += fmt::format(" (at t = {:.10g})", *d.time);
  text += '\n';
  for (const std::string& note : d.notes) text += "  " + note + '\n';
  if (!d.help.empty()) text += "  help: " + d.help + '\n';
  return text;
}

std::string to_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += to_text(d);
  return text;
}

std::string to_json(const Diagnostics& diagnostics) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics.all()) {
    Json item = {{"severity", name_of(d.severity)},
                 {"code", d.code},
                 {"file", d.place.file},
                 {"line", d.place.line},
                 {"column", d.place.column},
                 {"block", d.place.block},
                 {"port", d.place.port},
                 {"message", d.message},
                 {"help", d.help},
                 {"notes", d.notes}};
    if (d.time) item["time"] = *d.time;
    list.push_back(std::move(item));
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace orrery
