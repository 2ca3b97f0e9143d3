// SPDX-License-Identifier: Apache-2.0
// Commands that compute something from a model: their grammar and help.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "cli/analysis_options.h"
#include "cli/describe_commands.h"
#include "cli/export_options.h"
#include "cli/sweep_options.h"

namespace orrery::cli {

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

}  // namespace orrery::cli
