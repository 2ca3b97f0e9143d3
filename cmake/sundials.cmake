# SPDX-License-Identifier: Apache-2.0
# The target orrery_sundials: SUNDIALS (CVODE, IDA) with KLU.
# ORRERY_SUNDIALS names an installed prefix; without it tools/sundials.sh finds or builds one.
set(ORRERY_SUNDIALS "" CACHE PATH "Prefix of SUNDIALS 6.4 (empty: built once from the source package)")

set(prefix "${ORRERY_SUNDIALS}")
if(NOT prefix)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/sundials.sh
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/sundials.sh)
endif()
message(STATUS "SUNDIALS: ${prefix}")

add_library(orrery_sundials INTERFACE)
if(NOT prefix STREQUAL "/usr")
  target_include_directories(orrery_sundials SYSTEM INTERFACE ${prefix}/include)
endif()

# Dependants before what they use, as the linker wants it for static libraries.
foreach(name cvode ida
    sunnonlinsolnewton sunnonlinsolfixedpoint
    sunlinsolklu sunlinsoldense sunlinsolband sunlinsolspgmr
    sunmatrixsparse sunmatrixdense sunmatrixband nvecserial generic)
  # find_library caches by variable name, so the prefix is part of it.
  string(MAKE_C_IDENTIFIER "ORRERY_LIBRARY_${prefix}_${name}" variable)
  find_library(${variable} sundials_${name} PATHS ${prefix}/lib NO_DEFAULT_PATH)
  if(NOT ${variable})
    find_library(${variable} sundials_${name} REQUIRED)
  endif()
  mark_as_advanced(${variable})
  target_link_libraries(orrery_sundials INTERFACE ${${variable}})
endforeach()
target_include_directories(orrery_sundials SYSTEM INTERFACE /usr/include/suitesparse)
target_link_libraries(orrery_sundials INTERFACE klu amd colamd btf suitesparseconfig m)
