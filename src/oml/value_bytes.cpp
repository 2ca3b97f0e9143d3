// SPDX-License-Identifier: Apache-2.0
// A tag, dimensions and data for each value; containers hold values.
#include "oml/value_bytes.h"

#include <cctype>
#include <cstring>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/nesting.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

constexpr std::uint64_t most_ranks = 64;
constexpr std::size_t longest_name = 4096;

class ByteWriter {
 public:
  std::string bytes;

  void number(std::uint64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void text(const std::string& s) {
    number(s.size());
    bytes += s;
  }
  template <class Data>
  void data(const Data& list) {
    if (!list.empty()) bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0]));
  }
  void head(Kind kind, const Dims& dims, NumClass cls = NumClass::f64) {
    bytes += static_cast<char>(kind);
    bytes += static_cast<char>(cls);
    number(static_cast<std::uint64_t>(dims.count()));
    for (int k = 0; k < dims.count(); ++k) number(static_cast<std::uint64_t>(dims[k]));
  }

  void value(const Value& given) {
    const NestingGuard guard;
    const Value v = given.kind() == Kind::sparse ? given : boxed(given);
    switch (v.kind()) {
      case Kind::real: head(v.kind(), v.dims(), v.real().cls); return data(v.real().data);
      case Kind::complex: head(v.kind(), v.dims(), v.complex().cls); return data(v.complex().data);
      case Kind::logical:
      case Kind::chars: head(v.kind(), v.dims()); return data(v.bytes().data);
      case Kind::sparse: return sparse(v.sparse());
      case Kind::cell:
        head(v.kind(), v.dims());
        for (const Value& item : v.cell().data) value(item);
        return;
      case Kind::structure: return structure(v.structure_ref());
      default: fail("a " + v.class_name() + " has no bytes");
    }
  }

 private:
  void sparse(const SparseMatrix& s) {
    head(Kind::sparse, Dims(s.rows, s.cols));
    number(s.is_complex() ? 1 : 0);
    number(s.row_of.size());
    for (const auto start : s.starts) number(static_cast<std::uint64_t>(start));
    for (const auto row : s.row_of) number(static_cast<std::uint64_t>(row));
    data(s.re);
    if (s.is_complex()) data(s.im);
  }
  void structure(const StructArray& s) {
    head(Kind::structure, s.dims);
    number(s.keys.size());
    for (std::size_t k = 0; k < s.keys.size(); ++k) {
      text(s.keys[k]);
      for (const Value& item : s.columns[k]) value(item);
    }
  }
};

