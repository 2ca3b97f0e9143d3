// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: which commands there are, and what is said of one that is wrong.
#include "cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/describe_commands.h"
#include "cli/finish_arguments.h"

namespace orrery::cli {
namespace {

constexpr double default_script_seconds = 60;

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
