// SPDX-License-Identifier: Apache-2.0
// Rows of an FMU's variables as CSV, line by line, or gathered for a file of MTSF.
#include "foreign/fmu_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmi/caller.h"
#include "fmi/described_column.h"

namespace orrery::foreign {
namespace {

using Why = FmuResults::Why;

struct Reason {
  const char* name;
  std::vector<Why> whys;
};

const std::vector<Reason>& reasons() {
  static const std::vector<Reason> list = {
      {"steps", {Why::step}},
      {"state", {Why::state_event}},
      {"time", {Why::time_event}},
      {"step", {Why::step_event}},
      {"external", {Why::external_event}},
      {"events", {Why::state_event, Why::time_event, Why::step_event, Why::external_event}},
      {"iterations", {Why::iteration}},
      {"outputs", {Why::output}},
  };
  return list;
}

std::string quoted(const std::string& cell, char separator) {
  if (cell.find_first_of("\"\r\n") == std::string::npos && cell.find(separator) == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

FmuResults::FmuResults(const FmuInterface& interface, const std::vector<const fmi::Variable*>& variables)
    : interface_(interface),
      reader_(interface.description, variables),
      numbers_(reader_.numbers()),
      texts_(reader_.texts()) {}

std::unique_ptr<FmuResults> FmuResults::create(const std::string& path, const FmuSettings& settings,
                                               const FmuInterface& interface, const Place& place,
                                               Diagnostics& diagnostics) {
  const bool all = !other(settings, "results_all").empty();
  std::vector<const fmi::Variable*> variables;
  for (const fmi::Variable& variable : interface.description.variables) {
    const bool is_port = variable.causality == fmi::Causality::input || variable.causality == fmi::Causality::output;
    if (variable.type == fmi::Type::clock || variable.causality == fmi::Causality::independent) continue;
    if (all || is_port) variables.push_back(&variable);
  }
  std::unique_ptr<FmuResults> results(new FmuResults(interface, variables));
  const auto refuse = [&](const char* parameter, std::string message, std::string help) {
    Place where = place;
    where.port = std::string("parameter ") + parameter;
    diagnostics.error("bad-parameter", where, std::move(message), std::move(help));
    return nullptr;
  };
  std::string word;
  for (const char c : other(settings, "results_at") + ",") {
    if (c == ' ') continue;
    if (c != ',') {
      word += c;
      continue;
    }
    const auto found =
        std::find_if(reasons().begin(), reasons().end(), [&](const Reason& r) { return r.name == word; });
    if (!word.empty() && found == reasons().end()) {
      return refuse("results_at", fmt::format("'{}' is no reason to store a row", word),
                    "write steps, events, state, time, step, external, iterations or outputs, separated by commas");
    }
    if (found != reasons().end()) {
      for (const Why why : found->whys) results->wanted_[static_cast<std::size_t>(why)] = true;
    }
    word.clear();
  }
  const std::string separator = other(settings, "results_separator");
  if (separator.size() > 1) return refuse("results_separator", "must be one character", {});
  if (!separator.empty()) results->separator_ = separator[0];
  results->names_ = !other(settings, "results_names").empty();
  Diagnostics own;
  auto file = io::can_be_written(path, own) ? io::OutputFile::open(path, own) : std::nullopt;
  if (!file) return refuse("results", own.all().at(0).message, own.all().at(0).help);
  results->file_ = std::make_unique<io::OutputFile>(std::move(*file));
  if (io::is_mtsf_name(path)) {
    results->content_ = std::make_unique<io::MtsfContent>();
    io::MtsfContent& content = *results->content_;
    content.model = interface.description.model_name;
    content.tool = "Orrery";
    content.numbers_per_row = results->reader_.numbers();
    content.texts_per_row = results->reader_.texts();
    for (const auto& column : results->reader_.columns()) {
      content.variables.push_back(fmi::described_column(interface.description, column.name, column.place));
    }
    return results;
  }
  std::string head = "time";
  for (const auto& column : results->reader_.columns()) {
    head += results->separator_ + quoted(column.name, results->separator_);
  }
  results->file_->write(head + "\n");
  return results;
}

FmuResults::~FmuResults() {
  if (!file_) return;
  Diagnostics unheard;  // the disk was full: the file is not there, which tells
  if (content_ && !content_->time.empty()) {
    content_->start = content_->time.front();
    content_->stop = content_->time.back();
  }
  const auto bytes = content_ ? io::mtsf_bytes(*content_, file_->path(), unheard) : std::nullopt;
  if (content_ && !bytes) return;
  if (bytes) file_->write(*bytes);
  static_cast<void>(file_->commit(unheard));
}

std::string FmuResults::cell(const fmi::Reader::Column& column) const {
  if (column.is_text) return quoted(texts_[column.place], separator_);
  const double value = numbers_[column.place];
  if (!names_) return fmt::format("{}", value);
  if (column.variable->type == fmi::Type::boolean) return value != 0 ? "true" : "false";
  if (column.variable->type == fmi::Type::enumeration) {
    for (const fmi::TypeDefinition& type : interface_.description.types) {
      if (type.name != column.variable->declared_type) continue;
      for (const auto& [item, number] : type.items) {
        if (static_cast<double>(number) == value) return quoted(item, separator_);
      }
    }
  }
  return fmt::format("{}", value);
}

fmi::Status FmuResults::store(fmi::Instance& fmu, double t) {
  const fmi::Status status = reader_.read(fmu, numbers_.data(), texts_.data());
  if (!fmi::succeeded(status)) return status;
  content_ ? store_numbers(t) : store_line(t);
  return status;
}

void FmuResults::store_line(double t) {
  std::string line = fmt::format("{}", t);
  for (const auto& column : reader_.columns()) line += separator_ + cell(column);
  line += '\n';
  if (line != last_) file_->write(line);
  last_ = std::move(line);
}

void FmuResults::store_numbers(double t) {
  io::MtsfContent& content = *content_;
  const auto repeats = [](const auto& all, const auto& row) {
    return all.size() >= row.size() &&
           std::equal(row.begin(), row.end(), all.end() - static_cast<std::ptrdiff_t>(row.size()));
  };
  if (!content.time.empty() && content.time.back() == t && repeats(content.numbers, numbers_) &&
      repeats(content.texts, texts_)) {
    return;
  }
  content.time.push_back(t);
  content.numbers.insert(content.numbers.end(), numbers_.begin(), numbers_.end());
  content.texts.insert(content.texts.end(), texts_.begin(), texts_.end());
}

}  // namespace orrery::foreign
