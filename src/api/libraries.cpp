// SPDX-License-Identifier: Apache-2.0
// Libraries of blocks, for the command line and for scripts (Activate, 8).
#include "api/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/model_functions.h"
#include "blocks/block.h"
#include "io/output_file.h"
#include "model/check_diagram.h"
#include "model/library.h"
#include "oml/convert.h"
#include "oml/error.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;
using model::Library;

std::optional<Library> open_for_change(const std::string& folder, Diagnostics& diagnostics) {
  auto library = model::load_library(folder, diagnostics);
  if (!library || !library->locked) return library;
  diagnostics.error("locked-library", model::place_in(folder),
                    fmt::format("version {} of the library {} is locked", library->version, library->name),
                    "orrery library unlock makes it the next version, which can be changed");
  return std::nullopt;
}

model::BlockInstance* find_block(model::Diagram& root, std::string_view path) {
  model::Diagram* diagram = &root;
  model::BlockInstance* found = nullptr;
  while (!path.empty()) {
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(end);
    if (diagram == nullptr) return nullptr;
    const auto at = std::find_if(diagram->blocks.begin(), diagram->blocks.end(),
                                 [&](const model::BlockInstance& block) { return block.name == name; });
    if (at == diagram->blocks.end()) return nullptr;
    found = &*at;
    diagram = at->diagram.get();
  }
  return found;
}

int highest_port(const model::Diagram& diagram, blocks::Role role) {
  int most = 0;
  for (const model::BlockInstance& block : diagram.blocks) {
    const blocks::Role own = blocks::role_of(block.type);
    const bool counts = own == role || (role == blocks::Role::diagram_input && own == blocks::Role::diagram_condition);
    if (!counts) continue;
    const model::Parameter* port = block.find_parameter("port");
    most = std::max(most, port == nullptr ? 1 : std::atoi(port->value.c_str()));
  }
  return most;
}

std::string as_html(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string page_of(const Library& library, const std::string& name, const model::Model& block) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title>\n<h1>{0}</h1>\n<p>{1}</p>\n"
      "<p>Type <code>{2}/{0}</code>, library {2}, version {3}.</p>\n",
      as_html(name), as_html(block.about.empty() ? "No description." : block.about), as_html(library.name),
      library.version);
  page += fmt::format("<p>{} inputs, {} outputs, {} activation inputs, {} activation outputs.</p>\n",
                      highest_port(block.root, blocks::Role::diagram_input),
                      highest_port(block.root, blocks::Role::diagram_output),
                      highest_port(block.root, blocks::Role::diagram_event_input),
                      highest_port(block.root, blocks::Role::diagram_event_output));
  if (!block.root.mask.empty()) {
    page += "<table><tr><th>parameter<th>default<th>meaning</tr>\n";
    for (const model::MaskParameter& p : block.root.mask) {
      page += fmt::format("<tr><td><code>{}</code><td><code>{}</code><td>{}</tr>\n", as_html(p.name), as_html(p.value),
                          as_html(p.prompt));
    }
    page += "</table>\n";
  }
  return page;
}

bool write_page(const fs::path& path, const std::string& text, Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return io::write_file(path, text, diagnostics);
}

// Whether people may write the files of a library, all but its description.
void set_writable(const Library& library, bool writable) {
  std::error_code error;
  const auto mode = fs::perms::owner_write;
  for (fs::recursive_directory_iterator at(library.folder, error), end; !error && at != end; at.increment(error)) {
    // What a link leads to is not the library's.
    if (!fs::is_regular_file(at->symlink_status(error)) || at->path().filename() == "library.json") continue;
    fs::permissions(at->path(), mode, writable ? fs::perm_options::add : fs::perm_options::remove, error);
  }
}

}  // namespace

bool create_library(const std::string& name, const std::string& parent, Diagnostics& diagnostics) {
  const std::string folder = fs::path(parent) / name;
  if (const auto fault = model::name_fault(name); !fault.empty()) {
    diagnostics.error("bad-name", model::place_in(folder), "the name of a library " + std::string(fault));
    return false;
  }
  std::error_code error;
  if (fs::exists(fs::path(folder) / "library.json", error)) {
    diagnostics.error("bad-library", model::place_in(folder), "there is a library already",
                      "choose another name or folder");
    return false;
  }
  for (const char* part : {"palettes", "icons", "docs", "demos"})
    fs::create_directories(fs::path(folder) / part, error);
  Library library;
  library.folder = folder;
  library.name = name;
  library.key = model::new_key();
  return model::save_library(library, diagnostics);
}

