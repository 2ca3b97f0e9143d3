// SPDX-License-Identifier: Apache-2.0
// MAT files through matio, loaded on demand.
#include "oml/builtins/mat_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <matio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/nesting.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

// matio brings HDF5 and what hangs on it: loaded when a MAT file is first touched, so that starting stays quick.
struct Matio {
  decltype(&::Mat_Close) Mat_Close;
  decltype(&::Mat_CreateVer) Mat_CreateVer;
  decltype(&::Mat_LogInitFunc) Mat_LogInitFunc;
  decltype(&::Mat_Open) Mat_Open;
  decltype(&::Mat_VarCreate) Mat_VarCreate;
  decltype(&::Mat_VarCreateStruct) Mat_VarCreateStruct;
  decltype(&::Mat_VarDelete) Mat_VarDelete;
  decltype(&::Mat_VarFree) Mat_VarFree;
  decltype(&::Mat_VarGetCell) Mat_VarGetCell;
  decltype(&::Mat_VarGetNumberOfFields) Mat_VarGetNumberOfFields;
  decltype(&::Mat_VarGetStructFieldByIndex) Mat_VarGetStructFieldByIndex;
  decltype(&::Mat_VarGetStructFieldnames) Mat_VarGetStructFieldnames;
  decltype(&::Mat_VarReadNext) Mat_VarReadNext;
  decltype(&::Mat_VarSetCell) Mat_VarSetCell;
  decltype(&::Mat_VarSetStructFieldByIndex) Mat_VarSetStructFieldByIndex;
  decltype(&::Mat_VarWrite) Mat_VarWrite;
};

const Matio& matio() {
  static const Matio loaded = [] {
    void* library = nullptr;
    for (const char* name : {"libmatio.so.11", "libmatio.so.12", "libmatio.so.13", "libmatio.so"})
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail("MAT files need the library libmatio, which is not installed");
    Matio m{};
    const auto find = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
      if (to == nullptr) fail(std::string("libmatio has no function ") + name);
    };
    find(m.Mat_Close, "Mat_Close");
    find(m.Mat_CreateVer, "Mat_CreateVer");
    find(m.Mat_LogInitFunc, "Mat_LogInitFunc");
    find(m.Mat_Open, "Mat_Open");
    find(m.Mat_VarCreate, "Mat_VarCreate");
    find(m.Mat_VarCreateStruct, "Mat_VarCreateStruct");
    find(m.Mat_VarDelete, "Mat_VarDelete");
    find(m.Mat_VarFree, "Mat_VarFree");
    find(m.Mat_VarGetCell, "Mat_VarGetCell");
    find(m.Mat_VarGetNumberOfFields, "Mat_VarGetNumberOfFields");
    find(m.Mat_VarGetStructFieldByIndex, "Mat_VarGetStructFieldByIndex");
    find(m.Mat_VarGetStructFieldnames, "Mat_VarGetStructFieldnames");
    find(m.Mat_VarReadNext, "Mat_VarReadNext");
    find(m.Mat_VarSetCell, "Mat_VarSetCell");
    find(m.Mat_VarSetStructFieldByIndex, "Mat_VarSetStructFieldByIndex");
    find(m.Mat_VarWrite, "Mat_VarWrite");
    m.Mat_LogInitFunc("orrery", [](int, char*) {});
    return m;
  }();
  return loaded;
}

struct CloseFile {
  void operator()(mat_t* m) const { matio().Mat_Close(m); }
};
struct FreeVariable {
  void operator()(matvar_t* v) const { matio().Mat_VarFree(v); }
};
using File = std::unique_ptr<mat_t, CloseFile>;
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

std::vector<std::size_t> sizes_of(const Dims& d) {
  std::vector<std::size_t> out;
  for (int k = 0; k < d.count(); ++k) out.push_back(static_cast<std::size_t>(d[k]));
  return out;
}

