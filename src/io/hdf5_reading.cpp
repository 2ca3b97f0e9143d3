// SPDX-License-Identifier: Apache-2.0
// Reading data sets, and the columns of MTSF variables.
#include "io/hdf5_reading.h"

#include <fmt/format.h>

#include "io/hdf5_writing.h"

namespace orrery::io {
namespace {

constexpr unsigned read_only_file = 0;  // H5F_ACC_RDONLY, which would ask the library that is not linked

constexpr std::size_t most_numbers = std::size_t{1} << 28;

NumberMatrix read_set(hid_t file, const std::string& path) {
  const Handle set(h5().Dopen2(file, path.c_str(), H5P_DEFAULT), h5().Dclose);
  const Handle space(h5().Dget_space(set), h5().Sclose);
  const Handle type(h5().Dget_type(set), h5().Tclose);
  const H5T_class_t kind = h5().Tget_class(type);
  const int rank = h5().Sget_simple_extent_ndims(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || rank < 1 || rank > 2) throw Hdf5Failure{EINVAL};
  hsize_t shape[2] = {0, 1};
  check(h5().Sget_simple_extent_dims(space, shape, nullptr));
  if (shape[0] > most_numbers || shape[1] > most_numbers || shape[0] * shape[1] > most_numbers)
    throw Hdf5Failure{EFBIG};
  NumberMatrix matrix{static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]), {}};
  std::vector<double> by_rows(matrix.rows * matrix.cols);
  if (!by_rows.empty()) check(h5().Dread(set, h5().float64, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_rows.data()));
  matrix.data.resize(by_rows.size());
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t col = 0; col < matrix.cols; ++col)
      matrix.data[col * matrix.rows + row] = by_rows[row * matrix.cols + col];
  }
  return matrix;
}

constexpr const char* matrices[] = {"/Results/Continuous/H5T_NATIVE_DOUBLE", "/Results/Continuous/H5T_NATIVE_INT32",
                                    "/Results/Continuous/H5T_NATIVE_INT8",   "/Results/Discrete/H5T_NATIVE_DOUBLE",
                                    "/Results/Discrete/H5T_NATIVE_INT32",    "/Results/Discrete/H5T_NATIVE_INT8"};

// The table of variables: where the values of each are.
struct VariableTable {
  std::vector<std::string> names;
  std::vector<hobj_ref_t> matrix;
  std::vector<std::uint32_t> column;
};

template <class T>
std::vector<T> read_field(hid_t set, std::size_t count, const char* name, hid_t type) {
  const Handle record(h5().Tcreate(H5T_COMPOUND, sizeof(T)), h5().Tclose);
  check(h5().Tinsert(record, name, 0, type));
  std::vector<T> values(count);
  if (count > 0) check(h5().Dread(set, record, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

VariableTable read_variables(hid_t file) {
  const Handle set(h5().Dopen2(file, "/ModelDescription/Variables", H5P_DEFAULT), h5().Dclose);
  const Handle space(h5().Dget_space(set), h5().Sclose);
  hsize_t shape[2] = {0, 1};
  const int rank = h5().Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > 2) throw Hdf5Failure{EINVAL};
  check(h5().Sget_simple_extent_dims(space, shape, nullptr));
  if (shape[0] > most_numbers || shape[1] != 1) throw Hdf5Failure{EINVAL};
  const auto count = static_cast<std::size_t>(shape[0]);
  VariableTable table;
  table.matrix = read_field<hobj_ref_t>(set, count, "objectId", h5().reference);
  table.column = read_field<std::uint32_t>(set, count, "column", h5().uint32);
  const Handle type(h5().Dget_type(set), h5().Tclose);
  const int member = h5().Tget_member_index(type, "name");
  check(member);
  const Handle text(h5().Tget_member_type(type, static_cast<unsigned>(member)), h5().Tclose);
  const std::size_t length = h5().Tget_size(text);
  if (h5().Tget_class(text) != H5T_STRING || length == 0 || length > 65536 || length * count > most_numbers)
    throw Hdf5Failure{EINVAL};
  const Handle record(h5().Tcreate(H5T_COMPOUND, length), h5().Tclose);
  check(h5().Tinsert(record, "name", 0, text));
  std::string bytes(length * count, '\0');
  if (count > 0) check(h5().Dread(set, record, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = bytes.substr(k * length, length);
    table.names.push_back(name.substr(0, name.find('\0')));
  }
  return table;
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != ' ' || !names.back().empty()) {
      names.back() += c;
    }
  }
  return names;
}

std::optional<NumberMatrix> read_mtsf(hid_t file, const std::string& list, std::string& wrong) {
  const VariableTable table = read_variables(file);
  NumberMatrix result = read_set(file, matrices[0]);
  if (result.cols == 0) throw Hdf5Failure{EINVAL};
  result.data.resize(result.rows);  // the time
  result.cols = 1;
  for (const std::string& name : split_names(list)) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found == table.names.end()) {
      wrong = fmt::format("there is no variable {}", name);
      return std::nullopt;
    }
    const auto k = static_cast<std::size_t>(found - table.names.begin());
    NumberMatrix matrix;
    for (const char* path : matrices) {
      hobj_ref_t reference = 0;
      if (h5().Rcreate(&reference, file, path, H5R_OBJECT, -1) >= 0 && reference == table.matrix[k])
        matrix = read_set(file, path);
    }
    if (table.column[k] >= matrix.cols || matrix.rows != result.rows) {
      wrong = fmt::format("the variable {} has no number for each time", name);
      return std::nullopt;
    }
    const auto from = matrix.data.begin() + static_cast<std::ptrdiff_t>(table.column[k] * matrix.rows);
    result.data.insert(result.data.end(), from, from + static_cast<std::ptrdiff_t>(matrix.rows));
    ++result.cols;
  }
  return result;
}

}  // namespace

void load_hdf5() { static_cast<void>(hdf5()); }

std::optional<NumberMatrix> read_hdf5(const std::string& file, const std::string& what, std::string& wrong) {
  if (hdf5() == nullptr) {
    wrong = "HDF5 is not installed (Debian: libhdf5-103-1)";
    return std::nullopt;
  }
  try {
    const Handle handle(h5().Fopen(file.c_str(), read_only_file, H5P_DEFAULT), h5().Fclose);
    if (!what.starts_with('/')) return read_mtsf(handle, what, wrong);
    return read_set(handle, what);
  } catch (const Hdf5Failure&) {
    wrong = what.starts_with('/') ? fmt::format("it is no HDF5 file with a matrix of numbers {}", what)
                                  : "it is no HDF5 file in the layout MTSF";
    return std::nullopt;
  }
}

}  // namespace orrery::io
