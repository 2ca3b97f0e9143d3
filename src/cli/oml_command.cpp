// SPDX-License-Identifier: Apache-2.0
// `orrery oml`: runs a script, an expression, standard input, or the console.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include "api/figures.h"
#include "api/model_functions.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/oml_console.h"
#include "oml/interpreter.h"
#include "oml/recycling.h"

namespace orrery::cli {
namespace {

std::atomic<bool> script_interrupted{false};

void on_interrupt(int) { script_interrupted.store(true); }

// A system call that waits is interrupted too, so that a script in the middle of one stops.
void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

int finish(oml::Interpreter& interpreter, const oml::RunResult& result) {
  api::show_changed(interpreter);
  if (!result.error_text.empty()) std::printf("%s\n", result.error_text.c_str());
  std::fflush(stdout);
  if (script_interrupted.load()) return exit_interrupted;
  return result.ok ? result.exit_code : (result.exit_code != 0 ? result.exit_code : exit_failed);
}

std::string read_standard_input() {
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.append(buffer, n);
  return text;
}

// Figures are drawn where somebody sees them, and nowhere else.
void show_on_terminal(oml::Interpreter& interpreter) {
  const Terminal terminal = standard_output();
  if (!terminal.is_terminal) return;
  api::figures_of(interpreter).show = [terminal](const api::Figure& figure) {
    print(api::drawn(figure, {terminal.unicode, terminal.colour, 60, 12}));
  };
}

}  // namespace

int oml_command(const Arguments& arguments) {
  catch_interrupts();
  oml::recycle_large_arrays();
  oml::InterpreterOptions options;
  options.interrupt = &script_interrupted;
  options.families = api::model_families();
  oml::Interpreter interpreter(options);
  show_on_terminal(interpreter);
  if (!arguments.expression.empty()) return finish(interpreter, interpreter.run_text(arguments.expression));
  if (!arguments.files.empty()) {
    const std::vector<std::string> rest(arguments.files.begin() + 1, arguments.files.end());
    return finish(interpreter, interpreter.run_file(arguments.files[0], rest));
  }
  if (isatty(STDIN_FILENO) == 0) {
    return finish(interpreter, interpreter.run_text(read_standard_input(), "standard input"));
  }
  return run_console(interpreter, script_interrupted);
}

}  // namespace orrery::cli
