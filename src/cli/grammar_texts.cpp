// SPDX-License-Identifier: Apache-2.0
// Walks the grammar and writes shell functions and roff.
#include "cli/grammar_texts.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/shell_quoted.h"

namespace orrery::cli {
namespace {

enum class ValueKind { none, file, choice, other };

struct OptionText {
  std::vector<std::string> names;  // with their dashes
  std::string value;               // how it is called in help texts
  std::string about;
  ValueKind kind = ValueKind::none;
  std::string choices;  // separated by blanks
};

struct CommandText {
  std::string path;  // "orrery show block"
  std::string about, examples;
  std::vector<std::string> arguments;
  std::vector<OptionText> options;
  std::vector<std::pair<std::string, std::string>> commands;  // name, about
};

// Type names have the values a validator allows behind a colon: "FORM:{text,json}".
OptionText describe(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  text.about = option.get_description();
  if (option.get_items_expected_max() == 0) return text;
  const std::string type = option.get_type_name();
  text.value = type.substr(0, type.find(':'));
  const std::size_t open = type.find('{');
  if (open != std::string::npos) {
    text.kind = ValueKind::choice;
    text.choices = type.substr(open + 1, type.find('}', open) - open - 1);
    for (char& c : text.choices) c = c == ',' ? ' ' : c;
  } else {
    text.kind = text.value.starts_with("FILE") ? ValueKind::file : ValueKind::other;
  }
  return text;
}

// The command and all below it, outermost first.
void collect(const CLI::App& app, const std::string& above, std::vector<CommandText>& all) {
  CommandText text;
  text.path = above + app.get_name();
  text.about = app.get_description();
  const std::string footer = app.get_footer();
  text.examples = footer.substr(0, footer.find("Exit codes:"));
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      text.arguments.push_back(option->get_name(true));
    } else {
      text.options.push_back(describe(*option));
    }
  }
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) text.commands.emplace_back(command->get_name(), command->get_description());
  all.push_back(text);
  for (const CLI::App* command : commands) collect(*command, text.path + " ", all);
}

std::vector<CommandText> commands_of(const CLI::App& app) {
  std::vector<CommandText> all;
  collect(app, "", all);
  return all;
}

// The part both shells have in common: a pattern for each command below the first, and one for each option with a
// value.
std::string path_patterns(const std::vector<CommandText>& all) {
  std::string text;
  for (std::size_t k = 1; k < all.size(); ++k) text += (k > 1 ? "|" : "") + shell_quoted(all[k].path);
  return text;
}

using ValueAction = std::function<std::string(const OptionText&)>;

std::string value_cases(const std::vector<CommandText>& all, const ValueAction& action) {
  std::string text;
  for (const CommandText& command : all) {
    for (const OptionText& option : command.options) {
      if (option.kind == ValueKind::none) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : "|") + shell_quoted(command.path + " " + name);
      }
      text += fmt::format("    {}) {}return ;;\n", patterns, action(option));
    }
  }
  return text;
}

// How a shell names the words of a line; the commands that have been typed are found the same way in both.
struct WordNames {
  const char* first;    // number of the word after "orrery"
  const char* current;  // … of the word that is typed
  const char* words;
};

// Finds the command that the words name, and ends after an option that wants a value.
std::string find_command(const std::vector<CommandText>& all, const WordNames& names, const ValueAction& action) {
  return fmt::format(
             "  for ((k = {0}; k < {1}; ++k)); do\n"
             "    case \"$command ${{{2}[k]}}\" in\n"
             "      {3}) command=\"$command ${{{2}[k]}}\" ;;\n"
             "    esac\n"
             "  done\n"
             "  case \"$command ${{{2}[{1} - 1]}}\" in\n",
             names.first, names.current, names.words, path_patterns(all)) +
         value_cases(all, action) + "  esac\n";
}

// For zsh's _describe: name and text with a colon between them.
std::string described(const std::string& name, const std::string& about) {
  std::string text;
  for (const char c : name) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return shell_quoted(text + ":" + about);
}

// Roff takes a point or an apostrophe at the start of a line for a command, and a minus for a hyphen.
std::string roff(const std::string& text) {
  std::string result;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_starts = c == '\n';
  }
  return result;
}

std::string synopsis(const CommandText& command) {
  std::string text = "\\fB" + roff(command.path) + "\\fR";
  if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
  for (const std::string& argument : command.arguments) text += " \\fI" + roff(argument) + "\\fR";
  if (!command.options.empty()) text += " [\\fIOPTIONS\\fR]";
  return text;
}

