// SPDX-License-Identifier: Apache-2.0
// Picks the version, and says what went wrong when no instance could be made.
#include "fmi/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmi/caller.h"

namespace orrery::fmi {

std::string file_uri(const std::string& path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

void report_missing(const std::string& fmu, const std::vector<std::string>& functions, Diagnostics& diagnostics) {
  std::string list;
  for (const std::string& name : functions) list += (list.empty() ? "" : ", ") + name;
  diagnostics.error("fmi-missing-function", {fmu, 0, 0, {}, {}},
                    fmt::format("the library of the FMU does not have: {}", list));
}

void report_no_instance(const Instance& instance, const Log& log, Diagnostics& diagnostics) {
  const Place place{log.fmu(), 0, 0, {}, {}};
  Diagnostic& error =
      instance.death() != nullptr
          ? diagnostics.error(instance.death()->code, place, instance.death()->message)
          : diagnostics.error("fmi-no-instance", place, fmt::format("{} returned no instance", instance.last_call()),
                              "--log - shows what the FMU says");
  error.notes = log.last_words();
}

std::unique_ptr<Instance> instantiate(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                      const InstanceOptions& options, Diagnostics& diagnostics) {
  switch (description.version) {
    case Version::fmi1: return instantiate_1(description, std::move(binary), log, options, diagnostics);
    case Version::fmi2: return instantiate_2(description, std::move(binary), log, options, diagnostics);
    case Version::fmi3: return instantiate_3(description, std::move(binary), log, options, diagnostics);
  }
  return nullptr;
}

Status Instance::evaluate(double t, std::span<const double> x, std::span<double> dx) {
  Status status = set_time(t);
  if (succeeded(status) && !x.empty()) status = set_states(x);
  if (succeeded(status) && !dx.empty()) status = get_derivatives(dx);
  return status;
}

Status Instance::indicate(double t, std::span<const double> x, std::span<double> z) {
  const Status status = evaluate(t, x, {});
  return succeeded(status) ? get_indicators(z) : status;
}

Status Instance::complete(double t, std::span<const double> x, CompletedInfo& info) {
  const Status status = evaluate(t, x, {});
  return succeeded(status) ? completed_step(info) : status;
}

bool Instance::under_one_guard(const std::function<void()>& body) {
  body();
  return true;
}

// Another process may have written anything there: it is compared, and never followed.
const char* known_function(const char* address) {
  static const std::vector<const char*> known = [] {
    std::vector<const char*> names = {opening_library, closing_library};
    list_functions_1(names);
    list_functions_2(names);
    list_functions_3(names);
    return names;
  }();
  const auto found = std::find(known.begin(), known.end(), address);
  return found == known.end() ? nullptr : *found;
}

}  // namespace orrery::fmi
