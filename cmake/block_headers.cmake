# SPDX-License-Identifier: Apache-2.0
# Blocks in C are compiled against vss_block4.h, which the program carries with it as text.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/foreign/include/vss_block4.h)
file(READ ${CMAKE_SOURCE_DIR}/src/foreign/include/vss_block4.h ORRERY_VSS_BLOCK)
configure_file(cmake/vss_block_text.h.in ${CMAKE_BINARY_DIR}/generated/foreign/vss_block_text.h @ONLY)
target_include_directories(orrery_foreign PRIVATE ${CMAKE_BINARY_DIR}/generated)
