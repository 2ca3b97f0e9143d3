// SPDX-License-Identifier: Apache-2.0
// Options of `orrery picture`, `edit`, `diff` and `merge`.
#include "cli/edit_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/command_line.h"

namespace orrery::cli {

void add_picture_options(CLI::App& picture, Arguments& arguments) {
  PictureArguments& own = arguments.picture;
  picture.add_option("MODEL", arguments.request.file, "The model file (.orr)")->required()->type_name("");
  picture
      .add_option("-o,--out", own.out,
                  "Where to: a .svg file, or a .png file (needs rsvg-convert); - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  picture.add_option("--diagram", own.diagram, "The diagram of this super block, for example /Plant")
      ->type_name("PATH")
      ->capture_default_str();
  picture
      .add_option_function<std::string>(
          "--theme", [&own](const std::string& theme) { own.dark = theme == "dark"; }, "Colours: light or dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->type_name("THEME");
  picture.add_option("--all", own.folder, "Draw all diagrams of the model into this folder, a file each")
      ->type_name("DIR");
  picture.add_flag("--png", own.png, "With --all: PNG files");
  picture.add_flag("--values", own.values, "Write below each block the parameters that it sets");
  picture
      .add_option("--anim", own.animation,
                  "Run the model up to this time and draw the figure of its Anim2D block as it is then")
      ->type_name("T");
  picture.add_option("--block", own.block, "With --anim: which Anim2D block, where there are several")
      ->type_name("PATH");
}

void add_edit_options(CLI::App& edit, Arguments& arguments) {
  EditArguments& own = arguments.edit;
  edit.add_option("MODEL", arguments.request.file, "The model file (.orr)")->required()->type_name("");
  edit.add_option("--do", own.commands, "A command, such as 'add Gain at 100,80'; may be repeated")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  edit.add_option("--script", own.script, "Commands from a file, one a line, # begins a remark; - is standard input")
      ->type_name("FILE");
  edit.add_option("-o,--out", own.out, "Save here and leave the model as it is")->type_name("FILE");
  edit.add_flag("--new", own.create, "Begin an empty model");
  edit.add_flag("--dry-run", own.dry_run, "Save nothing, print what the model would be");
  edit.add_flag("--recover", own.recover, "Take up the edits of a process that ended before it saved them");
  edit.add_flag("--discard", own.discard, "Forget such edits");
}

void add_diff_options(CLI::App& diff, Arguments& arguments) {
  DiffArguments& own = arguments.diff;
  diff.add_option("A", own.first, "A model file")->required()->type_name("");
  diff.add_option("B", own.second, "Another one")->required()->type_name("");
  diff.add_flag("--json", own.json, "As JSON");
  diff.add_flag("--layout", own.layout, "Also where blocks and corners of links are drawn");
  diff.add_option("--picture", own.picture,
                  "Draw the differences: .svg or .png overlaid, .html a page with them side by side as well")
      ->type_name("FILE");
  diff.add_flag("-q,--quiet", own.quiet, "Print nothing; the exit code tells");
}

void add_merge_options(CLI::App& merge, Arguments& arguments) {
  MergeArguments& own = arguments.merge;
  merge.add_option("BASE", own.base, "The model that both sides began with")->required()->type_name("");
  merge.add_option("OURS", own.ours, "One side")->required()->type_name("");
  merge.add_option("THEIRS", own.theirs, "The other side")->required()->type_name("");
  merge.add_option("-o,--out", own.out, "Where the merged model goes; without it, to OURS")->type_name("FILE");
}

}  // namespace orrery::cli
