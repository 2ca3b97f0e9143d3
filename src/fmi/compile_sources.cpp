// SPDX-License-Identifier: Apache-2.0
// Source FMUs: compiles them with the machine's C compiler when no binary fits.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pugixml.hpp>
#include <sstream>
#include <utility>

#include "base/environment.h"
#include "fmi/fmi_headers_text.h"
#include "fmi/load_binary.h"
#include "fmi/run_compiler.h"

namespace orrery::fmi {
namespace {

namespace fs = std::filesystem;

struct Recipe {
  std::vector<std::string> files, definitions, folders;
};

// FMI 3.0 lists sources in a file of its own (2.5.1.3); 2.0 in the description; 1.0 not at all.
Recipe read_recipe(const std::string& sources, const Description& description, Kind kind) {
  const Interface& interface = *description.interface(kind);
  Recipe recipe;
  recipe.files = interface.source_files;
  pugi::xml_document document;
  if (description.version == Version::fmi3 && document.load_file((sources + "/buildDescription.xml").c_str())) {
    for (const pugi::xml_node build : document.child("fmiBuildDescription").children("BuildConfiguration")) {
      if (build.attribute("modelIdentifier").value() != interface.model_identifier) continue;
      for (const pugi::xml_node set : build.children("SourceFileSet")) {
        for (const pugi::xml_node file : set.children("SourceFile")) {
          recipe.files.emplace_back(file.attribute("name").value());
        }
        for (const pugi::xml_node definition : set.children("PreprocessorDefinition")) {
          recipe.definitions.push_back(fmt::format("-D{}={}", definition.attribute("name").value(),
                                                   definition.attribute("value").as_string("1")));
        }
        for (const pugi::xml_node folder : set.children("IncludeDirectory")) {
          recipe.folders.emplace_back(folder.attribute("name").value());
        }
      }
    }
  }
  const auto unsafe = [](const std::string& name) { return !safe_name(name) || name[0] == '-'; };
  std::erase_if(recipe.files, unsafe);
  std::erase_if(recipe.folders, unsafe);
  if (!recipe.files.empty()) return recipe;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sources, ignored)) {
    if (entry.path().extension() == ".c") recipe.files.push_back(entry.path().filename().string());
  }
  std::sort(recipe.files.begin(), recipe.files.end());
  return recipe;
}

// The headers of the standard under their usual names; sources often come without them.
void write_headers(const std::string& folder) {
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder + "/" + name) << text; };
  const auto prototypes = [](const char* version, const char* prefix) {
    return fmt::format(
        "\n#ifndef {1}_Export\n#define {1}_Export\n#endif\n"
        "#define ORRERY_PROTOTYPE(kind, result, name, arguments) result {0}##name arguments;\n"
        "{1}_FUNCTIONS(ORRERY_PROTOTYPE)\n#undef ORRERY_PROTOTYPE\n",
        prefix, version);
  };
  write("fmi2.h", fmi2_header_text);
  write("fmi3.h", fmi3_header_text);
  write("fmi2TypesPlatform.h", "#include \"fmi2.h\"\n");
  write("fmi2FunctionTypes.h", "#include \"fmi2.h\"\n");
  write("fmi2Functions.h", "#include \"fmi2.h\"\n#pragma once\n" + prototypes("FMI2", "fmi2"));
  write("fmi3PlatformTypes.h", "#include \"fmi3.h\"\n");
  write("fmi3FunctionTypes.h", "#include \"fmi3.h\"\n");
  write("fmi3Functions.h", "#include \"fmi3.h\"\n#pragma once\n" + prototypes("FMI3", "fmi3"));
}

// The files that a rule of make, as the compiler writes it, depends on.
std::vector<std::string> read_dependencies(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  std::vector<std::string> names;
  for (char c = 0; in.get(c);) {
    const int next = in.peek();
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      in.get(c);
      word += c;
    } else if (c == '\\' && next == '\n') {
      in.get(c);
    } else if (c != ' ' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      names.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) names.push_back(word);
  if (!names.empty()) names.erase(names.begin());  // "target:"
  return names;
}

