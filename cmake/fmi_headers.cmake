# SPDX-License-Identifier: Apache-2.0
# The C headers of FMI as text in a header, for compiling source FMUs that come without them.
set(fmi_headers "")
foreach(version 2 3)
  set(file ${CMAKE_SOURCE_DIR}/src/fmi/api/fmi${version}.h)
  file(READ ${file} text)
  string(APPEND fmi_headers
    "inline constexpr char fmi${version}_header_text[] = R\"fmi_header(${text})fmi_header\";\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated_fmi/fmi/fmi_headers_text.h
  CONTENT "#pragma once\n@fmi_headers@" @ONLY)
target_include_directories(orrery_fmi PRIVATE ${CMAKE_BINARY_DIR}/generated_fmi)
