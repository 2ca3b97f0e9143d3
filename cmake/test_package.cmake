# SPDX-License-Identifier: Apache-2.0
# The test of what is installed: a project outside is configured, built and run with it.
set(consumer ${CMAKE_SOURCE_DIR}/examples/embed)
if(NOT ORRERY_SANITIZE)
  add_test(NAME package COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DCONSUMER=${consumer}
    -P ${CMAKE_SOURCE_DIR}/tests/package/check.cmake)
  set_tests_properties(package PROPERTIES LABELS package TIMEOUT 300)
endif()