// Whether the texts may include it: theirs, ours, or what the system offers to all C programs.
bool may_be_included(const std::string& name, const std::string& folder) {
  std::error_code error;
  const std::string whole = fs::weakly_canonical(fs::absolute(name, error), error).string();
  const std::string own = fs::weakly_canonical(folder, error).string();
  for (const std::string& root : {own + "/", std::string("/usr/"), std::string("/opt/")}) {
    if (!error && whole.starts_with(root)) return true;
  }
  return false;
}

// What the compiler has said; where that is asked for, of the FMU's own files only.
void add_words(const std::string& file, const std::string& only, Diagnostic& error) {
  std::ifstream text(file);
  std::string line;
  while (error.notes.size() < 10 && std::getline(text, line)) {
    if (line.starts_with(only)) error.notes.push_back(line.substr(0, 500));
  }
}

std::string failure_text(CompilerEnd end, const std::string& compiler) {
  switch (end) {
    case CompilerEnd::missing:
      return fmt::format("there is no C compiler \"{}\" to compile the sources of the FMU", compiler);
    case CompilerEnd::late: return "compiling the sources of the FMU takes longer than it may";
    case CompilerEnd::killed: return "compiling the sources of the FMU takes more memory or time than it may";
    default: return "the sources of the FMU do not compile";
  }
}

// A text that includes a file of the user would show it in messages: what each includes is known before any is
// compiled. False, and a diagnostic, when that is none of its business.
bool check_includes(const Recipe& recipe, const std::vector<std::string>& options, const std::string& folder,
                    const Place& place, Diagnostics& diagnostics) {
  const std::string list = folder + "/includes.txt", log = folder + "/includes.log";
  for (const std::string& file : recipe.files) {
    std::vector<std::string> words = options;
    words.insert(words.end(), {"-M", "-MF", list, folder + "/sources/" + file});
    std::error_code ignored;
    fs::remove(list, ignored);
    const CompilerEnd end = run_compiler(words, log);
    if (end != CompilerEnd::good) {
      add_words(
          log, folder,
          diagnostics.error("fmi-compile-failed", place, failure_text(end, options[0]),
                            end == CompilerEnd::missing ? "install build-essential, or name a compiler in CC" : ""));
      return false;
    }
    for (const std::string& name : read_dependencies(list)) {
      if (may_be_included(name, folder)) continue;
      diagnostics.error(
          "fmi-strange-include", place,
          fmt::format("the sources of the FMU include {}, which is neither theirs nor the system's", name));
      return false;
    }
  }
  return true;
}

}  // namespace

std::string compile_sources(const std::string& folder, const Description& description, Kind kind,
                            const std::string& fmu, Diagnostics& diagnostics) {
  const std::string sources = folder + "/sources";
  const Recipe recipe = read_recipe(sources, description, kind);
  const Place place{fmu, 0, 0, {}, {}};
  if (recipe.files.empty()) {
    diagnostics.error("fmi-no-binary", place, "the FMU has no binary for this machine and no C sources");
    return {};
  }
  write_headers(folder + "/orrery_headers");
  const char* chosen = environment_variable("CC");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "cc";
  const std::string library = folder + "/compiled.so";
  std::istringstream command(compiler);  // "ccache gcc"
  std::vector<std::string> words(std::istream_iterator<std::string>(command), {});
  words.insert(words.end(), {"-w", "-I" + sources});
  for (const std::string& include : recipe.folders) words.push_back("-I" + sources + "/" + include);
  words.push_back("-I" + folder + "/orrery_headers");
  words.insert(words.end(), recipe.definitions.begin(), recipe.definitions.end());
  if (!check_includes(recipe, words, folder, place, diagnostics)) return {};
  words.insert(words.end(), {"-shared", "-fPIC", "-O2", "-o", library});
  for (const std::string& file : recipe.files) words.push_back(sources + "/" + file);
  words.push_back("-lm");
  const std::string output = folder + "/compiler.txt";
  const CompilerEnd end = run_compiler(words, output);
  if (end == CompilerEnd::good) return library;
  add_words(output, "", diagnostics.error("fmi-compile-failed", place, failure_text(end, compiler)));
  return {};
}

}  // namespace orrery::fmi