bool add_to_library(const std::string& folder, const std::string& model_file, const std::string& path,
                    const std::string& block, Diagnostics& diagnostics) {
  const auto library = open_for_change(folder, diagnostics);
  auto model = library ? model::load(model_file, diagnostics) : std::nullopt;
  if (!model) return false;
  model::Model made;
  made.name = fs::path(block).filename();
  made.libraries = model->libraries;
  model::BlockInstance* found = path.empty() || path == "/" ? nullptr : find_block(model->root, path);
  if (!path.empty() && path != "/" && (found == nullptr || !found->diagram)) {
    diagnostics.error("unknown-block", model::place_in(model_file, 0, path), "there is no super block of this path",
                      "name one such as /Plant");
    return false;
  }
  if (found != nullptr) {
    made.about = found->about;
    made.root = std::move(*found->diagram);
    // The values that this super block has are the defaults of the block.
    for (model::MaskParameter& parameter : made.root.mask) {
      if (const model::Parameter* given = found->find_parameter(parameter.name)) parameter.value = given->value;
    }
  } else {
    made.about = model->about;
    made.initialization = model->initialization;
    made.root = std::move(model->root);
  }
  const std::string file = model::block_file(*library, block);
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  return model::save(made, file, diagnostics);
}

bool generate_palette(const std::string& folder, Diagnostics& diagnostics) {
  const auto library = model::load_library(folder, diagnostics);
  if (!library) return false;
  model::Model palette;
  palette.name = library->name;
  palette.about = library->about;
  palette.libraries.push_back({library->name, std::to_string(library->version), "..", library->key});
  for (const std::string& name : model::list_blocks(*library)) {
    model::BlockInstance block;
    block.name = name;
    std::replace(block.name.begin(), block.name.end(), '/', ' ');
    block.type = library->name + "/" + name;
    palette.root.blocks.push_back(std::move(block));
  }
  std::error_code error;
  fs::create_directories(fs::path(folder) / "palettes", error);
  return model::save(palette, fs::path(folder) / "palettes" / (library->name + ".orr"), diagnostics);
}

bool document_library(const std::string& folder, Diagnostics& diagnostics) {
  const auto library = model::load_library(folder, diagnostics);
  if (!library) return false;
  bool ok = true;
  std::string index = fmt::format(
      "<!doctype html>\n<meta charset=\"utf-8\"><title>{0}</title>\n<h1>{0}, version {1}</h1>\n<p>{2}</p>\n<ul>\n",
      as_html(library->name), library->version, as_html(library->about));
  for (const std::string& name : model::list_blocks(*library)) {
    const auto block = model::load(model::block_file(*library, name), diagnostics);
    if (!block) {
      ok = false;
      continue;
    }
    ok = write_page(fs::path(folder) / "docs" / (name + ".html"), page_of(*library, name, *block), diagnostics) && ok;
    index += fmt::format("<li><a href=\"{0}.html\">{0}</a> {1}</li>\n", as_html(name), as_html(block->about));
  }
  return write_page(fs::path(folder) / "docs" / "index.html", index + "</ul>\n", diagnostics) && ok;
}

bool refresh_library(const std::string& folder, Diagnostics& diagnostics) {
  const auto library = open_for_change(folder, diagnostics);
  if (!library) return false;
  bool ok = true;
  for (const std::string& name : model::list_blocks(*library)) {
    const std::string file = model::block_file(*library, name);
    const auto block = model::load(file, diagnostics);
    ok = block && model::save(*block, file, diagnostics) && ok;
  }
  return ok && generate_palette(folder, diagnostics) && document_library(folder, diagnostics);
}

bool install_library(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code error;
  const std::string absolute = fs::weakly_canonical(fs::absolute(folder, error), error);
  const auto library = model::load_library(absolute, diagnostics);
  if (!library) return false;
  std::vector<std::string> folders{absolute};
  for (const std::string& other : model::installed_folders()) {
    Diagnostics ignored;
    const auto known = model::load_library(other, ignored);
    if (other != absolute && !(known && known->name == library->name)) folders.push_back(other);
  }
  return model::save_installed(folders, diagnostics);
}

bool uninstall_library(const std::string& library, Diagnostics& diagnostics) {
  std::error_code error;
  const std::string absolute = fs::weakly_canonical(fs::absolute(library, error), error);
  std::vector<std::string> folders;
  bool found = false;
  for (const std::string& folder : model::installed_folders()) {
    Diagnostics ignored;
    const auto known = model::load_library(folder, ignored);
    const bool same = folder == absolute || (known && known->name == library) || fs::path(folder).filename() == library;
    found = found || same;
    if (!same) folders.push_back(folder);
  }
  if (found) return model::save_installed(folders, diagnostics);
  diagnostics.error("missing-library", model::place_in(library), "no library of this name or folder is installed",
                    "orrery library list shows those that are");
  return false;
}