[[noreturn]] void damaged() { fail("what was read is damaged"); }

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t n = 0;
    std::memcpy(&n, take(sizeof n), sizeof n);
    return n;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > longest_name) damaged();
    return {take(size), size};
  }

  Value value() {
    const NestingGuard guard;
    const auto kind = static_cast<Kind>(static_cast<unsigned char>(*take(1)));
    const auto cls = static_cast<unsigned char>(*take(1));
    if (cls > static_cast<unsigned char>(NumClass::u64)) damaged();
    const Dims dims = dimensions();
    const auto count = static_cast<std::size_t>(checked_numel(dims));
    switch (kind) {
      case Kind::real: {
        checked(count, sizeof(double));
        Value out = Value::real_uninitialised(dims, static_cast<NumClass>(cls));
        copy(out.edit_real().data, count);
        return unboxed(out);
      }
      case Kind::complex: {
        checked(count, sizeof(Complex));
        Value out = Value::complex_zeros(dims);
        out.edit_complex().cls = static_cast<NumClass>(cls);
        copy(out.edit_complex().data, count);
        return out;
      }
      case Kind::logical: {
        checked(count, 1);
        Value out = Value::logical_zeros(dims);
        copy(out.edit_bytes().data, count);
        for (auto& byte : out.edit_bytes().data) byte = byte != 0;
        return unboxed(out);
      }
      case Kind::chars: {
        checked(count, 1);
        Value out = Value::chars_filled(dims, ' ');
        copy(out.edit_bytes().data, count);
        return out;
      }
      case Kind::sparse: return sparse(dims);
      case Kind::cell: {
        checked(count, 2);
        Value out = Value::cell(dims);
        for (std::size_t i = 0; i < count; ++i) out.edit_cell()[static_cast<Index>(i)] = value();
        return out;
      }
      case Kind::structure: return structure(dims, count);
      default: damaged();
    }
  }

 private:
  const char* take(std::uint64_t size) {
    if (size > rest_.size()) damaged();
    const char* at = rest_.data();
    rest_.remove_prefix(size);
    return at;
  }
  // Before anything of this size is made: the bytes for it are there.
  void checked(std::size_t count, std::size_t size) const {
    if (count > rest_.size() / size) damaged();
  }
  template <class Data>
  void copy(Data& to, std::size_t count) {
    if (to.size() != count) damaged();
    const char* from = take(count * sizeof(to[0]));
    if (count > 0) std::memcpy(static_cast<void*>(to.data()), from, count * sizeof(to[0]));
  }
  Dims dimensions() {
    const std::uint64_t rank = number();
    if (rank < 2 || rank > most_ranks) damaged();
    std::vector<Index> sizes;
    for (std::uint64_t k = 0; k < rank; ++k) {
      const std::uint64_t size = number();
      if (size > (std::uint64_t{1} << 48)) damaged();
      sizes.push_back(static_cast<Index>(size));
    }
    return Dims(sizes);
  }
  Value sparse(const Dims& dims) {
    if (dims.count() != 2) damaged();
    const bool is_complex = number() != 0;
    const std::uint64_t stored = number();
    const auto rows = static_cast<std::uint64_t>(dims.rows()), cols = static_cast<std::uint64_t>(dims.cols());
    checked(cols + 1, sizeof(std::uint64_t));
    checked(stored, 2 * sizeof(std::uint64_t));
    auto* out = new SparseMatrix();
    Value result(out);
    out->rows = dims.rows();
    out->cols = dims.cols();
    std::uint64_t before = 0;
    for (std::uint64_t c = 0; c <= cols; ++c) {
      const std::uint64_t start = number();
      if (start < before || start > stored || (c == 0 && start != 0) || (c == cols && start != stored)) damaged();
      out->starts.push_back(static_cast<Index>(before = start));
    }
    for (std::uint64_t k = 0; k < stored; ++k) {
      const std::uint64_t row = number();
      if (row >= rows) damaged();
      out->row_of.push_back(static_cast<Index>(row));
    }
    for (std::uint64_t c = 0; c < cols; ++c) {
      for (auto k = static_cast<std::size_t>(out->starts[c]) + 1; k < static_cast<std::size_t>(out->starts[c + 1]); ++k)
        if (out->row_of[k] <= out->row_of[k - 1]) damaged();
    }
    out->re.resize(stored);
    copy(out->re, stored);
    if (is_complex) {
      out->im.resize(stored);
      copy(out->im, stored);
    }
    return result;
  }
  Value structure(const Dims& dims, std::size_t count) {
    const std::uint64_t fields = number();
    checked(fields, sizeof(std::uint64_t));
    auto* s = new StructArray();
    Value out(s);
    s->dims = dims;
    for (std::uint64_t k = 0; k < fields; ++k) {
      const std::string name = text();
      if (name.empty() || name.find('\0') != std::string::npos) damaged();
      checked(count, 2);
      const auto at = static_cast<std::size_t>(s->find_or_add(name));
      for (std::size_t i = 0; i < count; ++i) s->columns[at][i] = value();
    }
    return out;
  }

  std::string_view rest_;
};

bool can_name_a_variable(const std::string& name) {
  if (name.empty() || name.size() > longest_name || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    return false;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  }
  return true;
}

}  // namespace

std::string to_bytes(const std::vector<std::pair<std::string, Value>>& variables) {
  ByteWriter out;
  for (const auto& [name, v] : variables) {
    out.text(name);
    out.value(v);
  }
  return std::move(out.bytes);
}

std::vector<std::pair<std::string, Value>> from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<std::pair<std::string, Value>> out;
  while (!in.at_end()) {
    std::string name = in.text();
    if (!can_name_a_variable(name)) fail("the file has a variable whose name is none");
    out.emplace_back(std::move(name), in.value());
  }
  return out;
}

}  // namespace orrery::oml
