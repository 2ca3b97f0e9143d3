// SPDX-License-Identifier: Apache-2.0
// Packs rows and events.
#include "server/run_stream.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "server/json.h"

namespace orrery::server {
namespace {

constexpr std::size_t many_values = 1 << 17;
constexpr std::chrono::milliseconds patience{25};

template <typename T>
void append(std::string& bytes, const T* data, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

}  // namespace

void RunStream::describe(const program::Program& program) {
  if (std::exchange(described_, true)) return;
  origins_.clear();
  activates_.clear();
  for (const program::Origin& origin : program.origins) origins_.push_back(origin.path);
  if (!origins_.empty()) origins_[0].clear();  // the model itself
  Json sources = Json::array(), surfaces = Json::array();
  for (const program::Source& source : program.sources) {
    activates_.push_back({source.activates.begin(), source.activates.end()});
    sources.push_back(
        {{"origin", source.origin}, {"activates", activates_.back()}, {"critical", source.table.critical}});
  }
  for (const program::Surface& surface : program.surfaces)
    surfaces.push_back({{"origin", surface.origin}, {"text", surface.text}, {"source", surface.source}});
  channel_.send(
      MessageKind::json,
      dump({{"on", "sources"}, {"run", run_}, {"origins", origins_}, {"sources", sources}, {"surfaces", surfaces}}));
}

bool RunStream::begin(const sim::StreamHead& head) {
  columns_ = head.columns.size();
  time_.clear();
  values_.clear();
  phase_.clear();
  Json columns = Json::array();
  for (const sim::Column& column : head.columns) {
    const program::Probe& probe = head.program.probes[column.probe];
    columns.push_back({{"name", column.name}, {"block", head.program.origins[probe.origin].path}});
  }
  row_count_ = 0;
  return channel_.send(MessageKind::json, dump({{"on", "columns"}, {"run", run_}, {"columns", columns}}));
}

bool RunStream::rows(const sim::Block& block) {
  if (block.columns.size() != columns_) return false;
  time_.insert(time_.end(), block.time.begin(), block.time.end());
  for (const sim::Phase phase : block.phase) phase_.push_back(static_cast<signed char>(phase));
  values_.insert(values_.end(), block.values, block.values + block.rows() * columns_);
  row_count_ += block.rows();
  return send_when_due();
}

void RunStream::relabel_last(sim::Phase phase) {
  const auto label = static_cast<signed char>(phase);
  if (!phase_.empty()) {
    phase_.back() = label;
    return;
  }
  std::string bytes;
  append(bytes, &run_, 1);
  append(bytes, &label, 1);
  channel_.send(MessageKind::relabel, bytes);
}

bool RunStream::begin(const program::Program& program) {
  described_ = false;
  describe(program);
  event_count_ = 0;
  return true;
}

bool RunStream::events(std::span<const sim::LedgerEntry> entries) {
  for (const sim::LedgerEntry& entry : entries) {
    last_event_ = {entry.time,
                   entry.left,
                   entry.right,
                   entry.source,
                   entry.origin,
                   entry.port,
                   static_cast<std::uint8_t>(entry.cause),
                   static_cast<std::uint8_t>(entry.restarted)};
    events_.push_back(last_event_);
  }
  event_count_ += entries.size();
  return send_when_due();
}

bool RunStream::end(const sim::Report& /*report*/, Diagnostics& /*diagnostics*/) { return send_waiting(); }

bool RunStream::send_when_due() {
  if (values_.size() + events_.size() < many_values && std::chrono::steady_clock::now() - sent_ < patience) return true;
  return send_waiting();
}

bool RunStream::send_waiting() {
  sent_ = std::chrono::steady_clock::now();
  bool good = true;
  if (!time_.empty()) {
    std::string bytes;
    const std::uint32_t head[] = {run_, static_cast<std::uint32_t>(columns_), static_cast<std::uint32_t>(time_.size())};
    append(bytes, head, 3);
    append(bytes, time_.data(), time_.size());
    append(bytes, values_.data(), values_.size());
    append(bytes, phase_.data(), phase_.size());
    good = channel_.send(MessageKind::rows, bytes);
    time_.clear();
    values_.clear();
    phase_.clear();
  }
  if (!events_.empty()) {
    std::string bytes;
    const std::uint32_t head[] = {run_, static_cast<std::uint32_t>(events_.size())};
    append(bytes, head, 2);
    append(bytes, events_.data(), events_.size());
    good = channel_.send(MessageKind::events, bytes) && good;
    events_.clear();
  }
  return good;
}

std::vector<std::string> RunStream::activated() const {
  std::vector<std::string> paths;
  const auto is_mode = last_event_.cause == static_cast<std::uint8_t>(EventCause::mode);
  if (event_count_ == 0 || is_mode || last_event_.source >= activates_.size()) return paths;
  for (const std::uint32_t origin : activates_[last_event_.source])
    if (origin < origins_.size()) paths.push_back(origins_[origin]);
  return paths;
}

}  // namespace orrery::server
