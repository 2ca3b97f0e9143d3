// SPDX-License-Identifier: Apache-2.0
// JSON as the server passes it around, and the few conversions that all files need.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::server {

using Json = nlohmann::ordered_json;

// Invalid UTF-8 is replaced, so that any text can be sent.
std::string dump(const Json& json);
// Discarded (is_discarded) when it is none, or nested too deeply.
Json parse_json(std::string_view text);

Json diagnostic_json(const Diagnostic& diagnostic);
Json diagnostics_json(const Diagnostics& diagnostics);
Diagnostic make_error(std::string code, std::string message, std::string help = {});
// A number, or "NaN", "Inf", "-Inf".
Json number_json(double x);

// A part of a message; null where it is missing. (The operator [] of a constant must not be asked for what is missing.)
const Json& part(const Json& message, const char* name);

// Fields of a request, whatever it holds; the fallback where they are missing or of another type.
std::string text_field(const Json& request, const char* name, const std::string& fallback = {});
double number_field(const Json& request, const char* name, double fallback);
bool flag_field(const Json& request, const char* name);
std::vector<std::string> texts_field(const Json& request, const char* name);

}  // namespace orrery::server
