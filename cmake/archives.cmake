# SPDX-License-Identifier: Apache-2.0
# Foreign static libraries. Archives where there are any: each shared library more would be looked for at every start.

# orrery_archive(name file): the target orrery_name, a copy of an archive that may also go into a shared library.
# Debian compiles archives for executables only. Nothing but accesses to variables of the C library stands in the way;
# the copy uses variables of our own instead (src/base/standard_streams.cpp).
function(orrery_archive name file)
  set(copy ${CMAKE_BINARY_DIR}/archives/lib${name}.a)
  set(renames "")
  foreach(variable stdin stdout stderr environ)
    list(APPEND renames --redefine-sym ${variable}=orrery_${variable})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/archives)
  add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_OBJCOPY} ${renames} ${file} ${copy} DEPENDS ${file}
    COMMENT "Copying ${file}" VERBATIM)
  add_custom_target(orrery_${name}_copy DEPENDS ${copy})
  add_library(orrery_${name} STATIC IMPORTED GLOBAL)
  add_dependencies(orrery_${name} orrery_${name}_copy)
  set_target_properties(orrery_${name} PROPERTIES IMPORTED_LOCATION ${copy} INTERFACE_LINK_LIBRARIES orrery_base)
endfunction()

find_library(ORRERY_TCC NAMES libtcc.a REQUIRED)
find_library(ORRERY_QHULL NAMES libqhullstatic_r.a REQUIRED)
find_library(ORRERY_LAPACKE NAMES liblapacke.a lapacke REQUIRED)
# OpenBLAS binds fourteen thousand names at each start when it is shared: programs that set ORRERY_ARCHIVES have it inside.
find_library(ORRERY_OPENBLAS_ARCHIVE NAMES libopenblas.a)
find_library(ORRERY_GFORTRAN NAMES libgfortran.so.5 gfortran)  # what LAPACK's own parts call
set(ORRERY_OPENBLAS openblas)
if(ORRERY_OPENBLAS_ARCHIVE AND ORRERY_GFORTRAN)
  set(ORRERY_OPENBLAS $<IF:$<BOOL:$<TARGET_PROPERTY:ORRERY_ARCHIVES>>,${ORRERY_OPENBLAS_ARCHIVE},openblas>
    $<$<BOOL:$<TARGET_PROPERTY:ORRERY_ARCHIVES>>:${ORRERY_GFORTRAN}>)
endif()
find_library(ORRERY_PCRE2 NAMES libpcre2-8.a pcre2-8 REQUIRED)
orrery_archive(tcc ${ORRERY_TCC})
orrery_archive(qhull ${ORRERY_QHULL})
