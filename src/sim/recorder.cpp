// SPDX-License-Identifier: Apache-2.0
// Recording probe values, block by block.
#include "sim/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sim/options.h"

namespace orrery::sim {
namespace {

using program::Scalar;

// Enough that what a block costs is nothing to a row; little enough for the memory of a processor.
constexpr double block_bytes = 1 << 19, most_block_rows = 4096;

template <class T>
double load(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

std::string element_name(const std::string& name, const program::Type& type, std::int64_t k) {
  if (type.is_scalar()) return name;
  if (type.cols == 1 || type.rows == 1) return fmt::format("{}[{}]", name, k + 1);
  return fmt::format("{}[{},{}]", name, k % type.rows + 1, k / type.rows + 1);
}

}  // namespace

double read_number(const std::byte* address, Scalar scalar) {
  switch (scalar) {
    case Scalar::f64:
    case Scalar::c128: return load<double>(address);
    case Scalar::i8: return load<std::int8_t>(address);
    case Scalar::i16: return load<std::int16_t>(address);
    case Scalar::i32: return load<std::int32_t>(address);
    case Scalar::u8:
    case Scalar::boolean: return load<std::uint8_t>(address);
    case Scalar::u16: return load<std::uint16_t>(address);
    case Scalar::u32: return load<std::uint32_t>(address);
  }
  return 0;
}

std::vector<std::string> element_names(const std::string& name, const program::Type& type) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    const std::string element = element_name(name, type, k);
    if (type.scalar == Scalar::c128) {
      names.insert(names.end(), {element + ".re", element + ".im"});
    } else {
      names.push_back(element);
    }
  }
  return names;
}

std::vector<Column> columns_of(const program::Program& program) {
  std::vector<Column> columns;
  for (std::uint32_t p = 0; p < program.probes.size(); ++p) {
    const program::Probe& probe = program.probes[p];
    const program::Type type = program.slots[probe.slot].type;
    for (std::string& name : element_names(probe.name, type)) columns.push_back({std::move(name), p});
  }
  return columns;
}

Recorder::Recorder(const program::Program& program, const program::Layout& layout, const RunOptions& options)
    : program_(program), options_(options), sinks_(options.sinks) {
  if (options.record) columns_ = columns_of(program);
  for (const program::Probe& probe : program.probes) {
    if (!options.record) break;
    const program::Type type = program.slots[probe.slot].type;
    const std::uint32_t seen = probe.seen == program::no_slot ? UINT32_MAX : layout.offset[probe.seen];
    for (std::int64_t k = 0; k < type.size(); ++k) {
      const auto at = static_cast<std::uint32_t>(layout.offset[probe.slot] + k * byte_size(type.scalar));
      const bool is_complex = type.scalar == Scalar::c128;
      fields_.push_back({at, is_complex ? Scalar::f64 : type.scalar, seen});
      if (is_complex) fields_.push_back({at + 8, Scalar::f64, seen});
    }
  }
  if (sinks_.empty()) sinks_.push_back(&memory_);
  const bool kept = std::any_of(sinks_.begin(), sinks_.end(), [](const Sink* sink) { return sink->keeps_rows(); });
  const double row_bytes = static_cast<double>(sizeof(double) * (fields_.size() + 1) + sizeof(Phase));
  most_rows_ = kept ? options.results_limit / row_bytes : std::numeric_limits<double>::infinity();
  capacity_ = static_cast<std::size_t>(std::clamp(block_bytes / row_bytes, 1.0, most_block_rows));
  if (fields_.empty()) capacity_ = 0;
  time_.assign(capacity_ + 1, std::numeric_limits<double>::quiet_NaN());
  phase_.resize(capacity_ + 1);
  values_.resize((capacity_ + 1) * fields_.size());
}

void Recorder::read_row(double t, const std::byte* memory, double* row) {
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    Field& field = fields_[k];
    if (field.seen != UINT32_MAX && memory[field.seen] == std::byte{0}) {
      row[k] = std::numeric_limits<double>::quiet_NaN();
      field.first = SIZE_MAX;
      continue;
    }
    row[k] = read_number(memory + field.offset, field.scalar);
    if (field.first == SIZE_MAX) field.first = rows_;
    if (std::isfinite(row[k])) continue;
    bool& told = std::isnan(row[k]) ? field.told : field.told_infinite;
    if (!told) not_finite_.push_back({columns_[k].name, columns_[k].probe, t, row[k]});
    told = true;
  }
}

void Recorder::take(double t, Phase phase, const std::byte* memory) {
  if (fields_.empty() || is_full()) return;
  if (waiting_ == capacity_) {
    deliver(false);
    flush_when_due();
  }
  const std::size_t width = fields_.size();
  double* const row = values_.data() + (waiting_ + 1) * width;
  read_row(t, memory, row);
  if (time_[waiting_] == t && std::memcmp(row, row - width, width * sizeof(double)) == 0) {
    // A mesh point at which something happens is the left side of that.
    if (phase_[waiting_] != Phase::mesh) return;
    phase_[waiting_] = phase;
    if (waiting_ > 0 || phase == Phase::mesh) return;
    for (Sink* sink : sinks_) sink->relabel_last(phase);
    return;
  }
  overflowed_ = static_cast<double>(rows_) >= most_rows_;
  if (overflowed_) return;
  ++waiting_;
  ++rows_;
  time_[waiting_] = t;
  phase_[waiting_] = phase;
}

void Recorder::deliver(bool last) {
  const Clock::time_point start = Clock::now();
  for (std::size_t k = 0; k < fields_.size(); ++k) columns_[k].first = fields_[k].first;
  if (!begun_) {
    begun_ = true;
    // What matters here is whether the first row has a value.
    std::vector<Column> columns = columns_;
    for (Column& column : columns) column.first = column.first == 0 ? 0 : SIZE_MAX;
    for (Sink* sink : sinks_) refused_ = !sink->begin({program_, options_, columns}) || refused_;
  }
  const std::size_t width = fields_.size();
  const Block block{
      columns_, rows_ - waiting_, {time_.data() + 1, waiting_}, {phase_.data() + 1, waiting_}, values_.data() + width,
      last};
  for (Sink* sink : sinks_) refused_ = !sink->rows(block) || refused_;
  if (waiting_ > 0) {
    time_[0] = time_[waiting_];
    phase_[0] = phase_[waiting_];
    std::copy_n(values_.data() + waiting_ * width, width, values_.data());
    waiting_ = 0;
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void Recorder::flush_when_due() {
  const Clock::time_point now = Clock::now();
  if (now - flushed_ < std::chrono::seconds(1)) return;
  flushed_ = now;
  deliver(false);
  const Clock::time_point start = Clock::now();
  for (Sink* sink : sinks_) sink->flush();
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace orrery::sim
