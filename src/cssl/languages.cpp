// SPDX-License-Identifier: Apache-2.0
// The list of languages.
#include "cssl/languages.h"

#include <algorithm>
#include <array>

#include "cssl/actions.h"
#include "cssl/check.h"
#include "cssl/order_statements.h"
#include "cssl/parser.h"

namespace orrery::cssl {
namespace {

constexpr std::array<std::string_view, 2> acsl_extensions = {".csl", ".acsl"};

constexpr std::array<std::string_view, 1> darep_extensions = {".drp"};
constexpr std::array<std::string_view, 1> desire_extensions = {".des"};
constexpr std::array<std::string_view, 1> csmp_extensions = {".csmp"};

constexpr std::array known_languages = {
    Language{"acsl", "ACSL", acsl_extensions, read_acsl, acsl_rules},
    Language{"darep", "DARE-P", darep_extensions, read_darep, darep_rules},
    Language{"desire", "DESIRE", desire_extensions, read_desire, desire_rules},
    Language{"csmp", "CSMP III", csmp_extensions, read_csmp, csmp_rules},
};

}  // namespace

std::span<const Language> languages() { return known_languages; }

const Language* find_language(std::string_view name) {
  for (const Language& language : known_languages) {
    if (language.name == name) return &language;
  }
  return nullptr;
}

const Language* language_of_file(std::string_view file) {
  for (const Language& language : known_languages) {
    const auto fits = [&](std::string_view extension) { return file.ends_with(extension); };
    if (std::any_of(language.extensions.begin(), language.extensions.end(), fits)) return &language;
  }
  return nullptr;
}

std::optional<Program> read(const Language& language, std::string text, std::string file, Diagnostics& diagnostics,
                            const std::vector<std::string>& given, const std::vector<Action>& actions) {
  const int errors = diagnostics.error_count();
  Program program;
  program.language = language.name;
  program.source = std::make_shared<text::Source>(std::move(file), std::move(text));
  try {
    language.read(program, diagnostics);
  } catch (const SyntaxError&) {  // reported; nothing around it could go on
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  const auto is_empty = [](const Section& section) { return section.statements.empty(); };
  if (std::all_of(program.sections.begin(), program.sections.end(), is_empty)) {
    program.source->error(diagnostics, "empty-program", {1, 0}, "this program has no statements",
                          "write at least one equation, such as x = INTEG(-x, 1.0) in ACSL");
    return std::nullopt;
  }
  program.actions.insert(program.actions.end(), actions.begin(), actions.end());
  apply_actions(program);
  check(program, given, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  for (Section& section : program.sections) {
    if (section.sorted) order_statements(program, section, diagnostics);
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return program;
}

}  // namespace orrery::cssl
