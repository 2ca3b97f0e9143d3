// SPDX-License-Identifier: Apache-2.0
// The grammar of `orrery sweep`.
#include "cli/sweep_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <map>
#include <string>

namespace orrery::cli {

void add_sweep_options(CLI::App& command, api::SweepRequest& sweep) {
  command
      .add_option(
          "--vary", sweep.vary,
          "A variable of the context and its values in OML, for example k=linspace(0,1,50); several make a full "
          "grid; may be repeated")
      ->type_name("NAME=LIST")
      ->allow_extra_args(false);
  command
      .add_option("--sample", sweep.samples,
                  "A variable that is drawn for each run: normal(mean,deviation), uniform(from,to), lognormal, "
                  "exponential, weibull, gamma, beta; may be repeated")
      ->type_name("NAME=DISTRIBUTION")
      ->allow_extra_args(false);
  command
      .add_option("--table", sweep.tables,
                  "Values from a CSV file: a column for each variable, a row for each run (and point of a grid)")
      ->type_name("FILE.csv")
      ->allow_extra_args(false);
  command
      .add_option("--runs", sweep.samples_each, "How many samples are drawn, at each point of the grid if there is one")
      ->check(CLI::Range(1L, 1L << 53, "a whole number from 1 on"))
      ->type_name("N");
  static const std::map<std::string, math::Sampling> samplings = {
      {"random", math::Sampling::random}, {"latin", math::Sampling::latin}, {"sobol", math::Sampling::sobol}};
  command
      .add_option_function<std::string>(
          "--sampling", [&sweep](const std::string& name) { sweep.sampling = samplings.at(name); },
          "How samples are drawn: random (independent), latin (hypercube), sobol (sequence)")
      ->check(CLI::IsMember({"random", "latin", "sobol"}))
      ->type_name("HOW");
  command.add_option("--seed", sweep.seed, "Another seed, other samples")->type_name("S")->capture_default_str();
  command
      .add_option(
          "--keep", sweep.keep,
          "A number that is kept of each run, in OML over signals: \"max(/Speed)\", \"over=max(/y)-final(/y)\"; "
          "first, final, min, max, mean and rms (over time) are computed while a run goes on; may be repeated; "
          "default: the last value of all that the model records")
      ->type_name("[NAME=]EXPR")
      ->allow_extra_args(false);
  command
      .add_option("--jobs", sweep.jobs, "Threads (processes, where the model has foreign code); default: one a core")
      ->check(CLI::Range(1L, 1L << 53, "a whole number from 1 on"))
      ->type_name("J");
  command.add_flag("--lanes", sweep.lanes,
                   "Several runs at once by vector instructions: for models without events, with the solver dopri");
  command.add_flag("--mpi", sweep.mpi,
                   "Under mpirun: the first process hands out runs, the others make them; needs --out");
  command
      .add_option("--slurm", sweep.slurm,
                  "Submit a job array of so many tasks to Slurm, wait for it and collect; needs --out in a folder that "
                  "all nodes see; repeat the command to go on")
      ->check(CLI::Range(1, 100000))
      ->type_name("TASKS");
  command
      .add_option_function<std::string>(
          "--part",
          [&sweep](const std::string& text) {
            const auto bar = text.find('/');
            try {
              sweep.part = std::stoi(text);
              sweep.parts = bar == std::string::npos ? 0 : std::stoi(text.substr(bar + 1));
            } catch (const std::exception&) {
              sweep.parts = 0;
            }
            if (sweep.part < 0 || sweep.part >= sweep.parts) throw CLI::ValidationError("--part", "is not K/N");
          },
          "Make only the runs of part K (from 0) of N, and no table: for schedulers of your own; the command without "
          "it puts the parts together")
      ->type_name("K/N");
  command.add_flag("--fresh", sweep.fresh, "Begin anew instead of going on where an interrupted sweep stopped");
}

}  // namespace orrery::cli