Variable created(const std::string& name, matio_classes cls, matio_types type, const Dims& d, const void* data,
                 int options) {
  std::vector<std::size_t> sizes = sizes_of(d);
  Variable v(matio().Mat_VarCreate(name.empty() ? nullptr : name.c_str(), cls, type, static_cast<int>(sizes.size()),
                                   sizes.data(), const_cast<void*>(data), options));
  if (!v) fail("the value of " + name + " could not be written");
  return v;
}

// Real arrays of integer and single classes keep their class.
template <class T>
Variable create_as(const std::string& name, matio_classes cls, matio_types type, const RealArray& a) {
  std::vector<T> data(a.data.begin(), a.data.end());
  return created(name, cls, type, a.dims, data.data(), 0);
}

Variable create_real(const std::string& name, const RealArray& a) {
  switch (a.cls) {
    case NumClass::f32: return create_as<float>(name, MAT_C_SINGLE, MAT_T_SINGLE, a);
    case NumClass::i8: return create_as<std::int8_t>(name, MAT_C_INT8, MAT_T_INT8, a);
    case NumClass::i16: return create_as<std::int16_t>(name, MAT_C_INT16, MAT_T_INT16, a);
    case NumClass::i32: return create_as<std::int32_t>(name, MAT_C_INT32, MAT_T_INT32, a);
    case NumClass::i64: return create_as<std::int64_t>(name, MAT_C_INT64, MAT_T_INT64, a);
    case NumClass::u8: return create_as<std::uint8_t>(name, MAT_C_UINT8, MAT_T_UINT8, a);
    case NumClass::u16: return create_as<std::uint16_t>(name, MAT_C_UINT16, MAT_T_UINT16, a);
    case NumClass::u32: return create_as<std::uint32_t>(name, MAT_C_UINT32, MAT_T_UINT32, a);
    case NumClass::u64: return create_as<std::uint64_t>(name, MAT_C_UINT64, MAT_T_UINT64, a);
    default: return created(name, MAT_C_DOUBLE, MAT_T_DOUBLE, a.dims, a.data.data(), 0);
  }
}

Variable create_complex(const std::string& name, const ComplexArray& a) {
  std::vector<double> re, im;
  for (const Complex& z : a.data) re.push_back(z.real()), im.push_back(z.imag());
  mat_complex_split_t parts{re.data(), im.data()};
  return created(name, MAT_C_DOUBLE, MAT_T_DOUBLE, a.dims, &parts, MAT_F_COMPLEX);
}

Variable create_sparse(const std::string& name, const SparseMatrix& s) {
  std::vector<mat_uint32_t> rows(s.row_of.begin(), s.row_of.end()), starts(s.starts.begin(), s.starts.end());
  std::vector<double> re(s.re.begin(), s.re.end()), im(s.im.begin(), s.im.end());
  mat_complex_split_t parts{re.data(), im.data()};
  mat_sparse_t data{};
  data.nzmax = data.nir = data.ndata = static_cast<mat_uint32_t>(rows.size());
  data.ir = rows.data();
  data.jc = starts.data();
  data.njc = static_cast<mat_uint32_t>(starts.size());
  data.data = s.is_complex() ? static_cast<void*>(&parts) : re.data();
  return created(name, MAT_C_SPARSE, MAT_T_DOUBLE, Dims(s.rows, s.cols), &data, s.is_complex() ? MAT_F_COMPLEX : 0);
}

Variable create(const std::string& name, const Value& given);

Variable create_cell(const std::string& name, const CellArray& cells) {
  std::vector<matvar_t*> items(static_cast<std::size_t>(cells.size()), nullptr);
  Variable v = created(name, MAT_C_CELL, MAT_T_CELL, cells.dims, items.data(), 0);
  for (Index i = 0; i < cells.size(); ++i)
    matio().Mat_VarSetCell(v.get(), static_cast<int>(i), create("", cells[i]).release());
  return v;
}