std::string manual_of(const CommandText& command) {
  std::string text = fmt::format(".SS {}\n{}.\n", synopsis(command), roff(command.about));
  for (const OptionText& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + roff(name);
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}.\n", names,
                        option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR", roff(option.about));
    if (option.kind == ValueKind::choice) text += fmt::format("One of: {}.\n", roff(option.choices));
  }
  if (!command.examples.empty()) text += fmt::format(".PP\n.nf\n{}.fi\n", roff(command.examples));
  return text;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const std::vector<CommandText> all = commands_of(app);
  std::string text =
      "# Completion of orrery for bash.\n"
      "_orrery() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" command=orrery k\n"
      "  COMPREPLY=()\n";
  text += find_command(all, {"1", "COMP_CWORD", "COMP_WORDS"}, [](const OptionText& option) -> std::string {
    if (option.kind == ValueKind::file) return "compopt -o default; ";
    if (option.kind == ValueKind::other) return "";
    return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\")); ", shell_quoted(option.choices));
  });
  text +=
      "  local commands=\"\" options=\"\"\n"
      "  case \"$command\" in\n";
  for (const CommandText& command : all) {
    std::string commands, options;
    for (const auto& [name, about] : command.commands) commands += (commands.empty() ? "" : " ") + name;
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) options += (options.empty() ? "" : " ") + name;
    }
    text += fmt::format("    {}) commands={} options={} ;;\n", shell_quoted(command.path), shell_quoted(commands),
                        shell_quoted(options));
  }
  text +=
      "  esac\n"
      "  if [[ \"$word\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [[ -n \"$commands\" ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
      "  else\n"
      "    compopt -o default\n"
      "  fi\n"
      "}\n"
      "complete -F _orrery orrery\n";
  return text;
}

std::string zsh_completion(const CLI::App& app) {
  const std::vector<CommandText> all = commands_of(app);
  std::string text =
      "#compdef orrery\n"
      "# Completion of orrery for zsh.\n"
      "_orrery() {\n"
      "  local command=orrery k\n";
  text += find_command(all, {"2", "CURRENT", "words"}, [](const OptionText& option) -> std::string {
    if (option.kind == ValueKind::file) return "_files; ";
    if (option.kind == ValueKind::other) return "_message value; ";
    return fmt::format("compadd {}; ", option.choices);
  });
  text +=
      "  local -a commands options\n"
      "  case \"$command\" in\n";
  for (const CommandText& command : all) {
    text += fmt::format("    {})\n", shell_quoted(command.path));
    text += "      commands=(";
    for (const auto& [name, about] : command.commands) text += "\n        " + described(name, about);
    text += ")\n      options=(";
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) text += "\n        " + described(name, option.about);
    }
    text += ") ;;\n";
  }
  text +=
      "  esac\n"
      "  if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
      "    _describe option options\n"
      "  elif (( ${#commands} )); then\n"
      "    _describe command commands\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      "if [[ \"$zsh_eval_context[-1]\" == loadautofunc ]]; then _orrery \"$@\"; else compdef _orrery orrery; fi\n";
  return text;
}

std::string manual_page(const CLI::App& app) {
  const std::vector<CommandText> all = commands_of(app);
  const std::string footer = app.get_footer();
  std::string text = fmt::format(
      ".TH ORRERY 1 \"\" \"orrery {}\" \"User Commands\"\n"
      ".SH NAME\norrery \\- model and simulate hybrid dynamical systems\n"
      ".SH SYNOPSIS\n{}\n"
      ".SH DESCRIPTION\n"
      "Orrery simulates block diagrams (.orr) in which continuous dynamics, sampled controllers and events live "
      "together,\n"
      "runs FMUs, and has a matrix language, OML.\n"
      ".SH COMMANDS\n",
      ORRERY_VERSION, synopsis(all.front()));
  for (const CommandText& command : all) text += manual_of(command);
  const std::size_t codes = footer.find("Exit codes:\n");
  if (codes != std::string::npos) {
    text += fmt::format(".SH EXIT STATUS\n.nf\n{}\n.fi\n", roff(footer.substr(footer.find('\n', codes) + 1)));
  }
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBORRERY_CACHE\\fR\nThe folder of compiled code (default: $XDG_CACHE_HOME/orrery, else "
      "~/.cache/orrery).\n"
      ".TP\n\\fBCC\\fR\nThe C compiler of the second tier.\n"
      ".TP\n\\fBNO_COLOR\\fR\nNo colours on the terminal.\n";
  return text;
}

std::string grammar_json(const CLI::App& app) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const CommandText& command : commands_of(app)) {
    Json options = Json::array();
    for (const OptionText& option : command.options) {
      if (option.names.empty()) continue;
      Json item{{"name", option.names[0]}, {"about", option.about}};
      switch (option.kind) {
        case ValueKind::none: item["kind"] = "none"; break;
        case ValueKind::file: item["kind"] = "file"; break;
        case ValueKind::choice: item["kind"] = "choice"; break;
        case ValueKind::other: item["kind"] = "text"; break;
      }
      if (!option.value.empty()) item["value"] = option.value;
      if (!option.choices.empty()) {
        Json choices = Json::array();
        std::istringstream words(option.choices);
        for (std::string word; words >> word;) choices.push_back(word);
        item["choices"] = std::move(choices);
      }
      if (option.about.find("may be repeated") != std::string::npos) item["repeats"] = true;
      options.push_back(std::move(item));
    }
    const std::size_t blank = command.path.find(' ');
    all.push_back({{"command", blank == std::string::npos ? "" : command.path.substr(blank + 1)},
                   {"about", command.about},
                   {"examples", command.examples},
                   {"arguments", command.arguments},
                   {"above", !command.commands.empty()},
                   {"options", std::move(options)}});
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace orrery::cli
