// SPDX-License-Identifier: Apache-2.0
// Numbers in binary files: fread and fwrite.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/open_files.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

struct Precision {
  int bytes = 1;
  bool is_signed = false, is_float = false;
  Index block = 1;       // values between two skips
  bool to_text = false;  // read as characters
};

Precision scalar_precision(const std::string& name) {
  if (name == "uint8" || name == "uchar" || name == "unsigned char" || name == "uchar1") return {1, false, false};
  if (name == "char" || name == "char1") return {1, true, false};
  if (name == "int8" || name == "schar" || name == "signed char" || name == "integer1") return {1, true, false};
  if (name == "int16" || name == "short" || name == "integer2") return {2, true, false};
  if (name == "uint16" || name == "ushort" || name == "unsigned short") return {2, false, false};
  if (name == "int32" || name == "int" || name == "integer4") return {4, true, false};
  if (name == "uint32" || name == "uint" || name == "unsigned int") return {4, false, false};
  if (name == "int64" || name == "long" || name == "integer8") return {8, true, false};
  if (name == "uint64" || name == "ulong" || name == "unsigned long") return {8, false, false};
  if (name == "float" || name == "float32" || name == "single" || name == "real4") return {4, true, true};
  if (name == "double" || name == "float64" || name == "real8") return {8, true, true};
  fail("unknown precision " + name);
}

// "type", "type*1", "N*type" for blocks of N values, "type=>char" and "*char".
Precision precision_of(std::string name) {
  bool to_text = name == "*char";
  const std::size_t arrow = name.find("=>");
  if (arrow != std::string::npos) {
    to_text = name.substr(arrow + 2) == "char";
    name = name.substr(0, arrow);
  }
  Index block = 1;
  const std::size_t star = name.find('*');
  if (star != std::string::npos && star > 0 && name.find_first_not_of("0123456789") == star) {
    block = std::max<Index>(1, std::strtoll(name.c_str(), nullptr, 10));
    name = name.substr(star + 1);
  }
  std::erase(name, '*');
  Precision p = scalar_precision(name);
  p.block = block;
  p.to_text = to_text;
  return p;
}

bool is_big_endian(const Call& c, int k) {
  std::string a = "ieee-le";
  if (c.is_text(k))
    a = c.text(k);
  else if (!c[0].is_text()) {
    const auto& files = open_files(c.oml).files;
    const auto it = files.find(static_cast<int>(c.number(0)));
    if (it != files.end()) a = it->second.arch;
  }
  return a == "b" || a == "be" || a == "ieee-be" || a == "ieee-be.l64";
}

double decode(const unsigned char* raw, const Precision& p, bool big) {
  std::uint64_t bits = 0;
  for (int k = 0; k < p.bytes; ++k) bits |= static_cast<std::uint64_t>(raw[big ? p.bytes - 1 - k : k]) << (8 * k);
  if (p.is_float && p.bytes == 8) {
    double x;
    std::memcpy(&x, &bits, 8);
    return x;
  }
  if (p.is_float) {
    const auto low = static_cast<std::uint32_t>(bits);
    float x;
    std::memcpy(&x, &low, 4);
    return static_cast<double>(x);
  }
  if (!p.is_signed) return static_cast<double>(bits);
  const int shift = 64 - 8 * p.bytes;
  return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
}

double stream_skip(Call& c, int k) {
  const double skip = c.has(k) && !c[k].is_text() && !c[k].is_empty() ? static_cast<double>(c.whole(k)) : 0;
  if (skip < 0) fail_argument(k + 1, "must not be negative");
  if (skip > 0 && is_standard_stream(c, 0)) fail_argument(k + 1, "must be 0 for a standard stream");
  return skip;
}

