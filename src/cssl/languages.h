// SPDX-License-Identifier: Apache-2.0
// The classic languages: which there are, and a text in one of them as a Program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "cssl/lexer.h"
#include "cssl/program.h"

namespace orrery::cssl {

// The parser of a language: fills program.declared, sections and so on from program.source.
using Read = void (*)(Program& program, Diagnostics& diagnostics);

struct Language {
  std::string_view name;                         // "acsl"
  std::string_view title;                        // "ACSL"
  std::span<const std::string_view> extensions;  // ".csl"
  Read read;
  LexerRules (*rules)();
};

std::span<const Language> languages();
const Language* find_language(std::string_view name);
const Language* language_of_file(std::string_view file);

void read_acsl(Program& program, Diagnostics& diagnostics);
void read_darep(Program& program, Diagnostics& diagnostics);
void read_desire(Program& program, Diagnostics& diagnostics);
void read_csmp(Program& program, Diagnostics& diagnostics);
LexerRules acsl_rules();
LexerRules darep_rules();
LexerRules desire_rules();
LexerRules csmp_rules();

// A program that is read, checked (check.h) and put in order (order_statements.h). Nothing when there was an error; all
// that was found is in the diagnostics.
// `given` are names that somebody outside gives values to, `actions` what happens to a run besides.
std::optional<Program> read(const Language& language, std::string text, std::string file, Diagnostics& diagnostics,
                            const std::vector<std::string>& given = {}, const std::vector<Action>& actions = {});

}  // namespace orrery::cssl
