// SPDX-License-Identifier: Apache-2.0
// `orrery diff` and `orrery merge`: models compared and merged by what they mean.
#include <filesystem>

#include "api/pictures.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "edit/compare.h"
#include "edit/diff_picture.h"
#include "edit/merge.h"
#include "edit/model_files.h"
#include "io/output_file.h"
#include "io/png.h"

namespace orrery::cli {
namespace {

bool write_diff_picture(const std::string& file, const edit::DiffInput& a, const edit::DiffInput& b,
                        const std::vector<edit::Difference>& differences, Diagnostics& diagnostics) {
  if (file.ends_with(".html")) return io::write_file(file, edit::diff_html(a, b, differences), diagnostics);
  const std::string svg = edit::diff_svg(a, b, differences);
  return file.ends_with(".png") ? io::write_png(file, svg, diagnostics) : io::write_file(file, svg, diagnostics);
}

}  // namespace

int diff_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const DiffArguments& own = arguments.diff;
  const auto a = edit::read_model_file(own.first, diagnostics), b = edit::read_model_file(own.second, diagnostics);
  int code = exit_usage;
  if (a && b) {
    const auto differences = edit::compare(*a, *b, {own.layout});
    code = differences.empty() ? exit_ok : exit_failed;
    if (!own.quiet) print(own.json ? edit::differences_json(differences) : edit::differences_text(differences));
    if (!own.picture.empty() &&
        !write_diff_picture(own.picture, {&*a, api::picture_facts(*a), own.first},
                            {&*b, api::picture_facts(*b), own.second}, differences, diagnostics)) {
      code = exit_usage;
    }
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return code;
}

int merge_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const MergeArguments& own = arguments.merge;
  const auto base = edit::read_model_file(own.base, diagnostics);
  const auto ours = edit::read_model_file(own.ours, diagnostics),
             theirs = edit::read_model_file(own.theirs, diagnostics);
  int code = exit_usage;
  if (base && ours && theirs) {
    const edit::Merged merged = edit::merge(*base, *ours, *theirs);
    code = merged.conflicts.empty() ? exit_ok : exit_failed;
    for (const edit::Conflict& conflict : merged.conflicts) print("conflict: " + edit::conflict_text(conflict) + "\n");
    if (!edit::write_model_file(merged.model, own.out.empty() ? own.ours : own.out, diagnostics)) code = exit_usage;
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return code;
}

}  // namespace orrery::cli
