# SPDX-License-Identifier: Apache-2.0
# Generated C contains the matrix kernels as text: the same text that Orrery itself compiles.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/program/matrix_kernels.h)
file(READ ${CMAKE_SOURCE_DIR}/src/program/matrix_kernels.h ORRERY_MATRIX_KERNELS)
configure_file(cmake/matrix_kernels_text.h.in ${CMAKE_BINARY_DIR}/generated/native/matrix_kernels_text.h @ONLY)
