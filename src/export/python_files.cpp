// SPDX-License-Identifier: Apache-2.0
// Texts of a Python package.
#include "export/python_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "export/export_texts.h"

namespace orrery::code_export {
namespace {

// Safe between the quotes of Python and TOML.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool bad = static_cast<unsigned char>(c) < 32 || c == '\\' || c == 127;
    out += bad ? ' ' : c == '"' ? '\'' : c;
  }
  return out;
}

// Doubles of the widest input.
std::int64_t widest_input(const program::Program& program) {
  std::int64_t widest = 1;
  for (const program::InputPort& port : program.inputs) {
    if (port.value == program::no_slot) continue;
    const program::Type& type = program.slots[port.value].type;
    widest = std::max(widest, type.size() * (type.scalar == program::Scalar::c128 ? 2 : 1));
  }
  return widest;
}

}  // namespace

std::string module_name(const std::string& name) {
  static const std::set<std::string> taken = {
      "False",    "None",       "True",       "and",        "as",    "assert",   "async", "await",   "break",
      "class",    "def",        "del",        "elif",       "else",  "except",   "for",   "finally", "from",
      "global",   "if",         "import",     "in",         "is",    "lambda",   "not",   "or",      "nonlocal",
      "pass",     "raise",      "return",     "try",        "while", "with",     "yield", "numpy",   "math",
      "ctypes",   "gymnasium",  "os",         "sys",        "setup", "unittest", "wheel", "shlex",   "example",
      "continue", "setuptools", "subprocess", "collections"};
  const std::string made = identifier(name);
  return taken.contains(made) ? made + "_model" : made;
}

std::vector<ExportedFile> python_package(const CModel& model, const std::string& about) {
  const std::string& name = model.name;
  const auto text = [&](const char* from) {
    std::string out = with_name(from, name);
    const std::pair<std::string, std::string> marks[] = {
        {"@ABOUT@", about.empty() ? fmt::format("The model {}.", name) : plain(about)},
        {"@WIDEST@", std::to_string(widest_input(model.program))}};
    for (const auto& [mark, value] : marks) {
      for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size()))
        out.replace(at, mark.size(), value);
    }
    return out;
  };
  std::vector<ExportedFile> files = {{"pyproject.toml", text(text_of_pyproject_toml)},
                                     {"setup.py", text(text_of_setup_py)},
                                     {"example.py", text(text_of_example_py)},
                                     {fmt::format("test_{}.py", name), text(text_of_test_package_py)},
                                     {name + "/__init__.py", text(text_of_module_py)},
                                     {name + "/simulation.py", text(text_of_simulation_py)},
                                     {name + "/environment.py", text(text_of_environment_py)},
                                     {name + "/build_library.py", text(text_of_build_library_py)},
                                     {name + "/sources/orrery_py.c", text(text_of_orrery_py_c)}};
  for (const ExportedFile& file : c_project(model, false)) files.push_back({name + "/sources/" + file.name, file.text});
  return files;
}

}  // namespace orrery::code_export
