// SPDX-License-Identifier: Apache-2.0
// `orrery fmt`: model files in canonical form, programs of text languages in a common layout.
#include "api/model_texts.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"

namespace orrery::cli {
namespace {

enum class Outcome { canonical, changed, failed };

Outcome format_file(const std::string& file, bool check_only, Diagnostics& diagnostics) {
  if (!api::can_format(file, diagnostics)) return Outcome::failed;
  const auto text = io::read_file(file, diagnostics);
  const auto made = text ? api::formatted(*text, file, diagnostics) : std::nullopt;
  if (!made) return Outcome::failed;
  if (*made == *text) return Outcome::canonical;
  if (check_only) return Outcome::changed;
  auto out = io::OutputFile::open(file, diagnostics);
  if (!out) return Outcome::failed;
  out->write(*made);
  return out->commit(diagnostics) ? Outcome::changed : Outcome::failed;
}

}  // namespace

int format_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  int exit_code = exit_ok;
  for (const std::string& file : arguments.files) {
    const Outcome outcome = format_file(file, arguments.check_only, diagnostics);
    if (outcome == Outcome::changed) print(file + "\n");
    const bool wrong = outcome == Outcome::failed || (outcome == Outcome::changed && arguments.check_only);
    if (wrong) exit_code = exit_failed;
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return exit_code;
}

}  // namespace orrery::cli
