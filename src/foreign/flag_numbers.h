// SPDX-License-Identifier: Apache-2.0
// Numbers of flag blocks by element type.
#pragma once

#include <cstddef>

#include "blocks/custom_blocks/flag_block.h"
#include "foreign/include/vss_block4.h"
#include "program/procedure.h"

namespace orrery::foreign {

using blocks::FlagMatrix;
using program::Scalar;

inline int vss_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::f64: return SCSREAL_N;
    case Scalar::c128: return SCSCOMPLEX_N;
    case Scalar::i8: return SCSINT8_N;
    case Scalar::i16: return SCSINT16_N;
    case Scalar::i32: return SCSINT32_N;
    case Scalar::u8: return SCSUINT8_N;
    case Scalar::u16: return SCSUINT16_N;
    case Scalar::u32: return SCSUINT32_N;
    case Scalar::boolean: return SCSBOOL_N;
  }
  return SCSREAL_N;
}

inline double number_at(int type, const void* data, std::size_t k) {
  switch (type) {
    case SCSINT8_N: return static_cast<const signed char*>(data)[k];
    case SCSINT16_N: return static_cast<const short*>(data)[k];
    case SCSINT32_N: return static_cast<const int*>(data)[k];
    case SCSUINT8_N:
    case SCSBOOL_N: return static_cast<const unsigned char*>(data)[k];
    case SCSUINT16_N: return static_cast<const unsigned short*>(data)[k];
    case SCSUINT32_N: return static_cast<const unsigned*>(data)[k];
    default: return static_cast<const double*>(data)[k];
  }
}

inline void put_number(Scalar scalar, void* data, std::size_t k, double value) {
  auto* at = static_cast<std::byte*>(data) + k * static_cast<std::size_t>(byte_size(scalar));
  program::write_number(scalar, at, value);
}

inline std::size_t elements(const FlagMatrix& m) {
  return m.is_text ? m.text.size() + 1 : static_cast<std::size_t>(m.type.size());
}

inline Scalar stored(const FlagMatrix& m) { return m.type.scalar == Scalar::c128 ? Scalar::f64 : m.type.scalar; }

// Of its elements, or of their real or imaginary parts.
inline std::size_t stored_bytes(const FlagMatrix& m) {
  return elements(m) * static_cast<std::size_t>(byte_size(stored(m)));
}

}  // namespace orrery::foreign
