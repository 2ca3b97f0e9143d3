// SPDX-License-Identifier: Apache-2.0
// The grammar of the command line and all of its help.
#include "cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "cli/analysis_options.h"
#include "cli/commands.h"
#include "cli/edit_options.h"
#include "cli/export_options.h"
#include "cli/finish_arguments.h"
#include "cli/grammar_texts.h"
#include "cli/sweep_options.h"

namespace orrery::cli {
namespace {

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    success\n"
    "  1    the model or the run has an error; diagnostics are on standard error\n"
    "  2    the command line is wrong\n"
    "  130  interrupted by Ctrl-C, SIGTERM, SIGHUP or SIGQUIT; results so far are written";

constexpr double default_script_seconds = 60;

std::string footer(const std::string& examples) { return "Examples:\n" + examples + "\n" + exit_codes; }

void add_diagnostics(CLI::App* command, Raw& raw) {
  command->add_option("--diagnostics", raw.diagnostics, "Form of the diagnostics on standard error: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM")
      ->capture_default_str();
}

// Those that decide how a model is compiled, or the others.
void add_settings(CLI::App* command, model::Settings& settings, bool compiles) {
  for (const model::SettingInfo& info : model::setting_table()) {
    if (info.option.empty() || info.compiles != compiles) continue;
    std::string& text = (settings.*info.text).text;
    const std::string option(info.option), about(info.about);
    if (info.type == model::SettingType::flag) {
      command->add_flag_callback(
          option, [&text] { text = "true"; }, about);
    } else {
      command->add_option(option, text, about)->type_name(std::string(info.placeholder));
    }
  }
}

// What decides how a model is compiled.
void add_model(CLI::App* command, Arguments& arguments, Raw& raw) {
  api::RunRequest& request = arguments.request;
  command->add_option("MODEL", request.file, "The model file (.orr), or an FMU where it can be run")
      ->required()
      ->type_name("");
  command->add_option("--set", raw.set, "Set a variable of the model's context before it is used; may be repeated")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
  command
      ->add_option("--allow", raw.allow,
                   "What the model may do besides computing and reading files of its folder: read, write, shell, "
                   "environment, native (FMUs, C code), network, all")
      ->type_name("A,B");
  command
      ->add_option("--script-time", request.script_seconds,
                   "How long the scripts of the model may run before the simulation; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  add_settings(command, request.settings, true);
  add_diagnostics(command, raw);
}

void add_initial(CLI::App* command, Raw& raw) {
  command
      ->add_option("--initial", raw.initial,
                   "How the states of a block, or of all blocks of a diagram, begin: given, free (initial equations "
                   "determine them) or rest (their derivatives are zero), for example /Plant=rest; may be repeated")
      ->type_name("PATH=HOW")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* run = app.add_subcommand("run", "Simulate a model");
  add_model(run, arguments, raw);
  add_settings(run, arguments.request.settings, false);
  run->add_option("--tolerance", raw.tolerances,
                  "Absolute tolerance of the states of one block, for example /Plant/Mass=1e-9; may be repeated")
      ->type_name("BLOCK=A")
      ->allow_extra_args(false);
  add_initial(run, raw);
  run->add_flag(
      "--every-run", arguments.every_run,
      "Where an End block asks for more runs: write the rows and events of all of them, with the number of the "
      "run, instead of the last one's (CSV)");
  run->add_option("--exec", arguments.request.exec,
                  "First run the script of this ExecOMLScript block, whose variables the model then finds in the base "
                  "workspace; may be repeated")
      ->type_name("BLOCK")
      ->allow_extra_args(false);
  add_fmu_run_options(*run, arguments.fmu);
  run->add_option("--out", arguments.out,
                  "Write the recorded signals as CSV, or as HDF5 (.mtsf, .h5), both sides of every jump, while the run "
                  "goes on; - "
                  "is standard output; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  run->add_option("--interval", raw.interval,
                  "Record every DT from the start on, and at the end only (FMUs: at events too), instead of at "
                  "every accepted point and event")
      ->type_name("DT");
  run->add_option("--vars", arguments.request.signals,
                  "Record these block outputs, for example Plant/Mass or Plant/Mass:2, instead of the model's sinks")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  run->add_option("--only", arguments.request.only,
                  "Of what is recorded, keep the columns with these names: * stands for any characters, ? for one, for "
                  "example --only '/Scope.*,*speed'")
      ->type_name("GLOB,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  run->add_option("--decimate", arguments.decimate,
                  "Write every N-th row and the last one to the files of --out; jumps may lose a side")
      ->check(CLI::Range(1L, 1L << 53, "a whole number from 1 on"))
      ->type_name("N");
  run->add_flag("--spreadsheet-safe", arguments.spreadsheet_safe,
                "Put an apostrophe before names in CSV files that a spreadsheet would take for formulas: = + - @");
  run->add_option("--events", arguments.events,
                  "Write the event ledger as CSV: time, cause, block, port, left, right, restarted")
      ->type_name("FILE.csv");
  run->add_option("--plot", arguments.plot,
                  "Draw the recorded signals as SVG; together with --out, an --interval makes curves smooth")
      ->type_name("FILE.svg");
  run->add_option("--runs", arguments.request.most_runs, "How many runs End blocks with action 'restart' may ask for")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
  run->add_flag("--stats", arguments.statistics,
                "Print steps, rejections, evaluations, events and where the time went");
  run->add_option("--sensitivity", arguments.request.sensitivities,
                  "Record also how every signal changes with these variables of the context, through events")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  run->add_flag("--explain-loops", arguments.explain_loops,
                "Print the algebraic loops and implicit equations: path, unknowns, how they were solved");
  run->add_flag("--explain-start", arguments.explain_start,
                "Print the initial equations block by block: what was sought, from where, what was found");
  run->add_flag("--quiet", arguments.quiet, "Print diagnostics only");
  run->add_option("--tier", raw.tier,
                  "Native code: first (in memory), second (C compiler), auto (first until second is ready)")
      ->check(CLI::IsMember({"first", "second", "auto"}))
      ->type_name("TIER")
      ->capture_default_str();
  run->footer(
      footer("  orrery run ball.orr                          final values and a small plot\n"
             "  orrery run ball.orr --out ball.csv           everything at full precision\n"
             "  orrery run ball.orr --out a.csv --out a.h5   the same to several files\n"
             "  orrery run ball.orr --set e=0.5 --stop 2*T   another parameter, another horizon\n"
             "  orrery run ball.orr --plot ball.svg --stats  a picture, and what the solver did\n"
             "  orrery run ball.orr --events events.csv      when and why blocks were activated\n"
             "  orrery run ball.fmu --set e=0.5 --out b.csv  an FMU; its description gives the rest\n"));
  run->callback([&arguments] { arguments.command = Command::run; });
}

void add_check(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* check = app.add_subcommand("check", "Load and compile a model, report all that is wrong with it");
  add_model(check, arguments, raw);
  add_initial(check, raw);
  check->add_flag("--explain-start", arguments.explain_start,
                  "Print the initial equations block by block: what will be sought, and what keeps its start value");
  check->add_flag(
      "--units", arguments.units,
      "List which unit everything has, as remarks such as [m/s] say and as it follows; report what disagrees");
  check->footer(
      footer("  orrery check ball.orr\n  orrery check ball.orr --diagnostics json\n"
             "  orrery check lander.csl --units\n"));
  check->callback([&arguments] { arguments.command = Command::check; });
}

void add_linearise(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command = app.add_subcommand("linearise", "Print the linear model of a diagram at a point of a run");
  add_model(command, arguments, raw);
  add_initial(command, raw);
  api::LinearisationRequest& request = arguments.linearise;
  add_point_options(*command, request);
  command->add_flag("--equilibrium", request.equilibrium,
                    "Linearise at the point of rest nearest to there; inputs keep their values");
  command->add_flag("--hold", request.hold, "Take what events have left as constant, instead of refusing");
  command->add_option("--plot", arguments.plot, "Draw Bode and Nyquist plots and step responses")
      ->type_name("FILE.svg");
  command
      ->add_option("--out", arguments.out,
                   "Write the linear model as JSON, or as a MAT file (.mat); - is standard output")
      ->type_name("FILE")
      ->expected(1);
  command->add_flag("--json", arguments.json, "Print JSON, at full precision");
  command->footer(
      footer("  orrery linearise pendulum.orr\n"
             "  orrery linearise loop.orr --block /Plant --at 5 --out plant.json\n"
             "  orrery linearise loop.orr --inputs Cut --outputs /Plant/Speed\n"));
  command->callback([&arguments] { arguments.command = Command::linearise; });
}

void add_trim(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command = app.add_subcommand("trim", "Find states, inputs and variables at which a model rests");
  add_model(command, arguments, raw);
  add_initial(command, raw);
  add_trim_options(*command, arguments.trim);
  command->add_option("--out", arguments.out, "Write the point as JSON; - is standard output")
      ->type_name("FILE.json")
      ->expected(1);
  command->add_flag("--json", arguments.json, "Print JSON, at full precision");
  command->footer(
      footer("  orrery trim pendulum.orr --free u\n"
             "  orrery trim plane.orr --fix /Height=1000 --wanted speed=60 --free thrust --between thrust=0:5000\n"));
  command->callback([&arguments] { arguments.command = Command::trim; });
}

void add_optimise(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command =
      app.add_subcommand("optimise", "Find the best values of a model's variables, or fit them to measurements");
  add_optimise_options(*command, arguments.optimise);
  command->add_option("--out", arguments.out, "Write the result as JSON; - is standard output")
      ->type_name("FILE.json")
      ->expected(1);
  command->add_option("--plot", arguments.plot, "Draw cost and fits as SVG")->type_name("FILE.svg");
  command->add_flag("--json", arguments.json, "Print JSON, at full precision");
  command->add_flag("--quiet", arguments.quiet, "Print nothing but diagnostics");
  command->add_option("--allow", raw.allow, "What the model may do besides computing, as of `orrery run`")
      ->type_name("A,B");
  add_diagnostics(command, raw);
  command->footer(
      footer("  orrery optimise car.opt --plot car.svg\n"
             "  orrery optimise motor.opt --out motor.json\n"));
  command->callback([&arguments] { arguments.command = Command::optimise; });
}

void add_exec(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command = app.add_subcommand("exec", "Run the script of an ExecOMLScript block");
  add_model(command, arguments, raw);
  command->add_option("BLOCK", arguments.block, "Path of the block")->required()->type_name("");
  command->add_flag("--quiet", arguments.quiet, "Do not list the variables that the script has made");
  command->footer(
      footer("  orrery exec pendulum.orr /Design\n"
             "  orrery run pendulum.orr --exec /Design --plot p.svg\n"));
  command->callback([&arguments] { arguments.command = Command::exec; });
}

void add_sweep(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command = app.add_subcommand("sweep", "Run a model many times with other values of its variables");
  add_model(command, arguments, raw);
  add_settings(command, arguments.request.settings, false);
  add_initial(command, raw);
  add_sweep_options(*command, arguments.sweep);
  command
      ->add_option(
          "--out", arguments.out,
          "Write a row for each run as CSV, or as HDF5 (.mtsf, .h5); a killed sweep goes on when the command is "
          "repeated")
      ->type_name("FILE")
      ->expected(1);
  command->add_option("--plot", arguments.plot, "Draw how the kept numbers are distributed, as SVG")
      ->type_name("FILE.svg");
  command->add_flag("--quiet", arguments.quiet, "Print diagnostics only");
  command->footer(
      footer("  orrery sweep ball.orr --vary e=linspace(0.7,0.9,21) --out e.csv\n"
             "  orrery sweep ball.orr --sample e=normal(0.8,0.02) --runs 1000 --keep \"max(/Height)\" --plot e.svg\n"
             "  orrery sweep ball.orr --vary g=[9.81 1.62] --sample e=uniform(0.6,0.9) --runs 500 --sampling sobol\n"));
  command->callback([&arguments] { arguments.command = Command::sweep; });
}

void add_export(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* command = app.add_subcommand("export", "Write a model as code that runs without Orrery");
  command->require_subcommand(1);
  command->footer(
      footer("  orrery export c ball.orr --solver rk4 --step 0.01 --out ball && make -C ball && ball/ball\n"));
  const auto add = [&](const char* name, const char* about, Command what, const std::string& examples) {
    CLI::App* sub = command->add_subcommand(name, about);
    sub->callback([&arguments, what] { arguments.command = what; });
    add_model(sub, arguments, raw);
    add_settings(sub, arguments.request.settings, false);
    add_initial(sub, raw);
    add_export_options(*sub, arguments.exported);
    sub->add_flag("--quiet", arguments.quiet, "Print diagnostics only");
    sub->footer(footer(examples));
    return sub;
  };
  CLI::App* c = add("c", "C99 with a run-time, without allocation, for one instance or many", Command::export_c,
                    "  orrery export c ball.orr --out ball          NAME.h, NAME.c, run-time, main.c, Makefile\n"
                    "  orrery export c loop.orr --vary k --out loop a parameter that main can set: loop/loop k=3\n"
                    "  orrery export c loop.orr --solver euler --step 0.1 --out loop\n");
  add_export_c_options(*c, arguments.exported);
  CLI::App* fmu =
      add("fmu", "An FMU for other tools: Model Exchange, Co-Simulation or both, with its sources", Command::export_fmu,
          "  orrery export fmu ball.orr --out ball.fmu\n"
          "  orrery export fmu loop.orr --fmi 3 --kind cs --solver rk4 --step 0.01 --out loop.fmu\n"
          "  orrery export fmu loop.orr --vary k --out loop.fmu    k becomes a parameter of the FMU\n");
  add_export_fmu_options(*fmu, arguments.exported_fmu);
  add("python", "A Python package: functions, a class for many instances on numpy, an environment for learning",
      Command::export_python,
      "  orrery export python lander.orr --out lander && cd lander && python3 example.py\n"
      "  orrery export python plant.orr --block /Motor --solver rk4 --step 0.001 --out motor\n"
      "  cd lander && python3 -m pip wheel --no-build-isolation --no-deps .\n");
  CLI::App* block =
      add("block", "A model in which a super block is a CCustomBlock with generated code", Command::export_block,
          "  orrery export block plant.orr --block /Control --out coded.orr\n"
          "  orrery run coded.orr --allow native\n");
  add_export_block_options(*block, arguments.exported);
}

void add_show(CLI::App& app, Arguments& arguments, Raw& raw) {
  CLI::App* show = app.add_subcommand("show", "Show what a model compiles to, and which blocks and solvers there are");
  show->require_subcommand(1);
  show->footer(footer("  orrery show schedule ball.orr\n  orrery show block Integral\n"));
  const auto add = [&](const char* name, const char* about, Command command, const std::string& examples) {
    CLI::App* sub = show->add_subcommand(name, about);
    sub->callback([&arguments, command] { arguments.command = command; });
    sub->footer(footer(examples));
    return sub;
  };
  add_model(add("program", "Print the typed hybrid program of a model", Command::show_program,
                "  orrery show program ball.orr\n"),
            arguments, raw);
  add_model(add("schedule", "Print what runs when: activation sources, clocks, surfaces and modes",
                Command::show_schedule, "  orrery show schedule ball.orr\n"),
            arguments, raw);
  CLI::App* variables =
      add("variables", "List everything that has a name: kind, type, unit, start, description", Command::show_variables,
          "  orrery show variables ball.orr\n  orrery show variables ball.orr --json\n");
  add_model(variables, arguments, raw);
  variables->add_flag("--json", arguments.json, "As JSON");
  add_model(add("code", "Print the C code that a run compiles, with the block of each statement as a comment",
                Command::show_code, "  orrery show code ball.orr\n"),
            arguments, raw);
  CLI::App* script = add("script", "Print an OML or Python script that makes the model again", Command::show_script,
                         "  orrery show script ball.orr > ball.oml\n"
                         "  orrery show script ball.orr --python > ball.py\n");
  script->add_option("MODEL", arguments.request.file, "The model file (.orr)")->required()->type_name("");
  script->add_flag("--python", arguments.edit.python, "Python, with the module of share/orrery/python");
  add_diagnostics(script, raw);
  CLI::App* blocks = add("blocks", "List the blocks of the library", Command::show_blocks,
                         "  orrery show blocks\n  orrery show blocks --json\n  orrery show blocks --names\n");
  blocks->add_flag("--json", arguments.json, "As JSON, with parameters and other names");
  blocks->add_flag("--names", arguments.other_names, "What blocks and parameters of other programs are called here");
  CLI::App* block = add("block", "Print the manual page of a block", Command::show_block,
                        "  orrery show block Integral            one block, on the terminal\n"
                        "  orrery show block Gain --example > gain.orr\n"
                        "  orrery show block --html manual.html  the manual of the whole library\n");
  block->add_option("NAME", arguments.block, "The block type")->type_name("");
  block->add_flag("--example", arguments.example, "Print a model that shows it, to be run with orrery run");
  block->add_flag("--open", arguments.open, "Show its page of the manual in a browser, or say where it is");
  block
      ->add_option("--html", arguments.html,
                   "Write the manual of the whole library as one HTML page; - is standard output")
      ->type_name("FILE");
  add_diagnostics(block, raw);
  CLI::App* solvers = add("solvers", "List the solvers, or describe one", Command::show_solvers,
                          "  orrery show solvers\n  orrery show solvers radau\n  orrery show solvers --json\n");
  solvers->add_option("NAME", arguments.solver, "A solver, by any of its names")->type_name("");
  solvers->add_flag("--json", arguments.json, "As JSON");
  add_diagnostics(solvers, raw);
}

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
             "  orrery picture balls.orr --anim 2.5 -o balls.svg\n"));
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

// "orrery show block": the command whose help belongs to a mistake.
std::string path_of(const CLI::App& app) {
  std::string path = app.get_name();
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
    path += " " + innermost->get_name();
  }
  return path;
}

