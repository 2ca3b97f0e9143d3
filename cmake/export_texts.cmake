# SPDX-License-Identifier: Apache-2.0
# Exported models carry C texts with them, which the program has as text: one constant for each file of
# src/export/runtime and src/export/python.
file(GLOB texts CONFIGURE_DEPENDS src/export/runtime/* src/export/python/*
  src/fmi/api/fmi[23].h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${texts})
set(ORRERY_EXPORT_TEXTS "")
foreach(text ${texts})
  get_filename_component(name ${text} NAME)
  file(READ ${text} content)
  string(MAKE_C_IDENTIFIER ${name} constant)
  # Compilers bound the length of a literal; parts that follow each other are one.
  string(LENGTH "${content}" length)
  set(literal "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 12000 part)
    string(APPEND literal "\n    R\"orrery(${part})orrery\"")
    math(EXPR at "${at} + 12000")
  endwhile()
  string(APPEND ORRERY_EXPORT_TEXTS "inline constexpr const char* text_of_${constant} =${literal};\n")
endforeach()
configure_file(cmake/export_texts.h.in ${CMAKE_BINARY_DIR}/generated/export/export_texts.h @ONLY)
target_include_directories(orrery_export PRIVATE ${CMAKE_BINARY_DIR}/generated)
