// SPDX-License-Identifier: Apache-2.0
// `orrery fmt`: model files in canonical form.
#include "api/model.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"

namespace orrery::cli {
namespace {

enum class Outcome { canonical, changed, failed };

Outcome format_file(const std::string& file, bool check_only, Diagnostics& diagnostics) {
  if (!file.ends_with(".orr")) {
    Place place;
    place.file = file;
    diagnostics.error("unknown-extension", std::move(place), "only model files can be formatted",
                      "a model file ends in .orr");
    return Outcome::failed;
  }
  const auto text = io::read_file(file, diagnostics);
  if (!text) return Outcome::failed;
  const auto model = api::Model::read(*text, file, diagnostics);
  if (!model) return Outcome::failed;
  if (model->text() == *text) return Outcome::canonical;
  if (!check_only && !model->save(file, diagnostics)) return Outcome::failed;
  return Outcome::changed;
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
