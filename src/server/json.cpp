// SPDX-License-Identifier: Apache-2.0
// Diagnostics and fields of messages.
#include "server/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace orrery::server {
namespace {

constexpr int deepest = 60;

// A message nested deeper than any of ours would take the stack of whoever walks through it.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') ++k;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

const char* severity_name(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

}  // namespace

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parse_json(std::string_view text) {
  if (too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  Json json;
  json["severity"] = severity_name(diagnostic.severity);
  json["code"] = diagnostic.code;
  json["message"] = diagnostic.message;
  if (!diagnostic.help.empty()) json["help"] = diagnostic.help;
  if (!diagnostic.notes.empty()) json["notes"] = diagnostic.notes;
  const Place& place = diagnostic.place;
  if (!place.file.empty()) json["file"] = place.file;
  if (place.line > 0) json["line"] = place.line;
  if (place.column > 0) json["column"] = place.column;
  if (!place.block.empty()) json["block"] = place.block;
  if (!place.port.empty()) json["port"] = place.port;
  if (diagnostic.time) json["time"] = number_json(*diagnostic.time);
  return json;
}

Json diagnostics_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) list.push_back(diagnostic_json(diagnostic));
  return list;
}

Diagnostic make_error(std::string code, std::string message, std::string help) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  return diagnostic;
}

Json number_json(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Inf" : "-Inf";
  return x;
}

const Json& part(const Json& message, const char* name) {
  static const Json null;
  if (!message.is_object()) return null;
  const auto found = message.find(name);
  return found == message.end() ? null : *found;
}

std::string text_field(const Json& request, const char* name, const std::string& fallback) {
  const auto found = request.is_object() ? request.find(name) : request.end();
  return request.is_object() && found != request.end() && found->is_string() ? found->get<std::string>() : fallback;
}

double number_field(const Json& request, const char* name, double fallback) {
  if (!request.is_object()) return fallback;
  const auto found = request.find(name);
  return found != request.end() && found->is_number() ? found->get<double>() : fallback;
}

bool flag_field(const Json& request, const char* name) {
  if (!request.is_object()) return false;
  const auto found = request.find(name);
  return found != request.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> texts_field(const Json& request, const char* name) {
  std::vector<std::string> list;
  if (!request.is_object()) return list;
  const auto found = request.find(name);
  if (found == request.end() || !found->is_array()) return list;
  for (const Json& item : *found) {
    if (item.is_string()) list.push_back(item.get<std::string>());
  }
  return list;
}

}  // namespace orrery::server
