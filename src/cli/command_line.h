// SPDX-License-Identifier: Apache-2.0
// What the user typed, as data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/export_fmu.h"
#include "api/linearise.h"
#include "api/optimise.h"
#include "api/session.h"
#include "api/sweep.h"
#include "api/trim.h"
#include "cli/crosscheck.h"
#include "cli/fmu_options.h"
#include "cli/library_options.h"
#include "server/serve.h"
#include "server/worker_arguments.h"

namespace orrery::cli {

// Documented in `orrery --help`.
enum ExitCode : int { exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_interrupted = 130 };

enum class Command {
  run,
  check,
  linearise,
  trim,
  optimise,
  exec,
  sweep,
  export_c,
  export_fmu,
  export_python,
  export_block,
  show_program,
  show_schedule,
  show_variables,
  show_code,
  show_blocks,
  show_block,
  show_solvers,
  format,
  acsl,
  convert,
  oml,
  trust,
  fmu_info,
  fmu_check,
  fmu_replay,
  fmu_crosscheck,
  picture,
  edit,
  diff,
  merge,
  git_setup,
  show_script,
  library,
  new_block,
  serve,
  serve_worker,
  version,
  print_text,
};

struct PictureArguments {
  std::string out = "-";
  std::string diagram = "/";
  std::string folder;  // not empty: all diagrams go there
  bool dark = false;
  bool png = false;  // of `folder`
  bool values = false;
  std::optional<double> animation;  // the figure of an Anim2D block at this time, instead of a diagram
  std::string block;                // … which of them
};

struct EditArguments {
  std::vector<std::string> commands;
  std::string script;  // a file of commands; "-": standard input
  std::string out;     // empty: the model itself
  bool create = false;
  bool recover = false;
  bool discard = false;
  bool dry_run = false;
  bool python = false;  // show script
};

struct DiffArguments {
  std::string first, second;
  std::string picture;
  bool json = false;
  bool layout = false;
  bool quiet = false;
};

struct MergeArguments {
  std::string base, ours, theirs, out;
};

struct Arguments {
  Command command = Command::version;
  bool json_diagnostics = false;
  api::RunRequest request;  // run, check, show program, schedule and code
  // run
  std::vector<std::string> out;
  std::string events, plot;
  bool spreadsheet_safe = false;
  bool every_run = false;  // files have the rows of all runs, not of the last alone
  long decimate = 1;       // of the rows in the files of `out`, every so many
  bool statistics = false;
  bool explain_loops = false;
  bool explain_start = false;
  bool units = false;  // check
  bool quiet = false;
  FmuArguments fmu;
  CrosscheckArguments crosscheck;
  bool json = false;         // fmu info, show blocks, show solvers
  bool open = false;         // show block
  bool example = false;      // show block
  bool other_names = false;  // show blocks
  api::LinearisationRequest linearise;
  api::TrimRequest trim;
  api::OptimiseRequest optimise;
  api::SweepRequest sweep;
  api::ExportRequest exported;
  api::FmuRequest exported_fmu;
  // show block, exec
  std::string block;
  std::string html;
  std::string solver;  // show solvers
  // fmt: model files; oml: the script and its arguments
  std::vector<std::string> files;
  std::string expression;  // oml -e
  bool check_only = false;
  LibraryArguments library;  // library, new
  std::string text;          // completion, manual: what to print
  // trust: the model or folder is request.file, what it may is request.allow
  bool list_trust = false, remove_trust = false;
  PictureArguments picture;
  EditArguments edit;
  DiffArguments diff;
  MergeArguments merge;
  std::string folder;  // git-setup
  server::ServeArguments serve;
  server::WorkerArguments worker;  // serve-worker
};

bool is_fmu(const std::string& file);

// Nothing when there is nothing more to do (help was printed, or a usage error); exit_code then says how to end.
std::optional<Arguments> parse_command_line(int argc, const char* const* argv, int& exit_code);

}  // namespace orrery::cli
