// SPDX-License-Identifier: Apache-2.0
// Pieces of an HDF5 file: handles that close themselves, attributes, tables of records. For the files of this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5_library.h"

namespace orrery::io {

inline const Hdf5& h5() { return *hdf5(); }

// HDF5 could not do something: a file cannot be written, or there is a mistake of ours.
struct Hdf5Failure {
  int error;
};

inline void check(std::int64_t status) {
  if (status < 0) throw Hdf5Failure{errno != 0 ? errno : EIO};
}

// What was opened is closed in time.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) { check(id); }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline hid_t text_type(std::size_t length) {
  const hid_t type = h5().Tcopy(h5().text);
  check(h5().Tset_size(type, std::max<std::size_t>(length, 1)));
  check(h5().Tset_strpad(type, H5T_STR_NULLPAD));
  check(h5().Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

inline void attribute(hid_t object, const char* name, const std::string& value) {
  const Handle type(text_type(value.size()), h5().Tclose);
  const Handle space(h5().Screate(H5S_SCALAR), h5().Sclose);
  const Handle attribute(h5().Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), h5().Aclose);
  std::string bytes = value;
  if (bytes.empty()) bytes.push_back('\0');
  check(h5().Awrite(attribute, type, bytes.data()));
}

inline void attribute(hid_t object, const char* name, std::int32_t value) {
  const Handle space(h5().Screate(H5S_SCALAR), h5().Sclose);
  const Handle attribute(h5().Acreate2(object, name, h5().int32, space, H5P_DEFAULT, H5P_DEFAULT), h5().Aclose);
  check(h5().Awrite(attribute, h5().int32, &value));
}

// How datasets are made: files do not say when, so that the same content has the same bytes.
inline Handle dataset_properties() {
  Handle create(h5().Pcreate(h5().dataset_create), h5().Pclose);
  check(h5().Pset_obj_track_times(create, false));
  return create;
}

// A table of records: fields are declared, then rows filled in field by field.
class Records {
 public:
  explicit Records(std::size_t rows) : rows_(rows) {}

  template <class T>
  void numbers(const char* name, hid_t type, const std::vector<T>& values) {
    add(name, h5().Tcopy(type), sizeof(T),
        [&](std::size_t row, char* at) { std::memcpy(at, &values[row], sizeof(T)); });
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    std::size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    add(name, text_type(length), length,
        [&](std::size_t row, char* at) { std::copy(values[row].begin(), values[row].end(), at); });
  }

  void write(hid_t group, const char* name) {
    std::size_t size = 0;
    for (const Field& field : fields_) size += field.size;
    const Handle type(h5().Tcreate(H5T_COMPOUND, size), h5().Tclose);
    std::string bytes(size * rows_, '\0');
    std::size_t offset = 0;
    for (const Field& field : fields_) {
      check(h5().Tinsert(type, field.name.c_str(), offset, field.type));
      for (std::size_t row = 0; row < rows_; ++row) {
        std::memcpy(bytes.data() + row * size + offset, field.bytes.data() + row * field.size, field.size);
      }
      offset += field.size;
      h5().Tclose(field.type);
    }
    const std::array<hsize_t, 2> shape{rows_, 1};
    const Handle space(h5().Screate_simple(2, shape.data(), nullptr), h5().Sclose);
    const Handle create = dataset_properties();
    const Handle set(h5().Dcreate2(group, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT), h5().Dclose);
    check(h5().Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  }

 private:
  struct Field {
    std::string name;
    hid_t type;
    std::size_t size;
    std::string bytes;
  };
  template <class Fill>
  void add(const char* name, hid_t type, std::size_t size, Fill fill) {
    Field field{name, type, size, std::string(size * rows_, '\0')};
    for (std::size_t row = 0; row < rows_; ++row) fill(row, field.bytes.data() + row * size);
    fields_.push_back(std::move(field));
  }

  std::size_t rows_;
  std::vector<Field> fields_;
};

}  // namespace orrery::io
