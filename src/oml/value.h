// SPDX-License-Identifier: Apache-2.0
// The values of OML: a 16-byte handle holding a scalar inline or a shared, copy-on-write object.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "oml/memory.h"

namespace orrery::oml {

using Index = std::int64_t;
using Complex = std::complex<double>;

// Sizes of an array, at least two of them; trailing ones beyond the second are dropped.
class Dims {
 public:
  static constexpr int max_count = 8;
  Dims() : sizes_{0, 0, 1, 1, 1, 1, 1, 1}, count_(2) {}
  Dims(Index rows, Index cols) : sizes_{rows, cols, 1, 1, 1, 1, 1, 1}, count_(2) {}
  explicit Dims(const std::vector<Index>& sizes);

  int count() const { return count_; }
  Index rows() const { return sizes_[0]; }
  Index cols() const { return sizes_[1]; }
  Index operator[](int k) const { return k < max_count ? sizes_[static_cast<std::size_t>(k)] : 1; }
  void set(int k, Index size);
  Index numel() const {
    Index n = 1;
    for (int k = 0; k < count_ && k < max_count; ++k) n *= sizes_[static_cast<std::size_t>(k)];
    return n;
  }
  // Product of the sizes before dimension k: the distance of neighbours along k.
  Index stride(int k) const {
    Index n = 1;
    for (int j = 0; j < k && j < count_ && j < max_count; ++j) n *= sizes_[static_cast<std::size_t>(j)];
    return n;
  }
  bool is_vector() const { return count_ == 2 && (sizes_[0] == 1 || sizes_[1] == 1); }
  int first_non_singleton() const {
    for (int k = 0; k < count_ && k < max_count; ++k)
      if (sizes_[static_cast<std::size_t>(k)] != 1) return k;
    return 0;
  }
  bool operator==(const Dims& other) const { return count_ == other.count_ && sizes_ == other.sizes_; }
  std::string text() const;  // "2 x 3"

 private:
  std::array<Index, max_count> sizes_;
  int count_;
};

// Throws OmlError when a size is negative or the number of elements does not fit.
Index checked_numel(const Dims& dims);

enum class Kind : std::uint8_t {
  none,
  number,
  boolean,
  colon,  // held inline
  real,
  complex,
  logical,
  chars,
  cell,
  structure,
  handle,
  sparse,
  range,
  environment,
  object,
  symbolic,
  box,
};

// The class of a real array; integers are kept as doubles and saturated after each operation.
enum class NumClass : std::uint8_t { f64, f32, i8, i16, i32, i64, u8, u16, u32, u64 };

struct Heap {
  std::uint32_t references = 0;
  Kind kind;
  explicit Heap(Kind k) : kind(k) {}
};

template <class T>
struct Array : Heap {
  Dims dims;
  NumClass cls = NumClass::f64;
  Buffer<T> data;

  Array(Kind k, const Dims& d) : Heap(k), dims(d), data(static_cast<std::size_t>(checked_numel(d))) {}
  Index size() const { return static_cast<Index>(data.size()); }
  T& operator[](Index i) { return data[static_cast<std::size_t>(i)]; }
  const T& operator[](Index i) const { return data[static_cast<std::size_t>(i)]; }
  T& at(Index r, Index c) { return data[static_cast<std::size_t>(r + c * dims.rows())]; }
  const T& at(Index r, Index c) const { return data[static_cast<std::size_t>(r + c * dims.rows())]; }
};

class Value;
using RealArray = Array<double>;
using ComplexArray = Array<Complex>;
using ByteArray = Array<std::uint8_t>;  // logical and chars
using CellArray = Array<Value>;
struct StructArray;
struct FunctionHandle;
struct SparseMatrix;
struct Range;
struct EnvironmentHandle;
struct ClassObject;
struct SymbolicValue;
struct Box;

class Value {
 public:
  Value() : kind_(Kind::none), number_(0) {}
  template <class T>
  requires std::is_arithmetic_v<T> Value(T x)
      : kind_(std::is_same_v<T, bool> ? Kind::boolean : Kind::number), number_(static_cast<double>(x)) {}
  Value(Complex z);  // complex even when the imaginary part is zero
  explicit Value(Heap* heap) : kind_(heap->kind), heap_(heap) { ++heap->references; }
  Value(const Value& other) : kind_(other.kind_), number_(other.number_) {
    if (kind_ >= Kind::real) ++heap_->references;
  }
  Value(Value&& other) noexcept : kind_(other.kind_), number_(other.number_) { other.kind_ = Kind::none; }
  Value& operator=(const Value& other) {
    if (other.kind_ >= Kind::real) ++other.heap_->references;
    release();
    kind_ = other.kind_;
    number_ = other.number_;
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    if (this != &other) {
      release();
      kind_ = other.kind_;
      number_ = other.number_;
      other.kind_ = Kind::none;
    }
    return *this;
  }
  ~Value() { release(); }