Variable create_struct(const std::string& name, const StructArray& s) {
  std::vector<const char*> keys;
  for (const std::string& k : s.keys) keys.push_back(k.c_str());
  std::vector<std::size_t> sizes = sizes_of(s.dims);
  Variable v(matio().Mat_VarCreateStruct(name.empty() ? nullptr : name.c_str(), static_cast<int>(sizes.size()),
                                         sizes.data(), keys.data(), static_cast<unsigned>(keys.size())));
  if (!v) fail("the struct " + name + " could not be written");
  for (std::size_t k = 0; k < s.keys.size(); ++k)
    for (std::size_t i = 0; i < s.columns[k].size(); ++i)
      matio().Mat_VarSetStructFieldByIndex(v.get(), k, i, create(s.keys[k], s.columns[k][i]).release());
  return v;
}

Variable create(const std::string& name, const Value& given) {
  const NestingGuard guard;
  const Value v = given.kind() == Kind::sparse ? given : boxed(given);
  switch (v.kind()) {
    case Kind::real: return create_real(name, v.real());
    case Kind::complex: return create_complex(name, v.complex());
    case Kind::logical: return created(name, MAT_C_UINT8, MAT_T_UINT8, v.dims(), v.bytes().data.data(), MAT_F_LOGICAL);
    case Kind::chars: {
      // Two bytes for each character: other programs misread odd numbers of single bytes inside structs.
      const std::vector<std::uint16_t> wide(v.bytes().data.begin(), v.bytes().data.end());
      return created(name, MAT_C_CHAR, MAT_T_UINT16, v.dims(), wide.data(), 0);
    }
    case Kind::sparse: return create_sparse(name, v.sparse());
    case Kind::cell: return create_cell(name, v.cell());
    case Kind::structure: return create_struct(name, v.structure_ref());
    default: fail("a " + v.class_name() + " cannot be saved in a MAT file");
  }
}

Dims dims_of(const matvar_t* v) {
  std::vector<Index> sizes;
  for (int k = 0; k < v->rank; ++k) sizes.push_back(static_cast<Index>(v->dims[k]));
  while (sizes.size() < 2) sizes.push_back(1);
  return Dims(sizes);
}

// Element i of data stored as any of matio's numeric types.
double element(const void* data, matio_types type, std::size_t i) {
  switch (type) {
    case MAT_T_DOUBLE: return static_cast<const double*>(data)[i];
    case MAT_T_SINGLE: return static_cast<const float*>(data)[i];
    case MAT_T_INT8: return static_cast<const std::int8_t*>(data)[i];
    case MAT_T_INT16: return static_cast<const std::int16_t*>(data)[i];
    case MAT_T_INT32: return static_cast<const std::int32_t*>(data)[i];
    case MAT_T_INT64: return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
    case MAT_T_UINT8:
    case MAT_T_UTF8: return static_cast<const std::uint8_t*>(data)[i];
    case MAT_T_UINT16:
    case MAT_T_UTF16: return static_cast<const std::uint16_t*>(data)[i];
    case MAT_T_UINT32:
    case MAT_T_UTF32: return static_cast<const std::uint32_t*>(data)[i];
    case MAT_T_UINT64: return static_cast<double>(static_cast<const std::uint64_t*>(data)[i]);
    default: fail("the file holds data of a type that is not known");
  }
}

NumClass class_of(matio_classes c) {
  switch (c) {
    case MAT_C_SINGLE: return NumClass::f32;
    case MAT_C_INT8: return NumClass::i8;
    case MAT_C_INT16: return NumClass::i16;
    case MAT_C_INT32: return NumClass::i32;
    case MAT_C_INT64: return NumClass::i64;
    case MAT_C_UINT8: return NumClass::u8;
    case MAT_C_UINT16: return NumClass::u16;
    case MAT_C_UINT32: return NumClass::u32;
    case MAT_C_UINT64: return NumClass::u64;
    default: return NumClass::f64;
  }
}

