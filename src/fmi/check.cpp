// SPDX-License-Identifier: Apache-2.0
// Checks the archive: files in their places, libraries with the functions the description promises.
#include "fmi/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "fmi/api/fmi1.h"
#include "fmi/api/fmi2.h"
#include "fmi/api/fmi3.h"
#include "fmi/description_checker.h"
#include "fmi/load_binary.h"
#include "fmi/schema.h"

namespace orrery::fmi {
namespace {

struct Function {
  int required;  // 0 optional, 1 always, 2 Model Exchange, 3 Co-Simulation
  const char* name;
};

#define ORRERY_ENTRY_1(required, result, name, arguments) {required, "fmi" #name},
#define ORRERY_ENTRY_2(required, result, name, arguments) {required, "fmi2" #name},
#define ORRERY_ENTRY_3(required, result, name, arguments) {required, "fmi3" #name},
constexpr Function functions_1[] = {FMI1_FUNCTIONS(ORRERY_ENTRY_1)};
constexpr Function functions_2[] = {FMI2_FUNCTIONS(ORRERY_ENTRY_2)};
constexpr Function functions_3[] = {FMI3_FUNCTIONS(ORRERY_ENTRY_3)};

// A name that the library exports stands in its string table.
bool mentions(const std::string& library, const std::string& name) {
  return library.find('\0' + name + '\0') != std::string::npos;
}

// The standard demands all functions of an interface, also those an importer can do without.
template <std::size_t count>
std::vector<std::string> missing_functions(const std::string& library, const std::string& prefix, int kind,
                                           const Function (&functions)[count]) {
  static constexpr const char* other_kind[] = {"Slave", "Step", "Status", "RealInputDerivatives",
                                               "RealOutputDerivatives"};
  static constexpr const char* exchange_only[] = {"Model",       "Continuous",   "EventIndicators",     "fmiInitialize",
                                                  "EventUpdate", "fmiTerminate", "StateValueReferences"};
  std::vector<std::string> missing;
  for (const Function& function : functions) {
    const std::string_view name = function.name;
    if (function.required > 1 && function.required != kind) continue;
    if (function.required == 0) {
      // Optional ones are listed once; whether they belong to this kind is told by their names.
      const auto contains = [&](const char* part) { return name.find(part) != std::string_view::npos; };
      if (kind == 2 && std::any_of(std::begin(other_kind), std::end(other_kind), contains) &&
          !contains("CompletedIntegratorStep")) {
        continue;
      }
      if (kind == 3 && (std::any_of(std::begin(exchange_only), std::end(exchange_only), contains) ||
                        contains("CompletedIntegratorStep"))) {
        continue;
      }
      if (kind == 2 && name == "fmiGetTypesPlatform") continue;
      if (kind != 4 && (contains("ScheduledExecution") || contains("ModelPartition"))) continue;
    }
    if (!mentions(library, prefix + function.name)) missing.push_back(prefix + function.name);
  }
  return missing;
}

void check_library(Archive& archive, const Description& description, Kind kind, const std::string& platform,
                   Diagnostics& diagnostics) {
  const Interface* interface = description.interface(kind);
  if (interface == nullptr) return;
  const std::string name = "binaries/" + platform + "/" + interface->model_identifier + ".so";
  if (!archive.has(name)) {
    diagnostics.error("fmi-check-archive", {archive.path(), 0, 0, {}, {}},
                      fmt::format("the folder {} holds no {}.so ({}, archive structure)", platform,
                                  interface->model_identifier, name_of(description.version)));
    return;
  }
  const auto library = archive.read(name, diagnostics);
  if (!library) return;
  const int number = kind == Kind::model_exchange ? 2 : kind == Kind::co_simulation ? 3 : 4;
  const std::vector<std::string> missing =
      description.version == Version::fmi1
          ? missing_functions(*library, interface->model_identifier + "_", number, functions_1)
      : description.version == Version::fmi2 ? missing_functions(*library, "", number, functions_2)
                                             : missing_functions(*library, "", number, functions_3);
  if (missing.empty()) return;
  const char* section = description.version == Version::fmi1   ? "FMI 1.0, header files and naming of functions"
                        : description.version == Version::fmi2 ? "FMI 2.0, 2.1.1"
                                                               : "FMI 3.0, 2.2.1";
  Diagnostic& error = diagnostics.error(
      "fmi-check-functions", {archive.path() + "/" + name, 0, 0, {}, {}},
      fmt::format("{} functions of {} are not exported ({})", missing.size(), name_of(kind), section));
  error.notes = missing;
}

int line_of(std::string_view xml, pugi::xml_node node) {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0 || offset > static_cast<std::ptrdiff_t>(xml.size())) return 0;
  return 1 + static_cast<int>(std::count(xml.begin(), xml.begin() + offset, '\n'));
}

// Another XML file of the archive against its own grammar; the document, for further checks.
pugi::xml_document check_xml(Archive& archive, const std::string& name, std::string_view table,
                             Diagnostics& diagnostics) {
  pugi::xml_document document;
  const auto xml = archive.read(name, diagnostics);
  if (!xml) return document;
  const std::string file = archive.path() + "/" + name;
  if (const auto parsed = document.load_buffer(xml->data(), xml->size()); !parsed) {
    diagnostics.error("fmi-check-schema", {file, 0, 0, {}, {}},
                      fmt::format("not well-formed XML: {} (FMI 3.0, 2.4)", parsed.description()));
    return document;
  }
  check_schema(document, table, [&](pugi::xml_node node, const std::string& message, std::string_view section) {
    diagnostics.error("fmi-check-schema", {file, line_of(*xml, node), 0, {}, {}},
                      fmt::format("{} (FMI 3.0, {})", message, section.empty() ? "2.4" : section));
  });
  return document;
}

class ArchiveChecker {
 public:
  ArchiveChecker(Archive& archive, const Description& description, Diagnostics& diagnostics)
      : archive_(archive), d_(description), diagnostics_(diagnostics) {}

