// SPDX-License-Identifier: Apache-2.0
// `orrery oml`: runs a script, an expression, standard input, or the console.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "api/figures.h"
#include "api/model_functions.h"
#include "api/oml_native.h"
#include "api/script_mistakes.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/oml_console.h"
#include "io/output_file.h"
#include "oml/builtins/open_files.h"
#include "oml/interpreter.h"
#include "oml/recycling.h"

namespace orrery::cli {
namespace {

// Scripts and those who read their output know the text of an error; people also see its line, and of syntax all that
// is wrong.
int finish(oml::Interpreter& interpreter, const oml::RunResult& result, const std::string& text,
           const std::string& file) {
  api::show_changed(interpreter);
  const Diagnostics mistakes = api::script_mistakes(result, text, file);
  const bool syntax = mistakes.has_errors() && mistakes.all()[0].code == "oml-syntax";
  const bool seen = standard_output().is_terminal && standard_error().is_terminal;
  const bool explained = mistakes.has_errors() && (syntax || seen);
  if (!result.error_text.empty() && !(explained && seen)) print(result.error_text + "\n");
  std::fflush(stdout);
  if (explained) print_diagnostics(mistakes, false);
  const std::string torn = oml::open_files(interpreter).close_all();  // those that the script has not closed
  if (!torn.empty()) print_error(fmt::format("error[output-unwritable]: {}: not all could be written\n", torn));
  if (end_requested().load()) return exit_interrupted;
  if (!torn.empty() && result.ok && result.exit_code == 0) return exit_failed;
  return result.ok ? result.exit_code : (result.exit_code != 0 ? result.exit_code : exit_failed);
}

std::string read_standard_input() {
  std::string text;
  char buffer[65536];
  constexpr std::size_t largest_script = std::size_t{64} << 20;
  for (std::size_t n; text.size() < largest_script && (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    text.append(buffer, n);
  return text;
}

// Figures are drawn where somebody sees them, and nowhere else.
void show_on_terminal(oml::Interpreter& interpreter) {
  const Terminal terminal = standard_output();
  if (!terminal.is_terminal) return;
  api::figures_of(interpreter).show = [terminal](const api::Figure& figure) {
    print_drawing(api::drawn(figure, {terminal.unicode, terminal.colour, 60, 12}));
  };
}

}  // namespace

int oml_command(const Arguments& arguments) {
  const bool console = arguments.expression.empty() && arguments.files.empty() && isatty(STDIN_FILENO) != 0;
  const EndWatch watch(console ? EndWatch::Style::console : EndWatch::Style::all);
  interrupt_system_calls();
  oml::recycle_large_arrays();
  oml::InterpreterOptions options;
  options.interrupt = &end_requested();
  options.families = api::model_families();
  options.native = api::oml_compiler();
  oml::Interpreter interpreter(options);
  show_on_terminal(interpreter);
  const NothingToKeep alone(!console);
  if (!arguments.expression.empty())
    return finish(interpreter, interpreter.run_text(arguments.expression), arguments.expression, {});
  if (!arguments.files.empty()) {
    const std::vector<std::string> rest(arguments.files.begin() + 1, arguments.files.end());
    const oml::RunResult result = interpreter.run_file(arguments.files[0], rest);
    Diagnostics told;
    const auto text = result.ok ? std::nullopt : io::read_file(arguments.files[0], told);
    return finish(interpreter, result, text.value_or(std::string()), arguments.files[0]);
  }
  if (!console) {
    const std::string text = read_standard_input();
    return finish(interpreter, interpreter.run_text(text, "standard input"), text, "standard input");
  }
  return run_console(interpreter, end_requested());
}

}  // namespace orrery::cli