Value read_numbers(const matvar_t* v) {
  const Dims d = dims_of(v);
  const auto n = static_cast<std::size_t>(checked_numel(d));
  if (n > 0 && v->data == nullptr) fail("the file is damaged");
  if (v->isComplex != 0) {
    Value out = Value::complex_zeros(d);
    if (n == 0) return out;
    const auto* parts = static_cast<const mat_complex_split_t*>(v->data);
    for (std::size_t i = 0; i < n; ++i)
      out.edit_complex().data[i] = Complex(element(parts->Re, v->data_type, i), element(parts->Im, v->data_type, i));
    return out;
  }
  if (v->isLogical != 0 || v->class_type == MAT_C_CHAR) {
    Value out = v->isLogical != 0 ? Value::logical_zeros(d) : Value::chars_filled(d, ' ');
    for (std::size_t i = 0; i < n; ++i) {
      const double x = element(v->data, v->data_type, i);
      out.edit_bytes().data[i] = v->isLogical != 0 ? x != 0 : static_cast<std::uint8_t>(x < 256 ? x : '?');
    }
    return v->isLogical != 0 ? unboxed(out) : out;
  }
  Value out = Value::real_uninitialised(d, class_of(v->class_type));
  for (std::size_t i = 0; i < n; ++i) out.edit_real().data[i] = element(v->data, v->data_type, i);
  return unboxed(out);
}

Value read_sparse(const matvar_t* v) {
  const auto* s = static_cast<const mat_sparse_t*>(v->data);
  if (s == nullptr || v->rank != 2 || s->njc != v->dims[1] + 1) fail("the file is damaged");
  auto* out = new SparseMatrix();
  Value result(out);
  out->rows = static_cast<Index>(v->dims[0]);
  out->cols = static_cast<Index>(v->dims[1]);
  const mat_uint32_t n = s->jc[s->njc - 1];
  if (n > s->nir || n > s->ndata) fail("the file is damaged");
  for (mat_uint32_t k = 0; k < s->njc; ++k) {
    if (s->jc[k] > n || (k > 0 && s->jc[k] < s->jc[k - 1])) fail("the file is damaged");
    out->starts.push_back(s->jc[k]);
  }
  const auto* parts = static_cast<const mat_complex_split_t*>(s->data);
  for (mat_uint32_t k = 0; k < n; ++k) {
    if (s->ir[k] >= v->dims[0]) fail("the file is damaged");
    out->row_of.push_back(s->ir[k]);
    out->re.push_back(element(v->isComplex != 0 ? parts->Re : s->data, v->data_type, k));
    if (v->isComplex != 0) out->im.push_back(element(parts->Im, v->data_type, k));
  }
  return result;
}

Value read_value(matvar_t* v) {
  const NestingGuard guard;
  if (v == nullptr) return Value::empty();
  switch (v->class_type) {
    case MAT_C_EMPTY: return Value::empty();
    case MAT_C_SPARSE: return read_sparse(v);
    case MAT_C_CELL: {
      Value out = Value::cell(dims_of(v));
      for (Index i = 0; i < out.numel(); ++i)
        out.edit_cell()[i] = read_value(matio().Mat_VarGetCell(v, static_cast<int>(i)));
      return out;
    }
    case MAT_C_STRUCT: {
      auto* s = new StructArray();
      Value out(s);
      s->dims = dims_of(v);
      const auto n = static_cast<std::size_t>(checked_numel(s->dims));
      char* const* names = matio().Mat_VarGetStructFieldnames(v);
      for (unsigned k = 0; k < matio().Mat_VarGetNumberOfFields(v); ++k) {
        const auto at = static_cast<std::size_t>(s->find_or_add(names[k]));
        for (std::size_t i = 0; i < n; ++i)
          s->columns[at][i] = read_value(matio().Mat_VarGetStructFieldByIndex(v, k, i));
      }
      return out;
    }
    case MAT_C_OBJECT:
    case MAT_C_FUNCTION:
    case MAT_C_OPAQUE: fail("the file holds an object or a function, which cannot be read");
    default: return read_numbers(v);
  }
}

}  // namespace

bool is_mat_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char head[128] = {};
  in.read(head, sizeof head);
  if (in.gcount() < 20) return false;
  if (std::strncmp(head, "MATLAB ", 7) == 0) return true;
  // Version 4 has no signature: the type must be one of its codes and the name length plausible.
  std::int32_t word[5];
  std::memcpy(word, head, sizeof word);
  return word[0] >= 0 && word[0] <= 52 && word[0] % 10 <= 2 && word[1] >= 0 && word[2] >= 0 &&
         (word[3] == 0 || word[3] == 1) && word[4] > 1 && word[4] < 64 &&
         std::isalpha(static_cast<unsigned char>(head[20])) != 0;
}

