# SPDX-License-Identifier: Apache-2.0
# How everything is compiled: flags, warnings, sanitizers, and what makes a build from nothing short (docs/building.md).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

set(ORRERY_SANITIZE OFF CACHE STRING
  "Build with address and undefined-behaviour sanitizers: ON, or quick, without the checks that cost most to compile")
option(ORRERY_WERROR "Treat warnings as errors" OFF)
set(ORRERY_UNITY 40 CACHE STRING "How many files of a folder are compiled together; 0: each by itself")
option(ORRERY_CCACHE "Use ccache where it is installed" ON)

find_program(ORRERY_CCACHE_PROGRAM ccache)
mark_as_advanced(ORRERY_CCACHE_PROGRAM)
if(ORRERY_CCACHE AND ORRERY_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ORRERY_CCACHE_PROGRAM})
endif()
if(ORRERY_UNITY GREATER 0)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${ORRERY_UNITY})
endif()

# The same objects go into the executable and into the shared library; nobody replaces single functions of that.
add_compile_options(-fPIC -fno-semantic-interposition)
add_compile_options(-Wall -Wextra -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(ORRERY_UNITY GREATER 0)
  # Names of other files are no names of this one; `make check` compiles each by itself.
  add_compile_options(-Wshadow=local $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
else()
  add_compile_options(-Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees copies beyond the end of strings that are put together (GCC bug 105329).
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(ORRERY_WERROR)
  add_compile_options(-Werror)
endif()
if(ORRERY_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(ORRERY_SANITIZE STREQUAL "quick")
    # Bad pointers are found by the other sanitizer where they are used. Its checks are calls: code that is compiled once
    # and run for a minute is ready sooner.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr
      $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrumentation-with-call-threshold=0>)
  endif()
endif()

option(ORRERY_FUZZ "Build the fuzz targets, with clang (make fuzz)" OFF)
if(ORRERY_FUZZ)
  # Of undefined behaviour what a wrong number can cause; bad pointers are found where they are used.
  set(fuzz_sanitizers address,bounds,float-cast-overflow,integer-divide-by-zero,return,shift,signed-integer-overflow,unreachable)
  add_compile_options(-O1 -UNDEBUG -fsanitize=fuzzer-no-link,${fuzz_sanitizers} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -Wno-everything)
  add_link_options(-fsanitize=${fuzz_sanitizers})
endif()

# Tests are compiled more often than they run long.
set(test_options $<$<CONFIG:RelWithDebInfo>:-O1>)

# The standard library is compiled once, unless ccache is there, which does better without.
option(ORRERY_PRECOMPILE "Compile the headers of the standard library once" ON)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(ORRERY_PRECOMPILE OFF)
endif()
if(ORRERY_PRECOMPILE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers.cpp CONTENT "")
  set(kinds headers)
  add_library(orrery_headers OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
  target_link_libraries(orrery_headers PRIVATE fmt::fmt)
  if(BUILD_TESTING)
    list(APPEND kinds test_headers)
    add_library(orrery_test_headers OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(orrery_test_headers PRIVATE fmt::fmt GTest::gtest)
    target_compile_options(orrery_test_headers PRIVATE ${test_options})
    target_precompile_headers(orrery_test_headers PRIVATE <gtest/gtest.h> <fstream> <sstream>)
  endif()
  foreach(kind ${kinds})
    target_precompile_headers(orrery_${kind} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string>
      <unordered_map> <vector> <fmt/format.h>)
  endforeach()
endif()
