// SPDX-License-Identifier: Apache-2.0
// Names of capabilities, what lies below a folder, and the words of a refusal.
#include "base/consent.h"

#include <fmt/format.h>

#include <filesystem>

namespace orrery {
namespace {

namespace fs = std::filesystem;

struct CapabilityText {
  const char* name;
  const char* meaning;
};

constexpr CapabilityText capability_texts[capability_count] = {
    {"read", "read files outside of the model's folder"},
    {"write", "write files"},
    {"shell", "start other programs"},
    {"environment", "use the environment of the process"},
    {"native", "run native code"},
    {"network", "use the network"},
};

// Links followed, also in a path of which only the first part exists; empty: it cannot be found out.
fs::path resolved(const std::string& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::path() : result;
}

}  // namespace

const char* name_of(Capability capability) { return capability_texts[static_cast<int>(capability)].name; }
const char* meaning_of(Capability capability) { return capability_texts[static_cast<int>(capability)].meaning; }

std::string to_text(Capabilities capabilities) {
  std::string text;
  for (int k = 0; k < capability_count; ++k) {
    const auto one = static_cast<Capability>(k);
    if (capabilities.has(one)) text += (text.empty() ? "" : ",") + std::string(name_of(one));
  }
  return text;
}

std::optional<Capabilities> parse_capabilities(std::string_view text, std::string& unknown) {
  Capabilities found;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    Capabilities one;
    if (word == "all") one = Capabilities::all();
    for (int k = 0; k < capability_count; ++k) {
      if (word == capability_texts[k].name) one = static_cast<Capability>(k);
    }
    if (one.empty()) {
      unknown = std::string(word);
      return std::nullopt;
    }
    found = found | one;
  }
  return found;
}

Consent Consent::of_model(const std::string& file, Capabilities allowed) {
  Consent consent;
  consent.allowed = allowed;
  consent.model = file;
  if (!file.empty()) consent.folder = resolved(file).parent_path().string();
  return consent;
}

bool Consent::may_read(const std::string& path) const {
  if (allowed.has(Capability::read) || allowed.has(Capability::native)) return true;
  if (folder.empty() || path.empty()) return false;
  const fs::path whole = resolved(path);
  if (whole.empty()) return false;
  const fs::path below = whole.lexically_relative(folder);
  if (below.empty()) return false;
  for (const fs::path& part : below) {
    if (part.string().starts_with('.') && part != ".") return false;  // also ".."
  }
  std::error_code error;
  const fs::file_status status = fs::status(whole, error);
  return !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
}

Diagnostic refusal(const Consent& consent, Capability wanted, Place place, const std::string& what) {
  Diagnostic refused;
  refused.code = "needs-consent";
  refused.place = std::move(place);
  refused.message =
      fmt::format("the model wants to {}{}{}, which it may not", meaning_of(wanted), what.empty() ? "" : ": ", what);
  refused.help = fmt::format("if you trust it, allow it with --allow {}", name_of(wanted));
  if (!consent.model.empty()) refused.help += fmt::format(", or from now on with: orrery trust {}", consent.model);
  if (!consent.note.empty()) refused.notes.push_back(consent.note);
  return refused;
}

}  // namespace orrery
