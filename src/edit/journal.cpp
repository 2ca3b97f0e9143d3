// SPDX-License-Identifier: Apache-2.0
// Lines of JSON: a head with the text that the edits start from, then one line for each change.
#include "edit/journal.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/new_file.h"

namespace orrery::edit {
namespace {

constexpr int journal_version = 1;

nlohmann::ordered_json operations_json(const std::vector<Operation>& operations) {
  auto list = nlohmann::ordered_json::array();
  for (const Operation& operation : operations) list.push_back(operation_text(operation));
  return list;
}

std::string entry_line(const JournalEntry& entry) {
  nlohmann::ordered_json json;
  switch (entry.kind) {
    case JournalEntry::Kind::undo: json["undo"] = true; break;
    case JournalEntry::Kind::redo: json["redo"] = true; break;
    case JournalEntry::Kind::perform:
      json["perform"] = entry.transaction.label;
      json["operations"] = operations_json(entry.transaction.operations);
      json["inverses"] = operations_json(entry.transaction.inverses);
      if (entry.joins) json["joins"] = true;
      break;
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<std::vector<Operation>> operations_of(const nlohmann::json& list) {
  std::vector<Operation> operations;
  if (!list.is_array()) return std::nullopt;
  for (const auto& item : list) {
    if (!item.is_string()) return std::nullopt;
    auto operation = parse_operation(item.get<std::string>());
    if (!operation) return std::nullopt;
    operations.push_back(std::move(*operation));
  }
  return operations;
}

std::optional<JournalEntry> entry_of(const nlohmann::json& json) {
  JournalEntry entry;
  if (!json.is_object()) return std::nullopt;
  if (json.contains("undo")) {
    entry.kind = JournalEntry::Kind::undo;
    return entry;
  }
  if (json.contains("redo")) {
    entry.kind = JournalEntry::Kind::redo;
    return entry;
  }
  if (!json.contains("perform") || !json["perform"].is_string() || !json.contains("operations") ||
      !json.contains("inverses")) {
    return std::nullopt;
  }
  auto operations = operations_of(json["operations"]), inverses = operations_of(json["inverses"]);
  if (!operations || !inverses) return std::nullopt;
  entry.joins = json.contains("joins");
  entry.transaction = {json["perform"].get<std::string>(), std::move(*operations), std::move(*inverses)};
  return entry;
}

bool write_line(int descriptor, std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = ::write(descriptor, line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    line.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Journal::~Journal() { close(); }

void Journal::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool Journal::begin(const std::string& path, const std::string& file, const std::string& text, Diagnostics& diagnostics,
                    const std::vector<JournalEntry>& entries) {
  close();
  path_ = path;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  // Beside it first: between two journals there is always one.
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  descriptor_ = open_new(part, 0600);
  nlohmann::ordered_json head;
  head["orrery-journal"] = journal_version;
  head["file"] = file;
  head["text"] = text;
  std::string line = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (const JournalEntry& entry : entries) line += entry_line(entry);
  if (descriptor_ >= 0 && write_line(descriptor_, line) && ::fsync(descriptor_) == 0 &&
      ::rename(part.c_str(), path.c_str()) == 0) {
    return true;
  }
  const int number = errno;
  close();
  Place place;
  place.file = path;
  diagnostics.error("file-unwritable", std::move(place),
                    "cannot write the journal: " + std::generic_category().message(number),
                    "check that the folder is writable and has room");
  return false;
}

bool Journal::append(const JournalEntry& entry) {
  return descriptor_ < 0 || write_line(descriptor_, entry_line(entry));
}

std::optional<JournalContent> Journal::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string all = buffer.str();
  JournalContent content;
  std::size_t from = 0;
  bool head = true;
  while (true) {
    const std::size_t to = all.find('\n', from);
    if (to == std::string::npos) break;  // torn, or the end
    const auto json = nlohmann::json::parse(all.begin() + static_cast<std::ptrdiff_t>(from),
                                            all.begin() + static_cast<std::ptrdiff_t>(to), nullptr, false);
    from = to + 1;
    if (head) {
      const auto text_at = [&](const char* name) {
        return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : std::string();
      };
      if (!json.is_object() || !json.contains("orrery-journal") || json["orrery-journal"] != journal_version ||
          !json.contains("text") || !json["text"].is_string()) {
        return std::nullopt;
      }
      content.file = text_at("file");
      content.text = text_at("text");
      head = false;
      continue;
    }
    auto entry = entry_of(json);
    if (!entry) break;
    content.entries.push_back(std::move(*entry));
  }
  if (head) return std::nullopt;
  return content;
}

std::string journal_path(const std::string& model_file) {
  std::error_code error;
  const std::string full = std::filesystem::absolute(model_file, error).lexically_normal().string();
  std::string name = error ? model_file : full;
  for (char& c : name) {
    if (c == '/') c = '%';
  }
  if (name.size() > 200) name.erase(0, name.size() - 200);
  return state_folder() + "/orrery/journal/" + name + ".journal";
}

}  // namespace orrery::edit
