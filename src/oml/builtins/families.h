// SPDX-License-Identifier: Apache-2.0
// The tables of builtins, one per family and file.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

BuiltinFamily array_builtins();
BuiltinFamily random_builtins();
BuiltinFamily array_shape_builtins();
BuiltinFamily reduction_builtins();
BuiltinFamily sorting_builtins();
BuiltinFamily set_builtins();
BuiltinFamily elementary_builtins();
BuiltinFamily integer_builtins();
BuiltinFamily trigonometry_builtins();
BuiltinFamily operator_builtins();
BuiltinFamily type_builtins();
BuiltinFamily language_builtins();
BuiltinFamily name_builtins();
BuiltinFamily environment_builtins();
BuiltinFamily output_builtins();
BuiltinFamily string_builtins();
BuiltinFamily text_search_builtins();
BuiltinFamily number_text_builtins();
BuiltinFamily regexp_builtins();
BuiltinFamily cell_builtins();
BuiltinFamily struct_builtins();
BuiltinFamily time_builtins();
BuiltinFamily linear_algebra_builtins();
BuiltinFamily sparse_builtins();
BuiltinFamily special_builtins();
BuiltinFamily polynomial_builtins();
BuiltinFamily interpolation_builtins();
BuiltinFamily statistics_builtins();
BuiltinFamily distribution_builtins();
BuiltinFamily file_builtins();
BuiltinFamily binary_file_builtins();
BuiltinFamily text_io_builtins();
BuiltinFamily signal_builtins();
BuiltinFamily filter_builtins();
BuiltinFamily fourier_builtins();
BuiltinFamily ode_builtins();
BuiltinFamily optimise_builtins();
BuiltinFamily control_builtins();
BuiltinFamily matrix_function_builtins();
BuiltinFamily workspace_file_builtins();
BuiltinFamily hypothesis_test_builtins();
BuiltinFamily least_squares_builtins();
BuiltinFamily spectrum_builtins();
BuiltinFamily signal_fitting_builtins();
BuiltinFamily geometry_builtins();
BuiltinFamily constrained_builtins();
BuiltinFamily control_model_builtins();
BuiltinFamily control_response_builtins();
BuiltinFamily object_builtins();

}  // namespace orrery::oml
