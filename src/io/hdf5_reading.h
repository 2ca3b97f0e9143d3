// SPDX-License-Identifier: Apache-2.0
// Matrices of numbers out of HDF5 files. The library trusts files: read those of others in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery::io {

struct NumberMatrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> data;  // column by column
};

// Finds the library, so that a process made afterwards has it.
void load_hdf5();
// The data set at a path ("/group/x"; of one dimension: a column), or of a file in the layout MTSF the time and the
// variables of these names, separated by commas. Nothing, and what is wrong, when there is no such thing.
std::optional<NumberMatrix> read_hdf5(const std::string& file, const std::string& what, std::string& wrong);

}  // namespace orrery::io
