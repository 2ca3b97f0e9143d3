// SPDX-License-Identifier: Apache-2.0
// `orrery export`: a model as C for others to compile.
#include <fmt/format.h>

#include "api/export_custom_block.h"
#include "api/export_python.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {
namespace {

api::ExportRequest export_request(const Arguments& arguments) {
  api::ExportRequest request = arguments.exported;
  const std::vector<std::string> vary = request.run.vary;
  request.run = arguments.request;
  request.run.vary = vary;
  request.run.interrupt = &end_requested();
  return request;
}

// Targets whose files a line names.
int export_folder(const Arguments& arguments, auto write) {
  const EndWatch watch;
  Diagnostics diagnostics;
  const api::ExportRequest request = export_request(arguments);
  const auto files = write(request, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (!files) return end_requested() ? exit_interrupted : exit_failed;
  if (!arguments.quiet || request.report) print(*files);
  return exit_ok;
}

}  // namespace

int export_c_command(const Arguments& arguments) { return export_folder(arguments, api::export_c); }
int export_python_command(const Arguments& arguments) { return export_folder(arguments, api::export_python); }
int export_block_command(const Arguments& arguments) { return export_folder(arguments, api::export_custom_block); }

int export_fmu_command(const Arguments& arguments) {
  const EndWatch watch;
  Diagnostics diagnostics;
  api::FmuRequest request = arguments.exported_fmu;
  request.model = export_request(arguments);
  const auto platforms = api::export_fmu(request, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (!platforms) return end_requested() ? exit_interrupted : exit_failed;
  if (!arguments.quiet)
    print(fmt::format("{}: FMI {}.0, sources{}{}\n", request.model.out, request.version,
                      platforms->empty() ? "" : " and binaries for ", fmt::join(*platforms, ", ")));
  return exit_ok;
}

}  // namespace orrery::cli
