// SPDX-License-Identifier: Apache-2.0
// Commands around models: texts, pictures, the editor, scripts, FMUs; their grammar and help.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/commands.h"
#include "cli/describe_commands.h"
#include "cli/edit_options.h"
#include "cli/grammar_texts.h"

namespace orrery::cli {

void add_languages(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* acsl = app.add_subcommand("acsl", "Run-time commands of ACSL: SET, START, PRINT, PLOT and others");
  acsl->add_option("MODEL", arguments.request.file, "A program (.csl)")->required()->type_name("");
  acsl->add_option("COMMANDS", arguments.files, "Files of commands (.cmd); none: from the terminal")->type_name("...");
  add_diagnostics(acsl, raw);
  acsl->footer(
      footer("  orrery acsl lander.csl                  HELP lists the commands\n"
             "  orrery acsl lander.csl landing.cmd      commands of a file\n"));
  acsl->callback([&arguments] { arguments.command = Command::acsl; });
  CLI::App* convert =
      app.add_subcommand("convert", "Turn a program (.csl, .drp, .des, .csmp) into a diagram that holds it");
  convert->add_option("PROGRAM", arguments.request.file, "The program")->required()->type_name("");
  convert->add_option("MODEL", arguments.files, "The model file to write (.orr)")
      ->required()
      ->expected(1)
      ->type_name("");
  add_diagnostics(convert, raw);
  convert->footer(footer("  orrery convert lander.csl lander.orr\n"));
  convert->callback([&arguments] { arguments.command = Command::convert; });
}

void add_format(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* format =
      app.add_subcommand("fmt", "Rewrite model files in canonical form, programs in a common layout, in place");
  format->add_option("FILE", arguments.files, "Model files (.orr)")->required()->type_name("...");
  format->add_flag("--check", arguments.check_only, "Change nothing; list the files that are not in canonical form");
  add_diagnostics(format, raw);
  format->footer(footer("  orrery fmt models/*.orr\n  orrery fmt lander.csl\n  orrery fmt --check models/*.orr\n"));
  format->callback([&arguments] { arguments.command = Command::format; });
}

void add_editing(CLI::App& app, Arguments& arguments, Raw& raw) {
  const auto add = [&](const char* name, const char* about, Command command, void (*options)(CLI::App&, Arguments&),
                       const std::string& examples) {
    CLI::App* sub = app.add_subcommand(name, about);
    if (options != nullptr) options(*sub, arguments);
    add_diagnostics(sub, raw);
    sub->footer(examples);
    sub->callback([&arguments, command] { arguments.command = command; });
    return sub;
  };
  add("picture", "Draw a diagram as SVG or PNG, without a display", Command::picture, add_picture_options,
      footer("  orrery picture ball.orr -o ball.svg\n"
             "  orrery picture ball.orr -o ball.png --theme dark\n"
             "  orrery picture queue.orr --diagram /Service -o service.svg\n"
             "  orrery picture queue.orr --all pictures\n"
             "  orrery picture balls.orr --anim 2.5 -o balls.svg\n"))
      ->add_option("--allow", raw.allow, "With --anim: what the model may do besides computing, as of `orrery run`")
      ->type_name("A,B");
  add("edit", "Change a model by commands", Command::edit, add_edit_options,
      edit_help() + footer("  orrery edit m.orr --do 'add Gain as K at 100,80 k=2' --do 'connect K:1 Scope:1'\n"
                           "  orrery edit m.orr --do 'rename K Loop' --do 'group Controller Loop Integral'\n"
                           "  orrery edit m.orr --do arrange\n"
                           "  orrery edit new.orr --new --script build.txt\n"));
  const std::string codes =
      "Exit codes:\n  0    the same, or merged\n  1    different, or conflicts\n  2    a file cannot be read or "
      "written";
  add("diff", "Compare two models by what they mean", Command::diff, add_diff_options,
      "Examples:\n  orrery diff old.orr new.orr\n  orrery diff old.orr new.orr --picture changes.html\n"
      "  orrery diff old.orr new.orr --json --layout\n" +
          codes);
  add("merge", "Merge two changed models, three-way, by what they mean", Command::merge, add_merge_options,
      "Examples:\n  orrery merge base.orr ours.orr theirs.orr -o merged.orr\n" + codes);
  add("git-setup", "Tell git to merge and compare model files by what they mean", Command::git_setup, nullptr,
      footer("  orrery git-setup\n  git difftool -t orrery -y HEAD -- '*.orr'\n"))
      ->add_option("DIR", arguments.folder, "The repository; without it, the one around the current folder")
      ->type_name("");
}

void add_serve(CLI::App& app, Arguments& arguments) {
  CLI::App* serve = app.add_subcommand("serve", "Edit and run models in a browser");
  server::ServeArguments& own = arguments.serve;
  serve->add_option("MODEL", own.model, "A model (.orr), or a folder of models; without it the current folder")
      ->type_name("");
  serve->add_flag("!--no-browser", own.browser, "Print the address only, start no browser");
  serve->add_option("--port", own.port, "The port; without it a free one")->check(CLI::Range(1, 65535))->type_name("N");
  serve->add_option("--assets", own.assets, "A folder with the page, instead of the one built in")->type_name("DIR");
  serve->add_option("--host", own.host, "Listen on this address, so that other machines get in; needs --token-file")
      ->type_name("ADDRESS");
  serve
      ->add_option("--token-file", own.token_file,
                   "A file of your own (mode 0600) with the secret that pages must know")
      ->type_name("FILE");
  serve->footer(footer("  orrery serve ball.orr\n  orrery serve models --no-browser --port 8080\n"));
  serve->callback([&app, &arguments] {
    arguments.command = Command::serve;
    arguments.serve.commands = grammar_json(app);
  });
  // Started by `orrery serve` for each model.
  CLI::App* worker = app.add_subcommand("serve-worker", "")->group("");
  worker->add_option("--file", arguments.worker.file)->required();
  worker->add_option("--root", arguments.worker.root)->required();
  worker->add_option("--allow", arguments.worker.allow);
  worker->callback([&arguments] { arguments.command = Command::serve_worker; });
}

void add_oml(CLI::App& app, Arguments& arguments) {
  CLI::App* oml = app.add_subcommand("oml", "Run OML scripts, or the OML console");
  oml->add_option("FILE", arguments.files,
                  "A script (.oml) and its arguments; without one: the console, or standard input")
      ->type_name("...");
  oml->add_option("-e", arguments.expression, "Run this text instead of a file")->type_name("TEXT");
  oml->footer(footer("  orrery oml\n  orrery oml script.oml 3 fast\n  orrery oml -e \"disp(roots([1 -3 2]))\"\n"));
  oml->callback([&arguments] { arguments.command = Command::oml; });
}

void add_trust(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* trust = app.add_subcommand("trust", "Record that a model or a folder of models may do more than compute");
  trust->add_option("PATH", arguments.request.file, "A model, or a folder of models; asked again when a text changes")
      ->type_name("");
  trust->add_option("--allow", raw.allow, "What it may do, as for `orrery run`; without it: all")->type_name("A,B");
  trust->add_flag("--list", arguments.list_trust, "List what is recorded, and whether it still holds");
  trust->add_flag("--remove", arguments.remove_trust, "Forget what is recorded for PATH");
  add_diagnostics(trust, raw);
  trust->footer(
      footer("  orrery trust plant.orr                  this model, and the scripts and FMUs of its folder\n"
             "  orrery trust models --allow native      FMUs and C code of all models below the folder\n"
             "  orrery trust --list\n  orrery trust models --remove\n"));
  trust->callback([&arguments] { arguments.command = Command::trust; });
}

void add_fmu(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* fmu = app.add_subcommand("fmu", "Look at an FMU: what it is, and whether it keeps the standard");
  fmu->require_subcommand(1);
  const auto add = [&](const char* name, const char* about, Command command, const std::string& examples) {
    CLI::App* sub = fmu->add_subcommand(name, about);
    sub->add_option("FILE", arguments.request.file, "The FMU, the recording, or the folder of FMUs")
        ->required()
        ->type_name("");
    add_diagnostics(sub, raw);
    sub->callback([&arguments, command] { arguments.command = command; });
    sub->footer(footer(examples));
    return sub;
  };
  add("info", "Print interfaces, defaults, variables and dependencies", Command::fmu_info,
      "  orrery fmu info ball.fmu\n  orrery fmu info ball.fmu --json\n")
      ->add_flag("--json", arguments.json, "As JSON");
  add("check", "List everything that violates the standard, with section numbers", Command::fmu_check,
      "  orrery fmu check ball.fmu\n  orrery fmu check ball.fmu --run\n")
      ->add_flag("--run", arguments.fmu.run,
                 "Also run it a little, in a process of its own, and see whether it does as its description says");
  CLI::App* replay =
      add("replay", "Repeat a run from a recording of its calls, or ask another FMU the same", Command::fmu_replay,
          "  orrery run ball.fmu --record ball.calls\n"
          "  orrery fmu replay ball.calls --out ball.csv\n"
          "  orrery fmu replay ball.calls other.fmu --tol 1e-6\n"
          "  orrery fmu replay ball.calls --print\n");
  add_fmu_replay_options(*replay, arguments.fmu);
  replay->add_option("--out", arguments.out, "Write the variables of the repeated run as CSV")
      ->type_name("FILE.csv")
      ->allow_extra_args(false);
  CLI::App* crosscheck = add("crosscheck", "Run every FMU below a folder and compare with the references beside them",
                             Command::fmu_crosscheck,
                             "  orrery fmu crosscheck fmus --report out.html\n"
                             "  orrery fmu crosscheck fmus --only 2.0/me --jobs 2 --at-least 38\n");
  add_crosscheck_options(*crosscheck, arguments.crosscheck);
  fmu->footer(footer("  orrery fmu info ball.fmu\n  orrery fmu check ball.fmu\n  orrery run ball.fmu\n"));
}

void add_texts(CLI::App& app, Arguments& arguments) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script that completes commands and options");
  completion->require_subcommand(1);
  completion->footer(footer("  source <(orrery completion bash)\n  orrery completion zsh > ~/.zfunc/_orrery\n"));
  const auto add = [&](CLI::App* above, const char* name, const char* about, std::string (*write)(const CLI::App&)) {
    above->add_subcommand(name, about)->callback([&app, &arguments, write] {
      arguments.command = Command::print_text;
      arguments.text = write(app);
    });
  };
  add(completion, "bash", "For bash", bash_completion);
  add(completion, "zsh", "For zsh", zsh_completion);
  add(&app, "manual", "Print the manual page, for man", manual_page);
}

}  // namespace orrery::cli
