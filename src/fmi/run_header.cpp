// SPDX-License-Identifier: Apache-2.0
// Options of a run to JSON and back. Texts that are not UTF-8 are kept byte by byte.
#include "fmi/run_header.h"

#include <nlohmann/json.hpp>

namespace orrery::fmi {
namespace {

using nlohmann::json;

// JSON holds UTF-8 only; every byte as the character of its number keeps all.
std::string encoded(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

std::string decoded(const std::string& text) {
  std::string bytes;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if (byte < 0x80 || k + 1 == text.size()) {
      bytes += text[k];
    } else {
      bytes += static_cast<char>((byte << 6) | (static_cast<unsigned char>(text[++k]) & 0x3f));
    }
  }
  return bytes;
}

// Calls use(name, field) for each optional number.
template <class Options, class Use>
void each_number(Options& o, Use&& use) {
  use("start", o.start), use("stop", o.stop), use("step", o.step), use("interval", o.interval);
  use("rtol", o.rtol), use("atol", o.atol), use("hmax", o.hmax), use("hmin", o.hmin), use("hinit", o.hinit);
}

}  // namespace

std::string run_header(const std::string& fmu, const std::string& xml, const RunOptions& options,
                       const std::string& input_text) {
  json root{{"fmu", encoded(fmu)},
            {"xml", encoded(xml)},
            {"input", encoded(options.input)},
            {"input_text", encoded(input_text)},
            {"solver", options.solver},
            {"tell_stop", options.tell_stop},
            {"input_point", static_cast<int>(options.input_point)},
            {"row_times", options.row_times},
            {"logging", !options.log.empty()}};
  if (options.kind) root["kind"] = static_cast<int>(*options.kind);
  each_number(options, [&](const char* name, const std::optional<double>& value) {
    if (value) root[name] = *value;
  });
  root["set"] = json::array();
  for (const auto& [name, value] : options.set) root["set"].push_back({encoded(name), encoded(value)});
  root["variables"] = json::array();
  for (const std::string& name : options.variables) root["variables"].push_back(encoded(name));
  root["also"] = json::array();
  for (const std::string& name : options.also) root["also"].push_back(encoded(name));
  return root.dump(1, ' ', false, json::error_handler_t::replace);
}

std::optional<RunHeader> parse_run_header(const std::string& text) {
  try {
    const json root = json::parse(text);
    RunHeader header;
    header.fmu = decoded(root.at("fmu"));
    header.xml = decoded(root.at("xml"));
    header.input_text = decoded(root.at("input_text"));
    RunOptions& options = header.options;
    options.input = decoded(root.at("input"));
    options.solver = root.at("solver");
    options.tell_stop = root.at("tell_stop");
    const int point = root.value("input_point", 0);
    if (point < 0 || point > static_cast<int>(InputPoint::end)) return std::nullopt;
    options.input_point = static_cast<InputPoint>(point);
    options.row_times = root.value("row_times", std::vector<double>{});
    if (root.at("logging")) options.log = "/dev/null";  // logging is a call too
    if (root.contains("kind")) {
      const int kind = root.at("kind");
      if (kind < 0 || kind > static_cast<int>(Kind::scheduled_execution)) return std::nullopt;
      options.kind = static_cast<Kind>(kind);
    }
    each_number(options, [&](const char* name, std::optional<double>& value) {
      if (root.contains(name)) value = root.at(name).get<double>();
    });
    for (const json& pair : root.at("set")) options.set.emplace_back(decoded(pair.at(0)), decoded(pair.at(1)));
    for (const json& name : root.at("variables")) options.variables.push_back(decoded(name));
    if (root.contains("also")) {
      for (const json& name : root.at("also")) options.also.push_back(decoded(name));
    }
    return header;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace orrery::fmi
