# SPDX-License-Identifier: Apache-2.0
# The target orrery_sundials: SUNDIALS (CVODE, IDA) with KLU. Nothing is fetched or built here: tools/setup.sh does.
set(ORRERY_SUNDIALS auto CACHE STRING
  "SUNDIALS 6.4: bundled (built by tools/setup.sh), system (libsundials-dev), a prefix, or auto: bundled if it is there")

set(prefix "${ORRERY_SUNDIALS}")
if(prefix MATCHES "^(auto|bundled|)$")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR}/tools/sundials.sh --find
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE missing)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/sundials.sh)
  if(missing AND NOT ORRERY_SUNDIALS STREQUAL "bundled" AND EXISTS /usr/include/cvode/cvode.h)
    message(WARNING "SUNDIALS of the system is used, which is several times slower; tools/setup.sh builds a fast one")
    set(prefix /usr)
  elseif(missing)
    message(FATAL_ERROR "There is no SUNDIALS yet. Run tools/setup.sh once, which fetches what the build needs, "
      "or install libsundials-dev and configure with -DORRERY_SUNDIALS=system.")
  endif()
elseif(prefix STREQUAL "system")
  set(prefix /usr)
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
  if(NOT ${variable} AND prefix STREQUAL "/usr")
    find_library(${variable} sundials_${name})
  endif()
  if(NOT ${variable})
    message(FATAL_ERROR "${prefix} has no sundials_${name}; see ORRERY_SUNDIALS")
  endif()
  mark_as_advanced(${variable})
  target_link_libraries(orrery_sundials INTERFACE ${${variable}})
endforeach()
target_include_directories(orrery_sundials SYSTEM INTERFACE /usr/include/suitesparse)
target_link_libraries(orrery_sundials INTERFACE klu amd colamd btf suitesparseconfig m)