bool lock_library(const std::string& folder, Diagnostics& diagnostics) {
  auto library = open_for_change(folder, diagnostics);
  if (!library || !refresh_library(folder, diagnostics)) return false;
  library->locked = true;
  if (!model::save_library(*library, diagnostics)) return false;
  set_writable(*library, false);
  return true;
}

bool unlock_library(const std::string& folder, Diagnostics& diagnostics) {
  auto library = model::load_library(folder, diagnostics);
  if (!library) return false;
  if (!library->locked) {
    diagnostics.error("bad-library", model::place_in(folder), "the library is not locked",
                      "it can be changed as it is");
    return false;
  }
  set_writable(*library, true);
  library->locked = false;
  ++library->version;
  library->old_keys.insert(library->old_keys.begin(), library->key);
  library->key = model::new_key();
  return model::save_library(*library, diagnostics);
}

std::string installed_text() {
  std::string text;
  for (const std::string& folder : model::installed_folders()) {
    Diagnostics ignored;
    const auto library = model::load_library(folder, ignored);
    if (!library) {
      text += fmt::format("{}: missing\n", folder);
      continue;
    }
    text += fmt::format("{} {}{}  {}\n", library->name, library->version, library->locked ? " (locked)" : "", folder);
    for (const std::string& block : model::list_blocks(*library))
      text += fmt::format("  {}/{}\n", library->name, block);
  }
  return text;
}

namespace {

using oml::Call;

template <bool (*work)(const std::string&, Diagnostics&)>
void on_folder(Call& c) {
  Diagnostics diagnostics;
  if (!work(c.text(0), diagnostics)) raise_errors(diagnostics);
}

void create(Call& c) {
  Diagnostics diagnostics;
  if (!create_library(c.text(0), c.text(1), diagnostics)) raise_errors(diagnostics);
}

// vssAddBlockToLibrary({'model.orr', '/Plant'}, 'LIB/Level/Block'); LIB is the folder of the library.
void add(Call& c) {
  Diagnostics diagnostics;
  std::string file, path;
  if (c[0].is_cell() && c[0].numel() == 2) {
    file = oml::to_string(c[0].cell()[0]);
    path = oml::to_string(c[0].cell()[1]);
  } else {
    file = c.text(0);
  }
  const fs::path target = c.text(1);
  fs::path folder;
  std::error_code error;
  fs::path block;
  for (auto part = target.begin(); part != target.end(); ++part) {
    if (!folder.empty() && fs::exists(folder / "library.json", error)) {
      block /= *part;
    } else {
      folder /= *part;
    }
  }
  if (block.empty()) oml::fail_argument(2, "must be the folder of a library and the path of the block in it");
  if (!add_to_library(folder, file, path, block, diagnostics)) raise_errors(diagnostics);
}

constexpr oml::Builtin library_table[] = {
    {"vssCreateEmptyLibrary", 2, 2, create, "vssCreateEmptyLibrary(name, parent): a new library, a folder of parent."},
    {"vssAddBlockToLibrary", 2, 2, add,
     "vssAddBlockToLibrary({'model.orr', '/Plant'}, 'LIB/Level/Block'): the masked super block of a model, or a whole "
     "model ('block.orr'), becomes a block of the library in the folder LIB."},
    {"vssRefreshLibrary", 1, 1, on_folder<refresh_library>,
     "vssRefreshLibrary(folder): checks all blocks, writes palette and documents."},
    {"vssGeneratePalette", 1, 1, on_folder<generate_palette>, "vssGeneratePalette(folder): a palette with all blocks."},
    {"vssGenerateDocumentation", 1, 1, on_folder<document_library>,
     "vssGenerateDocumentation(folder): a page for each block."},
    {"vssInstallLibrary", 1, 1, on_folder<install_library>, "vssInstallLibrary(folder): models find it by its name."},
    {"vssUninstallLibrary", 1, 1, on_folder<uninstall_library>,
     "vssUninstallLibrary(folder): models do not find it any more."},
    {"vssLockLibrary", 1, 1, on_folder<lock_library>, "vssLockLibrary(folder): read-only, ready to be released."},
    {"vssUnlockLibrary", 1, 1, on_folder<unlock_library>,
     "vssUnlockLibrary(folder): editable again, as a new version with a new key."},
};

}  // namespace

oml::BuiltinFamily library_builtins() { return library_table; }

}  // namespace orrery::api
