// SPDX-License-Identifier: Apache-2.0
// Recording probe values.
#include "sim/recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace orrery::sim {
namespace {

using program::Scalar;

template <class T>
double load(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

std::string element_name(const program::Probe& probe, const program::Type& type, std::int64_t k) {
  if (type.is_scalar()) return probe.name;
  if (type.cols == 1 || type.rows == 1) return fmt::format("{}[{}]", probe.name, k + 1);
  return fmt::format("{}[{},{}]", probe.name, k % type.rows + 1, k / type.rows + 1);
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

Recorder::Recorder(const program::Program& program, const program::Layout& layout, double limit) {
  for (std::uint32_t p = 0; p < program.probes.size(); ++p) {
    const program::Probe& probe = program.probes[p];
    const program::Type type = program.slots[probe.slot].type;
    const std::uint32_t seen = probe.seen == program::no_slot ? UINT32_MAX : layout.offset[probe.seen];
    for (std::int64_t k = 0; k < type.size(); ++k) {
      const std::string name = element_name(probe, type, k);
      const auto at = static_cast<std::uint32_t>(layout.offset[probe.slot] + k * byte_size(type.scalar));
      if (type.scalar == Scalar::c128) {
        fields_.push_back({at, Scalar::f64, seen});
        fields_.push_back({at + 8, Scalar::f64, seen});
        recording_.columns.push_back({name + ".re", p});
        recording_.columns.push_back({name + ".im", p});
      } else {
        fields_.push_back({at, type.scalar, seen});
        recording_.columns.push_back({name, p});
      }
    }
  }
  row_.resize(fields_.size());
  most_rows_ = limit / static_cast<double>(sizeof(double) * (fields_.size() + 1) + sizeof(Phase));
}

void Recorder::read_row(double t, const std::byte* memory) {
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    Field& field = fields_[k];
    Column& column = recording_.columns[k];
    if (field.seen != UINT32_MAX && memory[field.seen] == std::byte{0}) {
      row_[k] = std::numeric_limits<double>::quiet_NaN();
      column.first = SIZE_MAX;
      continue;
    }
    row_[k] = read_number(memory + field.offset, field.scalar);
    if (column.first == SIZE_MAX) column.first = recording_.rows();
    if (!field.told && std::isnan(row_[k])) {
      field.told = true;
      not_numbers_.push_back({column.name, column.probe, t});
    }
  }
}

void Recorder::take(double t, Phase phase, const std::byte* memory) {
  if (fields_.empty() || overflowed_) return;
  read_row(t, memory);
  if (!recording_.time.empty() && recording_.time.back() == t &&
      std::memcmp(row_.data(), recording_.values.data() + recording_.values.size() - row_.size(),
                  row_.size() * sizeof(double)) == 0) {
    // A mesh point at which something happens is the left side of that.
    if (recording_.phase.back() == Phase::mesh) recording_.phase.back() = phase;
    return;
  }
  overflowed_ = static_cast<double>(recording_.rows()) >= most_rows_;
  if (overflowed_) return;
  recording_.time.push_back(t);
  recording_.phase.push_back(phase);
  recording_.values.insert(recording_.values.end(), row_.begin(), row_.end());
}

}  // namespace orrery::sim
