// SPDX-License-Identifier: Apache-2.0
// `orrery trust`: records, lists and forgets what models may do.
#include <fmt/format.h>

#include "api/trust.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {
namespace {

void list_records(Diagnostics& diagnostics) {
  for (const api::TrustRecord& record : api::read_trust(diagnostics)) {
    Diagnostics unread;
    const auto hash = api::hash_of_texts(record.path, unread);
    const char* state = hash && *hash == record.hash ? "holds" : "has changed since";
    print(fmt::format("{}: {} ({})\n", record.path, to_text(record.allowed), state));
  }
}

}  // namespace

int trust_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const std::string& path = arguments.request.file;
  if (arguments.list_trust) {
    list_records(diagnostics);
  } else if (arguments.remove_trust) {
    if (api::remove_trust(path, diagnostics)) print(path + ": trust is forgotten\n");
  } else if (api::record_trust(path, arguments.request.allow, diagnostics)) {
    print(fmt::format(
        "{}: may {} until a text that can run changes there\n", path,
        arguments.request.allow == Capabilities::all() ? "do everything" : to_text(arguments.request.allow)));
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return diagnostics.has_errors() ? exit_failed : exit_ok;
}

}  // namespace orrery::cli