int usage_error(const CLI::App& app, const std::string& message) {
  const std::string path = path_of(app);
  std::fprintf(stderr, "%s: %s\n  help: %s --help\n", path.c_str(), printable(message).c_str(), path.c_str());
  return exit_usage;
}

}  // namespace

std::optional<Arguments> parse_command_line(int argc, const char* const* argv, int& exit_code) {
  Arguments arguments;
  arguments.sweep.command.assign(argv, argv + argc);
  Raw raw;
  arguments.request.script_seconds = default_script_seconds;
  CLI::App app("Orrery: models and simulates hybrid dynamical systems.", "orrery");
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  bool version = false;
  app.add_flag("--version", version, "Print the version");
  // Describing all commands takes longer than many a run: one that is asked for by name is described alone. Those
  // without a name here need the others too, for they print or hand on the whole grammar.
  struct Commands {
    std::vector<std::string_view> names;
    std::function<void()> add;
  };
  const Commands rows[] = {
      {{"run"}, [&] { add_run(app, arguments, raw); }},
      {{"check"}, [&] { add_check(app, arguments, raw); }},
      {{"linearise"}, [&] { add_linearise(app, arguments, raw); }},
      {{"trim"}, [&] { add_trim(app, arguments, raw); }},
      {{"optimise"}, [&] { add_optimise(app, arguments, raw); }},
      {{"exec"}, [&] { add_exec(app, arguments, raw); }},
      {{"sweep"}, [&] { add_sweep(app, arguments, raw); }},
      {{"export"}, [&] { add_export(app, arguments, raw); }},
      {{"show"}, [&] { add_show(app, arguments, raw); }},
      {{"fmt"}, [&] { add_format(app, arguments, raw); }},
      {{"acsl", "convert"}, [&] { add_languages(app, arguments, raw); }},
      {{"picture", "edit", "diff", "merge", "git-setup"}, [&] { add_editing(app, arguments, raw); }},
      {{"fmu"}, [&] { add_fmu(app, arguments, raw); }},
      {{"serve-worker"}, [&] { add_serve(app, arguments); }},
      {{"oml"}, [&] { add_oml(app, arguments); }},
      {{"trust"}, [&] { add_trust(app, arguments, raw); }},
      {{"library", "new"},
       [&] {
         add_library_commands(app, arguments.library, [&arguments](bool library) {
           arguments.command = library ? Command::library : Command::new_block;
         });
       }},
      {{"version"},
       [&] {
         app.add_subcommand("version", "Print the version")->callback([&arguments] {
           arguments.command = Command::version;
         });
       }},
      {{}, [&] { add_texts(app, arguments); }},
  };
  const std::string_view asked = argc > 1 ? argv[1] : "";
  const auto wanted =
      std::ranges::find_if(rows, [&](const Commands& row) { return std::ranges::count(row.names, asked) > 0; });
  for (const Commands& row : rows) {
    if (wanted == std::end(rows) || &row == wanted) row.add();
  }
  app.footer(
      footer("  orrery run examples/bouncing_ball.orr --plot ball.svg\n"
             "  orrery check model.orr\n"
             "  orrery run --help\n"));
  exit_code = exit_ok;
  try {
    app.parse(argc, argv);
    finish_arguments(raw, arguments);
    return arguments;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
  } catch (const CLI::RequiredError& error) {
    if (version) return arguments;
    const std::vector<std::string> unknown = app.remaining(true);
    const bool is_command = !unknown.empty() && !unknown.front().starts_with('-');
    exit_code = usage_error(app, is_command ? "there is no command " + unknown.front() : error.what());
  } catch (const CLI::ParseError& error) {
    exit_code = usage_error(app, error.what());
  } catch (const UsageError& error) {
    exit_code = usage_error(app, error.message);
  }
  return std::nullopt;
}

}  // namespace orrery::cli
