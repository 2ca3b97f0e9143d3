// SPDX-License-Identifier: Apache-2.0
// Reading HDF5 for scripts, in a process of its own.
#include "api/hdf5_functions.h"

#include <algorithm>

#include "io/hdf5_reading.h"
#include "oml/builtins/mat_files.h"
#include "oml/error.h"

namespace orrery::api {
namespace {

using oml::Value;

void hdf5_read(oml::Call& c) {
  const std::string file = c.text(0), what = c.text(1);
  c.require_read(file);
  io::load_hdf5();  // the other process may not
  const oml::NamedValues read = oml::read_in_process(file, "HDF5", [&] {
    std::string wrong;
    const auto matrix = io::read_hdf5(file, what, wrong);
    if (!matrix) oml::fail("cannot read " + file + ": " + wrong);
    Value value = Value::zeros(oml::Dims(static_cast<oml::Index>(matrix->rows), static_cast<oml::Index>(matrix->cols)));
    if (!matrix->data.empty()) {
      auto* numbers = &value.edit_real()[0];
      std::copy(matrix->data.begin(), matrix->data.end(), numbers);
    }
    return oml::NamedValues{{"x", value}};
  });
  c.ret(read.front().second);
}

constexpr oml::Builtin hdf5_table[] = {
    {"hdf5read",
     2,
     2,
     hdf5_read,
     "hdf5read(file, '/group/x'): a matrix of numbers of an HDF5 file. hdf5read(file, 'v1,v2'): of a file in the "
     "layout "
     "MTSF a matrix with the time and the columns of these variables.",
     {},
     oml::Needs::asked()},
};

}  // namespace

oml::BuiltinFamily hdf5_builtins() { return hdf5_table; }

}  // namespace orrery::api