void load_matio() { matio(); }

NamedValues read_mat_file_here(const std::string& path) {
  const File file(matio().Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) fail("cannot read " + path + " as a MAT file");
  NamedValues out;
  while (true) {
    const Variable v(matio().Mat_VarReadNext(file.get()));
    if (!v) break;
    out.emplace_back(v->name == nullptr ? "" : v->name, read_value(v.get()));
  }
  return out;
}

namespace {

// All bytes of one file to another; false: see errno.
bool copy_bytes(int from, int to) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(from, buffer, sizeof buffer);
    if (count <= 0) return count == 0;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::write(to, buffer + done, static_cast<std::size_t>(count - done));
      if (written < 0) return false;
      done += written;
    }
  }
}

void fill_mat_file(const std::string& place, const std::string& path, const NamedValues& variables, MatVersion version,
                   bool append) {
  File file(append ? matio().Mat_Open(place.c_str(), MAT_ACC_RDWR) : nullptr);
  if (!file) {
    const char* header = "MATLAB 5.0 MAT-file, written by Orrery";
    file.reset(matio().Mat_CreateVer(place.c_str(), header, version == MatVersion::v7_3 ? MAT_FT_MAT73 : MAT_FT_MAT5));
  }
  if (!file) fail("cannot write " + path);
  for (const auto& [name, value] : variables) {
    const Variable v = create(name, value);
    if (append) matio().Mat_VarDelete(file.get(), name.c_str());
    if (matio().Mat_VarWrite(file.get(), v.get(),
                             version == MatVersion::v5 ? MAT_COMPRESSION_NONE : MAT_COMPRESSION_ZLIB) != 0)
      fail("the variable " + name + " could not be written to " + path);
  }
}

// Does not outlive its use.
struct OwnedDescriptor {
  int number;
  ~OwnedDescriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

// The library does not say that a disk is full, so it writes to memory, and what it has written goes to the file.
void write_mat_file(const std::string& path, const NamedValues& variables, MatVersion version, bool append) {
  if (version == MatVersion::v7_3) {  // HDF5 wants a file of its own, and does not open one that was cut off
    fill_mat_file(path, path, variables, version, append);
    if (!File(matio().Mat_Open(path.c_str(), MAT_ACC_RDONLY))) fail("cannot write all of " + path);
    return;
  }
  const OwnedDescriptor memory{::memfd_create("mat", MFD_CLOEXEC)};
  if (memory.number < 0) fail("there is no memory for " + path);
  const std::string place = "/proc/self/fd/" + std::to_string(memory.number);
  if (append) {
    const OwnedDescriptor before{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    append = before.number >= 0 && copy_bytes(before.number, memory.number);
  }
  fill_mat_file(place, path, variables, version, append);
  rlimit most = {};  // memory is a file for the limit of sizes
  struct stat made = {};
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && ::fstat(memory.number, &made) == 0 &&
      static_cast<rlim_t>(made.st_size) >= most.rlim_cur)
    fail("cannot write " + path + ": " + std::strerror(EFBIG));
  const OwnedDescriptor out{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (out.number < 0 || ::lseek(memory.number, 0, SEEK_SET) != 0 || !copy_bytes(memory.number, out.number))
    fail("cannot write " + path + ": " + std::strerror(errno));
}

bool fits_mat_file(const Value& v) {
  const NestingGuard guard;
  if (v.is_cell()) return std::all_of(v.cell().data.begin(), v.cell().data.end(), fits_mat_file);
  if (v.is_struct()) {
    for (const Values& column : v.structure_ref().columns)
      if (!std::all_of(column.begin(), column.end(), fits_mat_file)) return false;
    return true;
  }
  return v.is_arithmetic() || v.kind() == Kind::range;
}

}  // namespace orrery::oml
