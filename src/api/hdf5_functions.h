// SPDX-License-Identifier: Apache-2.0
// hdf5read: matrices of HDF5 files in scripts.
#pragma once

#include "oml/interpreter.h"

namespace orrery::api {

oml::BuiltinFamily hdf5_builtins();

}  // namespace orrery::api
