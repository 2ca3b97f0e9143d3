// SPDX-License-Identifier: Apache-2.0
// `orrery acsl`: run-time commands from files or from the terminal; `orrery convert`: a program as a diagram.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "api/acsl_session.h"
#include "api/model.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"

namespace orrery::cli {

int acsl_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  auto session = api::AcslSession::open(
      arguments.request.file, [](const std::string& text) { print(text); }, diagnostics);
  bool good = session.has_value();
  for (std::size_t k = 0; good && k < arguments.files.size() && !session->has_stopped(); ++k) {
    const auto text = io::read_file(arguments.files[k], diagnostics);
    good = text && session->execute(*text, arguments.files[k], true, diagnostics);
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (!session || !arguments.files.empty()) return good ? exit_ok : exit_failed;
  const bool asks = ::isatty(STDIN_FILENO) != 0;
  std::string line, pending;
  for (;;) {
    if (asks) print_drawing(pending.empty() ? "acsl> " : "    > ");
    if (session->has_stopped() || !std::getline(std::cin, line)) break;
    pending += line + "\n";
    // A procedure is read to its end before it is carried out.
    std::string lower;
    for (const char c : pending) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool open = lower.find("proced ") != std::string::npos && lower.find("\nend") == std::string::npos;
    if (open || line.find("...") != std::string::npos) continue;
    Diagnostics found;
    good = session->execute(pending, "command", !asks, found) && good;
    print_diagnostics(found, arguments.json_diagnostics);
    pending.clear();
    if (!asks && !good) break;
  }
  return good || asks ? exit_ok : exit_failed;
}

int convert_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const auto model = api::Model::open(arguments.request.file, diagnostics);
  const std::string& target = arguments.files[0];
  bool good = model.has_value();
  if (good && !target.ends_with(".orr")) {
    diagnostics.error("unknown-extension", {target, 0, 0, {}, {}}, "programs are converted to diagrams",
                      "give a file that ends in .orr");
    good = false;
  }
  good = good && model->save(target, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