  static Value colon() {
    Value v;
    v.kind_ = Kind::colon;
    return v;
  }
  static Value text(std::string_view s);
  static Value empty() { return zeros(Dims(0, 0)); }
  static Value zeros(const Dims& dims);
  static Value real_uninitialised(const Dims& dims, NumClass cls = NumClass::f64);
  static Value complex_zeros(const Dims& dims);
  static Value logical_zeros(const Dims& dims);
  static Value chars_filled(const Dims& dims, char fill);
  static Value cell(const Dims& dims);  // of 0x0 matrices
  static Value structure();             // 1x1 without fields
  static Value row(const std::vector<double>& x);
  static Value column(const std::vector<double>& x);
  static Value cell_row(const std::vector<Value>& items);
  static Value text_cell(const std::vector<std::string>& items, bool as_column);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_number() const { return kind_ == Kind::number; }
  double number() const { return number_; }
  void set_number(double x) {
    release();
    kind_ = Kind::number;
    number_ = x;
  }
  bool is_heap() const { return kind_ >= Kind::real; }
  bool unique() const { return kind_ < Kind::real || heap_->references == 1; }
  Heap* heap() const { return heap_; }

  // Unchecked views: the kind must be right.
  const RealArray& real() const { return *static_cast<const RealArray*>(heap_); }
  const ComplexArray& complex() const { return *static_cast<const ComplexArray*>(heap_); }
  const ByteArray& bytes() const { return *static_cast<const ByteArray*>(heap_); }
  const CellArray& cell() const { return *static_cast<const CellArray*>(heap_); }
  const StructArray& structure_ref() const;
  const FunctionHandle& handle() const;
  const SparseMatrix& sparse() const;
  const Range& range() const;
  const SymbolicValue& symbolic() const;
  Box& box() const;

  // Views for writing: copy first when the object is shared.
  RealArray& edit_real();
  ComplexArray& edit_complex();
  ByteArray& edit_bytes();
  CellArray& edit_cell();
  StructArray& edit_structure();

  Dims dims() const;
  Index numel() const;
  bool is_empty() const { return numel() == 0; }
  bool is_scalar() const { return kind_ == Kind::number || kind_ == Kind::boolean || numel() == 1; }
  bool is_text() const { return kind_ == Kind::chars; }
  bool is_text_row() const;  // char row or empty char
  bool is_cell() const { return kind_ == Kind::cell; }
  bool is_struct() const { return kind_ == Kind::structure; }
  bool is_logical() const {
    return kind_ == Kind::boolean || kind_ == Kind::logical || (kind_ == Kind::sparse && is_sparse_logical());
  }
  bool is_complex() const;  // sparse included
  bool is_numeric() const;  // real or complex of any class, not logical, not char
  bool is_arithmetic() const { return is_numeric() || is_logical() || kind_ == Kind::chars; }
  bool is_integer_class() const;
  NumClass num_class() const;
  std::string class_name() const;

 private:
  void release() {
    if (kind_ >= Kind::real && --heap_->references == 0) destroy(heap_);
  }
  static void destroy(Heap* heap);
  bool is_sparse_logical() const;

  Kind kind_;
  union {
    double number_;
    Heap* heap_;
  };
};

using Values = std::vector<Value>;

// Elements of a struct array, one column of values per field.
struct StructArray : Heap {
  Dims dims{1, 1};
  std::vector<std::string> keys;
  std::vector<Values> columns;
  bool is_caught_error = false;  // of `catch e` or its stack: display leaves out identifier and column

  StructArray() : Heap(Kind::structure) {}
  int find(std::string_view key) const;
  int find_or_add(const std::string& key);
  void remove(std::string_view key);
  const Value* get(std::string_view key, Index element = 0) const;
  void set(const std::string& key, Value value, Index element = 0);
};

// base, base + step, ...: count elements that are never stored.
struct Range : Heap {
  double base, step;
  Index count;
  Range(double b, double s, Index n) : Heap(Kind::range), base(b), step(s), count(n) {}
  double operator[](Index i) const { return base + static_cast<double>(i) * step; }
};

// Compressed columns; imaginary parts only when `imag` is not empty.
struct SparseMatrix : Heap {
  Index rows = 0, cols = 0;
  bool logical = false;  // the elements are truth values, all 1
  Buffer<Index> starts;  // cols + 1
  Buffer<Index> row_of;
  Buffer<double> re, im;
  SparseMatrix() : Heap(Kind::sparse) {}
  Index nonzeros() const { return static_cast<Index>(row_of.size()); }
  bool is_complex() const { return !im.empty(); }
};

// A variable that several frames share: globals, persistents, variables of nested functions.
struct Box : Heap {
  Value value;
  Box() : Heap(Kind::box) {}
};

struct Builtin;
struct Function;

// @name, or an anonymous function with the values it captured.
struct FunctionHandle : Heap {
  std::string name;  // empty when anonymous
  std::shared_ptr<const Function> user;
  const Builtin* builtin = nullptr;
  Values captured;  // one for each captured slot of `user`
  FunctionHandle() : Heap(Kind::handle) {}
};

struct Environment;
struct FrameLink;
struct EnvironmentHandle : Heap {
  std::shared_ptr<Environment> environment;  // a workspace; of a function its variables when the handle was made
  std::shared_ptr<FrameLink> link;           // the function, as long as it runs; null for a workspace
  int number = 0;                            // as shown
  EnvironmentHandle() : Heap(Kind::environment) {}
};

}  // namespace orrery::oml