void read_binary(Call& c) {
  std::FILE* f = file_argument(c, 0);
  const std::vector<double> size =
      c.has(1) && !c[1].is_text() && !c[1].is_empty() ? to_vector(c[1]) : std::vector<double>{INFINITY};
  for (double s : size)
    if (!(s >= 0)) fail_argument(2, "must be a size");
  const int at = c.is_text(1) ? 1 : 2;
  const Precision p = precision_of(c.is_text(at) ? c.text(at) : "uchar");
  const double skip = stream_skip(c, at + 1);
  const bool big = is_big_endian(c, c.is_text(at + 1) ? at + 1 : at + 2);
  double wanted = 1;
  for (double s : size) wanted *= s;
  std::vector<double> data;
  unsigned char raw[8];
  while (!is_standard_stream(c, 0) && static_cast<double>(data.size()) < wanted &&
         std::fread(raw, 1, static_cast<std::size_t>(p.bytes), f) == static_cast<std::size_t>(p.bytes)) {
    data.push_back(decode(raw, p, big));
    if ((data.size() & 0xffff) == 0) expect_growth(data.size() * sizeof(double));
    if (skip > 0 && static_cast<Index>(data.size()) % p.block == 0) std::fseek(f, static_cast<long>(skip), SEEK_CUR);
  }
  Value out = data.empty() ? Value::empty() : Value::column(data);
  if (size.size() > 1 && size[0] > 0 && !data.empty()) {
    if (!(size[0] < 9e15)) fail_argument(2, "must be a size");
    const auto rows = static_cast<Index>(size[0]), cols = (static_cast<Index>(data.size()) + rows - 1) / rows;
    require_memory(rows, static_cast<Index>(sizeof(double)));
    data.resize(static_cast<std::size_t>(rows * cols), 0.0);
    out = Value::column(data);
    out.edit_real().dims = Dims(rows, cols);
  }
  if (p.to_text) {
    Value chars = Value::chars_filled(out.dims(), ' ');
    for (Index i = 0; i < out.numel(); ++i)
      chars.edit_bytes()[i] = static_cast<std::uint8_t>(character_of(out.real()[i]));
    out = chars;
  }
  c.ret(unboxed(out));
  c.ret(Value(data.size()));
}

// The bits of x in the precision; numbers too large for an integer become its limits.
std::uint64_t encode(double x, const Precision& p) {
  std::uint64_t bits = 0;
  if (p.is_float && p.bytes == 8) {
    std::memcpy(&bits, &x, 8);
    return bits;
  }
  if (p.is_float) {
    const auto low = static_cast<float>(x);
    std::memcpy(&bits, &low, 4);
    return bits;
  }
  if (std::isnan(x)) return 0;
  const double rounded = std::round(x), top = std::ldexp(1.0, 8 * p.bytes - (p.is_signed ? 1 : 0));
  if (rounded >= top)
    return p.bytes == 8 ? (p.is_signed ? INT64_MAX : UINT64_MAX) : static_cast<std::uint64_t>(top) - 1;
  if (!p.is_signed) return rounded <= 0 ? 0 : static_cast<std::uint64_t>(rounded);
  return static_cast<std::uint64_t>(rounded <= -top ? static_cast<std::int64_t>(-top)
                                                    : static_cast<std::int64_t>(rounded));
}

// Moves `count` bytes on: what the file has stays, beyond its end zeros are written.
void skip_bytes(std::FILE* f, Index count) {
  const long here = std::ftell(f);
  std::fseek(f, 0, SEEK_END);
  const long end = std::ftell(f);
  const long target = here + static_cast<long>(count);
  for (long k = end; k < target; ++k) std::fputc(0, f);
  std::fseek(f, target, SEEK_SET);
}

void write_binary(Call& c) {
  const Precision p = precision_of(c.is_text(2) ? c.text(2) : "uchar");
  const double skip = stream_skip(c, 3);
  const bool big = is_big_endian(c, c.is_text(3) ? 3 : 4);
  std::FILE* f = file_argument(c, 0);
  if (f == stdin) return c.ret(Value(-1));
  const std::vector<double> data = to_vector(c[1]);
  std::string bytes;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (skip > 0 && static_cast<Index>(i) % p.block == 0) {
      std::fwrite(bytes.data(), 1, bytes.size(), f);
      bytes.clear();
      skip_bytes(f, static_cast<Index>(skip));
    }
    const std::uint64_t bits = encode(data[i], p);
    for (int k = 0; k < p.bytes; ++k) bytes += static_cast<char>(bits >> (8 * (big ? p.bytes - 1 - k : k)));
    if ((bytes.size() & 0xfffff) == 0) expect_growth(bytes.size());
  }
  if (is_console(c, 0))
    c.oml.write(bytes);
  else
    std::fwrite(bytes.data(), 1, bytes.size(), f);
  c.ret(Value(data.size()));
}

constexpr Builtin binary_file_table[] = {
    {"fread", 1, 5, read_binary,
     "[x, n] = fread(id, size, precision, skip, order): numbers of a binary file; with a precision such as '4*uint8' "
     "skip "
     "counts after blocks of 4 values.",
     "real scalar, real word, real word, real word, word"},
    {"fwrite", 2, 5, write_binary,
     "n = fwrite(id, x, precision, skip, order): numbers to a binary file; skip bytes are passed before each block.",
     "real scalar, codes, word, real word, word"},
};

}  // namespace

BuiltinFamily binary_file_builtins() { return binary_file_table; }

}  // namespace orrery::oml
