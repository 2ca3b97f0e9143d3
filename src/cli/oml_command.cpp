// SPDX-License-Identifier: Apache-2.0
// `orrery oml`: runs a script, an expression, standard input, or a console with history and completion.
#include <editline/readline.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/commands.h"
#include "oml/error.h"
#include "oml/interpreter.h"
#include "oml/parser.h"

namespace orrery::cli {
namespace {

std::atomic<bool> interrupted{false};

void on_interrupt(int) { interrupted.store(true); }

int finish(const oml::RunResult& result) {
  if (!result.error_text.empty()) std::printf("%s\n", result.error_text.c_str());
  std::fflush(stdout);
  if (interrupted.load()) return exit_interrupted;
  return result.ok ? result.exit_code : (result.exit_code != 0 ? result.exit_code : exit_failed);
}

std::string read_standard_input() {
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.append(buffer, n);
  return text;
}

// A statement that ends in the middle of a block or a bracket wants another line: closing it makes it parse.
bool is_incomplete(const std::string& text) {
  const auto parses = [](const std::string& candidate) {
    try {
      oml::parse_script(candidate, {});
      return true;
    } catch (const oml::OmlError&) {
      return false;
    }
  };
  if (parses(text)) return text.ends_with("...\n");
  for (const char* closing : {"\nend", "\nend\nend", "\nend\nend\nend", "]", "}", ")", "\nend\nend\nend\nend"}) {
    if (parses(text + closing)) return true;
  }
  return false;
}

oml::Interpreter* completing = nullptr;

char* next_completion(const char* start, int state) {
  static std::vector<std::string> matches;
  static std::size_t at = 0;
  if (state == 0) {
    matches.clear();
    at = 0;
    for (const std::string& name : completing->base()->names()) {
      if (name.starts_with(start)) matches.push_back(name);
    }
    for (const oml::BuiltinFamily& family : oml::builtin_families()) {
      for (const oml::Builtin& builtin : family) {
        if (std::string_view(builtin.name).starts_with(start)) matches.push_back(builtin.name);
      }
    }
  }
  return at < matches.size() ? strdup(matches[at++].c_str()) : nullptr;
}

char** complete(const char* text, int, int) { return rl_completion_matches(text, next_completion); }

std::string history_file() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home) + "/.orrery_history";
}

int console(oml::Interpreter& interpreter) {
  completing = &interpreter;
  rl_readline_name = const_cast<char*>("orrery");
  rl_attempted_completion_function = complete;
  using_history();
  const std::string history = history_file();
  if (!history.empty()) read_history(history.c_str());
  std::puts("Orrery OML. `help NAME` explains a function, Tab completes, Ctrl-C interrupts, `exit` or Ctrl-D ends.");
  std::string text;
  while (char* line = readline(text.empty() ? "> " : "  ")) {
    if (*line != '\0') add_history(line);
    text += line;
    text += '\n';
    std::free(line);
    if (is_incomplete(text)) continue;
    interrupted.store(false);
    const oml::RunResult result = interpreter.run_text(text);
    text.clear();
    if (!result.error_text.empty()) std::printf("%s\n", result.error_text.c_str());
    if (interrupted.load()) std::puts("interrupted");
    if (result.exit_requested) return result.exit_code;
    std::fflush(stdout);
  }
  std::puts("");
  if (!history.empty()) write_history(history.c_str());
  return exit_ok;
}

}  // namespace

int oml_command(const Arguments& arguments) {
  std::signal(SIGINT, on_interrupt);
  oml::InterpreterOptions options;
  options.interrupt = &interrupted;
  oml::Interpreter interpreter(options);
  if (!arguments.expression.empty()) return finish(interpreter.run_text(arguments.expression));
  if (!arguments.files.empty()) {
    return finish(interpreter.run_file(arguments.files[0], {arguments.files.begin() + 1, arguments.files.end()}));
  }
  if (isatty(STDIN_FILENO) == 0) return finish(interpreter.run_text(read_standard_input(), "standard input"));
  return console(interpreter);
}

}  // namespace orrery::cli