  void check() {
    const bool sources = any_below("sources/");
    if (platforms(archive_).empty() && !sources) violation({}, "the archive holds neither binaries nor sources");
    check_entries();
    check_platforms();
    if (any_below("documentation/")) check_documentation();
    if (sources) check_sources();
    if (d_.version == Version::fmi3 && archive_.has("terminalsAndIcons/terminalsAndIcons.xml")) check_terminals();
    const std::string platform = own_platform(archive_);
    if (platform.empty()) return;
    for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
      check_library(archive_, d_, kind, platform, diagnostics_);
    }
  }

 private:
  bool any_below(std::string_view folder) const {
    return std::any_of(archive_.files().begin(), archive_.files().end(),
                       [&](const std::string& name) { return name.starts_with(folder); });
  }
  Place place(const std::string& name) const {
    return {archive_.path() + (name.empty() ? "" : "/" + name), 0, 0, {}, {}};
  }
  std::string with_section(const std::string& message) const {
    static constexpr const char* sections[] = {"FMI 1.0, distribution", "FMI 2.0, 2.3", "FMI 3.0, 2.5.1"};
    return fmt::format("{} ({})", message, sections[static_cast<int>(d_.version) - 1]);
  }
  void violation(const std::string& name, const std::string& message) {
    diagnostics_.error("fmi-check-archive", place(name), with_section(message));
  }
  void doubt(const std::string& name, const std::string& message) {
    diagnostics_.warning("fmi-check-archive", place(name), with_section(message));
  }

  // What stands at the top of the archive; a folder is named once, whatever it holds.
  void check_entries() {
    static const std::set<std::string> known = {
        "modelDescription.xml", "binaries", "sources", "documentation", "resources", "model.png", "licenses",
        "terminalsAndIcons",    "extra"};
    static const std::set<std::string> only_3 = {"licenses", "terminalsAndIcons", "extra"};
    std::set<std::string> told;
    for (const std::string& name : archive_.files()) {
      const std::string top = name.substr(0, name.find('/'));
      if (known.contains(top) && (d_.version == Version::fmi3 || !only_3.contains(top))) continue;
      if (told.insert(top).second) doubt(top, "the standard knows no such entry");
    }
    for (const std::string& name : archive_.refused())
      violation(name, "a link, or a path that leads out of the archive");
  }

  void check_platforms() {
    for (const std::string& platform : platforms(archive_)) {
      static const std::set<std::string> old = {"win32", "win64", "linux32", "linux64", "darwin32", "darwin64"};
      const bool known = d_.version == Version::fmi3 ? platform.find('-') != std::string::npos : old.contains(platform);
      if (!known) doubt("binaries/" + platform, "the standard knows no such platform");
    }
  }

