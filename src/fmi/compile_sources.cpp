// SPDX-License-Identifier: Apache-2.0
// Source FMUs: compiles them with the machine's C compiler when no binary fits.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>

#include "fmi/fmi_headers_text.h"
#include "fmi/load_binary.h"

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

// Runs a program without a shell; its words go to a file. The exit status, or -1.
int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int descriptor = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor >= 0) {
      dup2(descriptor, STDOUT_FILENO);
      dup2(descriptor, STDERR_FILENO);
    }
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace

std::string compile_sources(const std::string& folder, const Description& description, Kind kind,
                            const std::string& fmu, Diagnostics& diagnostics) {
  const std::string sources = folder + "/sources";
  const Recipe recipe = read_recipe(sources, description, kind);
  if (recipe.files.empty()) {
    diagnostics.error("fmi-no-binary", {fmu, 0, 0, {}, {}}, "the FMU has no binary for this machine and no C sources");
    return {};
  }
  write_headers(folder + "/orrery_headers");
  const char* chosen = std::getenv("CC");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "cc";
  const std::string library = folder + "/compiled.so";
  std::vector<std::string> words = {compiler, "-shared", "-fPIC", "-O2", "-w", "-o", library, "-I" + sources};
  for (const std::string& include : recipe.folders) words.push_back("-I" + sources + "/" + include);
  words.push_back("-I" + folder + "/orrery_headers");
  words.insert(words.end(), recipe.definitions.begin(), recipe.definitions.end());
  for (const std::string& file : recipe.files) words.push_back(sources + "/" + file);
  words.push_back("-lm");
  const std::string output = folder + "/compiler.txt";
  const int status = run_program(words, output);
  if (status == 0) return library;
  Diagnostic& error = diagnostics.error(
      "fmi-compile-failed", {fmu, 0, 0, {}, {}},
      status == 127 ? fmt::format("there is no C compiler \"{}\" to compile the sources of the FMU", compiler)
                    : "the sources of the FMU do not compile",
      status == 127 ? "install build-essential, or name a compiler in CC" : "");
  std::ifstream text(output);
  std::string line;
  while (error.notes.size() < 10 && std::getline(text, line)) error.notes.push_back(line);
  return {};
}

}  // namespace orrery::fmi
