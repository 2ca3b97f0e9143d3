// SPDX-License-Identifier: Apache-2.0
// Making, sharing and destroying OML values.
#include "oml/value.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "oml/class_object.h"
#include "oml/error.h"
#include "oml/symbolic.h"

namespace orrery::oml {

MemoryAccount& memory_account() {
  thread_local MemoryAccount account;
  return account;
}

void charge_memory(std::size_t bytes) {
  MemoryAccount& account = memory_account();
  // What one thread took another may have given back: the balance of a thread can be below zero.
  const auto used = static_cast<std::ptrdiff_t>(account.used);
  if (bytes > account.limit || used > static_cast<std::ptrdiff_t>(account.limit - bytes)) {
    fail("out of memory or dimension too large for the interpreter's memory limit");
  }
  account.used += bytes;
}

Dims::Dims(const std::vector<Index>& sizes) : Dims(1, 1) {
  int last = static_cast<int>(sizes.size());
  while (last > 2 && sizes[static_cast<std::size_t>(last - 1)] == 1) --last;
  if (last > max_count) fail("arrays have at most 8 dimensions");
  for (int k = 0; k < last; ++k) sizes_[static_cast<std::size_t>(k)] = sizes[static_cast<std::size_t>(k)];
  count_ = std::max(last, 2);
}

void Dims::set(int k, Index size) {
  if (k >= max_count) {
    if (size == 1) return;
    fail("arrays have at most 8 dimensions");
  }
  sizes_[static_cast<std::size_t>(k)] = size;
  count_ = std::max(count_, k + 1);
  while (count_ > 2 && sizes_[static_cast<std::size_t>(count_ - 1)] == 1) --count_;
}

std::string Dims::text() const {
  std::string s = std::to_string(sizes_[0]);
  for (int k = 1; k < count_; ++k) s += " x " + std::to_string(sizes_[static_cast<std::size_t>(k)]);
  return s;
}

Index checked_numel(const Dims& dims) {
  Index n = 1;
  for (int k = 0; k < dims.count(); ++k) {
    if (dims[k] < 0) fail("negative size of an array");
    if (dims[k] != 0 && n > (Index{1} << 46) / dims[k]) charge_memory(std::size_t{1} << 60);
    n *= dims[k];
  }
  return n;
}

Value::Value(Complex z) : Value(new ComplexArray(Kind::complex, Dims(1, 1))) { edit_complex()[0] = z; }

Value Value::text(std::string_view s) {
  auto* a = new ByteArray(Kind::chars, Dims(s.empty() ? 0 : 1, static_cast<Index>(s.size())));
  std::copy(s.begin(), s.end(), a->data.begin());
  return Value(a);
}

Value Value::zeros(const Dims& dims) {
  auto* a = new RealArray(Kind::real, dims);
  std::fill(a->data.begin(), a->data.end(), 0.0);
  return Value(a);
}

Value Value::real_uninitialised(const Dims& dims, NumClass cls) {
  auto* a = new RealArray(Kind::real, dims);
  a->cls = cls;
  return Value(a);
}

Value Value::complex_zeros(const Dims& dims) {
  auto* a = new ComplexArray(Kind::complex, dims);
  std::fill(a->data.begin(), a->data.end(), Complex(0, 0));
  return Value(a);
}

Value Value::logical_zeros(const Dims& dims) {
  auto* a = new ByteArray(Kind::logical, dims);
  std::fill(a->data.begin(), a->data.end(), std::uint8_t{0});
  return Value(a);
}

Value Value::chars_filled(const Dims& dims, char fill) {
  auto* a = new ByteArray(Kind::chars, dims);
  std::fill(a->data.begin(), a->data.end(), static_cast<std::uint8_t>(fill));
  return Value(a);
}

Value Value::cell(const Dims& dims) {
  auto* a = new CellArray(Kind::cell, dims);
  Value result(a);
  if (!a->data.empty()) std::fill(a->data.begin(), a->data.end(), Value::empty());
  return result;
}

Value Value::structure() { return Value(new StructArray()); }

Value Value::row(const std::vector<double>& x) {
  Value v = real_uninitialised(Dims(1, static_cast<Index>(x.size())));
  std::copy(x.begin(), x.end(), v.edit_real().data.begin());
  return v;
}

Value Value::column(const std::vector<double>& x) {
  Value v = real_uninitialised(Dims(static_cast<Index>(x.size()), 1));
  std::copy(x.begin(), x.end(), v.edit_real().data.begin());
  return v;
}

Value Value::cell_row(const std::vector<Value>& items) {
  auto* a = new CellArray(Kind::cell, Dims(1, static_cast<Index>(items.size())));
  std::copy(items.begin(), items.end(), a->data.begin());
  return Value(a);
}

Value Value::text_cell(const std::vector<std::string>& items, bool as_column) {
  const auto n = static_cast<Index>(items.size());
  auto* a = new CellArray(Kind::cell, as_column ? Dims(n, 1) : Dims(1, n));
  Value result(a);
  for (Index i = 0; i < n; ++i) (*a)[i] = Value::text(items[static_cast<std::size_t>(i)]);
  return result;
}

const StructArray& Value::structure_ref() const { return *static_cast<const StructArray*>(heap_); }
const FunctionHandle& Value::handle() const { return *static_cast<const FunctionHandle*>(heap_); }
const SparseMatrix& Value::sparse() const { return *static_cast<const SparseMatrix*>(heap_); }
const Range& Value::range() const { return *static_cast<const Range*>(heap_); }
const SymbolicValue& Value::symbolic() const { return *static_cast<const SymbolicValue*>(heap_); }
Box& Value::box() const { return *static_cast<Box*>(heap_); }

namespace {

template <class T>
T& own(Value& v) {
  if (!v.unique()) {
    auto* copy = new T(*static_cast<const T*>(v.heap()));
    copy->references = 0;
    v = Value(copy);
  }
  return *static_cast<T*>(v.heap());
}

}  // namespace

RealArray& Value::edit_real() { return own<RealArray>(*this); }
ComplexArray& Value::edit_complex() { return own<ComplexArray>(*this); }
ByteArray& Value::edit_bytes() { return own<ByteArray>(*this); }
CellArray& Value::edit_cell() { return own<CellArray>(*this); }
StructArray& Value::edit_structure() { return own<StructArray>(*this); }

Dims Value::dims() const {
  switch (kind_) {
    case Kind::real: return real().dims;
    case Kind::complex: return complex().dims;
    case Kind::logical:
    case Kind::chars: return bytes().dims;
    case Kind::cell: return cell().dims;
    case Kind::structure: return structure_ref().dims;
    case Kind::sparse: return Dims(sparse().rows, sparse().cols);
    case Kind::range: return Dims(1, range().count);
    case Kind::symbolic: return Dims(symbolic().rows(), symbolic().cols());
    case Kind::none: return Dims(0, 0);
    default: return Dims(1, 1);
  }
}

Index Value::numel() const {
  switch (kind_) {
    case Kind::real: return real().size();
    case Kind::complex: return complex().size();
    case Kind::logical:
    case Kind::chars: return bytes().size();
    case Kind::cell: return cell().size();
    case Kind::number:
    case Kind::boolean: return 1;
    default: return dims().numel();
  }
}

bool Value::is_text_row() const {
  if (kind_ != Kind::chars) return false;
  const Dims& d = bytes().dims;
  return d.count() == 2 && (d.rows() == 1 || bytes().size() == 0);
}

bool Value::is_complex() const { return kind_ == Kind::complex || (kind_ == Kind::sparse && sparse().is_complex()); }

bool Value::is_sparse_logical() const { return sparse().logical; }

bool Value::is_numeric() const {
  return kind_ == Kind::number || kind_ == Kind::real || kind_ == Kind::complex || kind_ == Kind::range ||
         (kind_ == Kind::sparse && !sparse().logical);
}

NumClass Value::num_class() const { return kind_ == Kind::real ? real().cls : NumClass::f64; }
bool Value::is_integer_class() const { return kind_ == Kind::real && real().cls >= NumClass::i8; }

std::string Value::class_name() const {
  static constexpr const char* names[] = {"double", "single", "int8",   "int16",  "int32",
                                          "int64",  "uint8",  "uint16", "uint32", "uint64"};
  switch (kind_) {
    case Kind::real: return names[static_cast<int>(real().cls)];
    case Kind::boolean:
    case Kind::logical: return "logical";
    case Kind::sparse: return sparse().logical ? "logical" : "double";
    case Kind::chars: return "char";
    case Kind::cell: return "cell";
    case Kind::structure: return "struct";
    case Kind::handle: return "function_handle";
    case Kind::environment: return "environment";
    case Kind::object: return object_of(*this).definition->name;
    default: return "double";
  }
}

namespace {

void delete_object(Heap* heap) {
  switch (heap->kind) {
    case Kind::real: delete static_cast<RealArray*>(heap); break;
    case Kind::complex: delete static_cast<ComplexArray*>(heap); break;
    case Kind::logical:
    case Kind::chars: delete static_cast<ByteArray*>(heap); break;
    case Kind::cell: delete static_cast<CellArray*>(heap); break;
    case Kind::structure: delete static_cast<StructArray*>(heap); break;
    case Kind::handle: delete static_cast<FunctionHandle*>(heap); break;
    case Kind::sparse: delete static_cast<SparseMatrix*>(heap); break;
    case Kind::object: delete static_cast<ClassObject*>(heap); break;
    case Kind::range: delete static_cast<Range*>(heap); break;
    case Kind::environment: delete static_cast<EnvironmentHandle*>(heap); break;
    case Kind::symbolic: delete static_cast<SymbolicValue*>(heap); break;
    case Kind::box: delete static_cast<Box*>(heap); break;
    default: ORRERY_CHECK(false);
  }
}

}  // namespace

// Deeply nested cells are taken apart one after the other, so that the stack cannot run out.
void Value::destroy(Heap* heap) {
  thread_local int depth = 0;
  thread_local std::vector<Heap*> waiting;
  if (depth > 200) {
    waiting.push_back(heap);
    return;
  }
  ++depth;
  delete_object(heap);
  if (depth == 1) {
    while (!waiting.empty()) {
      Heap* next = waiting.back();
      waiting.pop_back();
      delete_object(next);
    }
  }
  --depth;
}

int StructArray::find(std::string_view key) const {
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == key) return static_cast<int>(k);
  }
  return -1;
}

int StructArray::find_or_add(const std::string& key) {
  const int k = find(key);
  if (k >= 0) return k;
  keys.push_back(key);
  columns.emplace_back(static_cast<std::size_t>(dims.numel()), Value::empty());
  return static_cast<int>(keys.size()) - 1;
}

void StructArray::remove(std::string_view key) {
  const int k = find(key);
  if (k < 0) return;
  keys.erase(keys.begin() + k);
  columns.erase(columns.begin() + k);
}

const Value* StructArray::get(std::string_view key, Index element) const {
  const int k = find(key);
  return k < 0 ? nullptr : &columns[static_cast<std::size_t>(k)][static_cast<std::size_t>(element)];
}

void StructArray::set(const std::string& key, Value value, Index element) {
  columns[static_cast<std::size_t>(find_or_add(key))][static_cast<std::size_t>(element)] = std::move(value);
}

}  // namespace orrery::oml
