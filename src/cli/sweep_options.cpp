// SPDX-License-Identifier: Apache-2.0
// The grammar of `orrery sweep`.
#include "cli/sweep_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>

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
      ->check(CLI::PositiveNumber)
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
      ->check(CLI::PositiveNumber)
      ->type_name("J");
  command.add_flag("--fresh", sweep.fresh, "Begin anew instead of going on where an interrupted sweep stopped");
}

}  // namespace orrery::cli
