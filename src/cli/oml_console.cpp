// SPDX-License-Identifier: Apache-2.0
// Line editing, history, completion and the loop of the console.
#include "cli/oml_console.h"

#include <editline/readline.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string>
#include <vector>

#include "api/figures.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "oml/error.h"
#include "oml/parser.h"

namespace orrery::cli {
namespace {

constexpr int longest_history = 2000;
constexpr const char* greeting =
    "Orrery OML. `help` says more, `help NAME` explains a function, Tab completes, Ctrl-C interrupts, `exit` or Ctrl-D "
    "ends.";
constexpr const char* help_text =
    "help NAME          explains a function\n"
    "who, whos          lists the variables\n"
    "plot(x, y)         draws; print('figure.svg') writes the figure to a file\n"
    "vssRunSimulation   runs a model; see `help vssRunSimulation`\n"
    "run('script.oml')  runs a script\n"
    "exit               ends\n";

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
  for (const char* closing :
       {"\nend", "\nend\nend", "\nend\nend\nend", "]", "}", ")", "\nend\nend\nend\nend", " .end"}) {
    if (parses(text + closing)) return true;
  }
  return false;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// What the callbacks of the library work on: they take no argument of ours.
oml::Interpreter* completing = nullptr;
std::vector<std::string> matches;
std::size_t next_match = 0;
std::vector<std::string> words_here;  // option words of the function around the cursor

void add_match(const std::string& before, std::string_view candidate, std::string_view start) {
  if (candidate.starts_with(start)) matches.push_back(before + std::string(candidate));
}

// Fields of a struct, where the word is "s.fie".
bool add_fields(const std::string& before, std::string_view start) {
  if (before.empty() || before.back() != '.') return false;
  std::size_t from = before.size() - 1;
  while (from > 0 && is_name(before[from - 1])) --from;
  const oml::Value* v = completing->base()->get(before.substr(from, before.size() - 1 - from));
  if (v == nullptr || !v->is_struct()) return false;
  for (const std::string& key : v->structure_ref().keys) add_match(before, key, start);
  return true;
}

void collect_matches(const std::string& word) {
  matches.clear();
  next_match = 0;
  std::size_t at = word.size();
  while (at > 0 && is_name(word[at - 1])) --at;
  const std::string before = word.substr(0, at), start = word.substr(at);
  if (add_fields(before, start)) return;
  for (const std::string& name : completing->base()->names()) add_match(before, name, start);
  for (const std::string& name : completing->function_names()) add_match(before, name, start);
  for (const oml::BuiltinFamily& family : completing->families()) {
    for (const oml::Builtin& builtin : family) add_match(before, builtin.name, start);
  }
  std::sort(matches.begin(), matches.end());
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
}

char* next_completion(const char* word, int state) {
  if (state == 0) collect_matches(word);
  return next_match < matches.size() ? strdup(matches[next_match++].c_str()) : nullptr;
}

// Inside a text that has not ended files are completed, elsewhere names.
bool in_text(int start) {
  bool open = false;
  for (int k = 0; k < start && rl_line_buffer[k] != '\0'; ++k) {
    if (rl_line_buffer[k] != '\'') continue;
    const bool transposes =
        !open && k > 0 &&
        (is_name(rl_line_buffer[k - 1]) || rl_line_buffer[k - 1] == ')' || rl_line_buffer[k - 1] == ']');
    if (!transposes) open = !open;
  }
  return open;
}

// The function whose arguments stand around this place of the line.
std::string called_at(int start) {
  int depth = 0;
  for (int k = start - 1; k >= 0; --k) {
    const char c = rl_line_buffer[k];
    if (c == ')') ++depth;
    if (c != '(' || depth-- > 0) continue;
    int begin = k;
    while (begin > 0 && is_name(rl_line_buffer[begin - 1])) --begin;
    return std::string(rl_line_buffer + begin, rl_line_buffer + k);
  }
  return {};
}

// Inside a text: the words the function knows, or else files.
char* next_word(const char* word, int state) {
  if (state == 0) {
    matches.clear();
    next_match = 0;
    for (const std::string& known : words_here)
      if (known.rfind(word, 0) == 0) matches.push_back(known);
  }
  return next_match < matches.size() ? strdup(matches[next_match++].c_str()) : nullptr;
}

char** complete(const char* word, int start, int) {
  if (!in_text(start)) return rl_completion_matches(word, next_completion);
  words_here.clear();
  const oml::Builtin* b = completing->builtin(called_at(start));
  if (b != nullptr) words_here = oml::argument_words(b->arguments);
  return rl_completion_matches(word, words_here.empty() ? rl_filename_completion_function : next_word);
}

std::string history_file() {
  if (const char* named = std::getenv("ORRERY_HISTORY")) return named;
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home) + "/.orrery_history";
}

struct History {
  explicit History(std::string path) : file(std::move(path)) {
    using_history();
    stifle_history(longest_history);
    if (!file.empty()) read_history(file.c_str());
  }
  ~History() {
    if (!file.empty()) write_history(file.c_str());
  }
  std::string file;
};

const std::atomic<bool>* interrupt_flag = nullptr;

// One byte of the terminal, or -1 at its end and when Ctrl-C was pressed. The signal is let through only while we
// wait, so it cannot slip between a look at the flag and the wait.
int next_byte(int terminal) {
  sigset_t with_interrupts, without;
  sigemptyset(&without);
  sigaddset(&without, SIGINT);
  pthread_sigmask(SIG_BLOCK, &without, &with_interrupts);
  sigdelset(&with_interrupts, SIGINT);
  int ready = 0;
  while (!interrupt_flag->load() && ready <= 0) {
    pollfd input{terminal, POLLIN, 0};
    ready = ppoll(&input, 1, nullptr, &with_interrupts);
    if (ready < 0 && errno != EINTR) break;
  }
  pthread_sigmask(SIG_SETMASK, &with_interrupts, nullptr);
  unsigned char byte = 0;
  if (interrupt_flag->load() || ready <= 0 || read(terminal, &byte, 1) != 1) return -1;
  return byte;
}

int next_character(FILE* input) {
  std::mbstate_t state{};
  for (;;) {
    const int byte = next_byte(fileno(input));
    if (byte < 0) return -1;
    if (byte == 0) return '\x04';  // what a terminal keeps of a Ctrl-D typed while a statement ran
    const char c = static_cast<char>(byte);
    wchar_t wide = 0;
    const std::size_t used = std::mbrtowc(&wide, &c, 1, &state);
    if (used == static_cast<std::size_t>(-2)) continue;  // the rest of the character is to come
    return used == static_cast<std::size_t>(-1) ? byte : static_cast<int>(wide);
  }
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n;");
  return first == std::string::npos || last == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

int run_console(oml::Interpreter& interpreter, std::atomic<bool>& interrupted) {
  completing = &interpreter;
  interrupt_flag = &interrupted;
  std::setlocale(LC_CTYPE, "");  // characters of several bytes are one character to edit
  rl_catch_signals = 0;          // the library would pass Ctrl-C on to the whole process group and go on reading
  rl_getc_function = next_character;
  rl_readline_name = const_cast<char*>("orrery");
  rl_attempted_completion_function = complete;
  static char breaks[] = " \t\n'\",;=()[]{}+-*^<>&|~:@";
  rl_basic_word_break_characters = breaks;
  rl_completer_word_break_characters = breaks;
  const History history(history_file());
  std::puts(greeting);
  std::string text;
  for (;;) {
    interrupted.store(false);
    char* line = readline(text.empty() ? "> " : "  ");
    if (line == nullptr && interrupted.load()) {  // Ctrl-C at the prompt drops what was typed
      text.clear();
      std::puts("");
      continue;
    }
    if (line == nullptr) break;
    if (*line != '\0') add_history(line);
    text += line;
    text += '\n';
    std::free(line);
    if (is_incomplete(text)) continue;
    const std::string statement = std::exchange(text, {});
    if (trimmed(statement) == "help") {
      std::fputs(help_text, stdout);
      continue;
    }
    interrupted.store(false);
    const oml::RunResult result = interpreter.run_text(statement);
    if (!result.error_text.empty()) print(result.error_text + "\n");
    if (result.exit_requested) return result.exit_code;
    api::show_changed(interpreter);
    std::fflush(stdout);
  }
  std::puts("");
  return exit_ok;
}

}  // namespace orrery::cli