  void check_documentation() {
    const char* page = d_.version == Version::fmi1 ? "documentation/_main.html" : "documentation/index.html";
    if (!archive_.has(page)) doubt("documentation", fmt::format("the entry page {} is missing", page));
  }

  void check_sources() {
    for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
      const Interface* interface = d_.interface(kind);
      if (interface == nullptr || d_.version != Version::fmi2) continue;
      for (const std::string& file : interface->source_files) {
        if (!archive_.has("sources/" + file)) violation("sources/" + file, "the description names this source file");
      }
    }
    if (d_.version != Version::fmi3) return;
    const std::string name = "sources/buildDescription.xml";
    if (!archive_.has(name)) return violation(name, "sources need a build description");
    const pugi::xml_document document = check_xml(archive_, name, build_schema(), diagnostics_);
    for (const pugi::xml_node configuration : document.document_element().children("BuildConfiguration")) {
      for (const pugi::xml_node set : configuration.children("SourceFileSet")) {
        for (const pugi::xml_node file : set.children("SourceFile")) {
          const std::string path = std::string("sources/") + file.attribute("name").value();
          if (!archive_.has(path)) violation(path, "the build description names this source file");
        }
      }
    }
  }

  void check_terminals() {
    const std::string name = "terminalsAndIcons/terminalsAndIcons.xml";
    const pugi::xml_document document = check_xml(archive_, name, terminals_schema(), diagnostics_);
    const pugi::xml_node root = document.document_element();
    if (root.child("GraphicalRepresentation").child("Icon") && !archive_.has("terminalsAndIcons/icon.png")) {
      violation("terminalsAndIcons/icon.png", "the icon is missing");
    }
    for (const pugi::xpath_node found : root.select_nodes("//TerminalMemberVariable")) {
      const char* variable = found.node().attribute("variableName").value();
      if (d_.find(variable) == nullptr) {
        diagnostics_.error(
            "fmi-check-references", place(name),
            fmt::format("a terminal names the variable \"{}\", which does not exist (FMI 3.0, 2.4.9)", variable));
      }
    }
  }

  Archive& archive_;
  const Description& d_;
  Diagnostics& diagnostics_;
};

// The schema has said it with a section; the reader's own words would say it again.
bool is_told_by_schema(const std::string& code) {
  static const std::set<std::string> codes = {"fmi-bad-attribute", "fmi-unknown-value", "fmi-unknown-type",
                                              "fmi-no-reference",  "fmi-no-identifier", "fmi-duplicate-name",
                                              "fmi-more-warnings"};
  return codes.contains(code);
}

void check_encoding(const pugi::xml_document& document, DescriptionChecker& checker) {
  const pugi::xml_node declaration = document.first_child();
  if (declaration.type() != pugi::node_declaration) return;
  std::string encoding = declaration.attribute("encoding").as_string("UTF-8");
  std::transform(encoding.begin(), encoding.end(), encoding.begin(), [](unsigned char c) { return std::toupper(c); });
  if (encoding != "UTF-8") checker.schema_violation(1, fmt::format("the encoding is {}, not UTF-8", encoding), {});
}

}  // namespace

void check_archive(Archive& archive, const Description& description, Diagnostics& diagnostics) {
  ArchiveChecker(archive, description, diagnostics).check();
}

Diagnostics check_fmu(const std::string& file, bool run) {
  Diagnostics diagnostics;
  const auto archive = Archive::open(file, diagnostics);
  if (!archive) return diagnostics;
  const auto xml = archive->read("modelDescription.xml", diagnostics);
  if (!xml) return diagnostics;
  Diagnostics reading;
  const auto description = read_description(*xml, file, reading);
  for (const Diagnostic& diagnostic : reading.all()) {
    if (!is_told_by_schema(diagnostic.code)) diagnostics.add(diagnostic);
  }
  if (!description) return diagnostics;
  DescriptionChecker checker(*description, file, diagnostics);
  pugi::xml_document document;
  document.load_buffer(xml->data(), xml->size(), pugi::parse_default | pugi::parse_declaration);
  check_encoding(document, checker);
  check_schema(document, description_schema(description->version),
               [&](pugi::xml_node node, const std::string& message, std::string_view section) {
                 checker.schema_violation(line_of(*xml, node), message, section);
               });
  checker.check();
  checker.finish();
  check_archive(*archive, *description, diagnostics);
  if (run) check_behaviour(*archive, *description, diagnostics);
  return diagnostics;
}

}  // namespace orrery::fmi
